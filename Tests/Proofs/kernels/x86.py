"""x86-64 machine code on terms: what each instruction of kernels does, as Intel's manual (volume 2) defines it."""

import re

import iced_x86 as x86

import terms
import words
import x86_sha
from base import (CONDITIONS, RETURN, UNKNOWN_MASKS, Base, by_variable, defining, difference_flags, each, holds, joined,
                  logical_flags, shifted, subtracted, sum_flags, summed)
from terms import add, constant
from words import NotConcrete, Unknown, concatenate, concrete, extract, regroup, swapped

_K, _R = x86.OpKind, x86.Register
_NAMES = {value: name for name, value in vars(x86.Mnemonic).items() if isinstance(value, int)}
# By iced's numbers: which register, of how many bits, and from which bit on.
GENERAL = {getattr(_R, first) + index: (start + index, size, low) for first, start, count, size, low in (
    ("RAX", 0, 16, 64, 0), ("EAX", 0, 16, 32, 0), ("AX", 0, 16, 16, 0), ("AL", 0, 4, 8, 0), ("AH", 0, 4, 8, 8),
    ("SPL", 4, 12, 8, 0)) for index in range(count)}
_VECTORS = {getattr(_R, first) + index: (index, size) for first, size in (("XMM0", 128), ("YMM0", 256), ("ZMM0", 512))
            for index in range(32)}
_MASKS = range(_R.K0, _R.K7 + 1)
_REGISTERS = {None, *GENERAL, *_VECTORS, *_MASKS}
PREFIXES = re.compile(rb"[\x26\x2e\x36\x3e\x64-\x67\xf0\xf2\xf3\x40-\x4f]*")
RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI = range(8)


def need(ins, condition):
    """What a definition is for."""
    if not condition:
        raise Unknown(ins.text)


class Instruction:
    def __init__(self, decoded, code):
        self.decoded, self.next, self.text = decoded, decoded.next_ip, str(decoded)
        name, count, size = _NAMES[decoded.mnemonic], decoded.op_count, x86.MemorySizeExt.size
        self.is_legacy = decoded.encoding == x86.EncodingKind.LEGACY
        self.name = name if self.is_legacy else name.removeprefix("V")
        self.kinds = [decoded.op_kind(index) for index in range(count)]
        self.registers = [decoded.op_register(index) if kind == _K.REGISTER else None
                          for index, kind in enumerate(self.kinds)]
        # The number that is the last operand, and the operands before it.
        is_number = count and _K.IMMEDIATE8 <= self.kinds[-1] <= _K.IMMEDIATE32TO64
        self.number = [decoded.immediate(count - 1)] if is_number else []
        self.places = count - len(self.number)
        self.memory_bits, self.mask = 8 * size(decoded.memory_size), decoded.op_mask - _R.K0
        # Of an access: the register that is the place's base, or "fixed".
        has_place = _K.MEMORY in self.kinds and name != "LEA"
        self.base = GENERAL.get(decoded.memory_base, ("fixed",))[0] if has_place else None
        self.is_masked = decoded.op_mask != _R.NONE
        self.masked_bits = 64 if name[-1] == "Q" or name[-2:] == "64" else 32 if name[-1] == "D" else None
        self.alignment = self.memory_bits // 8 if self.memory_bits > 64 and (
            self.name in ("MOVAPS", "MOVDQA", "MOVDQA32", "MOVDQA64") or
            self.is_legacy and self.name not in ("MOVUPS", "MOVDQU")) else 1
        is_part = self.name in ("PUSH", "POP") and self.bits(0) != 64
        has_segment = decoded.segment_prefix != _R.NONE and self.name != "NOP"
        # With 66 before it, a jump goes to 16 bits of its target on some CPUs.
        is_narrow = decoded.flow_control != x86.FlowControl.NEXT and b"\x66" in PREFIXES.match(code)[0]
        is_known = self.name in DEFINITIONS and _REGISTERS.issuperset(self.registers)
        if is_part or has_segment or is_narrow or not is_known:
            raise Unknown(f"{self.name} {self.text}")
        self.execute = DEFINITIONS[self.name]

    def bits(self, index):
        """Of an operand."""
        register = self.registers[index]
        return (_VECTORS.get(register) or GENERAL.get(register) or (0, self.memory_bits))[1]


