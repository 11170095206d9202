"""Confirms every code with `oathtool` (OATH Toolkit), which has its own HMAC and truncation."""

from __future__ import annotations

import shutil
import subprocess

from .document import Fields, Group, VectorFile, ensure
from .otp import INT64_MAX

_MAX_PERIOD = 2**31 - 1
"""Longer periods overflow oathtool's 32-bit time step."""


def cross_check(files: list[VectorFile]) -> tuple[int, int]:
    """Confirm every hotp and totp code; returns how many oathtool confirmed and how many it cannot express."""
    program = shutil.which("oathtool")
    ensure(program is not None, "oathtool is not installed (Debian: apt-get install oathtool)")
    confirmed = inexpressible = 0
    for group in (group for file in files for group in file.groups if group.type in ("hotp", "totp")):
        for test in group.tests:
            arguments = _arguments(group, test)
            if arguments is None:
                inexpressible += 1
                continue
            run = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)
            answer = run.stdout.strip() or run.stderr.strip()
            ensure(answer == test["code"], f"{group.id}/{test['id']}: oathtool says {answer}, not {test['code']}")
            confirmed += 1
    return confirmed, inexpressible


def _arguments(group: Group, test: Fields) -> list[str] | None:
    """The command for one test, or None if oathtool cannot express it."""
    header = group.header
    common = ["-d", str(header["digits"]), str(header["secretHex"])]
    algorithm = str(header["algorithm"])
    if group.type == "totp":
        time, t0, period = (int(str(text)) for text in (test["time"], header["t0"], header["period"]))
        if -1 not in (time, t0) and time - t0 <= INT64_MAX and period <= _MAX_PERIOD:  # it treats -1 as an error
            return [f"--totp={algorithm}", "-N", f"@{time}", "-S", f"@{t0}", "-s", str(period), *common]
    counter = int(str(test["counter"] if group.type == "hotp" else test["step"]))
    if algorithm == "SHA1":
        return ["--hotp", "-c", str(counter), *common]
    if counter <= INT64_MAX:  # its HOTP is SHA-1 only; TOTP with a period of one second takes any counter as the time
        return [f"--totp={algorithm}", "-N", f"@{counter}", "-S", "@0", "-s", "1", *common]
    return None
