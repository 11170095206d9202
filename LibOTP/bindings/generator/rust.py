"""Rust: structures, enumerations, and safe functions."""

from generator.common import BY_NAME, DECLARATIONS, FUNCTIONS, NUMBERS, PREFIXES, STRUCTURES, VALUES, camel, \
    comment, initial, members, pointee

#: Open enumerations, to which a later library may add, with their Rust names and the enumerator that is no case there;
#: and closed ones.
OPEN = {"otp_status": ("Error", "OK"), "otp_reason": ("Reason", "NONE"), "otp_record_kind": ("RecordKind", ""),
        "otp_cause": ("Cause", "")}
CLOSED = {"otp_hash": "Algorithm", "otp_backend": "Backend"}
SCALARS = {"size_t": "usize", "int64_t": "i64", "uint64_t": "u64", "uint32_t": "u32", "int": "c_int",
           "unsigned": "c_uint", "char": "c_char"}


def own_name(name):
    return f"r#{name}" if name == "type" else name


def type_of(kind):
    """The type of a number or of an enumeration."""
    return SCALARS.get(kind, "c_uint")


def has_life(structure):
    return any(each.type.startswith("const ") for each in BY_NAME[structure].fields) and structure != "otp_error_info"


def named(structure, life="<'_>"):
    return camel(structure) + (life if has_life(structure) else "")


def members_of(structure):
    """The members' names and types, and how many C has for each: a pointer to bytes and its length are one."""
    fields = iter(structure.fields)
    for each in fields:
        if each.type in ("const char *", "const uint8_t *") and structure.name != "otp_error_info":
            next(fields)
            yield each.name, "Bytes<'a>", 2
        elif each.type == "const char *":
            yield each.name, "Text<'static>", 1
        elif each.type.endswith("*"):
            yield each.name, f"Option<&'a {camel(pointee(each.type))}>", 1
        else:
            yield each.name, f"[c_char; {each.length}]" if each.length else type_of(each.type), 1


def value_of(kind, value):
    """A member's initial value."""
    if kind.startswith(("Bytes", "Text")):
        return kind.split("<")[0] + "::NONE"
    if kind.startswith("["):
        return f"[0; {kind.split()[1]}"
    return "None" if kind.startswith("Option") else {"SIZE_MAX": "usize::MAX"}.get(value, VALUES.get(value, value))


def structure_lines(structure):
    """A structure, with its values in each OTP_..._INIT."""
    life, listed = named(structure.name, "<'a>"), list(members_of(structure))
    yield from ("", "#[derive(Clone, Copy)]", "#[repr(C)]", f"pub struct {life} {{")
    yield from (f"    pub {own_name(name)}: {kind}," for name, kind, _ in listed)
    yield from ("}", "", f"impl {named(structure.name)} {{")
    for name, values in dict(initial(structure)).items() or [("INIT", ["0"] * len(structure.fields))]:
        yield f"    pub const {name}: Self = Self {{"
        yield "        size: size_of::<Self>(),"
        index = 0
        for member, kind, count in listed[1:]:
            yield f"        {own_name(member)}: {value_of(kind, values[index])},"
            index += count
        yield "    };"
    yield "}"


#: Structures of numbers, which the crate has as values. A number that another says is set is an `Option`.
VALUE_TYPES = {"otp_totp_params": "Totp", "otp_window": "Window", "otp_record_policy": "Policy"}


def value_type(structure, own):
    """The value, and its conversions from and to the structure."""
    in_c = camel(structure.name)
    by_default = BY_NAME[f"{structure.name.upper()}_INIT"].comment.split(": also")[0].rstrip(".")
    fields = [each for each in structure.fields[1:] if not each.name.startswith("has_")]
    optional = {each.name.removeprefix("has_") for each in structure.fields if each.name.startswith("has_")}
    yield from ("", *comment(f"{structure.comment} By default: {by_default}.", "/// ", "    "),
                "    #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]", f"    pub struct {own} {{")
    for each in fields:
        kind = f"Option<{type_of(each.type)}>" if each.name in optional else type_of(each.type)
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


def summary(function):
    return comment(function.comment.split("\n\n")[0], "/// ")


