"""Reads LLVM's intermediate language: functions as blocks of lines, types, and constants."""

import functools
import re


class Unknown(Exception):
    """Something that this program does not know, or that is not defined for all inputs."""


# What may stand after an instruction. All others could make a value undefined.
METADATA = {"dbg", "DIAssignID", "tbaa", "tbaa.struct", "srcloc", "llvm.loop", "noalias", "alias.scope", "prof"}


class Module:
    """What files define: functions, each as its first label and its blocks by label; tables; structures; kernels."""

    def __init__(self, *paths):
        self.functions, self.tables, self.kernels, self.aliases = {}, {}, {}, set()
        self.structures, self.architecture = {}, None
        for path in paths:
            with open(path, encoding="utf-8") as file:
                self._read(file)

    def _read(self, file):
        body = None
        for line in file:
            if found := re.match(r"define .*?@([\w.]+)\((.*)\)", line):
                # Unnamed parameters are numbered first, then the entry.
                label = str(len(re.findall(r"%\d+", found[2])))
                body = (label, {label: []})
                if self.functions.setdefault(found[1], body) is not body:
                    raise Unknown(f"two functions {found[1]}")
            elif body is None:
                self._read_global(line)
            elif line.startswith("}"):
                body = None
            elif found := re.match(r"(\d+):", line):
                label = found[1]
                body[1][label] = []
            elif (text := line.strip()) and not text.startswith((";", "#dbg_", "]")):
                if re.match(r"i\d+ -?\d+, label", text):
                    body[1][label][-1] += " " + text
                else:
                    body[1][label].append(instruction(text))

    def _read_global(self, line):
        if found := re.match(r"(@[\w.]+) = .*constant \[(\d+) x i(\d+)\] (.+), align (\d+)(?:, !dbg !\d+)*$", line):
            self._add_table(found[1], int(found[2]), int(found[3]) // 8, found[4], int(found[5]))
        elif found := re.match(r"@(\w+) = .*constant %struct\.lane_kernel \{ i64 (\d+), .*\}", line):
            self.kernels[found[1]] = (int(found[2]), re.findall(r"ptr (?:@(\w+)|null)", line))
        elif found := re.match(r'target triple = "(x86_64|aarch64)-', line):
            self.architecture = {"x86_64": "x86_64", "aarch64": "arm64"}[found[1]]
        elif found := re.match(r"(%[\w.]+) = type \{ (.+) \}$", line):
            if self.structures.setdefault(found[1], split(found[2])) != split(found[2]):
                raise Unknown(f"two structures {found[1]}")

    def _add_table(self, name, count, size, text, alignment):
        if text == "zeroinitializer":
            raw = bytes(count * size)
        elif text.startswith("["):
            numbers = [int(number) for number in re.findall(r"i\d+ (-?\d+)", text)]
            raw = b"".join((number % (1 << 8 * size)).to_bytes(size, "little") for number in numbers)
        else:
            return
        # Files may have the same table, such as the hashes' constants, each for itself.
        if len(raw) != count * size or self.tables.setdefault(name, (raw, alignment)) != (raw, alignment):
            raise Unknown(f"table {name}")

    def layout(self, kind):
        """The size and the alignment of a type."""
        if found := re.match(r"\[(\d+) x (.+)\]$", kind):
            size, alignment = self.layout(found[2])
            return int(found[1]) * size, alignment
        if kind.startswith("<"):
            size = vector_bytes(kind)
            return size, 1 << (size - 1).bit_length()
        if kind in self.structures:
            size, alignment = self.fields(kind)[-1], max(self.layout(part)[1] for part in self.structures[kind])
            return size + -size % alignment, alignment
        size = max(shape(kind)[1] // 8, 1)
        return size, size

    def fields(self, kind):
        """Where the parts of a structure begin, and where the last one ends."""
        starts, end = [], 0
        for part in self.structures[kind]:
            size, alignment = self.layout(part)
            starts.append(end + -end % alignment)
            end = starts[-1] + size
        return [*starts, end]

    def at(self, kind, index):
        """Where an element of an array, a vector or a structure begins, and its type."""
        if kind in self.structures:
            return self.fields(kind)[index], self.structures[kind][index]
        if not (found := re.match(r"[\[<]\d+ x (.+)[\]>]$", kind)):
            raise Unknown(f"an element of {kind}")
        return self.layout(found[1])[0] * index, found[1]


def instruction(text):
    """Without what is for debuggers and optimizers. Other metadata stays, and is an error if it is executed."""
    while (found := re.search(r", !([\w.]+) !\d+$", text)) and found[1] in METADATA:
        text = text[:found.start()]
    return re.sub(r" #\d+$", "", text)


@functools.lru_cache(maxsize=None)
def split(text):
    """The parts of a list, at commas that are in no brackets."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "(<[{") - (character in ")>]}")
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [*parts, part.strip()]


@functools.lru_cache(maxsize=None)
def shape(kind):
    """The number of elements (0: a scalar) and the bits of each. A pointer counts as 64 bits."""
    if found := re.match(r"<(\d+) x (?:i(\d+)|ptr)>$", kind):
        return int(found[1]), int(found[2] or 64)
    if found := re.match(r"i(\d+)$", kind):
        return 0, int(found[1])
    if kind == "ptr":
        return 0, 64
    raise Unknown(f"type {kind}")


def vector_bytes(kind):
    count, width = shape(kind)
    if width % 8:
        raise Unknown(f"{kind} in memory")
    return count * width // 8


TYPE = r"<[^>]+>|\[[^\]]+\]|%[\w.]+|\w+"


@functools.lru_cache(maxsize=None)
def typed(text):
    """The type, the attributes and the operand of an argument."""
    found = re.match(rf"({TYPE}) ((?:(?:noundef|nonnull|align \d+|\w+\((?:[^()]|\([^()]*\))*\)) )*)(.+)$", text)
    if not found:
        raise Unknown(f"operand {text}")
    return found[1], found[2], found[3]
