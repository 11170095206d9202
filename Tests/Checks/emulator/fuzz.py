"""10^4 requests of the tests before again, most with another value in one place: no response is a 500."""
import collections
import http.client
import itertools
import json
import random
import time

from client import Emulator, check_error, totp

COUNT = 10_000
# How many requests of a test are made again, how often each is varied, and the size of a body.
LONGEST, VARIED, LARGEST, ABSENT = 150, 3, 2000, object()
VALUES = [ABSENT, None, True, 0, -1, 2**63 - 1, 2**63, -1e300, 0.5, "", "\0", "\u2028", "x" * 5000, "{}", "é@é", "-1",
          "9" * 19, "+15555550100", "a@example.com", "2030-01-01T00:00:00.000Z", [], [[]], {}, {"x": 1}]


class Client:
    """Sends the latest of what its responses had under a name, such as its token, instead of another test's."""

    def __init__(self):
        self.known = {}

    def filled(self, value, name=None):
        if isinstance(value, dict):
            filled = {key: self.filled(part, key) for key, part in value.items()}
            if "verificationCode" in value and "sharedSecretKey" in self.known:
                # At a sign-in, a later one than at the enrollment, which has a session.
                steps = random.randint(-5, 0) if "sessionInfo" in value else random.randint(1, 5)
                filled["verificationCode"] = totp(self.known["sharedSecretKey"], int(time.time()) // 30 + steps)
            return filled
        if isinstance(value, list):
            return [self.filled(part, name) for part in value]
        return self.known.get(name, value)

    def learn(self, value, name=None):
        for key, part in members(value):
            self.learn(part, name if isinstance(value, list) else key)
        # A setting is not learned: it would stay as it is.
        if isinstance(value, str) and value and name != "state":
            self.known[name] = value


def members(value):
    return value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()


def places(value, place=()):
    yield place
    for key, part in members(value):
        yield from places(part, (*place, key))


def changed(value, place, new):
    if not place:
        return None if new is ABSENT else new
    copy = value.copy()
    copy[place[0]] = changed(copy[place[0]], place[1:], new)
    if new is ABSENT and len(place) == 1:
        del copy[place[0]]
    return copy


def variations():
    """Requests without end, each with its client: those of a test, and before each, the same with a value changed."""
    turns = collections.Counter()
    made = [test for test in Emulator.tests if test]
    random.Random(1).shuffle(made)
    for number, test in enumerate(itertools.cycle(made)):
        client, last = Client(), None
        for method, path, body, headers in test[:LONGEST]:
            shape = method, path, *(body if isinstance(body, dict) else ())
            if shape != last and not path.endswith("/clock") and len(json.dumps(body)) < LARGEST:
                right = client.filled(body)
                for _ in range(VARIED if body else 0):
                    turn, place = min((turns[method, path, place], place) for place in places(right))
                    turns[method, path, place] += 1
                    yield client, number, method, path, changed(right, place, VALUES[turn % len(VALUES)]), headers
                yield client, number, method, path, right, headers
            last = shape


def requests(server):
    accepted, connection = set(), http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for client, number, method, path, body, headers in itertools.islice(variations(), COUNT):
        # Each time that a test is repeated, its users are others.
        raw = None if body is None else json.dumps(body).replace("example.com", f"{number}.test")
        connection.request(method, path, raw, headers)
        response = connection.getresponse()
        content = response.read()
        assert response.status < 500 or response.status == 501, (method, path, raw, content)
        isJSON = response.headers.get("Content-Type", "").startswith("application/json")
        answer = json.loads(content) if isJSON else {}
        if response.status == 200:
            accepted.add(path.split("?")[0].split("/")[-1])
            client.learn(answer)
        elif "error" in answer:
            check_error(response.status, answer)
    # What is only refused is hardly tested.
    assert {"mfaEnrollment:finalize", "mfaSignIn:finalize"} <= accepted and len(accepted) > 40, accepted


ALL = [requests]
