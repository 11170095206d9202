"""Proves that otp_totp_verify is what RFC 6238 says.

    python3 prove.py LIBRARY LOG quick|all

LOG is what kernels/prove.py has printed; windows have at most SIDES steps before and after the current one. Three
theorems, each with the one before: otp_lanes_key_values with each plan (values.py); VerificationTask.run, for each
number of steps (`quick`: and six digits); and otp_totp_verify.
"""

import functools
import itertools
import re
import sys
from pathlib import Path

import z3

from instructions import PRODUCT, QUOTIENT, Refused, number
from kernels.image import Image
from machine import ARGUMENTS, RAX, RCX, RDI, RDX, RSI, Machine
from state import Object, unknown
from values import MIDSTATES, PLAN, batch, memory_functions, prove_batches, value_of_counter

# Whether the truncated value of a counter is the submitted number modulo 10^digits.
HAS_CODE = z3.Function("has_code", z3.BitVecSort(64), z3.BoolSort())
OTHER = z3.BitVec("other", 64)
# otp.h
OK, INVALID_ARGUMENT, INVALID_DIGITS, INVALID_PERIOD, INVALID_WINDOW, TIME_BEFORE_T0 = 0, 1, 21, 22, 24, 26
REJECTED, ACCEPTED, REPLAYED = range(3)
SIDES = 1
MOST = 2 * SIDES + 1
RUN = "$e3OTP16VerificationTaskV3run4withAA0B0OAA11KeyMaterialV_tAA8OTPErrorVYKF"


def wide(term, is_signed=False):
    return (z3.SignExt if is_signed else z3.ZeroExt)(68 - term.size(), term)


# MARK: VerificationTask.run.

@functools.cache
def multiples(digits):
    """A number below 2^32 is a multiple of 10^d exactly if its product with the inverse of 5^d modulo 2^32, rotated to
    the right by d bits, is no more than the greatest: as the inverse is odd, no two numbers have the same result, and
    those of the multiples, each of which is tried here, are the numbers up to the greatest."""
    inverse, greatest = pow(5 ** digits, -1, 1 << 32), ((1 << 32) - 1) // 10 ** digits
    for quotient in range(greatest + 1):
        product = quotient * 10 ** digits * inverse & (1 << 32) - 1
        if (product >> digits | product << 32 - digits) & (1 << 32) - 1 != quotient:
            raise Refused("a constant")
    return inverse, greatest


class Task:
    """A task as registers have it: of which key, its code's number and digits, first counter, and how many counters
    there are, cannot be accepted again, and are before the current one."""

    def __init__(self, general):
        self.key, code, self.first, sizes = (general[RDI], general[RSI]), general[RDX], general[RCX], general[8]
        self.number, self.digits = z3.Extract(63, 32, code), z3.Extract(7, 0, code)
        self.count, self.spent, self.current = (z3.ZeroExt(48, z3.Extract(low + 15, low, sizes)) for low in (0, 16, 32))
        self.takes_latest = z3.Extract(48, 48, sizes)

    def is_possible(self, most):
        return z3.And(
            self.takes_latest == 1, z3.ULE(1, self.count), z3.ULE(self.count, most), z3.ULE(self.spent, self.count),
            z3.ULT(self.current, self.count), z3.ULE(self.first, self.first + self.count - 1),
            z3.Or(*(z3.And(self.digits == digits - 6, z3.ULT(self.number, 10 ** digits)) for digits in range(6, 9))))

    def has(self, step):
        return z3.And(z3.ULE(self.first, step), z3.ULE(step, self.first + self.count - 1))

    def is_live(self, step):
        return z3.UGE(step - self.first, self.spent)


def outcome(general, is_inside, is_live, current, has_match):
    """What registers say at its end: the latest live match; or that there is a match; or that no other step is one."""
    step, offset, is_none = general[RAX], general[RDX], z3.Extract(7, 0, general[RCX])
    other = z3.And(is_inside(OTHER), HAS_CODE(OTHER))
    return z3.Or(
        z3.And(is_none == 0, is_inside(step), HAS_CODE(step), is_live(step), offset == step - current,
               z3.Implies(z3.And(other, is_live(OTHER)), z3.ULE(OTHER, step))),
        z3.And(is_none == 1, step == 0, offset == 0, has_match, z3.Implies(other, z3.Not(is_live(OTHER)))),
        z3.And(is_none == 1, step | offset != 0, z3.Not(other)))


