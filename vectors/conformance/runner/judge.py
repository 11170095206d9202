"""Judges an answer: passed, differs (if the standards leave it open), failed, crashed, or not expressible."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from .ask import Fields, fields, stated

VECTORS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(VECTORS))

from generator import key_uri  # noqa: E402

PASSED, DIFFERS, FAILED, CRASHED, CANNOT = "passed", "differs", "failed", "crashed", "not expressible"


@dataclass(frozen=True)
class Verdict:
    """A test's verdict, and the answer that it got."""

    outcome: str
    answer: str


def judge(group: Fields, test: Fields, answer: str) -> Verdict:
    """Judge one answer."""
    word, _, value = answer.partition(" ")
    if word == "ok":
        wrong = DIFFERS if test.get("result") == "acceptable" else FAILED
        return Verdict(PASSED if _is_right(group, test, value) else wrong, answer)
    if word == "cannot":
        return Verdict(CANNOT, answer)
    if word == "refused":
        return Verdict(_of_refusal(group, test), answer)
    return Verdict(CRASHED, answer)


def _of_refusal(group: Fields, test: Fields) -> str:
    if test.get("result", "valid") not in ("valid", "accepted"):
        return PASSED
    # RFC 4226, section 4, R6: shorter secrets must not be used, so refusing them is right. And an implementation that
    # refuses a period, a number of digits, a time or a counter as unsupported has not given a wrong code.
    is_weak = "weak-secret" in group["needs"] + test.get("needs", [])
    return CANNOT if is_weak or group["type"] in ("hmac", "hotp", "totp", "uri-build", "uri-round-trip") else FAILED


def _is_right(group: Fields, test: Fields, value: str) -> bool:
    result = test.get("result", "valid")
    if group["type"].startswith("verify-"):
        return _is_right_verdict(test, value)
    if group["type"] == "hmac":
        tag = test["tagHex"]
        return (len(tag) <= len(value) - 1 and value[1:].startswith(tag)) == (result == "valid")
    expected = test.get("ours", result)
    if expected == "invalid":
        return result == "acceptable"  # open: any reading is allowed
    match group["type"]:
        case "uri-round-trip":
            return _reads_back(value, test["key"])
        case "uri-parse":
            return _is_read(fields(value), fields(stated(group, test)), test)
        case _:
            return value == stated(group, test)


def _is_right_verdict(test: Fields, value: str) -> bool:
    said, *steps = value.split()
    expected = test.get("ours", test["result"])
    if said != "accepted":
        # No standard distinguishes the two refusals.
        return said in ("rejected", "replayed") and test["result"] != "accepted"
    if expected != "accepted":
        return test["result"] == "acceptable"
    # A verifier need not report the matched step.
    right = {test.get("step"), test.get("otherStep"), test.get("matched")}
    return not steps or steps[0] in right


def _is_read(found: dict[str, str], right: dict[str, str], test: Fields) -> bool:
    """Compare the fields that the implementation has."""
    wrong = {field for field in found.keys() & right.keys() if found[field] != right[field]}
    # By the format, an issuer that is only in the label *may* be used.
    return not wrong or (wrong == {"issuer"} and found["issuer"] == "-" and "issuer=" not in test["uri"])


def _reads_back(value: str, key: Fields) -> bool:
    """Whether the reference parser reads a URI as `key`."""
    try:
        read = key_uri.parse(bytes.fromhex(value[1:]).decode())
    except (ValueError, UnicodeDecodeError):
        return False
    found = {"type": read.type, "issuer": read.issuer, "account": read.account, "secretHex": read.secret.hex(),
             "algorithm": read.algorithm.name, "digits": read.digits}
    factor = ("counter", read.counter) if read.type == "hotp" else ("period", read.period)
    return found | {factor[0]: str(factor[1])} == key
