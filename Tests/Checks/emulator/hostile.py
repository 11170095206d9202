"""No request ends the emulator or makes it respond with 500."""
import base64
import json

from client import OWNER, PROJECT, TOOLKIT, refused

SIGN_UP = f"{TOOLKIT}/v1/accounts:signUp?key=k"


def ask(server, method, path, raw=None, headers=None):
    """The status of a request, which must not be 500."""
    status, _, content = server.send(method, path, raw=raw, headers=headers)
    assert status < 500 or status == 501, (method, path, raw, content)
    if status >= 400:
        json.loads(content)
    return status


def nesting(server):
    """Foundation's decoder ends a process at more than 512 levels."""
    for count in (49, 51, 511, 513, 100_000):
        for raw in ("[" * count, "[" * count + "]" * count, '{"a":' * count + "1" + "}" * count):
            assert ask(server, "POST", SIGN_UP, raw) == 400
    # Levels are counted right only in UTF-8: in UTF-16, one byte of a letter can look like a closing quote.
    for text in ("{}", '{"email":"\u2261","x":' + "[" * 2000):
        for encoding in ("utf-16-le", "utf-16-be", "utf-16", "utf-32"):
            assert ask(server, "POST", SIGN_UP, text.encode(encoding)) == 400
    # In a string, brackets do not count.
    text = json.dumps({"email": "a@b.example", "password": "[" * 1000})
    assert ask(server, "POST", SIGN_UP, text) == 200


def malformed(server):
    """Bodies that are cut off, that are not UTF-8, and whose values no type holds."""
    whole = b'{"email":"x@example.com","password":"\\ud83d\\ude00 long","returnSecureToken":true}'
    bodies = [whole[:count] for count in range(1, len(whole))]
    bodies += [whole.replace(b"true", value) for value in (b"tru", b"1e999", b"-", b"1.", b"\xff", b"[", b"{]")]
    bodies += [whole.replace(b"\\ude00", value) for value in (b"", b"\\", b"\\u12", b"\0", b"\xff", b"\xed\xa0\x80")]
    for raw in bodies:
        assert ask(server, "POST", SIGN_UP, raw) == 400, raw
    assert ask(server, "POST", SIGN_UP, whole) == 200
    for number in ("1e999", "-1e999", "9223372036854775807", "x"):
        for path in ("v1/projects/{}/accounts:batchGet?maxResults=", "v2/projects/{}/tenants?pageSize="):
            ask(server, "GET", f"{TOOLKIT}/{path.format(PROJECT)}{number}", headers=OWNER)
        ask(server, "POST", f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:batchCreate",
            f'{{"users":[{{"localId":"n","createdAt":{number}}}]}}', OWNER)


def forged_tokens(server):
    """Invalid tokens, and tokens made elsewhere."""
    _, user = server.user()
    header, payload, _ = user["idToken"].split(".")
    for token in (".", "..", "a.b.c", header + "..", "." + payload + ".", "\u00e9.\u00e9.\u00e9", "x" * 500_000):
        refused("INVALID_ID_TOKEN", server.js, "accounts:lookup", {"idToken": token})
    for content in ("[]", "1", "null", '{"sub":1}', "{"):
        text = base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")
        refused("INVALID_ID_TOKEN", server.js, "accounts:lookup", {"idToken": f"{header}.{text}."})
        refused("INVALID_REFRESH_TOKEN", server.refresh, text)
    # A token made by another emulator is valid, as with Google's emulator: there is no signature.
    own = base64.urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
    assert server.look(f"{own}.{payload}.")["localId"] == user["localId"]


def large_bodies(server):
    """More than 1 MB is refused, however it is sent; just less is read."""
    raw = json.dumps({"email": "large@example.com", "password": "x" * ((1 << 20) - 60)})
    assert ask(server, "POST", SIGN_UP, raw) == 200
    for size in ((1 << 20) + 1, 10 << 20):
        assert ask(server, "POST", SIGN_UP, b" " * size) == 413
    assert server.send("POST", SIGN_UP, raw=(b" " * (1 << 16) for _ in range(20)))[0] == 413
