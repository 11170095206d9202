"""Counts the tests of each kind in vector files, one line each: `hotp 295`. The runners' counts must be the same."""

import collections
import json
import sys

counts = collections.Counter()
for path in sys.argv[1:]:
    with open(path, encoding="ascii") as file:
        for group in json.load(file)["groups"]:
            counts[group["type"]] += len(group["tests"])
for kind, count in sorted(counts.items()):
    print(kind, count)
