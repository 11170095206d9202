"""Follows secrets through the LLVM IR of C functions: no branch, no address and no division may depend on one.

    python3 taint.py FILE.ll...

The values that a function computes from a secret are secret; so are the bytes of an object to which one is written, all
of them and for good. An object is a variable of a function, a global, or what a parameter points to. Every call is
followed with its own arguments; a function that is called through a pointer is taken to write secrets wherever it is
given a pointer to. The result says more than is true of some instruction before it says less.
"""

import re
import sys

from program import File, split
from table import ASSEMBLY, FUNCTIONS, KERNEL, LIBRARY, SECRET_RESULTS

# Intrinsic functions whose time depends on nothing. (Those of memory are below.)
INTRINSICS = re.compile(
    r"llvm\.(fshl|bswap|[us](min|max)|[us](add|sub|mul)\.with\.overflow|usub\.sat|vector\.reduce\.or|"
    r"lifetime|assume|experimental\.noalias|stacksave|stackrestore|trap)")


class Heap:
    """What objects hold: whether secrets, and pointers to which objects."""

    def __init__(self):
        self.secret, self.points, self.has_changed = set(), {}, False

    def globals(self):
        """What the program's global variables hold."""
        return ({name for name in self.secret if "@" in name},
                {name: set(to) for name, to in self.points.items() if "@" in name})

    def taint(self, objects):
        for name in objects - self.secret:
            self.secret.add(name)
            self.has_changed = True

    def point(self, objects, to):
        for name in objects:
            known = self.points.setdefault(name, set())
            if not to <= known:
                known |= to
                self.has_changed = True


PUBLIC = (False, frozenset())


