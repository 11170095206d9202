"""Makes the LLVM IR of the C sources but the kernels, with the flags that the libraries are built with.

    python3 artifacts.py MANIFEST HEADERS LEVEL FOLDER FILE...

MANIFEST is SwiftPM's release.yaml, of a build that is up to date. It must have a command for each C file of
COTPSupport. The IR is of another level, such as -O3, in FOLDER/x86_64 and, if there are HEADERS, FOLDER/arm; with more
FILEs.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "Sources/COTPSupport"
# The files with kernels, but libcrypto's.
KERNELS = ("portable", "sha_ni", "avx2", "avx512", "arm_sha", "arm_sha512")


def stop(text):
    sys.exit(f"artifacts: {text}")


def report_faults(count, missed, found):
    """Ends with what was noticed of this many planted faults."""
    for what in missed:
        print(f"faults: not {found}: {what}", file=sys.stderr)
    print(f"faults: {count - len(missed)} of {count} planted faults were {found}")
    sys.exit(1 if missed else 0)


def sources():
    return sorted(SOURCES.rglob("*.c"))


def swiftpm_commands(manifest):
    """The compiler's arguments for each C file."""
    text = Path(manifest).read_text(encoding="utf-8")
    commands = {}
    for line in re.findall(r'description: "Compiling COTPSupport [^"]*"\n    args: (\[.*\])', text):
        arguments = json.loads(line)
        commands[Path(arguments[arguments.index("-c") + 1])] = arguments
    if sorted(commands) != sources():
        stop(f"SwiftPM compiles other files than there are: {sorted(set(commands) ^ set(sources()))}")
    return commands


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


def without_output(arguments):
    """Without -c FILE, -o FILE and what writes dependencies."""
    result, words = [], iter(arguments)
    for word in words:
        if word in ("-c", "-o", "-MF", "-MT"):
            next(words)
        elif word != "-MD":
            result.append(word)
    return result


def arm_flags(headers):
    triple = "aarch64-linux-gnu"
    script = (ROOT / "LibOTP/build.sh").read_text(encoding="utf-8")
    if not all(text in script for text in ('crypto_cflags=(-nostdlibinc -isystem "/usr/$target/include"',
                                           'compiler=(clang "--target=$target")')):
        stop("cannot find the flags for arm64 in LibOTP/build.sh")
    return [f"--target={triple}", "-nostdlibinc", "-isystem", f"/usr/{triple}/include",
            "-isystem", f"{headers}/usr/include", "-isystem", f"{headers}/usr/include/{triple}"]


def make_level(manifest, headers, level, folder, *more):
    commands = swiftpm_commands(manifest)
    # The flags of any file, since SwiftPM has none for one of them.
    common = without_output(next(iter(commands.values())))
    if any({*without_output(arguments)} != {*common} for arguments in commands.values()):
        stop("SwiftPM has flags for one file only")
    for name, flags in (("x86_64", [level if word == "-O2" else word for word in common if word != "-g"]),
                        ("arm", ["clang", *(level if word == "-O2" else word for word in libotp_flags()),
                                 *arm_flags(headers)])):
        if name == "arm" and headers == "-":
            continue
        if level not in flags:
            stop("the library is not built with -O2")
        (folder / name).mkdir(parents=True, exist_ok=True)
        for source in [*(path for path in sources() if path.stem not in KERNELS), *more]:
            run(*flags, "-S", "-emit-llvm", source, "-o", folder / name / f"{source.stem}.ll")


def main():
    manifest, headers, level, folder, *more = sys.argv[1:]
    folder, more = Path(folder).resolve(), [Path(name).resolve() for name in more]
    os.chdir(ROOT)
    make_level(manifest, headers, level, folder, *more)


if __name__ == "__main__":
    main()
