"""Compares with pyotp in random cases, the same on every run: codes, verification over windows, HOTP, base32, URIs."""

import base64
import datetime
import hashlib
import random
import unittest

try:
    import pyotp
except ImportError:
    pyotp = None

import otp
from otp import Match, Result
from support import Case

CASES = 12_000
DIGESTS = {otp.Hash.SHA1: hashlib.sha1, otp.Hash.SHA256: hashlib.sha256, otp.Hash.SHA512: hashlib.sha512}
# pyotp decodes a URI before it splits it, so these texts have no characters with a meaning in URIs.
NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@ äß中日💡"
chosen = random.Random(20_261_121)


def name():
    return "x" + "".join(chosen.choices(NAME, k=chosen.randrange(20))) + "y"


@unittest.skipUnless(pyotp, "needs pyotp")
class AgainstPyotp(Case):
    def test_random_cases(self):
        accepted = [self.one_case() for _ in range(CASES)]
        self.assertTrue(CASES / 4 < sum(accepted) < CASES * 3 / 4, sum(accepted))

    def one_case(self):
        """Whether a code is accepted, of a step in the window or not."""
        secret, hash = chosen.randbytes(chosen.randint(1, 100)), chosen.choice(list(DIGESTS))
        digits, window = chosen.randint(6, 8), chosen.randint(0, 10)
        period = chosen.choice([1, 15, 30, 30, 60, 3600, chosen.randint(1, 100_000)])
        # Not in the first eleven steps, at which pyotp fails, nor after the year 9999, with which its clock ends.
        time = chosen.randint(12 * period, chosen.choice([12 * period + 3_000, 2 ** 31, 2 ** 33, 250_000_000_000]))
        moment = datetime.datetime.fromtimestamp(time, datetime.timezone.utc)
        text = base64.b32encode(secret).decode().rstrip("=")
        self.assertEqual((otp.base32_encode(secret), otp.base32_decode(text.lower())), (text, secret))
        shown = {"digits": digits, "digest": DIGESTS[hash], "name": name(), "issuer": name()}
        totp, hotp = pyotp.TOTP(text, interval=period, **shown), pyotp.HOTP(text, **shown)
        counter = chosen.randrange(2 ** chosen.randint(1, 63))
        offset = chosen.randint(-2 * window - 1, 2 * window + 1)
        with otp.Key(secret, hash) as key:
            code = totp.at(moment, offset) if time // period + offset >= 0 else "000000"
            match = key.verify_totp(code, time, behind=window, ahead=window, digits=digits, period=period)
            self.assertEqual((bool(match), key.totp(time, digits=digits, period=period)),
                             (totp.verify(code, moment, window), totp.at(moment)))
            self.assertEqual(key.hotp(counter, digits=digits), hotp.at(counter))
            found = key.verify_hotp(hotp.at(counter + window), counter, digits=digits, look_ahead=window)
            self.assertTrue(found == Match(Result.ACCEPTED, counter + window, window) or found.offset < window, found)
        # Their URIs are read by us, and ours by them.
        read = otp.KeyURI.parse(totp.provisioning_uri())
        self.assertEqual(read, otp.KeyURI(secret, totp.name, totp.issuer, otp.KeyType.TOTP, hash, digits, period, 0,
                                          totp.issuer))
        back = pyotp.parse_uri(read.build())
        self.assertEqual((back.secret, back.name, back.issuer, back.digits, back.interval, back.digest),
                         (text, totp.name, totp.issuer, digits, period, DIGESTS[hash]))
        read = otp.KeyURI.parse(hotp.provisioning_uri(initial_count=counter))
        self.assertEqual((read.type, read.counter, pyotp.parse_uri(read.build()).initial_count),
                         (otp.KeyType.HOTP, counter, counter))
        return bool(match)
