"""What functions of LLVM's intermediate language compute, on every path, as z3 terms over their arguments.

Anything that is not known is an error, and so is a read of memory that was not written.
"""
import operator
import re

import z3

from path import COUNTER, Path, Unknown, bits, merged, place

OPERATIONS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_,
              "or": operator.or_, "xor": operator.xor, "shl": operator.lshift, "lshr": z3.LShR,
              "ashr": operator.rshift, "udiv": z3.UDiv, "urem": z3.URem, "sdiv": operator.truediv, "srem": z3.SRem}
COMPARISONS = {"eq": operator.eq, "ne": operator.ne, "ult": z3.ULT, "ule": z3.ULE, "ugt": z3.UGT, "uge": z3.UGE,
               "slt": operator.lt, "sle": operator.le, "sgt": operator.gt, "sge": operator.ge}
EXTREMES = {"umin": z3.ULT, "umax": z3.UGT, "smin": operator.lt, "smax": operator.gt}
EXTENSIONS = {"nuw": z3.ZeroExt, "nsw": z3.SignExt, "u": z3.ZeroExt, "s": z3.SignExt}
TYPE = r"(\{.*?\}|<[^>]+>|[\w.%]+)"
ATTRIBUTES = (r"(?:(?:noundef|nonnull|noalias|readonly|swiftself|swifterror|returned|align \d+|\w+\([^()]*\)) )*")
# They change nothing that is returned or written: an error is about to be thrown, memory is reserved, or references are
# counted (WO and c, e, h or y: outlined copies and destructions).
IGNORED = re.compile(r'(swift_(willThrowTypedImpl|retain|release)|"\$s\w*(ErrorVACs\w*AAWl|WO[cehy])"|'
                     r'llvm\.lifetime\.\w+\.p0)$')


def bit(condition):
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def fits(name, left, right, extend):
    """Whether the exact result has no more bits."""
    function, width = OPERATIONS[name], left.size()
    return extend(width, function(left, right)) == function(extend(width, left), extend(width, right))


def product(left, right):
    """All bits of a signed product, as any function: what holds for all, holds for the product."""
    word = z3.BitVecSort(left.size())
    function = z3.Function("product", word, word, z3.BitVecSort(2 * left.size() - 1))
    return z3.SignExt(1, function(*sorted((left, right), key=z3.ExprRef.sexpr)))


