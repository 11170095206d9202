"""What the scripts of this check share."""

import sys


def require(condition, what):
    """Ends the check if the condition does not hold. (An assert does nothing under -O.)"""
    if not condition:
        sys.exit(f"python: {what}")


def fails(call, kind, status=None):
    """Ends the check unless the call raises that error with that status."""
    try:
        result = call()
    except kind as error:
        require(status is None or error.status == status, f"status {getattr(error, 'status', None)}, not {status!r}")
        return error
    sys.exit(f"python: gives {result!r} where {kind.__name__} is due")
