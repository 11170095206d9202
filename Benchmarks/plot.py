"""Draws a benchmark's results (otp-bench/1) as an SVG, or writes them as Markdown tables.

    python3 plot.py RESULTS.json > RESULTS.svg
    python3 plot.py --table RESULTS.json
    python3 plot.py --name RESULTS.json     # what to call them: the CPU's design, or its name
"""

import json
import re
import sys
from math import log10
from xml.sax.saxutils import escape

SUBJECT = "swift-otp"
# The rows shown, with their labels.
ROWS = [
    ("verify/sha1/window1/cached", "verify, ±1, SHA-1"),
    ("verify/sha1/window5/cached", "verify, ±5, SHA-1"),
    ("verify/sha1/window1/cold", "verify, ±1, SHA-1, from the secret"),
    ("verify-batch/sha1/window1", "verify 1,024 people at once, ±1, SHA-1"),
    ("codes-batch/sha1", "4,096 codes, SHA-1"),
    ("codes-batch/sha256", "4,096 codes, SHA-256"),
    ("codes-batch/sha512", "4,096 codes, SHA-512"),
]
# Sign-ins by a second factor: row, subject and label.
SIGN_INS = [
    ("authenticate/totp/memory", "swift-otp", "a sign-in, store in memory"),
    ("authenticate/totp/sqlite", "sqlite-raw-update", "a durable update of one row in SQLite"),
    ("authenticate/totp/sqlite", "swift-otp", "a sign-in, store in SQLite"),
    ("authenticate/totp/sqlite", "swift-otp-parallel64", "a sign-in of 64 at once, store in SQLite"),
    ("authenticate/totp/postgresql", "postgresql-raw-update", "a durable update of one row in PostgreSQL, by libpq"),
    ("authenticate/totp/postgresql", "swift-otp", "a sign-in, store in PostgreSQL"),
    ("authenticate/totp/postgresql", "pgbench-clients64", "the same update, by 64 clients of pgbench"),
    ("authenticate/totp/postgresql", "swift-otp-parallel64", "a sign-in of 64 at once, store in PostgreSQL"),
    ("authenticate/totp/postgresql", "swift-otp-parallel512", "a sign-in of 512 at once, store in PostgreSQL"),
]
COLORS = {
    "swift-otp": "#2f81f7",
    "swift-otp-kept": "#79c0ff",
    "libotp": "#39c5cf",
    "ipsec-mb": "#a371f7",
    "openssl-midstate": "#8b949e",
    "openssl-evp": "#8b949e",
    "liboath": "#db6d28",
    "openssl-oneshot": "#8b949e",
}


def rows_by_name(results):
    grouped = {}
    for row in results["rows"]:
        grouped.setdefault(row["name"], {})[row["subject"]] = row
    return grouped


def nanoseconds(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def times(ratio):
    return f"{ratio:.1f}×" if ratio < 9.95 else f"{ratio:,.0f}×"


def table(results):
    subjects = list(COLORS)
    lines = [
        "| ns | " + " | ".join(subjects) + " |",
        "|---|" + "---:|" * len(subjects),
    ]
    grouped = rows_by_name(results)
    for name, label in ROWS:
        if name not in grouped:
            continue
        own = grouped[name][SUBJECT]["ns"]
        cells = []
        for subject in subjects:
            row = grouped[name].get(subject)
            if row is None:
                cells.append("")
            elif subject == SUBJECT:
                cells.append(f"**{nanoseconds(own)}**")
            else:
                cells.append(f"{nanoseconds(row['ns'])} ({times(row['ns'] / own)})")
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def sign_ins(results):
    grouped = rows_by_name(results)
    lines = ["| | µs | a second |", "|---|---:|---:|"]
    for name, subject, label in SIGN_INS:
        row = grouped.get(name, {}).get(subject)
        if row is not None:
            lines.append(f"| {label} | {row['ns'] / 1000:,.1f} | {1e9 / row['ns']:,.0f} |")
    return "\n".join(lines) if len(lines) > 2 else ""


def tables(results):
    return "\n\n".join(filter(None, [table(results), sign_ins(results)]))


def name_of(results):
    design = re.search(r"\((Zen|Skylake|[A-Z]\w+ (Lake|Rapids))[^)]*\)", results["machine"]["cpu"])
    return re.sub(r"[^a-z0-9]+", "-", (design.group() if design else results["machine"]["cpu"]).lower()).strip("-")


def plot(results):
    """The benchmark's rows as bars."""
    machine = results["machine"]
    title = f"Time per verification or code. {machine['cpu']}, {machine['lanes']}, {machine['openssl']}, one thread."
    return bars(rows_by_name(results), ROWS, COLORS, SUBJECT, title)


def bars(grouped, rows, colors, first, title):
    """Bars of each subject's time relative to `first`, on a logarithmic scale."""
    left, scale, bar, gap, right = 150, 300, 15, 26, 110
    body, y = [], 64
    for name, label in rows:
        if name not in grouped:
            continue
        own = grouped[name][first]["ns"]
        body.append(f'<text x="12" y="{y}" class="row">{escape(label)}</text>')
        y += 8
        for subject, color in colors.items():
            row = grouped[name].get(subject)
            if row is None:
                continue
            ratio = row["ns"] / own
            # One unit of length for the first, and one more per factor of ten.
            width = max(4.0, scale * (1 + log10(ratio)) / 3.2)
            body.append(f'<text x="{left - 8}" y="{y + 12}" class="name">{subject}</text>')
            body.append(
                f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{bar - 3}" fill="{color}"/>'
            )
            beside = "" if subject == first else f" ({times(ratio)})"
            value = f"{nanoseconds(row['ns'])} ns{beside}"
            body.append(f'<text x="{left + width + 6:.1f}" y="{y + 11}" class="value">{value}</text>')
            y += bar
        y += gap
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{left + scale * 2 + right}" height="{y}" role="img" \
aria-label="Benchmark results">
<style>
text {{ font: 12px system-ui, sans-serif; fill: #24292f }}
.title, .row {{ font-weight: 600 }}
.name {{ text-anchor: end; fill: #57606a }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }} .name {{ fill: #9198a1 }} }}
</style>
<text x="12" y="22" class="title">{escape(title)}</text>
<text x="12" y="40">Shorter is faster. Logarithmic: each further length of the first bar is a factor of ten.</text>
{chr(10).join(body)}
</svg>"""


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    writer = {"--table": tables, "--name": name_of}[sys.argv[1]] if len(sys.argv) == 3 else plot
    with open(sys.argv[-1], encoding="utf-8") as file:
        print(writer(json.load(file)))
