"""What the rules of records call, as far as it is not read."""
import z3

from path import fresh
from theorems import signed, whole


class Contracts:
    """What functions elsewhere are taken to do: to throw or return anything, but as `assumed`."""

    def __init__(self):
        self.assumed, self.tasks, self.kept = [], {}, []
        words = [z3.BitVecSort(64)] * 4
        self.fingerprint, self.last = z3.Function("fingerprint", *words), z3.Function("last", *words[:3])
        self.knows = z3.Function("knows", *words[:2], z3.BoolSort())
        self.table = [
            ("SubmittedCodeV9typedUTF8", lambda path, *operands: self.throws(path, operands[-1], 64, 64, 8)),
            ("VerificationTaskV_6digits2at", self.window), ("VerificationTaskV_6digits7counter", self.look_ahead),
            ("VerificationTaskV3run10withSecret__", self.run),
            ("VerificationTaskV3run10withSecret_6orElse", self.run_or_else),
            ("SecretBytesV9byteCount", lambda path, *operands: self.count()),
            ("unusedRecoveryCodes", self.unused), ("AAV4takey", self.take),
            ("RecoveryCodeV3tag", lambda path, *operands: self.throws(path, operands[-1], 64)[0]),
            ("OriginVSgWOd", self.move_origin), ("fingerprint5under", self.fingerprint_of),
            ("SpentSecretV.*4keep", self.keep), ("SpentSecretV.*4last2of", self.last_of),
            ("suffix.*SpentSecret", lambda *operands: fresh("suffix"))]

    def throws(self, path, error, *widths):
        path.store(error, z3.ZeroExt(63, fresh("fails", 1)))
        return [fresh("result", width) for width in widths]

    def count(self):
        count = fresh("count")
        self.assumed.append(count >= 0)
        return count

    def window(self, path, code, digits, time, period, t0, behind, ahead, last, no_last, _, error):
        """By the theorem about TOTP tasks."""
        task = self.throws(path, error, 64, 64, 64)
        self.tasks[task[1].sexpr()] = lambda step, offset: z3.And(
            z3.Or(no_last == 1, z3.UGT(step, last)), signed(offset) >= -signed(behind), signed(offset) <= signed(ahead))
        return task

    def look_ahead(self, path, code, digits, counter, ahead, _, error):
        """By the theorem about HOTP tasks."""
        task = self.throws(path, error, 64, 64, 64)
        self.tasks[task[1].sexpr()] = lambda step, offset: z3.And(
            signed(offset) == whole(step) - whole(counter), offset >= 0, offset <= ahead)
        return task

    def verification(self, task, step, offset, kind):
        """Accepted or, if the kind is 1, not."""
        self.assumed += [z3.ULE(kind, 1), z3.Implies(kind == 0, self.tasks[task.sexpr()](step, offset))]

    def run(self, path, *operands):
        answer = self.throws(path, operands[-1], 64, 64, 8)
        self.verification(operands[5], *answer)
        return answer

    def run_or_else(self, path, *operands):
        (name, start), *_ = operands
        answer = self.throws(path, operands[-2], 64, 64, 8, 64, 64, 8, 8)
        for number, offset in zip(answer, (0, 8, 16, 24, 32, 40, 41), strict=True):
            path.store((name, start + offset), number)
        path.store(operands[-1], fresh("code", 8))
        self.verification(operands[8], *answer[:3])
        self.verification(operands[5], *answer[3:6])

    def unused(self, path, *_):
        codes = fresh("codes")
        path.store((codes.sexpr(), 16), self.count())
        return codes

    def take(self, *_):
        """It accepts, or says wrong or replayed. That it marks the code is not followed."""
        answer = [fresh("taken", width) for width in (64, 64, 64, 8)]
        self.assumed.append(z3.Or(answer[3] == 0, z3.And(answer[3] == 2, answer[0] >= 1, answer[0] <= 2)))
        return answer

    def move_origin(self, path, source, target):
        for offset in range(0, 32, 8):
            path.store((target[0], target[1] + offset), path.load("i64", (source[0], source[1] + offset)))

    def fingerprint_of(self, path, algorithm, secret, error):
        name, start = secret
        self.throws(path, error)
        return self.fingerprint(
            z3.ZeroExt(56, algorithm), *(path.load("i64", (name, start + offset)) for offset in (8, 16)))

    def secret(self, record):
        """Of a record that Records.swift makes: its hash function is SHA-1."""
        return self.fingerprint(z3.BitVecVal(0, 64), record.secret, record.base)

    def keep(self, path, fingerprint, last, array):
        """An array of spent secrets knows as much as before, and that this one is spent."""
        old, new = path.load("i64", array), fresh("array")
        path.store(array, new)
        self.assumed += [self.knows(new, fingerprint), z3.UGE(self.last(new, fingerprint), last)]
        self.kept.append((old, new))

    def last_of(self, path, secret, array, _, error):
        name, start = secret
        fingerprint = self.fingerprint_of(path, path.load("i8", (name, start + 24)), secret, error)
        for old, new in self.kept:
            self.assumed.append(z3.Implies(self.knows(old, fingerprint), z3.And(
                self.knows(new, fingerprint), z3.UGE(self.last(new, fingerprint), self.last(old, fingerprint)))))
        return [self.last(array, fingerprint), z3.If(self.knows(array, fingerprint), z3.BitVecVal(0, 8), 1)]
