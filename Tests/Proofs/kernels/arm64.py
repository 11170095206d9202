"""arm64 machine code on terms: what each instruction of kernels does, as Arm's reference manual defines it.

The operands are read from the text that capstone writes.
"""

import re

import capstone

import arm_sha
import terms
import words
from base import RETURN, Base, by_variable, defining, difference_flags, each, holds, joined, shifted, subtracted, summed
from terms import add, constant
from words import NotConcrete, Unknown, concatenate, concrete, extract, regroup, swapped

_DECODER = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
_SIZES = {"b": 8, "h": 16, "s": 32, "d": 64, "q": 128, "w": 32, "x": 64}
# As x86-64 names them.
_CONDITIONS = dict(zip("eq ne hs lo hi ls".split(), "E NE AE B A BE".split()))


class Register:
    """Its number (31 is the stack's, None zero's), the width of an element, how many it names, or the index of one."""

    def __init__(self, text):
        found = re.match(r"([bhsdqwxv])(\d+|zr)(?:\.(\d*)([bhsd]))?(?:\[(\d+)\])?$", "x31" if text == "sp" else text)
        if not found:
            raise Unknown(text)
        self.is_general, self.number = found[1] in "wx", None if found[2] == "zr" else int(found[2])
        self.width, self.count = _SIZES[found[4] or found[1]], int(found[3] or 1)
        self.index = int(found[5]) if found[5] else None


def _operand(text):
    if text[0] == "[":
        return re.findall(r"\w+ #[^\s\]]+|[^\[\],\s!]+", text)
    if text[0] == "{":
        index = text.partition("}")[2]
        return [Register(name + index) for name in re.findall(r"v[\w.]+", text)]
    if re.fullmatch(r"#-?(0x)?[0-9a-f]+", text):
        return int(text[1:], 0)
    return _CONDITIONS.get(text) or Register(text)


class Instruction:
    def __init__(self, decoded):
        self.next, self.name, self.text = decoded.address + 4, decoded.mnemonic, decoded.op_str
        texts, self.shift = re.findall(r"\{[^}]*\}(?:\[\d+\])?|\[[^\]]*\]!?|[^,\s][^,]*", decoded.op_str), None
        if texts and (found := re.match(r"(lsl|lsr|asr|ror) #(\S+)$", texts[-1])):
            self.shift, texts = (found[1], int(found[2], 0)), texts[:-1]
        self.operands, self.writes_back = [_operand(text) for text in texts], decoded.op_str.endswith("!")
        if self.name.startswith("b."):
            self.name, self.operands = "b.", [_operand(self.name[2:]), *self.operands]
        # Of an access: the operand that is its place, and the register there.
        self.place = next((index for index, operand in enumerate(self.operands)
                           if isinstance(operand, list) and isinstance(operand[0], str)), None)
        self.base = None if self.place is None else Register(self.operands[self.place][0]).number
        first = self.operands[0] if self.operands else None
        is_vector = isinstance(first, list) or isinstance(first, Register) and not first.is_general
        self.execute = DEFINITIONS.get("v." + self.name if is_vector and not re.match("(ld|st)[rpu]", self.name)
                                       else self.name)
        if self.execute is None:
            raise Unknown(f"{self.name} {self.text}")


