"""`otp`, this engine's command-line tool: one process per request."""

import json
import subprocess
import sys
from base64 import b32decode

from adapter import base32, hotp_by, need, serve


def run(*words, given=""):
    """The tool's JSON. Refused input raises a ValueError."""
    words = [str(word) for word in words]
    need("\0" not in "".join(words))  # a program's argument cannot contain it
    ran = subprocess.run([sys.argv[1], *words], input=given, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        raise ValueError
    return json.loads(ran.stdout)


def key(kind, algorithm, digits, *timed):
    clock = ["--period", timed[0], "--t0", timed[1]] if timed else []
    return ["--json", "--secret-file", "-", "--type", kind, "--algorithm", algorithm, "--digits", digits, *clock]


def code(given, *words):
    return run("generate", *words, given=given)["codes"][0]["code"]


def verify(submitted, secret, *words):
    said = run("verify", *words, "--", submitted, given=base32(secret))
    return " ".join([said["result"], *(said[name] for name in ("step", "counter") if name in said)])


def verify_totp(algorithm, digits, period, t0, secret, submitted, time, behind, ahead, after):
    words = ["--at", time, "--behind", behind, "--ahead", ahead, *([] if after is None else ["--after", after])]
    return verify(submitted, secret, *key("totp", algorithm, digits, period, t0), *words)


def uri_parse(uri):
    said = run("uri", "parse", "-", "--show-secret", "--json", given=uri)
    names = {"type", "account", "algorithm", "digits", "period", "counter"} & set(said)
    secret = b32decode(said["secret"] + "=" * (-len(said["secret"]) % 8))
    return {name: said[name] for name in names} | {"issuer": said.get("issuer"), "secret": secret}


def uri_build(kind, issuer, account, secret, algorithm, digits, number):
    words = ["--account=" + account, *([] if issuer is None else ["--issuer=" + issuer]),
             "--counter" if kind == "hotp" else "--period", number]
    return run("uri", "build", *key(kind, algorithm, digits), *words, given=base32(secret))["uri"].encode()


def base32_code(algorithm, digits, counter, text):
    return code(text, *key("hotp", algorithm, digits), "--counter", counter)


serve("otp", {
    "hotp": hotp_by(base32_code), "base32-code": base32_code,
    "totp": lambda *it: code(base32(it[4]), *key("totp", *it[:4]), "--at", it[5]),
    "uri-code": lambda uri, time: code("", "--json", "--uri", uri, *([] if time is None else ["--at", time])),
    "verify-hotp": lambda *it: verify(it[3], it[2], *key("hotp", *it[:2]), "--counter", it[4], "--look-ahead", it[5]),
    "verify-totp": verify_totp, "uri-parse": uri_parse, "uri-build": uri_build,
}, version=run("info", "--json")["version"])
