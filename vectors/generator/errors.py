"""The generator's only error: a case that does not hold, so that nothing may be written."""


class VectorError(Exception):
    """A case states something that the reference computation does not confirm."""


def ensure(condition: bool, message: str) -> None:
    """Raise `VectorError` with `message` unless `condition` holds (unlike `assert`, also under `python -O`)."""
    if not condition:
        raise VectorError(message)
