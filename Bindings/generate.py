#!/usr/bin/env python3
"""Writes what the bindings know of otp.h: enumerations, structures, numbers, and the declarations of functions.

    generate.py

Scripts/libotp.sh runs it. The files are not tracked; packages have them.
"""

import os
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Scripts"))
import header  # noqa: E402

DECLARATIONS = header.read()[1]
BY_NAME = {declared.name: declared for declared in DECLARATIONS if declared.name}
FUNCTIONS = [declared for declared in DECLARATIONS if declared.kind == "function"]
STRUCTURES = [declared for declared in DECLARATIONS if declared.kind == "struct"]
NUMBERS = {declared.name: declared.type for declared in DECLARATIONS if re.fullmatch(r"\d+u?", declared.type)}
VALUES = {each.name: each.type for declared in DECLARATIONS if declared.kind == "enum" for each in declared.fields}
#: What the names of an enumeration's members begin with.
PREFIXES = {"otp_status": "OTP_", "otp_hash": "OTP_", "otp_type": "OTP_", "otp_result": "OTP_",
            "otp_backend": "OTP_BACKEND_", "otp_answer_kind": "OTP_ANSWER_", "otp_reason": "OTP_REASON_",
            "otp_record_kind": "OTP_RECORD_"}


def camel(name, initialisms=()):
    """otp_record_policy as RecordPolicy, OTP_INVALID_URI as InvalidUri or InvalidURI."""
    words = re.sub("^otp_", "", name, flags=re.I).upper().split("_")
    return "".join(word if word in initialisms else word.capitalize() for word in words)


def members(enumeration):
    """The names without their prefix, the numbers, and the comments."""
    for each in BY_NAME[enumeration].fields:
        yield each.name.removeprefix(PREFIXES[enumeration]), each.type, each.comment or f"`{each.name}`."


def comment(text, mark, indent=""):
    """Lines of comments."""
    return [indent + mark + line for line in textwrap.wrap(" ".join(text.split()), 112)]


def initial(structure):
    """By name, the members' values in each OTP_..._INIT of a structure."""
    for name, declared in BY_NAME.items():
        form = rf"\{{sizeof\({structure.name}\), (.*)\}}"
        if declared.kind == "constant" and (found := re.fullmatch(form, declared.type)):
            yield name.removeprefix(structure.name.upper() + "_"), found[1].split(", ")


def pointee(kind):
    """What a type points to: `otp_window` for `const otp_window *`."""
    return kind.removeprefix("const ").removesuffix("*").strip()


# ---- Python ---------------------------------------------------------------------------------------------------------

PYTHON = {"otp_status": "Status", "otp_hash": "Hash", "otp_type": "KeyType", "otp_result": "Result",
          "otp_answer_kind": "AnswerKind", "otp_reason": "Reason", "otp_record_kind": "RecordKind"}
#: The members of these may contain a NUL, at which c_char_p would stop.
WITH_NUL = {"otp_uri"}


def ctypes_of(kind, length="", structure=""):
    if length and kind == "char" and structure:
        return f"c_char * {length}"
    if kind in ("const char *", "const uint8_t *", "const void *"):
        return "c_void_p" if structure in WITH_NUL else "c_char_p"
    if kind == "const char *const *":
        return "POINTER(c_char_p)"
    if kind.endswith("**"):
        return "POINTER(c_void_p)"
    if kind.endswith("*") or length:
        name = pointee(kind)
        if name == "size_t" or name in BY_NAME and BY_NAME[name].kind == "struct":
            return f"POINTER({ctypes_of(name)})"
        return "c_void_p"
    if kind in BY_NAME:
        return camel(kind) if BY_NAME[kind].kind == "struct" else "c_int"
    return "c_" + {"unsigned": "uint"}.get(kind, kind.removesuffix("_t") if kind != "size_t" else kind)


def python_policy(structure):
    values = dict(initial(structure))
    yield from ("", "", "@dataclass(frozen=True)", "class Policy:", f'    """{structure.comment}"""', "",
                *comment(BY_NAME["OTP_RECORD_POLICY_STRICT_INIT"].comment, "#: ", "    "), "    STRICT: ClassVar[Policy]")
    for each, value in zip(structure.fields[1:], values["INIT"]):
        yield from (*comment(each.comment, "#: ", "    "), f"    {each.name}: int = {value}")
    yield from ("", "", f"Policy.STRICT = Policy({', '.join(values['STRICT_INIT'])})")