class Machine(Base):
    """A vector is four parts of 128 bits, each of elements of one width."""

    STACK, RESULT, ARGUMENTS, SAVED = RSP, RAX, (RDI, RSI, RDX, RCX, 8, 9), (RBX, RSP, RBP, 12, 13, 14, 15)
    # What a function may use below its stack, and how far the stack is from a multiple of 16 where one begins.
    BELOW_STACK, CALLED = 128, 8

    @staticmethod
    def unknown_vector(*name):
        return [[terms.variable((*name, part, half), 64) for half in range(2)] for part in range(4)]

    def enter(self):
        self.push(self.memory.pointer(RETURN))

    def push(self, value):
        self.general[RSP] = add(self.general[RSP], constant(-8, 64))
        self.store(self.place_of(self.general[RSP]), value)

    def pop(self):
        value = self.load(self.place_of(self.general[RSP]), 64)
        self.general[RSP] = add(self.general[RSP], constant(8, 64))
        return value

    def after_call(self, _vectors):
        self.ip, self.masks = self.place_of(self.pop()), UNKNOWN_MASKS[:]

    @staticmethod
    def decode(code, address):
        return Instruction(x86.Decoder(64, code, ip=address).decode(), code)

    def address(self, ins):
        """A term."""
        decoded = ins.decoded
        place = self.memory.pointer if decoded.memory_base == _R.RIP else lambda number: constant(number, 64)
        parts = [place(decoded.memory_displacement)]
        for register, scale in ((decoded.memory_base, 1), (decoded.memory_index, decoded.memory_index_scale)):
            if register not in (_R.NONE, _R.RIP):
                number, size, _ = GENERAL.get(register, (0, 0, 0))
                if size != 64:
                    raise Unknown("an address of other registers")
                parts += [self.general[number]] * scale
        return add(*parts)

    def get(self, ins, index):
        """A general register, memory or a number."""
        if ins.kinds[index] == _K.MEMORY:
            return self.load(self.place_of(self.address(ins)), ins.memory_bits)
        if ins.kinds[index] != _K.REGISTER:
            return constant(ins.number[0], ins.bits(0))
        number, size, low = GENERAL[ins.registers[index]]
        return extract(self.general[number], low, size) if size < 64 else self.general[number]

    def set(self, ins, term, index=0):
        need(ins, term.width == ins.bits(index))
        if ins.kinds[index] == _K.MEMORY:
            self.store(self.place_of(self.address(ins)), term)
            return
        number, size, low = GENERAL[ins.registers[index]]
        old = self.general[number]
        rest = [constant(0, 32)] if size == 32 else [extract(old, low + size, 64 - low - size)] * (size < 32)
        self.general[number] = concatenate([extract(old, 0, low)] * (low > 0) + [term] + rest)

    def elements(self, ins, index, width, size=0):
        """An operand's lowest bits in elements of a width; one of an integer type is in vectors, too."""
        size = size or ins.bits(index)
        if ins.kinds[index] == _K.MEMORY:
            address = self.place_of(self.address(ins), ins.alignment)
            step = min(max(min(width, self.word_bits), 32), ins.memory_bits)
            if ins.decoded.is_broadcast:
                return regroup([self.load(address, ins.memory_bits)] * (ins.bits(0) // ins.memory_bits), width)
            if ins.is_masked:
                return [self.load(address + place * width // 8, width) if self.is_chosen(ins, place) else
                        constant(0, width) for place in range(size // width)]
            return regroup(self.load_elements(address, size, step), width)
        if ins.registers[index] in GENERAL:
            return regroup([self.get(ins, index)], width)
        return self.vector(_VECTORS[ins.registers[index]][0], size, width)

    def vector(self, number, size, width):
        parts = self.vectors[number][:size + 127 >> 7]
        return [term for part in parts for term in regroup(part, width)][:size // width]

    def is_chosen(self, ins, place):
        bit = self.masks[ins.mask][place]
        if bit not in (0, 1):
            raise NotConcrete("a mask")
        return bit

    def put(self, ins, result):
        """Into the first operand."""
        width = result[0].width
        if ins.kinds[0] == _K.MEMORY:
            need(ins, not ins.is_masked)
            self.store_elements(self.place_of(self.address(ins), ins.alignment), result)
        elif ins.registers[0] in GENERAL:
            self.set(ins, concatenate(result))
        else:
            number, size = _VECTORS[ins.registers[0]]
            if ins.is_masked:
                need(ins, width == ins.masked_bits)
                old = self.vector(number, size, width)
                rest = [constant(0, width)] * len(old) if ins.decoded.zeroing_masking else old
                result = [new if self.is_chosen(ins, place) else kept
                          for place, (new, kept) in enumerate(zip(result, rest))]
            result += [constant(0, width)] * (128 // width - len(result))
            result = result if width >= 32 else regroup(result, 32)
            count = 128 // result[0].width
            parts = [result[start:start + count] for start in range(0, len(result), count)]
            kept = self.vectors[number][1:] if ins.is_legacy else [[constant(0, 32)] * 4] * (4 - len(parts))
            self.vectors[number] = parts + kept


DEFINITIONS = {}
defines = defining(DEFINITIONS)


# MARK: General instructions.

def _two(operation, flags, writes=True):
    def execute(machine, ins):
        left, right = machine.get(ins, 0), machine.get(ins, 1)
        result = operation(left, right)
        machine.flags = flags(left, right, result)
        if writes:
            machine.set(ins, result)
        else:
            machine.flags["z"] = machine.is_zero(result)
    return execute


DEFINITIONS.update({
    "ADD": _two(add, sum_flags), "SUB": _two(subtracted, difference_flags),
    "CMP": _two(subtracted, difference_flags, False), "TEST": _two(terms.both, logical_flags, False),
    "OR": _two(joined, logical_flags), "XOR": _two(terms.xor, logical_flags)})


@defines("AND")
def _and(machine, ins):
    left, right = machine.get(ins, 0), machine.get(ins, 1)
    result = machine.masked(GENERAL.get(ins.registers[0], (None,))[0] == RSP, left, right)
    machine.flags = logical_flags(left, right, result)
    machine.set(ins, result)


@defines("SBB")
def _sbb(machine, ins):
    """Of a register and itself: the borrow in each bit."""
    borrow = machine.flags.get("c")
    need(ins, None not in ins.registers and ins.registers[0] == ins.registers[1] and borrow is not None)
    machine.flags = {"c": borrow}
    machine.set(ins, words.splat(borrow, ins.bits(0)))


@defines("INC DEC")
def _by_one(machine, ins):
    left, carry = machine.get(ins, 0), machine.flags.get("c")
    operation, flags = (add, sum_flags) if ins.name == "INC" else (subtracted, difference_flags)
    one = constant(1, left.width)
    result = operation(left, one)
    machine.flags = {**flags(left, one, result), "c": carry}
    machine.set(ins, result)


@defines("SHL SHR")
def _shift(machine, ins):
    left = machine.get(ins, 0)
    count, bits = machine.get(ins, 1) if len(ins.kinds) > 1 else constant(1, 8), 6 if left.width == 64 else 5
    by, direction = terms.value_of(extract(count, 0, bits)), 1 if ins.name == "SHL" else -1
    if by != 0:
        result = by_variable(left, count, bits, direction) if by is None else shifted(left, direction * by)
        machine.flags = {} if by is None else {**logical_flags(left, left, result), "c": None}
        machine.set(ins, result)


@defines("BT")
def _bt(machine, ins):
    value = machine.get(ins, 0)
    need(ins, ins.kinds[0] == _K.REGISTER)
    machine.flags = {"z": machine.flags.get("z"), "c": terms.bits(value)[concrete(machine.get(ins, 1)) % value.width]}


@defines("IMUL")
def _imul(machine, ins):
    need(ins, len(ins.kinds) > 1)
    left, right = (machine.get(ins, len(ins.kinds) - index) for index in (2, 1))
    machine.flags = {}
    machine.set(ins, constant(concrete(left) * concrete(right), left.width))


def _jump(machine, ins):
    is_near = ins.kinds[0] == _K.NEAR_BRANCH64
    need(ins, is_near or ins.bits(0) == 64)
    machine.ip = ins.decoded.near_branch_target if is_near else machine.place_of(machine.get(ins, 0))


def _call(machine, ins):
    _jump(machine, ins)
    machine.push(machine.memory.pointer(ins.next))


def _return(machine, ins):
    need(ins, not ins.kinds)
    machine.ip = machine.place_of(machine.pop())


DEFINITIONS.update({
    "MOV": lambda machine, ins: machine.set(ins, machine.get(ins, 1)),
    "MOVZX": lambda machine, ins: machine.set(ins, concatenate([
        machine.get(ins, 1), constant(0, ins.bits(0) - ins.bits(1))])),
    "LEA": lambda machine, ins: machine.set(ins, extract(machine.address(ins), 0, ins.bits(0))),
    "BSWAP": lambda machine, ins: machine.set(ins, swapped(machine.get(ins, 0))),
    "PUSH": lambda machine, ins: machine.push(machine.get(ins, 0)),
    "POP": lambda machine, ins: machine.set(ins, machine.pop()),
    "JMP": _jump, "CALL": _call, "RET": _return,
    "NOP": lambda *_: None})
for _condition in CONDITIONS:
    DEFINITIONS.update({
        f"J{_condition}": lambda machine, ins, of=_condition: holds(machine.flags, of) and _jump(machine, ins),
        f"CMOV{_condition}": lambda machine, ins, of=_condition: machine.set(
            ins, (machine.get(ins, 0), machine.get(ins, 1))[holds(machine.flags, of)]),
        f"SET{_condition}": lambda machine, ins, of=_condition: machine.set(
            ins, constant(int(holds(machine.flags, of)), 8))})


# MARK: Vectors.

@defines("MOVAPS MOVUPS MOVDQA MOVDQU MOVDQA64 MOVDQU64 MOVD MOVQ MOVSS MOVSD MOVLPS")
def _move(machine, ins):
    is_part = ins.name in ("MOVSS", "MOVSD", "MOVLPS")
    need(ins, ins.places == 2 and (not is_part or ins.kinds[ins.name != "MOVLPS"] == _K.MEMORY))
    size = 64 if ins.name == "MOVQ" else min(filter(None, (ins.bits(0), ins.bits(1))))
    machine.put(ins, machine.elements(ins, 1, 64 if ins.is_masked else min(size, machine.word_bits), size))


def _vector(width, count, function):
    """Of this many last operands, and perhaps a number. Of a word's width, if it is not given."""
    def execute(machine, ins):
        sources = [machine.elements(ins, index, width or machine.word_bits)
                   for index in range(ins.places - count, ins.places)]
        need(ins, count > 1 or ins.number)
        machine.put(ins, function(*sources, *ins.number))
    return execute


def _is_greater(left, right):
    """Of numbers; or whether zero is."""
    values = [terms.value_of(term) for term in (left, right)]
    if values[0] == 0:
        return words.splat(terms.bits(right)[-1], 64)
    if None in values:
        raise Unknown("a comparison")
    return words.splat(int((values[0] ^ 1 << 63) > (values[1] ^ 1 << 63)), 64)


def _is_equal(left, right):
    if left is not right and None in (terms.value_of(left), terms.value_of(right)):
        raise Unknown("a comparison")
    return words.splat(int(left is right), left.width)


def _by_table(*operands):
    return [words.by_table(operands[3], *three) for three in zip(*operands[:3])]


for _names, _operation in (
        ("PAND PANDD PANDQ ANDPS", terms.both), ("POR PORD ORPS", joined), ("PXOR PXORD PXORQ XORPS", terms.xor),
        ("PANDN PANDND", lambda a, b: terms.both(words.invert(a), b))):
    DEFINITIONS.update({name: _vector(0, 2, each(_operation)) for name in _names.split()})
for _suffix, _width in (("D", 32), ("Q", 64)):
    DEFINITIONS.update({name + _suffix: _vector(width, count, function) for name, width, count, function in (
        ("PADD", _width, 2, each(summed)), ("PSUB", _width, 2, each(subtracted)),
        ("PSLL", _width, 1, each(shifted)), ("PSRL", _width, 1, each(lambda a, by: shifted(a, -by))),
        ("PSRA", _width, 1, each(lambda a, by: words.shift_right_signed(a, min(by, a.width - 1)))),
        ("PROL", _width, 1, each(terms.rotate_left)), ("PTERNLOG", 0, 3, _by_table),
        ("PERMI2", _width, 3, lambda places, a, b: [(a + b)[concrete(place) % (2 * len(a))] for place in places]),
        ("PERMT2", _width, 3, lambda a, places, b: [(a + b)[concrete(place) % (2 * len(a))] for place in places]))})
DEFINITIONS.update(PCMPGTQ=_vector(64, 2, each(_is_greater)), PCMPEQD=_vector(32, 2, each(_is_equal)))


# Elements that are chosen: their width, of how many operands, and, for a number of elements and perhaps a number, their
# indices among those of all operands. None is zero.
def _in_lanes(indices):
    """The same in each 128 bits: the indices are those among these bits of all operands, and may depend on which."""
    def chosen(count, number=0):
        size = len(indices(number, 0))
        return [None if index is None else index // size * count + start + index % size
                for start in range(0, count, size) for index in indices(number, start // size)]
    return chosen


def _in_pairs(indices):
    """Of 128 bits, as elements of 64."""
    return lambda count, number: [2 * part + half for part in indices(count // 2, number) for half in range(2)]


def _inserted(size):
    """This many elements in the place that a number says."""
    return lambda count, number: [
        count + index % size if index // size == number % (count // size) else index for index in range(count)]


def _four(number, *_):
    return [number >> 2 * index & 3 for index in range(4)]


def _first(size):
    return lambda count, *_: [index % size for index in range(count)]


for _names, _width, _count, _indices in (
        ("PSHUFD PERMILPS", 32, 1, _in_lanes(_four)),
        ("PUNPCKLDQ UNPCKLPS", 32, 2, _in_lanes(lambda *_: [0, 4, 1, 5])),
        ("PUNPCKHDQ UNPCKHPS", 32, 2, _in_lanes(lambda *_: [2, 6, 3, 7])),
        ("PUNPCKLQDQ UNPCKLPD MOVLHPS", 64, 2, _in_lanes(lambda *_: [0, 2])),
        ("PUNPCKHQDQ UNPCKHPD", 64, 2, _in_lanes(lambda *_: [1, 3])),
        ("MOVDDUP", 64, 1, _in_lanes(lambda *_: [0, 0])),
        ("SHUFPS", 32, 2, _in_lanes(lambda number, _: [
            index + 4 * (place > 1) for place, index in enumerate(_four(number))])),
        ("SHUFPD", 64, 2, _in_lanes(lambda number, lane: [
            2 * half + (number >> 2 * lane + half & 1) for half in range(2)])),
        ("PALIGNR", 8, 2, _in_lanes(lambda number, _: [
            (index + 16) % 32 if index < 32 else None for index in range(number, number + 16)])),
        ("PSLLDQ", 8, 1, _in_lanes(lambda number, _: [
            index if index >= 0 else None for index in range(-number, 16 - number)])),
        ("PBLENDW", 16, 2, _in_lanes(lambda number, _: [8 * (number >> index & 1) + index for index in range(8)])),
        ("PBLENDD BLENDPS", 32, 2, lambda count, number: [
            count * (number >> index & 1) + index for index in range(count)]),
        ("PERMQ", 64, 1, lambda count, number: [
            start + index for start in range(0, count, 4) for index in _four(number)]),
        ("PERM2F128 PERM2I128", 64, 2, _in_pairs(lambda _, number: [number & 3, number >> 4 & 3])),
        ("SHUFI64X2", 64, 2, _in_pairs(lambda count, number: [
            index + count * (place > 1) for place, index in enumerate(_four(number))])),
        ("ALIGNQ", 64, 2, lambda count, number: [
            (index + count) % (2 * count) for index in range(number % count, number % count + count)]),
        ("INSERTF128 INSERTI128 INSERTI32X4", 64, 2, _inserted(2)), ("INSERTI64X4", 64, 2, _inserted(4)),
        ("EXTRACTI128 EXTRACTI64X4", 64, 1, lambda count, number: [
            (number & 1) * count + index for index in range(count)]),
        ("BROADCASTSS PBROADCASTD", 32, 1, _first(1)), ("BROADCASTSD PBROADCASTQ", 64, 1, _first(1)),
        ("BROADCASTI64X4", 64, 1, _first(4))):
    def _choose(machine, ins, width=_width, count=_count, indices=_indices):
        has_number = not re.match("P?(UNPCK|BROADCAST)|MOV", ins.name)
        need(ins, len(ins.number) == has_number and ins.places - count in (0, 1))
        elements = [term for index in range(ins.places - count, ins.places)
                    for term in machine.elements(ins, index, width)]
        machine.put(ins, [constant(0, width) if index is None else elements[index]
                          for index in indices(ins.bits(0) // width, *ins.number)])
    DEFINITIONS.update({name: _choose for name in _names.split()})


@defines("PSHUFB")
def _pshufb(machine, ins):
    source, places = (machine.elements(ins, index, 8) for index in (ins.places - 2, ins.places - 1))
    machine.put(ins, [constant(0, 8) if concrete(place) & 128 else source[index & ~15 | concrete(place) & 15]
                      for index, place in enumerate(places)])


@defines("PEXTRD EXTRACTPS")
def _extract(machine, ins):
    machine.put(ins, [machine.elements(ins, 1, 32)[ins.number[0] & 3]])


@defines("PINSRD PINSRQ")
def _insert(machine, ins):
    width = ins.bits(ins.places - 1)
    result = machine.elements(ins, ins.places - 2, width)
    result[ins.number[0] % len(result)] = machine.get(ins, ins.places - 1)
    machine.put(ins, result)


@defines("PGATHERDQ")
def _gather(machine, ins):
    decoded = ins.decoded
    need(ins, ins.is_masked and GENERAL[decoded.memory_base][1] == 64)
    base = add(machine.general[GENERAL[decoded.memory_base][0]], constant(decoded.memory_displacement, 64))
    result = []
    for place, term in enumerate(machine.vector(*_VECTORS[decoded.memory_index], 32)[:ins.bits(0) // 64]):
        index = words.concatenate([term, words.splat(terms.bits(term)[-1], 32)])
        address = add(base, *[index] * decoded.memory_index_scale)
        result.append(machine.load(machine.place_of(address), 64) if machine.is_chosen(ins, place) else constant(0, 64))
    machine.put(ins, result)
    machine.masks[ins.mask] = (0,) * 16


@defines("KMOVW KXNORW")
def _mask(machine, ins):
    target, source, *other = ins.registers
    need(ins, target in _MASKS and (source in GENERAL or other == [source]))
    machine.masks[target - _R.K0] = (1,) * 16 if other else terms.bits(machine.get(ins, 1))[:16]


@defines("ZEROUPPER")
def _zero_upper(machine, _ins):
    for vector in machine.vectors[:16]:
        vector[1:] = [[constant(0, 32)] * 4] * 3


DEFINITIONS["PMOVQD"] = lambda machine, ins: machine.put(ins, machine.elements(ins, 1, 32)[::2])
DEFINITIONS["PMOVZXDQ"] = lambda machine, ins: machine.put(ins, [
    concatenate([term, constant(0, 32)]) for term in machine.elements(ins, 1, 32)[:ins.bits(0) // 64]])
for _name in "SHA1NEXTE SHA1MSG1 SHA1MSG2 SHA1RNDS4 SHA256MSG1 SHA256MSG2".split():
    DEFINITIONS[_name] = _vector(32, 2, getattr(x86_sha, _name.lower()))
DEFINITIONS["SHA256RNDS2"] = lambda machine, ins: machine.put(ins, x86_sha.sha256rnds2(
    machine.elements(ins, 0, 32), machine.elements(ins, 1, 32), machine.vector(0, 128, 32)))
