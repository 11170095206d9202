"""Compares the formulas with the compiled sources on random inputs, most of them near the edges."""
import contextlib
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import z3

import faults
import source
from swift import Checks, literal

BUILD = pathlib.Path(__file__).with_name("build.sh")
WIDEST = (1 << 64) - 1
LAST = (1 << 63) - 1


def edge(low, high):
    """A number of a range, often near one of its ends or near 0."""
    if random.random() < 0.3:
        return random.randint(low, high)
    near = random.choice([low, high, 0]) + random.randint(-40, 40)
    return min(high, max(low, near))


def int64(): return edge(-LAST - 1, LAST)


def truth(condition):
    return z3.is_true(z3.simplify(condition))


def value(number):
    term = z3.simplify(number.term)
    return term.as_signed_long() if number.signed else term.as_long()


def signed(number): return literal(number, signed=True)


# Each kind of question: random inputs, and the answer by the formulas.

def ask_step():
    return [random.choice([1, 30, 60, edge(-3, LAST)]), int64(), int64()]


def answer_step(f, period, t0, time):
    numbers = [signed(each) for each in (period, t0, time)]
    if not truth(f.isTimeStep(numbers[0])):
        return "none"
    exists, step = f.number(*numbers)
    return f"{value(step)} {value(f.secondsRemaining(*numbers)[1])}" if truth(exists) else "none"


def ask_window():
    return [random.randint(-1, 11), random.randint(-1, 11), edge(0, WIDEST)]


def answer_window(f, behind, ahead, current):
    sides = (signed(behind), signed(ahead))
    if not truth(f.isWindow(*sides)):
        return "none"
    return " ".join(str(value(step)) for step in f.steps(*sides, literal(current)))


