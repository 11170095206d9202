"""Each group's permanent id, and the standard that decides it.

A row stands for one group of its file, in the file's order: its id, its reference, and the flags that all its tests
have beside those of their data. `{}` is filled with the algorithm, the digits and such, so that a family is one row.
"""

from __future__ import annotations

from collections.abc import Iterator

from .acceptance import is_open
from .document import Fields, Group, VectorFile, number
from .errors import ensure
from .flags import FLAGS, flags_of
from .needs import needs_of_group, needs_of_test

HMAC, OFFSET, STEP = "RFC 2104, section 2", "RFC 4226, section 5.3", "RFC 6238, section 4.2"
WINDOW, ONCE, LOOK_AHEAD = "RFC 6238, section 5.2", "RFC 6238, section 5.2", "RFC 4226, section 7.4"
BASE32, KEY_URI, POLICY = "RFC 4648, section 6", "Key URI format", "policy"

Row = tuple[str, str, str]


def uri(linuxgemini: str, andesco: str, decides: str = KEY_URI) -> str:
    """What decides a group of URIs, with the sections of the two drafts that say something of it ("" for none)."""
    drafts = {"linuxgemini-otpauth-uri-03": linuxgemini, "andesco-otpauth-uri-00": andesco}
    return "; ".join([decides, *(f"draft-{name}, {sections}" for name, sections in drafts.items() if sections)])