class Machine(Base):
    """A vector is a list of elements of one width."""

    STACK, RESULT, ARGUMENTS, SAVED = 31, 0, tuple(range(8)), (*range(19, 30), 31)
    BELOW_STACK, CALLED, moved = 0, 0, None

    @staticmethod
    def unknown_vector(*name):
        return [terms.variable((*name, part), 64) for part in range(2)]

    def enter(self):
        self.general[30] = self.memory.pointer(RETURN)

    def saved(self):
        return super().saved() + [regroup(vector, 64)[0] for vector in self.vectors[8:16]]

    def after_call(self, vectors):
        self.ip = self.place_of(self.general[30])
        for index in range(8, 16):
            self.vectors[index][0] = regroup(vectors[index], 64)[0]

    @staticmethod
    def decode(code, address):
        for decoded in _DECODER.disasm(code[:4], address):
            return Instruction(decoded)
        raise Unknown(f"code at {address:#x}")

    def get(self, operand, width=None):
        """A register, an element or a number."""
        if isinstance(operand, int):
            return constant(operand, width)
        if not operand.is_general:
            return self.elements(operand)[operand.index or 0]
        term = constant(0, 64) if operand.number is None else self.general[operand.number]
        return extract(term, 0, operand.width)

    def last(self, ins):
        """The last operand, shifted."""
        term = self.get(ins.operands[-1], ins.operands[0].width)
        kind, count = ins.shift or ("lsl", 0)
        return {"lsl": words.shift_left, "lsr": terms.shift_right, "asr": words.shift_right_signed,
                "ror": words.rotate_right}[kind](term, count) if count else term

    def set(self, register, term):
        if register.number is not None:
            self.general[register.number] = concatenate([term] + [constant(0, 32)] * (term.width == 32))

    def elements(self, register, width=None):
        """All of the vector if it is one of an index; else those that it names."""
        vector = regroup(self.vectors[register.number], width or min(register.width, 64))
        return vector if register.index is not None else vector[:register.count * register.width // vector[0].width]

    def put(self, register, elements):
        elements = regroup(elements, 32) if elements[0].width < 32 else elements
        width = elements[0].width
        self.vectors[register.number] = [*elements, *[constant(0, width)] * (128 // width - len(elements))]

    def address(self, ins):
        """A term."""
        if ins.place is None:
            raise Unknown(ins.text)
        rest, after, number = ins.operands[ins.place][1:], ins.operands[ins.place + 1:], ins.base
        total = self.general[number]
        if rest and rest[0][0] == "#":
            total = add(total, constant(int(rest[0][1:], 0), 64))
        elif rest:
            kind, _, count = (rest + ["lsl #0"])[1].partition(" #")
            if kind != "lsl" or rest[0][0] != "x":
                raise Unknown(ins.text)
            total = add(total, words.shift_left(self.get(Register(rest[0])), int(count)))
        if ins.writes_back:
            self.general[number] = total
        self.moved = (number, add(total, self.get(after[0], 64))) if after else None
        return total

    def finish(self):
        """Moves a register after an access."""
        if self.moved:
            self.general[self.moved[0]], self.moved = self.moved[1], None


DEFINITIONS = {}
defines = defining(DEFINITIONS)


# MARK: General instructions.

def _computes(operation, flags=None):
    def execute(machine, ins):
        left, right = machine.get(ins.operands[-2]), machine.last(ins)
        result = operation(left, right)
        if flags:
            machine.flags = flags(left, right, result)
        if len(ins.operands) == 3:
            machine.set(ins.operands[0], result)
    return execute


def _product(left, right):
    return constant(concrete(left) * concrete(right), left.width)


def _shifts(direction):
    def computed(term, count):
        bits = 6 if term.width == 64 else 5
        by = terms.value_of(extract(count, 0, bits))
        return by_variable(term, count, bits, direction) if by is None else shifted(term, direction * by)
    return computed


DEFINITIONS.update({name: _computes(*how) for name, *how in (
    ("add", add), ("sub", subtracted), ("orr", terms.either), ("mul", _product),
    ("bic", lambda a, b: terms.both(a, words.invert(b))), ("lsl", _shifts(1)), ("lsr", _shifts(-1)),
    ("subs", subtracted, difference_flags), ("cmp", subtracted, difference_flags))})


@defines("and")
def _and(machine, ins):
    target, left = ins.operands[0], machine.get(ins.operands[-2])
    machine.set(target, machine.masked(target.number == machine.STACK, left, machine.last(ins)))


@defines("madd umaddl")
def _madd(machine, ins):
    a, b, c = (machine.get(operand) for operand in ins.operands[1:])
    machine.set(ins.operands[0], add(constant(concrete(a) * concrete(b), c.width), c))


@defines("movk")
def _movk(machine, ins):
    target, number = ins.operands
    low = ins.shift[1] if ins.shift else 0
    kept = terms.both(machine.get(target), constant(~(0xFFFF << low), target.width))
    machine.set(target, terms.either(kept, constant(number << low, target.width)))


@defines("ubfx ubfiz")
def _field(machine, ins):
    target, source, low, width = ins.operands
    term = terms.shift_right(machine.get(source), low) if ins.name == "ubfx" else machine.get(source)
    field = terms.both(term, constant((1 << width) - 1, term.width))
    machine.set(target, words.shift_left(field, low) if ins.name == "ubfiz" else field)


@defines("cinc")
def _cinc(machine, ins):
    target, source, condition = ins.operands
    machine.set(target, add(machine.get(source), constant(int(holds(machine.flags, condition)), target.width)))


def _jump(machine, ins):
    target = ins.operands[-1] if ins.operands else None
    machine.ip = target if isinstance(target, int) else machine.place_of(
        machine.general[30] if target is None else machine.get(target))
    if ins.name in ("bl", "blr"):
        machine.general[30] = machine.memory.pointer(ins.next)


@defines("b. cbz cbnz tbnz")
def _jump_if(machine, ins):
    first, *rest = ins.operands
    if ins.name == "b.":
        jumps = holds(machine.flags, first)
    elif ins.name == "tbnz":
        jumps = concrete(extract(machine.get(first), rest[0], 1))
    else:
        is_zero = machine.is_zero(machine.get(first))
        if is_zero is None:
            raise NotConcrete("a condition")
        jumps = is_zero == (ins.name == "cbz")
    if jumps:
        _jump(machine, ins)


DEFINITIONS.update({name: _jump for name in ("b", "bl", "br", "blr", "ret")})
DEFINITIONS.update({
    "neg": lambda machine, ins: machine.set(ins.operands[0], terms.negative(machine.last(ins))),
    "rev": lambda machine, ins: machine.set(ins.operands[0], swapped(machine.get(ins.operands[1])))})
DEFINITIONS.update({name: lambda machine, ins: machine.set(ins.operands[0], machine.get(
    ins.operands[1], ins.operands[0].width)) for name in ("mov", "fmov")})
DEFINITIONS["adrp"] = lambda machine, ins: machine.set(ins.operands[0], machine.memory.pointer(ins.operands[1]))


# MARK: Memory.

@defines("ldr ldur ldrb ldurb str stur strb ldp stp")
def _access(machine, ins):
    address, registers = machine.place_of(machine.address(ins)), ins.operands[:ins.place]
    width = registers[0].width
    width = 8 if ins.name[-1] == "b" else width
    for index, register in enumerate(registers):
        place = address + index * width // 8
        if ins.name[0] == "l" and register.is_general:
            machine.set(register, concatenate([machine.load(place, width)] + [
                constant(0, register.width - width)] * (width < register.width)))
        elif ins.name[0] == "l":
            machine.put(register, machine.load_elements(place, width, min(width, machine.word_bits)))
        elif register.is_general:
            machine.store(place, extract(machine.get(register), 0, width))
        else:
            machine.store_elements(place, machine.elements(register, min(width, machine.word_bits)))
    machine.finish()


@defines("v.ld1 v.ld1r v.ld2")
def _structures(machine, ins):
    registers, address = ins.operands[0], machine.place_of(machine.address(ins))
    first, count = registers[0], len(registers)
    if ins.name == "ld1":
        if first.index is None:
            raise Unknown(ins.text)
        elements = list(machine.elements(first))
        elements[first.index] = machine.load(address, first.width)
        machine.put(first, elements)
    else:
        each_count = 1 if ins.name == "ld1r" else first.count
        loaded = machine.load_elements(address, first.width * count * each_count, first.width)
        for index, register in enumerate(registers):
            machine.put(register, loaded[index::count] * (first.count // each_count))
    machine.finish()


# MARK: Vectors.

def _vector(operation, has_target=False, is_bitwise=False):
    """Of the vectors among the operands, perhaps the target, too, and numbers."""
    def execute(machine, ins):
        sources = ins.operands if has_target else ins.operands[1:]
        width = machine.word_bits if is_bitwise else None
        machine.put(ins.operands[0], operation(*(
            machine.elements(source, width) if isinstance(source, Register) else source for source in sources)))
    return execute


def _pairs(left, right):
    return [term for pair in zip(left, right) for term in pair]


def _reversed(width):
    def execute(machine, ins):
        elements, size = machine.elements(ins.operands[1]), width // ins.operands[0].width
        machine.put(ins.operands[0], [elements[index ^ size - 1] for index in range(len(elements))])
    return execute


def _ushl(term, count):
    """By the lowest byte, which is signed."""
    byte = terms.value_of(extract(count, 0, 8))
    if byte is not None:
        return shifted(term, byte - (byte >> 7 << 8))
    less = terms.negative(extract(count, 0, 8))
    if any(terms.bits(less)[term.width.bit_length() - 1:]):
        raise Unknown("a shift by what may be too much")
    return by_variable(term, less, 8, -1)


def _with_ushr(left, term, count):
    part = shifted(term, -count)
    are_apart = all(0 in pair for pair in zip(terms.bits(left), terms.bits(part)))
    return joined(left, part, terms.either if are_apart else add)


for _name, _operation, *_how in (
        ("and", each(terms.both), False, True), ("eor", each(terms.xor), False, True),
        ("bsl", each(lambda d, a, b: words.by_table(0xCA, d, a, b)), True, True),
        ("bit", each(lambda d, a, b: words.by_table(0xCA, b, a, d)), True, True),
        ("bif", each(lambda d, a, b: words.by_table(0xCA, b, d, a)), True, True),
        ("add", each(summed)), ("neg", each(terms.negative)), ("shl", each(shifted)),
        ("ushr", each(lambda a, count: shifted(a, -count))), ("ushl", each(_ushl)), ("usra", each(_with_ushr), True),
        ("cmlt", each(lambda a, _: words.splat(terms.bits(a)[-1], a.width))),
        ("fneg", each(lambda a: terms.xor(a, constant(1 << a.width - 1, a.width)))),
        ("zip1", lambda a, b: _pairs(a[:len(a) // 2], b)),
        ("zip2", lambda a, b: _pairs(a[len(a) // 2:], b[len(b) // 2:])),
        ("uzp1", lambda a, b: (a + b)[::2]), ("uzp2", lambda a, b: (a + b)[1::2]),
        ("trn1", lambda a, b: _pairs(a[::2], b[::2])), ("trn2", lambda a, b: _pairs(a[1::2], b[1::2])),
        ("xtn", each(lambda a: extract(a, 0, a.width // 2))),
        ("shrn", each(lambda a, count: extract(a, count, a.width // 2))),
        ("ext", lambda a, b, count: (a + b)[count:count + len(a)])):
    DEFINITIONS["v." + _name] = _vector(_operation, *_how)
DEFINITIONS.update({"v.rev32": _reversed(32), "v.rev64": _reversed(64)})
_AND_NOT, _OR = (_vector(each(of), False, True) for of in (lambda a, b: terms.both(a, words.invert(b)), joined))


@defines("v.movi v.bic v.orr")
def _with_number(machine, ins):
    """Of a number in each element; the last two also of vectors."""
    target, *_, last = ins.operands
    if isinstance(last, int):
        term = constant(last << (ins.shift[1] if ins.shift else 0), target.width)
        machine.put(target, [term if ins.name == "movi" else terms.either(old, term) if ins.name == "orr" else
                             terms.both(old, words.invert(term)) for old in machine.elements(target)])
    else:
        {"bic": _AND_NOT, "orr": _OR}[ins.name](machine, ins)


@defines("v.mov v.fmov v.dup")
def _move(machine, ins):
    target, source = ins.operands
    if target.index is not None:
        elements = list(machine.elements(target))
        elements[target.index] = machine.get(source)
        machine.put(target, elements)
    elif source.is_general or source.index is not None:
        machine.put(target, [machine.get(source)] * target.count)
    else:
        machine.put(target, machine.elements(source, machine.word_bits))


def _sha(machine, ins, function):
    vectors = [machine.elements(register, 64 if ins.name.startswith("sha512") else 32) for register in ins.operands]
    if ins.name in ("sha1c", "sha1p", "sha1m"):
        vectors[1] = vectors[1][0]
    machine.put(ins.operands[0], [function(vectors[1][0])] if ins.name == "sha1h" else function(*vectors))


for _name, _function in arm_sha.SHA_INSTRUCTIONS.items():
    DEFINITIONS["v." + _name] = lambda machine, ins, of=_function: _sha(machine, ins, of)
