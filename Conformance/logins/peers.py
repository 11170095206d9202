"""The logins of the table: how each adapter is started."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Peer:
    """A login: its name in the table, and its adapter's command."""

    name: str
    command: list[str]
    is_ours: bool = False


def peers(build: Path) -> list[Peer]:
    """All of them, in the table's order; `build` has the environment of run.sh."""
    adapters = HERE / "adapters"
    return [Peer("small login", ["python3", str(adapters / "small_login.py"), "right"])]
