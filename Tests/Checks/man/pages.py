#!/usr/bin/env python3
"""Compares the manual pages with what they describe.

    pages.py names HEADER              prints the header's functions
    pages.py functions HEADER otp.3    exactly the header's functions, with their prototypes
    pages.py options TOOL otp.1        exactly the commands and options of the tool's help
    pages.py example otp.3             prints the page's C program, as a reader sees it
    pages.py commands otp.1            prints the page's example commands, as a reader sees them
"""

import re
import subprocess
import sys


def lines_of(path):
    """The lines of a page; those that begin with a dot are macros."""
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def spaced(text):
    return re.sub(r"\s+", " ", text).strip()


def declared(header):
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    found = re.findall(r"^([a-z][a-z_ ]*[ *]+)(otp_\w+)\(([^)]*)\);", text, re.M)
    return {name: (spaced(kind), spaced(arguments)) for kind, name, arguments in found}


def documented(page):
    """The functions of the page's synopsis: .Ft, then .Fo with a .Fa for each argument."""
    functions, kind, name = {}, None, None
    for line in lines_of(page):
        macro, _, rest = line.partition(" ")
        rest = rest.strip('"')
        if macro == ".Ft":
            kind = rest
        elif macro == ".Fo":
            assert rest not in functions, f"{rest} occurs twice in {page}"
            name = rest
            functions[name] = (spaced(kind), [])
        elif macro == ".Fa" and name:
            functions[name][1].append(rest)
        elif macro == ".Fc":
            name = None
    return {name: (kind, ", ".join(arguments)) for name, (kind, arguments) in functions.items()}


def described(page):
    """The functions that the text after the synopsis mentions."""
    lines = lines_of(page)
    text = lines[lines.index(".Sh DESCRIPTION"):]
    return {line.split()[1] for line in text if line.startswith(".Fn ")}


def check_functions(header, page):
    in_header, in_page = declared(header), documented(page)
    assert len(in_header) >= 20, f"only {len(in_header)} functions are found in {header}"
    for name in sorted(in_header.keys() | in_page.keys()):
        assert in_header.get(name) == in_page.get(name), (
            f"{name}: the header has {in_header.get(name)}, the page {in_page.get(name)}"
        )
    missing = in_header.keys() ^ described(page)
    assert not missing, f"only the synopsis or only the description has {sorted(missing)}"
    with open(page, encoding="utf-8") as file:
        names = set(re.findall(r"\b(?:OTP|otp)_\w+", file.read()))
    with open(header, encoding="utf-8") as file:
        unknown = names - set(re.findall(r"\b(?:OTP|otp)_\w+", file.read())) - {"OTP_BACKEND"}
    assert not unknown, f"the page has names that the header lacks: {sorted(unknown)}"
    print(f"{len(in_header)} functions")


COMMON = {"--help", "--version"}


def help_of(tool, command=()):
    return subprocess.run([tool, *command, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout


def commands_of_tool(tool, command=()):
    """The options of each command without subcommands."""
    text = help_of(tool, command)
    listed = "\n".join(re.findall(r"\n[A-Z ]*SUBCOMMANDS:\n((?:  .*\n)+)", text))
    names = re.findall(r"^  ([a-z][a-z-]*)(?: |$)", listed, re.M)
    if not names:
        options = set(re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", text, re.M))
        assert COMMON <= options, f"{' '.join(command)}: its help was not understood"
        return {" ".join(command): options - COMMON}
    found = {}
    for name in names:
        found |= commands_of_tool(tool, (*command, name))
    return found


def commands_of_page(page):
    """The options of each command in the synopsis, and all options and commands that the text after it explains."""
    synopsis, explained, command = {}, set(), None
    section = ""
    for line in lines_of(page):
        if line.startswith(".Sh "):
            section = line[4:]
        elif section == "SYNOPSIS":
            if line.startswith(".Cm "):
                command = line[4:]
                assert command not in synopsis, f"{command} occurs twice in {page}"
                synopsis[command] = set()
            elif line == ".Nm otp":
                command = ""
            elif command:
                synopsis[command] |= {f"-{option}" for option in re.findall(r"\bFl (-[a-z0-9-]+)", line)}
        elif section == "DESCRIPTION" and line.startswith(".It "):
            word = re.match(r"\.It (?:Cm (.*)|Fl (-\S+).*)", line)
            name = word.group(1) or f"-{word.group(2)}"
            assert name not in explained, f"{name} is explained twice in {page}"
            explained.add(name)
    return synopsis, explained


def check_options(tool, page):
    of_tool = commands_of_tool(tool)
    assert len(of_tool) >= 12, f"only {len(of_tool)} commands are found in the tool's help"
    synopsis, explained = commands_of_page(page)
    # `help` has no options, and the list of commands leaves it out.
    assert synopsis.pop("help", None) == set(), "the page lacks 'help'"
    help_of(tool, ("help",))
    for name in sorted(of_tool.keys() | synopsis.keys()):
        assert of_tool.get(name) == synopsis.get(name), (
            f"{name}: the tool has {sorted(of_tool.get(name, ['no such command']))}, "
            f"the page {sorted(synopsis.get(name, ['no such command']))}"
        )
    options = set().union(*of_tool.values())
    wrong = explained ^ (of_tool.keys() | options | {"help"})
    assert not wrong, f"only the synopsis or only the description has {sorted(wrong)}"
    with open(page, encoding="utf-8") as file:
        mentioned = {f"-{name}" for name in re.findall(r"\bFl (-[a-z][a-z0-9-]*)", file.read())}
    # Options that the argument parser adds, and that no help lists.
    hidden = {"--generate-completion-script"}
    subprocess.run([tool, *hidden, "bash"], check=True, stdout=subprocess.DEVNULL)
    unknown = mentioned - options - COMMON - hidden
    assert not unknown, f"the page has options that the tool lacks: {sorted(unknown)}"
    print(f"{len(of_tool)} commands with {len(options)} options")


def print_example(page):
    text = subprocess.run(
        ["mandoc", "-T", "ascii", "-O", "width=100", page], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    # Bold and underlined text is overstruck.
    text = re.sub(".\b", "", text)
    program = re.search(r"^( +)#include.*?^\1\}$(?!.*^\1\}$)", text.split("\nEXAMPLES\n")[1], re.S | re.M)
    assert program, f"{page} lacks its example"
    indent = len(program.group(1))
    print("\n".join(line[indent:] for line in program.group().splitlines()))


def print_commands(page):
    """The examples, one after the other: each block of literal text."""
    inside, commands, section = False, [], ""
    for line in lines_of(page):
        section = line[4:] if line.startswith(".Sh ") else section
        if line.startswith((".Bd -literal", ".Ed")):
            inside = line.startswith(".Bd") and section == "EXAMPLES"
        elif inside:
            commands.append(line.replace("\\e", "\\"))
    assert len(commands) >= 15, f"{page} has only {len(commands)} lines of examples"
    print("\n".join(commands))


def print_names(header):
    print("\n".join(declared(header)))


COMMANDS = {
    "names": print_names, "functions": check_functions, "options": check_options, "example": print_example,
    "commands": print_commands,
}
COMMANDS[sys.argv[1]](*sys.argv[2:])
