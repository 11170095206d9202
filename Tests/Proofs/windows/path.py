"""Values, memory, and ways through functions.

A number is a bit vector, a pointer the name of an object and an offset, a structure a list. A pointer in memory is a
number, whose object is no other's.
"""
import itertools
import re

import z3

COUNTER = itertools.count()


class Unknown(Exception):
    """Something that this program does not know."""


def bits(kind):
    """Of a number, or of a vector, which is used only to copy memory."""
    if kind == "ptr":
        return 64
    found = re.fullmatch(r"(?:<(\d+) x )?i(\d+)>?", kind)
    if not found:
        raise Unknown(f"type {kind}")
    return int(found[1] or 1) * int(found[2])


def fresh(name, width=64):
    return z3.BitVec(f"{name} {next(COUNTER)}", width)


def place(pointer):
    """A number as a pointer."""
    return pointer if isinstance(pointer, tuple) else (pointer.sexpr(), 0)


class Path:
    """A way through a function: when it is taken, what must hold on it, values, memory, and what it returns."""

    def __init__(self, memory, conditions=(), needs=(), values=()):
        self.memory, self.conditions, self.needs, self.values = dict(memory), [*conditions], [*needs], dict(values)
        self.block, self.result, self.traps = None, None, False

    def operand(self, kind, text, when=True):
        """What must hold of its own if it is used, as it is in a case."""
        if text in self.values:
            self.needs += [z3.Implies(when, need) for need in self.values.get(("needs", text), ())]
            return self.values[text]
        if text in ("undef", "poison"):
            return [None] * len(kind.split(",")) if kind.startswith("{") else None
        if text.startswith("{"):
            return [self.operand(*element.split()) for element in text[1:-1].split(",")]
        if found := re.fullmatch(r"inttoptr \((i64 \d+) to ptr\)", text):
            return self.operand(*found[1].split())
        if elements := re.findall(r"i\d+ -?\d+", text):
            return z3.Concat(*(self.operand(*element.split()) for element in reversed(elements)))
        number = {"true": "1", "false": "0", "null": "0", "zeroinitializer": "0"}.get(text, text)
        if not re.fullmatch(r"-?\d+", number):
            raise Unknown(f"operand {kind} {text}")
        return z3.BitVecVal(int(number), bits(kind))

    def load(self, kind, pointer):
        name, offset = place(pointer)
        places = [(name, offset + index) for index in reversed(range((bits(kind) + 7) // 8))]
        if missing := [place for place in places if place not in self.memory]:
            raise Unknown(f"memory that was not written: {missing[0]}")
        number = z3.Concat(*(self.memory[place] for place in places), z3.BitVecVal(0, 8))
        return z3.Extract(bits(kind) + 7, 8, number)

    def store(self, pointer, number):
        (name, offset), number = place(pointer), z3.ZeroExt(-number.size() % 8, number)
        for index in range(number.size() // 8):
            self.memory[name, offset + index] = z3.simplify(z3.Extract(8 * index + 7, 8 * index, number))


def merged(values):
    """What is one of these values, each in its case. What is undefined (or not written) in a case is anything in it."""
    result = values[-1][1]
    for case, value in reversed(values[:-1]):
        if isinstance(value, list):
            result = [merged([(case, one), (None, other)]) for one, other in zip(value, result, strict=True)]
        elif isinstance(value, z3.ExprRef) or isinstance(result, z3.ExprRef):
            value, result = (fresh("undefined", other.size()) if one is None else one
                             for one, other in ((value, result), (result, value)))
            result = result if value.eq(result) else z3.If(case, value, result)
        elif value != result:
            raise Unknown(f"{value} or {result}")
    return result
