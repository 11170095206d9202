"""Steps, windows, look-aheads, drift, and what a loss spends."""
import z3

from swift import Checks, Number, exact, literal, variable
from theorem import in_range, theorem, whole


@theorem
def the_step_is_the_floor_of_elapsed_time_by_the_period(f):
    period, t0, time = (variable(name, signed=True) for name in ("period", "t0", "time"))
    elapsed = exact(time) - exact(t0)
    with Checks(is_abstract=True) as checks:
        exists, step = f.number(period, t0, time)
    [(dividend, divisor, quotient, _)] = checks.divisions
    assumed = [f.isTimeStep(period)]
    yield "a step exists from t0 on", [], exists == (elapsed >= 0)
    yield "its division is of time - t0 by the period", assumed + [exists], z3.And(
        exact(dividend) == elapsed, exact(divisor) == exact(period), step.term == quotient.term)
    yield "nothing traps", assumed, checks.all()
    yield "every period from 1 on is a time step", [], f.isTimeStep(period) == (exact(period) >= 1)


@theorem
def the_rest_of_a_step_is_1_to_its_period(f):
    period, t0, time = (variable(name, signed=True) for name in ("period", "t0", "time"))
    with Checks(is_abstract=True) as checks:
        exists, rest = f.secondsRemaining(period, t0, time)
    assumed = [f.isTimeStep(period), exists] + checks.facts
    remainder = checks.divisions[0][3]
    yield "it is the period less the remainder", assumed, exact(rest) == exact(period) - exact(remainder)
    yield "it is 1 to the period", assumed, z3.And(exact(rest) >= 1, exact(rest) <= exact(period))
    yield "nothing traps", assumed, checks.all()


@theorem
def a_drift_shifts_the_time_by_whole_steps(f):
    period, t0, time, drift = (variable(name, signed=True) for name in ("period", "t0", "time", "drift"))
    with Checks(is_abstract=True) as checks:
        shifted = f.shifted(period, t0, time, drift)
    [(left, right, product)] = checks.products
    moved = exact(time, 140) + z3.SignExt(12, product)
    yield "its product is that of period and drift", [], z3.And(left.term == period.term, right.term == drift.term)
    fits = z3.And(
        moved >= exact(t0, 140), *(term == exact(Number(z3.Extract(63, 0, term), True), 140)
                                   for term in (moved, z3.SignExt(12, product))))
    yield "the time moves by period x drift if both fit and that is from t0 on, else not", [f.isTimeStep(period)], (
        exact(shifted, 140) == z3.If(fits, moved, exact(time, 140)))
    step, rest, steps, length = z3.Ints("step rest steps length")
    elapsed = step * length + rest + steps * length
    yield "a time moved by d periods has the step d later", [length >= 1, 0 <= rest, rest < length], z3.And(
        elapsed >= (step + steps) * length, elapsed < (step + steps + 1) * length)


@theorem
def a_window_has_the_existing_steps_within_its_sides(f):
    behind, ahead = (variable(name, signed=True) for name in ("behind", "ahead"))
    current, step = variable("current"), variable("step")
    with Checks() as checks:
        lower, upper = f.steps(behind, ahead, current)
    assumed = [f.isWindow(behind, ahead)]
    distance = exact(step) - exact(current)
    yield "sides are 0 to 10", [], f.isWindow(behind, ahead) == z3.And(
        *(z3.And(exact(side) >= 0, exact(side) <= 10) for side in (behind, ahead)))
    yield "every 64-bit step is in it if, and only if, it is that near", assumed, (
        z3.And(lower <= step, step <= upper) == z3.And(distance >= -exact(behind), distance <= exact(ahead)))
    yield "nothing traps", assumed, checks.all()


def check_task(task, lower, upper, isSpent, assumed):
    """What both kinds of task have in common: `isSpent` is of a step."""
    first, count, spent, currentIndex, f, current = task
    index = variable("index", signed=True)
    with Checks() as live:
        isLive = f.isLive(index, spent)
    with Checks() as found:
        step, offset = f.accepted(first, currentIndex, index)
    scanned = assumed + [exact(index) >= 0, exact(index) < exact(count)]
    anyStep = variable("step")
    inside = z3.And(exact(anyStep) >= exact(lower), exact(anyStep) <= exact(upper))
    place = exact(anyStep) - exact(first)
    yield "it covers exactly the steps of the window", assumed, (
        inside == z3.And(place >= 0, place < exact(count)))
    yield "index i is step first + i, and inside", scanned, z3.And(
        exact(step) == exact(first) + exact(index), step >= lower, step <= upper)
    yield "the offset is the step less the current one", scanned, exact(offset) == exact(step) - exact(current)
    yield "a step is live if, and only if, it is not spent", scanned, isLive == z3.Not(isSpent(step))
    yield "nothing traps", scanned, z3.And(live.all(), found.all())


