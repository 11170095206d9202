"""How the verification files state a case: the submission, and the outcome that its author expects.

The reference verifier must reach the same outcome, or nothing is written: this catches accidental second matches.
"""

from __future__ import annotations

from ..document import Fields, Group, hotp_group, totp_group
from ..errors import ensure
from ..otp import MAX_COUNTER, HotpKey, TotpKey
from ..verification import Verdict, verify_hotp, verify_totp


def malformed(code: str) -> list[tuple[str, str]]:
    """Submissions that a careless verifier would accept as `code`, each with its name."""
    full_width = "".join(chr(0xFF10 + int(digit)) for digit in code)
    arabic = "".join(chr(0x0660 + int(digit)) for digit in code)
    persian = "".join(chr(0x06F0 + int(digit)) for digit in code)
    mathematical = "".join(chr(0x1D7CE + int(digit)) for digit in code)
    return [
        ("", "empty"),
        (code[:-1], "last digit missing"),
        (code[1:], "first digit missing"),
        (code + "0", "a zero appended"),
        ("0" + code, "a zero in front"),
        (code + code, "twice in one submission"),
        (" " + code, "space in front"),
        (code + " ", "space behind"),
        (code[:3] + " " + code[3:], "space inside"),
        (" " + code[1:], "space for the first digit"),
        (code[:-1] + " ", "space for the last digit"),
        (code[:3] + "-" + code[3:], "hyphen inside"),
        (code[:3] + "_" + code[3:], "underscore inside"),
        (code[:2] + "_" + code[3:], "underscore for a digit"),
        ("+" + code, "plus sign in front"),
        ("+" + code[1:], "plus sign for the first digit"),
        ("-" + code, "minus sign in front"),
        ("-" + code[1:], "minus sign for the first digit"),
        (code + "\n", "newline behind"),
        (code + "\r\n", "carriage return and newline behind"),
        ("\t" + code, "tab in front"),
        (code + "\0", "NUL behind"),
        ("\0" + code, "NUL in front"),
        (code[:3] + "\0" + code[3:], "NUL inside"),
        (code[:-1] + "\0", "NUL for the last digit"),
        (code + ".0", "decimal fraction"),
        (f"{int(code):x}", "hexadecimal"),
        (f"0x{int(code):x}", "hexadecimal with its prefix"),
        (code[:-1] + "O", "letter O for the last digit"),
        (code[:-1] + "/", "last digit is the character before 0"),
        (code[:-1] + ":", "last digit is the character after 9"),
        ("\ufeff" + code, "byte order mark in front"),
        ("\u200b" + code, "zero-width space in front"),
        (code[:3] + "\u00a0" + code[3:], "no-break space inside"),
        (code + "\u0301", "combining accent on the last digit"),
        (code[:-1] + "\u00b2", "superscript two for the last digit"),
        (full_width, "full-width digits"),
        (code[:-1] + full_width[-1], "one full-width digit"),
        (arabic, "Arabic-Indic digits"),
        (persian, "extended Arabic-Indic digits"),
        (mathematical, "mathematical bold digits"),
        (code + "0" * (1024 - len(code)), "1,024 digits"),
    ]


def replace_digit(code: str, place: int) -> str:
    """`code` with the digit at index `place` incremented by one (9 becomes 0)."""
    return code[:place] + str((int(code[place]) + 1) % 10) + code[place + 1:]


class TotpCases:
    """A `verify-totp` group under construction."""

    def __init__(self, key: TotpKey, comment: str) -> None:
        self.key = key
        self.group: Group = totp_group(key, comment, "verify-totp")

    def code(self, step: int) -> str:
        """The code at `step`."""
        return self.key.hotp.code(step)

    def add(self, code: str, time: int, window: tuple[int, int], comment: str, *,
            expect: str, offset: int | None = None, after: int | None = None) -> None:
        """Append a case; `window` is (behind, ahead), `offset` is stated for an accepted code alone.

        Of two steps with the same code RFC 6238 does not say which one counts (`otherStep`). Once the digits have
        been accepted, by its letter they may be refused whatever their step.
        """
        behind, ahead = window
        step = None if offset is None else self.key.step(time) + offset
        verdict = verify_totp(self.key, code, time, behind, ahead, after)
        stated = Verdict(expect, step, offset)
        ensure(verdict == stated, f"verify-totp, {comment}: the reference says {verdict}, the case says {stated}")
        fields: Fields = {
            "code": code, "time": str(time), "behind": behind, "ahead": ahead,
            "after": None if after is None else str(after), "result": expect,
        }
        if expect == "accepted":
            fields |= {"step": str(step), "offset": offset}
            others = [place for place in range(max(0, self.key.step(time) - behind), self.key.step(time) + ahead + 1)
                      if place != step and place <= MAX_COUNTER and self.code(place) == code]
            if after in others:
                fields |= {"result": "acceptable", "ours": expect}
            elif others:
                fields["otherStep"] = str(others[0])
        self.group.add(fields, comment)


class HotpCases:
    """A `verify-hotp` group under construction."""

    def __init__(self, key: HotpKey, comment: str) -> None:
        self.key = key
        self.group: Group = hotp_group(key, comment, "verify-hotp")

    def add(self, code: str, counter: int, look_ahead: int, comment: str, *, matched: int | None = None) -> None:
        """Append a case, accepted at the counter `matched` or, without one, rejected."""
        verdict = verify_hotp(self.key, code, counter, look_ahead)
        stated = "rejected" if matched is None else "accepted"
        agrees = (verdict.result, verdict.moving_factor) == (stated, matched)
        ensure(agrees, f"verify-hotp, {comment}: the reference says {verdict}, the case says {stated} {matched}")
        fields: Fields = {"code": code, "counter": str(counter), "lookAhead": look_ahead, "result": stated}
        if matched is not None:
            fields["matched"] = str(matched)
        self.group.add(fields, comment)
