"""Asks an adapter of our own for exactly what the vectors say, also where a standard leaves that open."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import Any

from .ask import Fields, described, fields, hexadecimal, optional, request, stated
from .process import Adapter

KEY = ("algorithm", "digits", "secretHex")
POLICY = ("failuresUntilLock", "lockSeconds", "firstDelayedFailure", "initialDelaySeconds")
STATED = {"code", "truncated", "step", "offset", "matched", "hex", "canonical"}
OTHER_RESULT = {"valid": "invalid", "accepted": "rejected", "replayed": "rejected", "rejected": "replayed"}


class Wrong(Exception):
    """An answer that is not the one that a test states."""


class Conversation:
    """Requests and answers; remembers the verifications, which `batch` asks for once more, all in one call."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._verified: list[str] = []

    def expect(self, asked: str, right: str) -> None:
        """Ask, and refuse any other answer."""
        answer = self.ask(asked)
        if answer != right:
            raise Wrong(f"echo {asked}\n  answer:   {answer}\n  expected: {right}")

    def ask(self, asked: str) -> str:
        """Ask, and return the answer."""
        answer = self._adapter.ask(asked)
        if asked.startswith("verify-"):
            self._verified.append(answer.removeprefix("ok ").replace(" ", ":"))
        return answer

    def batch(self) -> None:
        """Expect the same outcomes of all verifications in one batch, if there are batches."""
        right = "ok " + " ".join(self._verified)
        if self._verified and (answer := self.ask("batch")) not in (right, "cannot"):
            raise Wrong(f"echo batch\n  answer:   {answer}\n  expected: {right}")


def wrong(ask: Callable[..., None], *asked: Any) -> str:
    """What is wrong; empty if nothing is."""
    try:
        ask(*asked)
    except Wrong as error:
        return str(error)
    return ""


def check(conversation: Conversation, group: Fields, test: Fields) -> None:
    """All requests of a test; raises `Wrong` at the first wrong answer."""
    kind, expect = group["type"], conversation.expect
    if kind.startswith("record-"):
        return _check_sequence(expect, group, test)
    # A key URI's code is asked for in two requests.
    asked = request(group | {"type": "uri-parse"} if kind == "uri-code" else group, test)
    result = test.get("ours", test.get("result", "valid"))
    if kind == "hmac":
        return expect(asked, "cannot")  # libotp has no HMAC by itself.
    if result == "invalid":
        return expect(asked, "refused")
    if kind not in ("uri-code", "uri-round-trip"):
        expect(asked, f"ok {stated(group, test)}")
    match kind:
        case "hotp" | "base32-code" if "truncated" in test:
            expect(request(group | {"digits": 8}, test), f"ok {test['truncated'] % 10**8:08}")
        case "totp":
            expect(request({field: group[field] for field in KEY} | {"type": "hotp"}, {"counter": test["step"]}),
                   f"ok {test['code']}")
            expect(request(group | {"type": "verify-totp"}, test | {"behind": 0, "ahead": 0, "after": None}),
                   f"ok accepted {test['step']} 0")
        case "base32":
            expect(f"base32-encode x{test['hex']}", "ok " + hexadecimal(test["canonical"]))
        case "uri-code":
            read = fields(conversation.ask(asked).removeprefix("ok "))
            words = [read.get(field, "-") for field in ("type", "algorithm", "digits", "secret", "counter")]
            if test["time"] is not None:
                words[3:] = [read.get("period", "-"), "0", words[3], test["time"]]
            expect(" ".join(words), f"ok {test['code']}")
        case "uri-build" | "uri-round-trip":
            written = conversation.ask(asked).removeprefix("ok ")
            read_back = described(test["key"] | {"labelIssuer": test["key"]["issuer"]})
            expect(f"uri-parse {written}", f"ok {read_back}")
    return None


def _check_sequence(expect: Callable[[str, str], None], group: Fields, test: Fields) -> None:
    names = ("algorithm", "digits", "period", "t0", "secretHex", "window", "lookAhead", "resynchronizationLookAhead",
             *POLICY)
    words = ["x" + group[name] if name == "secretHex" else str(group[name]) for name in names if name in group]
    expect(" ".join([group["type"], *words, optional(test["last"]), test["steps"][0]["time"]]), "ok")
    for step in test["steps"]:
        asked = ["submit" if step["codes"] else "unlock", step["time"], *map(hexadecimal, step["codes"])]
        right = ["ok", step["answer"], *(optional(step[field]) for field in ("matched", "until") if field in step)]
        expect(" ".join(asked), " ".join(right))


def spoiled(group: Fields, test: Fields) -> Iterator[tuple[str, Fields]]:
    """The test with one expectation changed, for each that it states; each with a name for what it is."""
    kind, result = group["type"], "ours" if "ours" in test else "result"
    of = f"{kind} {test.get(result, '')}"
    is_verification = kind.startswith("verify-")  # whose code is not an expectation
    for field in (STATED | ({"uri"} if kind == "uri-build" else set())) & test.keys():
        if not (is_verification and field == "code"):
            yield f"{of} {field}", test | {field: _other(test[field])}
    if test.get(result) in OTHER_RESULT and kind != "hmac":
        yield of, test | {result: OTHER_RESULT[test[result]]}
    for field, value in test.get("expect", {}).items():
        yield f"{of} {field}", test | {"expect": test["expect"] | {field: _other(value)}}
    for place, step in enumerate(test.get("steps", ())):
        for field in step.keys() - {"time", "codes"}:
            changed = step | {field: _other(step[field])}
            yield (f"{of} {step['answer']} {field}",
                   test | {"steps": [*test["steps"][:place], changed, *test["steps"][place + 1:]]})


def _other(value: Any) -> Any:
    if isinstance(value, int):
        return value + 1
    return f"{value[:-1]}{'1' if value[-1] == '0' else '0'}" if value else "0"


def run(command: str, groups: list[dict[str, Any]]) -> int:
    """Every test of the groups, until too many fail; prints what is wrong. Of each kind of expectation, a changed one
    must be noticed.
    """
    # Its standard error is shown, and it must end by itself, without an error, so that sanitizers can report.
    adapter = Adapter(shlex.split(command), stderr=None, patience=30)
    conversation, seen = Conversation(adapter), set()
    failures, passed, of_hmac = [], 0, 0
    said = conversation.ask("hello")
    if not said.startswith("ok "):
        raise SystemExit(f"conformance: {command} does not start: {said}")
    for group in groups:
        for test in group["tests"]:
            if len(failures) > 20:
                break
            if found := wrong(check, conversation, group, test):
                failures.append(f"{group['id']}/{test['id']}: {found}")
            else:
                passed += 1
                of_hmac += group["type"] == "hmac"
            for what, changed in spoiled(group, test):
                if what not in seen and not wrong(check, conversation, group, changed):
                    failures.append(f"{group['id']}/{test['id']}: passes with another expectation of {what}")
                seen.add(what)
    if found := wrong(conversation.batch):
        failures.append(found)
    status = adapter.finish()
    if status != 0:
        failures.append(f"the adapter ends with status {status}")
    print(*failures, sep="\n", end="\n" * bool(failures))
    print(f"conformance: {command}: {passed - of_hmac} passed, {len(failures)} failed, {of_hmac} of HMAC cannot "
          f"be asked; {len(seen)} wrong expectations noticed")
    return 1 if failures or passed == of_hmac else 0
