"""The last accepted step `after`: no step at or below it is accepted again."""

from __future__ import annotations

from ..document import Group, VectorFile
from ..hmac_rfc2104 import SHA256, SHA512
from ..otp import INT64_MAX, INT64_MIN, MAX_COUNTER, SEEDS, HotpKey, TotpKey
from .verification_windows import STEP, TWINS
from .verify_cases import TotpCases, malformed, replace_digit


def build() -> VectorFile:
    """All groups."""
    groups = [_around_the_floor(), _sequence(), _outside_the_window(), _twins(), _bottom(), _top(), _wrong_codes()]
    groups += [_other_key(HotpKey(SEEDS[algorithm], algorithm, 8)) for algorithm in (SHA256, SHA512)]
    return VectorFile("replay-floors.json", "swift-otp: a code is accepted once (RFC 6238 section 5.2)", groups)


def _around_the_floor() -> Group:
    cases = TotpCases(TotpKey(), "each step of a window of two on each side, with the floor at each place")
    time = cases.key.start(STEP)
    for offset in range(-2, 3):
        for floor in range(-3, 4):
            code, comment = cases.code(STEP + offset), f"code of offset {offset}, floor at offset {floor}"
            if offset > floor:
                cases.add(code, time, (2, 2), comment, after=STEP + floor, expect="accepted", offset=offset)
            else:
                cases.add(code, time, (2, 2), comment, after=STEP + floor, expect="replayed")
    return cases.group


def _sequence() -> Group:
    cases = TotpCases(TotpKey(), "sign-ins in a row: each acceptance raises the floor to its step")
    time, before, now, following = cases.key.start(STEP), *(cases.code(STEP + offset) for offset in (-1, 0, 1))
    cases.add(now, time, (1, 1), "step T, nothing accepted before", expect="accepted", offset=0)
    cases.add(now, time, (1, 1), "step T again", after=STEP, expect="replayed")
    cases.add(now, time + 30, (1, 1), "step T again a step later", after=STEP, expect="replayed")
    cases.add(now, time + 60, (1, 1), "step T again two steps later, outside the window", after=STEP, expect="rejected")
    cases.add(before, time, (1, 1), "step T-1 after step T", after=STEP, expect="replayed")
    cases.add(following, time, (1, 1), "step T+1 of a fast clock", after=STEP, expect="accepted", offset=1)
    cases.add(now, time, (1, 1), "step T after step T+1", after=STEP + 1, expect="replayed")
    cases.add(following, time + 30, (1, 1), "step T+1 again when it has come", after=STEP + 1, expect="replayed")
    cases.add(cases.code(STEP + 2), time + 30, (1, 1), "step T+2 after step T+1", after=STEP + 1,
              expect="accepted", offset=1)
    cases.add(now, time - 30, (1, 1), "step T again, clock set back by a step", after=STEP, expect="replayed")
    cases.add(before, time - 30, (1, 1), "step T-1, clock set back by a step", after=STEP, expect="replayed")
    return cases.group


def _outside_the_window() -> Group:
    cases = TotpCases(TotpKey(), "the floor stands outside the window")
    time = cases.key.start(STEP)
    for floor, name in ((0, "0"), (STEP - 1000, "far below"), (STEP - 11, "just below")):
        cases.add(cases.code(STEP), time, (10, 10), f"floor {name}", after=floor, expect="accepted", offset=0)
        cases.add(cases.code(STEP - 10), time, (10, 10), f"floor {name}, first step of the window", after=floor,
                  expect="accepted", offset=-10)
        cases.add(cases.code(STEP - 11), time, (10, 10), f"floor {name}, step before the window", after=floor,
                  expect="rejected")
    for floor, name in ((STEP + 10, "at its last step"), (STEP + 11, "just above"), (STEP + 10**6, "far above"),
                        (INT64_MAX, "2^63-1"), (2**63, "2^63"), (MAX_COUNTER, "2^64-1")):
        cases.add(cases.code(STEP), time, (10, 10), f"floor {name}", after=floor, expect="replayed")
        cases.add(cases.code(STEP + 10), time, (10, 10), f"floor {name}, last step of the window", after=floor,
                  expect="replayed")
        cases.add(cases.code(STEP + 11), time, (10, 10), f"floor {name}, step after the window", after=floor,
                  expect="rejected")
    cases.add(cases.code(STEP), time, (0, 0), "a window of one step, floor below it", after=STEP - 1,
              expect="accepted", offset=0)
    cases.add(cases.code(STEP), time, (0, 0), "a window of one step, floor at it", after=STEP, expect="replayed")
    return cases.group


