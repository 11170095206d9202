"""Reads otp.h: its introduction, its functions, structures, enumerations and constants, and their comments.

    python3 header.py    prints it for parsers that have no preprocessor, such as PHP's FFI::cdef() and Python's cffi
"""

import re
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).resolve().parent / "include/otp.h"

DECLARATION = re.compile(
    r"""^/\*\ ---- \ (?P<section>.*?)\ -+\*/
    | (?P<comment>/\*.*?\*/)
    | ^typedef\ (?P<kind>struct|enum)\ (?P<type>\w+)\ \{(?P<body>.*?)\}\ \w+;
    | ^typedef\ struct\ (?P<opaque>\w+)\ \w+;
    | ^\#define\ (?P<constant>OTP_\w+)\ (?P<value>(?:[^\n]*\\\n)?[^\n]*)$
    | ^(?P<result>[a-z][a-z_ ]*[ *]+)(?P<function>otp_\w+)\((?P<parameters>.*?)\);""",
    re.S | re.M | re.X,
)


class Field(NamedTuple):
    """A parameter, a member or an enumerator: its type or value, its name, for an array its length, its comment."""

    type: str
    name: str
    length: str = ""
    comment: str = ""


class Declaration(NamedTuple):
    """What the header declares: of the kind function, struct, enum, opaque, constant, or text for a comment alone."""

    kind: str
    name: str
    section: str
    comment: str
    type: str = ""
    fields: tuple[Field, ...] = ()


def plain(comment):
    """A comment's text, its paragraphs separated by empty lines."""
    lines = re.sub(r"^/\*\*?|\*/$", "", comment).split("\n")
    return "\n".join([lines[0].strip()] + [re.sub(r"^ *\* ?", "", line.rstrip()) for line in lines[1:]]).strip("\n")


def field(declaration, comment=""):
    """The field that `const char *name[9]` declares."""
    kind, name, length = re.fullmatch(r"(.*?[ *])(\w+)(\[\w+\])?", " ".join(declaration.split())).groups()
    return Field(kind.strip(), name, (length or "").strip("[]"), comment)


def members(kind, body):
    """The members of a structure, or the enumerators."""
    form = r"(/\*\*.*?\*/)?\s*" + (r"([^;/]+);" if kind == "struct" else r"(OTP_\w+) = (\d+)")
    for comment, *found in re.findall(form, body, re.S):
        text = plain(comment)
        yield field(found[0], text) if kind == "struct" else Field(found[1], found[0], comment=text)


def read(path=PATH):
    """The introduction, and the declarations in their order."""
    declarations, section, comment = [], "", ""
    for found in DECLARATION.finditer(Path(path).read_text(encoding="utf-8")):
        made = found.groupdict()
        if made["section"]:
            section = made["section"]
        elif made["comment"]:
            comment = plain(made["comment"])
            # The introduction, or what a section begins with.
            if not declarations or not made["comment"].startswith("/**"):
                declarations.append(Declaration("text", "", section, comment))
                comment = ""
        elif made["function"]:
            assert comment, f"{made['function']} has no comment"
            listed = [] if made["parameters"] == "void" else made["parameters"].split(",")
            declarations.append(Declaration("function", made["function"], section, comment, made["result"].strip(),
                                            tuple(map(field, listed))))
            comment = ""
        else:
            kind = made["kind"] or ("opaque" if made["opaque"] else "constant")
            fields = tuple(members(kind, made["body"])) if made["kind"] else ()
            name = made["type"] or made["opaque"] or made["constant"]
            value = re.sub(r"\\\n *", "", made["value"] or "")
            declarations.append(Declaration(kind, name, section, comment, value, fields))
            comment = ""
    return declarations[0].comment, declarations[1:]


def functions(path=PATH):
    """The functions in their order."""
    return [declared for declared in read(path)[1] if declared.kind == "function"]


def prototype(function):
    """A function's prototype, without the parameters' names."""
    listed = (f"{each.type} [{each.length}]" if each.length else each.type for each in function.fields)
    return f"{function.type} {function.name}({', '.join(listed) or 'void'})".replace("* otp", "*otp")


def plain_declarations(path=PATH):
    """The declarations alone, with the constants that are numbers as an enumeration, and void for the bytes of a
    parameter: PHP passes a string as that."""
    text = re.sub(r"/\*.*?\*/", "", Path(path).read_text(encoding="utf-8"), flags=re.S)
    numbers = re.findall(r"^#define (OTP_\w+) (\d+)u?$", text, re.M)
    text = re.sub(r"^#ifdef __cplusplus(?s:.*?)^#endif|^#(?:.*\\\n)*.*$", "", text, flags=re.M)
    constants = ", ".join(f"{name} = {value}" for name, value in numbers)
    text = re.sub(r"uint8_t \*(?=\w+[,)])", "void *", text)
    return re.sub(r"\n\s*\n", "\n", f"enum {{{constants}}};\n{text}")


if __name__ == "__main__":
    print(plain_declarations(), end="")
