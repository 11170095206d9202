"""The adapters' protocol (../README.md), for adapters in Python: converts words to values, exceptions to answers."""

import hashlib
import sys
from base64 import b32encode
from importlib.metadata import version as version_of

DIGESTS = {"SHA1": hashlib.sha1, "SHA256": hashlib.sha256, "SHA512": hashlib.sha512}
READ = {
    "hash": str, "number": int, "bytes": lambda word: bytes.fromhex(word[1:]),
    "text": lambda word: bytes.fromhex(word[1:]).decode(), "maybe": lambda word: None if word == "-" else int(word),
    "name": lambda word: None if word == "-" else bytes.fromhex(word[1:]).decode(), "word": str,
}
OPERATIONS = {
    "hmac": "hash bytes bytes",
    "hotp": "hash number bytes number",
    "totp": "hash number number number bytes number",
    "base32": "text",
    "strict-base32": "text",
    "base32-code": "hash number number text",
    "uri-parse": "text",
    "uri-code": "text maybe",
    "uri-build": "word name text bytes hash number number",
    "verify-totp": "hash number number number bytes text number number number maybe",
    "verify-hotp": "hash number bytes text number number",
    "batch": "",
    "base32-encode": "bytes",
    "record-totp": "hash number number number bytes number number number number number maybe number",
    "record-hotp": "hash number bytes number number number number number number maybe number",
    "submit": "number" + 3 * " text",
    "unlock": "number",
}


class Cannot(Exception):
    """Raised if the implementation cannot express a request, which neither fails nor passes."""


def need(is_possible):
    """Answers `cannot` unless the condition holds."""
    if not is_possible:
        raise Cannot


def base32(secret):
    """A secret as most implementations need it."""
    return b32encode(secret).decode()


def verdict(found, factor=""):
    """The outcome of a verification, if it is not one yet, with the step or counter if it is known."""
    if isinstance(found, str):
        return found
    return f"accepted {factor}" if found else "rejected"


def hotp_by(base32_code):
    """The operation `hotp` of an implementation that takes only base32."""
    return lambda algorithm, digits, secret, counter: base32_code(algorithm, digits, counter, base32(secret))


def _word(value):
    if isinstance(value, bytes):
        return "x" + value.hex()
    if isinstance(value, dict):
        return " ".join(f"{name}={_field(name, field)}" for name, field in value.items())
    return str(value)


def _field(name, value):
    if value is None:
        return "-"
    return "x" + (value if isinstance(value, bytes) else value.encode()).hex() \
        if name in ("issuer", "labelIssuer", "account", "secret") else str(value)


def _answer(line, version, operations, refusals):
    name, *words = line.split()
    if name == "hello":
        return f"ok {version}"
    if name not in operations:
        return "cannot"
    try:
        values = [READ[kind](word) for kind, word in zip(OPERATIONS[name].split(), words)]
        return "ok " + _word(operations[name](*values))
    except Cannot:
        return "cannot"
    except refusals:
        return "refused"
    except Exception as error:
        return f"crashed {type(error).__name__}"


def serve(name, operations, refusals=(ValueError,), version=None):
    """Answer requests, one per line, until there are no more.

    `name` is that of its package, unless there is a `version`. `operations` maps the protocol's names to functions, for
    the operations that the implementation has; `refusals` are the exceptions that it documents for bad input.
    """
    version = f"{name} {version or version_of(name)}"
    sys.stdout.reconfigure(line_buffering=True)
    for line in sys.stdin:
        print(_answer(line, version, operations, refusals))
