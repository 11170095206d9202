"""Times the verification of a wrong code at +-5, compared with pyotp, and that of a record. It only reports."""

import datetime
import statistics
import sys
import time

import pyotp

import otp

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
NOW = 1_800_000_000
MOMENT = datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc)
WRONG = "000000"


def microseconds(call, times):
    """The median of a call over several rounds."""
    rounds = []
    for _ in range(9):
        started = time.perf_counter()
        for _ in range(times):
            call()
        rounds.append((time.perf_counter() - started) / times * 1e6)
    return statistics.median(rounds)


theirs, key = pyotp.TOTP(SECRET), otp.Key.from_base32(SECRET)


def cold():
    with otp.Key.from_base32(SECRET) as fresh:
        return fresh.verify_totp(WRONG, NOW, behind=5, ahead=5)


if theirs.verify(WRONG, MOMENT, 5) or key.verify_totp(WRONG, NOW, behind=5, ahead=5) or cold():
    sys.exit("python: the wrong code was accepted")
pyotp_time = microseconds(lambda: theirs.verify(WRONG, MOMENT, 5), 300)
kept = microseconds(lambda: key.verify_totp(WRONG, NOW, behind=5, ahead=5), 20_000)
fresh = microseconds(cold, 10_000)
requests = [otp.TOTPRequest(key, WRONG, NOW, 5, 5)] * 1000
batch = microseconds(lambda: otp.verify_batch(requests), 10) / len(requests)
keyring = otp.Keyring({"key": bytes(32)})
held = keyring.enroll("user 42", is_confirmed=True, time=NOW)
record = microseconds(lambda: keyring.verify("user 42", held, WRONG, time=NOW), 5_000)
print(f"a wrong code at +-5 takes pyotp {pyotp_time:.0f} us, libotp {kept:.2f} us ({pyotp_time / kept:.0f} times"
      f" faster), {fresh:.2f} us with the key made each time ({pyotp_time / fresh:.0f}), {batch:.2f} us in a batch;"
      f" a record takes {record:.2f} us")
