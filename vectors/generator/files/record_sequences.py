"""What a factor's memory answers to one submission after another: replay, counters, and one policy of delays."""

from __future__ import annotations

import random

from ..document import Fields, Group, VectorFile, hotp_group, totp_group
from ..errors import ensure
from ..hmac_rfc2104 import SHA1, SHA256, SHA512
from ..otp import SEEDS, HotpKey, TotpKey
from ..record import Policy, Record
from .verification_windows import STEP
from .verify_cases import replace_digit

POLICY = Policy()
OFFSETS = (-2, -1, -1, 0, 0, 0, 0, 1, 1, 2)
TWINS = ((41528898, 41528906), (41240544, 41240547), (41649332, 41649334))
"""Steps of one code, after 2000: a server's clock is never before that."""


def build() -> VectorFile:
    """All groups."""
    groups = [_totp(TotpKey()), _limits(TotpKey()), _unlocking(TotpKey()), _shared_codes(), _hotp(HotpKey())]
    groups += [_typed(TotpKey())]
    groups += [_walks(TotpKey(HotpKey(SEEDS[algorithm], algorithm, digits), period))
               for algorithm, digits, period in ((SHA1, 6, 30), (SHA256, 8, 60), (SHA512, 7, 30))]
    groups += [_walks(HotpKey(SEEDS[algorithm], algorithm, digits))
               for algorithm, digits in ((SHA1, 6), (SHA256, 7), (SHA512, 8))]
    return VectorFile("record-sequences.json", "swift-otp: what a factor must remember (RFC 4226 section 7)", groups)


class Sequences:
    """A group under construction."""

    def __init__(self, key: TotpKey | HotpKey, comment: str) -> None:
        self.key = key
        self.hotp = key.hotp if isinstance(key, TotpKey) else key
        if isinstance(key, TotpKey):
            self.group: Group = totp_group(key, comment, "record-totp")
            self.group.header["window"] = POLICY.window
        else:
            self.group = hotp_group(key, comment, "record-hotp")
            self.group.header |= {"lookAhead": POLICY.look_ahead,
                                  "resynchronizationLookAhead": POLICY.resynchronization_look_ahead}
        self.group.header |= {
            "failuresUntilLock": POLICY.failures_until_lock, "lockSeconds": POLICY.lock_seconds,
            "firstDelayedFailure": POLICY.first_delayed_failure, "initialDelaySeconds": POLICY.initial_delay_seconds,
        }

    def code(self, place: int) -> str:
        """The code at a step or counter."""
        return self.hotp.code(place)

    def wrong(self, place: int) -> str:
        """A code that no step or counter near this one has."""
        near = {self.code(other) for other in range(max(0, place - 20), place + 150)}
        code = self.code(place)
        while code in near:
            code = replace_digit(code, 5)
            if code in near:
                code = replace_digit(code, 4)
        return code

    def add(self, comment: str, submissions: list[tuple[int, str | list[str]]], expected: str, *,
            last: int | None = None, flags: tuple[str, ...] = ()) -> None:
        """Append a sequence; `expected` has a letter for each answer, which the reference must give: a, r, w, l or u.

        A submission of no codes unlocks the factor.
        """
        record = Record(self.key, POLICY, last)
        steps: list[Fields] = []
        for time, submitted in submissions:
            codes = [submitted] if isinstance(submitted, str) else submitted
            answer = record.submit(time, codes) if codes else record.unlock(time)
            steps.append({"time": str(time), "codes": list(codes)} | answer)
        letters = "".join(str(step["answer"])[0] for step in steps)
        ensure(letters == expected or not expected, f"{comment}: the reference says {letters}, not {expected}")
        fields: Fields = {"last": None if last is None else str(last), "steps": steps}  # type: ignore[dict-item]
        self.group.add(fields | {"flags": list(flags)}, comment)