def _twins() -> Group:
    cases = TotpCases(TotpKey(), "two steps have the same code: the floor decides by step, not by the string")
    for early, late in TWINS:
        code, distance = cases.code(early), late - early
        time = cases.key.start(late)
        steps = f"steps {early} and {late}"
        cases.add(code, time, (10, 10), f"{steps}, no floor", expect="accepted", offset=0)
        cases.add(code, time, (10, 10), f"{steps}, floor {early - 1}", after=early - 1, expect="accepted", offset=0)
        cases.add(code, time, (10, 10), f"{steps}, floor {early}", after=early, expect="accepted", offset=0)
        cases.add(code, time, (10, 10), f"{steps}, floor {late - 1}", after=late - 1, expect="accepted", offset=0)
        cases.add(code, time, (10, 10), f"{steps}, floor {late}", after=late, expect="replayed")
        cases.add(code, time, (10, 10), f"{steps}, floor {late + 1}", after=late + 1, expect="replayed")
        cases.add(code, cases.key.start(early), (1, 1), f"only {early} in the window, floor {early}", after=early,
                  expect="replayed")
        cases.add(code, cases.key.start(early), (0, 10), f"{late} ahead in the window, floor {early}", after=early,
                  expect="accepted", offset=distance)
    return cases.group


def _bottom() -> Group:
    cases = TotpCases(TotpKey(), "floor 0 is a floor, and not the absence of one")
    cases.add(cases.code(0), 0, (1, 1), "step 0, no floor", expect="accepted", offset=0)
    cases.add(cases.code(0), 0, (1, 1), "step 0, floor 0", after=0, expect="replayed")
    cases.add(cases.code(0), 30, (1, 1), "step 0 a step later, floor 0", after=0, expect="replayed")
    cases.add(cases.code(0), 60, (1, 1), "step 0 outside the window, floor 0", after=0, expect="rejected")
    cases.add(cases.code(1), 0, (1, 1), "step 1, floor 0", after=0, expect="accepted", offset=1)
    cases.add(cases.code(1), 30, (10, 10), "step 1, floor 1", after=1, expect="replayed")
    cases.add(cases.code(0), 0, (10, 10), "step 0, floor 2^64-1", after=MAX_COUNTER, expect="replayed")
    cases.add(cases.code(MAX_COUNTER), 0, (10, 10), "code of step 2^64-1, floor 2^64-1", after=MAX_COUNTER,
              expect="rejected")
    return cases.group


def _top() -> Group:
    cases = TotpCases(TotpKey(period=1, t0=INT64_MIN), "the last steps there are")
    cases.add(cases.code(MAX_COUNTER), INT64_MAX, (10, 10), "step 2^64-1, floor 2^64-2", after=MAX_COUNTER - 1,
              expect="accepted", offset=0)
    cases.add(cases.code(MAX_COUNTER), INT64_MAX, (10, 10), "step 2^64-1, floor 2^64-1", after=MAX_COUNTER,
              expect="replayed")
    cases.add(cases.code(MAX_COUNTER - 1), INT64_MAX, (10, 10), "step 2^64-2, floor 2^64-2", after=MAX_COUNTER - 1,
              expect="replayed")
    cases.add(cases.code(MAX_COUNTER - 1), INT64_MAX, (10, 10), "step 2^64-2, floor 2^64-3", after=MAX_COUNTER - 2,
              expect="accepted", offset=-1)
    cases.add(cases.code(0), INT64_MAX, (10, 10), "code of step 0, floor 2^64-1", after=MAX_COUNTER, expect="rejected")
    cases.add(cases.code(2**63), 0, (1, 1), "step 2^63, floor 2^63-1", after=2**63 - 1,
              expect="accepted", offset=0)
    cases.add(cases.code(2**63 - 1), 0, (1, 1), "step 2^63-1, floor 2^63", after=2**63, expect="replayed")
    return cases.group


def _wrong_codes() -> Group:
    cases = TotpCases(TotpKey(), "a wrong code is rejected, never replayed, wherever the floor is")
    time, code = cases.key.start(STEP), cases.code(STEP)
    wrong = replace_digit(code, 5)
    for floor, name in ((None, "no floor"), (0, "floor 0"), (STEP - 1, "floor below"), (STEP, "floor at the step"),
                        (STEP + 1, "floor above"), (MAX_COUNTER, "floor 2^64-1")):
        cases.add(wrong, time, (1, 1), f"{name}: last digit wrong", after=floor, expect="rejected")
    chosen = {"empty", "first digit missing", "space in front", "space behind", "space inside", "a zero in front",
              "newline behind", "NUL behind", "full-width digits", "zero-width space in front"}
    for text, comment in malformed(code):
        if comment in chosen:
            cases.add(text, time, (1, 1), f"accepted before, now with a disguise: {comment}", after=STEP,
                      expect="rejected")
    return cases.group


def _other_key(hotp: HotpKey) -> Group:
    cases = TotpCases(TotpKey(hotp), f"{hotp.algorithm.name}, eight digits")
    step, time = 66666666, 2000000000
    cases.add(cases.code(step), time, (1, 1), "floor just below", after=step - 1, expect="accepted", offset=0)
    cases.add(cases.code(step), time, (1, 1), "floor at the step", after=step, expect="replayed")
    cases.add(cases.code(step - 1), time, (1, 1), "one step behind, floor at it", after=step - 1, expect="replayed")
    cases.add(cases.code(step + 1), time, (1, 1), "one step ahead, floor at the current step", after=step,
              expect="accepted", offset=1)
    return cases.group
