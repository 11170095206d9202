"""Makes the LLVM IR of the C sources, with exactly the flags that the libraries are built with.

    python3 artifacts.py MANIFEST OBJECTS FOLDER      for x86-64, into FOLDER
    python3 artifacts.py --arm HEADERS FOLDER         for arm64 with libotp's flags, into FOLDER/arm
    python3 artifacts.py --level MANIFEST HEADERS LEVEL FOLDER FILE...
                                                      the same at another level, such as -O3, into FOLDER/x86_64 and, if
                                                      there are HEADERS, FOLDER/arm; with more FILEs

MANIFEST is SwiftPM's release.yaml, of a build that is up to date. It must have a command for each C file of
COTPSupport, and the IR is of these commands. For the files that theorems are about, the compiler makes of it the code,
constants and relocations of SwiftPM's object; and libotp's flags, from LibOTP/build.sh, give the same functions, and
the code of libotp's OBJECTS.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from ir import Module

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


def code_of(path):
    """An object's sections with code and constants, and their relocations."""
    text = run("objdump", "-s", "-r", path)
    parts = re.split(r"^(?:Contents of section |RELOCATION RECORDS FOR \[)", text, flags=re.M)
    return sorted(part.strip() for part in parts if re.match(r"\.(text|rodata|data\.rel\.ro)", part))


def emit(arguments, source, ir):
    """The IR of a source, as text, and as bitcode beside it, with the order of uses, which the back end looks at."""
    bitcode = ir.with_suffix(".bc")
    run(*arguments, "-c", "-emit-llvm", "-Xclang", "-emit-llvm-uselists", source, "-o", bitcode)
    run(arguments[0], "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", bitcode, "-o", ir)


def check_code(arguments, built, ir, folder):
    """The code that the back end makes of the IR is that of the built object."""
    made = folder / "made.o"
    kept = [word for word in arguments if re.match(r"-(O|f(PIC|no-omit-frame-pointer|\w+-sections)$|m|g$)", word)]
    run(arguments[0], *kept, "-Xclang", "-disable-llvm-passes", "-c", ir.with_suffix(".bc"), "-o", made)
    if code_of(made) != code_of(built):
        stop(f"{built} has other code than the IR gives: is the build up to date?")
    made.unlink()


def attributes(ir):
    """Each function's attributes but those for frames, probes of the stack and tables for unwinding."""
    text = ir.read_text(encoding="utf-8")
    groups = {number: {word for word in re.findall(r'"[^"]*"(?:="[^"]*")?|[^ "]+', words)
                       if not re.match(r'"(frame-pointer|probe-stack)"|uwtable', word)}
              for number, words in re.findall(r"^attributes #(\d+) = \{ (.*) \}$", text, re.M)}
    return {name: groups.get(number) for name, number in re.findall(
        r"^define [^@]*@([\w.]+)\(.*?(?: #(\d+))?(?: !dbg !\d+)? \{$", text, re.M)}


def make_x86(manifest, libotp, folder):
    flags, kernels, checked = libotp_flags(), [], 0
    (folder / "libotp").mkdir(parents=True, exist_ok=True)
    for source, arguments in swiftpm_commands(manifest).items():
        ir, other = folder / f"{source.stem}.ll", folder / "libotp" / f"{source.stem}.ll"
        emit(without_output(arguments), source, ir)
        if source.stem not in (*KERNELS, "hashes", "lanes", "plans", "transforms"):
            continue
        check_code(arguments, arguments[arguments.index("-o") + 1], ir, folder)
        emit(["clang", *flags], source, other)
        check_code(["clang", *flags], libotp / f"{source.stem}.o", other, folder)
        first, second = Module(ir), Module(other)
        if (first.functions, first.tables) != (second.functions, second.tables) or attributes(ir) != attributes(other):
            stop(f"{source.name}: libotp's flags give other functions than SwiftPM's")
        kernels, checked = [*kernels, *first.kernels], checked + 1
    print(f"artifacts: the IR of {checked} files, with {len(kernels)} kernels, gives the code and constants of "
          "SwiftPM's objects, and of libotp's, whose functions are the same")


def arm_flags(headers):
    triple = "aarch64-linux-gnu"
    script = (ROOT / "LibOTP/build.sh").read_text(encoding="utf-8")
    if not all(text in script for text in ('crypto_cflags=(-nostdlibinc -isystem "/usr/$target/include"',
                                           'compiler=(clang "--target=$target")')):
        stop("cannot find the flags for arm64 in LibOTP/build.sh")
    return [f"--target={triple}", "-nostdlibinc", "-isystem", f"/usr/{triple}/include",
            "-isystem", f"{headers}/usr/include", "-isystem", f"{headers}/usr/include/{triple}"]


def make_arm(headers, folder):
    (folder / "arm").mkdir(parents=True, exist_ok=True)
    for source in sources():
        run("clang", *libotp_flags(), *arm_flags(headers), "-S", "-emit-llvm", source,
            "-o", folder / "arm" / f"{source.stem}.ll")


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
        for source in [*(path for path in sources() if path.stem not in KERNELS), *map(Path, more)]:
            run(*flags, "-S", "-emit-llvm", source, "-o", folder / name / f"{source.stem}.ll")


def main():
    more = [str(Path(name).resolve()) for name in sys.argv[6:]]
    os.chdir(ROOT)
    if sys.argv[1] == "--level":
        make_level(sys.argv[2], sys.argv[3], sys.argv[4], Path(sys.argv[5]), *more)
    elif sys.argv[1] == "--arm":
        make_arm(sys.argv[2], Path(sys.argv[3]))
    else:
        make_x86(*map(Path, sys.argv[1:]))


if __name__ == "__main__":
    main()
