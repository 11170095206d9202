#!/usr/bin/env python3
"""The public Swift interface of each module as text, from the compiler's symbol graphs.

    interface.py GRAPHS RECORD            prints what was added, altered or removed; fails if anything was
    interface.py GRAPHS RECORD --record   prints the same, and records it

GRAPHS has a folder for each module, as Scripts/symbols.sh writes them; RECORD gets a file for each. A type is a line
with its conformances, and each of its members a line beneath it. What the compiler derives is left out.
"""

import json
import pathlib
import re
import sys
import urllib.parse

# Conformances that nearly every type has implicitly.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
TYPES = {"swift.enum", "swift.struct", "swift.class", "swift.actor", "swift.protocol"}
WORDS = r"(?:class|struct|enum|protocol|actor|extension|func|var|let|case|typealias|associatedtype|macro)"


class Module:
    def __init__(self, folder):
        graphs = [json.loads(path.read_text()) for path in sorted(folder.glob("*.symbols.json"))]
        self.symbols = {
            symbol["identifier"]["precise"]: symbol
            for graph in graphs for symbol in graph["symbols"] if not is_derived(symbol)
        }
        self.relations = [relation for graph in graphs for relation in graph["relationships"]]
        self.requirements = {
            relation["source"] for relation in self.relations if relation["kind"].lower().endswith("requirementof")
        }

    def lines(self):
        """Types and extensions in order of their names, each with its members in order of theirs."""
        blocks = {}
        for precise, symbol in self.symbols.items():
            path = symbol["pathComponents"]
            if symbol["kind"]["identifier"] in TYPES:
                blocks.setdefault((".".join(path), ""), []).insert(0, self.type_line(precise, symbol))
            elif len(path) == 1:
                blocks.setdefault(("", ""), []).append(declaration(symbol))
            else:
                blocks.setdefault(self.home(precise, symbol), []).append("  " + declaration(symbol))
        for (name, extension), block in sorted(blocks.items()):
            if extension:
                block.insert(0, f"extension {name}")
            head, members = ([], block) if not name else (block[:1], block[1:])
            yield from head + sorted(members, key=lambda line: (key(line), line))

    def home(self, precise, symbol):
        """The block of a member: its type, or the extension of another module's type or of a protocol."""
        name = ".".join(symbol["pathComponents"][:-1])
        own = [s for s in self.symbols.values() if ".".join(s["pathComponents"]) == name]
        is_protocol = any(s["kind"]["identifier"] == "swift.protocol" for s in own)
        is_extension = not own or is_protocol and precise not in self.requirements
        return name, "extension" if is_extension else ""

    def type_line(self, precise, symbol):
        text = declaration(symbol, ".".join(symbol["pathComponents"]))
        if symbol["kind"]["identifier"] in ("swift.protocol", "swift.class"):
            text = re.sub(r" : .*", "", text)
        conformances = sorted(set(self.conformances(precise)) - IMPLIED)
        return f"{text}: {', '.join(conformances)}" if conformances else text

    def conformances(self, precise):
        for relation in self.relations:
            if relation["source"] != precise or relation["kind"] not in ("conformsTo", "inheritsFrom"):
                continue
            own = self.symbols.get(relation["target"])
            name = ".".join(own["pathComponents"]) if own else relation.get("targetFallback", relation["target"])
            where = " and ".join(f"{c['lhs']} {c['kind']} {c['rhs']}" for c in relation.get("swiftConstraints", []))
            yield name.removeprefix("Swift.") + (f" where {where}" if where else "")

    def open_enums(self):
        """The enums that do not declare whether they can get more cases."""
        for symbol in self.symbols.values():
            if symbol["kind"]["identifier"] == "swift.enum.case":
                enum = next(s for s in self.symbols.values() if s["pathComponents"] == symbol["pathComponents"][:-1])
                if not re.search(r"@(frozen|nonexhaustive)\b", declaration(enum)):
                    yield ".".join(enum["pathComponents"])


def is_derived(symbol):
    """Whether the compiler derived it, as `hashValue`. An initializer by raw value is kept, to show that it exists."""
    return "location" not in symbol and symbol["pathComponents"][-1] != "init(rawValue:)"