class Module:
    """The functions of a text: their parameters, and blocks of lines by label. A contract is a pattern of names, and a
    function that does what such a function is taken to do: of a path and arguments, returns the result."""

    def __init__(self, text, contracts=()):
        self.functions, self.contracts = {}, contracts
        for found in re.finditer(r'^define [^\n]*?@("[^"]+"|[\w.]+)\((.*?)\n(.*?)^}', text, re.M | re.S):
            blocks, label = {}, "entry"
            for line in re.sub(r"\n    (?=i\d)|\n  (?=])", " ", found[3]).splitlines():
                line = re.sub(r"( *;.*| #\d+|, !.*)+$", "", line.strip())
                if match := re.fullmatch(r"([\w.]+):", line):
                    label = match[1]
                elif line:
                    blocks.setdefault(label, []).append(line)
            self.functions[found[1]] = re.findall(r" (%[\w.]+)(?=[,)])", found[2]), blocks

    def run(self, name, arguments, start):
        """The ends of all paths of a function that begin where another path is."""
        names, blocks = self.functions[name]
        path = Path(start.memory, start.conditions, start.needs, zip(names, arguments, strict=True))
        yield from self._follow(blocks, "entry", path)

    def call(self, name, arguments, start):
        """The ends of all paths as one, in a list."""
        path = Path({}, start.conditions, start.needs, start.values)
        ends = []
        for end in self.run(name, arguments, start):
            case = z3.And(*end.conditions[len(start.conditions):])
            path.needs.append(z3.Implies(case, z3.And(*end.needs[len(start.needs):])))
            ends.append((case, end))
        for key in {key: None for _, end in ends for key in end.memory}:
            path.memory[key] = merged([(case, end.memory.get(key)) for case, end in ends])
        path.result = merged([(case, end.result) for case, end in ends if not end.traps])
        return [path]

    def _follow(self, blocks, label, path, index=0):
        for index in range(index, len(blocks[label])):
            line = blocks[label][index]
            if line == "unreachable":
                path.needs.append(z3.BoolVal(False))
                path.traps = True
                yield path
            elif found := re.fullmatch(rf"ret (?:void|{TYPE} (\S+))", line):
                path.result = path.operand(*found.groups()) if found[1] else None
                yield path
            elif targets := self._targets(line, path):
                for condition, target in targets:
                    other = Path(path.memory, [*path.conditions, condition], path.needs, path.values)
                    other.block = label
                    if not z3.is_false(z3.simplify(condition)):
                        yield from self._follow(blocks, target, other)
            else:
                name, text = re.fullmatch(r"(?:(%[\w.-]+) = )?(.*)", line).groups()
                call = re.fullmatch(r'(?:\w+ )?call .*?@("[^"]+"|[\w.]+)\((.*)\)', text)
                if not call or call[1] not in self.functions or IGNORED.match(call[1]) or self._contract(call[1]):
                    path.values[name] = self._value(name, text, call, path)
                    continue
                arguments = self._arguments(call, path)
                # A few paths are faster one by one, many as one.
                for end in (self.call if self.contracts else self.run)(call[1], arguments, path):
                    other = Path(end.memory, end.conditions, end.needs, {**path.values, name: end.result})
                    other.block = path.block
                    if end.traps:
                        yield end
                    else:
                        yield from self._follow(blocks, label, other, index + 1)
                return

    def _targets(self, line, path):
        """The blocks that may follow, and when."""
        if found := re.fullmatch(r"br label %([\w.]+)", line):
            return [(z3.BoolVal(True), found[1])]
        if found := re.fullmatch(r"br i1 (\S+), label %([\w.]+), label %([\w.]+)", line):
            condition = path.operand("i1", found[1]) == 1
            return [(condition, found[2]), (z3.Not(condition), found[3])]
        if not (found := re.fullmatch(r"switch (i\d+) (\S+), label %([\w.]+) \[(.*)\]", line)):
            return None
        number = path.operand(found[1], found[2])
        cases = [(number == int(case), target)
                 for case, target in re.findall(r"i\d+ (-?\d+), label %([\w.]+)", found[4])]
        return [*cases, (z3.Not(z3.Or(*(condition for condition, _ in cases))), found[3])]

    def _value(self, name, text, call, path):
        value = self._called(text, call, path) if "call " in text else self._computed(name, text, path)
        return z3.simplify(value) if isinstance(value, z3.ExprRef) else value

    def _contract(self, name):
        return next((contract for pattern, contract in self.contracts if re.search(pattern, name)), None)

    def _arguments(self, call, path):
        return [path.operand(*argument) for argument in re.findall(
            rf"(?:^|, ){TYPE} {ATTRIBUTES}(\S+?)(?=,|$)", call[2])]

    def _called(self, text, call, path):
        if not call:
            # A barrier, and `declassify`, return what they are given; the others are marks of traps.
            if found := re.fullmatch(r'\w+ call i64 asm "[^"]*", "=r,0[^"]*"\(i64 (\S+)\)', text):
                return path.operand("i64", found[1])
            if re.fullmatch(r'(?:\w+ )?call void asm sideeffect "", "n"\(i32 \d+\)', text):
                return None
            raise Unknown(text)
        name = call[1]
        if IGNORED.match(name) or name == "llvm.trap":
            return None
        operands = self._arguments(call, path)
        if contract := self._contract(name):
            return contract(path, *operands)
        if found := re.fullmatch(r"llvm\.([us](?:min|max))\.i\d+", name):
            return z3.If(EXTREMES[found[1]](*operands), *operands)
        if re.fullmatch(r"llvm\.smul\.with\.overflow\.i64", name):
            exact = product(*operands)
            low = z3.Extract(63, 0, exact)
            return [low, bit(z3.SignExt(64, low) != exact)]
        if found := re.fullmatch(r"llvm\.([us])(add|sub)\.with\.overflow\.i\d+", name):
            return [z3.simplify(OPERATIONS[found[2]](*operands)),
                    z3.simplify(bit(z3.Not(fits(found[2], *operands, EXTENSIONS[found[1]]))))]
        if re.fullmatch(r"llvm\.bswap\.i\d+", name):
            return z3.Concat(*(z3.Extract(low + 7, low, operands[0]) for low in range(0, operands[0].size(), 8)))
        if re.fullmatch(r"llvm\.fshl\.i\d+", name):
            wide = z3.Concat(operands[0], operands[1]) << z3.ZeroExt(operands[2].size(), operands[2])
            return z3.Extract(2 * operands[0].size() - 1, operands[0].size(), wide)
        if name == "llvm.memcpy.p0.p0.i64":
            (to, first), (source, start) = place(operands[0]), place(operands[1])
            for index in range(operands[2].as_long()):
                path.memory.pop((to, first + index), None)
                if (source, start + index) in path.memory:
                    path.memory[to, first + index] = path.memory[source, start + index]
            return None
        if name == "llvm.memset.p0.i64":
            for index in range(operands[2].as_long()):
                path.store((operands[0][0], operands[0][1] + index), operands[1])
            return None
        raise Unknown(text)

    def _computed(self, result, text, path):
        name, rest = text.split(" ", 1)
        if name in OPERATIONS and (
                found := re.fullmatch(rf"((?:nuw |nsw |disjoint |exact )*){TYPE} (\S+), (\S+)", rest)):
            left, right = (path.operand(found[2], word) for word in found.groups()[2:])
            for flag in found[1].split():
                path.needs.append(
                    left & right == 0 if flag == "disjoint" else left == OPERATIONS["shl"](
                        OPERATIONS[name](left, right), right) if flag == "exact" else fits(
                            name, left, right, EXTENSIONS[flag]))
            if name in ("shl", "lshr", "ashr"):
                path.values["needs", result] = [z3.ULT(right, left.size())]
            if name in ("udiv", "urem", "sdiv", "srem"):
                path.needs.append(right != 0)
            if name in ("sdiv", "srem"):
                path.needs.append(z3.Or(right != -1, left != 1 << left.size() - 1))
            return OPERATIONS[name](left, right)
        if name == "icmp" and (found := re.fullmatch(rf"(?:samesign )?(\w+) {TYPE} (\S+), (\S+)", rest)):
            return bit(COMPARISONS[found[1]](path.operand(found[2], found[3]), path.operand(found[2], found[4])))
        if name in ("zext", "sext", "trunc") and (
                found := re.fullmatch(r"((?:nneg |nuw |nsw )*)(i\d+) (\S+) to (i\d+)", rest)):
            number, width = path.operand(found[2], found[3]), bits(found[4])
            if name != "trunc":
                if "nneg" in found[1]:
                    path.needs.append(number >= 0)
                return (z3.ZeroExt if name == "zext" else z3.SignExt)(width - number.size(), number)
            small = z3.Extract(width - 1, 0, number)
            path.needs += [EXTENSIONS[flag](number.size() - width, small) == number for flag in found[1].split()]
            return small
        if name == "select" and (found := re.fullmatch(rf"i1 (\S+), {TYPE} (\S+), {TYPE} (\S+)", rest)):
            condition = path.operand("i1", found[1]) == 1
            return z3.If(condition, path.operand(found[2], found[3], condition),
                         path.operand(found[4], found[5], z3.Not(condition)))
        if name == "phi":
            kind = rest.split(" ")[0]
            values = dict(reversed(each) for each in re.findall(r"\[ (\{.*?\}|\S+), %([\w.]+) \]", rest))
            return path.operand(kind, values[path.block])
        if name in ("extractvalue", "insertvalue") and (
                found := re.fullmatch(rf"{TYPE} (\S+?)(?:, {TYPE} (\S+))?, (\d+)", rest)):
            structure, index = list(path.operand(found[1], found[2])), int(found[5])
            if name == "extractvalue":
                return structure[index]
            structure[index] = path.operand(found[3], found[4])
            return structure
        if name == "alloca":
            return (f"local {next(COUNTER)} {rest}", 0)
        if found := re.fullmatch(r"(?:inttoptr|ptrtoint) (i64|ptr) (\S+) to (?:i64|ptr)", text):
            return path.operand(found[1], found[2])
        if name == "getelementptr" and (
                found := re.fullmatch(r"(?:inbounds )?(?:nuw )?i8, ptr (\S+), i64 (\d+)", rest)):
            base, offset = place(path.operand("ptr", found[1]))
            return (base, offset + int(found[2]))
        if name == "load" and (found := re.fullmatch(rf"{TYPE}, ptr (\S+), align \d+", rest)):
            return path.load(found[1], path.operand("ptr", found[2]))
        if name == "store" and (found := re.fullmatch(rf"{TYPE} (.+), ptr (\S+), align \d+", rest)):
            path.store(path.operand("ptr", found[3]), path.operand(found[1], found[2]))
            return None
        raise Unknown(text)
