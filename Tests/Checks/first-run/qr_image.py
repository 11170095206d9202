#!/usr/bin/env python3
"""Renders the first QR code in a terminal's output as an image.

    qr_image.py [dark|light] < terminal-output > image.pgm

The code is lines of half blocks, plain or in the tool's colors. The image (PGM) is gray: each half of a character as
bright as a terminal of that theme would show it. Nothing is corrected: a code drawn too small, too faint or inverted is
so in the image.
"""

import re
import sys

PIXELS = 6  # a module's side length
MARGIN = 4  # of the terminal's own background around the code, in modules
BLOCKS = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}  # whether the upper and the lower half are drawn
# How bright a terminal shows its background, and what is drawn.
THEMES = {"dark": (20, 230), "light": (240, 20)}
# A line of the code: in white on black, which no theme changes, or without any color.
LINE = re.compile(r"(?:(\x1b\[38;5;231;48;5;16m)([ ▀▄█]{29,185})\x1b\[0m|([ ▀▄█]{29,185}))\r?")

theme = THEMES[(*sys.argv[1:], "dark")[0]]
lines = []
for text in sys.stdin.buffer.read().decode("utf-8").split("\n"):
    if match := LINE.fullmatch(text):
        lines.append((match[2] or match[3], (0, 255) if match[1] else theme))
    elif lines:
        break
width = len(lines[0][0]) if lines else 0
if not lines or {len(line) for line, _ in lines} != {width} or len(lines) != (width + 1) // 2:
    sys.exit("qr_image: no QR code in the output")

border = [[theme[0]] * (width + 2 * MARGIN)] * MARGIN
side = [theme[0]] * MARGIN
modules = [side + [colors[BLOCKS[character][half]] for character in line] + side for line, colors in lines
           for half in (0, 1)]
rows = [[module for module in row for _ in range(PIXELS)] for row in border + modules + border for _ in range(PIXELS)]
sys.stdout.buffer.write(b"P5\n%d %d\n255\n" % (len(rows[0]), len(rows)) + b"".join(map(bytes, rows)))
