"""The tests before again, and 10^4 requests in between: each is one of theirs with another value in one place, or with
bytes that are not JSON. No response is a 500."""
import contextlib
import functools
import itertools
import json
import random

import client
from client import Emulator, check_error
from main import tests

ARGUMENTS, COUNT = None, 10_000
# How often a request is varied, and how many are; the size of a body.
VARIED, SHARE, LARGEST, ABSENT = 4, 1 / 3, 2000, object()
VALUES = [ABSENT, None, True, 0, -1, 2**63 - 1, 2**63, -1e300, float("inf"), 0.5, "", "\0", "\u2028", "x" * 5000, "{}",
          "é@é", "-1", "9" * 19, "+15555550100", "a@example.com", "2030-01-01T00:00:00.000Z", [], [[]], {}, {"x": 1},
          functools.reduce(lambda inner, _: [inner], range(600), 0)]
BYTES = [b"", b"-", b"1e999", b"1.", b"tru", b"{]", b"\0", b"\xff", b"\xed\xa0\x80", b"\\ud83d", b"\\u12", b"[" * 10**5]


def places(value, place=()):
    yield place
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, (*place, key))


def changed(value, place, new):
    if not place:
        return None if new is ABSENT else new
    copy = value.copy()
    copy[place[0]] = changed(copy[place[0]], place[1:], new)
    if new is ABSENT and len(place) == 1:
        del copy[place[0]]
    return copy


class Varied(Emulator):
    """Sends variations of some requests before the right one, most of which change nothing that it needs."""
    made, accepted, faults, random = 0, set(), [], random.Random(1)

    def send(self, method, path, body=None, headers=None, raw=None):
        is_varied = body and len(json.dumps(body)) < LARGEST and self.random.random() < SHARE
        for _ in range(VARIED if is_varied and not path.endswith("/clock") else 0):
            Varied.made += 1
            place, value = self.random.choice(list(places(body))), self.random.choice(VALUES)
            varied = changed(body, place, value)
            self.checked(method, path, varied, headers, self.spoiled(varied) if self.random.random() < 1 / 4 else None)
        return self.checked(method, path, body, headers, raw)

    def spoiled(self, body):
        """The body in another encoding, cut off, or with other bytes in one place."""
        text = json.dumps(body)
        place = self.random.randrange(len(text))
        end = self.random.choice((place, place + 1, len(text)))
        other = text[:place].encode() + self.random.choice(BYTES) + text[end:].encode()
        return self.random.choice((other, other, text.encode("utf-16")))

    def checked(self, method, path, body, headers, raw):
        rest = (body, headers) if raw is None else (None, {"Content-Type": "application/json"} | (headers or {}), raw)
        answer = super().send(method, path, *rest)
        try:
            assert answer[0] < 500 or answer[0] == 501
            if b'"errors"' in answer[2]:
                check_error(answer[0], json.loads(answer[2]))
        except AssertionError:
            self.faults.append((method, path, rest, answer))
        if answer[0] == 200:
            self.accepted.add(path.split("?")[0].split("/")[-1])
        return answer


def requests(_):
    import accounts, errors, federated, flows, projects  # noqa: E401 pylint: disable=import-outside-toplevel
    for module in itertools.cycle((flows, errors, federated, accounts, projects)):
        # A new one each time, since some settings stay.
        with client.running() as server:
            varied = Varied(server.port)
            for test in tests(module):
                # A variation may have done what the test expects to do.
                with contextlib.suppress(Exception):
                    test(varied)
            assert server.json("GET", "/")["authEmulator"]["ready"] and server.process.poll() is None
        if Varied.made >= COUNT:
            break
    assert not Varied.faults, Varied.faults[:3]
    # What is only refused is hardly tested.
    assert {"mfaEnrollment:finalize", "mfaSignIn:finalize"} <= Varied.accepted and len(Varied.accepted) > 40, \
        Varied.accepted
