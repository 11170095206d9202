"""What the theorem is built on: functions of memory, and otp_lanes_key_values, from the theorems about kernels."""

import functools
import re

import z3

from instructions import Refused, number
from machine import ARGUMENTS, Machine
from state import Object

# RFC 4226, section 5.3: the truncated value of a counter, of a key that is prepared for a plan.
VALUE = z3.Function("value", z3.BitVecSort(64), z3.BitVecSort(31))
PLAN, MIDSTATES = (z3.BitVec(name, 64) for name in ("plan", "midstates"))
HASHES = ("sha1", "sha256", "sha512")


def value_of_counter(counter):
    return z3.ZeroExt(1, VALUE(z3.simplify(counter)))


def copy(machine):
    to, source, count = (machine.state.general[index] for index in ARGUMENTS[:3])
    size = machine.concrete(count)
    (name, first), (other, last) = machine.resolved(to), machine.resolved(source)
    if name == other and abs(first - last) < size:
        raise Refused("a copy onto itself")
    for index in range(0, size, 4 if size % 4 == 0 else 1):
        machine.store(to + index, machine.load(source + index, 32 if size % 4 == 0 else 8))


def fill(machine):
    to, byte, count = (machine.state.general[index] for index in ARGUMENTS[:3])
    for index in range(machine.concrete(count)):
        machine.store(to + index, z3.Extract(7, 0, byte))


def memory_functions(image):
    return {address: {"memcpy": copy, "memset": fill}[name] for address, name in image.external.items()
            if name in ("memcpy", "memset")}


# MARK: otp_lanes_key_values, with the kernels' theorems.

def store_values(machine, first, count, values):
    for index in range(count):
        machine.store(values + 4 * index, z3.simplify(value_of_counter(first + index)), 4)


def kernel(lanes, machine):
    """Instead of one: what kernels/prove.py proves about it."""
    key, first, values = (machine.state.general[index] for index in ARGUMENTS[:3])
    if not key.eq(MIDSTATES):
        raise Refused("a kernel with another key")
    store_values(machine, first, lanes, values)


def hash_of(image, plan):
    return next(content[plan - base] for base, content in image.constants if base <= plan < base + len(content))


def prove_batch(image, kernels, plan, count):
    """Of this many consecutive counters, with a plan of the library that was not measured."""
    external = {functions[0]: functools.partial(kernel, lanes) for name, lanes, functions in image.kernels()
                if name in kernels and HASHES[hash_of(image, plan)] in name.split("_")}
    machine = Machine(image, {**external, image.symbols["otp_wipe_stack"]: lambda machine: None,
                              **memory_functions(image)})
    values = machine.add(Object("values", 4 * count, 4, is_writable=True))
    first = z3.BitVec("first", 64)
    for register, term in zip(ARGUMENTS, (machine.code(plan), MIDSTATES, first, number(count), values.address)):
        machine.state.general[register] = term

    def end():
        for index in range(count):
            if not machine.load(values.address + 4 * index, 32).eq(z3.simplify(value_of_counter(first + index))):
                raise Refused(f"value {index} differs")
    machine.call(image.symbols["otp_lanes_key_values"], end)


def prove_batches(image, kernels, most):
    """With each plan, before it was measured. Libcrypto's kernels, which some use for one code, have no theorem."""
    image.constants.append((image.symbols["choices"], bytes(24)))
    for name, address in sorted(image.symbols.items()):
        for plan in range(address, address + 264, 88) if re.search("_plans|_combination$", name) else ():
            least = most + 1
            while least > 1 and is_proved(image, kernels, plan, least - 1):
                least -= 1
            print(f"batches of {least} to {most} with {name}, {HASHES[hash_of(image, plan)]}: "
                  f"{'proved' if least <= most else 'not proved'}", flush=True)


def is_proved(*batch):
    try:
        prove_batch(*batch)
    except Refused:
        return False
    return True


def batch(most, machine):
    """Instead of it: the truncated values of consecutive counters."""
    plan, midstates, first, count, values = (machine.state.general[index] for index in ARGUMENTS[:5])
    count = machine.concrete(count)
    if not (plan.eq(PLAN) and midstates.eq(MIDSTATES) and 1 <= count <= most):
        raise Refused("a batch of another key or size")
    store_values(machine, first, count, values)
