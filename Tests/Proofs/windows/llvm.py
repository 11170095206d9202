"""What functions of LLVM's intermediate language compute, on every path, as z3 terms over their arguments.

A number is a bit vector, a pointer the name of an object and an offset, a structure a list. Anything else is an
error, and so is a read of memory that was not written.
"""
import operator
import re

import z3

OPERATIONS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_,
              "or": operator.or_, "xor": operator.xor, "shl": operator.lshift, "lshr": z3.LShR,
              "ashr": operator.rshift, "udiv": z3.UDiv, "urem": z3.URem}
COMPARISONS = {"eq": operator.eq, "ne": operator.ne, "ult": z3.ULT, "ule": z3.ULE, "ugt": z3.UGT, "uge": z3.UGE,
               "slt": operator.lt, "sle": operator.le, "sgt": operator.gt, "sge": operator.ge}
EXTREMES = {"umin": z3.ULT, "umax": z3.UGT, "smin": operator.lt, "smax": operator.gt}
EXTENSIONS = {"nuw": z3.ZeroExt, "nsw": z3.SignExt, "u": z3.ZeroExt, "s": z3.SignExt}
TYPE = r"(\{.*?\}|<[^>]+>|[\w.%]+)"
ATTRIBUTES = r"(?:(?:noundef|nonnull|noalias|swiftself|align \d+|\w+\([^()]*\)) )*"
# They change nothing that is returned or written: an error is about to be thrown, or memory is reserved.
IGNORED = re.compile(r'(swift_willThrowTypedImpl|"\$s\w*OTPErrorVACs5ErrorAAWl"|llvm\.lifetime\.\w+\.p0)$')


class Unknown(Exception):
    """Something that this program does not know."""


def bits(kind):
    """Of a number, or of a vector, which is used only to copy memory."""
    found = re.fullmatch(r"(?:<(\d+) x )?i(\d+)>?", kind)
    if not found:
        raise Unknown(f"type {kind}")
    return int(found[1] or 1) * int(found[2])


def bit(condition):
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def fits(name, left, right, extend):
    """Whether the exact result has no more bits."""
    function, width = OPERATIONS[name], left.size()
    return extend(width, function(left, right)) == function(extend(width, left), extend(width, right))


def product(left, right):
    """All bits of a signed product, as any number: what holds for all, holds for the product."""
    return z3.SignExt(1, z3.BitVec(" x ".join(sorted((str(left), str(right)))), 2 * left.size() - 1))


