#!/usr/bin/env python3
"""Writes a target's inputs to a folder, one file each: expand.py TARGET FOLDER

Corpus/TARGET.json has inputs with names and, if they were kept, some that the fuzzer found. A character is a byte.
"""
import json
import pathlib
import sys

corpus = json.loads((pathlib.Path(__file__).parent / f"Corpus/{sys.argv[1]}.json").read_text(encoding="ascii"))
folder = pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for name, text in [*corpus["named"].items(), *enumerate(corpus.get("found", []))]:
    (folder / str(name)).write_bytes(text.encode("latin-1"))
