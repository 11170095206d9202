"""Lets the generator's implementation of sealed records read what libotp has sealed, and libotp read what that one has
sealed; and lets libotp read the vectors `record-format`.
"""

import json
import os
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "vectors"), str(ROOT / "LibOTP/bindings/python/src")]

import otp  # noqa: E402
from generator import base32, derived, sealed_record  # noqa: E402

NOW = 1_700_000_000
HASHES = dict(zip(otp.Hash, sealed_record.ALGORITHM_NAMES, strict=True))
ERRORS = {"malformed": otp.Status.MALFORMED_RECORD, "laterVersion": otp.Status.LATER_RECORD,
          "wrongEncoding": otp.Status.WRONG_ENCODING, "anotherSubject": otp.Status.ANOTHER_SUBJECT,
          "unknownKey": otp.Status.UNKNOWN_KEY, "notAuthentic": otp.Status.NOT_AUTHENTIC}
chance = random.Random(47)


def read_vectors() -> int:
    """Lets libotp open each vector, which is as it says or refused as it says."""
    groups = json.loads((ROOT / "vectors/record-format.json").read_text(encoding="ascii"))["groups"]
    for group in groups:
        keyring = otp.Keyring({key["name"]: bytes.fromhex(key["keyHex"]) for key in group["keys"]})
        for test in group["tests"]:
            where, status, found = f"{group['id']}/{test['id']}", otp.Status.OK, None
            subject, sealed = (bytes.fromhex(test[name]) for name in ("subjectHex", "sealedHex"))
            try:
                found = keyring.info(subject, sealed)
            except otp.OTPError as error:
                status = error.status
            assert status == ERRORS.get(test.get("error"), otp.Status.OK), f"{where}: {status}"
            if found:
                assert agrees(test["record"], found) and found.key_name == test["keyName"], f"{where}: {found}"
    return sum(len(group["tests"]) for group in groups)


def agrees(record: dict, found: otp.RecordDetails) -> bool:
    """Whether a record is what libotp says of one."""
    codes = [code["number"] for code in record.get("recoveryCodes", ()) if not code["isUsed"]]
    kind = list(sealed_record.KINDS)[found.kind - 1]
    counts = [min(int(record[name]), 2**63 - 1) for name in ("failures", "acceptances")]
    return ((kind, found.is_pending, found.failures, found.acceptances, found.unused_codes)
            == (record["type"], record["isPending"], *counts, tuple(codes))
            and HASHES.get(found.hash) == record.get("algorithm") and found.digits == record.get("digits")
            and (found.period is None or (str(found.period), str(found.t0)) == (record["period"], record["t0"]))
            and (record["last"] is None) == (found.last_accepted is None)
            and (record["last"] is None or str(found.last_accepted) == record["last"])
            and found.drift == record["driftFound"] + record["driftLearned"])


def sealed_by_libotp(keyring: otp.Keyring, subject: bytes) -> tuple[bytes, bytes]:
    """A record of chance, and its secret."""
    secret = chance.randbytes(chance.choice((1, 10, 20, 32, 64, 127, 128, 200)))
    kind, algorithm = chance.choice(list(otp.KeyType)), chance.choice(list(otp.Hash))
    counter = chance.randrange(2**64) if kind == otp.KeyType.HOTP else 0
    period, t0 = (chance.randint(1, 600), chance.randint(-10**9, 10**9)) if kind == otp.KeyType.TOTP else (30, 0)
    record = keyring.enroll(subject, type=kind, hash=algorithm, digits=chance.choice((6, 7, 8)), period=period, t0=t0,
                            counter=counter, secret=secret, is_confirmed=chance.random() < 0.8, time=NOW)
    for later in range(chance.randrange(4)):
        if not keyring.info(subject, record).is_pending:
            record = keyring.verify(subject, record, f"{chance.randrange(10**6):06}", time=NOW + later).record
    return (keyring.spend(subject, record, NOW) if chance.random() < 0.3 else record), secret


def exchange(rounds: int) -> None:
    """Opens what libotp sealed, and lets it open the same sealed again."""
    keys = {"k2": chance.randbytes(32), "k1": chance.randbytes(32)}
    keyring = otp.Keyring(keys)
    for _ in range(rounds):
        subject = chance.randbytes(chance.choice((1, 7, 125, 126, 1024)))
        sealed, secret = sealed_by_libotp(keyring, subject)
        record = sealed_record.open_sealed(sealed, subject, keys)
        assert record["secretHex"] == secret.hex() and record["enrolled"] == f"{NOW}000", record
        assert agrees(record, keyring.info(subject, sealed)), record
        new = keyring.enroll(subject, previous=sealed, replace=True, time=NOW)
        former = [one["fingerprintHex"] for one in sealed_record.open_sealed(new, subject, keys).get("spent", [])]
        algorithm = derived.algorithm_of(record)
        assert former == [sealed_record.fingerprint(algorithm, secret).hex()] * record["isAcceptedHere"], former
        again = sealed_record.seal(record, subject, keys, chance.choice(("k1", "k2")), os.urandom(24))
        assert keyring.info(subject, again) == keyring.info(subject, sealed) or sealed_record.key_name(again) == "k1"
        # Sealed again by libotp, with its active key, it is still the same.
        assert sealed_record.open_sealed(keyring.reseal(subject, again), subject, keys) == record
        altered = bytearray(sealed)
        altered[chance.randrange(len(sealed))] ^= 1 << chance.randrange(8)
        try:
            sealed_record.open_sealed(bytes(altered), subject, keys)
            raise AssertionError("an altered record opens")
        except sealed_record.RecordError as error:
            ours = str(error)
        try:
            keyring.info(subject, bytes(altered))
            raise AssertionError("libotp opens an altered record")
        except otp.OTPError as error:
            assert error.status == ERRORS[ours], f"{error.status} is not {ours}"
    sealed, texts = keyring.recovery_codes("user 42", 10, NOW)
    codes = sealed_record.open_sealed(sealed, b"user 42", keys)["recoveryCodes"]
    assert [code["tagHex"] for code in codes] == [sealed_record.recovery_code_tag(base32.decode(text)).hex()
                                                  for text in texts]


if __name__ == "__main__":
    vectors, rounds = read_vectors(), 300
    exchange(rounds)
    print(f"vectors: libotp reads {vectors} sealed records as they say, and {rounds} of chance were read both ways")
