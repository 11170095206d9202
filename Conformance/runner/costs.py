"""The time of one verification in each implementation, measured inside its adapter."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .process import Adapter

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Benchmarks"))

from plot import bars  # noqa: E402

WINDOWS = {"0": "verify, ±0", "1": "verify, ±1", "5": "verify, ±5"}
ROUNDS, NANOSECONDS = 100, 2_000_000
OURS = "libotp"


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


def plot(results: list[dict[str, Any]]) -> str:
    """The times as an SVG, the shortest first."""
    grouped = {window: {result["name"]: {"ns": result["nanoseconds"][window]} for result in results
                        if window in result["nanoseconds"]} for window in WINDOWS}
    cheapest = sorted(grouped["1"], key=lambda name: grouped["1"][name]["ns"])
    colors = {name: "#39c5cf" if name == OURS else "#8b949e" for name in cheapest}
    return bars(grouped, [(window, WINDOWS[window]) for window in ("1", "5")], colors, OURS,
                "Time per verification of a wrong code, SHA-1, a process each.")
