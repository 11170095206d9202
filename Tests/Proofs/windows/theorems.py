"""The theorems: each says of the formulas, for all values within its assumptions, what their definition says.

A theorem returns its queries: name, assumptions, and what must follow from them.
"""
import z3

from swift import (
    EXACT, Checks, Int, Number, choose, exact, literal, truncating, variable,
)

ALL_THEOREMS = []


def theorem(*groups):
    def register(function):
        ALL_THEOREMS.append((function.__name__.replace("_", " "), function))
        return function
    return register(groups[0]) if groups else register


def whole(value):
    return z3.BitVecVal(value, EXACT)


def in_range(number, low, high):
    return z3.And(number >= low, number <= high)


@theorem
def the_step_is_the_floor_of_elapsed_time_by_the_period(f):
    period, t0, time = (variable(name, signed=True) for name in ("period", "t0", "time"))
    elapsed = exact(time) - exact(t0)
    with Checks(is_abstract=True) as checks:
        exists, step = f.number(period, t0, time)
    [(dividend, divisor, quotient, _)] = checks.divisions
    assumed = [f.isTimeStep(period)]
    yield "a step exists from t0 on", [], exists == (elapsed >= 0)
    yield "its division is of time - t0 by the period", assumed + [exists], z3.And(
        exact(dividend) == elapsed, exact(divisor) == exact(period), step.term == quotient.term)
    yield "nothing traps", assumed, checks.all()
    yield "every period from 1 on is a time step", [], f.isTimeStep(period) == (exact(period) >= 1)


@theorem
def the_rest_of_a_step_is_1_to_its_period(f):
    period, t0, time = (variable(name, signed=True) for name in ("period", "t0", "time"))
    with Checks(is_abstract=True) as checks:
        exists, rest = f.secondsRemaining(period, t0, time)
    assumed = [f.isTimeStep(period), exists] + checks.facts
    remainder = checks.divisions[0][3]
    yield "it is the period less the remainder", assumed, exact(rest) == exact(period) - exact(remainder)
    yield "it is 1 to the period", assumed, z3.And(exact(rest) >= 1, exact(rest) <= exact(period))
    yield "nothing traps", assumed, checks.all()


@theorem
def a_drift_shifts_the_time_by_whole_steps(f):
    period, t0, time, drift = (variable(name, signed=True) for name in ("period", "t0", "time", "drift"))
    with Checks(is_abstract=True) as checks:
        shifted = f.shifted(period, t0, time, drift)
    [(left, right, product)] = checks.products
    moved = exact(time, 140) + z3.SignExt(12, product)
    yield "its product is that of period and drift", [], z3.And(left.term == period.term, right.term == drift.term)
    fits = z3.And(
        moved >= exact(t0, 140), *(term == exact(Number(z3.Extract(63, 0, term), True), 140)
                                   for term in (moved, z3.SignExt(12, product))))
    yield "the time moves by period x drift if both fit and that is a time from t0 on, else not", [f.isTimeStep(period)], (
        exact(shifted, 140) == z3.If(fits, moved, exact(time, 140)))
    step, rest, steps, length = z3.Ints("step rest steps length")
    elapsed = step * length + rest + steps * length
    yield "a time moved by d periods has the step d later", [length >= 1, 0 <= rest, rest < length], z3.And(
        elapsed >= (step + steps) * length, elapsed < (step + steps + 1) * length)


@theorem
def a_window_has_the_existing_steps_within_its_sides(f):
    behind, ahead = (variable(name, signed=True) for name in ("behind", "ahead"))
    current, step = variable("current"), variable("step")
    with Checks() as checks:
        lower, upper = f.steps(behind, ahead, current)
    assumed = [f.isWindow(behind, ahead)]
    distance = exact(step) - exact(current)
    yield "sides are 0 to 10", [], f.isWindow(behind, ahead) == z3.And(
        *(z3.And(exact(side) >= 0, exact(side) <= 10) for side in (behind, ahead)))
    yield "every 64-bit step is in it if, and only if, it is that near", assumed, (
        z3.And(lower <= step, step <= upper) == z3.And(distance >= -exact(behind), distance <= exact(ahead)))
    yield "nothing traps", assumed, checks.all()


