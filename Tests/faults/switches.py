"""Plants many faults at once, each behind a switch, so that one build serves all of them.

The innermost block of statements around a fault's change is there twice: as it is, and with the fault, which the
environment variable OTP_FAULT chooses by its number.
"""
import re

SWIFT = f"""import Glibc

let plantedFault: Int = unsafe getenv("OTP_FAULT").map {{ unsafe Int(String(cString: $0)) ?? 0 }} ?? 0
"""
C = """#include <stdlib.h>
static inline int planted_fault(void) { const char *text = getenv("OTP_FAULT"); return text ? atoi(text) : 0; }
"""
# Of a closure that begins with its parameters.
PARAMETERS = re.compile(r"\s*(\[[^\]]*\]\s*)?(\([^{}]*?\)|[\w, ]+)?\s*(throws(\(\w+\))?\s*)?(->\s*\S+\s*)?\bin\b(?=\s)")
STATEMENT = re.compile(r"\s*(for|if|guard|let|return|switch|try|unsafe|var|while)\b")
ACCESSORS = re.compile(r"\s*(unsafe\s+|mutating\s+)*(get|set|willSet|didSet)\s*(\{|throws|async)")
OTHER = re.compile(r"\b(struct|class|enum|extension|protocol|actor|switch)\s+[^\n]*$")


def end_of_string(text, start, in_swift):
    """Where a literal ends, of any of Swift's or C's forms."""
    hashes = re.match("#*", text[start:]).group()
    quotes = '"""' if text.startswith('"""', start + len(hashes)) else '"'
    place = start + len(hashes) + len(quotes)
    while not text.startswith(quotes + hashes, place):
        if text.startswith("\\" + hashes, place):
            place += 1 + len(hashes)
            if in_swift and text[place] == "(":
                place = end_of_interpolation(text, place) - 1
        place += 1
    return place + len(quotes + hashes)


def end_of_interpolation(text, place):
    depth = 0
    while True:
        if text[place] == '"':
            place = end_of_string(text, place, True)
            continue
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        place += 1
        if depth == 0:
            return place


def blocks(text, in_swift):
    """The places of all pairs of braces that hold statements."""
    found, open_ones, place = [], [], 0
    while place < len(text):
        if text.startswith("//", place):
            place = text.find("\n", place)
        elif text.startswith("/*", place):
            place = text.find("*/", place) + 2
        elif text[place] == '"' or re.match('#+"', text[place : place + 4]):
            place = end_of_string(text, place, in_swift)
        elif not in_swift and text[place] == "'":
            place += 4 if text[place + 1] == "\\" else 3
        else:
            if text[place] == "{":
                open_ones.append(place)
            elif text[place] == "}":
                start = open_ones.pop()
                if holds_statements(text, start, in_swift):
                    found.append((start, place))
            place += 1
    return found


def holds_statements(text, start, in_swift):
    before = text[max(text.rfind(mark, 0, start) for mark in "{}") + 1 : start].rstrip()
    if not in_swift:
        return re.search(r"(\)|\belse|\bdo)$", before) is not None
    head = before.rsplit("\n\n", 1)[-1]
    declares = re.search(r"\b(func|init|subscript|var|let|in)\b", head.rsplit("\n", 1)[-1])
    return (declares or not OTHER.search(head)) and not ACCESSORS.match(text[start + 1 :])


def with_switches(text, faults, in_swift):
    """The text with faults (number, before, old, new, after) behind switches, and the numbers of those left out."""
    chosen, left_out, all_blocks = {}, [], blocks(text, in_swift)
    for number, before, old, new, after in faults:
        place = text.index(before + old + after) + len(before)
        around = [block for block in all_blocks if block[0] < place and block[1] >= place + len(old)]
        if around:
            chosen.setdefault(max(around), []).append((number, place, old, new))
        else:
            left_out.append(number)

    def rendered(start, end):
        """The text between two places, with the outermost of the chosen blocks in it replaced."""
        result = ""
        for block in sorted(block for block in chosen if start <= block[0] and block[1] < end):
            if block[0] >= start:
                result += text[start : block[0] + 1] + switched(*block)
                start = block[1]
        return result + text[start:end]

    def switched(start, end):
        start += 1
        parameters = None if STATEMENT.match(text[start:end]) or not in_swift else PARAMETERS.match(text[start:end])
        first = start + parameters.end() if parameters else start
        result = text[start:first] + " "
        for number, place, old, new in chosen[start - 1, end]:
            test = f"plantedFault == {number}" if in_swift else f"(planted_fault() == {number})"
            result += f"if {test} {{{text[first:place]}{new}{text[place + len(old):end]}}} else "
        return f"{result}{{{rendered(first, end)}}} "

    result = rendered(0, len(text))
    if not in_swift:
        place = result.index("\n", result.rindex("#include")) + 1
        result = result[:place] + C + result[place:]
    return result, left_out


def planted(sources, faults):
    """The texts of files with faults (number, file, before, old, new, after), and the numbers of those left out."""
    texts, left_out, files = {}, [], {}
    for number, file, *change in faults:
        files.setdefault(file, []).append((number, *change))
    for file, of_file in files.items():
        in_swift = file.suffix == ".swift"
        texts[file], left = with_switches(file.read_text(), of_file, in_swift)
        left_out += left
        if in_swift:
            texts[sources.joinpath(*file.relative_to(sources).parts[:2], "PlantedFault.swift")] = SWIFT
    return texts, left_out
