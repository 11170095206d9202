"""What the scripts of this check share."""

import sys

import otp


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


#: How many checks were made with the two functions below.
checks = 0


def check(condition, what):
    global checks
    checks += 1
    require(condition, what)


def refused(call, status=None, kind=otp.InvalidInput):
    """The error of a call that must fail with it."""
    global checks
    checks += 1
    return fails(call, kind, status)
