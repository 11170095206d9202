"""The flags that a test may have, and which of them follow from a test's data.

A flag says what a test is about, so that a runner can leave tests out and a table of failures can be understood.
"""

from __future__ import annotations

import re

from .document import Fields, Group, number
from .otp import INT64_MAX, MAX_COUNTER

FLAGS = {
    "LeadingZero": "the code begins with a zero",
    "ShortNumber": "the truncated number has fewer digits than the code, so that zeros must be put in front",
    "TruncationOffset": "one of the sixteen places that dynamic truncation reads from",
    "WideCounter": "a counter or step of 2^31 or more, which a 32-bit integer or a double may lose",
    "CounterEnd": "a counter or step within 1,000 of 2^64-1, or a window that would pass it",
    "TimeEnd": "a time or t0 within a window of the ends of 64-bit time",
    "NegativeTime": "a time before 1970",
    "Origin": "a t0 other than 0",
    "LongPeriod": "a period of 2^31 seconds or more",
    "StepEdge": "the first or the last second of a step",
    "ShortKey": "a key shorter than the hash",
    "BlockKey": "a key as long as a block of the hash, or longer",
    "TruncatedTag": "a tag that is not whole",
    "WrongTag": "a tag that is not the message's",
    "StrictBase32": "RFC 4648 to the letter",
    "LenientBase32": "base32 as people write it: lower case, spaces, hyphens, padding left out",
    "LongBase32": "padded text of 61 bytes and more",
    "TrailingBits": "the last symbol has bits that reach no byte",
    "Padding": "padding that is not the one its text needs",
    "NotBase32": "text that is not base32",
    "UnicodeLookalike": "characters outside ASCII that look like others, or convert to them",
    "WindowEdge": "the first and last steps of a window, and the ones just outside",
    "AsymmetricWindow": "a window whose two sides differ",
    "WindowBelowZero": "a window that reaches below step 0",
    "Replay": "a step at or below the last accepted one",
    "SharedCode": "two steps or counters in reach have the same code",
    "WrongCode": "a code with wrong digits",
    "TypedCode": "a code with separators, or in digits of another script, as people type and paste it",
    "MalformedCode": "a submission that is not exactly as many ASCII digits as a code has",
    "LookAhead": "a counter past the expected one",
    "PastCounter": "a counter before the expected one",
    "Frame": "the scheme, the type and the parts that a key URI does not have",
    "Label": "how the label is divided and read",
    "IssuerConflict": "an issuer in the label and another, or an empty one, in the parameter",
    "RawCharacter": "characters that a URI should have escaped",
    "ControlCharacter": "a control character, as it is or escaped",
    "BadEscape": "a malformed escape, or one that is not UTF-8",
    "PlusSign": "a literal plus sign, which is not a space in RFC 3986",
    "AlgorithmName": "another spelling of an algorithm, or another algorithm",
    "NumberForm": "a number in an unusual form, or out of its range",
    "OtherTypeParameter": "a parameter of the other type of key",
    "DuplicateParameter": "a known parameter twice",
    "MissingParameter": "a required parameter is missing or empty",
    "UnknownParameter": "a parameter that the format does not name",
    "ParameterName": "a known parameter's name in another case or with escapes",
    "EmptyParameter": "parameters that are empty or have no name",
    "LongURI": "as long as is read, or a byte longer",
    "CanonicalForm": "our own form of what may be written in several ways",
    "RoundTrip": "what is written reads back",
    "Unicode": "names outside ASCII",
}
"""Every flag, and what it says of a test; schema.json has the same names, which the check `vectors` compares."""

MAX_SIGNED_32 = 2**31


def flags_of(group: Group, test: Fields) -> list[str]:
    """The flags that follow from a test's data and its group's. Its author states the others."""
    header, found = group.header, set()
    code = test.get("code")
    if group.type in ("hotp", "totp", "base32-code", "uri-code") and isinstance(code, str) and code.startswith("0"):
        found.add("LeadingZero")
    if "truncated" in test and len(str(test["truncated"])) < number(header["digits"]):
        found.add("ShortNumber")
    found |= _of_numbers(group, test)
    if group.type == "verify-totp":
        found |= _of_window(test)
    if group.type == "base32":
        found |= _of_base32(header, str(test["text"]), "hex" in test)
    if "uri" in test:
        found |= _of_uri(str(test["uri"]))
    if not str(test.get("key", test.get("expect", ""))).isascii():
        found.add("Unicode")
    if "secretHex" in header and group.type in ("hotp", "totp"):
        size = len(str(header["secretHex"])) // 2
        algorithm = str(header["algorithm"])
        if size < {"SHA1": 20, "SHA256": 32, "SHA512": 64}[algorithm]:
            found.add("ShortKey")
        if size >= (128 if algorithm == "SHA512" else 64) and (algorithm != "SHA512" or size > 64):
            found.add("BlockKey")
    return sorted(found)


def _of_numbers(group: Group, test: Fields) -> set[str]:
    found = set()
    factors = [number(test[name]) for name in ("counter", "step", "matched") if test.get(name) is not None]
    if group.type != "verify-totp" and any(factor >= MAX_SIGNED_32 for factor in factors):
        found.add("WideCounter")
    if any(factor > MAX_COUNTER - 1000 for factor in factors):
        found.add("CounterEnd")
    if "time" in test and test["time"] is not None:
        time, t0 = number(test["time"]), number(group.header.get("t0", "0"))
        if time < 0:
            found.add("NegativeTime")
        if t0:
            found.add("Origin")
        if max(abs(time), abs(t0)) > INT64_MAX - 1000:
            found.add("TimeEnd")
    if number(group.header.get("period", "30")) >= MAX_SIGNED_32:
        found.add("LongPeriod")
    return found


def _of_window(test: Fields) -> set[str]:
    found = set()
    if test["behind"] != test["ahead"]:
        found.add("AsymmetricWindow")
    if test["result"] == "replayed":
        found.add("Replay")
    return found


def _of_base32(header: Fields, text: str, is_read: bool) -> set[str]:
    found = {"StrictBase32"} if header["decoder"] == "strict" else set()
    body = re.sub("[ -]", "", text)
    if is_read and (body != text or body != body.upper() or len(body) % 8):
        found.add("LenientBase32")
    if not text.isascii():
        found.add("UnicodeLookalike")
    if text.endswith("=") and is_read and len(body) * 5 // 8 >= 61:
        found.add("LongBase32")
    return found


def _of_uri(uri: str) -> set[str]:
    found = set()
    if "+" in uri:
        found.add("PlusSign")
    if not uri.isascii() or " " in uri:
        found.add("RawCharacter")
    if len(uri) > 1024:
        found.add("LongURI")
    return found
