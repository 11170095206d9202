"""All `uri-parse` tests: the valid URIs, the invalid ones, and those of uri-build.json."""

from __future__ import annotations

from ..document import Group, VectorFile
from ..errors import ensure
from ..key_uri import KeyURI, KeyURIError, parse
from ..key_uri import build as build_uri
from . import uri_parse_invalid, uri_parse_invalid_values, uri_parse_valid
from .uri_build import PARAMETER_KEYS, TEXT_KEYS, uri_fields


def build() -> VectorFile:
    """Every group of rows becomes a group of tests."""
    groups = []
    for title, valid_rows in uri_parse_valid.ROWS.items():
        group = Group("uri-parse", comment=title)
        for uri, value, comment in valid_rows:
            _add_valid(group, uri, value, comment)
        groups.append(group)
    for title, invalid_rows in (uri_parse_invalid.ROWS | uri_parse_invalid_values.ROWS).items():
        group = Group("uri-parse", comment=title)
        for uri, part, comment in invalid_rows:
            _add_invalid(group, uri, part, comment)
        groups.append(group)
    built = Group("uri-parse", comment="what uri-build.json writes reads back as the same key")
    for value, comment in PARAMETER_KEYS + TEXT_KEYS:
        _add_valid(built, build_uri(value), value, comment)
    return VectorFile("uri-parse.json", "swift-otp: otpauth:// URIs as they are read (RFC 3986)", [*groups, built])


def _add_valid(group: Group, uri: str, value: KeyURI, comment: str) -> None:
    """Append a valid URI for `value`, which our parser must confirm."""
    try:
        parsed = parse(uri)
    except KeyURIError as error:
        ensure(False, f"uri-parse, {comment}: refused for its {error.part}")
    ensure(parsed == value, f"uri-parse, {comment}: parsed {parsed}, stated {value}")
    fields = uri_fields(value)
    expect = {"type": fields.pop("type"), "issuer": fields.pop("issuer"), "labelIssuer": value.label_issuer} | fields
    group.add({"uri": uri, "result": "valid", "expect": expect}, comment)


def _add_invalid(group: Group, uri: str, part: str, comment: str) -> None:
    """Append a URI to refuse; our parser must refuse it for its `part`, so that nothing else is wrong by accident."""
    try:
        parsed = parse(uri)
    except KeyURIError as error:
        ensure(error.part == part, f"uri-parse, {comment}: refused for its {error.part}, not its {part}")
        group.add({"uri": uri, "result": "invalid"}, comment)
    else:
        ensure(False, f"uri-parse, {comment}: parsed {parsed}, but should be refused")
