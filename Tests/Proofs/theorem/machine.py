"""Executes x86-64 machine code on z3's terms, on every path that is possible. What is not defined is refused.

An address is the variable of an object, which may be anywhere, and an offset in it.
"""

import re

import iced_x86 as x86
import z3

import instructions
from instructions import GENERAL, NAMES, RSP, Refused, number, value_of
from kernels.image import BASE
from state import CANARY, LIBRARY, RETURN, Object, Split, State, unknown

_K, _R = x86.OpKind, x86.Register
RAX, RCX, RDX, RBX, _, RBP, RSI, RDI = range(8)
SAVED, ARGUMENTS = (RBX, RBP, 12, 13, 14, 15), (RDI, RSI, RDX, RCX, 8, 9)
STACK_BYTES, RED_ZONE, MOST_VALUES, MOST_WORK = 1 << 16, 128, 64, 1_000_000_000
REGISTERS = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()


class Machine:
    """`external` has, by address, what is done instead of the function there."""

    def __init__(self, image, external, *assumed):
        self.image, self.external, self.objects, self.solver = image, external, {}, z3.Solver()
        self.solver.set("rlimit", MOST_WORK)
        self.solver.add(*assumed)
        if self.solver.check() != z3.sat:
            raise Refused("the assumptions contradict each other")
        self.state, self.places, self.paths = State(), {}, 0
        # Where which register becomes public (otp_constant_time.h), such as an outcome: there, a path is split.
        self.public = {BASE + int.from_bytes(place, "little"): REGISTERS.index(name.decode()) for place, name in
                       re.findall(rb"(.{8})%(\w+)\0", image.content(".debug_otp_declassified"), re.S)}
        stack = self.add(Object("stack", STACK_BYTES + 16, 16, low=-STACK_BYTES, bias=8, is_writable=True))
        self.state.general[RSP] = stack.address
        self.put(stack.name, 0, RETURN)

    # MARK: Objects and memory.

    def add(self, thing):
        """An object. None is at address 0 or ends beyond 2^64."""
        self.objects[thing.name] = thing
        self.solver.add(thing.address != 0, z3.ULE(thing.address, thing.address + thing.size))
        return thing

    def put(self, name, place, term):
        for index in range(term.size() // 8):
            self.state.cells[name, place + index] = term, index

    def resolved(self, address):
        """The object's name, or None for the library, and the place."""
        if address.get_id() in self.places:
            return self.places[address.get_id()][1]
        simple = z3.simplify(address)
        parts = simple.children() if simple.decl().kind() == z3.Z3_OP_BADD else [simple]
        bases = [part for part in parts if part.num_args() == 0 and (
            part.eq(LIBRARY) or str(part) in self.objects)]
        if len(bases) != 1:
            raise Refused(f"an address: {simple}"[:200])
        offset = z3.simplify(simple - bases[0])
        place = (self.concrete(offset) ^ 1 << 63) - (1 << 63)
        result = (None, BASE + place) if bases[0].eq(LIBRARY) else (str(bases[0]), place)
        if value_of(offset) is not None:
            # On every path. The term is kept, since another would get its number.
            self.places[address.get_id()] = address, result
        return result

    def _checked(self, address, size, alignment, is_write=False):
        name, place = self.resolved(address)
        if name is None and not is_write:
            return name, place
        thing = self.objects.get(name)
        lowest = self.resolved(self.state.general[RSP])[1] - RED_ZONE if name == "stack" else place
        if thing is None or place < max(thing.low, lowest) or is_write and (
                not thing.is_writable or name == "stack" and place >= 0) or not self.follows(
                    z3.ULE(number(place + size - thing.low), thing.size)):
            raise Refused(f"{'a write' if is_write else 'an access'} of {size} bytes at {place} of {name}")
        if (place + thing.bias) % alignment or thing.alignment % alignment:
            raise Refused("an access that is not aligned")
        return name, place

    def load(self, address, width, alignment=1):
        name, place = self._checked(address, width // 8, alignment)
        if name is None:
            return self._constant(place, width // 8)
        # Runs of bytes of one term: it, the first byte, and the last.
        runs = []
        for at in range(place, place + width // 8):
            term, index = self.state.cells.setdefault((name, at), (unknown(8), 0))
            if runs and runs[-1][0].eq(term) and runs[-1][2] + 1 == index:
                runs[-1][2] = index
            else:
                runs.append([term, index, index])
        parts = [z3.Extract(8 * last + 7, 8 * first, term) for term, first, last in reversed(runs)]
        return z3.simplify(z3.Concat(*parts) if len(parts) > 1 else parts[0])

    def store(self, address, term, alignment=1):
        self.put(*self._checked(address, term.size() // 8, alignment, True), term)

    def _constant(self, place, size):
        moved = [at for at in range(place - 7, place + size) if at in self.image.moved]
        if (size, moved) == (8, [place]):
            return self.code(self.image.moved[place])
        for base, content in self.image.constants:
            if not moved and base <= place and place + size <= base + len(content):
                return number(int.from_bytes(content[place - base:place - base + size], "little"), 8 * size)
        raise Refused(f"memory of the library that may change, at {place - BASE:#x}, or a part of an address")

    @staticmethod
    def code(place):
        """The address of a place in the library, or of a function elsewhere."""
        return number(place) if place >> 40 == 1 else z3.simplify(LIBRARY + number(place - BASE))

    def forget_below(self, place):
        """What is there, on the stack, is any value."""
        self.state.cells = {at: term for at, term in self.state.cells.items() if at[0] != "stack" or at[1] >= place}

    # MARK: Paths.

    def follows(self, condition):
        condition = z3.simplify(condition)
        return z3.is_true(condition) or self.solver.check(z3.Not(condition)) == z3.unsat

    def concrete(self, term):
        """The value of a number or a condition on this path, which is split if there are several."""
        term = z3.simplify(term)
        if value_of(term) is not None:
            return value_of(term)
        if term.get_id() in self.state.known:
            return self.state.known[term.get_id()][1]
        values, answer = [], z3.sat
        self.solver.push()
        while len(values) <= MOST_VALUES and (answer := self.solver.check()) == z3.sat:
            found = self.solver.model().eval(term, model_completion=True)
            values.append(value_of(found))
            self.solver.add(term != found)
        self.solver.pop()
        if answer != z3.unsat or not values:
            raise Refused(f"a number with many values: {term}"[:200])
        raise Split(term, values)

    def claim(self, name, condition):
        """In a new solver, which is faster than the one that grows with the path."""
        solver = z3.SolverFor("QF_UFBV")
        solver.set("rlimit", MOST_WORK)
        solver.add(self.solver.assertions(), z3.Not(condition))
        answer = solver.check()
        if answer != z3.unsat:
            model = str(solver.model()) if answer == z3.sat else solver.reason_unknown()
            raise Refused(f"not that {name}: {' '.join(model.split())[:600]}")

    def call(self, ip, end, saved=()):
        """Every path of a function, which must leave some registers as they are. At each end, `end` is called."""
        self.state.ip, general = ip, self.state.general
        self.saved = {RSP: z3.simplify(general[RSP] + 8), **{index: general[index] for index in (*SAVED, *saved)}}
        self._follow(end)

    def _follow(self, end):
        while self.state.ip is not None:
            before = self.state.copy()
            try:
                self.step()
            except Split as split:
                for value in split.values:
                    self.state = before.copy()
                    self.state.known[split.term.get_id()] = split.term, value
                    self.solver.push()
                    self.solver.add(split.term == value)
                    self._follow(end)
                    self.solver.pop()
                return
        self.paths += 1
        if not all(self.state.general[index].eq(term) for index, term in self.saved.items()):
            raise Refused("a register is not restored")
        end()

    def step(self):
        state = self.state
        if state.ip in self.external:
            results = self.external[state.ip](self) or {}
            self._after_call()
            for index, term in results.items():
                state.general[index] = term
            return
        if state.ip in self.public:
            register = self.public[state.ip]
            state.general[register] = number(self.concrete(state.general[register]))
        code = self.image.code_at(state.ip)
        ins = x86.Decoder(64, code, ip=state.ip).decode()
        execute = instructions.DEFINITIONS.get(NAMES[ins.mnemonic])
        # With 66 before it, a jump goes to 16 bits of its target on some CPUs.
        is_narrow = ins.flow_control != x86.FlowControl.NEXT and code[:1] == b"\x66"
        if not execute or is_narrow or ins.has_lock_prefix or ins.has_rep_prefix or ins.has_repne_prefix:
            raise Refused(f"{ins} at {state.ip - BASE:#x}")
        state.ip = ins.next_ip
        execute(self, ins)

    def _after_call(self):
        """A function elsewhere leaves anything in registers that it need not restore, and below the stack."""
        state = self.state
        if self.resolved(state.general[RSP])[1] % 16:
            raise Refused("a stack that is not aligned at a call")
        self.jump(self.pop())
        state.general = [term if index in (RSP, *SAVED) else unknown(64) for index, term in enumerate(state.general)]
        state.vectors, state.flags = [unknown(128) for _ in range(16)], {}
        self.forget_below(self.resolved(state.general[RSP])[1])

    def jump(self, target):
        target = z3.simplify(target)
        if target.eq(RETURN):
            self.state.ip = None
            return
        name, self.state.ip = (None, value_of(target)) if value_of(target) is not None else self.resolved(target)
        if name:
            raise Refused("a jump to data")

    def push(self, term):
        self.move_stack(self.state.general[RSP] - 8)
        self.store(self.state.general[RSP], term)

    def pop(self):
        term = self.load(self.state.general[RSP], 64)
        self.move_stack(self.state.general[RSP] + 8)
        return term

    def move_stack(self, address):
        name, place = self.resolved(address)
        if name != "stack" or not -STACK_BYTES <= place <= 8:
            raise Refused("a stack that is elsewhere")
        is_up = place > self.resolved(self.state.general[RSP])[1]
        self.state.general[RSP] = z3.simplify(self.objects[name].address + number(place))
        if is_up:
            self.forget_below(place - RED_ZONE)

    # MARK: Operands.

    def address(self, ins, width=64):
        """The lowest bits of one."""
        parts = [self.code(ins.memory_displacement) if ins.memory_base == _R.RIP else
                 number(ins.memory_displacement & (1 << 64) - 1)]
        for register, scale in ((ins.memory_base, 1), (ins.memory_index, ins.memory_index_scale)):
            if register not in (_R.NONE, _R.RIP):
                index, size, _ = GENERAL[register]
                if size != 64:
                    raise Refused("an address of other registers")
                parts.append(self.state.general[index] * scale)
        return z3.simplify(sum(z3.Extract(width - 1, 0, z3.simplify(part)) for part in parts))

    @staticmethod
    def bits(ins, index):
        if ins.op_kind(index) == _K.REGISTER:
            return GENERAL.get(ins.op_register(index), (0, 128))[1]
        return 8 * x86.MemorySizeExt.size(ins.memory_size) if ins.op_kind(index) == _K.MEMORY else 0

    def get(self, ins, index, alignment=1):
        kind, register = ins.op_kind(index), ins.op_register(index)
        if kind == _K.MEMORY:
            if (ins.segment_prefix, ins.memory_displacement, ins.memory_base) == (_R.FS, 0x28, _R.NONE):
                return CANARY
            if ins.segment_prefix != _R.NONE:
                raise Refused("a segment")
            return self.load(self.address(ins), self.bits(ins, index), alignment)
        if kind != _K.REGISTER:
            return number(ins.immediate(index) & (1 << 64) - 1, self.bits(ins, 0))
        if register not in GENERAL:
            return self.state.vectors[register - _R.XMM0]
        general, size, low = GENERAL[register]
        return z3.simplify(z3.Extract(low + size - 1, low, self.state.general[general]))

    def set(self, ins, term, alignment=1):
        """The first operand."""
        kind, register, term = ins.op_kind(0), ins.op_register(0), z3.simplify(term)
        if term.size() != self.bits(ins, 0):
            raise Refused(f"the size of {ins}")
        if kind == _K.MEMORY:
            self.store(self.address(ins), term, alignment)
            return
        if register not in GENERAL:
            self.state.vectors[register - _R.XMM0] = term
            return
        general, size, low = GENERAL[register]
        old = self.state.general[general]
        if size < 64:
            above = number(0, 32) if size == 32 else z3.Extract(63, low + size, old)
            term = z3.simplify(z3.Concat(above, term, *([z3.Extract(low - 1, 0, old)] if low else [])))
        if general == RSP:
            self.move_stack(term)
        else:
            self.state.general[general] = term