def prove_run(image, digits, count):
    machine = Machine(image, {image.symbols["otp_lanes_key_values"]: lambda machine: batch_with_codes(machine),
                              image.symbols["otp_lanes_count_codes"]: lambda machine: None,
                              **memory_functions(image)}, PLAN != 0)
    submitted, first, spent, current = (z3.BitVec(name, bits) for name, bits in (
        ("number", 32), ("first", 64), ("spent", 16), ("current", 16)))

    def batch_with_codes(machine):
        batch(count, machine)
        inverse, greatest = multiples(digits)
        for index in range(count):
            # By the lemma; the sum is below 2^32, and a multiple exactly if the value's code is the number.
            counter = z3.simplify(first + index)
            product = PRODUCT(z3.simplify(value_of_counter(counter) + 10 ** digits - submitted), number(inverse, 32))
            machine.solver.add(HAS_CODE(counter) == z3.ULE(z3.RotateRight(product, digits), greatest))
    general = machine.state.general
    general[RDI], general[RSI], general[RCX] = PLAN, MIDSTATES, first
    general[RDX] = z3.Concat(submitted, unknown(24), number(digits - 6, 8))
    general[8] = z3.Concat(unknown(15), number(1, 1), current, spent, number(count, 16))
    task = Task(general)
    machine.solver.add(task.is_possible(count))

    def end():
        exists = z3.Or(*(HAS_CODE(z3.simplify(first + index)) for index in range(count)))
        machine.claim("the outcome", outcome(
            machine.state.general, task.has, task.is_live, task.first + task.current, exists))
    machine.call(image.symbols[RUN], end, saved=(12,))
    return machine.paths


# MARK: otp_totp_verify.

FIELDS = {"params": {"size": 64, "digits": 32, "-": 32, "period": 64, "t0": 64},
          "window": {"size": 64, "behind": 32, "ahead": 32, "has_after": 32, "-": 32, "after": 64},
          "out": {"size": 64, "result": 32, "status": 32, "step": 64, "offset": 64}}


