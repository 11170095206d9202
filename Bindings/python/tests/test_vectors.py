"""Runs every vector that the interface can express; anything not understood is a failure (vectors/README.md)."""

import json
import re

import otp
from support import ROOT, Case, in_repository

# The number of HMAC tests in each file that has some: the C interface has no HMAC function.
HMAC_TESTS = {"hmac-cases.json": 165, "rfc2202-hmac-sha1.json": 8, "rfc4231-hmac-sha2.json": 14}
REQUIRED = {
    "hotp": ({"counter", "code"}, {"hmacHex", "truncated"}),
    "totp": ({"time", "step", "code"}, set()),
    "verify-totp": ({"code", "time", "behind", "ahead", "after", "result"}, {"step", "offset", "otherStep"}),
    "verify-hotp": ({"code", "counter", "lookAhead", "result"}, {"matched"}),
    "base32": ({"text", "result"}, {"hex", "canonical"}),
    "uri-parse": ({"uri", "result"}, {"expect"}),
    "uri-build": ({"key", "uri"}, set()),
    "uri-round-trip": ({"key"}, set()),
    "base32-code": ({"text", "counter", "result"}, {"code"}),
    "uri-code": ({"uri", "time", "result"}, {"code"}),
    "record-totp": ({"last", "steps"}, set()),
    "record-hotp": ({"last", "steps"}, set()),
}
POLICY = {"failuresUntilLock", "lockSeconds", "firstDelayedFailure", "initialDelaySeconds"}
SHARED = {
    "hotp": {"algorithm", "digits", "secretHex"}, "verify-hotp": {"algorithm", "digits", "secretHex"},
    "totp": {"algorithm", "digits", "period", "t0", "secretHex"},
    "verify-totp": {"algorithm", "digits", "period", "t0", "secretHex"},
    "base32": {"decoder"}, "uri-parse": set(), "uri-build": set(), "uri-round-trip": set(), "uri-code": set(),
    "base32-code": {"algorithm", "digits"},
    "record-totp": {"algorithm", "digits", "period", "t0", "secretHex", "window"} | POLICY,
    "record-hotp": {"algorithm", "digits", "secretHex", "lookAhead", "resynchronizationLookAhead"} | POLICY,
}
RESULTS = {"accepted": otp.Result.ACCEPTED, "replayed": otp.Result.REPLAYED, "rejected": otp.Result.REJECTED}
FIELDS = otp.TOTPRequest.__dataclass_fields__
batch, expected_of_batch = [], []


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def exactly(fields, required, optional, where):
    optional = optional | {"comment", "needs", "ours"}
    require(required <= set(fields) <= required | optional, f"{where}: fields {sorted(fields)}")


def answer(test):
    """The expected result: `result` or, if that is open, `ours`."""
    require((test["result"] == "acceptable") == ("ours" in test), "ours goes with acceptable")
    return test.get("ours", test["result"])


def hotp(group, test, key):
    return key.hotp(int(test["counter"]), digits=group["digits"]) == test["code"]


def totp(group, test, key):
    shared = {"digits": group["digits"], "period": int(group["period"]), "t0": int(group["t0"])}
    match = key.verify_totp(test["code"], int(test["time"]), behind=0, ahead=0, **shared)
    return key.totp(int(test["time"]), **shared) == test["code"] and match and match.step == int(test["step"])


def verify_totp(group, test, key):
    after = None if test["after"] is None else int(test["after"])
    request = otp.TOTPRequest(key, test["code"], int(test["time"]), test["behind"], test["ahead"], after,
                              group["digits"], int(group["period"]), int(group["t0"]))
    match = key.verify_totp(**{name: getattr(request, name) for name in FIELDS if name != "key"})
    if answer(test) == "accepted":
        expected = otp.Match(otp.Result.ACCEPTED, int(test["step"]), test["offset"])
    else:
        expected = otp.Match(RESULTS[answer(test)])
    batch.append(request)
    expected_of_batch.append(expected)
    return match == expected


