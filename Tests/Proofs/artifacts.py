"""Plants faults in copies of the sources, reports them, and says with which flags libotp is built."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources/Core/COTPSupport"


def stop(text):
    sys.exit(f"artifacts: {text}")


def plant(folder, names, *faults):
    """Copies these folders of Sources, and changes a text in each fault's file: its second to fourth elements."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in names:
        shutil.copytree(SOURCES.parent / name, folder / name)
    for what, file, old, new, *_ in faults:
        text = (folder / file).read_text(encoding="utf-8")
        if text.count(old) != 1:
            stop(f"the fault '{what}' changes {text.count(old)} places")
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def report_faults(count, missed, found):
    """Ends with what was noticed of this many planted faults."""
    for what in missed:
        print(f"faults: not {found}: {what}", file=sys.stderr)
    print(f"faults: {count - len(missed)} of {count} planted faults were {found}")
    sys.exit(1 if missed else 0)


def libotp_flags():
    script = (ROOT / "LibOTP/build.sh").read_text(encoding="utf-8")
    found = re.findall(r'"\$\{compiler\[@\]\}" (-std=.*?) \\\n\s+(-W.*?) "\$\{extra_c', script)
    if len(found) != 1:
        stop("cannot find libotp's flags in LibOTP/build.sh")
    return [*" ".join(found[0]).split(), "-I", str(SOURCES / "include")]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        stop(f"{' '.join(map(str, command[:3]))}...: {done.stderr[-2000:]}")
    return done.stdout
