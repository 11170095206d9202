"""Who is asked: how each implementation is started, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ADAPTERS = HERE / "adapters"


@dataclass(frozen=True)
class Peer:
    """An implementation: its name in the table, where it comes from, and the command of its adapter."""

    name: str
    source: str
    command: list[str]
    is_ours: bool = False


def peers(build: Path, tool: Path) -> list[Peer]:
    """All of them, in the table's order; `build` is where build.sh has put environment and programs."""
    python = str(build / "venv/bin/python")
    of_pypi = [("pyotp", "pyotp"), ("passlib", "passlib"), ("django-otp", "django_otp"),
               ("cryptography", "cryptography"), ("mintotp", "mintotp"), ("onetimepass", "onetimepass"),
               ("hotpie", "hotpie"), ("oathtool of PyPI", "oathtool")]
    return [
        Peer("libotp", "this repository", [str(build / "libotp")], is_ours=True),
        Peer("otp", "this repository", [python, str(ADAPTERS / "otp_tool.py"), str(tool)], is_ours=True),
        *(Peer(name, "PyPI", [python, str(ADAPTERS / f"{file}_adapter.py")]) for name, file in of_pypi),
        Peer("liboath", "Debian", [str(build / "liboath")]),
        Peer("libcotp", "Debian", [str(build / "libcotp")]),
        Peer("rotp", "Debian", ["ruby", str(ADAPTERS / "rotp.rb")]),
        Peer("pquerna/otp", "Debian", [str(build / "pquerna")]),
        Peer("totp-rs", "Debian", [str(build / "totp_rs")]),
    ]
