"""Declarations as the sources have them, and the formulas that cite them."""
import hashlib
import pathlib
import re

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "Sources"


def declaration(path, start, root=SOURCES):
    """The text of the declaration that begins with these words, up to the brace that closes it."""
    text = (root / path).read_text(encoding="utf-8")
    if text.count(start) != 1:
        raise ValueError(f"{path} has {text.count(start)} declarations '{start}'")
    begin = text.index(start)
    depth = 0
    for match in re.finditer(r"[{}]", text[begin:]):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return text[begin:begin + match.end()]
    raise ValueError(f"{path}: '{start}' does not end")


def digest(text):
    """A hash of the text without comments, however it is broken into lines."""
    code = re.sub(r"//.*", "", text)
    return hashlib.sha256(" ".join(code.split()).encode()).hexdigest()[:12]


class Citations:
    """The declarations that formulas state, each with the hash of the text that was read."""

    def __init__(self):
        self.cited = []

    def __call__(self, path, start, expected):
        self.cited.append((path, start, expected))
        return lambda function: function

    def changed(self, root=SOURCES):
        """Why the formulas no longer state what is built: a line for each declaration that has changed."""
        lines = []
        for path, start, expected in self.cited:
            try:
                found = digest(declaration(path, start, root))
            except (OSError, ValueError) as error:
                lines.append(str(error))
                continue
            if found != expected:
                lines.append(f"{path}: '{start}' is now {found}, and its formula states {expected}: read both again")
        return lines