def check_task(task, lower, upper, isSpent, assumed):
    """What both kinds of task have in common: `isSpent` is of a step."""
    first, count, spent, currentIndex, f, current = task
    index = variable("index", signed=True)
    with Checks() as live:
        isLive = f.isLive(index, spent)
    with Checks() as found:
        step, offset = f.accepted(first, currentIndex, index)
    scanned = assumed + [exact(index) >= 0, exact(index) < exact(count)]
    anyStep = variable("step")
    inside = z3.And(exact(anyStep) >= exact(lower), exact(anyStep) <= exact(upper))
    place = exact(anyStep) - exact(first)
    yield "it covers exactly the steps of the window", assumed, (
        inside == z3.And(place >= 0, place < exact(count)))
    yield "index i is step first + i, and inside", scanned, z3.And(
        exact(step) == exact(first) + exact(index), step >= lower, step <= upper)
    yield "the offset is the step less the current one", scanned, exact(offset) == exact(step) - exact(current)
    yield "a step is live if, and only if, it is not spent", scanned, isLive == z3.Not(isSpent(step))
    yield "nothing traps", scanned, z3.And(live.all(), found.all())


@theorem
def a_totp_task_accepts_only_steps_after_the_last_accepted_one(f):
    behind, ahead = (variable(name, signed=True) for name in ("behind", "ahead"))
    current, last, isSet = variable("current"), variable("last"), z3.Bool("isSet")
    with Checks() as checks:
        first, count, spent, currentIndex, takesLatest = f.timeTask(behind, ahead, current, (isSet, last))
        lower, upper = f.steps(behind, ahead, current)
    assumed = [f.isWindow(behind, ahead)]
    yield "nothing traps in its making", assumed, checks.all()
    yield "it has 1 to 21 steps", assumed, in_range(count, 1, 21)
    yield "of several steps with the code the latest is accepted", [], takesLatest
    yield from check_task(
        (first, count, spent, currentIndex, f, current), lower, upper,
        lambda step: z3.And(isSet, exact(step) <= exact(last)), assumed)


@theorem
def a_hotp_task_covers_the_look_ahead(f):
    counter, lookAhead = variable("counter"), variable("lookAhead", signed=True)
    with Checks() as checks:
        first, count, spent, currentIndex, takesLatest = f.counterTask(counter, lookAhead)
    assumed = [f.isLookAhead(lookAhead)]
    end = exact(counter) + exact(lookAhead)
    highest = whole((1 << 64) - 1)
    upper = Number(z3.Extract(63, 0, z3.If(end > highest, highest, end)))
    yield "a look-ahead is 0 to 1000", [], f.isLookAhead(lookAhead) == z3.And(
        exact(lookAhead) >= 0, exact(lookAhead) <= 1000)
    yield "nothing traps in its making", assumed, checks.all()
    yield "it has 1 to 1001 counters", assumed, in_range(count, 1, 1001)
    yield "of several counters with the code the earliest is accepted", [], z3.Not(takesLatest)
    yield from check_task(
        (first, count, spent, currentIndex, f, counter), counter, upper, lambda _: z3.BoolVal(False), assumed)


