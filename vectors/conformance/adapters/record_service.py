"""Records by `otp record serve`: record_service.py OTP KEYRING, which is a process that answers lines of JSON"""

import base64
import json
import subprocess
import sys

from adapter import serve

service = subprocess.Popen([sys.argv[1], "record", "serve", sys.argv[2]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
factor = {}
"""The sequence's record, in hexadecimal, and its policy."""


def ask(operation, time, **fields):
    request = {"id": time, "op": operation, "subject": "user 42", "encoding": "hex", "time": time, **factor, **fields}
    service.stdin.write(json.dumps(request).encode() + b"\n")
    service.stdin.flush()
    answer = json.loads(service.stdout.readline())
    if answer["id"] != time or "error" in answer:
        raise ValueError
    factor["record"] = answer["record"]
    return answer


def begin(kind, algorithm, digits, secret, policy, rest, **fields):
    *limits, last, time = rest
    names = ("failuresUntilLock", "lockSeconds", "firstDelayedFailure", "initialDelaySeconds")
    factor.clear()
    factor["policy"] = policy | dict(zip(names, limits, strict=True))
    # The vectors say what was accepted last; some steps and counters are no exact numbers in JSON.
    after = {"totp": {"lastStep": last and str(last)}, "hotp": {"counter": "0" if last is None else str(last + 1)}}
    ask("enroll", time, kind=kind, algorithm=algorithm, digits=digits, secret=base64.b32encode(secret).decode(),
        confirmed=True, **after[kind], **fields)
    return ""


def record_totp(algorithm, digits, period, t0, secret, window, *rest):
    if t0:
        raise ValueError
    policy = {"adjacentSteps": window, "driftLimit": 0, "resynchronizationSteps": 0}
    return begin("totp", algorithm, digits, secret, policy, rest, period=period)


def record_hotp(algorithm, digits, secret, look_ahead, resynchronization, *rest):
    policy = {"lookAhead": look_ahead, "resynchronizationLookAhead": resynchronization}
    return begin("hotp", algorithm, digits, secret, policy, rest)


def submit(time, *codes):
    answer = ask("verify", time, code=codes[0]) if len(codes) == 1 else ask("resynchronize", time, codes=codes)
    kind = answer["answer"]
    if kind == "accepted":
        return f"accepted {answer['movingFactor']}"
    return f"{kind} {answer.get('retryAt', '-')}" if kind in ("wait", "locked") else kind


def unlock(time):
    ask("unlock", time)
    return "unlocked"


serve("otp record serve", {"record-totp": record_totp, "record-hotp": record_hotp, "submit": submit, "unlock": unlock},
      version="records")
