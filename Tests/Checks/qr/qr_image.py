#!/usr/bin/env python3
"""Renders the QR code in a terminal's output as an image.

    qr_image.py [--terminal dark|light] [--number N] < terminal-output > image.pgm

Reads text in which some lines are a QR code of half blocks, plain or colored by escape sequences, and writes those
lines as a gray-scale image (PGM): each half of a character as bright as a terminal would show it. Nothing is corrected:
a code drawn too small, too faint or inverted is so in the image.
"""

import argparse
import re
import sys

PIXELS = 6  # a module's side length
MARGIN = 4  # of the terminal's own background around the code, in modules
BLOCKS = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}  # whether the upper and the lower half are drawn
BASIC = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255),
    (255, 255, 255),
]  # xterm's; a theme may differ
THEMES = {"dark": {"front": 230, "back": 20}, "light": {"front": 20, "back": 240}}
# A select-graphic-rendition sequence, another sequence, or a character.
TOKEN = re.compile(r"\x1b\[([0-9;]*)m|(\x1b\[[0-?]*[ -/]*[@-~]|\x1b[^\[])|(.)", re.DOTALL)


def gray(red, green, blue):
    return round(0.299 * red + 0.587 * green + 0.114 * blue)


def palette(index):
    """The brightness of one of the 256 colors."""
    if index < 16:
        return gray(*BASIC[index])
    if index >= 232:
        return 8 + 10 * (index - 232)
    level = [0, 95, 135, 175, 215, 255]
    return gray(*(level[(index - 16) // place % 6] for place in (36, 6, 1)))


def select(codes, colors, theme):
    """Applies the numbers of one SGR sequence."""
    codes = [int(code or 0) for code in codes.split(";")]
    while codes:
        code = codes.pop(0)
        if code == 0:
            colors.update(theme, inverse=False)
        elif code in (7, 27):
            colors["inverse"] = code == 7
        elif code in (38, 48):
            plane = "front" if code == 38 else "back"
            if codes.pop(0) == 5:
                colors[plane] = palette(codes.pop(0))
            else:
                colors[plane] = gray(codes.pop(0), codes.pop(0), codes.pop(0))
        elif code in (39, 49):
            plane = "front" if code == 39 else "back"
            colors[plane] = theme[plane]
        else:
            for first, plane, offset in ((30, "front", 0), (40, "back", 0), (90, "front", 8), (100, "back", 8)):
                if first <= code < first + 8:
                    colors[plane] = palette(code - first + offset)


def read(text, theme):
    """The lines, each a list of (character, front, back)."""
    colors = dict(theme, inverse=False)
    lines = [[]]
    for match in TOKEN.finditer(text):
        codes, _, character = match.groups()
        if codes is not None:
            select(codes, colors, theme)
        elif character == "\n":
            lines.append([])
        elif character is not None and character != "\r":
            front, back = colors["front"], colors["back"]
            lines[-1].append((character, back, front) if colors["inverse"] else (character, front, back))
    return lines


def find(lines):
    """The QR codes: runs of lines of blocks only, as many as a symbol of this width needs with its quiet zone."""
    found = []
    first = 0
    while first < len(lines):
        width = len(lines[first])
        height = (width + 1) // 2
        block = lines[first : first + height]
        if (
            width in range(29, 186, 4)
            and len(block) == height
            and all(len(line) == width and all(cell[0] in BLOCKS for cell in line) for line in block)
            and any(cell[0] != " " for line in block for cell in line)
        ):
            found.append(block)
            first += height
        else:
            first += 1
    return found


def picture(block, background):
    """The rows of pixels."""
    width = (len(block[0]) + 2 * MARGIN) * PIXELS
    border = [[background] * width] * (MARGIN * PIXELS)
    rows = list(border)
    for line in block:
        for half in (0, 1):
            modules = [front if BLOCKS[character][half] else back for character, front, back in line]
            modules = [background] * MARGIN + modules + [background] * MARGIN
            rows += [[module for module in modules for _ in range(PIXELS)]] * PIXELS
    return rows + border


def main():
    parser = argparse.ArgumentParser(description="Takes a picture of the QR code in a terminal's output.")
    parser.add_argument("--terminal", choices=THEMES, default="dark", help="the default colors")
    parser.add_argument("--number", type=int, default=1, help="which of several QR codes, from 1")
    arguments = parser.parse_args()

    theme = THEMES[arguments.terminal]
    found = find(read(sys.stdin.buffer.read().decode("utf-8"), theme))
    if not 1 <= arguments.number <= len(found):
        sys.exit(f"qr_image: {len(found)} QR codes in the output; number {arguments.number} was requested")
    rows = picture(found[arguments.number - 1], theme["back"])
    sys.stdout.buffer.write(b"P5\n%d %d\n255\n" % (len(rows[0]), len(rows)) + b"".join(map(bytes, rows)))


if __name__ == "__main__":
    main()
