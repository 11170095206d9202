"""Executes functions of LLVM's intermediate language on terms.

A scalar is a term, a vector a list of terms, and a pointer a name and an offset, which are concrete. A branch needs a
constant: so an execution that ends also shows that no branch and no address depends on the variables. An instruction
that is not listed here, and a promise to the optimizer that is not known to be kept (nuw, inbounds, align, ...), is an
error.
"""

import re

import terms
import words
from arithmetic import ARITHMETIC, keeps_promises
from calls import CALLS
from ir import Unknown, shape, split, typed
from memory import Memory, Object
from words import concrete, regroup


def signed(term):
    value = concrete(term)
    return value - (value >> term.width - 1 << term.width)


class Machine:
    """Executes a module's functions. Those in `without_effect` are not executed."""

    def __init__(self, module, without_effect=()):
        self.module, self.memory, self.without_effect = module, Memory(module.tables), without_effect
        self.count = 0

    def call(self, name, arguments):
        label, blocks = self.module.functions[name]
        values = {f"%{index}": argument for index, argument in enumerate(arguments)}
        before = None
        while True:
            joined = {}
            for text in blocks[label]:
                self.count += 1
                if found := re.match(r"(%\d+) = phi (<[^>]+>|\S+) (.+)$", text):
                    # All at once, from the values before the block.
                    joined[found[1]] = self._joined(found[2], found[3], before, values)
                    continue
                values.update(joined)
                joined = {}
                if text.startswith("ret "):
                    return None if text == "ret void" else self.typed(text[len("ret "):], values)
                if text.startswith(("br ", "switch ")):
                    before, label = label, self._target(text, values)
                    break
                self._execute(text, values)
            else:
                raise Unknown("a block without an end")

    def _joined(self, kind, text, before, values):
        for pair in re.findall(r"\[ (.+?), %(\d+) \]", text):
            if pair[1] == before:
                return self._operand(kind, pair[0], values)
        raise Unknown("a block that was entered from nowhere")

    def _target(self, text, values):
        if found := re.match(r"br label %(\d+)$", text):
            return found[1]
        if found := re.match(r"br i1 (\S+), label %(\d+), label %(\d+)", text):
            return found[2] if concrete(self._operand("i1", found[1], values)) else found[3]
        found = re.match(r"switch (i\d+) (\S+), label %(\d+) \[(.*)", text)
        value = concrete(self._operand(found[1], found[2], values))
        targets = {int(number): label for number, label in re.findall(r"i\d+ (-?\d+), label %(\d+)", found[4])}
        return targets.get(value, targets.get(value - (1 << shape(found[1])[1]), found[3]))

    # MARK: Operands.

    def _operand(self, kind, text, values):
        if text.startswith("%"):
            return values[text]
        if kind == "ptr":
            return self._address(text)
        count, width = shape(kind)
        text = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", text))
        if text in ("poison", "undef"):
            return [terms.poison(width)] * count if count else terms.poison(width)
        if count == 0:
            return terms.constant(int(text), width)
        if found := re.match(r"splat \(i\d+ (-?\d+)\)$", text):
            return [terms.constant(int(found[1]), width)] * count
        if text == "zeroinitializer":
            return [terms.constant(0, width)] * count
        found = re.findall(r"i\d+ (-?\d+|poison|undef)", text)
        if len(found) != count:
            raise Unknown(f"operand {text}")
        return [terms.poison(width) if word in ("poison", "undef") else terms.constant(int(word), width)
                for word in found]

    def _address(self, text):
        if text == "null":
            return ("null", 0)
        if re.match(r"@[\w.]+$", text):
            return (text, 0)
        found = re.match(r"getelementptr ((?:inbounds |nuw |nusw )*)\((.+)\)$", text)
        if not found:
            raise Unknown(f"address {text}")
        return self._getelementptr(f"getelementptr {found[1]}{found[2]}", {})

    def typed(self, text, values):
        """An operand that is written with its type, and with what is promised of it."""
        kind, promises, operand = typed(text)
        value = self._operand(kind, operand, values)
        if found := re.search(r"\balign (\d+)", promises):
            self.memory.checked(value, 0, int(found[1]))
        if found := re.search(r"dereferenceable\((\d+)\)", promises):
            self.memory.checked(value, int(found[1]), 1)
        if found := re.search(r"range\(i\d+ (-?\d+), (-?\d+)\)", promises):
            low, high = int(found[1]), int(found[2])
            same = len(set(terms.bits(value))) == 1
            # All bits are one bit: 0 or -1. Otherwise not negative.
            if not (low <= -1 and high > 0) if same else not (low <= 0 and words.upper_bound(value) < high):
                raise Unknown(f"the range of {text}")
        return value

    # MARK: Instructions.

    def _execute(self, text, values):
        name, equals, rest = text.partition(" = ") if text.startswith("%") else ("", "", text)
        rest = re.sub(r"^(tail |musttail |notail )", "", rest)
        opcode = rest.split(" ", 1)[0]
        method = getattr(self, "_" + opcode, None) or (self._arithmetic if opcode in ARITHMETIC else None)
        if method is None or ", !" in rest:
            raise Unknown(text)
        result = method(rest, values)
        if equals:
            values[name] = result

    def _load(self, text, values):
        kind, address, alignment = split(text[len("load "):])
        pointer, alignment = self.typed(address, values), int(alignment.removeprefix("align "))
        count, width = shape(kind)
        self.memory.checked(pointer, max(count, 1) * width // 8, alignment)
        if count == 0:
            return self.memory.load(pointer, width)
        return [self.memory.load((pointer[0], pointer[1] + index * width // 8), width) for index in range(count)]

    def _store(self, text, values):
        what, address, alignment = split(text[len("store "):])
        pointer, value = self.typed(address, values), self.typed(what, values)
        count, width = shape(typed(what)[0])
        self.memory.checked(pointer, max(count, 1) * width // 8, int(alignment.removeprefix("align ")))
        for index, term in enumerate(regroup(value, width) if count else [value]):
            self.memory.store((pointer[0], pointer[1] + index * width // 8), term)

    def _alloca(self, text, _values):
        kind, *_, alignment = split(text[len("alloca "):])
        self.count += 1
        name = ("stack", self.count)
        self.memory.objects[name] = Object(self.module.layout(kind)[0], int(alignment.removeprefix("align ")))
        return (name, 0)

    def _getelementptr(self, text, values):
        flags, rest = re.match(r"getelementptr ((?:inbounds |nuw |nusw )*)(.+)$", text).groups()
        kind, base, *indices = split(rest)
        name, start = self.typed(base, values)
        if indices[0].startswith("<"):
            # A pointer for each element of the index.
            offsets = [self.module.layout(kind)[0] * signed(term) for term in self.typed(indices[0], values)]
            return [self._moved(flags, name, start, offset) for offset in offsets]
        offset = self.module.layout(kind)[0] * signed(self.typed(indices[0], values))
        for index in indices[1:]:
            more, kind = self.module.at(kind, signed(self.typed(index, values)))
            offset += more
        return self._moved(flags, name, start, offset)

    def _moved(self, flags, name, start, offset):
        if "inbounds" in flags:
            self.memory.checked((name, start), 0, 1)
            self.memory.checked((name, start + offset), 0, 1)
        if "nuw" in flags and offset < 0:
            raise Unknown("an address that wraps")
        return (name, start + offset)

    def _icmp(self, text, values):
        found = re.match(r"icmp (?:samesign )?(\w+) (i\d+|ptr) ([^,]+), (.+)$", text)
        operands = [self._operand(found[2], word, values) for word in (found[3], found[4])]
        if found[2] == "ptr":
            if found[1] not in ("eq", "ne") or operands[0][0] != operands[1][0] and ("null", 0) not in operands:
                raise Unknown(text)
            return terms.constant((operands[0] == operands[1]) == (found[1] == "eq"), 1)
        left, right = (signed(term) if found[1].startswith("s") else concrete(term) for term in operands)
        if "samesign" in text and (signed(operands[0]) < 0) != (signed(operands[1]) < 0):
            raise Unknown(text)
        answers = {"eq": left == right, "ne": left != right, "lt": left < right, "le": left <= right,
                   "gt": left > right, "ge": left >= right}
        return terms.constant(int(answers[found[1][-2:]]), 1)

    def _select(self, text, values):
        condition, first, second = split(text[len("select "):])
        return self.typed(first if concrete(self.typed(condition, values)) else second, values)

    def _arithmetic(self, text, values):
        found = re.match(r"(\w+)((?: nuw| nsw| disjoint| exact)*) (<[^>]+>|i\d+) (.+)$", text)
        opcode, flags = found[1], found[2].split()
        count, width = shape(found[3])
        left, right = (self._operand(found[3], word, values) for word in split(found[4]))
        if count and (opcode not in ("and", "or", "xor") or flags or left[0].width != right[0].width):
            left, right = regroup(left, width), regroup(right, width)
        pairs = list(zip(left, right)) if count else [(left, right)]
        for pair in pairs if flags else ():
            keeps_promises(opcode, flags, *pair)
        results = [ARITHMETIC[opcode](*pair) for pair in pairs]
        return results if count else results[0]

    def _resized(self, text, values, resize):
        found = re.match(r"\w+((?: nuw| nsw| nneg)*) (<[^>]+>|i\d+) (.+) to (.+)$", text)
        value = self._operand(found[2], found[3], values)
        (count, width), wanted = shape(found[2]), shape(found[4])[1]
        results = []
        for term in regroup(value, width) if count else [value]:
            if found[1] and term.kind != "poison":
                kept = terms.bits(term)
                if "nsw" in found[1] or any(kept[wanted:] if "nuw" in found[1] else kept[-1:]):
                    raise Unknown(text)
            results.append(resize(term, wanted))
        return results if count else results[0]

    def _trunc(self, text, values):
        return self._resized(text, values, lambda term, width: words.extract(term, 0, width))

    def _zext(self, text, values):
        return self._resized(
            text, values, lambda term, width: words.concatenate([term, terms.constant(0, width - term.width)]))

    def _bitcast(self, text, values):
        found = re.match(r"bitcast (<[^>]+>|i\d+) (.+) to (.+)$", text)
        value = self._operand(found[1], found[2], values)
        if not isinstance(value, list):
            return [value] if found[3].startswith("<") else value
        if found[3].startswith("i"):
            return words.concatenate(value)
        # The elements are regrouped by what needs them in another width; but poison spreads to all of its element.
        return regroup(value, shape(found[3])[1]) if any(term.kind == "poison" for term in value) else value

    def _insertelement(self, text, values):
        vector, element, index = split(text[len("insertelement "):])
        result = list(regroup(self.typed(vector, values), shape(typed(vector)[0])[1]))
        result[concrete(self.typed(index, values))] = self.typed(element, values)
        return result

    def _extractelement(self, text, values):
        vector, index = split(text[len("extractelement "):])
        return regroup(self.typed(vector, values), shape(typed(vector)[0])[1])[concrete(self.typed(index, values))]

    def _shufflevector(self, text, values):
        left, right, places = split(text[len("shufflevector "):])
        width = shape(typed(left)[0])[1]
        both = [term for vector in (left, right) for term in regroup(self.typed(vector, values), width)]
        count = int(re.match(r"<(\d+) x", places)[1])
        if places.endswith("zeroinitializer"):
            return [both[0]] * count
        return [terms.poison(width) if place in ("poison", "undef") else both[int(place)]
                for place in re.findall(r"i32 (\w+)", places.split(">", 1)[1])]

    def _call(self, text, values):
        # What barrier.h writes: it changes nothing, and keeps the compiler from knowing.
        if found := re.match(r'call (\S+|<[^>]+>) asm (?:sideeffect )?"", "=[vrwx],0[^"]*"\((.+)\)$', text):
            return self.typed(found[2], values)
        if re.match(r'call void asm sideeffect "", "[^"]*"\(.*\)$', text):
            return None
        found = re.match(r"call (?:fastcc )?(?:range\([^)]*\) |noundef )*(<[^>]+>|\w+) ([@%][\w.]+)\((.*)\)$", text)
        if not found:
            raise Unknown(text)
        kind, name, arguments = found[1], found[2], split(found[3]) if found[3] else []
        if name.startswith("%"):
            name = values[name][0]
        name = name.removeprefix("@")
        if name in self.without_effect:
            return None
        if name in self.module.functions:
            return self.call(name, [self.typed(argument, values) for argument in arguments])
        for start, function in CALLS.items():
            if name.startswith(start):
                return function(self, kind, name, [
                    argument if argument.startswith("metadata") else self.typed(argument, values)
                    for argument in arguments])
        raise Unknown(text)
