"""What the rules of a record keep, whatever its values: the steps of an induction over runs of any length.

A record is any that Records.swift makes; what the rules call outside of their module is a contract.
"""
from types import SimpleNamespace

import z3

from contracts import Contracts
from llvm import bit
from path import Path, fresh
from theorems import numbers, signed, whole

ACCEPTED, ENROLLED, REJECTED, WAIT, LOCKED, ERROR = range(6)
# The reasons that count, by their numbers: wrong, replayed, late and early.
COUNTED = 2, 5
DAY, LONGEST = 86_400_000, (1 << 32) * 1000
RECORD = ("is_recovery is_time_based secret base period t0 is_pending last no_last has_accepted found learned failures "
          "acceptances latest no_latest loss no_loss array origin1 origin2 origin3 origin4").split()
POLICY = "adjacent drift_limit look_ahead until_lock first_delayed initial lock no_lock".split()
WIDTHS = {"is_recovery": 1, "is_time_based": 1, "is_pending": 1, "has_accepted": 1, "no_last": 8, "no_latest": 8,
          "no_loss": 8, "no_lock": 8}
SAYS = "is_pending has_last last has_accepted failures acceptances has_latest latest".split()


class Action:
    """A rule, with any arguments, on any record: what the record says before and after it, and what it answers."""

    def __init__(self, module, rule, *arguments, elsewhere=()):
        self.module, self.contracts, self.assumed = module, Contracts(), []
        module.contracts = [*self.contracts.table, *elsewhere]
        policy = self.policy = self._any("policy", POLICY)
        path = self._made("policy", policy, Path({}))
        self.record, self.new = self._any("record", RECORD), self._any("new", RECORD)
        start = self._made("new", self.record, self._made("new", self.new, path, "new"), "record")
        self.before, self.assumed = self._said(start), [
            policy.adjacent >= 0, policy.adjacent <= 10, policy.drift_limit >= 0, policy.drift_limit <= 10,
            policy.look_ahead >= 0, policy.look_ahead <= 1000, policy.until_lock >= 1, policy.until_lock <= 100,
            policy.first_delayed >= 1, policy.initial >= 0, policy.initial <= LONGEST, z3.ULE(policy.no_lock, 1),
            policy.lock > 0, policy.lock <= LONGEST]
        for each in self.record, self.new:
            self.assumed += [each.period >= 1, *(
                z3.ULE(tag, 1) for tag in (each.no_last, each.no_latest, each.no_loss))]
        end, = module.call(f"proof_{rule}", [("record", 0), *arguments, ("output", 0)], start)
        self.after, self.is_defined = self._said(end), z3.And(*end.needs)
        self.kind = end.load("i64", ("output", 0))
        self.number = end.load("i64", ("output", 8)) if ("output", 8) in end.memory else None
        places = [key for key in start.memory if key[0] == "record"]
        self.is_same = z3.Concat(*(start.memory[key] for key in places)) == z3.Concat(
            *(end.memory[key] for key in places))
        self.assumed += self.contracts.assumed
        last, new = self.before, self.after
        self.never_decreases = z3.Implies(last.has_last == 1, z3.And(new.has_last == 1, z3.UGE(new.last, last.last)))

    def _any(self, prefix, names):
        return SimpleNamespace(**{name: z3.BitVec(f"{prefix}.{name}", WIDTHS.get(name, 64)) for name in names})

    def _made(self, function, values, path, name="policy"):
        return self.module.call(f"proof_{function}", [(name, 0), *vars(values).values()], path)[0]

    def _said(self, path):
        end, = self.module.call("proof_says", [("record", 0), ("said", 0)], path)
        return SimpleNamespace(**{
            name: z3.simplify(end.load("i64", ("said", 8 * index))) for index, name in enumerate(SAYS)})

    def now(self, clock):
        """The record's time never runs backward."""
        latest = self.record.latest
        return z3.If(z3.And(self.record.no_latest == 0, latest > clock), latest, clock)

    def table(self):
        """AttemptLimit's: the delay in milliseconds after this many failures, and whether it does not end."""
        failures, policy = self.record.failures, self.policy
        longest, doublings = z3.If(policy.no_lock == 1, DAY, policy.lock), failures - policy.first_delayed
        # 43 are more than the longest lock, and more of them, too.
        doubled = z3.ZeroExt(32, policy.initial) << z3.ZeroExt(32, z3.If(doublings > 43, 43, doublings))
        is_lock = z3.UGE(failures, policy.until_lock)
        return z3.If(is_lock, policy.lock, z3.If(z3.ULT(failures, policy.first_delayed), 0, z3.If(
            doubled < z3.ZeroExt(32, longest), z3.Extract(63, 0, doubled), longest))), z3.Or(
                z3.UGE(failures, 100), z3.And(is_lock, policy.no_lock == 1))

    def refusal(self, now, delay, is_endless):
        """Whether an attempt is refused with a delay."""
        end = signed(z3.If(self.record.no_latest == 1, now, self.record.latest)) + signed(delay)
        return z3.Or(is_endless, z3.And(delay > 0, signed(now) < end))


