#!/usr/bin/env python3
"""The public Swift interface of each module, from the compiler's symbol graphs.

    interface.py GRAPHS RECORD            prints what was added, altered or removed; fails if anything was
    interface.py GRAPHS RECORD --record   prints the same, and records it

GRAPHS has a folder for each module, as Scripts/symbols.sh writes them. RECORD has a line for each public type: its
module and name, a hash of its declarations, with conformances, and the members' names. What the compiler derives is
left out. The declarations themselves are in the sources; those of a type that differs are printed.
"""

import hashlib
import json
import pathlib
import re
import sys
import urllib.parse

# Conformances that nearly every type has implicitly.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
TYPES = {"swift.enum", "swift.struct", "swift.class", "swift.actor", "swift.protocol"}


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

    def types(self):
        """Each type or extension, by its name, with its declarations: its own, then its members' by their names."""
        blocks = {}
        for precise, symbol in self.symbols.items():
            path = symbol["pathComponents"]
            if symbol["kind"]["identifier"] in TYPES:
                blocks.setdefault(".".join(path), []).append(("", self.type_line(precise, symbol)))
            else:
                name = re.match(r"[^(]*", path[-1])[0] or path[-1]
                blocks.setdefault(self.home(precise, symbol), []).append((name, declaration(symbol)))
        return {name: sorted(block) for name, block in sorted(blocks.items())}

    def home(self, precise, symbol):
        """The block of a member: its type, or the extension of another module's type or of a protocol."""
        name = ".".join(symbol["pathComponents"][:-1])
        own = [s for s in self.symbols.values() if ".".join(s["pathComponents"]) == name]
        is_protocol = any(s["kind"]["identifier"] == "swift.protocol" for s in own)
        is_extension = name and not own or is_protocol and precise not in self.requirements
        return f"extension/{name}" if is_extension else name or "(global)"

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


def recorded(module, name, block):
    """A type's line of the record."""
    digest = hashlib.sha256("\n".join(text for _, text in block).encode()).hexdigest()[:8]
    return " ".join([module, name, digest, *sorted({member for member, _ in block if member})])


def changes(old, new):
    """The types that were added, altered or removed, by module and name, and the members' names that came or went."""
    old, new = ({tuple(line.split()[:2]): line.split()[2:] for line in lines} for lines in (old, new))
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            how = "added" if name not in old else "removed" if name not in new else "altered"
            gone, come = (set(of.get(name, [""])[1:]) for of in (old, new))
            members = sorted(f"-{n}" for n in gone - come) + sorted(f"+{n}" for n in come - gone)
            yield name, " ".join([how, *name, *members])


def main():
    graphs, record = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    is_recording = sys.argv[3:] == ["--record"]
    blocks = {}
    for path in sorted(path for path in graphs.iterdir() if path.is_dir()):
        module = Module(path)
        if undecided := sorted(set(module.open_enums())):
            sys.exit(f"interface: {path.name}: neither @frozen nor @nonexhaustive: {', '.join(undecided)}")
        blocks |= {(path.name, name): block for name, block in module.types().items()}
    lines = [recorded(*name, block) for name, block in blocks.items()]
    changed = list(changes(record.read_text().splitlines(), lines))
    for name, text in changed:
        print("\n  ".join([text] + [line for _, line in blocks.get(name, [])]))
    if is_recording:
        record.write_text("".join(f"{line}\n" for line in lines))
    elif changed:
        sys.exit(f"interface: {len(changed)} types differ; if that is meant: Tests/Checks/interface/run.sh --record")
    count = sum(map(len, blocks.values()))
    print(f"interface: {count} declarations of {len(blocks)} types, {len(changed)} types changed")


main()
