#!/usr/bin/env python3
"""Draws a table of Benchmarks/results as a chart beside it: for each row, its subjects' times as multiples of ours.

    Benchmarks/chart.py Benchmarks/results/zen-4.md
"""
import itertools
import pathlib
import re
import sys

import matplotlib.pyplot as plt

table = pathlib.Path(sys.argv[1])
text = table.read_text()
# What is ours too, or the same under another load, is not a peer.
OURS = re.compile(r"libotp|requests kept|\d+ at once")
plt.rcParams.update({"font.size": 9})
names, points = [], {}
for name, time, beside in re.findall(r"^\| (\S.*?) \| (\S+ \S+) \| (.*) \|$", text, re.M):
    peers = [(peer, float(ratio)) for peer, ratio in re.findall(r"(\S.*?) ([0-9.]+)(?: ±\d+ %)?(?:, |$)", beside)
             if not OURS.match(peer)]
    names += [f"{name} ({time})"] if peers else []
    for peer, ratio in peers:
        # The table has the versions.
        points.setdefault(re.sub(r" \d+\.[\d.]+", "", peer), []).append((ratio, 1 - len(names)))
figure, axes = plt.subplots(figsize=(9, 0.28 * len(names) + 1), layout="constrained")
for (peer, places), color in zip(points.items(), itertools.cycle(plt.get_cmap("tab20").colors)):
    axes.plot(*zip(*places), "o", color=color, ms=5, label=peer)
axes.axvline(1, color="black")
axes.set(xscale="log", xlabel="times ours, which is the line (farther right: slower)", title=text.split("\n")[0])
axes.set_yticks(range(0, -len(names), -1), names)
axes.xaxis.set_major_formatter("{x:g}")
axes.grid(alpha=0.3)
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=7)
figure.savefig(table.with_suffix(".png"), dpi=110)
