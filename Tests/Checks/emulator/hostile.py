"""No request ends the emulator or makes it respond with 500."""
import base64
import http.client
import json
import random
import re
import socket
import time

from client import OWNER, PASSWORD, PROJECT, TOOLKIT, refused

SIGN_UP = f"{TOOLKIT}/v1/accounts:signUp?key=k"


class Connection:
    """A connection that stays open for many requests."""

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
    # Levels are counted right only in UTF-8: in UTF-16, one byte of a letter can look like a closing quote.
    for text in ("{}", '{"email":"\u2261","x":' + "[" * 2000):
        for encoding in ("utf-16-le", "utf-16-be", "utf-16", "utf-32"):
            assert connection.status("POST", SIGN_UP, text.encode(encoding)) == 400
    # In a string, brackets do not count.
    text = json.dumps({"email": "a@b.example", "password": "[" * 1000})
    assert connection.status("POST", SIGN_UP, text) == 200


def malformed(server):
    """Bodies with bytes changed, removed and inserted."""
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
    """Values out of range."""
    connection = Connection(server)
    _, user = server.user()
    local, own = f'"localId":"{user["localId"]}"', f"/emulator/v1/projects/{PROJECT}/clock"
    admin = f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:"
    for number in ("1e999", "-1e999", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e18",
                   "0.5", "-1", '"9223372036854775807"', '"-9223372036854775808"', '"1e3"', '" 1"', '""'):
        text = number.strip('"').strip() or "x"
        for method, path, raw in (
                *(("POST", f"{admin}update", f'{{{local},"{name}":{number}}}') for name in ("validSince", "createdAt")),
                ("POST", f"{TOOLKIT}/v1/accounts:lookup?key=k", json.dumps({"idToken": user["idToken"]})),
                ("POST", f"{admin}batchCreate", f'{{"users":[{{"localId":"n","createdAt":{number},'
                 f'"validSince":{number},"lastLoginAt":{number}}}]}}'),
                ("GET", f"{admin}batchGet", None), ("POST", own, f'{{"advanceSeconds":{number}}}'),
                ("POST", own, '{"reset":true}'),
                ("PATCH", f"{TOOLKIT}/v2/projects/other/config?updateMask=mfa", '{"mfa":{"providerConfigs":['
                 f'{{"totpProviderConfig":{{"adjacentIntervals":{number}}}}}]}}}}'),
                ("GET", f"{admin}batchGet?maxResults={text}", None),
                ("GET", f"{TOOLKIT}/v2/projects/{PROJECT}/tenants?pageSize={text}", None)):
            connection.status(method, path, raw, OWNER.items())


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


def stopped_clients(server):
    """A client that stops within a request is disconnected after 20 seconds, and what it has sent is no longer kept;
    one that is idle is not. (The check `login` has slower clients, on the same limits.)"""
    before, start = resident(server), time.monotonic()
    idle, stopped = opened(server), [opened(server) for _ in range(100)]
    for connection in stopped:
        connection.sendall(f"POST {SIGN_UP} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n".encode())
        connection.sendall(b" " * 999_000)
    for connection in stopped:
        assert connection.recv(1000) == b""
        connection.close()
    assert 15 < time.monotonic() - start < 30
    assert resident(server) - before < 50_000, (before, resident(server))
    idle.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert idle.recv(1000).startswith(b"HTTP/1.1 200")


def opened(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def memory(server):
    """What a connection sends without end is not kept: an address, headers, a body, chunks, and unread answers."""
    before = resident(server)
    chunked = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    for first, rest in (
            (b"GET /", b"a" * 65536), (b"GET / HTTP/1.1\r\nX: ", b"a" * 65536),
            (b"GET / HTTP/1.1\r\n", b"X-Name: value\r\n" * 4096),
            (chunked + b"1;", b"a" * 65536), (chunked, b"10000\r\n" + b"a" * 65536 + b"\r\n"),
            (chunked + b"0\r\nX: ", b"a" * 65536),
            (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n", b"a" * 65536),
            (b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 1000)):
        connection = opened(server)
        connection.settimeout(2)
        try:
            connection.sendall(first)
            for _ in range(1000):
                connection.sendall(rest)
        except OSError:
            pass
        now = resident(server)
        assert now - before < 40_000, (first, before, now)
        connection.close()
    assert server.json("GET", "/")["authEmulator"]["ready"]


def resident(server):
    """The size of the process in memory, in KiB."""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


ALL = [stopped_clients, memory, nesting, malformed, numbers, forged_tokens, large_bodies]
