"""What an instruction of x86-64 reads and writes, as iced-x86 says: registers, flags and memory.

A register is its number (0 to 15 are the general ones, 16 to 47 vectors, 48 to 55 masks), the first of its bytes that
is meant, and a mask of these bytes.
"""

import iced_x86 as x86

RSP, RSI, RDI, RCX, VECTORS, COUNT = 4, 6, 7, 1, 16, 56
_A, _K, _R = x86.OpAccess, x86.OpKind, x86.Register
_INFORMATION, _FORMATTER = x86.InstructionInfoFactory(), x86.Formatter(x86.FormatterSyntax.NASM)
_MNEMONICS = {value: name for name, value in vars(x86.Mnemonic).items() if isinstance(value, int)}
_READS = (_A.READ, _A.COND_READ, _A.READ_WRITE, _A.READ_COND_WRITE)
_WRITES = (_A.WRITE, _A.READ_WRITE, _A.COND_WRITE, _A.READ_COND_WRITE)
_CONDITIONAL = (_A.COND_WRITE, _A.READ_COND_WRITE)
_NOTHING = ("NOP", "ENDBR64", "PAUSE", "LFENCE", "MFENCE", "SFENCE", "VZEROUPPER")
# Copies of bytes, after which the rest of a register is zero.
_COPIES = set("""MOV MOVZX PUSH POP MOVAPS MOVUPS MOVAPD MOVUPD MOVDQA MOVDQU LDDQU MOVNTDQ MOVNTPS MOVD MOVQ MOVSB
    MOVSW MOVSD MOVSQ STOSB STOSW STOSD STOSQ VMOVAPS VMOVUPS VMOVAPD VMOVUPD VMOVDQA VMOVDQU VMOVDQA32 VMOVDQA64
    VMOVDQU8 VMOVDQU16 VMOVDQU32 VMOVDQU64 VMOVNTDQ VMOVD VMOVQ""".split())
# Each byte of the result depends on the bytes at the same place only. (Else, on each byte of each operand.)
_BITWISE = set("""AND OR XOR NOT TEST ANDN PAND PANDN POR PXOR ANDPS ORPS XORPS VPAND VPANDN VPOR VPXOR VPANDD VPANDQ
    VPANDND VPANDNQ VPORD VPORQ VPXORD VPXORQ VANDPS VORPS VXORPS""".split())
_SHIFTS = set("SHL SHR SAR ROL ROR RCL RCR SHLD SHRD".split())
_STRINGS = {name + size for name in ("MOVS", "STOS", "LODS", "CMPS", "SCAS") for size in "BWDQ"}


class Unknown(Exception):
    """Something that this program does not know."""


_PARTS = {getattr(_R, first) + index: (number + index, start, (1 << size) - 1 << start)
          for first, count, number, size, start in (
              ("RAX", 16, 0, 8, 0), ("EAX", 16, 0, 4, 0), ("AX", 16, 0, 2, 0), ("AL", 4, 0, 1, 0), ("AH", 4, 0, 1, 1),
              ("SPL", 12, 4, 1, 0), ("XMM0", 32, VECTORS, 16, 0), ("YMM0", 32, VECTORS, 32, 0),
              ("ZMM0", 32, VECTORS, 64, 0), ("K0", 8, 48, 8, 0)) for index in range(count)}
# Instruction pointer and segments.
_PUBLIC = {_R.NONE, _R.RIP, _R.CS, _R.DS, _R.ES, _R.FS, _R.GS, _R.SS}


def _parts(registers):
    """Of those that can be secret."""
    registers = [register for register in registers if register not in _PUBLIC]
    if unknown := [register for register in registers if register not in _PARTS]:
        raise Unknown(f"register {unknown[0]}")
    return [_PARTS[register] for register in registers]


class Place:
    """Memory that is accessed: at a sum of registers and a number, and of a size."""

    def __init__(self, memory, decoded):
        self.is_gather = _R.XMM0 <= memory.index <= _R.ZMM31
        self.terms = [(number, scale) for register, scale in ((memory.base, 1), (memory.index, memory.scale))
                      for number, _, _ in _parts([register]) if number < VECTORS]
        self.displacement, self.has_segment = memory.displacement, memory.segment in (_R.FS, _R.GS)
        self.size = x86.MemorySizeExt.size(memory.memory_size) or x86.MemorySizeExt.size(decoded.memory_size)
        if not 0 < self.size <= 64 or self.is_gather and memory.access in _WRITES:
            raise Unknown("an access of a size or at places that are not known")
        self.is_read, self.is_written = memory.access in _READS, memory.access in _WRITES
        self.is_conditional = memory.access in _CONDITIONAL


