"""What one implementation got wrong, in the order in which one would mend it."""

from __future__ import annotations

from typing import Any

from .judge import CRASHED

# Each builds on those before it: with a wrong hash no code is right, and with wrong codes no verification.
ORDER = ("hmac", "hotp", "totp", "base32", "base32-code", "uri-parse", "uri-code", "uri-build", "uri-round-trip",
         "verify-totp", "verify-hotp")


def verdict(result: dict[str, Any]) -> list[str]:
    """The lines: crashes first, then what is wrong, from the ground up; for each kind and flag, one test to repeat."""
    kinds: dict[tuple[int, int, str], list[dict[str, Any]]] = {}
    for failure in result["failures"]:
        name = ", ".join(failure["flags"]) or "no flag"
        kind = (0 if failure["outcome"] == CRASHED else 1, ORDER.index(failure["type"]), name)
        kinds.setdefault(kind, []).append(failure)
    lines = []
    for (_, kind, name), failures in sorted(kinds.items()):
        first = failures[0]
        count = f"{len(failures)} test{'' if len(failures) == 1 else 's'}"
        lines += [f"{first['outcome']}: {ORDER[kind]}, {name}: {count}, such as {first['group']}/{first['test']}",
                  f"  echo {first['request']}", f"  answer:   {first['answer']}", f"  expected: {first['expected']}"]
        if first["comment"]:
            lines.append(f"  which is: {first['comment']}")
    return lines
