"""The theorems: for all values within their assumptions, functions of Subjects.swift do what their definitions say.

Each yields its queries: name, assumptions, and what must follow from them.
"""
import z3

from llvm import bit, product
from path import Path

ONES = z3.BitVecVal(-1, 64)
# RFC 4648, table 3.
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


class Call:
    """A function of a module, called with these arguments: what it returns and writes to `output`, and whether it
    neither traps nor depends on anything undefined."""

    def __init__(self, module, name, *arguments, memory=()):
        self.paths = list(module.run(name, [*arguments, ("output", 0)], Path(memory)))
        self.is_defined = z3.And(*(z3.Implies(z3.And(*path.conditions), z3.And(*path.needs)) for path in self.paths))

    def _merged(self, value):
        result = None
        for path in self.paths:
            term = value(path)
            if term is not None:
                result = term if result is None else z3.If(z3.And(*path.conditions), term, result)
        return z3.simplify(result)

    def on_each_path(self, claim, *indices):
        """A claim about elements of the output, on the paths that write them all."""
        claims = []
        for path in self.paths:
            if all(("output", 8 * index) in path.memory for index in indices):
                outputs = [z3.simplify(path.load("i64", ("output", 8 * index))) for index in indices]
                claims.append(z3.Implies(z3.And(*path.conditions), claim(*outputs)))
        return z3.And(*claims)

    @property
    def result(self):
        return self._merged(lambda path: path.result) == 1

    def output(self, index, size=8):
        """An element of the output, of as many bytes. (Where it is not written, it is another path's.)"""
        place = ("output", index * size)
        return self._merged(lambda path: path.load(f"i{8 * size}", place) if place in path.memory else None)


def numbers(names, width=64):
    return [z3.BitVec(name, width) for name in names.split()]


def whole(number, is_signed=False):
    """A whole number: enough bits that no sum here wraps."""
    return (z3.SignExt if is_signed else z3.ZeroExt)(68 - number.size(), number)


def signed(number):
    return whole(number, is_signed=True)


def the_step_is_the_floor_of_elapsed_time_by_the_period(module):
    period, t0, time = numbers("period t0 time")
    call = Call(module, "proof_step", period, t0, time)
    exists = z3.And(period >= 1, time >= t0)
    elapsed, rest = time - t0, call.output(1)
    yield "a step exists exactly from t0 on, for every period from 1 on", [], call.result == exists
    yield "the elapsed time does not wrap", [exists], whole(elapsed) == signed(time) - signed(t0)
    yield "the step is its quotient by the period", [exists], call.output(0) == z3.UDiv(elapsed, period)
    yield "the rest of the step is the period less the remainder", [exists], rest == period - z3.URem(elapsed, period)
    yield "the rest is 1 to the period", [exists], z3.And(rest >= 1, rest <= period)
    yield "nothing traps", [], call.is_defined


def a_drift_shifts_the_time_by_whole_periods(module):
    time, drift, period, t0 = numbers("time drift period t0")
    call = Call(module, "proof_shifted", time, drift, period, t0)

    def wide(number):
        return z3.SignExt(140 - number.size(), number)

    shift = wide(product(period, drift))
    moved = wide(time) + shift
    fits = z3.And(*(wide(z3.Extract(63, 0, number)) == number for number in (shift, moved)), moved >= wide(t0))
    yield "it moves by period x drift, unless that is no time or before t0", [period >= 1], (
        wide(call.output(0)) == z3.If(fits, moved, wide(time)))
    yield "nothing traps", [], call.is_defined


def a_window_has_the_existing_steps_within_its_sides(module):
    behind, ahead, current, step = numbers("behind ahead current step")
    call = Call(module, "proof_window", behind, ahead, current)
    is_window = are_sides(behind, ahead)
    lower, upper, distance = call.output(0), call.output(1), whole(step) - whole(current)
    yield "sides are 0 to 10", [], call.result == is_window
    yield "every 64-bit step is in it if, and only if, it is that near", [is_window], (
        z3.And(z3.ULE(lower, step), z3.ULE(step, upper)) == z3.And(
            distance >= -signed(behind), distance <= signed(ahead)))
    yield "nothing traps", [], call.is_defined


