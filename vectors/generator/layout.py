r"""The layout of a vector file: a line for each group, then one for each of its tests, the last with the brackets.

The text is pure ASCII: what is not printable ASCII is a `\u` escape, so that no editor or tool can normalize,
reorder or hide it.
"""

from __future__ import annotations

import json
from typing import Any

from .document import VectorFile


def render(file: VectorFile) -> str:
    """The exact text of the file."""
    lines = ["{", *(f'  {_line(name)}: {_line(value)},' for name, value in file.fields().items()), '  "groups": [']
    for group in file.groups:
        lines.append(f'    {_line(group.fields())[:-1]}, "tests": [')
        lines += [f"      {_line(test)}," for test in group.tests]
        lines[-1] = lines[-1][:-1] + ("]}" if group is file.groups[-1] else "]},")
    return "\n".join([*lines, "  ]", "}"]) + "\n"


def _line(value: Any) -> str:
    return json.dumps(value).replace("\x7f", "\\u007f")  # json.dumps leaves this one control character as it is
