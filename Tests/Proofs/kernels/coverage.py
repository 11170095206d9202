"""Checks that every kernel in the plans has its theorems, or is listed here with a reason.

    python3 coverage.py quick|all LOG FOLDER...

LOG is what prove.py wrote; the FOLDERs hold plans.ll, and the other IR of one architecture each. With `quick`, only the
theorem about the compression is required of each.
"""

import re
import sys
from pathlib import Path

from ir import Module
from prove import PARTS

# Kernels of plans.c that have no theorem, and why.
EXEMPT = {
    f"otp_transform_{name}": "the compression is a function of libcrypto, whose code is not read here"
    for name in ("sha1", "sha256", "sha512")
}


def main():
    tier, log, *folders = sys.argv[1:]
    lines = Path(log).read_text(encoding="utf-8")
    proved = set(re.findall(r"^(\S+ \w+/\w+): \d+ lanes, \d+ instructions", lines, re.M))
    faults, kernels, used = [], set(), set()
    for folder in folders:
        architecture = "arm64" if Path(folder).name == "arm" else "x86_64"
        defined = {}
        for path in sorted(Path(folder).glob("*.ll")):
            for kernel, (_, functions) in Module(path).kernels.items():
                defined[kernel] = [part for part, function in zip(PARTS, functions) if function]
        plans = (Path(folder) / "plans.ll").read_text(encoding="utf-8")
        named = set(re.findall(r"^@(\w+) = external.* constant %struct\.lane_kernel", plans, re.M))
        if not named:
            faults.append(f"{folder}/plans.ll names no kernel")
        used |= named
        for kernel in sorted(named - set(EXEMPT)):
            kernels.add((architecture, kernel))
            parts = ["compress"] if tier == "quick" else defined.get(kernel, ["a definition"])
            faults += [f"{kernel} on {architecture} has no theorem about {part}"
                       for part in parts if f"{architecture} {part}/{kernel}" not in proved]
    faults += [f"{kernel} is exempt, but in no plan" for kernel in sorted(set(EXEMPT) - used)]
    for fault in faults:
        print(f"coverage: {fault}", file=sys.stderr)
    count = len([line for line in proved if any(line.endswith(f"/{kernel}") for _, kernel in kernels)])
    print(f"coverage: {count} theorems about the {len(kernels)} kernels in the plans; {len(EXEMPT)} are exempt, since "
          f"{next(iter(EXEMPT.values()))}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