def python():
    yield from ('"""What otp.h declares. Written by Bindings/generate.py."""', "",
                "from __future__ import annotations", "", "import enum",
                "from ctypes import POINTER, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint32, \\",
                "    c_uint64, c_void_p", "from dataclasses import dataclass", "from typing import Any, ClassVar", "",
                "from otp._structures import Lenient, Structure", "")
    yield from (f"{name.removeprefix('OTP_')} = {value.rstrip('u')}" for name, value in NUMBERS.items())
    for name, own in PYTHON.items():
        # Of these, a later library may answer others, which are taken for the first.
        base = "Lenient" if name in ("otp_result", "otp_answer_kind", "otp_reason") else "enum.IntEnum"
        yield from ("", "", f"class {own}({base}):", f'    """{BY_NAME[name].comment.splitlines()[0]}"""', "")
        for member, number, text in members(name):
            yield from (*comment(text, "#: ", "    "), f"    {member} = {number}")
    for structure in STRUCTURES:
        yield from ("", "", f"class {camel(structure.name)}(Structure):", "    _fields_ = [")
        yield from (f'        ("{each.name}", {ctypes_of(each.type, each.length, structure.name)}),'
                    for each in structure.fields[1:])
        yield "    ]"
        for name, values in initial(structure):
            shown = (VALUES.get(value, {"NULL": "None", "SIZE_MAX": "c_size_t(-1).value"}.get(value, value))
                     for value in values)
            yield f"    {name} = ({', '.join(shown)})"
    yield from python_policy(BY_NAME["otp_record_policy"])
    yield from ("", "", "#: Results and arguments.", "FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {")
    for function in FUNCTIONS:
        result = {"void": "None", "otp_status": "c_int"}.get(function.type, "c_char_p")
        arguments = ", ".join(ctypes_of(each.type, each.length) for each in function.fields)
        yield f'    "{function.name}": ({result}, [{arguments}]),'
    yield "}"


# ---- Go -------------------------------------------------------------------------------------------------------------

GO = {"otp_hash": ("Hash", ""), "otp_result": ("Result", ""), "otp_answer_kind": ("AnswerKind", "Answer"),
      "otp_reason": ("Reason", "Reason"), "otp_record_kind": ("RecordKind", "Record")}
INITIALISMS = {"HOTP", "SHA1", "SHA256", "SHA512", "T0", "TOTP", "URI", "UTF8"}


def go():
    yield from ("package otp", "", "// Written by Bindings/generate.py from otp.h.", "", "// #include <otp.h>",
                'import "C"', "", "const (")
    for member, _, text in list(members("otp_status"))[1:]:
        yield from ("", *comment(text, "// ", "\t"), f"\tErr{camel(member, INITIALISMS)} Error = C.OTP_{member}")
    yield ")"
    for name, (own, prefix) in GO.items():
        yield from ("", *comment(f"A {own}: {BY_NAME[name].comment}", "// "), f"type {own} uint32", "", "const (")
        for member, _, text in members(name):
            constant = PREFIXES[name] + member
            yield from ("", *comment(text, "// ", "\t"))
            yield f"\t{prefix}{camel(member, INITIALISMS)} {own} = C.{constant}"
        yield from (")", "", f"// String returns the {own}'s name.", f"func (value {own}) String() string {{",
                    "\tswitch value {")
        for member, _, _ in members(name):
            shown = member if member in INITIALISMS else member.replace("_", " ").lower()
            yield from (f"\tcase {prefix}{camel(member, INITIALISMS)}:", f'\t\treturn "{shown}"')
        yield from ("\t}", "\treturn unknown(uint32(value))", "}")


# ---- Rust -----------------------------------------------------------------------------------------------------------

#: Open enumerations, of which a later library may answer others, without what is no case of them; and closed ones.
RUST_OPEN = {"otp_status": ("Error", "OK"), "otp_reason": ("Reason", "NONE"), "otp_record_kind": ("RecordKind", "")}
RUST_CLOSED = {"otp_hash": "Algorithm", "otp_backend": "Backend"}
SCALARS = {"size_t": "usize", "int64_t": "i64", "uint64_t": "u64", "uint32_t": "u32", "int": "c_int",
           "unsigned": "c_uint", "char": "c_char"}


def own_name(name):
    return f"r#{name}" if name == "type" else name