def are_sides(*sides):
    return z3.And(*(z3.And(side >= 0, side <= 10) for side in sides))


def check_task(call, current, lower, upper, is_spent, assumed):
    """What both kinds of task have in common. `lower` and `upper` are whole numbers, `is_spent` is of a step."""
    (index,) = numbers("index")
    first, count = call.output(0), call.output(1)
    is_inside = z3.And(index >= 0, index < count)
    step = whole(first) + whole(index)
    yield "it covers exactly the steps of the window", assumed, z3.And(
        whole(first) == lower, whole(first) + whole(count) - 1 == upper)
    yield "a match at an index is accepted if, and only if, its step is not spent", [*assumed, is_inside], (
        call.on_each_path(lambda kind: kind == z3.If(is_spent(step), z3.BitVecVal(1, 64), z3.BitVecVal(2, 64)), 3))
    yield "it is accepted as its step, with its distance", [*assumed, is_inside], call.on_each_path(
        lambda factor, offset: z3.And(whole(factor) == step, signed(offset) == step - whole(current)), 4, 5)
    yield "nothing traps", [*assumed, is_inside], call.is_defined


def a_totp_task_accepts_only_steps_after_the_last_accepted_one(module):
    behind, ahead, time, last, index = numbers("behind ahead time last index")
    (has_last,) = numbers("has_last", 1)
    call = Call(module, "proof_totp", behind, ahead, time, has_last, last, index)
    current = time - z3.BitVecVal(-1 << 63, 64)
    lower, upper, highest = whole(current) - signed(behind), whole(current) + signed(ahead), whole(ONES)
    is_window = are_sides(behind, ahead)
    yield "there is a task for every window", [], call.result == is_window
    yield "of several steps with the code the latest is accepted", [is_window], call.output(2) == 1
    yield from check_task(
        call, current, z3.If(lower < 0, 0, lower), z3.If(upper > highest, highest, upper),
        lambda step: z3.And(has_last == 1, step <= whole(last)), [is_window])


def a_hotp_task_covers_the_look_ahead(module):
    counter, ahead, index = numbers("counter ahead index")
    call = Call(module, "proof_hotp", counter, ahead, index)
    upper, highest = whole(counter) + signed(ahead), whole(ONES)
    is_look_ahead = z3.And(ahead >= 0, ahead <= 1000)
    yield "a look-ahead is 0 to 1000", [], call.result == is_look_ahead
    yield "of several counters with the code the earliest is accepted", [is_look_ahead], call.output(2) == 0
    yield from check_task(
        call, counter, whole(counter), z3.If(upper > highest, highest, upper), lambda _: z3.BoolVal(False),
        [is_look_ahead])