def values_near(code, digits, count):
    """Truncated values, a few of which have the code."""
    modulus = 10 ** digits
    right = [code + modulus * random.randrange((1 << 31) // modulus) for _ in range(count)]
    return [each if random.random() < 0.2 else random.randrange(1 << 31) for each in right]


def code_and_values(count):
    digits = random.choice([6, 7, 8])
    code = edge(0, 10 ** digits - 1)
    return [digits, code, *values_near(code, digits, count)]


def ask_totp():
    current = edge(0, LAST)
    last = random.choice([-1, current + random.randint(-12, 12), edge(0, WIDEST)])
    return [random.randint(0, 10), random.randint(0, 10), current, max(-1, last), *code_and_values(21)]


def answer_totp(f, behind, ahead, current, last, *rest):
    after = (z3.BoolVal(last >= 0), literal(max(0, last)))
    return scanned(f, f.timeTask(signed(behind), signed(ahead), literal(current), after), *rest)


def ask_hotp():
    return [edge(0, WIDEST), random.choice([0, 10, 20, 30, 30, 1001]), 0, 0, *code_and_values(31)]


def answer_hotp(f, counter, lookAhead, _, __, *rest):
    if not truth(f.isLookAhead(signed(lookAhead))):
        return "none"
    return scanned(f, f.counterTask(literal(counter), signed(lookAhead)), *rest)


def scanned(f, task, digits, code, *values):
    first, count, spent, currentIndex, takesLatest = task
    multiples = {6: f.ofMillion, 7: f.ofTenMillion, 8: f.ofHundredMillion}[digits]()
    scan = f.newScan()
    for index in range(value(count)):
        match = f.matches(multiples, literal(code, 32), literal(values[index % len(values)], 32))
        isLive = f.isLive(signed(index), spent)
        scan = f.record(scan, takesLatest, match, signed(index), isLive)
    kind, index = f.outcome(scan)
    result = ["rejected", "replayed", "accepted"][value(kind)]
    if value(kind) == 2:
        result += "".join(f" {value(each)}" for each in f.accepted(first, currentIndex, index))
    return f"{value(first)} {value(count)} {result}"


def ask_multiple():
    digits = random.choice([6, 7, 8])
    near = random.randrange((1 << 32) // 10 ** digits) * 10 ** digits + random.randint(-1, 1)
    return [digits, random.choice([max(0, near), random.randrange(1 << 32)])]


def answer_multiple(f, digits, candidate):
    multiples = {6: f.ofMillion, 7: f.ofTenMillion, 8: f.ofHundredMillion}[digits]()
    return str(int(value(f.contain(multiples, literal(candidate, 32))) != 0))


def ask_masks():
    left = edge(0, (1 << 32) - 1)
    right = random.choice([left, edge(0, (1 << 32) - 1)])
    return [left, right, *(random.choice([0, 1, 127, 128, 254, 255, random.randrange(256)]) for _ in range(3))]


def answer_masks(f, left, right, low, high, byte):
    numbers = [literal(each, 32) for each in (left, right)] + [literal(each, 8) for each in (low, high, byte)]
    bits = [f.equal(*numbers[:2]), f.lessOrEqual(*numbers[:2])]
    texts = [str(int(value(each) != 0)) for each in bits]
    return " ".join(texts + [str(int(value(f.contains(*numbers[2:])) != 0)) if low <= high else "-"])


def ask_decode():
    symbols = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" + random.choice([b"", b"abcdefghijklmnopqrstuvwxyz"])
    text = [random.choice(symbols) for _ in range(8)]
    if random.random() < 0.3:
        text[random.randrange(8)] = random.choice([0x40, 0x5B, 0x60, 0x7B, 0x31, 0x38, 0xC1, random.randrange(256)])
    return [random.randrange(2), *text]


def answer_decode(f, strict, *text):
    isGroup, bits = f.decode(f.load([literal(each, 8) for each in text]), z3.BoolVal(strict == 1))
    return " ".join(str(value(byte)) for byte in f.writeBytes(bits)) if truth(isGroup) else "none"


def ask_encode(): return [random.randrange(256) for _ in range(5)]


def answer_encode(f, *five):
    text = f.writeCharacters(f.readBytes([literal(each, 8) for each in five]))
    return " ".join(str(value(character)) for character in text)


def ask_shifted():
    return [random.choice([1, 30, 60, edge(1, LAST)]), int64(), int64(), edge(-3000, 3000)]


def answer_shifted(f, period, t0, time, drift):
    return str(value(f.shifted(*(signed(each) for each in (period, t0, time, drift)))))


def questions(count):
    """Random questions of all kinds, the same ones each time; scans take longer, so there are fewer of them."""
    random.seed(1)
    shares = {"totp": 0.04, "hotp": 0.05}
    kinds = ["step", "window", "totp", "hotp", "multiple", "masks", "decode", "encode", "shifted"]
    return [(kind, globals()[f"ask_{kind}"]()) for kind in kinds for _ in range(int(count * shares.get(kind, 0.13)))]


def differences(f, program, count):
    """How many questions there were, and those whose answers differ."""
    asked = questions(count)
    lines = "".join(f"{kind} {' '.join(map(str, numbers))}\n" for kind, numbers in asked)
    answers = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    if len(answers) != len(asked):
        sys.exit(f"windows: {len(answers)} answers to {len(asked)} questions")
    found = []
    with Checks():
        for (kind, numbers), answer in zip(asked, answers):
            by_formula = globals()[f"answer_{kind}"](f, *numbers)
            if by_formula != answer:
                found.append(f"{kind} {numbers}: the formula says {by_formula}, the source {answer}")
    return len(asked), found


def run(f, program, count):
    asked, found = differences(f, program, count)
    if found:
        sys.exit(f"windows: {len(found)} of {asked} random inputs differ; {found[0][:400]}")
    return asked


def refuse_wrong_answers(formulas, text, program):
    """The comparison by itself notices formulas that are not the sources'."""
    for fault in (each for each in faults.FORMULA_FAULTS if each.is_compared):
        f, _ = formulas(text.replace(fault.old, fault.new))
        if not differences(f, program, 300)[1]:
            sys.exit(f"windows: random inputs do not show the fault '{fault.name}'")


def refuse_wrong_sources(f):
    """The comparison by itself notices sources that are not the formulas'."""
    with copied_sources() as copy:
        for fault in (each for each in faults.SOURCE_FAULTS if each.is_compared):
            path = copy / fault.path
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
            with tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder) / "answers"
                subprocess.run([BUILD, copy, program], check=True)
                if not differences(f, program, 1_500)[1]:
                    sys.exit(f"windows: random inputs do not show the changed source '{fault.name}'")
            path.write_text(text, encoding="utf-8")
            print(f"  its answers differ: {fault.name}")


@contextlib.contextmanager
def copied_sources():
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "Sources"
        for module in ("OTP", "FactorRecord", "COTPSupport"):
            shutil.copytree(source.SOURCES / module, copy / module)
        yield copy