def rust_type(kind, life="'_"):
    """The type of a scalar, of an enumeration, or of a pointer to a structure."""
    if kind.endswith("*"):
        return f"&{life + ' ' if life == chr(39) + 'a' else ''}{camel(pointee(kind))}"
    return SCALARS.get(kind, "c_uint")


def has_life(structure):
    return any(each.type.startswith("const ") for each in BY_NAME[structure].fields) and structure != "otp_error_info"


def named(structure, life="<'_>"):
    return camel(structure) + (life if has_life(structure) else "")


def rust_members(structure):
    """The members: C's name, the path in Rust, and the type; a pointer to bytes with its length is one member."""
    fields = iter(structure.fields)
    for each in fields:
        if each.type in ("const char *", "const uint8_t *") and structure.name != "otp_error_info":
            next(fields)
            yield each.name, "Bytes<'a>", 2
        elif each.type == "const char *":
            yield each.name, "Text<'static>", 1
        elif each.type.endswith("*"):
            yield each.name, f"Option<{rust_type(each.type, chr(39) + 'a')}>", 1
        else:
            yield each.name, f"[c_char; {each.length}]" if each.length else rust_type(each.type), 1


def rust_value(kind, value):
    if kind.startswith(("Bytes", "Text")):
        return kind.split("<")[0] + "::NONE"
    if kind.startswith("["):
        return f"[0; {kind.split()[1]}"
    return "None" if kind.startswith("Option") else {"SIZE_MAX": "usize::MAX"}.get(value, VALUES.get(value, value))


def rust_structure(structure):
    life, listed = named(structure.name, "<'a>"), list(rust_members(structure))
    yield from ("", "#[derive(Clone, Copy)]", "#[repr(C)]", f"pub struct {life} {{")
    yield from (f"    pub {own_name(name)}: {kind}," for name, kind, _ in listed)
    yield from ("}", "", f"impl {named(structure.name)} {{")
    for name, values in dict(initial(structure)).items() or [("INIT", ["0"] * len(structure.fields))]:
        yield f"    pub const {name}: Self = Self {{"
        yield "        size: size_of::<Self>(),"
        place = 0
        for member, kind, count in listed[1:]:
            yield f"        {own_name(member)}: {rust_value(kind, values[place])},"
            place += count
        yield "    };"
    yield "}"


#: Structures of numbers, which the crate has as values. A number that another says is set is an `Option`.
RUST_VALUES = {"otp_totp_params": "Totp", "otp_window": "Window", "otp_record_policy": "Policy"}


def rust_value_type(structure, own):
    in_c = camel(structure.name)
    by_default = BY_NAME[f"{structure.name.upper()}_INIT"].comment.split(": also")[0].rstrip(".")
    fields = [each for each in structure.fields[1:] if not each.name.startswith("has_")]
    optional = {each.name.removeprefix("has_") for each in structure.fields if each.name.startswith("has_")}
    yield from ("", *comment(f"{structure.comment} By default: {by_default}.", "/// ", "    "),
                "    #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]", f"    pub struct {own} {{")
    for each in fields:
        kind = f"Option<{rust_type(each.type)}>" if each.name in optional else rust_type(each.type)
        yield from (*comment(each.comment, "/// ", "        "), f"        pub {each.name}: {kind},")
    yield from ("    }", "", f"    impl {own} {{")
    for name, _ in list(initial(structure))[1:]:
        yield from (*comment(BY_NAME[f"{structure.name.upper()}_{name}"].comment, "/// ", "        "),
                    f"        pub const {name.removesuffix('_INIT')}: Self = Self::of(super::{in_c}::{name});")
    yield from ("", f"        const fn of(given: super::{in_c}) -> Self {{", "            Self {")
    for each in fields:
        value = f"given.{each.name}"
        if each.name in optional:
            value = f"if given.has_{each.name} == 0 {{ None }} else {{ Some({value}) }}"
        yield f"                {each.name}: {value},"
    yield from ("            }", "        }", "    }", "",
                f"    impl Default for {own} {{", "        fn default() -> Self {",
                f"            Self::of(super::{in_c}::INIT)", "        }", "    }", "",
                f"    impl From<{own}> for super::{in_c} {{", f"        fn from(given: {own}) -> Self {{",
                "            Self {")
    for each in fields:
        if each.name in optional:
            yield f"                has_{each.name}: given.{each.name}.is_some().into(),"
        yield f"                {each.name}: given.{each.name}{'.unwrap_or(0)' if each.name in optional else ''},"
    yield from ("                ..Self::INIT", "            }", "        }", "    }")


