"""What a test is, the sentences that tests rest on, and how a test is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from .login import Broken, Cannot, Crashed, Login

PASSED, DIFFERS, FAILED, CRASHED, CANNOT = "passed", "differs", "failed", "crashed", "not expressible"


@dataclass(frozen=True)
class Sentence:
    """A sentence of a standard. Breaking it fails a test only if it `binds` every login that uses such codes."""

    key: str
    source: str
    text: str
    binds: bool = True


ONCE = Sentence("once", "RFC 6238, section 5.2", "The verifier MUST NOT accept the second attempt of the OTP after the "
                "successful validation has been issued for the first OTP, which ensures one-time only use of an OTP.")
USABLE_ONCE = Sentence("usable once", "ASVS 5.0, 6.5.1", "Verify that lookup secrets, out-of-band authentication "
                       "requests or codes, and time-based one-time passwords (TOTPs) are only successfully usable "
                       "once.")
DELAY = Sentence("delay", "RFC 6238, section 5.2", "We RECOMMEND that at most one time step is allowed as the network "
                 "delay.", binds=False)
LIFETIME = Sentence("lifetime", "ASVS 5.0, 6.5.5", "Verify that out-of-band authentication requests, codes, or tokens, "
                    "as well as time-based one-time passwords (TOTPs) have a defined lifetime. Out of band requests "
                    "must have a maximum lifetime of 10 minutes and for TOTP a maximum lifetime of 30 seconds.",
                    binds=False)
KEYS = Sentence("keys", "RFC 6238, section 5.1", "We also RECOMMEND storing the keys securely in the validation "
                "system", binds=False)
SIX_DIGITS = Sentence("six digits", "RFC 4226, section 5.3", "Implementations MUST extract a 6-digit code at a minimum "
                      "and possibly 7 and 8-digit code.")
STOP = Sentence("stop", "RFC 4226, section 7.1", "This implies that a throttling/lockout scheme is RECOMMENDED on the "
                "validation server side.", binds=False)
ACROSS = Sentence("across", "RFC 4226, section 7.3", "The delay or lockout schemes MUST be across login sessions to "
                  "prevent attacks based on multiple parallel guessing techniques.")
ANY_FAILURE = Sentence("any failure", "RFC 4226, section 7.3", "The validation server manages individual counters per "
                       "HOTP device in order to take note of any failed attempt.", binds=False)
HUNDRED = Sentence("hundred", "SP 800-63B-4, section 3.2.2", "the verifier SHALL limit consecutive failed "
                   "authentication attempts using a specific authenticator on a single subscriber account to no more "
                   "than 100 by disabling that authenticator.", binds=False)
TEN = Sentence("ten", "PCI DSS 4.0.1, 8.3.4", "Invalid authentication attempts are limited by: Locking out the user ID "
               "after not more than 10 attempts.", binds=False)
RESET = Sentence("reset", "ASVS 5.0, 6.4.3", "Verify that a secure process for resetting a forgotten password is "
                 "implemented, that does not bypass any enabled multi-factor authentication mechanisms.")
AGAIN = Sentence("again", "ASVS 5.0, 7.5.1", "Verify that the application requires full re-authentication before "
                 "allowing modifications to sensitive account attributes which may affect authentication such as email "
                 "address, phone number, MFA configuration, or other information used in account recovery.")
DEDUCED = Sentence("deduced", "ASVS 5.0, 6.3.8", "Verify that valid users cannot be deduced from failed authentication "
                   "challenges, such as by basing on error messages, HTTP response codes, or different response "
                   "times.", binds=False)
LOGGED = Sentence("logged", "ASVS 5.0, 16.2.5", "Verify that when logging sensitive data, the application enforces "
                  "logging based on the data's protection level. For example, it may not be allowed to log certain "
                  "data, such as credentials or payment details.")
OPEN = Sentence("open", "no standard", "No standard decides it.", binds=False)


@dataclass(frozen=True)
class Test:
    """A named test: what must hold, how bad its failure is, and the sentence that decides it."""

    name: str
    group: str
    severity: str
    sentence: Sentence
    about: str
    run: Callable[[Login], str | None]


@dataclass(frozen=True)
class Verdict:
    """A test's outcome, with what was seen."""

    test: Test
    outcome: str
    note: str = ""
    is_open: bool = False
    documented: str = ""


class Otherwise(Exception):
    """What was seen is a matter of taste, or left open."""


TESTS: list[Test] = []


def test(group: str, severity: str, sentence: Sentence) -> Callable[[Callable[[Login], str | None]], None]:
    """Adds a function to the tests, under its own name."""
    def add(run: Callable[[Login], str | None]) -> None:
        TESTS.append(Test(run.__name__.replace("_", "-"), group, severity, sentence, run.__doc__ or "", run))
    return add


def judge(case: Test, login: Login) -> Verdict:
    """Runs one test."""
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
