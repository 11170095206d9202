"""Objects of which there is one for each value, so that equal ones are identical."""

import gc

# Terms never refer to one another in circles, and there are millions.
gc.disable()


class Term:
    __slots__ = ("kind", "width", "data")

    def __init__(self, kind, width, data):
        self.kind, self.width, self.data = kind, width, data


_terms = {}
_results = {}


def intern(kind, width, data):
    key = (kind, width, data)
    term = _terms.get(key)
    if term is None:
        term = _terms[key] = Term(kind, width, data)
    return term


def forget():
    """Releases all terms; none made before may be used again."""
    _terms.clear()
    _results.clear()


def remembered(operation):
    """Keeps results until terms are forgotten."""
    def remembering(*operands):
        key = (operation, operands)
        result = _results.get(key)
        if result is None:
            result = _results[key] = operation(*operands)
        return result
    return remembering