class Taint:
    """Analyzes the functions of files. Finds faults, and which functions were reached."""

    def __init__(self, files):
        self.files, self.heap = files, Heap()
        self.external = {name: (file, function) for file in files for name, function in file.functions.items()
                         if not function.is_internal}
        self.faults, self.reached, self.results, self.stack = {}, set(), {}, []

    def run(self, file, function, words):
        """With parameters as the table says, until nothing changes."""
        arguments = []
        if len(words.split()) != len(function.parameters):
            sys.exit(f"taint: {function.name} has {len(function.parameters)} parameters; the table has {words}")
        for index, word in enumerate(words.split()):
            objects = frozenset([f"{function.name}'s argument {index}"])
            if word == "lanes":
                keys = {f"{function.name}'s keys"}
                self.heap.taint(keys)
                self.heap.point(objects, keys)
            elif word == "secret":
                self.heap.taint(set(objects))
            arguments.append((word == "secret" and function.parameters[index] not in function.pointers, objects))
        self.heap.has_changed = True
        while self.heap.has_changed:
            self.heap.has_changed = False
            self.results = {}
            self.call(file, function, tuple(arguments))

    def call(self, file, function, arguments):
        key = (file.path, function.name, arguments)
        if key in self.results or key in self.stack:
            return self.results.get(key, PUBLIC)
        self.reached.add((file.path, function.name))
        self.stack.append(key)
        values, result = dict(zip(function.parameters, arguments)), PUBLIC
        while True:
            before = dict(values)
            for text in function.instructions:
                result = self._execute(file, function, text, values, result)
            if before == values:
                break
        self.stack.pop()
        self.results[key] = result
        return result

    # MARK: Instructions.

    def _value(self, text, values):
        """Of everything that a text names."""
        is_secret, objects = False, frozenset()
        for name in re.findall(r"%[\w.]+|@[\w.$]+", text):
            found = values.get(name, PUBLIC) if name.startswith("%") else (False, frozenset([name]))
            is_secret, objects = is_secret or found[0], objects | found[1]
        return is_secret, objects

    def _fault(self, file, function, text, why):
        self.faults[f"{file.path.rsplit('/', 1)[-1]}: {function.name}: {why}: {text[:150]}"] = True

    def _execute(self, file, function, text, values, result):
        name, equals, rest = text.partition(" = ") if text.startswith("%") else ("", "", text)
        rest = re.sub(r"^(tail |musttail |notail )", "", rest)
        opcode = rest.split(" ", 1)[0]
        found = PUBLIC
        if opcode == "ret":
            more = self._value(rest, values)
            return (result[0] or more[0], result[1] | more[1])
        if opcode in ("br", "switch", "indirectbr"):
            condition = re.match(r"(?:br i1|switch i\d+|indirectbr ptr) ([^,]+),", rest)
            if condition and self._value(condition[1], values)[0]:
                self._fault(file, function, text, "a branch")
        elif opcode in ("udiv", "sdiv", "urem", "srem", "fdiv", "frem"):
            found = self._value(rest, values)
            if found[0]:
                self._fault(file, function, text, "a division")
        elif opcode == "select":
            found = self._value(rest, values)
            # Of scalars, since a compiler may make a branch of it.
            condition = re.match(r"select i1 ([^,]+),", rest)
            if condition and self._value(condition[1], values)[0]:
                self._fault(file, function, text, "a choice, of which a branch may be made")
        elif opcode in ("load", "store", "atomicrmw", "cmpxchg"):
            found = self._access(file, function, opcode, rest, values)
        elif opcode == "alloca":
            if self._value(rest, values)[0]:
                self._fault(file, function, text, "a size")
            found = (False, frozenset([f"{file.path}: {function.name}: {name}"]))
        elif opcode == "call":
            found = self._call(file, function, rest, values)
        elif opcode == "getelementptr":
            # An index is not a pointer.
            _, base, *indices = split(rest)
            found = self._value(base, values)
            found = (found[0] or self._value(" ".join(indices), values)[0], found[1])
        elif opcode in KNOWN:
            found = self._value(rest, values)
            if opcode in ("insertelement", "extractelement") and self._value(split(rest)[-1], values)[0]:
                self._fault(file, function, text, "an index")
        else:
            self._fault(file, function, text, "an unknown instruction")
        if equals:
            old = values.get(name, PUBLIC)
            values[name] = (old[0] or found[0], old[1] | found[1])
        return result

    def _read(self, objects, is_pointer=False):
        """What is read from objects. A pointer that was not written there is one to an object of its own."""
        to = frozenset().union(*(self.heap.points.get(name, set()) for name in objects))
        if is_pointer and not to:
            to = frozenset(f"*{name.lstrip('*')}" for name in objects)
        return bool(objects & self.heap.secret), to

    def _write(self, objects, value):
        if value[0]:
            self.heap.taint(set(objects))
        self.heap.point(objects, set(value[1]))

    def _access(self, file, function, opcode, text, values):
        parts = split(re.sub(rf"^{opcode} (atomic |volatile |weak )*", "", text))
        if opcode == "load":
            address = self._value(parts[1], values)
            found = self._read(address[1], "ptr" in parts[0])
        else:
            place = 1 if opcode == "store" else 0
            address = self._value(parts[place], values)
            self._write(address[1], self._value(" ".join(parts[:place] + parts[place + 1:]), values))
            found = self._read(address[1])
        if address[0]:
            self._fault(file, function, text, "an address")
        return found

    def _call(self, file, function, text, values):
        if " asm " in text:
            # The constraints name no values.
            found = self._value(re.sub(r'"[^"]*"', "", text), values)
            written = re.search(r' asm [^"]*"([^"]*)"', text)[1]
            if written.startswith("661:\\09.pushsection .debug_otp_declassified"):
                return PUBLIC
            if written and (found[0] or not ASSEMBLY.fullmatch(written)):
                self._fault(file, function, text, "assembly")
            return found
        untyped = re.sub(r"%(struct|union)\.\w+", "", text)
        callee = re.match(r"call (?:[^@%(]|\([^)]*\))*?([@%][\w.$]+)\((.*)\)", untyped)
        if not callee:
            self._fault(file, function, text, "an unknown call")
            return PUBLIC
        name = callee[1]
        if self._value(name, values)[0]:
            self._fault(file, function, text, "a callee")
        arguments = tuple(self._value(argument, values) for argument in split(callee[2])) if callee[2] else ()
        if name.startswith("@llvm."):
            return self._intrinsic(file, function, text, name[1:], arguments)
        if name.startswith("@"):
            called = file.functions.get(name[1:])
            owner = (file, called) if called else self.external.get(name[1:])
            if owner:
                return self.call(*owner, arguments)
        return self._outside(file, function, text, name, arguments)

    def _intrinsic(self, file, function, text, name, arguments):
        is_secret = any(argument[0] for argument in arguments)
        if name.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")):
            if arguments[0][0] or arguments[2][0] or "set" not in name and arguments[1][0]:
                self._fault(file, function, text, "an address or a size")
            self._write(arguments[0][1], arguments[1] if "set" in name else self._read(arguments[1][1]))
            return PUBLIC
        if re.match(r"llvm\.[us](min|max)\.i", name) and is_secret:
            self._fault(file, function, text, "a choice, of which a branch may be made")
        if not INTRINSICS.match(name):
            self._fault(file, function, text, "an unknown intrinsic function")
        return is_secret, frozenset().union(*(argument[1] for argument in arguments))

    def _outside(self, file, function, text, name, arguments):
        """A library's function, or one through a pointer."""
        objects = frozenset().union(*(argument[1] for argument in arguments))
        if any(argument[0] for argument in arguments):
            self._fault(file, function, text, "a secret number for a function that was not read")
        has_secrets = bool(self._behind(objects) & self.heap.secret)
        if name.startswith("%"):
            if has_secrets:
                self.heap.taint(set(objects))
            return has_secrets, objects
        written, _ = LIBRARY.get(name[1:], (None, ""))
        if has_secrets and written is None:
            self._fault(file, function, text, "a pointer to secrets for a function that was not read")
        for index in written or ():
            self.heap.taint(set(arguments[index][1]))
        return has_secrets and name[1:] in SECRET_RESULTS, frozenset([f"result of {name}"])

    def _behind(self, objects):
        """These and what they point to."""
        seen, new = set(), set(objects)
        while new:
            seen |= new
            new = set().union(*(self.heap.points.get(name, set()) for name in new)) - seen
        return seen