@theorem
def masks_are_all_ones_or_zero_and_say_what_their_names_say(f):
    left, right = variable("left", 32), variable("right", 32)
    byte, low, high = (variable(name, 8) for name in ("byte", "low", "high"))
    flag, ones = z3.Bool("flag"), (1 << 64) - 1
    with Checks() as checks:
        masks = [
            ("equal", f.equal(left, right), exact(left) == exact(right)),
            ("lessOrEqual", f.lessOrEqual(left, right), exact(left) <= exact(right)),
            ("contains", f.contains(low, high, byte), z3.And(
                exact(byte) >= exact(low), exact(byte) <= exact(high))),
            ("init", f.mask(flag), flag),
        ]
    for name, bits, meaning in masks:
        yield name, [], bits.term == z3.If(meaning, z3.BitVecVal(ones, 64), z3.BitVecVal(0, 64))
    first, second, bits = variable("first"), variable("second"), variable("bits")
    isMask = z3.Or(bits.equals(0), bits.equals(ones))
    yield "select", [isMask], f.select(bits, first, second).term == z3.If(
        bits.equals(0), second.term, first.term)
    yield "keep", [isMask], f.keep(bits, first).term == z3.If(bits.equals(0), 0, first.term)
    yield "nothing traps", [], checks.all()