def verify_hotp(group, test, key):
    request = otp.HOTPRequest(key, test["code"], int(test["counter"]), group["digits"], test["lookAhead"])
    match = key.verify_hotp(test["code"], request.counter, digits=request.digits, look_ahead=request.look_ahead)
    if answer(test) == "accepted":
        matched = int(test["matched"])
        expected = otp.Match(otp.Result.ACCEPTED, matched, matched - request.counter)
    else:
        expected = otp.Match(RESULTS[answer(test)])
    batch.append(request)
    expected_of_batch.append(expected)
    return match == expected


def base32(group, test, key):
    strict = {"strict": True, "lenient": False}[group["decoder"]]
    if answer(test) == "valid":
        data = bytes.fromhex(test["hex"])
        return otp.base32_decode(test["text"], strict=strict) == data and otp.base32_encode(data) == test["canonical"]
    return is_refused(lambda: otp.base32_decode(test["text"], strict=strict), test)


def base32_code(group, test, key):
    def code():
        with otp.Key.from_base32(test["text"], otp.Hash[group["algorithm"]]) as key:
            return key.hotp(int(test["counter"]), digits=group["digits"])

    return code() == test["code"] if answer(test) == "valid" else is_refused(code, test)


def uri_code(group, test, key):
    def code():
        uri = otp.KeyURI.parse(test["uri"])
        with otp.Key(uri.secret, uri.hash) as key:
            if uri.type == otp.KeyType.HOTP:
                return key.hotp(uri.counter, digits=uri.digits)
            return key.totp(int(test["time"]), digits=uri.digits, period=uri.period)

    return code() == test["code"] if answer(test) == "valid" else is_refused(code, test)


def uri_parse(group, test, key):
    if answer(test) != "valid":
        return is_refused(lambda: otp.KeyURI.parse(test["uri"]), test)
    return is_read_as(otp.KeyURI.parse(test["uri"]), test["expect"])


def uri_build(group, test, key):
    return written(test["key"]).build() == test["uri"] and uri_round_trip(group, test, key)


def uri_round_trip(group, test, key):
    return is_read_as(otp.KeyURI.parse(written(test["key"]).build()), test["key"])


def record_totp(group, test, key):
    policy = dict(adjacent_intervals=group["window"])
    after = None if test["last"] is None else int(test["last"])
    return answers_as_expected(group, test, policy, type=otp.KeyType.TOTP, period=int(group["period"]),
                               t0=int(group["t0"]), after=after)


def record_hotp(group, test, key):
    policy = dict(look_ahead=group["lookAhead"], resynchronization_look_ahead=group["resynchronizationLookAhead"])
    counter = 0 if test["last"] is None else int(test["last"]) + 1
    return answers_as_expected(group, test, policy, type=otp.KeyType.HOTP, counter=counter)


def answers_as_expected(group, test, policy, **enrollment):
    policy = otp.Policy(
        resynchronization_steps=0, failures_until_lock=group["failuresUntilLock"], lock_seconds=group["lockSeconds"],
        first_delayed_failure=group["firstDelayedFailure"], initial_delay_seconds=group["initialDelaySeconds"],
        **policy)
    steps = test["steps"]
    record = keyring.enroll("user 42", secret=bytes.fromhex(group["secretHex"]), hash=otp.Hash[group["algorithm"]],
                            digits=group["digits"], is_confirmed=True, time=int(steps[0]["time"]), **enrollment)
    for step in steps:
        codes = step["codes"]
        expected = {"accepted": {"matched"}, "rejected": set(), "unlocked": set()}.get(step["answer"], {"until"})
        require(set(step) == {"time", "codes", "answer"} | expected, f"fields {sorted(step)}")
        if not codes:
            require(step["answer"] == "unlocked", f"answer {step['answer']} without codes")
            record = keyring.unlock("user 42", record, int(step["time"]))
            continue
        kind = otp.AnswerKind[step["answer"].upper()]
        typed = {"time": int(step["time"]), "policy": policy}
        if len(codes) == 1:
            answer = keyring.verify("user 42", record, codes[0], **typed)
        else:
            answer = keyring.resynchronize("user 42", record, codes, **typed)
        found = {"matched": str(answer.step), "until": answer.until and str(int(answer.until.timestamp()))}
        if answer.kind != kind or any(found[name] != step[name] for name in expected):
            return False
        record = answer.record
    return True


