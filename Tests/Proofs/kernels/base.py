"""What executes machine code on terms, for any instruction set. What decides jumps is a number, and an address one from
the start of an object, which may be anywhere: a branch on a variable or on where an object is, is an error."""

import terms
import words
from memory import PAGE, Memory
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
        self.memory, self.frames = Memory(image), []
        # The caller's stack's pointer, behind which no memory is its own.
        self.stack = self.begin_frame(STACK_BYTES, 0, 16)
        self.general = [terms.variable(("register", index), 64) for index in range(32)]
        self.vectors = [self.unknown_vector("vector", index) for index in range(32)]
        self.masks = UNKNOWN_MASKS[:]
        _SHIFTED.clear()

    # MARK: Memory.

    def place_of(self, address, alignment=1):
        place, aligned = self.memory.resolved(address)
        if place % alignment or aligned % alignment:
            raise Unknown("an access that is not aligned")
        return place

    def is_zero(self, term):
        """No object is at address 0. None if that is not known."""
        value, base = terms.value_of(term), terms.offset_from(term)[0]
        if value is None and base in self.memory.bases and self.memory.resolved(term):
            return 0
        return None if value is None else int(value == 0)

    def checked(self, place):
        self.move_stack()
        if any(start <= place < end and place < lowest for start, end, lowest, _ in self.frames):
            raise Unknown("an access below the stack")
        return place

    def load(self, place, width):
        return self.memory.load(self.checked(place), width)

    def store(self, place, value):
        self.memory.store(self.checked(place), value)

    def load_elements(self, start, bits, width):
        return [self.load(start + place // 8, width) for place in range(0, bits, width)]

    def store_elements(self, start, elements):
        for place, term in enumerate(elements):
            self.store(start + place * term.width // 8, term)

    # MARK: The stack: frames, each with its ends, the lowest place in it that may be accessed, and its base.

    def begin_frame(self, below, above, alignment):
        """The address of a new one, which has so many bytes on both sides of it."""
        base = self.memory.place(above, alignment, True, below)
        place = self.memory.resolved(base)[0]
        self.frames.append((place - below, place + above, place, base))
        return base

    def masked(self, is_stack, left, right):
        """The AND of two terms. An address is masked as its object is aligned. Of the stack's pointer, the result may
        be any aligned address up to it: a frame of its own, and what is above is accessed as far down as before."""
        (base, offset), mask = terms.offset_from(left), -(terms.value_of(right) or 0) & terms.ones(right.width)
        if base is None or base not in self.memory.bases or mask == 0 or mask & mask - 1:
            return terms.both(left, right)
        if mask <= self.memory.bases[base][-1]:
            return add(left, constant(-(offset % mask), 64))
        place, top = (self.memory.resolved(term)[0] for term in (left, self.general[self.STACK]))
        start, end, _, own = self.frames[-1]
        if not is_stack or not start <= place <= top <= end:
            return terms.both(left, right)
        self.frames[-1] = start, end, top, own
        return self.begin_frame(place - start & -PAGE, top - place, mask)

    def move_stack(self):
        """After the stack's pointer may have changed."""
        if not self.frames or self.general[self.STACK] is self.stack:
            return
        self.stack, place = self.general[self.STACK], self.memory.resolved(self.general[self.STACK])[0]
        while not self.frames[-1][0] <= place <= self.frames[-1][1]:
            del self.memory.bases[self.frames.pop()[-1]]
            if not self.frames:
                raise Unknown("a stack that is elsewhere")
            self.memory.forget(self.frames[-1][0], place)
        self.frames[-1] = (*self.frames[-1][:2], place - self.BELOW_STACK, self.frames[-1][-1])

    # MARK: Calls.

    def call(self, function, arguments):
        """With numbers and terms. Then what is saved must be as it was before. The caller's frame has no memory."""
        self.general[self.STACK] = self.stack
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
            self.move_stack()
        if self.saved() != before:
            raise Unknown("a register is not restored")

    def saved(self):
        """What a function leaves as it is."""
        return [self.general[number] for number in self.SAVED]

    def call_external(self, name):
        """A function whose code is not executed. It leaves any value below the stack."""
        result, source, count = (self.general[number] for number in self.ARGUMENTS[:3])
        top = self.place_of(self.general[self.STACK])
        if (top - self.CALLED) % 16:
            raise Unknown("a stack that is not aligned at a call")
        if name in ("memcpy", "memset"):
            to, count = self.place_of(result), concrete(count)
            step = 8 if count % 8 == 0 else 4 if count % 4 == 0 else 1
            if name == "memset":
                values = [words.concatenate([words.extract(source, 0, 8)] * step)] * (count // step)
            elif abs(to - self.place_of(source)) < count:
                raise Unknown("a copy onto itself")
            else:
                values = self.load_elements(self.place_of(source), 8 * count, 8 * step)
            self.store_elements(to, values)
        elif name != "otp_wipe_stack":
            raise Unknown(f"a call of {name}")
        self.memory.forget(self.frames[-1][0], top)
        vectors, self.flags = self.vectors, {}
        self.vectors = [self.unknown_vector("after", self.count, index) for index in range(32)]
        self.after_call(vectors)
        for number in set(range(32)) - set(self.SAVED):
            self.general[number] = terms.variable(("after", self.count, number), 64)
        if name != "otp_wipe_stack":
            self.general[self.RESULT] = result


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
