#!/usr/bin/env python3
"""Renders the QR code in a terminal's output as an image.

    qr_image.py [--terminal dark|light] < terminal-output > image.pgm

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
THEMES = {"dark": {"front": 230, "back": 20}, "light": {"front": 20, "back": 240}}
# A select-graphic-rendition sequence, another sequence, or a character.
TOKEN = re.compile(r"\x1b\[([0-9;]*)m|(\x1b\[[0-?]*[ -/]*[@-~]|\x1b[^\[])|(.)", re.DOTALL)


def palette(index):
    """The brightness of one of the 256 colors, other than those that a theme changes: a cube of 6 levels, and grays."""
    assert 16 <= index < 256, f"color {index}"
    if index >= 232:
        return 8 + 10 * (index - 232)
    level = [0, 95, 135, 175, 215, 255]
    return round(sum(level[(index - 16) // place % 6] * part for place, part in ((36, 0.299), (6, 0.587), (1, 0.114))))


def select(codes, colors, theme):
    """Applies the numbers of one SGR sequence: those that the tool writes, and no others."""
    codes = [int(code or 0) for code in codes.split(";")]
    while codes:
        code = codes.pop(0)
        if code == 0:
            colors.update(theme)
        else:
            assert code in (38, 48) and codes.pop(0) == 5, f"SGR {code}"
            colors["front" if code == 38 else "back"] = palette(codes.pop(0))


def read(text, theme):
    """The lines, each a list of (character, front, back)."""
    colors = dict(theme)
    lines = [[]]
    for match in TOKEN.finditer(text):
        codes, _, character = match.groups()
        if codes is not None:
            select(codes, colors, theme)
        elif character == "\n":
            lines.append([])
        elif character is not None and character != "\r":
            lines[-1].append((character, colors["front"], colors["back"]))
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
    arguments = parser.parse_args()

    theme = THEMES[arguments.terminal]
    found = find(read(sys.stdin.buffer.read().decode("utf-8"), theme))
    if not found:
        sys.exit("qr_image: no QR code in the output")
    rows = picture(found[0], theme["back"])
    sys.stdout.buffer.write(b"P5\n%d %d\n255\n" % (len(rows[0]), len(rows)) + b"".join(map(bytes, rows)))


if __name__ == "__main__":
    main()