def declaration(symbol, name=None):
    """The declaration in one line, with a type's name in full, and an enum case's raw value."""
    text = ""
    for fragment in symbol["declarationFragments"]:
        if name and fragment["kind"] == "identifier":
            text, name = text + name, None
        else:
            text += fragment["spelling"]
    text = re.sub(r"\s+", " ", text)
    if symbol["kind"]["identifier"] == "swift.enum.case":
        text += raw_value(symbol)
    return "".join(f"@available({availability(entry)}) " for entry in symbol.get("availability", [])) + text


def availability(entry):
    version = lambda part: ".".join(str(part[n]) for n in ("major", "minor", "patch") if n in part)
    words = [entry.get("domain", "*")]
    words += [f"{n}: {version(entry[n])}" for n in ("introduced", "deprecated", "obsoleted") if n in entry]
    words += [word for word in ("Deprecated", "Unavailable") if entry.get(f"isUnconditionally{word}")]
    words += [f"{n}: {entry[n]!r}" for n in ("renamed", "message") if n in entry]
    return ", ".join(words)


def raw_value(symbol):
    """A case's raw value, read from the source at the place that the graph names, since graphs do not contain it."""
    location = symbol["location"]
    path = urllib.parse.unquote(urllib.parse.urlparse(location["uri"]).path)
    line = pathlib.Path(path).read_text().splitlines()[location["position"]["line"]]
    match = re.match(r'\w+ = ("[^"]*"|[-\w.]+)', line[location["position"]["character"]:])
    return f" = {match[1]}" if match else ""


def key(line):
    """What stays the same when a declaration is altered: its name and its kind."""
    match = re.search(rf"\b({WORDS}) ([^\s(<:]+(?:\s?[-=<>!+*/&|^~]+)?)|\b(init|subscript)\b", line)
    return (match[2] or match[3], match[1] or "") if match else (line, "")


def in_blocks(lines):
    """Each line with the type whose member it is."""
    block = ""
    for line in lines:
        if not line.startswith(" "):
            block = "" if not re.search(r"\b(class|struct|enum|protocol|actor|extension) ", line) else key(line)[0]
            yield ("", key(line)), line
        else:
            yield (block, key(line)), line.strip()


def changes(old, new):
    """One line for each declaration that was added, altered or removed."""
    old, new = list(in_blocks(old)), list(in_blocks(new))
    gone = [entry for entry in old if entry not in new]
    come = [entry for entry in new if entry not in old]
    for name, line in list(come):
        before = next((entry for entry in gone if entry[0] == name), None)
        of = f"{name[0]}: " if name[0] else ""
        if before:
            gone.remove(before)
            yield f"altered: {of}{before[1]}\n     to: {of}{line}"
        else:
            yield f"added: {of}{line}"
    for name, line in gone:
        yield f"removed: {name[0]}: {line}" if name[0] else f"removed: {line}"


def main():
    graphs, record = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    is_recording = sys.argv[3:] == ["--record"]
    count, changed = 0, 0
    modules = sorted(path.name for path in graphs.iterdir() if path.is_dir())
    for name in modules:
        module = Module(graphs / name)
        if undecided := sorted(set(module.open_enums())):
            sys.exit(f"interface: {name}: neither @frozen nor @nonexhaustive: {', '.join(undecided)}")
        lines = list(module.lines())
        count += len(lines)
        path = record / f"{name}.txt"
        for change in changes(path.read_text().splitlines() if path.exists() else [], lines):
            changed += 1
            print(f"{name}: {change}")
        if is_recording:
            path.write_text("".join(f"{line}\n" for line in lines))
    if gone := sorted(path.stem for path in record.glob("*.txt") if path.stem not in modules):
        sys.exit(f"interface: {', '.join(gone)}: recorded, and no public module any more")
    if changed and not is_recording:
        sys.exit(f"interface: {changed} declarations differ; if that is meant: Tests/Checks/interface/run.sh --record")
    print(f"interface: {count} declarations of {len(modules)} modules, {changed} of them changed")


main()