def written(fields):
    return otp.KeyURI(bytes.fromhex(fields["secretHex"]), fields["account"], fields["issuer"],
                      otp.KeyType[fields["type"].upper()], otp.Hash[fields["algorithm"]], fields["digits"],
                      int(fields.get("period", 30)), int(fields.get("counter", 0)))


def is_read_as(uri, expect):
    found = {
        "type": uri.type.name.lower(), "issuer": uri.issuer, "labelIssuer": uri.label_issuer, "account": uri.account,
        "secretHex": uri.secret.hex(), "algorithm": uri.hash.name, "digits": uri.digits, "period": str(uri.period),
        "counter": str(uri.counter),
    }
    return all(found[field] == value for field, value in expect.items())


def is_refused(call, test):
    require(answer(test) == "invalid", f"answer {answer(test)}")
    try:
        call()
    except otp.InvalidInputError:
        return True
    return False


RUN = {"hotp": hotp, "totp": totp, "verify-totp": verify_totp, "verify-hotp": verify_hotp, "base32": base32,
       "uri-parse": uri_parse, "uri-build": uri_build, "uri-round-trip": uri_round_trip, "base32-code": base32_code,
       "uri-code": uri_code, "record-totp": record_totp, "record-hotp": record_hotp}
keyring = otp.Keyring.unsealed()


def run_file(name, content):
    """How many tests a file has, and how many of them are of HMAC."""
    exactly(content, {"format", "version", "source", "groups"}, set(), name)
    require(content["format"] == "otp-vectors/2", f"{name}: format {content['format']}")
    in_file = of_hmac = 0
    for number, group in enumerate(content["groups"]):
        kind = group["type"]
        in_file += len(group["tests"])
        if kind == "hmac":
            of_hmac += len(group["tests"])
            continue
        require(kind in RUN, f"{name}: group type {kind}")
        exactly(group, {"id", "type", "reference", "needs", "tests"} | SHARED[kind], set(), f"{name}, group {number}")
        key = None
        if "secretHex" in SHARED[kind]:
            key = otp.Key(bytes.fromhex(group["secretHex"]), otp.Hash[group["algorithm"]])
        ids = [test["id"] for test in group["tests"]]
        require(ids and len(set(ids)) == len(ids), f"{name}, group {number}: its ids")
        for test in group["tests"]:
            where = f"{name}, group {number}, test {test['id']}"
            exactly(test, REQUIRED[kind][0] | {"id", "flags"}, REQUIRED[kind][1], where)
            require(RUN[kind](group, test, key), f"{where} fails")
    return in_file, of_hmac


@in_repository
class Vectors(Case):
    def test_all_one_by_one_and_in_a_batch(self):
        folder = ROOT / "vectors"
        table = {name: int(count) for name, count in re.findall(
            r"^\| \[`(.+?)`\].*\| (\d+) \|$", (folder / "README.md").read_text(encoding="utf-8"), re.M)}
        self.assertEqual({path.name for path in folder.glob("*.json")} - {"schema.json"}, set(table))
        for name, count in table.items():
            content = json.loads((folder / name).read_text(encoding="ascii"))
            self.assertEqual(run_file(name, content), (count, HMAC_TESTS.get(name, 0)), name)
        self.assertTrue(batch)
        self.assertEqual(otp.verify_batch(batch), expected_of_batch)
