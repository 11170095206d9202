"""Compiles the C sources with the flags that libotp is built with, and reports planted faults.

    python3 artifacts.py LEVEL HEADERS FOLDER FILE...

makes the LLVM IR of COTPSupport but its kernels, and of more FILEs, at a LEVEL such as -O3: in FOLDER/x86_64 and,
unless HEADERS is -, in FOLDER/arm.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources/Core/COTPSupport"
# The files with kernels, but libcrypto's.
KERNELS = ("portable", "sha_ni", "avx2", "avx512", "arm_sha", "arm_sha512")


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


def arm_flags(headers):
    triple = "aarch64-linux-gnu"
    script = (ROOT / "LibOTP/build.sh").read_text(encoding="utf-8")
    if not all(text in script for text in ('crypto_cflags=(-nostdlibinc -isystem "/usr/$target/include"',
                                           'compiler=(clang "--target=$target")')):
        stop("cannot find the flags for arm64 in LibOTP/build.sh")
    return [f"--target={triple}", "-nostdlibinc", "-isystem", f"/usr/{triple}/include",
            "-isystem", f"{headers}/usr/include", "-isystem", f"{headers}/usr/include/{triple}"]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        stop(f"{' '.join(map(str, command[:3]))}...: {done.stderr[-2000:]}")
    return done.stdout


def main():
    level, headers, folder, *more = sys.argv[1:]
    sources = [path for path in sorted(SOURCES.rglob("*.c")) if path.stem not in KERNELS]
    sources, folder = [*sources, *(Path(name).resolve() for name in more)], Path(folder).resolve()
    os.chdir(ROOT)
    flags = [level if word == "-O2" else word for word in libotp_flags()]
    if level not in flags:
        stop("libotp is not built with -O2")
    for name, target in [("x86_64", [])] + [("arm", arm_flags(headers))] * (headers != "-"):
        (folder / name).mkdir(parents=True)
        for source in sources:
            run("clang", *flags, *target, "-S", "-emit-llvm", source, "-o", folder / name / f"{source.stem}.ll")


if __name__ == "__main__":
    main()
