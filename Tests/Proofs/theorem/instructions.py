"""What instructions of x86-64 do, as Intel's manual (volume 2) defines it, but for operands. Flags are computed when
they are used; one that is not here is not known."""

import iced_x86 as x86
import z3

_K, _R = x86.OpKind, x86.Register
NAMES = {value: name for name, value in vars(x86.Mnemonic).items() if isinstance(value, int)}
# Which register, of how many bits, and from which bit on.
GENERAL = {getattr(_R, first) + index: (start + index, size, low) for first, start, count, size, low in (
    ("RAX", 0, 16, 64, 0), ("EAX", 0, 16, 32, 0), ("AX", 0, 16, 16, 0), ("AL", 0, 4, 8, 0), ("AH", 0, 4, 8, 8),
    ("SPL", 4, 12, 8, 0)) for index in range(count)}
RAX, RDX, RSP = 0, 2, 4
# What a quotient of whole numbers is, rounded down; and a product modulo 2^32.
QUOTIENT = z3.Function("quotient", *[z3.BitVecSort(64)] * 3)
PRODUCT = z3.Function("product", *[z3.BitVecSort(32)] * 3)
DEFINITIONS = {"NOP": lambda *_: None}


class Refused(Exception):
    """Something is wrong, or not known to be right."""


def number(value, width=64):
    return z3.BitVecVal(value, width)


def value_of(term):
    """Of a number or a condition, if it is known."""
    if z3.is_bv_value(term):
        return term.as_long()
    return z3.is_true(term) if z3.is_true(term) or z3.is_false(term) else None


# MARK: Arithmetic.

def _flags(result, **others):
    return {"z": lambda: result == 0, "s": lambda: result < 0, **others}


def _arithmetic(sign, *, has_carry=False, writes=True, operands=lambda machine, ins: (
        machine.get(ins, 0), machine.get(ins, 1)), keeps_carry=False):
    """A sum or a difference. Carry and overflow are whether the exact one, unsigned or signed, has more bits."""
    def execute(machine, ins):
        left, right = operands(machine, ins)
        carry = z3.If(flag(machine, "c"), number(1, 1), number(0, 1)) if has_carry else number(0, 1)

        def total(extend, more):
            return extend(more, left) + sign * (extend(more, right) + z3.ZeroExt(left.size() + more - 1, carry))
        result, kept = z3.simplify(total(z3.ZeroExt, 0)), machine.state.flags.get("c")
        flags = _flags(result, **{name: lambda extend=extend: total(extend, 2) != extend(2, result)
                                  for name, extend in (("c", z3.ZeroExt), ("o", z3.SignExt))})
        if sign < 0 and not has_carry:
            flags.update(c=lambda: z3.ULT(left, right), z=lambda: left == right)
        if keeps_carry:
            flags.update(c=kept)
        if writes:
            machine.set(ins, result)
        machine.state.flags = {name: value for name, value in flags.items() if value}
    return execute


def _logical(operation, writes=True):
    def execute(machine, ins):
        result = z3.simplify(operation(machine.get(ins, 0), machine.get(ins, 1)))
        if writes:
            machine.set(ins, result)
        machine.state.flags = _flags(result, c=lambda: z3.BoolVal(False), o=lambda: z3.BoolVal(False))
    return execute


def _and_one(machine, ins):
    return machine.get(ins, 0), number(1, machine.bits(ins, 0))


DEFINITIONS.update(
    ADD=_arithmetic(1), SUB=_arithmetic(-1), CMP=_arithmetic(-1, writes=False), ADC=_arithmetic(1, has_carry=True),
    INC=_arithmetic(1, operands=_and_one, keeps_carry=True), DEC=_arithmetic(-1, operands=_and_one, keeps_carry=True),
    NEG=_arithmetic(-1, operands=lambda machine, ins: (number(0, machine.bits(ins, 0)), machine.get(ins, 0))),
    NOT=lambda machine, ins: machine.set(ins, ~machine.get(ins, 0)), TEST=_logical(lambda a, b: a & b, False),
    AND=_logical(lambda a, b: a & b), OR=_logical(lambda a, b: a | b), XOR=_logical(lambda a, b: a ^ b))


def _shift(operation, is_rotation=False):
    """Carry and overflow are not known; a rotation leaves the other flags."""
    def execute(machine, ins):
        left = machine.get(ins, 0)
        count = machine.concrete(machine.get(ins, 1)) % (64 if left.size() == 64 else 32) if ins.op_count > 1 else 1
        if count:
            result = z3.simplify(operation(left, count))
            flags = machine.state.flags if is_rotation else _flags(result)
            machine.set(ins, result)
            machine.state.flags = {name: value for name, value in flags.items() if name in "zs"}
    return execute