class Call:
    """Of otp_totp_verify, with these pointers, and others that are NULL; and what must be so then."""

    def __init__(self, image, present):
        self.present = present
        self.time, self.length = z3.BitVec("time", 64), z3.BitVec("code_len", 64)
        self.text = [z3.BitVec(f"character{index}", 8) for index in range(9)]
        self.fields = {f"{name}.{field}": z3.BitVec(f"{name}.{field}", bits)
                       for name, fields in FIELDS.items() for field, bits in fields.items()}
        self.define()
        self.machine = machine = Machine(
            image, {image.symbols[RUN]: self.run, **memory_functions(image)}, PLAN != 0, *self.assumed)
        objects = {"key": (Object("key", 88, 8), [unknown(64), unknown(64), PLAN]),
                   "code": (Object("code", self.length), self.text),
                   **{name: (Object(name, 32, 8, is_writable=name == "out"), [
                       self.fields[f"{name}.{field}"] for field in fields]) for name, fields in FIELDS.items()}}
        pointers = dict.fromkeys(objects, number(0))
        for name in objects.keys() & present:
            thing, contents = objects[name]
            place, pointers[name] = 0, machine.add(thing).address
            for term in contents:
                machine.put(name, place, term)
                place += term.size() // 8
        for register, term in zip(ARGUMENTS, (pointers["key"], pointers["code"], self.length, self.time,
                                              pointers["params"], pointers["window"])):
            machine.state.general[register] = term
        self.key = PLAN, z3.simplify(pointers["key"] + 24)
        machine.put("stack", 8, pointers["out"])
        self.cells = machine.state.cells.copy()
        machine.call(image.symbols["otp_totp_verify"], self.end)

    def define(self):
        """The parameters in use, why there may be no verification, and the submitted number."""
        has, fields = self.present.__contains__, self.fields
        digits, period, t0 = [fields[f"params.{name}"] for name in ("digits", "period", "t0")] if has("params") else (
            number(6, 32), number(30), number(0))
        behind, ahead, has_after = [fields[f"window.{name}"] for name in ("behind", "ahead", "has_after")] if has(
            "window") else (number(1, 32), number(1, 32), number(0, 32))

        def is_no_size(size):
            return z3.Or(z3.ULT(size, 32), z3.UGT(size, 4096), size & 7 != 0)
        sizes = [fields[f"{name}.size"] for name in ("params", "window") if has(name)]
        is_out = z3.Not(is_no_size(fields["out.size"])) if has("out") else z3.BoolVal(False)
        self.has_result = z3.simplify(is_out)
        self.reasons = {
            INVALID_ARGUMENT: z3.Or(not has("key"), *map(is_no_size, sizes), z3.UGT(has_after, 1),
                                    z3.UGE(self.length, 1 << 55), z3.And(not has("code"), self.length != 0)),
            INVALID_DIGITS: z3.Or(z3.ULT(digits, 6), z3.UGT(digits, 8)), INVALID_PERIOD: period <= 0,
            INVALID_WINDOW: z3.Or(z3.UGT(behind, 10), z3.UGT(ahead, 10)), TIME_BEFORE_T0: self.time < t0}
        self.assumed = [z3.Or(size == 32, is_no_size(size)) for size in [*sizes, fields["out.size"]]]
        self.assumed += [z3.Or(z3.ULE(side, SIDES), z3.UGT(side, 10)) for side in (behind, ahead)]
        # RFC 6238, section 4.2.
        self.step = QUOTIENT(z3.simplify(self.time - t0), period)
        self.is_live = lambda step: z3.Or(has_after == 0, z3.UGT(step, fields["window.after"]))
        self.digits, self.behind, self.ahead = digits, behind, ahead
        self.is_number = z3.And(has("code"), self.length == z3.ZeroExt(32, digits), *(
            z3.Or(z3.ULE(digits, index), z3.And(z3.UGE(character, 0x30), z3.ULE(character, 0x39)))
            for index, character in enumerate(self.text[:8])))

    def is_inside(self, step):
        distance = wide(step) - wide(self.step)
        return z3.And(distance >= -wide(self.behind), distance <= wide(self.ahead))

    def run(self, machine):
        """Instead of VerificationTask.run: what is proved about it, of a task that must be this verification's."""
        task = Task(machine.state.general)
        if not all(z3.simplify(term).eq(wanted) for term, wanted in zip(task.key, self.key)):
            raise Refused("a task with another key")
        for condition in [*self.is_task(task), *task.is_possible(MOST).children()]:
            machine.claim("a task is right", condition)
        results, witness = {index: unknown(64) for index in (RAX, RCX, RDX)}, unknown(64)
        machine.solver.add(outcome(results, self.is_inside, self.is_live, self.step,
                                   z3.And(self.is_inside(witness), HAS_CODE(witness))))
        return results

    def is_task(self, task):
        """Whether it is about the submitted number; and about the window, for any step."""
        yield self.is_number
        yield task.first + task.current == self.step
        step = unknown(64)
        yield task.has(step) == self.is_inside(step)
        yield z3.Implies(task.has(step), task.is_live(step) == self.is_live(step))
        for digits in range(6, 9):
            submitted = number(0, 32)
            for character in self.text[:digits]:
                # The lower half of an ASCII digit is its value.
                submitted = 10 * submitted + z3.ZeroExt(24, character & 15)
            yield z3.Implies(self.digits == digits, z3.And(task.digits == digits - 6, task.number == submitted))
            # So many digits are a number below 10^d.
            self.machine.solver.add(z3.Implies(z3.And(self.digits == digits, self.is_number),
                                               z3.ULT(z3.simplify(submitted), 10 ** digits)))

    def end(self):
        """What must be so at each return."""
        machine = self.machine
        status = z3.Extract(31, 0, machine.state.general[RAX])
        if "out" not in self.present or machine.follows(z3.Not(self.has_result)):
            machine.claim("there is no result to write", z3.And(z3.Not(self.has_result), status == INVALID_ARGUMENT))
            if any(machine.state.cells[at] != term for at, term in self.cells.items() if at[0] == "out"):
                raise Refused("a result is written")
            return
        size, result, why, step, offset = [
            machine.load(machine.objects["out"].address + place, bits)
            for place, bits in ((0, 64), (8, 32), (12, 32), (16, 64), (24, 64))]
        reason = z3.Or(*self.reasons.values())
        matches = z3.And(self.is_number, self.is_inside(OTHER), HAS_CODE(OTHER))
        nothing = z3.And(step == 0, offset == 0)
        near = [z3.simplify(self.step + distance) for distance in range(-SIDES, SIDES + 1)]
        machine.claim("the result is that of RFC 6238", z3.And(
            self.has_result, size == self.fields["out.size"], why == status,
            z3.If(reason, z3.And(result == REJECTED, nothing, z3.Or(*(
                z3.And(status == code, condition) for code, condition in self.reasons.items()))),
                z3.And(status == OK, z3.Or(
                    z3.And(result == ACCEPTED, self.is_number, self.is_inside(step), HAS_CODE(step), self.is_live(step),
                           wide(offset, True) == wide(step) - wide(self.step),
                           z3.Implies(z3.And(matches, self.is_live(OTHER)), z3.ULE(OTHER, step))),
                    z3.And(result == REPLAYED, nothing, self.is_number,
                           z3.Or(*(z3.And(self.is_inside(step), HAS_CODE(step)) for step in near)),
                           z3.Implies(matches, z3.Not(self.is_live(OTHER)))),
                    z3.And(result == REJECTED, nothing, z3.Not(matches)))))))


def kernels_of(log):
    """Those whose values kernels/run.sh has proved."""
    return set(re.findall(r"^libotp key_values/(\w+) of \d+ lanes: proved", Path(log).read_text("ascii"), re.M))


def main():
    image, kernels, is_quick = Image(sys.argv[1]), kernels_of(sys.argv[2]), sys.argv[3] == "quick"
    pointers = "key", "code", "params", "window", "out"
    try:
        prove_batches(image, kernels, MOST)
        for digits in range(6, 7 if is_quick else 9):
            for count in range(1, MOST + 1):
                paths = prove_run(image, digits, count)
                print(f"task of {count} steps and {digits} digits: proved, {paths} paths", flush=True)
        for given in itertools.product((True, False), repeat=len(pointers)):
            present = {name for name, is_given in zip(pointers, given) if is_given}
            if is_quick and present != {"key", "code", "out"}:
                continue
            paths = Call(image, present).machine.paths
            print(f"call with {', '.join(sorted(present)) or 'nothing'}: proved, {paths} paths", flush=True)
    except Refused as refusal:
        sys.exit(f"theorem: {refusal}")


if __name__ == "__main__":
    main()
