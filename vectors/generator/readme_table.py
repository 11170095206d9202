"""The table in README.md and the lists in schema.json that this program writes, so that none becomes outdated."""

from __future__ import annotations

import json
import re

from .document import DATA_VERSION, VectorFile, ensure
from .flags import FLAGS
from .needs import FEATURES


def with_tables(readme: str, files: list[VectorFile]) -> str:
    """The README's text with its table brought up to date."""
    ensure(f"\n- {DATA_VERSION}: " in readme, f"README.md: what changed in version {DATA_VERSION}?")
    rows = [f"| [`{file.name}`]({file.name}) | {file.source} | {file.test_count()} |" for file in files]
    total = sum(file.test_count() for file in files)
    rows.append(f"| **{len(files)} files** | | **{total}** |")
    table = "\n".join(["| file | source | tests |", "|---|---|--:|", *rows])
    readme, count = re.subn(r"(?s)(<!-- table of files: [^\n]*\n\n).*?(\n\n<!-- end of the table)",
                            lambda marker: marker[1] + table + marker[2], readme)
    ensure(count == 1, "README.md: the markers of its table are missing")
    return readme


def with_lists(schema: str) -> str:
    """The schema's text with the names of flags and features, and the data's version."""
    for name, values in (("flag", sorted(FLAGS)), ("feature", sorted(FEATURES))):
        text = ", ".join(json.dumps(value) for value in values)
        schema, count = re.subn(rf'("{name}": {{ "enum": )\[[^\]]*\]', rf"\1[{text}]", schema)
        ensure(count == 1, f"schema.json: no list of {name}s")
    ensure(f"otp-vectors:{DATA_VERSION.split('.')[0]}\"" in schema, "schema.json: another format's schema")
    return schema
