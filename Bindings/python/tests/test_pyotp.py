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
from support import Case

CASES = 12_000
DIGESTS = {otp.Hash.SHA1: hashlib.sha1, otp.Hash.SHA256: hashlib.sha256, otp.Hash.SHA512: hashlib.sha512}
# pyotp decodes a URI before it splits it, so these texts have no characters with a meaning in URIs.
NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@ äß中日💡"
chosen = random.Random(20_261_121)
counts = {"verifications": 0, "accepted": 0, "requests": 0}
batch, singly = [], []


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def name():
    return "x" + "".join(chosen.choices(NAME, k=chosen.randrange(20))) + "y"


def changed(code):
    """A code that differs in one digit."""
    place = chosen.randrange(len(code))
    return code[:place] + str((int(code[place]) + chosen.randrange(1, 10)) % 10) + code[place + 1:]


def one_case(index):
    secret = chosen.randbytes(chosen.randint(1, 100))
    hash = chosen.choice(list(DIGESTS))
    digits = chosen.randint(6, 8)
    period = chosen.choice([1, 15, 30, 30, 30, 60, 3600, chosen.randint(1, 100_000)])
    # Not in the first eleven steps, at which pyotp fails, nor after the year 9999, with which its clock ends.
    time = chosen.randint(12 * period, chosen.choice([12 * period + 3_000, 2 ** 31, 2 ** 33, 250_000_000_000]))
    moment = datetime.datetime.fromtimestamp(time, datetime.timezone.utc)
    text = base64.b32encode(secret).decode()
    where = f"case {index}"

    # Base32, both ways: as encoded, without padding, and as typed.
    require(otp.base32_encode(secret, padding=True) == text, f"{where}: base32 written")
    unpadded = text.rstrip("=")
    require(otp.base32_encode(secret) == unpadded, f"{where}: base32 without padding")
    typed = "-".join(unpadded[place:place + 4] for place in range(0, len(unpadded), 4)).lower()
    require(otp.base32_decode(text, strict=True) == otp.base32_decode(typed) == secret, f"{where}: base32 read")

    theirs = pyotp.TOTP(unpadded, digits=digits, digest=DIGESTS[hash], interval=period, name=name(), issuer=name())
    their_counter = pyotp.HOTP(unpadded, digits=digits, digest=DIGESTS[hash], name=name(), issuer=name())
    same = otp.Key(bytearray(secret), hash)
    with otp.Key.from_base32(typed, hash) as key:
        shared = {"digits": digits, "period": period}
        code = key.totp(time, **shared)
        require(code == same.totp(time, **shared) == theirs.at(moment), f"{where}: the code")

        # The code of a step in the window, at its ends, or beyond; and a code that is nearly right.
        window = chosen.randint(0, 10)
        for offset in (chosen.randint(-window, window), chosen.choice([-window, window]),
                       chosen.choice([-window - 1, window + 1])):
            right = theirs.at(moment, offset)
            for submitted in (right, changed(right)):
                codes = [theirs.at(moment, place) for place in range(-window, window + 1)]
                found = codes.index(submitted) - window if submitted in codes else None
                match = key.verify_totp(submitted, time, behind=window, ahead=window, **shared)
                require(bool(match) == theirs.verify(submitted, moment, window), f"{where}: only one accepts the code")
                expected = otp.Match(otp.Result.REJECTED)
                if found is not None:
                    expected = otp.Match(otp.Result.ACCEPTED, time // period + found, found)
                require(match == expected, f"{where}: {match}, not {expected}")
                counts["verifications"] += 1
                counts["accepted"] += bool(match)

        # Counters of every size.
        counter = chosen.randrange(2 ** chosen.randint(1, 64))
        require(key.hotp(counter, digits=digits) == their_counter.at(counter), f"{where}: HOTP's code")
        counter = min(counter, 2 ** 64 - 40)
        look_ahead, ahead = chosen.randint(0, 20), chosen.randint(0, 22)
        submitted = their_counter.at(counter + ahead)
        places = [place for place in range(look_ahead + 1) if their_counter.verify(submitted, counter + place)]
        match = key.verify_hotp(submitted, counter, digits=digits, look_ahead=look_ahead)
        expected = otp.Match(otp.Result.REJECTED)
        if places:
            expected = otp.Match(otp.Result.ACCEPTED, counter + places[0], places[0])
        require(match == expected, f"{where}: HOTP: {match}, not {expected}")
        counts["verifications"] += 1

        batch.append(otp.TOTPRequest(same, code, time, window, window, None, digits, period))
        singly.append(same.verify_totp(code, time, behind=window, ahead=window, **shared))
        require(singly[-1], f"{where}: the code with the other key")
        batch.append(otp.HOTPRequest(same, submitted, counter, digits, look_ahead))
        singly.append(match)
        if index % 37 == 36:
            verify_at_once()

    # Their URIs are read by us, and ours by them.
    read = otp.KeyURI.parse(theirs.provisioning_uri())
    require(read == otp.KeyURI(secret, theirs.name, theirs.issuer, otp.KeyType.TOTP, hash, digits, period, 0,
                               theirs.issuer), f"{where}: pyotp's URI")
    back = pyotp.parse_uri(read.build())
    require((back.secret, back.name, back.issuer, back.digits, back.interval, back.digest) ==
            (unpadded, theirs.name, theirs.issuer, digits, period, DIGESTS[hash]), f"{where}: our URI")
    counter = chosen.randrange(2 ** 63)
    read = otp.KeyURI.parse(their_counter.provisioning_uri(initial_count=counter))
    require((read.type, read.secret, read.account, read.issuer, read.hash, read.digits, read.counter) ==
            (otp.KeyType.HOTP, secret, their_counter.name, their_counter.issuer, hash, digits, counter),
            f"{where}: pyotp's HOTP URI")
    back = pyotp.parse_uri(read.build())
    require((back.secret, back.digits, back.initial_count) == (unpadded, digits, counter), f"{where}: our HOTP URI")


def verify_at_once():
    require(otp.verify_batch(batch) == singly, "the batch's outcomes differ from those one by one")
    counts["requests"] += len(batch)
    batch.clear()
    singly.clear()


@unittest.skipUnless(pyotp, "needs pyotp")
class AgainstPyotp(Case):
    def test_random_cases(self):
        for index in range(CASES):
            one_case(index)
        verify_at_once()
        self.assertTrue(2 * CASES <= counts["accepted"] <= counts["verifications"] - 2 * CASES, counts)
        self.assertEqual(counts["requests"], 2 * CASES)
