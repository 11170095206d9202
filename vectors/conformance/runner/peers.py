"""The implementations: how each adapter is started, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
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
    package: str = ""
    """Its package in Debian or PyPI."""
    seen: dict[str, str] = field(default_factory=dict)
    """Whether claims.json's bugs are still there in newer versions."""


def peers(build: Path, tool: Path) -> list[Peer]:
    """All of them, in the table's order; `build` is the folder where build.sh put the environment and the programs."""
    python = str(build / "venv/bin/python")
    of_pypi = ["pyotp", "passlib", "django-otp", "cryptography", "mintotp", "onetimepass", "hotpie", "oathtool"]
    continued = {"passlib": ("libpass", {"1.9.4": "yes, in libpass, which continues it"})}
    return [
        Peer("libotp", OURS, [str(build / "libotp")]),
        Peer("otp", OURS, [python, str(ADAPTERS / "otp_tool.py"), str(tool)]),
        *(Peer("oathtool of PyPI" if name == "oathtool" else name, "PyPI",
               [python, str(ADAPTERS / f"{name.replace('-', '_')}_adapter.py")], *continued.get(name, (name,)))
          for name in of_pypi),
        Peer("liboath", "Debian", [str(build / "liboath")], "liboath-dev", {"2.6.15": "no bug listed"}),
        Peer("libcotp", "Debian", [str(build / "libcotp")], "libcotp-dev", {"4.2.1": "no"}),
        Peer("rotp", "Debian", ["ruby", str(ADAPTERS / "rotp.rb")], "ruby-rotp", {"6.3.0": "yes"}),
        Peer("pquerna/otp", "Debian", [str(build / "pquerna")], "golang-github-pquerna-otp-dev",
             {"1.5.0": "no bug listed"}),
        Peer("totp-rs", "Debian", [str(build / "totp_rs")], "librust-totp-rs-dev",
             {"5.7.1": "the panics; none in 6.0.0, of crates.io"}),
    ]
