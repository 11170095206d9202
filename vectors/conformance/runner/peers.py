"""The implementations: how each adapter is started, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ADAPTERS = HERE / "adapters"
OURS = "this repository"


@dataclass(frozen=True)
class Peer:
    """An implementation or a login: its name in the table, and its adapter's command."""

    name: str
    command: list[str]
    source: str = ""
    """Of an implementation. A login's adapter says it."""
    package: str = ""
    """Its package in Debian or PyPI."""
    seen: dict[str, str] = field(default_factory=dict)
    """Whether what is claimed, or failed, is still there in newer versions."""
    documented: dict[str, str] = field(default_factory=dict)
    """What a login's documentation says, by the beginnings of tests."""


def peers(build: Path, tool: Path) -> list[Peer]:
    """All of them, in the table's order; `build` is the folder where build.sh put the environment and the programs."""
    python = str(build / "venv/bin/python")
    of_pypi = ["pyotp", "passlib", "django-otp", "cryptography", "mintotp", "onetimepass", "hotpie", "oathtool"]
    continued = {"passlib": ("libpass", {"1.9.4": "yes, in libpass, which continues it"})}
    return [
        Peer("libotp", [str(build / "libotp")], OURS),
        Peer("otp", [python, str(ADAPTERS / "otp_tool.py"), str(tool)], OURS),
        *(Peer("oathtool of PyPI" if name == "oathtool" else name,
               [python, str(ADAPTERS / f"{name.replace('-', '_')}_adapter.py")], "PyPI", *continued.get(name, (name,)))
          for name in of_pypi),
        Peer("liboath", [str(build / "liboath")], "Debian", "liboath-dev", {"2.6.15": "no bug listed"}),
        Peer("libcotp", [str(build / "libcotp")], "Debian", "libcotp-dev", {"4.2.1": "no"}),
        Peer("rotp", ["ruby", str(ADAPTERS / "rotp.rb")], "Debian", "ruby-rotp", {"6.3.0": "yes"}),
        Peer("pquerna/otp", [str(build / "pquerna")], "Debian", "golang-github-pquerna-otp-dev",
             {"1.5.0": "no bug listed"}),
        Peer("totp-rs", [str(build / "totp_rs")], "Debian", "librust-totp-rs-dev",
             {"5.7.1": "the panics; none in 6.0.0, of crates.io"}),
    ]
