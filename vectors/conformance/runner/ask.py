"""Converts a test to a request."""

from __future__ import annotations

from typing import Any

Fields = dict[str, Any]


def hexadecimal(text: str) -> str:
    """A text as a word."""
    return "x" + text.encode("utf-8", "surrogatepass").hex()


def name(text: str | None) -> str:
    """A text that may be missing, as a word."""
    return "-" if text is None else hexadecimal(text)


def optional(text: str | None) -> str:
    """A number that may be missing, as a word."""
    return "-" if text is None else text


def request(group: Fields, test: Fields) -> str:
    """The request line for `test`."""
    kind = group["type"]
    shared = [str(group[field]) for field in ("algorithm", "digits", "period", "t0") if field in group]
    if "secretHex" in group:
        shared.append("x" + group["secretHex"])
    match kind:
        case "hmac":
            words = [*shared, "x" + test["keyHex"], "x" + test["messageHex"]]
        case "hotp":
            words = [*shared, test["counter"]]
        case "totp":
            words = [*shared, test["time"]]
        case "base32":
            kind = "strict-base32" if group["decoder"] == "strict" else kind
            words = [hexadecimal(test["text"])]
        case "base32-code":
            words = [*shared, test["counter"], hexadecimal(test["text"])]
        case "uri-parse":
            words = [hexadecimal(test["uri"])]
        case "uri-code":
            words = [hexadecimal(test["uri"]), optional(test["time"])]
        case "uri-build" | "uri-round-trip":
            kind, key = "uri-build", test["key"]
            words = [key["type"], name(key["issuer"]), hexadecimal(key["account"]), "x" + key["secretHex"],
                     key["algorithm"], str(key["digits"]), key.get("counter") or key.get("period")]
        case "verify-totp":
            words = [*shared, hexadecimal(test["code"]), test["time"], str(test["behind"]), str(test["ahead"]),
                     optional(test["after"])]
        case "verify-hotp":
            words = [*shared, hexadecimal(test["code"]), test["counter"], str(test["lookAhead"])]
        case _:
            raise ValueError(f"an unknown group type: {kind}")
    return " ".join([kind, *words])