CATALOGUE: dict[str, list[Row]] = {
    "rfc4226-hotp.json": [("rfc4226", "RFC 4226, Appendix D", "")],
    "rfc6238-totp.json": [("rfc6238-{algorithm}", "RFC 6238, Appendix B", "")] * 3,
    "rfc2202-hmac-sha1.json": [("rfc2202", "RFC 2202, section 3", "")],
    "rfc4231-hmac-sha2.json": [("rfc4231-{algorithm}", "RFC 4231, section 4", "")] * 2,
    "rfc4648-base32.json": [("rfc4648", "RFC 4648, section 10", ""), ("rfc4648-unpadded", "RFC 4648, section 10", "")],
    "hmac-cases.json": [
        *[("hmac-message-lengths-{algorithm}", HMAC, "")] * 3,
        *[("hmac-key-lengths-{algorithm}", HMAC, "")] * 3,
        *[("hmac-truncated-tags-{algorithm}", "RFC 2104, section 5", "TruncatedTag")] * 3,
        *[("hmac-wrong-tags-{algorithm}", HMAC, "WrongTag")] * 3,
        *[("hotp-key-{bytes}-{algorithm}", OFFSET, "")] * 30,
    ],
    "base32-cases.json": [
        ("base32-case", BASE32, ""), ("base32-separators", BASE32, ""), ("base32-padding-separators", BASE32, ""),
        ("base32-lengths", BASE32, ""), ("base32-byte-values", BASE32, ""),
        ("base32-trailing-bits", "RFC 4648, section 3.5", "TrailingBits"), ("base32-long", BASE32, ""),
        ("base32-wrong-lengths", BASE32, "NotBase32"), ("base32-wrong-padding", "RFC 4648, section 3.3", "Padding"),
        ("base32-wrong-separated-padding", "RFC 4648, section 3.3", "Padding"),
        ("base32-wrong-ascii", "RFC 4648, section 3.3", "NotBase32"),
        ("base32-wrong-unicode", "RFC 4648, section 3.3", "NotBase32"),
        ("base32-wrong-places", "RFC 4648, section 3.3", "NotBase32"),
    ],
    "base32-strict.json": [
        ("base32-strict", BASE32, ""), ("base32-strict-symbols", "RFC 4648, section 3.3", "NotBase32"),
        ("base32-strict-padding", "RFC 4648, section 3.2", "Padding"),
        ("base32-strict-trailing-bits", "RFC 4648, section 3.5", "TrailingBits"),
    ],
    "truncation-offsets.json": [("truncation-offsets-{algorithm}", OFFSET, "TruncationOffset")] * 3,
    "extreme-counters.json": [
        *[("counters-{algorithm}-{digits}", OFFSET, "")] * 9, ("counters-all-zeros", OFFSET, ""),
        *[("counters-leading-zeros-{algorithm}-{digits}", OFFSET, "")] * 9,
    ],
    "short-numbers.json": [("short-numbers-{algorithm}-{digits}", OFFSET, "")] * 9,
    "totp-steps.json": [
        *[("steps-period-{period}", STEP, "StepEdge")] * 7, *[("steps-origin-{t0}-{period}", STEP, "StepEdge")] * 10,
        *[("steps-time-end-{period}", STEP, "")] * 3, *[("steps-first-second-{period}", STEP, "")] * 3,
        ("steps-last-origin", STEP, ""), *[("steps-short-key-{algorithm}", "RFC 6238, section 1.2", "")] * 2,
        *[("steps-digits-{digits}", STEP, "")] * 2,
    ],
    "secret-to-code.json": [
        ("code-base32", KEY_URI, ""), ("code-base32-padded", KEY_URI, "LongBase32"),
        ("code-base32-lenient", KEY_URI, "LenientBase32"),
        ("code-base32-invalid", "RFC 4648, section 3.3", "NotBase32"),
        ("code-uri-totp", uri("3", "3"), ""), ("code-uri-hotp", uri("3", "3"), ""),
        ("code-uri-invalid", uri("3", "3"), "MissingParameter"),
    ],
    "verification-windows.json": [
        ("window-offsets", WINDOW, "WindowEdge"), ("window-edges", WINDOW, "WindowEdge"),
        ("window-within-step", WINDOW, "StepEdge"),
        ("window-below-zero", WINDOW, "WindowBelowZero"), ("window-time-end", WINDOW, ""),
        ("window-step-end", WINDOW, "CounterEnd"), ("window-first-second", WINDOW, ""),
        ("window-all-zeros", WINDOW, "LeadingZero"), ("window-shared-code", ONCE, "SharedCode"),
        *[("window-wrong-codes-{digits}", OFFSET, "WrongCode")] * 2, ("window-malformed", OFFSET, "MalformedCode"),
        ("window-leading-zeros", OFFSET, "LeadingZero"), *[("window-digits-{digits}", OFFSET, "")] * 2,
        *[("window-{algorithm}-{digits}", WINDOW, "")] * 6, *[("window-clock-{t0}-{period}", WINDOW, "")] * 5,
    ],
    "replay-floors.json": [
        ("floor-offsets", ONCE, ""), ("floor-sequence", ONCE, ""), ("floor-outside", ONCE, ""),
        ("floor-shared-code", ONCE, "SharedCode"), ("floor-zero", ONCE, ""), ("floor-step-end", ONCE, "CounterEnd"),
        ("floor-wrong-codes", ONCE, "WrongCode"), *[("floor-{algorithm}", ONCE, "")] * 2,
    ],
    "hotp-look-ahead.json": [
        ("look-ahead-edges", LOOK_AHEAD, "LookAhead"), ("look-ahead-past", LOOK_AHEAD, "PastCounter"),
        ("look-ahead-counter-end", LOOK_AHEAD, "CounterEnd"), ("look-ahead-shared-code", LOOK_AHEAD, "SharedCode"),
        ("look-ahead-all-zeros", LOOK_AHEAD, "LeadingZero"), ("look-ahead-wide-counters", LOOK_AHEAD, ""),
        ("look-ahead-wrong-codes", OFFSET, "WrongCode"), ("look-ahead-malformed", OFFSET, "MalformedCode"),
        *[("look-ahead-{algorithm}-{digits}", LOOK_AHEAD, "LookAhead")] * 6,
    ],
    "record-sequences.json": [
        ("record-replay", ONCE, ""), ("record-limits", POLICY, ""), ("record-unlocking", POLICY, ""),
        ("record-twin-steps", ONCE, "SharedCode"),
        ("record-counter", LOOK_AHEAD, ""), ("record-typed", ONCE, "TypedCode"),
        *[("record-totp-{algorithm}-{digits}", POLICY, "")] * 3,
        *[("record-hotp-{algorithm}-{digits}", POLICY, "")] * 3,
    ],
    "uri-parse.json": [
        ("uri-frame", uri("3, 3.1", "3.1, 3.2, 3.4"), "Frame"), ("uri-labels", uri("3.2", "3.1, 3.3"), "Label"),
        ("uri-raw", uri("3.2", "3.1, 3.3", "RFC 3986, section 2"), "RawCharacter"),
        ("uri-issuers", uri("3.2, 3.3.6", "3.4.2, 4"), "IssuerConflict"), ("uri-secrets", uri("3.3.1", "3.4.1"), ""),
        ("uri-algorithms", uri("3.3.2", "3.1, 3.4.3"), "AlgorithmName"),
        ("uri-numbers", uri("3.3.3 to 3.3.5", "3.4.4 to 3.4.6"), "NumberForm"),
        ("uri-other-type", uri("3.3.4, 3.3.5", "3.4.5, 3.4.6"), "OtherTypeParameter"),
        ("uri-empty-parameters", uri("3.3", "3.1"), "EmptyParameter"),
        ("uri-escaped-names", uri("3.3", "3.1", "RFC 3986, section 2.3"), "ParameterName"),
        ("uri-unknown-parameters", uri("3.3.7", "3.4.7"), "UnknownParameter"),
        ("uri-wrong-frame", uri("3, 3.1", "3.1, 3.2"), "Frame"),
        ("uri-control-characters", uri("3", "3.1", "RFC 3986, section 2"), "ControlCharacter"),
        ("uri-wrong-labels", uri("3.2", "3.1, 3.3"), "Label"),
        ("uri-bad-escapes", uri("3.2, 3.3", "3.1", "RFC 3986, section 2.1"), "BadEscape"),
        ("uri-bad-unknown-parameters", uri("3.3.7", "3.1, 3.4.7", "RFC 3986, section 2.1"), "BadEscape"),
        ("uri-percent-algorithms", uri("3.3.2", "3.4.3", "RFC 3986, section 2.1"), "BadEscape AlgorithmName"),
        ("uri-wrong-secrets", uri("3.3.1", "3.4, 3.4.1"), "NotBase32"),
        ("uri-duplicates", uri("", "3.4"), "DuplicateParameter"),
        ("uri-other-type-duplicates", uri("", "3.4"), "DuplicateParameter"),
        ("uri-wrong-algorithms", uri("3.3.2", "3.4.3"), "AlgorithmName"),
        ("uri-wrong-digits", uri("3.3.3", "3.4.4"), "NumberForm"),
        ("uri-wrong-periods", uri("3.3.5", "3.4.5"), "NumberForm"),
        ("uri-wrong-counters", uri("3.3.4", "3.4.6"), "NumberForm"),
        ("uri-wrong-hotp-periods", uri("3.3.5", "3.4.5"), "OtherTypeParameter"),
        ("uri-wrong-totp-counters", uri("3.3.4", "3.4.6"), "OtherTypeParameter"), ("uri-built", uri("3", "3"), ""),
    ],
    "uri-build.json": [("uri-build-parameters", POLICY, "CanonicalForm"), ("uri-build-texts", POLICY, "CanonicalForm")],
    "uri-round-trip.json": [("uri-round-trip-parameters", uri("3.3", "3.4"), "RoundTrip"),
        ("uri-round-trip-texts", uri("3.2, 3.3.6", "3.3, 3.4.2"), "RoundTrip")],
}


