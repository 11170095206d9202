"""The features that an implementation must have for a group or a test to apply: the words of a profile."""

from __future__ import annotations

from . import base32, key_uri
from .document import Fields, Group, number
from .typed import is_typed

FEATURES = {
    "hmac": "HMAC by itself",
    "hotp": "a code of a counter",
    "totp": "a code of a time",
    "base32": "a base32 decoder by itself",
    "strict-base32": "one that refuses what RFC 4648 does not allow",
    "base32-code": "a code of a secret in base32",
    "uri-parse": "reading a key URI",
    "uri-code": "a code of a key URI",
    "uri-build": "writing a key URI, as this engine writes it",
    "uri-round-trip": "writing a key URI that reads back",
    "verify-totp": "verifying a code at a time",
    "verify-hotp": "verifying a code from a counter on",
    "record-totp": "a factor's memory, asked with codes of times",
    "record-hotp": "the same, with codes of counters",
    "record-format": "reading and writing swift-otp's sealed records",
    "unlock": "clearing a factor's failures, as an administrator",
    "typed": "codes as people type and paste them, with separators, or in digits of their script",
    "window": "a window of more than one step",
    "asymmetric-window": "one whose two sides differ",
    "floor": "a last accepted step, at and below which nothing is accepted",
    "look-ahead": "more than one counter",
    "sha256": "HMAC-SHA-256",
    "sha512": "HMAC-SHA-512",
    "digits-7": "codes of seven digits",
    "digits-8": "codes of eight digits",
    "period": "a period other than 30 seconds",
    "t0": "a t0 other than 0",
    "weak-secret": "secrets under 128 bits, which RFC 4226, section 4, R6 forbids: refusing them is right",
    "64-bit": "counters, steps and times past 2^63, or below 0",
}
"""Every feature; schema.json has the same names, which the check `vectors` compares."""


def needs_of_group(group: Group) -> list[str]:
    """The needs of all tests of a group: from its type and its header."""
    header, needs = group.header, [group.type]
    if header.get("decoder") == "strict":
        needs.append("strict-base32")
    algorithm = header.get("algorithm", "SHA1")
    if algorithm != "SHA1":
        needs.append(str(algorithm).lower())
    if header.get("digits", 6) != 6:
        needs.append(f"digits-{header['digits']}")
    if number(header.get("period", 30)) != 30:
        needs.append("period")
    if number(header.get("t0", 0)):
        needs.append("t0")
    return needs + _if_weak(header.get("secretHex"))


def needs_of_test(group: Group, test: Fields) -> list[str]:
    """A test's own needs, in addition to its group's."""
    needs = []
    if "behind" in test and (test["behind"] or test["ahead"]):
        needs.append("window")
        if test["behind"] != test["ahead"]:
            needs.append("asymmetric-window")
        if test["after"] is not None:
            needs.append("floor")
    elif test.get("after") is not None:
        needs.append("floor")
    if test.get("lookAhead"):
        needs.append("look-ahead")
    submissions = [step["codes"] for step in test.get("steps", [])]
    if [] in submissions:
        needs.append("unlock")
    typed = [str(code) for codes in submissions for code in codes]
    if any(is_typed(code) for code in typed):
        needs.append("typed")
    factors = [number(test[name]) for name in ("counter", "step", "matched", "time") if test.get(name) is not None]
    for holder in (test, test.get("expect", {}), test.get("key", {})):
        needs += _if_weak(holder.get("secretHex", holder.get("hex")))
    if test.get("result") == "valid" and group.type in ("base32-code", "uri-code"):
        needs += _if_weak(_secret_of(test))
    if any(not 0 <= factor < 2**63 for factor in factors):
        needs.append("64-bit")
    return needs


def _if_weak(secret: str | None) -> list[str]:
    return ["weak-secret"] if secret is not None and len(str(secret)) < 32 else []


def _secret_of(test: Fields) -> str:
    """The secret of a test that has only what a user would have."""
    if "uri" in test:
        return key_uri.parse(str(test["uri"])).secret.hex()
    return base32.decode(str(test["text"])).hex()
