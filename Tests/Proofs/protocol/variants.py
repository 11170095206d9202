"""The searches of the model: what is promised, what is not, and faults that must be found."""
import dataclasses

TOTP, HOTP, RECOVERY, FAILURES, FENCE = 1, 2, 4, 8, 16
# The bounds of a search, unless a variant sets them; and what is off unless it names it.
BOUNDS = {
    "ATTEMPTS": 3,  # by both hosts together; a client may offer any code each time
    "TICKS": 2,  # how often time moves by a step by itself
    "FAILOVERS": 1,
    "TAKES": 1,  # the least time that a failover takes, in steps
    "PROMISES": 31,  # which assertions count: 1 TOTP, 2 HOTP, 4 recovery codes, 8 failures, 16 the fence
    "OFFERS": 15,  # what clients offer: 1 TOTP codes, 2 HOTP codes, 4 recovery codes, 8 wrong codes
    **dict.fromkeys("SYNCHRONOUS RARELY_BROKEN FENCE_NARROW FENCE_EARLY LAST_AGAIN NOT_SPENT ROLLED_BACK NO_COMPARE "
                    "NO_TIMELINE".split(), 0)}


def flags_of(text, **others):
    """What Spin is passed for bounds such as "TAKES=0 SYNCHRONOUS", which come before others."""
    named = dict(bound.split("=") if "=" in bound else (bound, 1) for bound in text.split())
    return [f"-D{name}={value}" for name, value in (BOUNDS | others | named).items()]


@dataclasses.dataclass
class Variant:
    name: str
    flags: str  # what differs from the model's bounds
    promises: int  # the assertions that count
    is_quick: bool = True


# No assertion fails.
PROMISED = [
    Variant("synchronous standby, app's codes and wrong ones, a failover at once",
            "SYNCHRONOUS TAKES=0 OFFERS=9", 31),
    Variant("synchronous standby, counters, recovery codes and wrong ones, a failover at once",
            "SYNCHRONOUS TAKES=0 OFFERS=14", 31, False),
    Variant("synchronous standby, all codes, 2 attempts", "SYNCHRONOUS TAKES=0 ATTEMPTS=2", 31),
    Variant("synchronous standby, two failovers, all codes, 2 attempts",
            "SYNCHRONOUS TAKES=0 ATTEMPTS=2 FAILOVERS=2", 31, False),
    Variant("synchronous standby, the store copied while all machines are stopped, all codes, 2 attempts",
            "SYNCHRONOUS COPY=1 ATTEMPTS=2", 31, False),
    Variant("asynchronous standby, app's codes", "OFFERS=1", TOTP | FENCE),
    Variant("asynchronous standby, app's codes and wrong ones", "OFFERS=9", TOTP | FENCE, False),
    Variant("asynchronous standby, two failovers, app's codes", "OFFERS=1 FAILOVERS=2 TICKS=1", TOTP | FENCE,
            False),
    Variant("asynchronous standby, all codes, 2 attempts", "ATTEMPTS=2", TOTP | FENCE, False),
    Variant("no failover, all codes, 3 attempts", "FAILOVERS=0", 31, False),
    Variant("no failover, app's codes and wrong ones, 4 attempts", "FAILOVERS=0 ATTEMPTS=4 OFFERS=9 TICKS=1", 31,
            False),
    Variant("a backup restored, with its time recorded, app's codes", "RESTORE=1 FAILOVERS=0 OFFERS=1", TOTP | FENCE),
    Variant("a backup restored by a recovery that ends in a promotion, app's codes",
            "RESTORE=2 FAILOVERS=0 OFFERS=1", TOTP | FENCE, False),
    Variant("the store copied long after a loss, app's codes", "COPY=1 OFFERS=1 TICKS=5 ATTEMPTS=2", TOTP, False),
    # More than *Several machines* says: a primary that still waits for a standby answers nothing without it.
    Variant("two primaries, the old one of which still waits for its standby, 2 attempts",
            "SPLIT_BRAIN SYNCHRONOUS ATTEMPTS=2", TOTP | HOTP | RECOVERY, False),
]

# The assertion fails: what *Several machines*, *Operating* or the interface says is not promised.
NOT_PROMISED = [
    Variant("asynchronous standby: a token's code again after a failover", "", HOTP),
    Variant("asynchronous standby: a recovery code again after a failover", "", RECOVERY, False),
    Variant("asynchronous standby: a failure is forgotten by a failover", "", FAILURES),
    Variant("asynchronous standby: clocks that differ by more than a failover takes",
            "TAKES=0 ATTEMPTS=3 TICKS=2", TOTP, False),
    Variant("a backup served at once, without its time", "RESTORE=0 FAILOVERS=0", TOTP),
    Variant("a restored backup: a token's code again", "RESTORE=1 FAILOVERS=0", HOTP),
    Variant("a restored backup: a recovery code again", "RESTORE=1 FAILOVERS=0", RECOVERY, False),
    Variant("a restored backup: a failure is forgotten", "RESTORE=1 FAILOVERS=0", FAILURES, False),
    Variant("two primaries, neither of which waits for a standby",
            "SPLIT_BRAIN ATTEMPTS=3 TICKS=2", TOTP, False),
    Variant("a store copied too soon after a loss", "COPY=2 OFFERS=1", TOTP),
    Variant("a store that goes on being used after it was copied", "COPY=3 FAILOVERS=0", TOTP),
]

# The assertion fails, because the model is wrong.
FAULTS = [
    Variant("no compare-and-set", "NO_COMPARE SYNCHRONOUS FAILOVERS=0", TOTP),
    Variant("no compare-and-set: a failure is not counted", "NO_COMPARE SYNCHRONOUS FAILOVERS=0", FAILURES,
            False),
    Variant("an answer before the commit", "ANSWER_BEFORE_COMMIT SYNCHRONOUS FAILOVERS=0", TOTP),
    Variant("an answer before the commit: a failure is not counted",
            "ANSWER_BEFORE_COMMIT SYNCHRONOUS FAILOVERS=0", FAILURES),
    Variant("commits that do not wait for the standby", "OFFERS=9", FAILURES),
    Variant("a refusal that is rolled back", "ROLLED_BACK SYNCHRONOUS FAILOVERS=0", FAILURES),
    Variant("the fence is skipped", "FENCE_SKIPPED", TOTP),
    Variant("the fence is skipped, as seen at once", "FENCE_SKIPPED SYNCHRONOUS", FENCE, False),
    Variant("a new timeline is not noticed", "FENCE_NOT_NOTICED", TOTP),
    Variant("a fence one step too early", "FENCE_EARLY", FENCE),
    Variant("a fence without the steps ahead", "FENCE_NARROW", FENCE, False),
    Variant("a write on another timeline than the read", "NO_TIMELINE", FENCE),
    Variant("the last accepted step is accepted again", "LAST_AGAIN SYNCHRONOUS FAILOVERS=0", TOTP),
    Variant("a recovery code that is not spent", "NOT_SPENT SYNCHRONOUS FAILOVERS=0", RECOVERY,
            False),
]