def annotate(files: list[VectorFile]) -> list[VectorFile]:
    """Give every group its id, reference and needs, and every test its flags; open tests become `acceptable`."""
    seen: set[str] = set()
    for file in files:
        rows = CATALOGUE[file.name]
        ensure(len(rows) == len(file.groups), f"{file.name}: {len(file.groups)} groups, {len(rows)} in the catalogue")
        for group, (name, group.reference, flags) in zip(file.groups, rows, strict=True):
            group.id = name.format(**dict(_words(group)))
            ensure(group.id not in seen, f"the group id {group.id} twice")
            seen.add(group.id)
            group.needs = needs_of_group(group)
            for test in group.tests:
                _annotate(group, test, set(filter(None, flags.split())))
    used = {flag for file in files for group in file.groups for test in group.tests
            for flag in test.get("flags", ())}  # type: ignore[union-attr]
    ensure(used == set(FLAGS), f"flags in one place only: {sorted(used ^ set(FLAGS))}")
    return files


def _annotate(group: Group, test: Fields, flags: set[str]) -> None:
    stated = set(test.pop("flags", ()))  # type: ignore[arg-type]
    test["flags"] = sorted(stated | flags | set(flags_of(group, test)))
    needs = needs_of_test(group, test)
    if needs:
        test["needs"] = needs
    if group.reference != POLICY and "result" in test and test["result"] != "acceptable" and is_open(group, test):
        test["ours"] = test["result"]
        test["result"] = "acceptable"


def _words(group: Group) -> Iterator[tuple[str, str]]:
    header = group.header
    for name in ("algorithm", "digits"):
        yield name, str(header.get(name, "")).lower()
    yield "bytes", str(len(str(header.get("secretHex", ""))) // 2)
    for name in ("period", "t0"):
        value = number(header.get(name, 0))
        sign = "minus-" if value < 0 else ""
        ends = {2**63 - 1: "max", -(2**63): "min"}
        yield name, ends.get(value, f"{sign}{abs(value)}")
