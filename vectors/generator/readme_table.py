"""The tables in README.md and the lists in schema.json that this program writes, so that none becomes outdated."""

from __future__ import annotations

import json
import re

from .document import DATA_VERSION, VectorFile
from .errors import ensure
from .flags import FLAGS
from .needs import FEATURES


def with_tables(readme: str, files: list[VectorFile]) -> str:
    """The README's text with its tables brought up to date."""
    ensure(f"\n- {DATA_VERSION}: " in readme, f"README.md: what changed in version {DATA_VERSION}?")
    rows = [f"| [`{file.name}`]({file.name}) | {file.source} | {file.test_count()} |" for file in files]
    total = sum(file.test_count() for file in files)
    readme = _between(readme, "files", ["| file | source | tests |", "|---|---|--:|", *rows,
                                        f"| **{len(files)} files** | | **{total}** |"])
    counts = {name: sum(name in test.get(field, ()) or name in head(group)
                        for file in files for group in file.groups for test in group.tests)
              for field, names, head in (("flags", FLAGS, lambda _: ()), ("needs", FEATURES, lambda group: group.needs))
              for name in names}
    for title, lines in (("flags", FLAGS), ("features", FEATURES)):
        readme = _between(readme, title, [f"| {title[:-1]} | | tests |", "|---|---|--:|",
                                          *(f"| `{name}` | {line} | {counts[name]} |" for name, line in lines.items())])
    return readme


def with_lists(schema: str) -> str:
    """The schema's text with the names of flags and features, and the data's version."""
    for name, values in (("flag", sorted(FLAGS)), ("feature", sorted(FEATURES))):
        text = ", ".join(json.dumps(value) for value in values)
        schema, count = re.subn(rf'("{name}": {{ "enum": )\[[^\]]*\]', rf"\1[{text}]", schema)
        ensure(count == 1, f"schema.json: no list of {name}s")
    ensure(f"otp-vectors:{DATA_VERSION.split('.')[0]}\"" in schema, "schema.json: another format's schema")
    return schema


def _between(readme: str, title: str, table: list[str]) -> str:
    begin, end = f"<!-- table of {title}: written by generate.py -->", f"<!-- end of the table of {title} -->"
    ensure(readme.count(begin) == 1 and readme.count(end) == 1, f"README.md: the markers of {title} are missing")
    before, rest = readme.split(begin)
    _, after = rest.split(end)
    return before + begin + "\n\n" + "\n".join(table) + "\n\n" + end + after