DEFINITIONS.update(
    SHL=_shift(lambda left, count: left << count), SHR=_shift(z3.LShR), SAR=_shift(lambda left, count: left >> count),
    ROR=_shift(z3.RotateRight, True))


def _multiply(machine, ins):
    """Of two operands of 32 bits: the product has a name."""
    if ins.op_count != 2 or machine.bits(ins, 0) != 32:
        raise Refused(f"{ins}")
    machine.set(ins, PRODUCT(machine.get(ins, 0), machine.get(ins, 1)))
    machine.state.flags = {}


def _divide(machine, ins):
    """Of a number with no higher half: the quotient has a name, the remainder is any number."""
    divisor, size, general = machine.get(ins, 0), machine.bits(ins, 0), machine.state.general
    high, low = (z3.simplify(z3.Extract(size - 1, 0, general[index])) for index in (RDX, RAX))
    if size < 32 or value_of(high) != 0 or not machine.follows(divisor != 0):
        raise Refused("a division that may trap")
    left, right = (z3.simplify(z3.ZeroExt(64 - size, term)) for term in (low, divisor))
    quotient, rest = QUOTIENT(left, right), z3.FreshConst(z3.BitVecSort(size))
    machine.solver.add(z3.ULE(quotient, left))
    general[RAX], general[RDX] = (z3.simplify(z3.ZeroExt(64 - size, term))
                                  for term in (z3.Extract(size - 1, 0, quotient), rest))
    machine.state.flags = {}


# MARK: Moves and jumps.

def _move_vector(alignment):
    return lambda machine, ins: machine.set(ins, machine.get(ins, 1, alignment), alignment)


def _jump(machine, ins):
    is_near = ins.op_kind(0) == _K.NEAR_BRANCH64
    if not is_near and machine.bits(ins, 0) != 64:
        raise Refused(f"{ins}")
    target = machine.code(ins.near_branch_target) if is_near else machine.get(ins, 0)
    if ins.mnemonic == x86.Mnemonic.CALL:
        machine.push(machine.code(ins.next_ip))
    machine.jump(target)


def _return(machine, ins):
    if ins.op_count or ins.len != 1:
        raise Refused(f"{ins}")
    machine.jump(machine.pop())


DEFINITIONS.update(
    MOV=lambda machine, ins: machine.set(ins, machine.get(ins, 1)), JMP=_jump, CALL=_jump, RET=_return,
    IMUL=_multiply, DIV=_divide, LEA=lambda machine, ins: machine.set(ins, machine.address(ins, machine.bits(ins, 0))),
    MOVZX=lambda machine, ins: machine.set(ins, z3.ZeroExt(
        machine.bits(ins, 0) - machine.bits(ins, 1), machine.get(ins, 1))),
    PUSH=lambda machine, ins: machine.push(machine.get(ins, 0)),
    POP=lambda machine, ins: machine.set(ins, machine.pop()), MOVAPS=_move_vector(16), MOVUPS=_move_vector(1),
    XORPS=lambda machine, ins: machine.set(ins, machine.get(ins, 0) ^ machine.get(ins, 1, 16)))


# MARK: Conditions.

def flag(machine, name):
    if name not in machine.state.flags:
        raise Refused(f"the flag {name}")
    return machine.state.flags[name]()


_CONDITIONS = {"E": lambda of: of("z"), "S": lambda of: of("s"), "B": lambda of: of("c"),
               "BE": lambda of: z3.Or(of("c"), of("z")), "L": lambda of: of("s") != of("o"),
               "LE": lambda of: z3.Or(of("z"), of("s") != of("o"))}


def _conditional(of, is_not):
    def holds(machine):
        found = of(lambda name: flag(machine, name))
        return z3.simplify(z3.Not(found) if is_not else found)
    return (lambda machine, ins: machine.concrete(holds(machine)) and _jump(machine, ins),
            lambda machine, ins: machine.set(ins, z3.If(holds(machine), number(1, 8), number(0, 8))),
            lambda machine, ins: machine.set(ins, z3.If(holds(machine), machine.get(ins, 1), machine.get(ins, 0))))


for _name, _other in zip(("E", "S", "B", "BE", "L", "LE"), ("NE", "NS", "AE", "A", "GE", "G")):
    for _is_not, _condition in enumerate((_name, _other)):
        DEFINITIONS.update(zip((f"J{_condition}", f"SET{_condition}", f"CMOV{_condition}"),
                               _conditional(_CONDITIONS[_name], _is_not)))