def counts(action):
    """Whether a code was looked at, and not accepted; a recovery code is not if cryptography fails."""
    return z3.Or(z3.And(action.kind == ERROR, action.record.is_recovery == 0), z3.And(
        action.kind == REJECTED, action.number >= COUNTED[0], action.number <= COUNTED[1]))


def unchanged(action, *names):
    return z3.And(*(getattr(action.after, name) == getattr(action.before, name) for name in names))


def the_delay_is_as_the_table_says(module):
    action = Action(module, "delay", ("policy", 0))
    (delay, endless), assumed = action.table(), action.assumed
    yield "it does not end after 100 failures, or if a lock does not", assumed, (action.kind == 0) == endless
    yield "0, then doubled from the initial delay up to the lock's, then the lock's", [
        *assumed, z3.Not(endless)], action.number == delay
    yield "nothing traps", assumed, action.is_defined


DELAY, ENDLESS = (z3.Function(name, *[z3.BitVecSort(64)] * 2) for name in ("delay", "endless"))


def is_endless(failures):
    return z3.Or(z3.UGE(failures, 100), ENDLESS(failures) == 1)


def delay(path, failures, _):
    """Any that depends on the failures, and does not end after 100."""
    return [DELAY(failures), z3.ZeroExt(7, bit(is_endless(failures)))]


def refusal(action, now):
    return action.refusal(now, DELAY(action.record.failures), is_endless(action.record.failures))


def attempts_are_refused_until_the_delay_is_over(module):
    (now,) = numbers("now")
    action = Action(module, "refusal", now, ("policy", 0), elsewhere=[("V5delay13afterFailures", delay)])
    is_refused, assumed, record = refusal(action, now), action.assumed, action.record
    is_lock, endless = z3.UGE(record.failures, action.policy.until_lock), is_endless(record.failures)
    yield "it must wait, or is locked out, or neither", assumed, action.kind == z3.If(
        is_refused, z3.If(z3.Or(is_lock, endless), z3.BitVecVal(LOCKED, 64), WAIT), ERROR)
    yield "or for ever", [*assumed, endless], action.number == 1 << 63
    yield "nothing changes", assumed, action.is_same
    yield "nothing traps", assumed, action.is_defined


def attempt(module, confirms):
    (typed, count, seconds, clock) = numbers("typed count seconds clock")
    action = Action(
        module, "attempt", z3.BitVecVal(confirms, 1), typed, count, seconds, clock, ("policy", 0), elsewhere=[
            ("V5delay13afterFailures", delay), ("V7lossEnd2at", lambda *_: [fresh("end"), fresh("no_end", 8)])])
    action.clock = clock
    return action


def a_sign_in_counts_and_never_goes_back(module):
    action = attempt(module, 0)
    before, after, record, kind, assumed = action.before, action.after, action.record, action.kind, action.assumed
    now = action.now(action.clock)
    accepted, is_computed = [*assumed, kind == ACCEPTED], record.is_recovery == 0
    yield "what was accepted last never decreases", assumed, action.never_decreases
    yield "accepted: later than before, as the record says from then on", [*accepted, is_computed], z3.And(
        z3.Or(before.has_last == 0, z3.UGT(action.number, before.last)), after.has_last == 1,
        after.last == action.number, after.has_accepted == 1)
    yield "accepted: not while pending, waiting or locked", accepted, z3.And(
        before.is_pending == 0, z3.Not(refusal(action, now)))
    yield "accepted: no failures, one acceptance more, at this time", accepted, z3.And(
        after.failures == 0, after.has_latest == 1, after.latest == now, whole(after.acceptances) == z3.If(
            before.acceptances == -1, whole(before.acceptances), whole(before.acceptances) + 1))
    yield "not accepted: exactly one failure more, at this time", [*assumed, counts(action)], z3.And(
        whole(after.failures) == whole(before.failures) + 1, after.has_latest == 1, after.latest == now,
        unchanged(action, *SAYS[:4], "acceptances"))
    yield "a wait, a lock and what does not count change no byte", [
        *assumed, kind != ACCEPTED, z3.Not(counts(action))], action.is_same
    yield "nothing traps", assumed, action.is_defined


