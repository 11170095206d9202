r"""The layout of a vector file: each test is on one line.

The text is pure ASCII: what is not printable ASCII is a `\u` escape, so that no editor or tool can normalise,
reorder or hide it.
"""

from __future__ import annotations

import json
from typing import Any

from .document import Fields, VectorFile


def render(file: VectorFile) -> str:
    """The exact text of the file."""
    lines = ["{", *_members(file.fields(), "  "), '  "groups": [']
    for group in file.groups:
        lines += ["    {", *_members(group.fields(), "      "), '      "tests": [']
        for test in group.tests:
            lines.append(f"        {_scalar(test)}{'' if test is group.tests[-1] else ','}")
        lines += ["      ]", "    }" if group is file.groups[-1] else "    },"]
    return "\n".join([*lines, "  ]", "}"]) + "\n"


def _members(fields: Fields, indent: str) -> list[str]:
    return [f"{indent}{_scalar(name)}: {_scalar(value)}," for name, value in fields.items()]


def _scalar(value: Any) -> str:
    return json.dumps(value).replace("\x7f", "\\u007f")  # json.dumps leaves this one control character as it is
