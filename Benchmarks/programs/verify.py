"""The nanoseconds of a verification over one step on either side, by `verify.py swift-otp`, `pyotp` or `hmac`."""

import hmac
import struct
import sys
import time

SECRET, SUBJECT = b"12345678901234567890", sys.argv[1]

if SUBJECT == "swift-otp":
    import otp

    key = otp.Key(SECRET)
    verify = lambda code, now: key.verify_totp(code, now).result is otp.Result.ACCEPTED
elif SUBJECT == "pyotp":
    import base64

    import pyotp

    peer = pyotp.TOTP(base64.b32encode(SECRET).decode())
    verify = lambda code, now: peer.verify(code, for_time=now, valid_window=1)
else:
    def code_of(step):
        tag = hmac.digest(SECRET, struct.pack(">Q", step), "sha1")
        return "%06d" % ((struct.unpack_from(">I", tag, tag[19] & 15)[0] & 0x7FFFFFFF) % 1_000_000)

    def verify(code, now):
        step = now // 30
        return any([hmac.compare_digest(code, code_of(each)) for each in (step - 1, step, step + 1)])

if not verify("287082", 59) or not verify("287082", 89) or verify("287082", 119):
    sys.exit(f"{SUBJECT} gives a wrong answer")
start = time.perf_counter_ns()
for call in range(5000):
    verify("123456", 1_700_000_000 + 30 * call)
print((time.perf_counter_ns() - start) / 5000)
