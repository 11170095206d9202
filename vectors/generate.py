#!/usr/bin/env python3
"""Completes this folder's vector files, or checks that the committed ones are what it would write.

Every expected value is computed or confirmed here by a reference of its own (see `generator/`): no code shared with
the engine under test, and no OpenSSL, except for the AES of sealed records. Values typed in from an RFC are confirmed
the same way on every run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from generator import files, oathtool, readme_table, released  # noqa: E402
from generator.document import VectorError, VectorFile  # noqa: E402

FOLDER = Path(__file__).resolve().parent


def expected_texts(vector_files: list[VectorFile]) -> dict[str, str]:
    """The text of every file that this program writes, by name."""
    texts = {file.name: file.text() for file in vector_files}
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    schema = (FOLDER / "schema.json").read_text(encoding="utf-8")
    return texts | {"README.md": readme_table.with_tables(readme, vector_files),
                    "schema.json": readme_table.with_lists(schema)}


def differences(texts: dict[str, str]) -> list[str]:
    """One line for each file that is not what it should be."""
    paths = {path.name: path for path in (*FOLDER.glob("*.json"), FOLDER / "README.md")}
    found = [f"{name}: differs from what generate.py writes" for name, expected in texts.items()
             if name not in paths or paths[name].read_bytes() != expected.encode()]
    return found + [f"{name}: not written by generate.py" for name in sorted(paths.keys() - texts.keys())]


def main() -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file differs")
    parser.add_argument("--release", action="store_true", help="record every test in released.txt: its id then stays")
    parser.add_argument("--cross-check", action="store_true", help="also confirm every code with oathtool")
    options = parser.parse_args()
    try:
        vector_files = files.build_all(FOLDER)
        texts = expected_texts(vector_files)
        if options.cross_check:
            confirmed, inexpressible = oathtool.cross_check(vector_files)
            print(f"oathtool confirmed {confirmed} codes; {inexpressible} are beyond what it can express")
    except VectorError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 1
    record = FOLDER / "released.txt"
    broken = released.broken(record.read_text(encoding="ascii"), vector_files) if record.exists() else []
    if broken:
        print("\n".join(broken), file=sys.stderr)
        return 1
    if options.release:
        record.write_text(released.text(vector_files), encoding="ascii")
    if options.check:
        found = differences(texts)
        for line in found:
            print(line, file=sys.stderr)
        if found:
            return 1
    else:
        for name, text in texts.items():
            (FOLDER / name).write_bytes(text.encode("utf-8"))
    total = sum(file.test_count() for file in vector_files)
    print(f"{len(vector_files)} files, {total} tests: {'up to date' if options.check else 'written'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
