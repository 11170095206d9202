#!/usr/bin/env python3
"""Fills the column of newest versions in both tables: asks PyPI by pip, and Debian unstable by apt-get. Without a
network, it says that they were not asked.
"""

import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "logins"))

import peers as logins  # noqa: E402
from runner import peers as libraries  # noqa: E402

APT = HERE.parents[1] / ".build-conformance/apt"


def printed(*command: str) -> str:
    """A command's output; apt has lists of its own, of Debian unstable from where the machine has its Debian."""
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          env=os.environ | {"APT_CONFIG": str(APT / "apt.conf")}).stdout


def newest(package: str, source: str) -> str:
    """The newest version of a package, as its authors number it."""
    if source == "PyPI":
        return re.findall(r"\((.+)\)", printed(sys.executable, "-m", "pip", "index", "versions", package))[0]
    return re.findall(r"^Version: (?:\d+:)?([^-+\n]+)", printed("apt-cache", "show", package), re.MULTILINE)[0]


(APT / "lists/partial").mkdir(parents=True, exist_ok=True)
(APT / "apt.conf").write_text("")
debian = printed("apt-get", "indextargets", "--format", "$(REPO_URI)", "Identifier: Packages", "Label: Debian")
(APT / "sources.list").write_text(f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                                  f"{debian.split()[0]} unstable main\n")
(APT / "apt.conf").write_text(f'Dir::Etc {{ SourceList "{APT}/sources.list"; SourceParts "/dev/null"; }};\n'
                              f'Dir {{ State {{ Lists "{APT}/lists"; Status "/dev/null"; }}; Cache "{APT}"; }};\n')
try:
    printed("apt-get", "update", "--error-on=any")
    printed(sys.executable, "-m", "pip", "index", "versions", "pyotp")
except subprocess.CalledProcessError:
    print("newest: not asked, since PyPI or Debian unstable does not answer")
    sys.exit()
known = {peer.name: peer for peer in (*libraries.peers(HERE, HERE), *logins.peers(HERE))}
for path in (HERE / "results/conformance.md", HERE / "results/logins.md"):
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        cells = line.split(" | ")
        if "still there?" in line and len(cells) > 3:
            cells[2] = f"newest on {date.today()}, and still there?"
        elif (peer := known.get(cells[0].removeprefix("| "))) and len(cells) > 3:
            version, source = re.findall(r"(.+) \((.+)\)", cells[1])[0]
            latest = newest(peer.package, source) if peer.package else version
            cells[2] = "this one" if latest == version else f"{latest}: {peer.seen.get(latest, 'not run')}"
        lines[number] = " | ".join(cells)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