KNOWN = set("""add sub mul and or xor shl lshr ashr icmp fcmp phi trunc zext sext bitcast ptrtoint inttoptr
    extractelement insertelement shufflevector extractvalue insertvalue freeze unreachable fence""".split())


def analyze(files):
    """The faults, and the functions that should be in the table or are not reached."""
    taint = Taint(files)
    entries = [(file, file.functions[name], words) for file in files for name, words in FUNCTIONS.items()
               if name in file.functions]
    entries += [(file, file.functions[name], words) for file in files for functions in file.kernels.values()
                for name, words in zip(functions, KERNEL) if name != "null"]
    # Again, if a global holds something else at the end: an earlier function may have read it.
    before = None
    while before != taint.heap.globals():
        before = taint.heap.globals()
        for entry in entries:
            taint.run(*entry)
    seen = {function.name for _, function, _ in entries}
    missing = [f"{name} is not in the table" for file in files for name, function in file.functions.items()
               if name not in seen and not function.is_internal and function.parameters]
    missing += [f"{name} is in the table, but not in the sources" for name in FUNCTIONS if name not in seen]
    missing += [f"{function.name} of {file.path.rsplit('/', 1)[-1]} was not reached"
                for file in files for function in file.functions.values()
                if function.pointers and (file.path, function.name) not in taint.reached]
    return sorted(taint.faults), missing, len(taint.reached)


def main():
    files = [File(path) for path in sys.argv[1:]]
    faults, missing, count = analyze(files)
    for text in [*faults, *missing]:
        print(f"taint: {text}", file=sys.stderr)
    instructions = sum(len(function.instructions) for file in files for function in file.functions.values())
    print(f"taint: {count} functions, {instructions} instructions: {len(faults)} depend on secrets")
    sys.exit(1 if faults or missing else 0)


if __name__ == "__main__":
    main()