def _totp(key: TotpKey) -> Group:
    it = Sequences(key, "replay and the window, from one sign-in to the next")
    now = key.start(STEP)
    before, current, following = (it.code(STEP + offset) for offset in (-1, 0, 1))
    wrong = it.wrong(STEP)
    it.add("a code, and the same again", [(now, current), (now + 1, current)], "ar", flags=("Replay",))
    it.add("the same a step later, while it is still in the window", [(now, current), (now + 30, current)], "ar",
           flags=("Replay",))
    it.add("an older code of the window after a newer one", [(now, current), (now, before)], "ar", flags=("Replay",))
    it.add("the older one first: each is accepted", [(now, before), (now, current), (now, following)], "aaa")
    it.add("the next step's code early, then again in its step", [(now, following), (now + 30, following)], "ar",
           flags=("Replay",))
    it.add("what is accepted early uses up the current step", [(now, following), (now, current)], "ar",
           flags=("Replay",))
    it.add("one step outside of the window, on each side", [(now, it.code(STEP - 2)), (now, it.code(STEP + 2)),
                                                           (now, current)], "rra", flags=("WindowEdge",))
    it.add("the last second of a step's reach, and the next", [(now + 59, current), (now + 60, it.code(STEP + 1))],
           "aa", flags=("StepEdge",))
    it.add("a second too late", [(now + 60, current)], "r", flags=("StepEdge",))
    it.add("a step that was accepted elsewhere", [(now, current), (now, following)], "ra", last=STEP,
           flags=("Replay",))
    it.add("a wrong code, then the right one: its step is not spent", [(now, wrong), (now, current)], "ra",
           flags=("WrongCode",))
    it.add("the clock goes back: what was accepted stays spent", [(now + 3600, it.code(STEP + 120)),
                                                                 (now, current), (now + 3600, it.code(STEP + 121))],
           "ara", flags=("Replay",))
    return it.group


def _limits(key: TotpKey) -> Group:
    it = Sequences(key, "delays, locks, and what ends them")
    now, code = key.start(STEP), it.code
    wrong = it.wrong(STEP)
    three, four = [(now, wrong)] * 3, [(now, wrong)] * 4
    it.add("three failures do not delay", [*three, (now, code(STEP))], "rrra")
    it.add("the fourth does, by a second", [*four, (now, code(STEP)), (now + 1, code(STEP))], "rrrrwa")
    it.add("a code that waits is not spent, and not counted", [*four, *[(now, code(STEP))] * 20, (now + 1, code(STEP))],
           "rrrr" + "w" * 20 + "a")
    it.add("a wrong code that waits is not counted", [*four, *[(now, wrong)] * 20, (now + 1, wrong), (now + 2, wrong),
                                                      (now + 3, wrong)], "rrrr" + "w" * 20 + "rwr")
    it.add("replays count as failures", [(now, code(STEP)), *[(now, code(STEP))] * 4, (now, code(STEP + 1))], "arrrrw",
           flags=("Replay",))
    it.add("a success clears the failures", [*three, (now, code(STEP)), *three, (now, code(STEP + 1))], "rrrarrra")
    for text, name in (("", "no text"), ("12345", "five digits"), ("1234567", "seven digits"), ("12345a", "a letter")):
        it.add(f"{name}: rejected, and no attempt", [(now, text)] * 12 + [(now, code(STEP))], "r" * 12 + "a",
               flags=("MalformedCode",))
    delayed, time = list(three), now
    for failures in range(4, 11):
        delayed.append((time, wrong))
        pause = POLICY.pause(failures) or 0
        delayed += [(time + pause - 1, wrong)]
        time += pause
    last, after = time - 3600, time
    it.add("each delay is twice the one before, and the tenth failure locks for an hour",
           [*delayed, (after, code(key.step(after)))], "rrr" + "rw" * 6 + "rl" + "a")
    climb = [(moment, text) for moment, text in delayed]
    it.add("a failure after a lock locks again", [*climb, (after, wrong), (after + 3599, code(key.step(after + 3599))),
                                                  (after + 3600, code(key.step(after + 3600)))],
           "rrr" + "rw" * 6 + "rl" + "rla")
    it.add("the clock goes back by an hour in a lock: it lasts as long as by the later clock",
           [*climb, (last - 3600, code(key.step(last - 3600))), (after - 1, code(key.step(after - 1))),
            (after, code(key.step(after)))], "rrr" + "rw" * 6 + "rl" + "lla")
    it.add("the clock goes back in a delay", [*four, (now - 3600, code(STEP - 120)), (now + 1, code(STEP))], "rrrrwa")
    it.add("failures are counted by the latest clock", [*[(now + 3600, wrong)] * 3, (now, wrong), (now, code(STEP)),
                                                        (now + 3600, wrong), (now + 3601, code(STEP + 120))],
           "rrrrwwa")
    hundred, time, letters = list(three), now, "rrr"
    for failures in range(4, 101):
        hundred.append((time, wrong))
        letters += "r"
        time += POLICY.pause(failures) or 0
    it.add("after a hundred failures, time does not help", [*hundred, (time, code(key.step(time))),
                                                            (time + 10**9, code(key.step(time + 10**9)))],
           letters + "ll")
    return it.group