class Path:
    """A way through a function: when it is taken, what must hold on it, values, memory, and what it returns."""

    def __init__(self, memory, conditions=(), needs=(), values=()):
        self.memory, self.conditions, self.needs, self.values = dict(memory), [*conditions], [*needs], dict(values)
        self.block = self.result = None

    def operand(self, kind, text):
        if text in self.values:
            return self.values[text]
        if text in ("undef", "poison") and kind.startswith("{"):
            return [None] * len(kind.split(","))
        if elements := re.findall(r"i\d+ -?\d+", text):
            return z3.Concat(*(self.operand(*element.split()) for element in reversed(elements)))
        number = {"true": "1", "false": "0", "zeroinitializer": "0"}.get(text, text)
        if not re.fullmatch(r"-?\d+", number):
            raise Unknown(f"operand {kind} {text}")
        return z3.BitVecVal(int(number), bits(kind))

    def load(self, kind, pointer):
        places = [(pointer[0], pointer[1] + index) for index in reversed(range((bits(kind) + 7) // 8))]
        if missing := [place for place in places if place not in self.memory]:
            raise Unknown(f"memory that was not written: {missing[0]}")
        number = z3.Concat(*(self.memory[place] for place in places), z3.BitVecVal(0, 8))
        return z3.Extract(bits(kind) + 7, 8, number)

    def store(self, pointer, number):
        number = z3.ZeroExt(-number.size() % 8, number)
        for index in range(number.size() // 8):
            self.memory[pointer[0], pointer[1] + index] = z3.simplify(z3.Extract(8 * index + 7, 8 * index, number))


class Module:
    """The functions of a text: their parameters, and blocks of lines by label."""

    def __init__(self, text):
        self.functions = {}
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

    def _follow(self, blocks, label, path, index=0):
        for index in range(index, len(blocks[label])):
            line = blocks[label][index]
            if line == "unreachable":
                path.needs = [z3.BoolVal(False)]
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
                name, text = re.fullmatch(r"(?:(%[\w.]+) = )?(.*)", line).groups()
                call = re.fullmatch(r'(?:\w+ )?call .*?@("[^"]+"|[\w.]+)\((.*)\)', text)
                if not call or call[1] not in self.functions or IGNORED.match(call[1]):
                    path.values[name] = self._value(text, call, path)
                    continue
                arguments = [path.operand(found[1], found[2]) for found in re.finditer(
                    rf"(?:^|, ){TYPE} {ATTRIBUTES}([\w.%-]+)(?=,|$)", call[2])]
                for end in self.run(call[1], arguments, path):
                    other = Path(end.memory, end.conditions, end.needs, {**path.values, name: end.result})
                    other.block = path.block
                    if end.needs and z3.is_false(end.needs[0]):
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

    def _value(self, text, call, path):
        value = self._called(text, call, path) if "call " in text else self._computed(text, path)
        return z3.simplify(value) if isinstance(value, z3.ExprRef) else value

    def _called(self, text, call, path):
        if not call:
            # A barrier, and `declassify`, return what they are given; the others are marks of traps.
            if found := re.fullmatch(r'\w+ call i64 asm "[^"]*", "=r,0[^"]*"\(i64 (\S+)\)', text):
                return path.operand("i64", found[1])
            if re.fullmatch(r'\w+ call void asm sideeffect "", "n"\(i32 \d+\)', text):
                return None
            raise Unknown(text)
        name, arguments = call[1], re.findall(rf"(?:^|, ){TYPE} {ATTRIBUTES}(\S+?)(?=,|$)", call[2])
        if IGNORED.match(name) or name == "llvm.trap":
            return None
        operands = [path.operand(*argument) for argument in arguments]
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
        if name == "llvm.memset.p0.i64":
            for index in range(operands[2].as_long()):
                path.store((operands[0][0], operands[0][1] + index), operands[1])
            return None
        raise Unknown(text)

    def _computed(self, text, path):
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
                path.needs.append(z3.ULT(right, left.size()))
            if name in ("udiv", "urem"):
                path.needs.append(right != 0)
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
            condition, left, right = path.operand("i1", found[1]), *(
                path.operand(found[2], word) for word in (found[3], found[5]))
            return z3.If(condition == 1, left, right)
        if name == "phi":
            kind = rest.split(" ")[0]
            values = dict(reversed(each) for each in re.findall(r"\[ (\S+), %([\w.]+) \]", rest))
            return path.operand(kind, values[path.block])
        if name in ("extractvalue", "insertvalue") and (
                found := re.fullmatch(rf"{TYPE} (\S+?)(?:, {TYPE} (\S+))?, (\d+)", rest)):
            structure, index = list(path.operand(found[1], found[2])), int(found[5])
            if name == "extractvalue":
                return structure[index]
            structure[index] = path.operand(found[3], found[4])
            return structure
        if name == "alloca":
            return (f"local {len(path.memory)} {len(path.values)} {rest}", 0)
        if name == "getelementptr" and (
                found := re.fullmatch(r"(?:inbounds )?(?:nuw )?i8, ptr (\S+), i64 (\d+)", rest)):
            base, offset = path.operand("ptr", found[1])
            return (base, offset + int(found[2]))
        if name == "load" and (found := re.fullmatch(rf"{TYPE}, ptr (\S+), align \d+", rest)):
            return path.load(found[1], path.operand("ptr", found[2]))
        if name == "store" and (found := re.fullmatch(rf"{TYPE} (.+), ptr (\S+), align \d+", rest)):
            path.store(path.operand("ptr", found[3]), path.operand(found[1], found[2]))
            return None
        raise Unknown(text)


class Call:
    """A function of a module, called with these arguments: what it returns and writes to `output`, and whether it
    neither traps nor depends on anything undefined."""

    def __init__(self, module, name, *arguments, memory=()):
        start = Path(memory)
        self.paths = list(module.run(name, [*arguments, ("output", 0)], start))
        self.is_defined = z3.And(*(z3.Implies(z3.And(*path.conditions), z3.And(*path.needs)) for path in self.paths))

    def _merged(self, value):
        result = None
        for path in self.paths:
            term = value(path)
            if term is not None:
                result = term if result is None else z3.If(z3.And(*path.conditions), term, result)
        return z3.simplify(result)

    def on_each_path(self, claim, *indices):
        """A claim about elements of the output, on the paths that write them all."""
        claims = []
        for path in self.paths:
            if all(("output", 8 * index) in path.memory for index in indices):
                outputs = [z3.simplify(path.load("i64", ("output", 8 * index))) for index in indices]
                claims.append(z3.Implies(z3.And(*path.conditions), claim(*outputs)))
        return z3.And(*claims)

    @property
    def result(self):
        return self._merged(lambda path: path.result) == 1

    def output(self, index, size=8):
        """An element of the output, of as many bytes. (Where it is not written, it is another path's.)"""
        place = ("output", index * size)
        return self._merged(lambda path: path.load(f"i{8 * size}", place) if place in path.memory else None)
