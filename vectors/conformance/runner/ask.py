"""Converts a test to a request, and to the answer that it states."""

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


def stated(group: Fields, test: Fields) -> str:
    """What a right answer has after `ok`, in full; or `refused`."""
    if test.get("ours", test.get("result")) == "invalid":
        return "refused"
    match group["type"]:
        case "hmac":
            return "x" + test["tagHex"]
        case "base32":
            return "x" + test["hex"]
        case "uri-build":
            return hexadecimal(test["uri"])
        case "uri-parse":
            return described(test["expect"])
        case "uri-round-trip":
            return "the same again"
        case "verify-totp" | "verify-hotp":
            result = test.get("ours", test["result"])
            if result != "accepted":
                return str(result)
            if "step" in test:
                return f"accepted {test['step']} {test['offset']}"
            return f"accepted {test['matched']} {int(test['matched']) - int(test['counter'])}"
        case _:
            return str(test["code"])


def described(key: Fields) -> str:
    """A key as `uri-parse` answers, in the order of the protocol's table."""
    words = {field: name(key[field]) for field in ("issuer", "labelIssuer", "account")}
    words |= {"secret": "x" + key["secretHex"]}
    order = ("type", "issuer", "labelIssuer", "account", "secret", "algorithm", "digits", "period", "counter")
    key = key | words
    return " ".join(f"{field}={key[field]}" for field in order if field in key)


def fields(text: str) -> dict[str, str]:
    """The fields of a key that is described so."""
    return dict(word.split("=", 1) for word in text.split())
