"""Nothing that is sent ends the emulator, or makes it answer 500."""
import http.client
import json
import random

from client import OWNER, PASSWORD, PROJECT, TOKEN, TOOLKIT, refused

SIGN_UP = f"{TOOLKIT}/v1/accounts:signUp?key=k"


class Connection:
    """One that stays open, for many requests."""

    def __init__(self, server):
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def status(self, method, path, raw=None, headers=()):
        self.connection.request(method, path, raw, dict(headers))
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status < 500 or answer.status == 501, (method, path, raw, content)
        if answer.status >= 400:
            json.loads(content)
        return answer.status


def nesting(server):
    """Foundation's decoder ends a process at more than 512 levels."""
    connection = Connection(server)
    for count in (49, 51, 511, 513, 100_000):
        for raw in ("[" * count, "[" * count + "]" * count, '{"a":' * count + "1" + "}" * count):
            assert connection.status("POST", SIGN_UP, raw) == 400
    # Only UTF-8 is counted rightly: in UTF-16, half of a letter can look like the quote at the end of a text.
    for text in ("{}", '{"email":"\u2261","x":' + "[" * 2000):
        for encoding in ("utf-16-le", "utf-16-be", "utf-16", "utf-32"):
            assert connection.status("POST", SIGN_UP, text.encode(encoding)) == 400
    # In a text, brackets are none.
    text = json.dumps({"email": "a@b.example", "password": "[" * 1000})
    assert connection.status("POST", SIGN_UP, text) == 200


def malformed(server):
    """Bodies with bytes changed, left out and put in."""
    generator = random.Random(1)
    connection = Connection(server)
    _, user = server.user()
    bodies = [
        ("accounts:signUp", {"email": "x@example.com", "password": PASSWORD, "returnSecureToken": True}),
        ("accounts:lookup", {"idToken": user["idToken"]}),
        ("accounts:update", {"idToken": user["idToken"], "displayName": "\U0001F600\\\"", "deleteAttribute": [2]}),
        ("accounts:signInWithCustomToken", {"token": json.dumps({"uid": "x", "claims": {"a": [1.5, None, -0.0]}})}),
    ]
    codes = set()
    for _ in range(3000):
        method, body = generator.choice(bodies)
        text = bytearray(json.dumps(body).encode())
        for _ in range(generator.randint(1, 4)):
            place = generator.randrange(len(text))
            match generator.randrange(4):
                case 0: text[place] = generator.randrange(256)
                case 1: del text[place:place + generator.randint(1, 20)]
                case 2: text[place:place] = generator.choice([b'"', b"{", b"[", b"\\u", b"\\ud800", b"1e999", b"\xff"])
                case 3: del text[place:]
            if not text:
                break
        codes.add(connection.status("POST", f"{TOOLKIT}/v1/{method}?key=k", bytes(text)))
    assert codes == {200, 400}, codes


def numbers(server):
    """What is out of its range."""
    connection = Connection(server)
    path = f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:update"
    _, user = server.user()
    for number in ("1e999", "-1e999", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e18",
                   "0.5", "-1", '"9223372036854775807"', '"-9223372036854775808"', '"1e3"', '" 1"', '""'):
        for name in ("validSince", "createdAt"):
            raw = f'{{"localId":"{user["localId"]}","{name}":{number}}}'
            connection.status("POST", path, raw, OWNER.items())
            connection.status("POST", f"{TOOLKIT}/v1/accounts:lookup?key=k", json.dumps({"idToken": user["idToken"]}))
        raw = f'{{"users":[{{"localId":"n","createdAt":{number},"validSince":{number},"lastLoginAt":{number}}}]}}'
        connection.status("POST", f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:batchCreate", raw, OWNER.items())
        connection.status("GET", f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:batchGet", None, OWNER.items())
        connection.status("POST", f"/emulator/v1/projects/{PROJECT}/clock", f'{{"advanceSeconds":{number}}}')
        connection.status("POST", f"/emulator/v1/projects/{PROJECT}/clock", '{"reset":true}')
        mfa = f'{{"mfa":{{"providerConfigs":[{{"totpProviderConfig":{{"adjacentIntervals":{number}}}}}]}}}}'
        connection.status("PATCH", f"{TOOLKIT}/v2/projects/other/config?updateMask=mfa", mfa, OWNER.items())
        for query in ("maxResults", "pageSize"):
            text = number.strip('"').strip() or "x"
            connection.status("GET", f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:batchGet?{query}={text}", None,
                              OWNER.items())


def forged_tokens(server):
    """Tokens that are none, or that others have made."""
    import base64
    _, user = server.user()
    header, payload, _ = user["idToken"].split(".")
    for token in (".", "..", "a.b.c", header + "..", "." + payload + ".", "\u00e9.\u00e9.\u00e9", "x" * 500_000):
        refused("INVALID_ID_TOKEN", server.js, "accounts:lookup", {"idToken": token})
    for content in ("[]", "1", "null", '{"sub":1}', "{"):
        text = base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")
        refused("INVALID_ID_TOKEN", server.js, "accounts:lookup", {"idToken": f"{header}.{text}."})
        refused("INVALID_REFRESH_TOKEN", server.json, "POST", f"{TOKEN}?key=k", {
            "grantType": "refresh_token", "refreshToken": text})
    # One that another emulator has made is good, as at Google's: there is no signature.
    own = base64.urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
    assert server.js("accounts:lookup", {"idToken": f"{own}.{payload}."})["users"][0]["localId"] == user["localId"]


def large_bodies(server):
    """More than 1 MB is refused, however it is sent; what is just below is read."""
    connection = Connection(server)
    password = "x" * ((1 << 20) - 60)
    raw = json.dumps({"email": "large@example.com", "password": password})
    assert len(raw) <= 1 << 20
    assert connection.status("POST", SIGN_UP, raw) == 200
    for size in ((1 << 20) + 1, 10 << 20):
        assert Connection(server).status("POST", SIGN_UP, b" " * size) == 413
    chunks = (b" " * (1 << 16) for _ in range(20))
    status, _, content = server.send("POST", SIGN_UP, raw=chunks)
    assert status == 413, content
    assert server.json("GET", "/")["authEmulator"]["ready"]


ALL = [nesting, malformed, numbers, forged_tokens, large_bodies]