def call_lines(function):
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
            reference = "&" if is_read else "&'a mut " if name == "memory" else "&mut "
            parameters.append(f"{name}: {reference}[u8]")
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
            parameters.append(f"{name}: {CLOSED.get(kind, type_of(kind))}")
            arguments.append(f"{name} as c_uint" if kind in CLOSED else name)
            continue
        if length:
            fields.pop(0)
    (result, value), = results or [("()", "Ok(())")]
    life = "<'a>" if lives else ""
    name = function.name.removeprefix("otp_")
    yield from ("", *summary(function),
                f"pub fn {name}{life}({', '.join(parameters)}) -> Result<{result}, Error> {{")
    yield from (f"    {line}" for line in before)
    yield from (f"    check(unsafe {{ raw::{function.name}({', '.join(arguments)}) }})?;", f"    {value}", "}")


def raw_type(kind, length=""):
    """The type of C's own declaration."""
    if length:
        return f"*mut {SCALARS[kind]}"
    if kind == "const char *const *":
        return "*const *const c_char"
    depth, is_const, inner = kind.count("*"), kind.startswith("const "), kind.removeprefix("const ").rstrip(" *")
    base = {"void": "c_void", "uint8_t": "u8"}.get(inner) or (
        named(inner) if inner in BY_NAME and BY_NAME[inner].kind == "struct" else
        camel(inner) if inner in BY_NAME and BY_NAME[inner].kind == "opaque" else type_of(inner))
    return ("*const " if is_const else "*mut ") * depth + base


def lines():
    """The lines of sys.rs."""
    yield from ("//! What otp.h declares. Written by LibOTP/bindings/generate.py.", "//!",
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
    for name, (own, without) in OPEN.items():
        yield from ("", "enumeration! {", *comment(BY_NAME[name].comment, "/// ", "    "), f"    {own} {{")
        for member, number, what in members(name):
            if member != without:
                yield from (*comment(what, "/// ", "        "), f"        {camel(member)} = {number},")
        yield from ("    }", "}")
    for name, own in CLOSED.items():
        yield from ("", *comment(BY_NAME[name].comment, "/// "),
                    "#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]", f"pub enum {own} {{")
        for index, (member, number, what) in enumerate(members(name)):
            yield from comment(what, "/// ", "    ")
            yield from ["    #[default]"] * (index == 0)
            yield f"    {camel(member)} = {number},"
        yield "}"
    for declared in DECLARATIONS:
        if declared.kind == "opaque":
            yield from ("", "#[repr(C)]", f"pub struct {camel(declared.name)} {{", "    _private: [u8; 0],", "}", "",
                        f"impl Destroy for {camel(declared.name)} {{", "    unsafe fn destroy(object: *mut Self) {",
                        f"        unsafe {{ raw::{declared.name}_destroy(object) }}", "    }", "}")
    for structure in STRUCTURES:
        yield from structure_lines(structure)
    yield from ("", "pub mod values {", "    use std::os::raw::c_uint;")
    for name, own in VALUE_TYPES.items():
        yield from value_type(BY_NAME[name], own)
    yield "}"
    for function in FUNCTIONS:
        # Structures have constants instead of the functions that fill them in.
        if function.type == "otp_status" and not function.name.endswith("_init"):
            yield from call_lines(function)
        elif function.type == "const char *":
            each = "".join(f"{field.name}: {type_of(field.type)}" for field in function.fields)
            yield from ("", *summary(function),
                        f"pub fn {function.name.removeprefix('otp_')}({each}) -> &'static str {{",
                        f"    unsafe {{ Text(raw::{function.name}({each.split(':')[0]}), std::marker::PhantomData) }}"
                        '.get().unwrap_or("")', "}")
    yield from ("", "mod raw {", "    use super::*;", "    use std::os::raw::c_void;", "", '    extern "C" {')
    for function in FUNCTIONS:
        each = ", ".join(f"{field.name}: {raw_type(field.type, field.length)}" for field in function.fields)
        result = "" if function.type == "void" else f" -> {raw_type(function.type)}"
        yield f"        pub fn {function.name}({each}){result};"
    yield from ("    }", "}", "", "#[cfg(test)]", "pub fn layout() -> String {", "    let mut found = String::new();")
    for structure in STRUCTURES:
        yield f"    super::tests::layout!(found, \"{structure.name}\", {camel(structure.name)}::INIT =>"
        for name, _, count in members_of(structure):
            own = own_name(name)
            yield f"        {name} = {own}" + (f".start, {name}_len = {own}.len" if count == 2 else "") + ","
        yield "    );"
    yield from ("    found", "}")