@theorem
def multiples_of_10_to_the_6_7_and_8_are_known_for_all_32_bit_numbers(f):
    for digits, multiples in enumerate((f.ofMillion(), f.ofTenMillion(), f.ofHundredMillion()), 6):
        modulus, inverse, twos, greatest = multiples
        yield f"the constants are those of 10^{digits}", [], z3.BoolVal(
            modulus == 10 ** digits and inverse * 5 ** digits % (1 << 32) == 1 and twos == digits
            and greatest == ((1 << 32) - 1) // modulus)
        candidate, quotient, small = (variable(name, 32) for name in ("candidate", "quotient", "small"))
        with Checks() as checks:
            product, isOne = f.product(multiples, candidate), f.contain(multiples, candidate)
            rotated = f.rotated(multiples, product)
            isSmall = f.isSmall(multiples, small)
            quotientAgain = f.rotated(multiples, f.product(multiples, quotient.times(modulus)))
            test = f.isSmall(multiples, rotated)
        yield f"the test is whether the rotated product is small: 10^{digits}", [], z3.And(
            isOne.term == test.term,
            z3.Not(isSmall.equals(0)) == (exact(small) <= ((1 << 32) - 1) // modulus))
        yield f"a multiple's rotated product is its quotient: 10^{digits}", [
            quotient <= ((1 << 32) - 1) // modulus], quotientAgain.term == quotient.term
        # Conversely: rotating and multiplying can be undone, so a number is its rotated product, rotated back, times
        # 5^digits; and rotating a small number back multiplies it by 2^digits.
        any_ = variable("anyProduct", 32)
        yield f"rotating can be undone: 10^{digits}", [], (
            rotated_back(f.rotated(multiples, any_), digits).term == any_.term)
        yield f"multiplying can be undone: 10^{digits}", [], product.times(5 ** digits).term == candidate.term
        yield f"a small number, rotated back, times 5^{digits}, is its multiple", [
            z3.Not(isSmall.equals(0))], exact(rotated_back(small, digits).times(5 ** digits)) == (
                exact(small) * 10 ** digits)
        yield f"nothing traps: 10^{digits}", [], checks.all()


def rotated_back(number, count):
    return number.shiftLeft(count) | number.shiftRight(32 - count)


@theorem
def a_value_matches_if_its_remainder_is_the_code(f):
    for digits, multiples in enumerate((f.ofMillion(), f.ofTenMillion(), f.ofHundredMillion()), 6):
        value, code = variable("value", 32), variable("code", 32)
        with Checks() as checks:
            tested = value.plus(f.complement(multiples, code))
            same = f.matches(multiples, code, value).term == f.contain(multiples, tested).term
        assumed = [value < (1 << 31), code < 10 ** digits]
        yield f"10^{digits}: what is tested is value + 10^{digits} - code, without wrapping", assumed, z3.And(
            exact(tested) == exact(value) + 10 ** digits - exact(code), same)
        # The rest is about whole numbers: `contain` says whether that is a multiple.
        q, c, typed, k = z3.Ints("quotient remainder typed other")
        modulus = 10 ** digits
        known = [0 <= c, c < modulus, 0 <= typed, typed < modulus]
        sum_ = q * modulus + c + modulus - typed
        yield f"10^{digits}: a right code gives a multiple", known + [c == typed], sum_ == (q + 1) * modulus
        yield f"10^{digits}: a wrong one does not", known + [c != typed], sum_ != k * modulus
        yield f"10^{digits}: nothing traps", [], checks.all()


@theorem
def a_scan_finds_the_latest_or_earliest_live_match_of_any_number_of_values(f):
    matching, living = (z3.Function(name, z3.BitVecSort(64), z3.BoolSort()) for name in ("matching", "living"))
    takesLatest = z3.Bool("takesLatest")
    count, any_, witness = variable("count", signed=True), variable("any", signed=True), variable("witness", signed=True)

    def good(index):
        return z3.And(matching(index.term), living(index.term))

    def spent(index):
        return z3.And(matching(index.term), z3.Not(living(index.term)))

    def holds(scan, count, witness):
        """After `count` values, for any one index: the masks are masks, a found match is one, and none is missed."""
        hasLive, hasSpent, liveIndex = scan
        found = Number(liveIndex.term, True)
        inside = z3.And(any_ >= 0, any_ < count)
        ordered = z3.If(takesLatest, any_ <= found, found <= any_)
        return z3.And(
            z3.Or(hasLive.equals(0), hasLive.equals(-1)), z3.Or(hasSpent.equals(0), hasSpent.equals(-1)),
            z3.Implies(hasLive.equals(-1), z3.And(found >= 0, found < count, good(found))),
            z3.Implies(hasSpent.equals(-1), z3.And(witness >= 0, witness < count, spent(witness))),
            z3.Implies(z3.And(inside, good(any_)), z3.And(hasLive.equals(-1), ordered)),
            z3.Implies(z3.And(inside, spent(any_)), hasSpent.equals(-1)))

    scan = (variable("hasLive"), variable("hasSpent"), variable("liveIndex"))
    match = Number(z3.If(matching(count.term), z3.BitVecVal(-1, 64), z3.BitVecVal(0, 64)))
    with Checks() as step:
        after = f.record(scan, takesLatest, match, count, living(count.term))
    seen = [count >= 0, count < (1 << 62)]
    next_ = count.plus(1)
    nextWitness = Number(z3.If(spent(count), count.term, witness.term), True)
    yield "base: a new scan has seen none", [], holds(f.newScan(), literal(0, signed=True), witness)
    yield "step: from any number of values to one more", seen + [holds(scan, count, witness)], (
        holds(after, next_, nextWitness))
    yield "step: nothing traps", seen, step.all()
    with Checks() as end:
        kind, index = f.outcome(scan)
    before = seen + [holds(scan, count, witness)]
    inside = z3.And(any_ >= 0, any_ < count)
    yield "conclusion: a live outcome is a live match", before + [kind.equals(2)], z3.And(
        index >= 0, index < count, good(index))
    yield "conclusion: none that is live is later, or earlier", before + [kind.equals(2), inside, good(any_)], (
        z3.If(takesLatest, any_ <= index, index <= any_))
    yield "conclusion: if any is live, the outcome is", before + [inside, good(any_)], kind.equals(2)
    yield "conclusion: a spent outcome is a spent match", before + [kind.equals(1)], z3.And(
        witness >= 0, witness < count, spent(witness))
    yield "conclusion: if any matches, the outcome is live or spent", before + [inside, matching(any_.term)], (
        z3.Not(kind.equals(0)))
    yield "conclusion: nothing traps", before, end.all()


# RFC 4648, table 3.
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def value_of(character, isStrict):
    """Whether a character is a symbol, and its five bits, by the table."""
    isSymbol, value = z3.BoolVal(False), z3.BitVecVal(0, 5)
    for index, symbol in enumerate(ALPHABET):
        isOne = z3.Or(character == ord(symbol), z3.And(z3.Not(isStrict), character == ord(symbol.lower())))
        isSymbol, value = z3.Or(isSymbol, isOne), z3.If(isOne, z3.BitVecVal(index, 5), value)
    return isSymbol, value


@theorem
def eight_characters_are_decoded_as_rfc_4648_defines(f):
    text = [variable(f"character{index}", 8) for index in range(8)]
    isStrict = z3.Bool("isStrict")
    symbols, values = zip(*(value_of(character.term, isStrict) for character in text))
    with Checks() as checks:
        isGroup, bits = f.decode(f.load(text), isStrict)
        five = f.writeBytes(bits)
    yield "all eight are symbols if, and only if, they are recognized", [], isGroup == z3.And(*symbols)
    yield "the 40 bits are theirs, the first character's first", [z3.And(*symbols)], (
        bits.term == z3.ZeroExt(24, z3.Concat(*values)))
    yield "the five bytes are theirs", [z3.And(*symbols)], (
        z3.Concat(*(byte.term for byte in five)) == z3.Concat(*values))
    yield "nothing traps", [], checks.all()


@theorem
def five_bytes_are_encoded_as_rfc_4648_defines(f):
    five = [variable(f"byte{index}", 8) for index in range(5)]
    all_ = z3.Concat(*(byte.term for byte in five))
    with Checks() as checks:
        text = f.writeCharacters(f.readBytes(five))
        decoded = f.decode(f.load(text), z3.BoolVal(True))
    for index, character in enumerate(text):
        value = z3.Extract(39 - 5 * index, 35 - 5 * index, all_)
        expected = z3.BitVecVal(ord(ALPHABET[0]), 8)
        for other, symbol in enumerate(ALPHABET):
            expected = z3.If(value == other, z3.BitVecVal(ord(symbol), 8), expected)
        yield f"character {index + 1}", [], character.term == expected
    yield "decoding gives the bytes again", [], z3.And(
        decoded[0], truncating(decoded[1], 40).term == all_)
    yield "nothing traps", [], checks.all()


@theorem
def learned_drift_stays_within_its_limit(f):
    limit, before, offset = (variable(name, signed=True) for name in ("limit", "before", "offset"))
    with Checks() as checks:
        start, stored = f.learned(limit, before, offset)
    # A policy's limits; an offset within the widest window.
    assumed = [in_range(limit, 0, 10), in_range(offset, -10, 10)]
    target = exact(start) + exact(offset)
    low, high = -exact(limit), exact(limit)
    yield "it starts within the limit, whatever was stored", assumed, z3.And(exact(start) >= low, exact(start) <= high)
    yield "what was within the limit is used as stored", assumed + [
        exact(before) >= low, exact(before) <= high], start.term == before.term
    yield "it moves by the offset, up to the limit", assumed, exact(stored) == z3.If(
        target > high, high, z3.If(target < low, low, target))
    yield "nothing traps", assumed, checks.all()


@theorem
def no_step_accepted_before_a_loss_is_accepted_after_it(f):
    limit, adjacent, found, drift = (variable(name, signed=True) for name in ("limit", "adjacent", "found", "drift"))
    with Checks():
        ahead = f.aheadOfLoss(found, limit, adjacent)
        start, _ = f.learned(limit, drift, literal(0, signed=True))
        used = found.plus(start)
    assumed = [in_range(limit, 0, 10), in_range(adjacent, 0, 10), in_range(found, -(1 << 40), 1 << 40)]
    yield "a window ends no later than what is spent, at one time", assumed, (
        exact(used) + exact(adjacent) <= exact(ahead))
    yield "nor at an earlier one, if neither time is held at t0 or at the end of time", *earlier_windows()


def earlier_windows():
    """In whole numbers: times are step * length + rest, moved by whole steps."""
    step, lostStep, used, adjacent, ahead = z3.Ints("step lostStep used adjacent ahead")
    return [step <= lostStep, used + adjacent <= ahead], step + used + adjacent <= lostStep + ahead
