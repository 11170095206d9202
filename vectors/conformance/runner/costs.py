"""The time of one verification in each implementation, measured inside its adapter."""

from __future__ import annotations

from typing import Any

from .process import Adapter

WINDOWS = {"0": "verify, ±0", "1": "verify, ±1", "5": "verify, ±5"}
ROUNDS, NANOSECONDS = 100, 2_000_000


def costs(adapters: dict[str, Adapter]) -> dict[str, dict[str, int]]:
    """Nanoseconds by implementation and window: the minimum of many short rounds over all implementations in turn.

    Disturbances can only add time, and some rounds of two milliseconds are short enough to be undisturbed.
    """
    found: dict[str, dict[str, int]] = {name: {} for name in adapters}
    for window in WINDOWS:
        for name, adapter in adapters.items():
            _ask(adapter, window, 4, found[name])
        for _ in range(ROUNDS):
            for name, adapter in adapters.items():
                if window in found[name]:
                    _ask(adapter, window, max(4, NANOSECONDS // max(1, found[name][window])), found[name])
    return found


def _ask(adapter: Adapter, window: str, count: int, least: dict[str, int]) -> None:
    word, *time = adapter.ask(f"time {window} {count}").split()
    if word == "ok":
        least[window] = min(int(time[0]), least.get(window, int(time[0])))
