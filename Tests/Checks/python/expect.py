"""What the scripts of this check share."""

import sys
import threading

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


def closed_while_used(make, call, outcome, message):
    """An object that is closed while other threads use it lives until their calls are done; later ones are refused."""
    wrong = []

    def use(shared, ready):
        ready.set()
        try:
            while True:
                if call(shared) != outcome:
                    wrong.append("another outcome")
        except ValueError as error:
            if str(error) != message:
                wrong.append(repr(error))
    sys.setswitchinterval(1e-5)
    for _ in range(50):
        shared = make()
        ready = [threading.Event() for _ in range(4)]
        threads = [threading.Thread(target=use, args=(shared, event)) for event in ready]
        for thread in threads:
            thread.start()
        for event in ready:
            event.wait()
        shared.close()
        for thread in threads:
            thread.join()
    check(not wrong, f"closed while it was used: {wrong[:3]}")