def rust_summary(function):
    return comment(function.comment.split("\n\n")[0], "/// ")


def rust_call(function):
    """A safe function: pointers with their lengths are slices, and what is written is returned."""
    parameters, arguments, before, results = [], [], [], []
    fields, lives = list(function.fields), False
    while fields:
        each = fields.pop(0)
        name, kind, inner = each.name, each.type, pointee(each.type)
        length = fields[0].type if fields and fields[0].name in (f"{name}_len", "len", "count") else ""
        if kind == "const char *const *":
            parameters.append(f"{name}: &[Text<'_>]")
            arguments += [f"{name}.as_ptr().cast()", f"{name}.len()"]
        elif kind.endswith("**"):
            before.append(f"let mut {name} = None;")
            arguments.append(f"(&mut {name} as *mut Option<Owned<{camel(kind.rstrip(' *'))}>>).cast()")
            results.append((f"Owned<{camel(kind.rstrip(' *'))}>", f"{name}.ok_or(Error::InvalidArgument)"))
        elif each.length:
            before.append(f"let mut {name} = [0; {each.length}];")
            arguments.append(f"{name}.as_mut_ptr()")
            results.append(("String", f"Ok(super::text(&{name}))"))
        elif inner in ("char", "uint8_t", "void") and kind.endswith("*"):
            if kind == "const char *" and not length:
                parameters.append(f"{name}: Text<'_>")
                arguments.append(f"{name}.0")
                continue
            is_read, lives = kind.startswith("const"), lives or name == "memory"
            parameters.append(f"{name}: &{'' if is_read else chr(39) + 'a mut ' if name == 'memory' else 'mut '}[u8]")
            arguments.append(f"{name}.as_{'' if is_read else 'mut_'}ptr().cast()")
            if length == "size_t *":
                before.append(f"let mut {name}_len = {name}.len();")
                results.append(("usize", f"Ok({name}_len)"))
            arguments.append(f"&mut {name}_len" if length == "size_t *" else f"{name}.len()")
        elif kind.endswith("*") and BY_NAME[inner].kind == "opaque":
            parameters.append(f"{name}: &{camel(inner)}")
            arguments.append(name)
            continue
        elif kind.startswith("const ") and kind.endswith("*"):
            parameters.append(f"{name}: &[{named(inner)}]" if length else f"{name}: &{named(inner)}")
            arguments += [f"start({name})", f"{name}.len()"] if length else [name]
        elif name == "results":
            parameters.append(f"{name}: &mut [{named(inner)}]")
            before.append(f"assert_eq!({name}.len(), requests.len());")
            arguments.append(f"{name}.as_mut_ptr()")
        elif name == "out":
            before.append(f"let mut {name} = {camel(inner)}::INIT;")
            arguments.append(f"&mut {name}")
            results.append((named(inner, "<'a>"), f"Ok({name})"))
        elif kind.endswith("*"):
            parameters.append(f"{name}: &mut {camel(inner)}")
            arguments.append(name)
        else:
            parameters.append(f"{name}: {RUST_CLOSED.get(kind, rust_type(kind))}")
            arguments.append(f"{name} as c_uint" if kind in RUST_CLOSED else name)
            continue
        if length:
            fields.pop(0)
    (result, value), = results or [("()", "Ok(())")]
    life = "<'a>" if lives else ""
    name = function.name.removeprefix("otp_")
    yield from ("", *rust_summary(function),
                f"pub fn {name}{life}({', '.join(parameters)}) -> Result<{result}, Error> {{")
    yield from (f"    {line}" for line in before)
    yield from (f"    check(unsafe {{ raw::{function.name}({', '.join(arguments)}) }})?;", f"    {value}", "}")


def rust_raw(kind, length=""):
    """The type of C's own declaration."""
    if length:
        return f"*mut {SCALARS[kind]}"
    if kind == "const char *const *":
        return "*const *const c_char"
    depth, is_const, inner = kind.count("*"), kind.startswith("const "), kind.removeprefix("const ").rstrip(" *")
    base = {"void": "c_void", "uint8_t": "u8"}.get(inner) or (
        named(inner) if inner in BY_NAME and BY_NAME[inner].kind == "struct" else
        camel(inner) if inner in BY_NAME and BY_NAME[inner].kind == "opaque" else rust_type(inner))
    return ("*const " if is_const else "*mut ") * depth + base