class Instruction:
    """What follow.py needs of one."""

    def __init__(self, code, address):
        decoded = next(iter(x86.Decoder(64, code, ip=address)))
        self.text, name = _FORMATTER.format(decoded), _MNEMONICS[decoded.mnemonic]
        kinds = [decoded.op_kind(index) for index in range(decoded.op_count)]
        operands = [decoded.op_register(index) for index, kind in enumerate(kinds) if kind == _K.REGISTER]
        self.clears_upper, self.is_nothing, self.is_call = name == "VZEROUPPER", name in _NOTHING, name in (
            "SYSCALL", "SYSENTER", "INT")
        is_string = name in _STRINGS and not any(_R.XMM0 <= register <= _R.ZMM31 for register in operands)
        is_repeated = is_string and (decoded.has_rep_prefix or decoded.has_repne_prefix)
        # What must not depend on a secret.
        self.jumps = is_repeated and name[:4] in ("CMPS", "SCAS") or decoded.flow_control not in (
            x86.FlowControl.NEXT, x86.FlowControl.CALL, x86.FlowControl.UNCONDITIONAL_BRANCH)
        self.divides, self.chooses = "DIV" in name or "SQRT" in name, name.startswith("CMOV")
        addressing = [_R.RSI, _R.RDI] * is_string + [_R.RCX] * is_repeated
        if has_memory := _K.MEMORY in kinds and name != "LEA" and not self.is_nothing:
            addressing += [decoded.memory_base, decoded.memory_index, decoded.op_mask]
            if "MASKMOV" in name or name in ("BT", "BTS", "BTR", "BTC"):
                addressing += operands[-1:] if kinds[0] == _K.MEMORY else operands[1:]
        self.addressing = _parts(addressing)

        self.flags_read, self.flags_written = decoded.rflags_read, decoded.rflags_modified
        self.flags_changed = self.flags_written & ~decoded.rflags_cleared & ~decoded.rflags_set
        # A shift by zero, and no repetition, leave the flags as they were.
        self.flags_kept = is_repeated or name in _SHIFTS and kinds[-1] == _K.REGISTER
        information = _INFORMATION.info(decoded)
        self.places = [] if self.is_nothing else [Place(memory, decoded) for memory in information.used_memory()]
        # That the stack and a string's places move, and the count, depends on no data.
        moved = {RSP} if decoded.is_stack_instruction or name == "LEAVE" else {RSI, RDI, RCX} if is_string else set()
        used = [(*part, access) for register in ([] if self.is_nothing else information.used_registers())
                for access in [register.access] for part in _parts([register.register]) if part[0] not in moved]
        self.reads = [part[:3] for part in used if part[3] in _READS]
        self.writes = [(*part[:3], part[3] in _CONDITIONAL) for part in used if part[3] in _WRITES]
        self.changes = moved | {number for number, *_ in self.writes} | ({0} if self.is_call else set())

        is_whole = decoded.op_mask == _R.NONE and not decoded.is_broadcast
        self.is_bytewise = is_whole and (self.chooses or name in _BITWISE or name in _COPIES and not (
            name == "MOVSD" and has_memory is False and not is_string))
        if self.is_bytewise and name in _COPIES and has_memory:
            # The address is no part of the value.
            values = {number for number, _, _ in _parts(operands[-1:] if kinds[0] == _K.MEMORY else operands[1:])}
            bases = {number for number, _, _ in self.addressing} - values
            self.reads = [part for part in self.reads if part[0] not in bases]
        # By whole bytes, to the left if positive; and the bytes that an AND with a number keeps.
        self.shift, self.kept = 0, -1
        if name in ("SHL", "SHR") and kinds[1] == _K.IMMEDIATE8 and decoded.immediate8 % 8 == 0:
            self.is_bytewise, self.shift = True, decoded.immediate8 // (8 if name == "SHL" else -8)
        if name in ("AND", "TEST") and _K.IMMEDIATE8 <= kinds[1] <= _K.IMMEDIATE32TO64:
            number = decoded.immediate(1) & (1 << 64) - 1
            self.kept = sum(1 << byte for byte in range(8) if number >> 8 * byte & 255)
