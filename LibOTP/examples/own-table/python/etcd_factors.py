"""Users' second factors in etcd, each under a key of its own, which is missing without one.

It needs no client library: etcd's version 3 takes JSON over HTTP.
"""

import base64
import http.client
import json
import time
from typing import Callable, Optional, Tuple
from urllib.parse import urlsplit

from factors import Factors
from otp import Answer, Keyring, replace_under


class EtcdFactors(Factors):
    """The factors in a cluster of etcd: for one thread at a time."""

    def __init__(self, members: str, keyring: Keyring) -> None:
        """members: the URLs for clients, with commas between them."""
        self._keyring = keyring
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        self._members = [kinds[url.scheme](url.netloc, timeout=2) for url in map(urlsplit, members.split(","))]

    def _ask(self, operation: str, request: dict) -> Optional[dict]:
        """The answer of the member that answered last; None if the outcome is unknown."""
        try:
            self._members[0].request("POST", f"/v3/kv/{operation}", json.dumps(request))
            response = self._members[0].getresponse()
            answer = json.loads(response.read())
            if response.status == 200:
                return answer
        except (OSError, http.client.HTTPException, ValueError):
            pass
        # It may be gone, or without a leader: the next request goes to another.
        self._members[0].close()
        self._members.append(self._members.pop(0))
        return None

    def _answer(self, operation: str, request: dict) -> dict:
        """The answer of a member that has a majority, to a request that may be carried out more than once."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            found = self._ask(operation, request)
            if found is not None:
                return found
            time.sleep(0.05)
        raise TimeoutError("no member has answered")

    def _read(self, key: str, at: int = 0) -> Tuple[bytes, str]:
        """The value at a revision, or the latest that a majority confirms; and its own revision, 0 without one."""
        return self._value(self._answer("range", {"key": key, "revision": at, "serializable": False}))

    @staticmethod
    def _value(found: dict) -> Tuple[bytes, str]:
        value = found.get("kvs", [{}])[0]
        return base64.b64decode(value.get("value", "")), value.get("mod_revision", "0")

    def _under_the_rule(self, user: int, answer: Callable[[bytes], Answer]) -> Answer:
        """Replaces the value that was read, if its revision is still the latest."""
        key, revision = base64.b64encode(b"users/%d/otp" % user).decode(), "0"

        def read() -> bytes:
            nonlocal revision
            record, revision = self._read(key)
            return record

        def replace(_: bytes, new: bytes) -> bool:
            change = {
                "compare": [{"key": key, "target": "MOD", "result": "EQUAL", "mod_revision": revision}],
                "success": [{"request_put": {"key": key, "value": base64.b64encode(new).decode()}}],
                "failure": [{"request_range": {"key": key}}]}
            first = self._ask("txn", change)
            # Without an answer, the same change again: the first may only be late.
            done = first or self._answer("txn", change)
            if first or done.get("succeeded", False):
                return done.get("succeeded", False)
            # The first was carried out if its record is there, or was since: no other record has the same bytes.
            found, since = self._value(done["responses"][0]["response_range"])
            while found != new and int(since) > int(revision):
                found, since = self._read(key, int(since) - 1)
            return found == new

        return replace_under(read, answer, replace)
