"""The implementations: how each adapter is started, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ADAPTERS = HERE / "adapters"
OURS = "this repository"


@dataclass(frozen=True)
class Peer:
    """An implementation: its name in the table, its source, and its adapter's command."""

    name: str
    source: str
    command: list[str]
    newest: str = ""
    """The newest version in November 2026, if it is another one, and whether claims.json's bugs are still there."""


def peers(build: Path, tool: Path) -> list[Peer]:
    """All of them, in the table's order; `build` is the folder where build.sh put the environment and the programs."""
    python = str(build / "venv/bin/python")
    of_pypi = [("pyotp", "pyotp"), ("passlib", "passlib"), ("django-otp", "django_otp"),
               ("cryptography", "cryptography"), ("mintotp", "mintotp"), ("onetimepass", "onetimepass"),
               ("hotpie", "hotpie"), ("oathtool of PyPI", "oathtool")]
    return [
        Peer("libotp", OURS, [str(build / "libotp")]),
        Peer("otp", OURS, [python, str(ADAPTERS / "otp_tool.py"), str(tool)]),
        *(Peer(name, "PyPI", [python, str(ADAPTERS / f"{file}_adapter.py")],
               newest="libpass 1.9.4, which continues it: yes" if name == "passlib" else "") for name, file in of_pypi),
        Peer("liboath", "Debian", [str(build / "liboath")], newest="2.6.15; no bug listed"),
        Peer("libcotp", "Debian", [str(build / "libcotp")], newest="4.2.1: no"),
        Peer("rotp", "Debian", ["ruby", str(ADAPTERS / "rotp.rb")], newest="6.3.0: yes"),
        Peer("pquerna/otp", "Debian", [str(build / "pquerna")], newest="1.5.0; no bug listed"),
        Peer("totp-rs", "Debian", [str(build / "totp_rs")], newest="6.0.0: none; 5.7.1: the panics"),
    ]