def _unlocking(key: TotpKey) -> Group:
    it = Sequences(key, "an administrator clears the failures")
    now, code = key.start(STEP), it.code(STEP)
    wrong = it.wrong(STEP)
    unlock: tuple[int, list[str]] = (now, [])
    four = [(now, wrong)] * 4
    it.add("a delay ends", [*four, (now, code), unlock, (now, code)], "rrrrwua")
    it.add("the failures are counted from the beginning", [*four, unlock, *four, (now, code)], "rrrrurrrrw")
    it.add("what was accepted stays spent", [(now, code), unlock, (now, code)], "aur", flags=("Replay",))
    ahead = now + 10**7
    it.add("an attempt that a wrong clock dated is forgotten: delays count from the time",
           [(ahead, wrong), (ahead, wrong), (ahead, wrong), (now, wrong), (now + 1, wrong), (now + 1, []),
            *[(now + 1, wrong)] * 4, (now + 1, code), (now + 2, code)], "rrrrwurrrrwa")
    it.add("one that is not in the future is not", [(now, wrong), (now + 1, []), *[(now - 3600, wrong)] * 4,
                                                   (now, code), (now + 1, code)], "rurrrrwa")
    climb, letters, time = [(now, wrong)] * 3, "rrr", now
    for failures in range(4, 101):
        climb.append((time, wrong))
        letters += "r"
        if failures == 99:
            it.add("after 99 failures, the lock ends", [*climb, (time, []), (time, it.code(key.step(time)))],
                   letters + "ua")
        time += POLICY.pause(failures) or 0
    it.add("after 100, only a new enrollment helps", [*climb, (time, []), (time, it.code(key.step(time)))],
           letters + "ul")
    return it.group


def _shared_codes() -> Group:
    it = Sequences(TotpKey(), "two steps near each other have the same code: it counts once for each step")
    for early, late in TWINS:
        start = it.key.start(early)  # type: ignore[union-attr]
        moment = start + 30 * (late - early)
        it.add(f"steps {early} and {late}", [(start, it.code(early)), (start, it.code(early)),
                                             (moment, it.code(late)), (moment, it.code(late))],
               "arar", flags=("SharedCode",))
    it.add("both in the window: the later one is spent", [(start + 30, it.code(early)), (moment, it.code(late))], "ar",
           flags=("SharedCode", "Replay"))
    return it.group


def _hotp(key: HotpKey) -> Group:
    it = Sequences(key, "a counter only goes forward")
    now, code = 1_800_000_000, it.code
    wrong = it.wrong(0)
    it.add("a code, and the same again", [(now, code(0)), (now, code(0)), (now, code(1))], "ara", flags=("Replay",))
    it.add("skipped codes are spent", [(now, code(5)), *((now, code(place)) for place in range(3)), (now, code(6))],
           "arrra", flags=("PastCounter",))
    it.add("the last counter of the look-ahead, and the one after it", [(now, code(11)), (now, code(10)),
                                                                        (now, code(11))], "raa", flags=("LookAhead",))
    it.add("a counter that was accepted elsewhere", [(now, code(41)), (now, code(42))], "ra", last=41,
           flags=("PastCounter",))
    it.add("a wrong code does not move the counter", [(now, wrong), (now, code(0))], "ra", flags=("WrongCode",))
    it.add("two codes far ahead resynchronize", [(now, code(60)), (now, [code(60), code(61)]), (now, code(61)),
                                                 (now, code(62))], "rara", flags=("LookAhead",))
    it.add("three codes", [(now, [code(60), code(61), code(62)]), (now, code(63))], "aa", flags=("LookAhead",))
    it.add("as far ahead as is searched, and one farther",
           [(now, [code(101), code(102)]), (now, [code(100), code(101)])], "ra", flags=("LookAhead",))
    it.add("two codes in the wrong order, with a gap, or twice the same",
           [(now, [code(61), code(60)]), (now, [code(60), code(62)]), (now, [code(60), code(60)]), (now + 1, code(0))],
           "rrra", flags=("WrongCode",))
    it.add("two codes of which the first is spent",
           [(now, code(4)), (now, [code(4), code(5)]), (now, [code(5), code(6)])], "ara", flags=("PastCounter",))
    it.add("two codes are one attempt", [*[(now, [wrong, code(1)])] * 4, (now, [code(1), code(2)]),
                                         (now + 1, [code(1), code(2)])], "rrrrwa", flags=("WrongCode",))
    it.add("one of two is no code: rejected, and no attempt", [(now, [code(0), "12345"])] * 12 + [(now, code(0))],
           "r" * 12 + "a", flags=("MalformedCode",))
    return it.group


