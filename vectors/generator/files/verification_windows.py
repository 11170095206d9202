"""Windows: which steps are searched, which are not, and which submissions are never compared."""

from __future__ import annotations

from ..document import Group, VectorFile
from ..hmac_rfc2104 import SHA1, SHA256, SHA512
from ..otp import INT64_MAX, INT64_MIN, MAX_COUNTER, SEED_20, SEEDS, HotpKey, TotpKey
from .verify_cases import TotpCases, malformed, replace_digit

STEP = 41152263
"""The step of 2009-02-13 23:31:30 UTC with a period of 30 seconds; the cases are around it."""
ZERO_STEPS = (349495, 1290532, 1552630)
TWINS = ((2386, 2394), (103424, 103427))


def build() -> VectorFile:
    """All groups."""
    groups = [_every_offset(), _edges(), _within_a_step()]
    groups += [_bottom(), _top_of_time(), _top_of_steps(), _first_second()]
    groups += [_all_zeros(), _twins(), _near_misses(HotpKey()), _near_misses(HotpKey(digits=8))]
    groups += [_malformed(), _leading_zero(), _digits(7), _digits(8)]
    groups += [_algorithm(HotpKey(SEEDS[algorithm], algorithm, digits))
               for algorithm in (SHA1, SHA256, SHA512) for digits in (6, 8)]
    groups += [_clock(60, 0), _clock(60, 1_000_000_000), _clock(30, -45), _clock(1, 0), _clock(86400, 0)]
    source = "swift-otp: TOTP verification windows (RFC 6238 section 5.2)"
    return VectorFile("verification-windows.json", source, groups)


def _every_offset() -> Group:
    cases = TotpCases(TotpKey(), "a window of ten steps on each side matches at every one of its steps")
    time = cases.key.start(STEP)
    for offset in range(-10, 11):
        cases.add(cases.code(STEP + offset), time, (10, 10), f"offset {offset}", expect="accepted", offset=offset)
    cases.add(cases.code(STEP - 11), time, (10, 10), "offset -11", expect="rejected")
    cases.add(cases.code(STEP + 11), time, (10, 10), "offset 11", expect="rejected")
    return cases.group


def _edges() -> Group:
    cases = TotpCases(TotpKey(), "the two sides of a window are independent: last step inside, first one outside")
    time = cases.key.start(STEP) + 15
    for behind in range(11):
        ahead = 10 - behind
        name = f"{behind} behind, {ahead} ahead"
        for offset, inside in ((-behind, True), (-behind - 1, False), (ahead, True), (ahead + 1, False)):
            code = cases.code(STEP + offset)
            if inside:
                cases.add(code, time, (behind, ahead), f"{name}: offset {offset}", expect="accepted", offset=offset)
            else:
                cases.add(code, time, (behind, ahead), f"{name}: offset {offset}", expect="rejected")
    for offset, window in ((0, (0, 0)), (-1, (1, 1)), (1, (1, 1))):
        cases.add(cases.code(STEP + offset), time, window, f"window {window}: offset {offset}",
                  expect="accepted", offset=offset)
    for offset, window in ((-1, (0, 0)), (1, (0, 0)), (-2, (1, 1)), (2, (1, 1))):
        cases.add(cases.code(STEP + offset), time, window, f"window {window}: offset {offset}", expect="rejected")
    return cases.group


def _within_a_step() -> Group:
    cases = TotpCases(TotpKey(), "the window moves with the step, not with the second")
    start, code = cases.key.start(STEP), cases.code(STEP)
    for time, offset, comment in (
        (start - 1, 1, "a second before the step begins"),
        (start, 0, "first second of the step"),
        (start + 29, 0, "last second of the step"),
        (start + 30, -1, "a second after the step ended"),
        (start + 59, -1, "last second in which one step behind reaches it"),
    ):
        cases.add(code, time, (1, 1), comment, expect="accepted", offset=offset)
    cases.add(code, start + 60, (1, 1), "a second too late", expect="rejected")
    cases.add(code, start - 31, (1, 1), "a second too early", expect="rejected")
    return cases.group


def _bottom() -> Group:
    cases = TotpCases(TotpKey(), "the window reaches below step 0: the missing steps are left out, nothing wraps")
    for time, offset in ((0, 0), (29, 0), (30, -1), (59, -1), (299, -9), (300, -10)):
        cases.add(cases.code(0), time, (10, 10), f"step 0 at time {time}", expect="accepted", offset=offset)
    cases.add(cases.code(0), 330, (10, 10), "step 0 is eleven steps behind", expect="rejected")
    cases.add(cases.code(10), 0, (10, 10), "ten steps ahead of step 0", expect="accepted", offset=10)
    cases.add(cases.code(11), 0, (10, 10), "eleven steps ahead of step 0", expect="rejected")
    for behind in (1, 10):
        cases.add(cases.code(MAX_COUNTER), 0, (behind, 0), "code of step 2^64-1, where step -1 would wrap to",
                  expect="rejected")
    cases.add(cases.code(MAX_COUNTER - 9), 0, (10, 10), "code of step 2^64-10, where step -10 would wrap to",
              expect="rejected")
    cases.add(cases.code(2**63), 0, (10, 10), "code of step 2^63", expect="rejected")
    return cases.group


