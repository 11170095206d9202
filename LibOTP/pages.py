#!/usr/bin/env python3
"""Prints a manual page: otp.3.in or Tool/otp.1.in, with what it leaves to otp.h's comments or to the tool's help.

    pages.py otp.3
    pages.py otp.1 TOOL
"""

import json
import re
import subprocess
import sys

import header

ROOT = header.PATH.parents[2]


def text(words):
    """Running text, a sentence a line: what mdoc would take for a macro or an escape is none."""
    sentences = re.sub(r"(?<=\S\S[.!?]) |(?<=\S\S[.!?]\)) ", "\n", " ".join(words.split()).replace("\\", "\\e"))
    sentences = re.sub(r"^(?=[.'])", r"\\&", sentences, flags=re.M)
    return re.sub(r"\b(otp_\w+)\(\)", r"\\fB\1\\fR()", sentences)


def prose(comment, names=frozenset()):
    """A comment: its paragraphs, the indented ones as they are, and what it says of parameters as a list."""
    for number, paragraph in enumerate(re.split(r"\n\n+", comment)):
        if paragraph.startswith("  "):
            yield from (".Bd -literal", paragraph.replace("\\", "\\e"), ".Ed")
            continue
        if number:
            yield ".Pp"
        in_list = False
        for piece in re.split(r"\n(?=\S|  [a-z_]+(?:, [a-z_]+)*: )", paragraph):
            name, colon, rest = piece.strip().partition(": ")
            is_item = bool(colon) and set(name.split(", ")) <= names
            if is_item != in_list:
                yield ".Bl -tag -width Ds -compact" if is_item else ".El"
                in_list = is_item
            if is_item:
                yield f".It Fa {name.replace(', ', ' , ')}"
            yield text(rest if is_item else piece)
        if in_list:
            yield ".El"


def introduction(comment):
    """The header's first comment: its first part, and a subsection for each title."""
    for part in re.split(r"\n\n(?=\w+\n  )", comment):
        title, _, rest = part.partition("\n  ")
        if " " in title:
            yield from prose(part)
        else:
            yield f".Ss {title}"
            yield from prose(re.sub(r"^  ", "", rest, flags=re.M))


def sections(declarations):
    """The declarations by section, in their order."""
    found = {}
    for declared in declarations:
        found.setdefault(declared.section or "General", []).append(declared)
    return found


def declaration(each):
    """A parameter or a member, as C has it."""
    space = "" if each.type.endswith("*") else " "
    return f"{each.type}{space}{each.name}{f'[{each.length}]' if each.length else ''}"


def prototypes(section):
    """A section of the synopsis."""
    for declared in section:
        if declared.kind == "function":
            yield from (f".Ft {declared.type}", f".Fo {declared.name}")
            for each in declared.fields:
                yield f'.Fa "{declaration(each)}"'
            yield from ([] if declared.fields else [".Fa void"]) + [".Fc"]


def descriptions(section):
    """A section of the description."""
    names = frozenset(each.name for declared in section if declared.kind == "function" for each in declared.fields)
    yield from (line for declared in section if declared.kind == "text" for line in prose(declared.comment, names))
    yield ".Bl -tag -width Ds"
    for declared in section:
        if declared.kind == "function":
            yield f".It Fn {declared.name}"
            yield from prose(declared.comment, names)
        elif declared.kind == "constant":
            yield from (f".It Dv {declared.name} = {declared.type}", text(declared.comment))
        elif declared.kind != "text":
            yield from (f".It Vt {declared.name}", text(declared.comment))
            listed = [each for each in declared.fields if declared.kind == "enum" or each.name != "size"]
            yield from [".Bl -tag -width Ds -compact"] if listed else []
            for each in listed:
                listed_as = f"Dv {each.name} = {each.type}" if declared.kind == "enum" else f'Va "{declaration(each)}"'
                yield from (f".It {listed_as}", text(each.comment))
            yield from [".El"] if listed else []
    yield ".El"


def library():
    """The parts of otp(3)."""
    intro, declarations = header.read()
    grouped = sections(declarations).items()
    return {
        "synopsis": [line for title, section in grouped for line in (f".Ss {title}", *prototypes(section))],
        "description": [*introduction(intro),
                        *(line for title, section in grouped for line in (f".Ss {title}", *descriptions(section)))],
        "example": [(ROOT / "LibOTP/examples/c/login.c").read_text(encoding="utf-8").rstrip().replace("\\", "\\e")],
    }


def commands(command, name=()):
    """The tool's commands that have none themselves."""
    if command.get("subcommands"):
        return [leaf for each in command["subcommands"] for leaf in commands(each, (*name, each["commandName"]))]
    return [(" ".join(name), command)]


def argument(given):
    """An argument, as the synopsis has it."""
    value = given.get("valueName", "").replace("|", " | ")
    if given["kind"] == "positional":
        written = f"Ar {value}"
    else:
        # A short name only repeats the long one.
        word = next(each["name"] for each in given["names"] if each["kind"] == "long")
        written = f"Fl -{word}" + (f" Ar {value}" if given["kind"] == "option" else "")
    return written + (" ..." if given["isRepeating"] else "")


def own_arguments(command):
    """Those that not every command has."""
    return [each for each in command["arguments"] if each["valueName"] not in ("version", "help")]


def tool(program):
    """The parts of otp(1)."""
    dumped = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    listed = commands(json.loads(dumped)["command"])
    synopsis, described, options = [], [], {}
    for name, command in listed:
        given = [each for each in own_arguments(command) if each["shouldDisplay"]]
        one_of = [each for each in given if "exactly one" in each.get("sectionTitle", "")]
        call = ["." + " | ".join(map(argument, one_of))] if one_of else []
        operands = [(".Op " if each["isOptional"] else ".") + argument(each)
                    for each in given if each["kind"] == "positional"]
        for each in given:
            if each["kind"] != "positional":
                if each not in one_of:
                    call.append((".Op " if each["isOptional"] else ".") + argument(each))
                meanings = options.setdefault(argument(each), {})
                meanings.setdefault(each.get("abstract", ""), []).append(name)
        synopsis += [".Nm otp", f".Cm {name}", ".Op Ar options", *operands]
        described += [f".It Cm {name}", text(command.get("abstract", "")),
                      ".Pp", ".Nm", f".Cm {name}", *call, *operands]
        for paragraph in command.get("discussion", "").split("\n\n"):
            described += [".Pp", text(paragraph)] if paragraph else []
    documented = []
    for option, meanings in sorted(options.items()):
        documented.append(f".It {option}")
        for meaning, names in meanings.items():
            documented += [] if len(meanings) == 1 else [f".Cm {' , '.join(names)} :"]
            documented.append(text(meaning))
    return {"synopsis": synopsis, "commands": described, "options": documented}


page, *program = sys.argv[1:]
parts = tool(*program) if program else library()
template = (ROOT / ("Tool" if program else "LibOTP") / f"{page}.in").read_text(encoding="utf-8")
for name, lines in parts.items():
    template = template.replace(f"@{name}@\n", "".join(f"{line}\n" for line in lines if line))
print(template, end="")
