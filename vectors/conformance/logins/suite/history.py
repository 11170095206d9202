"""A judge of histories: whether calls that overlap can be put in an order that explains every answer.

    history.py FILE     one that `run.py --history FILE` has written, a JSON object a line

Each user's factor is a register by itself. A call took effect once, at a moment between its beginning and its end; a
call without an answer at any moment since its beginning, or never. The search is Wing and Gong's with Lowe's memory, as
in Porcupine, and the sequential specification is `Record`, or, of a login that does not say its rules, `Once`.
"""

from __future__ import annotations

import json
import math
import sys
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterator

if __package__:
    from .codes import Key
else:
    from codes import Key

MOST = 400_000
"""States that the search of one register may visit: a history that needs more is refused as undecided."""
NEAR = 20
"""How many steps from now a code's step may be."""
State = Any


@dataclass(frozen=True)
class Call:
    """A call: what was asked for, when it began and ended by the machine's clock, and the outcome: `accepted`,
    `rejected` (it was looked at), `wait`, `locked`, `refused` (one of these three), or `unknown`."""

    do: str
    code: str
    began: float
    ended: float
    clock: int
    """How many seconds the server's clock was ahead."""
    outcome: str

    def times(self) -> range:
        """The seconds that the server's clock may have shown."""
        return range(int(self.began + self.clock), int(self.ended + self.clock) + 1)

    @property
    def until(self) -> float:
        """When it has taken effect at the latest, if it has."""
        return math.inf if self.outcome == "unknown" else self.ended


class Once:
    """No code is accepted for a second time. Anything may be refused."""

    start: State = frozenset()
    has_delays = False

    def __init__(self, key: Key | None) -> None:
        """Without a key, codes are recovery codes."""
        self.key = key

    @lru_cache(4096)  # noqa: B019 (a run's few registers)
    def meanings(self, call: Call) -> tuple[object, ...]:
        """What the code may be: the steps nearby that have it, or a recovery code itself."""
        if self.key is None:
            return (call.code,)
        first, last = (self.key.step(time) for time in (call.times()[0], call.times()[-1]))
        return tuple(step for step in range(first - NEAR, last + NEAR + 1)
                     if self.key.at_step(step) == digits(call.code))

    def is_fixed(self, call: Call) -> bool:
        """Whether the call changes nothing, at whichever moment."""
        return call.outcome not in ("accepted", "unknown")

    def after(self, state: State, call: Call) -> Iterator[State]:
        """The states in which the call can leave a register, with its outcome; none if it cannot have that."""
        if self.is_fixed(call) or call.do == "unlock":
            yield state
        else:
            yield from (state | {spent} for spent in self.meanings(call) if spent not in state)


class Record(Once):
    """A record's rules, as a state (the last accepted step, learned drift, failures, the latest attempt), None while
    pending. An attempt is counted if it may be made; only a right code, of a later step than the last, clears the
    count."""

    def __init__(self, key: Key, rules: dict[str, Any], is_pending: bool) -> None:
        super().__init__(key)
        self.rules, self.has_delays = rules, bool(rules["locked"])
        self.start: State = None if is_pending else (-1, 0, 0, 0)

    def is_fixed(self, call: Call) -> bool:
        return call.outcome in ("wait", "locked")

    def delay(self, failures: int) -> float:
        """How long the next attempt must wait after so many failures."""
        if failures >= self.rules["lock"]:
            return math.inf if failures >= 100 else self.rules["locked"] or math.inf
        first = self.rules.get("delayed", math.inf)
        return 0 if failures < first else min(2 ** (failures - first), self.rules["locked"])

    def after(self, state: State, call: Call) -> Iterator[State]:
        if call.do == "confirm" or state is None:
            yield from self.confirmed(state, call)
            return
        last, drift, failures, latest = state
        if call.do == "unlock":
            yield last, drift, 0, latest
            return
        if call.outcome in ("rejected", "refused") and not is_code(call.code, self.key):
            yield state
        for time in call.times():
            now = max(time, latest) if self.has_delays else 0
            if now < latest + self.delay(failures):
                if call.outcome in ("refused", "locked" if failures >= self.rules["lock"] else "wait"):
                    yield state
                continue
            right = self.right(call, time, drift, last)
            if call.outcome in ("accepted", "unknown"):
                for step in right:
                    yield step, max(-self.rules["drift"], min(self.rules["drift"], step - self.key.step(time))), 0, now
            if call.outcome in ("rejected", "refused", "unknown") and not right:
                yield last, drift, failures + 1, now

    def confirmed(self, state: State, call: Call) -> Iterator[State]:
        """Until a code confirms the enrollment, none signs in; afterward, none confirms it."""
        if call.outcome != "accepted":
            yield state
        if state is None and call.do == "confirm" and call.outcome in ("accepted", "unknown"):
            for time in call.times():
                yield from ((step, 0, 0, 0) for step in self.right(call, time, 0, -1))

    def right(self, call: Call, time: int, drift: int, last: int) -> list[int]:
        """The steps in the window, after the last accepted one, that have the code."""
        middle, width = self.key.step(time) + drift, self.rules["window"]
        return [step for step in self.meanings(call) if step > last and abs(step - middle) <= width]


