"""Checks that the runner of vectors notices errors: libotp's answers pass, and no changed answer does."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "vectors/conformance"))

from runner import process  # noqa: E402
from runner.ask import request  # noqa: E402
from runner.judge import CANNOT, CRASHED, DIFFERS, FAILED, PASSED, judge  # noqa: E402
from run import check_claims, without_memory  # noqa: E402


def wrong_answers(group, test, answer):
    """Wrong answers for a test that is judged by text and whose right answer is `answer`."""
    kind = group["type"]
    if kind.startswith("verify-"):
        is_accepted = answer.startswith("ok accepted")
        return ["ok rejected", "ok accepted 7777777"] if is_accepted else ["ok accepted", "ok accepted 0"]
    if answer == "refused":
        return ["ok 755224"] if kind.endswith("-code") else ["ok x00"] if kind == "base32" else ["ok type=totp"]
    if kind == "uri-parse":
        return [answer.replace("secret=x", "secret=xff"), answer.replace("account=x", "account=x20")]
    digit = "0" if answer[-1] != "0" else "1"
    return [answer[:-1] + digit, answer[:-1]]


adapter = process.Adapter([sys.argv[1]])
count = 0
for group in without_memory()[1]:
    for test in group["tests"]:
        answer = adapter.ask(request(group, test))
        verdict = judge(group, test, answer).outcome
        assert verdict == (CANNOT if group["type"] == "hmac" else PASSED), (group["id"], test["id"], answer)
        assert judge(group, test, "crashed panic").outcome == CRASHED
        # An open test has more than one right answer, and a URI can be written in more than one way.
        if verdict == CANNOT or test.get("result") == "acceptable" or "otherStep" in test:
            continue
        for wrong in wrong_answers(group, test, answer):
            assert judge(group, test, wrong).outcome == FAILED, (group["id"], test["id"], wrong)
            count += 1
adapter.close()

process.TIMEOUT = 1
for program, expected in (("cat", "hotp"), ("true", "crashed status-0"), ("kill -SEGV $$", "crashed signal-11"),
                          ("sleep 100", "crashed hung"), ("printf partly", "crashed status-0")):
    broken = process.Adapter(["sh", "-c", program])
    assert broken.ask("hotp") == expected and broken.ask("hotp") == expected, program
    broken.close()
claim = {"peer": "one", "bug": "a bug", "groups": ["rfc"], "repeat": "echo first; echo 92555", "prints": "first\n92555"}


def results():
    """Results with one failure and one crash."""
    return [{"name": "one", "counts": {FAILED: 1, CRASHED: 1}, "failures": [
        {"group": "rfc4226", "test": 1, "outcome": FAILED}, {"group": "rfc4226", "test": 12, "outcome": CRASHED}]},
        {"name": "two", "failures": []}]


raises = {"repeat": "echo Traceback >&2; echo 'ValueError: no' >&2", "prints": "ValueError: no"}
for change, failing in (({}, 2), (raises, 2), ({"groups": ["rfc4226/1"]}, 1), ({"groups": ["rfc4226/12"]}, 1)):
    right = claim | change
    assert check_claims([right], results(), ROOT) == [] and right["failing"] == failing, change
for change in ({"prints": "92555"}, {"prints": "first"}, {"prints": ""}, {"groups": ["steps"]}, {"repeat": "true"},
               {"groups": ["rfc4226/2"]}, {"peer": "two"}, raises | {"prints": "ValueError"}):
    assert len(check_claims([claim | change], results(), ROOT)) == 1, f"a claim that does not hold passes: {change}"
decision = {"differs" if field == "bug" else field: value for field, value in claim.items()}
after = results()
assert check_claims([decision], after, ROOT) == [] and after[0]["counts"] == {FAILED: 0, CRASHED: 1, DIFFERS: 1}
assert len(check_claims([decision | {"groups": ["rfc4226/12"]}], results(), ROOT)) == 1, "a crash passes as a decision"
print(f"{count} wrong answers, crashes and a hang noticed")
