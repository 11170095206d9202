"""What a test is, and how it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from .login import Cannot, Crashed, Login
from .standards import Sentence

PASSED, DIFFERS, FAILED, CRASHED, CANNOT = "passed", "differs", "failed", "crashed", "not expressible"


@dataclass(frozen=True)
class Test:
    """A named test: what it shows, how bad its failure is, and the sentence that decides it."""

    name: str
    group: str
    severity: str
    sentence: Sentence
    run: Callable[[Login], str | None]

    @property
    def about(self) -> str:
        """What must hold."""
        return (self.run.__doc__ or "").strip()


@dataclass(frozen=True)
class Verdict:
    """A test's outcome, with what was seen."""

    test: Test
    outcome: str
    note: str = ""
    is_open: bool = False


class Broken(Exception):
    """What must hold does not."""


class Otherwise(Exception):
    """What was seen is a matter of taste, or left open."""


TESTS: list[Test] = []


def test(group: str, severity: str, sentence: Sentence) -> Callable[[Callable[[Login], str | None]], None]:
    """Adds a function to the tests, under its own name."""
    def add(run: Callable[[Login], str | None]) -> None:
        TESTS.append(Test(run.__name__.replace("_", "-"), group, severity, sentence, run))
    return add


def judge(case: Test, login: Login) -> Verdict:
    """Runs one test."""
    login.answers = []
    try:
        login.rest()
        return Verdict(case, PASSED, case.run(login) or "")
    except Broken as broken:
        return Verdict(case, FAILED if case.sentence.binds else DIFFERS, str(broken))
    except Otherwise as otherwise:
        return Verdict(case, DIFFERS, str(otherwise), is_open=True)
    except Cannot as cannot:
        return Verdict(case, CANNOT, str(cannot))
    except Crashed as crashed:
        return Verdict(case, CRASHED, str(crashed))
    except (KeyError, ValueError, TypeError) as error:
        return Verdict(case, CRASHED, f"the adapter's answer is not as the protocol says: {error!r}")