def _top_of_time() -> Group:
    cases = TotpCases(TotpKey(period=1), "the last 64-bit second: the window still reaches the steps after it")
    for offset in (-10, -1, 0, 1, 10):
        cases.add(cases.code(INT64_MAX + offset), INT64_MAX, (10, 10), f"offset {offset} from step 2^63-1",
                  expect="accepted", offset=offset)
    cases.add(cases.code(INT64_MAX + 11), INT64_MAX, (10, 10), "offset 11", expect="rejected")
    cases.add(cases.code(0), INT64_MAX, (10, 10), "code of step 0", expect="rejected")
    return cases.group


def _top_of_steps() -> Group:
    cases = TotpCases(TotpKey(period=1, t0=INT64_MIN), "the window reaches past step 2^64-1: it stops there")
    for offset in (-10, -1, 0):
        cases.add(cases.code(MAX_COUNTER + offset), INT64_MAX, (10, 10), f"offset {offset} from step 2^64-1",
                  expect="accepted", offset=offset)
    for offset in (0, 3, 5):
        cases.add(cases.code(MAX_COUNTER - 5 + offset), INT64_MAX - 5, (10, 10), f"offset {offset} from step 2^64-6",
                  expect="accepted", offset=offset)
    cases.add(cases.code(MAX_COUNTER - 11), INT64_MAX, (10, 10), "offset -11", expect="rejected")
    for step in (0, 1, 9):
        cases.add(cases.code(step), INT64_MAX, (10, 10), f"code of step {step}, where the window would wrap to",
                  expect="rejected")
    cases.add(cases.code(0), INT64_MAX, (0, 1), "code of step 0 with one step ahead", expect="rejected")
    return cases.group


def _first_second() -> Group:
    cases = TotpCases(TotpKey(t0=INT64_MIN), "t0 and the time are the first 64-bit second")
    cases.add(cases.code(0), INT64_MIN, (10, 10), "step 0", expect="accepted", offset=0)
    cases.add(cases.code(1), INT64_MIN, (10, 10), "step 1", expect="accepted", offset=1)
    cases.add(cases.code(0), INT64_MIN + 30, (10, 10), "a step later", expect="accepted", offset=-1)
    cases.add(cases.code(MAX_COUNTER), INT64_MIN, (10, 10), "code of step 2^64-1", expect="rejected")
    return cases.group


def _all_zeros() -> Group:
    cases = TotpCases(TotpKey(), "000000 is a code like any other")
    for step in ZERO_STEPS:
        time = cases.key.start(step)
        cases.add("000000", time, (0, 0), f"step {step}", expect="accepted", offset=0)
        cases.add("000000", time + 30, (1, 1), f"step {step}, one behind", expect="accepted", offset=-1)
        cases.add("000000", time + 60, (1, 1), f"step {step}, two behind", expect="rejected")
    cases.add("000000", cases.key.start(STEP), (10, 10), "no step of the window has it", expect="rejected")
    cases.add("00000", cases.key.start(ZERO_STEPS[0]), (10, 10), "a zero missing", expect="rejected")
    cases.add("0", cases.key.start(ZERO_STEPS[0]), (10, 10), "the number instead of the code", expect="rejected")
    cases.add("", cases.key.start(ZERO_STEPS[0]), (10, 10), "nothing", expect="rejected")
    return cases.group


def _twins() -> Group:
    cases = TotpCases(TotpKey(), "two steps of the window have the same code: the latest counts")
    for early, late in TWINS:
        code = cases.code(early)
        distance = late - early
        late_time, early_time = cases.key.start(late), cases.key.start(early)
        cases.add(code, late_time, (10, 10), f"steps {early} and {late}, at {late}", expect="accepted", offset=0)
        cases.add(code, early_time, (10, 10), f"steps {early} and {late}, at {early}",
                  expect="accepted", offset=distance)
        cases.add(code, cases.key.start(early + 1), (10, 10), f"steps {early} and {late}, just after {early}",
                  expect="accepted", offset=distance - 1)
        cases.add(code, early_time, (10, distance - 1), f"the window ends before {late}", expect="accepted", offset=0)
        cases.add(code, late_time, (distance - 1, 0), f"the window begins after {early}", expect="accepted", offset=0)
        cases.add(code, cases.key.start(early + 1), (0, 10), f"only {late} is in the window",
                  expect="accepted", offset=distance - 1)
    return cases.group