def rust():
    yield from ("//! What otp.h declares. Written by Bindings/generate.py.", "//!",
                "//! SAFETY of each call: pointers and lengths are of references and slices, which outlive it.", "",
                "#![allow(dead_code, clippy::too_many_arguments)]", "",
                "use super::{check, enumeration, start, Bytes, Destroy, Owned, Text};",
                "use std::mem::size_of;", "use std::os::raw::{c_char, c_int, c_uint};", "")
    for name, value in NUMBERS.items():
        kind = "c_uint" if value.endswith("u") else "usize"
        yield f"pub const {name.removeprefix('OTP_')}: {kind} = {value.rstrip('u')};"
    for name in ("otp_type", "otp_result", "otp_answer_kind"):
        yield from (f"pub const {PREFIXES[name].removeprefix('OTP_')}{member}: c_uint = {number};"
                    for member, number, _ in members(name))
    for name, (own, without) in RUST_OPEN.items():
        yield from ("", "enumeration! {", *comment(BY_NAME[name].comment, "/// ", "    "), f"    {own} {{")
        for member, number, what in members(name):
            if member != without:
                yield from (*comment(what, "/// ", "        "), f"        {camel(member)} = {number},")
        yield from ("    }", "}")
    for name, own in RUST_CLOSED.items():
        yield from ("", *comment(BY_NAME[name].comment, "/// "),
                    "#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]", f"pub enum {own} {{")
        for place, (member, number, what) in enumerate(members(name)):
            yield from comment(what, "/// ", "    ")
            yield from ["    #[default]"] * (place == 0)
            yield f"    {camel(member)} = {number},"
        yield "}"
    for declared in DECLARATIONS:
        if declared.kind == "opaque":
            yield from ("", "#[repr(C)]", f"pub struct {camel(declared.name)} {{", "    _private: [u8; 0],", "}", "",
                        f"impl Destroy for {camel(declared.name)} {{", "    unsafe fn destroy(object: *mut Self) {",
                        f"        unsafe {{ raw::{declared.name}_destroy(object) }}", "    }", "}")
    for structure in STRUCTURES:
        yield from rust_structure(structure)
    yield from ("", "pub mod values {", "    use std::os::raw::c_uint;")
    for name, own in RUST_VALUES.items():
        yield from rust_value_type(BY_NAME[name], own)
    yield "}"
    for function in FUNCTIONS:
        if function.type == "otp_status":
            yield from rust_call(function)
        elif function.type == "const char *":
            each = "".join(f"{field.name}: {rust_type(field.type)}" for field in function.fields)
            yield from ("", *rust_summary(function),
                        f"pub fn {function.name.removeprefix('otp_')}({each}) -> &'static str {{",
                        f"    unsafe {{ Text(raw::{function.name}({each.split(':')[0]}), std::marker::PhantomData) }}"
                        '.get().unwrap_or("")', "}")
    yield from ("", "mod raw {", "    use super::*;", "    use std::os::raw::c_void;", "", '    extern "C" {')
    for function in FUNCTIONS:
        each = ", ".join(f"{field.name}: {rust_raw(field.type, field.length)}" for field in function.fields)
        result = "" if function.type == "void" else f" -> {rust_raw(function.type)}"
        yield f"        pub fn {function.name}({each}){result};"
    yield from ("    }", "}", "", "#[cfg(test)]", "pub fn layout() -> String {", "    let mut found = String::new();")
    for structure in STRUCTURES:
        yield f"    super::tests::layout!(found, \"{structure.name}\", {camel(structure.name)}::INIT =>"
        for name, _, count in rust_members(structure):
            own = own_name(name)
            yield f"        {name} = {own}" + (f".start, {name}_len = {own}.len" if count == 2 else "") + ","
        yield "    );"
    yield from ("    found", "}")


FILES = {"python/src/otp/_header.py": python(), "go/otp_header.go": go(), "rust/src/ffi/sys.rs": rust()}
for path, lines in FILES.items():
    file, written = HERE / path, "\n".join(lines) + "\n"
    # At once, since a build may be reading it, and only if it differs, since a build would begin again.
    if not file.exists() or file.read_text(encoding="utf-8") != written:
        new = file.with_suffix(f".{os.getpid()}")
        new.write_text(written, encoding="utf-8")
        new.replace(file)