def the_end_of_a_loss_is_found(module):
    (time,) = numbers("time")
    action = Action(module, "loss_end", time, ("policy", 0))
    yield "nothing traps", action.assumed, action.is_defined


def a_confirmation_spends_its_code_and_signs_no_one_in(module):
    action = attempt(module, 1)
    before, after, assumed = action.before, action.after, action.assumed
    yield "enrolled: was pending, later than before, as the record says from then on", [
        *assumed, action.kind == ENROLLED], z3.And(
            before.is_pending == 1, after.is_pending == 0, z3.Or(
                before.has_last == 0, z3.UGT(action.number, before.last)),
            after.has_last == 1, after.last == action.number, after.has_accepted == 1, after.failures == 0)
    yield "it is never a sign-in", assumed, action.kind != ACCEPTED
    yield "anything else changes no byte", [*assumed, action.kind != ENROLLED], action.is_same
    yield "what was accepted last never decreases", assumed, action.never_decreases
    yield "nothing traps", assumed, action.is_defined


def a_loss_spends_all_steps_up_to_it(module):
    (time,) = numbers("time")
    action = Action(module, "spend", time, ("policy", 0))
    has_step, step, assumed = action.kind == 1, action.number, action.assumed
    yield "what was accepted last never decreases", assumed, action.never_decreases
    yield "it is no less than the last step that can have been accepted", [*assumed, has_step], z3.And(
        action.after.has_last == 1, action.after.has_accepted == 1, z3.UGE(action.after.last, step))
    yield "nothing else is said again", assumed, unchanged(action, "is_pending", *SAYS[4:])
    yield "other factors, and those whose steps have not begun, do not change", [*assumed, z3.Not(has_step)], (
        action.is_same)
    yield "nothing traps", assumed, action.is_defined


def an_unlocking_clears_failures_below_the_limit(module):
    (time,) = numbers("time")
    action = Action(module, "unlock", time)
    before, after, assumed, is_done = action.before, action.after, action.assumed, action.kind == 1
    yield "what is accepted does not change", assumed, unchanged(action, *SAYS[:4], "acceptances")
    yield "failures are cleared below 100", [*assumed, is_done], after.failures == z3.If(
        z3.UGE(before.failures, 100), before.failures, 0)
    yield "only an attempt in the future is forgotten", [*assumed, is_done], z3.If(
        z3.And(before.has_latest == 1, signed(before.latest) > 1000 * signed(time)), after.has_latest == 0,
        unchanged(action, "has_latest", "latest"))
    yield "an error changes nothing", [*assumed, z3.Not(is_done)], action.is_same
    yield "nothing traps", assumed, action.is_defined


def a_replacement_keeps_failures_and_what_is_spent(module):
    (even_if_active,) = numbers("even_if_active", 1)
    action = Action(module, "replace", ("new", 0), even_if_active)
    old, new, after, contracts = action.record, action.new, action.after, action.contracts
    assumed, done = action.assumed, [*action.assumed, action.kind == 1]
    secret = contracts.secret(new)
    yield "only a pending factor, a list by a list, or if it is asked for", done, z3.Or(
        old.is_pending == 1, even_if_active == 1, z3.And(old.is_recovery == 1, new.is_recovery == 1))
    kept = z3.If(z3.And(z3.UGE(old.failures, 100), new.is_pending == 0), 0, old.failures)
    yield "failures stay, unless they are 100 and the new factor is confirmed or states more", done, (
        after.failures == z3.If(z3.UGT(new.failures, kept), new.failures, kept))
    yield "the latest attempt is the later one of both", done, z3.Or(
        z3.And(old.no_latest == 1, new.no_latest == 1, after.has_latest == 0), *(
            z3.And(one.no_latest == 0, after.has_latest == 1, after.latest == one.latest,
                   z3.Implies(other.no_latest == 0, one.latest >= other.latest))
            for one, other in ((old, new), (new, old))))
    yield "what the new factor states is no less spent", done, z3.Implies(
        new.no_last == 0, z3.And(after.has_last == 1, z3.UGE(after.last, new.last)))
    yield "nor what is known of its secret", [*done, new.is_recovery == 0, contracts.knows(old.array, secret)], z3.And(
        after.has_last == 1, z3.UGE(after.last, contracts.last(old.array, secret)))
    yield "nor what the old factor accepted, if it has the same secret", [
        *done, new.is_recovery == 0, old.is_recovery == 0, contracts.secret(old) == secret, old.has_accepted == 1], (
            action.never_decreases)
    yield "otherwise nothing changes", [*assumed, action.kind != 1], action.is_same
    yield "nothing traps", assumed, action.is_defined