def _near_misses(hotp: HotpKey) -> Group:
    cases = TotpCases(TotpKey(hotp), f"{hotp.digits} digits: one digit wrong, whichever it is")
    time, code = cases.key.start(STEP), cases.code(STEP)
    for place in range(hotp.digits):
        cases.add(replace_digit(code, place), time, (1, 1), f"digit {place + 1} wrong", expect="rejected")
    cases.add(code[::-1], time, (1, 1), "digits reversed", expect="rejected")
    cases.add(code[1:] + code[0], time, (1, 1), "digits rotated", expect="rejected")
    cases.add("0" * hotp.digits, time, (1, 1), "all digits zero", expect="rejected")
    cases.add("9" * hotp.digits, time, (1, 1), "all digits nine", expect="rejected")
    cases.add(code, time, (1, 1), "the right code", expect="accepted", offset=0)
    return cases.group


def _malformed() -> Group:
    cases = TotpCases(TotpKey(), "not exactly six ASCII digits: rejected, however close to the right code")
    time = 1111111109  # the code, 081804, begins with a zero
    for code, comment in malformed(cases.code(cases.key.step(time))):
        cases.add(code, time, (10, 10), comment, expect="rejected")
    cases.add("081804", time, (10, 10), "the right code", expect="accepted", offset=0)
    return cases.group


def _leading_zero() -> Group:
    cases = TotpCases(TotpKey(), "leading zeros belong to the code")
    step = next(step for step in range(STEP, STEP + 100_000) if cases.code(step).startswith("000"))
    time, code = cases.key.start(step), cases.code(step)
    cases.add(code, time, (0, 0), "with its zeros", expect="accepted", offset=0)
    for zeros in (1, 2, 3):
        cases.add(code[zeros:], time, (0, 0), f"without {zeros} of its zeros", expect="rejected")
        cases.add(code[zeros:] + "0" * zeros, time, (0, 0), f"{zeros} of its zeros moved to the end", expect="rejected")
    cases.add(code[3:].rjust(6), time, (0, 0), "spaces for its zeros", expect="rejected")
    return cases.group


def _digits(digits: int) -> Group:
    cases = TotpCases(TotpKey(HotpKey(digits=digits)), f"{digits} digits")
    for time in (59, 1111111109):
        code = cases.code(cases.key.step(time))
        cases.add(code, time, (1, 1), f"time {time}", expect="accepted", offset=0)
        cases.add(code, time + 30, (1, 1), f"time {time}, a step later", expect="accepted", offset=-1)
        cases.add(code[1:], time, (1, 1), f"time {time}, one digit fewer", expect="rejected")
        if digits == 8:
            cases.add(code[2:], time, (1, 1), f"time {time}, its six-digit code", expect="rejected")
        cases.add("1" + code, time, (1, 1), f"time {time}, one digit more", expect="rejected")
    return cases.group


def _algorithm(hotp: HotpKey) -> Group:
    cases = TotpCases(TotpKey(hotp), f"{hotp.algorithm.name}, {len(hotp.secret)}-byte key, {hotp.digits} digits")
    time = 2000000000
    step = cases.key.step(time)
    for offset in (-2, -1, 0, 1, 2):
        code = cases.code(step + offset)
        if abs(offset) < 2:
            cases.add(code, time, (1, 1), f"offset {offset}", expect="accepted", offset=offset)
        else:
            cases.add(code, time, (1, 1), f"offset {offset}", expect="rejected")
    for other in (SHA1, SHA256, SHA512):
        if other is not hotp.algorithm:
            code = HotpKey(hotp.secret, other, hotp.digits).code(step)
            cases.add(code, time, (1, 1), f"the {other.name} code of the same key", expect="rejected")
    if len(hotp.secret) > 20:
        code = HotpKey(SEED_20, hotp.algorithm, hotp.digits).code(step)
        cases.add(code, time, (1, 1), "the code of the 20-byte seed", expect="rejected")
    return cases.group


def _clock(period: int, t0: int) -> Group:
    cases = TotpCases(TotpKey(period=period, t0=t0), f"period {period}, t0 {t0}")
    time = 1234567890
    step = cases.key.step(time)
    for offset in (-2, 0, 3):
        cases.add(cases.code(step + offset), time, (2, 3), f"offset {offset}", expect="accepted", offset=offset)
    for offset in (-3, 4):
        cases.add(cases.code(step + offset), time, (2, 3), f"offset {offset}", expect="rejected")
    cases.add(cases.code(0), t0, (2, 3), "step 0 at t0", expect="accepted", offset=0)
    cases.add(cases.code(1), t0 + period - 1, (2, 3), "step 1 a second early", expect="accepted", offset=1)
    cases.add(cases.code(0), t0 + 3 * period - 1, (2, 3), "step 0 in its last second", expect="accepted", offset=-2)
    cases.add(cases.code(0), t0 + 3 * period, (2, 3), "step 0 a second too late", expect="rejected")
    other_period = 30 if period != 30 else 60
    cases.add(cases.code(time // other_period), time, (2, 3), f"the code of period {other_period} and t0 0",
              expect="rejected")
    return cases.group