def a_scan_finds_the_latest_or_earliest_live_match_of_any_number_of_values(module):
    matching, living = (z3.Function(name, z3.BitVecSort(64), z3.BoolSort()) for name in ("matching", "living"))
    has_live, has_spent, live_index = numbers("has_live has_spent live_index")
    count, other, witness = numbers("count other witness")
    (takes_latest,) = numbers("takes_latest", 1)

    def good(index):
        return z3.And(matching(index), living(index))

    def spent(index):
        return z3.And(matching(index), z3.Not(living(index)))

    def holds(scan, count, witness):
        """After `count` values, for any other index: masks are masks, a found match is one, and none is missed."""
        has_live, has_spent, found = scan
        is_inside = z3.And(other >= 0, other < count)
        return z3.And(
            z3.Or(has_live == 0, has_live == ONES), z3.Or(has_spent == 0, has_spent == ONES),
            z3.Implies(has_live == ONES, z3.And(found >= 0, found < count, good(found))),
            z3.Implies(has_spent == ONES, z3.And(witness >= 0, witness < count, spent(witness))),
            z3.Implies(z3.And(is_inside, good(other)), z3.And(
                has_live == ONES, z3.If(takes_latest == 1, other <= found, found <= other))),
            z3.Implies(z3.And(is_inside, spent(other)), has_spent == ONES))

    scan = has_live, has_spent, live_index
    before = [count >= 0, count < 1 << 62, holds(scan, count, witness)]
    match = z3.If(matching(count), ONES, z3.BitVecVal(0, 64))
    step = Call(module, "proof_record", *scan, takes_latest, match, count, bit(living(count)))
    yield "base: a new scan has seen none", [], holds([z3.BitVecVal(0, 64)] * 3, z3.BitVecVal(0, 64), witness)
    yield "step: from any number of values to one more", before, holds(
        [step.output(index) for index in range(3)], count + 1, z3.If(spent(count), count, witness))
    yield "step: nothing traps", before, step.is_defined
    end = Call(module, "proof_outcome", *scan)
    kind, index, is_inside = end.output(0), end.output(1), z3.And(other >= 0, other < count)
    yield "conclusion: a live outcome is a live match", [*before, kind == 2], z3.And(
        index >= 0, index < count, good(index))
    yield "conclusion: none that is live is later, or earlier", [*before, kind == 2, is_inside, good(other)], (
        z3.If(takes_latest == 1, other <= index, index <= other))
    yield "conclusion: if any is live, the outcome is", [*before, is_inside, good(other)], kind == 2
    yield "conclusion: a spent outcome is a spent match", [*before, kind == 1], z3.And(
        witness >= 0, witness < count, spent(witness))
    yield "conclusion: if any matches, the outcome is live or spent", [*before, is_inside, matching(other)], kind != 0
    yield "conclusion: nothing traps", before, end.is_defined


def value_of(character, is_strict):
    """Whether a character is a symbol, and its five bits, by the table."""
    is_symbol, value = z3.BoolVal(False), z3.BitVecVal(0, 5)
    for index, symbol in enumerate(ALPHABET):
        is_one = z3.Or(character == ord(symbol), z3.And(is_strict == 0, character == ord(symbol.lower())))
        is_symbol, value = z3.Or(is_symbol, is_one), z3.If(is_one, z3.BitVecVal(index, 5), value)
    return is_symbol, value


def eight_characters_are_decoded_as_rfc_4648_defines(module):
    text = [z3.BitVec(f"character{index}", 8) for index in range(8)]
    (is_strict,) = numbers("is_strict", 1)
    call = Call(module, "proof_decode", ("text", 0), is_strict,
                memory={("text", index): character for index, character in enumerate(text)})
    symbols, values = zip(*(value_of(character, is_strict) for character in text))
    yield "they are a group if, and only if, all are symbols", [], call.result == z3.And(*symbols)
    yield "the five bytes are the symbols' bits, the first symbol's first", [z3.And(*symbols)], (
        z3.Concat(*(call.output(index, 1) for index in range(5))) == z3.Concat(*values))
    yield "nothing traps", [], call.is_defined


def five_bytes_are_encoded_as_rfc_4648_defines(module):
    five = [z3.BitVec(f"byte{index}", 8) for index in range(5)]
    call = Call(module, "proof_encode", ("bytes", 0),
                memory={("bytes", index): byte for index, byte in enumerate(five)})
    for index in range(8):
        value, expected = z3.Extract(39 - 5 * index, 35 - 5 * index, z3.Concat(*five)), z3.BitVecVal(0, 8)
        for number, symbol in enumerate(ALPHABET):
            expected = z3.If(value == number, z3.BitVecVal(ord(symbol), 8), expected)
        yield f"character {index + 1}", [], call.output(index, 1) == expected
    yield "nothing traps", [], call.is_defined