def digits(code: str) -> str:
    """The digits in what was typed."""
    return "".join(str(unicodedata.digit(char)) for char in code if char.isdigit())


def is_code(code: str, key: Key | None) -> bool:
    """Whether any reader takes it for a code, right or wrong."""
    return key is not None and code.isascii() and code.isdigit() and len(code) == key.digits


def explain(calls: list[Call], rules: Once) -> str:
    """Why no order of a register's calls explains the answers; empty if one does."""
    calls = sorted(calls, key=lambda call: call.began)
    known = sum(1 << index for index, call in enumerate(calls) if call.outcome != "unknown")
    seen, stack, farthest = set(), [(0, rules.start)], 0
    while stack:
        done, state = stack.pop()
        if done & known == known:
            return ""
        if (done, state) in seen:
            continue
        seen.add((done, state))
        if len(seen) > MOST:
            return f"undecided after {MOST} states of {len(calls)} calls"
        farthest = max(farthest, done & known, key=int.bit_count)
        stack.extend(reversed(list(following(calls, done, state, rules))))
    rest = [call for index, call in enumerate(calls) if known & ~farthest & 1 << index]
    return (f"of {len(calls)} calls, no order explains more than {farthest.bit_count()}, and not "
            + ", ".join(sorted({f"{call.do} {call.code} {call.outcome}" for call in rest})[:3]))


def following(calls: list[Call], done: int, state: State, rules: Once) -> Iterator[tuple[int, State]]:
    """What can be next in the order. A call that changes nothing may be next without loss, and so, of calls that differ
    only in their ends, may the one that ends first."""
    until, minimal = math.inf, []
    for index in range((~done & done + 1).bit_length() - 1, len(calls)):
        if not done >> index & 1:
            if calls[index].began > until:
                break
            minimal.append(index)
            until = min(until, calls[index].until)
    found: dict[tuple[object, ...], tuple[int, list[State]]] = {}
    for index in sorted(minimal, key=lambda index: calls[index].until):
        call = calls[index]
        means = rules.meanings(call)
        kind = (call.do, means, is_code(call.code, rules.key), call.outcome,
                call.times() if means or rules.has_delays else None)
        if kind not in found:
            found[kind] = index, list(dict.fromkeys(rules.after(state, call)))
            if rules.is_fixed(call) and found[kind][1]:
                yield done | 1 << index, state
                return
    for index, states in found.values():
        for new in states:
            yield done | 1 << index, new


def judge(history: list[dict[str, Any]]) -> list[str]:
    """What no order explains, of each register of a history; its first line is the login's."""
    rules: dict[str, Any] = history[0]["rules"]
    registers: list[tuple[str, Once, list[Call]]] = []
    current: dict[str, list[Call]] = {}
    for line in history[1:]:
        name, codes = line["user"], f"{line['user']}, recovery codes"
        if line["do"] == "enroll":
            key = Key(bytes.fromhex(line["secret"]), line["period"], line["digits"], line["algorithm"])
            current[name], current[codes] = [], []
            registers += [(name, Record(key, rules, line["pending"]) if rules else Once(key), current[name]),
                          (codes, Once(None), current[codes])]
        else:
            current[codes if line["do"] == "recovery" else name].append(
                Call(line["do"], line["code"], line["began"], line["ended"], line["clock"], line["outcome"]))
    found = [(name, explain(calls, register)) for name, register, calls in registers]
    return [f"{name}: {why}" for name, why in found if why]


if __name__ == "__main__":
    wrong = judge([json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()])
    sys.exit("\n".join(wrong) or 0)