@theorem
def a_totp_task_accepts_only_steps_after_the_last_accepted_one(f):
    behind, ahead = (variable(name, signed=True) for name in ("behind", "ahead"))
    current, last, isSet = variable("current"), variable("last"), z3.Bool("isSet")
    with Checks() as checks:
        first, count, spent, currentIndex, takesLatest = f.timeTask(behind, ahead, current, (isSet, last))
    with Checks():
        lower, upper = f.steps(behind, ahead, current)
    assumed = [f.isWindow(behind, ahead)]
    yield "nothing traps in its making", assumed, checks.all()
    yield "it has 1 to 21 steps", assumed, in_range(count, 1, 21)
    yield "of several steps with the code the latest is accepted", [], takesLatest
    yield from check_task(
        (first, count, spent, currentIndex, f, current), lower, upper,
        lambda step: z3.And(isSet, exact(step) <= exact(last)), assumed)


@theorem
def a_hotp_task_covers_the_look_ahead(f):
    counter, lookAhead = variable("counter"), variable("lookAhead", signed=True)
    with Checks() as checks:
        first, count, spent, currentIndex, takesLatest = f.counterTask(counter, lookAhead)
    assumed = [f.isLookAhead(lookAhead)]
    end = exact(counter) + exact(lookAhead)
    highest = whole((1 << 64) - 1)
    upper = Number(z3.Extract(63, 0, z3.If(end > highest, highest, end)))
    yield "a look-ahead is 0 to 1000", [], f.isLookAhead(lookAhead) == z3.And(
        exact(lookAhead) >= 0, exact(lookAhead) <= 1000)
    yield "nothing traps in its making", assumed, checks.all()
    yield "it has 1 to 1001 counters", assumed, in_range(count, 1, 1001)
    yield "of several counters with the code the earliest is accepted", [], z3.Not(takesLatest)
    yield from check_task(
        (first, count, spent, currentIndex, f, counter), counter, upper, lambda _: z3.BoolVal(False), assumed)


@theorem
def learned_drift_stays_within_its_limit(f):
    limit, before, offset = (variable(name, signed=True) for name in ("limit", "before", "offset"))
    with Checks() as checks:
        start, stored = f.learned(limit, before, offset)
    # A policy's limits; an offset within the widest window.
    assumed = [in_range(limit, 0, 10), in_range(offset, -10, 10)]
    target = exact(start) + exact(offset)
    low, high = -exact(limit), exact(limit)
    yield "it starts within the limit, whatever was stored", assumed, z3.And(exact(start) >= low, exact(start) <= high)
    yield "what was within the limit is used as stored", assumed + [
        exact(before) >= low, exact(before) <= high], start.term == before.term
    yield "it moves by the offset, up to the limit", assumed, exact(stored) == z3.If(
        target > high, high, z3.If(target < low, low, target))
    yield "nothing traps", assumed, checks.all()


@theorem
def no_step_accepted_before_a_loss_is_accepted_after_it(f):
    limit, adjacent, found, drift = (variable(name, signed=True) for name in ("limit", "adjacent", "found", "drift"))
    with Checks():
        ahead = f.aheadOfLoss(found, limit, adjacent)
        start, _ = f.learned(limit, drift, literal(0, signed=True))
        used = found.plus(start)
    assumed = [in_range(limit, 0, 10), in_range(adjacent, 0, 10), in_range(found, -(1 << 40), 1 << 40)]
    yield "a window ends no later than what is spent, at one time", assumed, (
        exact(used) + exact(adjacent) <= exact(ahead))
    yield "nor at an earlier one, if neither time is held at t0 or at the end of time", *earlier_windows()


def earlier_windows():
    """In whole numbers: times are step * length + rest, moved by whole steps."""
    step, lostStep, used, adjacent, ahead = z3.Ints("step lostStep used adjacent ahead")
    return [step <= lostStep, used + adjacent <= ahead], step + used + adjacent <= lostStep + ahead
