"""What executes machine code on terms, for any instruction set. Addresses and what decides jumps are numbers: a branch
on a variable is an error."""

import terms
import words
from memory import Memory
from terms import add, constant
from words import NotConcrete, Unknown, concrete

STACK_BYTES, RETURN = 1 << 16, 1 << 41
# Masks of AVX-512 that are not known.
UNKNOWN_MASKS = [(None,) * 16] * 8
_SHIFTED = {}


class Base:
    """Registers, memory and calls; a general register's number is that of its encoding."""

    def __init__(self, image, word_bits):
        self.image, self.word_bits, self.count, self.flags = image, word_bits, 0, {}
        self.memory = Memory(image.constants, image.constants_read)
        self.stack = self.memory.place(STACK_BYTES, 16, True)
        self.general = [terms.variable(("register", index), 64) for index in range(32)]
        self.vectors = [self.unknown_vector("vector", index) for index in range(32)]
        self.masks = UNKNOWN_MASKS[:]
        _SHIFTED.clear()

    # MARK: Memory.

    def checked(self, address):
        if self.stack <= address < concrete(self.general[self.STACK]) - self.BELOW_STACK:
            raise Unknown("an access below the stack")
        return address

    def load(self, address, width):
        return self.memory.load(self.checked(address), width)

    def store(self, address, value):
        self.memory.store(self.checked(address), value)

    def load_elements(self, address, bits, width):
        return [self.load(address + place // 8, width) for place in range(0, bits, width)]

    def store_elements(self, address, elements):
        for place, term in enumerate(elements):
            self.store(address + place * term.width // 8, term)

    # MARK: Calls.

    def call(self, function, arguments):
        """With numbers and terms. Then what is saved must be as it was before. The caller's frame has no memory."""
        self.general[self.STACK] = constant(self.stack + STACK_BYTES, 64)
        for number, argument in zip(self.ARGUMENTS, arguments):
            self.general[number] = constant(argument, 64) if isinstance(argument, int) else argument
        self.ip = function if isinstance(function, int) else self.image.symbols[function]
        before, instructions = self.saved(), self.image.instructions
        self.enter()
        while self.ip != RETURN:
            if self.ip in self.image.external:
                self.call_external(self.image.external[self.ip])
                continue
            instruction = instructions.get(self.ip)
            if instruction is None:
                instruction = instructions[self.ip] = self.decode(self.image.code_at(self.ip), self.ip)
            self.ip = instruction.next
            self.count += 1
            if self.count > self.image.most_instructions:
                raise Unknown("an endless loop")
            instruction.execute(self, instruction)
        if self.saved() != before:
            raise Unknown("a register is not restored")

    def saved(self):
        """What a function leaves as it is."""
        return [self.general[number] for number in self.SAVED]

    def call_external(self, name):
        """A function whose code is not executed. It leaves any value below the stack."""
        to, source, count = (self.general[number] for number in self.ARGUMENTS[:3])
        if name in ("memcpy", "memset"):
            to, count = concrete(to), concrete(count)
            step = 8 if count % 8 == 0 else 4 if count % 4 == 0 else 1
            if name == "memset":
                values = [words.concatenate([words.extract(source, 0, 8)] * step)] * (count // step)
            elif abs(to - concrete(source)) < count:
                raise Unknown("a copy onto itself")
            else:
                values = self.load_elements(concrete(source), 8 * count, 8 * step)
            self.store_elements(to, values)
        elif name != "otp_wipe_stack":
            raise Unknown(f"a call of {name}")
        self.memory.forget(self.stack, concrete(self.general[self.STACK]))
        vectors, self.flags = self.vectors, {}
        self.vectors = [self.unknown_vector("after", self.count, index) for index in range(32)]
        self.after_call(vectors)
        for number in set(range(32)) - set(self.SAVED):
            self.general[number] = terms.variable(("after", self.count, number), 64)
        if name != "otp_wipe_stack":
            self.general[self.RESULT] = constant(to, 64)


def defining(definitions):
    """What adds a function to definitions, for instructions with these names."""
    return lambda names: lambda function: definitions.update((name, function) for name in names.split()) or function


# MARK: Operations on elements.

def shifted(term, count):
    """To the left, or to the right if it is negative. That is remembered, so that `joined` sees rotations."""
    if abs(count) >= term.width:
        return constant(0, term.width)
    result = words.shift_left(term, count) if count > 0 else terms.shift_right(term, -count)
    _SHIFTED.setdefault(result, set()).add((term, count))
    return result


def joined(left, right, otherwise=terms.either):
    """A rotation, if it is one."""
    width = left.width
    for first, second in ((left, right), (right, left)):
        for term, count in _SHIFTED.get(first, ()):
            if second is (terms.shift_right(term, width - count) if count > 0 else
                          words.shift_left(term, width + count)):
                return terms.rotate_left(term, count)
    return otherwise(left, right)


def subtracted(left, right):
    return add(left, terms.negative(right))


def by_variable(term, count, bits, direction):
    """Shifted by a number of this many bits."""
    for place, bit in enumerate(terms.bits(count)[:bits]):
        if bit != 0:
            term = words.select(bit, shifted(term, direction << place), term)
    return term


def summed(left, right):
    """A sum; the OR, if no bit is in both because of shifts."""
    return shifted(left, 1) if left is right else joined(left, right, add)


def each(operation):
    """Of the elements of vectors, and perhaps numbers."""
    def computed(*operands):
        numbers = [operand for operand in operands if isinstance(operand, int)]
        return [operation(*terms_, *numbers) for terms_ in zip(*operands[:len(operands) - len(numbers)])]
    return computed


# MARK: Flags: carry (or borrow) and zero are 0, 1, a bit of a term, or not known. No kernel uses others.

def logical_flags(_left, _right, result):
    value = terms.value_of(result)
    return {"c": 0, "z": None if value is None else int(value == 0)}


def _arithmetic_flags(sign):
    def flags(left, right, result):
        found, values = logical_flags(left, right, result), [terms.value_of(left), terms.value_of(right)]
        exact = None if None in values else values[0] + sign * values[1]
        return {**found, "c": None if exact is None else int(not 0 <= exact < 1 << left.width)}
    return flags


sum_flags, difference_flags = _arithmetic_flags(1), _arithmetic_flags(-1)
# Whether one of these flags is set must be this.
CONDITIONS = {"B": ("c", 1), "AE": ("c", 0), "E": ("z", 1), "NE": ("z", 0), "BE": ("cz", 1), "A": ("cz", 0)}


def holds(flags, condition):
    names, wanted = CONDITIONS[condition]
    values = [flags.get(name) for name in names]
    if any(value not in (0, 1) for value in values):
        raise NotConcrete("a condition")
    return max(values) == wanted