def _typed(key: TotpKey) -> Group:
    it = Sequences(key, "the same code, as people type and paste it: accepted once, however it is written")
    now, code = key.start(STEP), it.code(STEP)
    left, right = code[:3], code[3:]
    written = {
        "a space": f"{left} {right}", "a hyphen": f"{left}-{right}", "a space and a newline": f" {code}\r\n",
        "a no-break space": f"{left}\u00a0{right}", "a narrow no-break space": f"{left}\u202f{right}",
        "a thin space": f"{left}\u2009{right}", "an ideographic space": f"{left}\u3000{right}",
        "a zero-width space": f"{left}\u200b{right}", "a byte order mark": f"\ufeff{code}",
        "a word joiner and zero-width joiners": f"{left}\u2060{right[0]}\u200d{right[1]}\u200c{right[2]}",
        "a left-to-right mark": f"\u200e{code}\u200e", "an Arabic letter mark": f"\u061c{code}",
        "an isolate": f"\u2066{code}\u2069", "an override, and a newline": f"\u202d{code}\u202c\n",
        "full-width digits": "".join(chr(0xFF10 + int(digit)) for digit in code),
        "Arabic-Indic digits between marks": "\u200f" + "".join(chr(0x660 + int(digit)) for digit in code) + "\u200f",
    }
    for name, text in written.items():
        it.add(f"with {name}" if "digits" not in name else name, [(now, text), (now, code), (now, text)], "arr",
               flags=("TypedCode", "Replay"))
    for text, name in ((f"{left}\u2028{right}", "a line separator"), (f"{left}\n{right}", "a newline inside"),
                       (f"{left}\u00ad{right}", "a soft hyphen"), (f"{left}\u2013{right}", "an en dash"),
                       (f"{code}\u0301", "a combining accent"), (f"{left}\u200b\n\u200b{right}", "a newline between"),
                       (f"\u200b{code}" + "\u200b" * 58, "65 characters")):
        it.add(f"{name} is no separator: rejected, and no attempt" if "65" not in name else f"{name} are too many",
               [(now, text)] * 12 + [(now, code)], "r" * 12 + "a", flags=("TypedCode", "MalformedCode"))
    return it.group


def _walks(key: TotpKey | HotpKey) -> Group:
    """Random submissions: right, old, wrong and early codes, with pauses, and a clock that jumps back."""
    it = Sequences(key, "random sequences")
    for number in range(12):
        source = random.Random(f"{it.hotp.algorithm.name} {it.hotp.digits} {it.group.type} {number}")
        time, last = 1_750_000_000 + source.randrange(10**8), None
        record = Record(key, POLICY, last)
        submissions: list[tuple[int, str | list[str]]] = []
        for _ in range(30):
            time += source.choice((0, 1, 2, 15, 30, 30, 60, 60, 600, 3600, 7200, -30))
            if isinstance(key, TotpKey):
                place = key.step(time) + source.choice(OFFSETS)
            else:
                place = max(0, (0 if record.last is None else record.last + 1) + source.choice((*OFFSETS, 10, 11, 99)))
            submitted: str | list[str] = it.code(place)
            kind = source.randrange(10)
            if kind < 3:
                submitted = it.wrong(place)
            elif kind == 3 and isinstance(key, HotpKey):
                submitted = [it.code(place), it.code(place + 1)]
            submissions.append((time, submitted))
            record.submit(time, [submitted] if isinstance(submitted, str) else submitted)
        it.add(f"random sequence {number + 1}", submissions, "")
    return it.group
