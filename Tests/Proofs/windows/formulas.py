"""What the sources compute, line by line, over Swift's integers. Each formula cites the declaration that it states.

It runs with the names of swift.py, and with `states`, which records the citation.
"""
# ruff: noqa: F821

STEP = "OTP/Codes/TimeStep.swift"
WINDOW = "OTP/Verification/VerificationWindow.swift"
TASK = "OTP/Verification/VerificationTask.swift"
HOTP = "OTP/Verification/HOTP+Verify.swift"
MASK = "OTP/ConstantTime/Mask.swift"
MULTIPLES = "OTP/ConstantTime/Multiples.swift"
SCAN = "OTP/Verification/MatchScan.swift"
GROUP = "OTP/Secrets/Base32Group.swift"
MATCH = "FactorRecord/FactorRecord+Match.swift"
SPEND = "FactorRecord/FactorRecord+Spend.swift"


# TimeStep. `None` of a Swift function that throws is a condition here: the first of the results.

@states(STEP, "public init(period: Int64 = 30, t0: Int64 = 0)", "49684fb39e68")
def isTimeStep(period):
    return period >= 1


@states(STEP, "public func number(at unixTime: Int64)", "a78f1c71aefe")
def number(period, t0, unixTime):
    return (unixTime >= t0, divide(period, t0, unixTime)[0])


@states(STEP, "public func secondsRemaining(at unixTime: Int64)", "b93120fc5173")
def secondsRemaining(period, t0, unixTime):
    return (unixTime >= t0, period - Int(divide(period, t0, unixTime)[1]))


@states(STEP, "@inline(never) private func divide(elapsed unixTime: Int64)", "d3a2e8973b2e")
def divide(period, t0, unixTime):
    return quotientAndRemainder(bitPattern(unixTime.minus(t0)), UInt64(period))


# VerificationWindow and VerificationTask.

@states(WINDOW, "public init(behind: Int, ahead: Int) throws(OTPError)", "925d1290fce8")
def isWindow(behind, ahead):
    return z3.And(behind >= 0, behind <= 10, ahead >= 0, ahead <= 10)


@states(WINDOW, "func steps(around current: UInt64)", "83f52fd0c4d2")
def steps(behind, ahead, current):
    lower = current - minimum(current, UInt64(behind))
    upper = current + minimum(literal(-1) - current, UInt64(ahead))
    return closedRange(lower, upper)


def closedRange(lower, upper):
    """`lower...upper`, which traps if it would be empty."""
    Checks.current.need(lower <= upper)
    return (lower, upper)


@states(HOTP, "package static func check(lookAhead: Int) throws(OTPError)", "5a04d44e273d")
@states(HOTP, "static var lookAheadLimits: ClosedRange<Int>", "9eb80718af8a")
def isLookAhead(lookAhead):
    return z3.And(lookAhead >= 0, lookAhead <= 1000)


@states(HOTP, "static func counterCount(from counter: UInt64, lookAhead: Int)", "cb18d6989942")
def counterCount(counter, lookAhead):
    return Int(minimum(literal(-1) - counter, UInt64(lookAhead))) + 1


@states(TASK, """package init(
    _ code: SubmittedCode, digits: OTPCode.Digits, at unixTime: Int64, _ timeStep: TimeStep,""", "d9828996eb36")
def timeTask(behind, ahead, current, after):
    return task(steps(behind, ahead, current), current, after) + (z3.BoolVal(True),)


@states(TASK, """package init(
    _ code: SubmittedCode, digits: OTPCode.Digits, counter: UInt64, lookAhead: Int""", "b9be84420aa3")
def counterTask(counter, lookAhead):
    last = counter + UInt64(counterCount(counter, lookAhead) - 1)
    nothing = (z3.BoolVal(False), literal(0))
    return task(closedRange(counter, last), counter, nothing) + (z3.BoolVal(False),)


@states(TASK, "private init(", "76b51157312c")
def task(counters, current, after):
    """The first counter, how many, how many of them are spent, and the index of the current one."""
    (lower, upper), (isSet, last) = counters, after
    storedCount = UInt16(upper - lower) + 1
    spentCount = choose(
        z3.And(isSet, last >= lower), lambda: UInt16(minimum(last, upper) - lower) + 1, lambda: literal(0, 16))
    return (lower, storedCount, spentCount, UInt16(current - lower))


@states(TASK, "func compare(_ value: UInt32, at index: Int, into scan: inout MatchScan)", "bdad50b05ab7")
def isLive(index, spentCount):
    return index >= Int(spentCount)


@states(TASK, "func verification(of scan: MatchScan)", "ff3f0663613d")
def accepted(first, currentIndex, index):
    return (first + UInt64(index), index - Int(currentIndex))


# Mask. A barrier and `declassify` return what they are given.

@states(MASK, "init(_ isTrue: Bool)", "434d432d8253")
def mask(isTrue):
    return literal(0).minus(pick(isTrue, literal(1), literal(0)))


@states(MASK, "static func equal(_ left: UInt32, _ right: UInt32)", "aae7ba51e459")
def equal(left, right):
    return literal(0).minus(UInt64(left ^ right).minus(1).shiftRight(63))


@states(MASK, "static func lessOrEqual(_ left: UInt32, _ right: UInt32)", "e99d01f57856")
def lessOrEqual(left, right):
    return UInt64(right).minus(UInt64(left)).shiftRight(63).minus(1)


@states(MASK, "static func contains(_ range: ClosedRange<UInt8>, _ byte: UInt8)", "da09bb0d7a31")
def contains(lowerBound, upperBound, byte):
    aboveLower = UInt64(lowerBound).minus(1).minus(UInt64(byte))
    belowUpper = UInt64(byte).minus(1).minus(UInt64(upperBound))
    return literal(0).minus((aboveLower & belowUpper).shiftRight(63))


@states(MASK, "static func & (left: Mask, right: Mask)", "d1ed0898e6b3")
@states(MASK, "static func | (left: Mask, right: Mask)", "b21672845b21")
@states(MASK, "static prefix func ! (mask: Mask)", "4c7379afad84")
@states(MASK, "func keep(_ value: UInt64)", "53e99e83746c")
def keep(bits, value):
    return value & bits


@states(MASK, "func select(_ first: UInt64, else second: UInt64)", "9bbb88e352ec")
def select(bits, first, second):
    return (first & bits) | (second & ~bits)


# Multiples: the modulus, its inverse, its twos and the greatest quotient.

@states(MULTIPLES, "static var ofMillion: Multiples", "bd75f657a073")
def ofMillion(): return (1_000_000, 0x68C2_6139, 6, 4294)


@states(MULTIPLES, "static var ofTenMillion: Multiples", "6649a1291118")
def ofTenMillion(): return (10_000_000, 0xAE8D_46A5, 7, 429)


@states(MULTIPLES, "static var ofHundredMillion: Multiples", "78c4549c1e02")
def ofHundredMillion(): return (100_000_000, 0x22E9_0E21, 8, 42)


@states(MULTIPLES, "func contain(_ candidate: UInt32)", "97cb57587e75")
def contain(multiples, candidate):
    return isSmall(multiples, rotated(multiples, product(multiples, candidate)))


def product(multiples, candidate):
    return candidate.times(multiples[1])


def rotated(multiples, product):
    twos = multiples[2]
    return product.shiftRight(twos) | product.shiftLeft(literal(32, 32).minus(twos))


def isSmall(multiples, rotated):
    return lessOrEqual(rotated, literal(multiples[3], 32))


# MatchScan: hasLive, hasSpent and liveIndex.

@states(SCAN, "init(for code: SubmittedCode, takesLatest: Bool = false)", "f0e86b5e412b")
def complement(multiples, code):
    return literal(multiples[0], 32).minus(code)


@states(SCAN, "func matches(_ truncatedValue: UInt32)", "e3ff09aab2a1")
def matches(multiples, code, truncatedValue):
    return contain(multiples, truncatedValue.plus(complement(multiples, code)))


def newScan():
    return (literal(0), literal(0), literal(0))


@states(SCAN, "mutating func record(_ match: Mask, at index: Int, isLive: Bool)", "c32b18bf6706")
def record(scan, takesLatest, match, index, isLive):
    hasLive, hasSpent, liveIndex = scan
    live = match & mask(isLive)
    liveIndex = select(pick(takesLatest, live, live & ~hasLive), UInt64(index), liveIndex)
    hasLive = hasLive | live
    hasSpent = hasSpent | (match & mask(z3.Not(isLive)))
    return (hasLive, hasSpent, liveIndex)


@states(SCAN, "var outcome: Outcome", "1c0fae708346")
def outcome(scan):
    """0 for none, 1 for spent, 2 for live; and the live index."""
    hasLive, hasSpent, liveIndex = scan
    packed = select(hasLive, liveIndex.plus(2), keep(hasSpent, literal(1)))
    isOther = z3.Or(packed.equals(0), packed.equals(1))
    index = choose(isOther, lambda: literal(0, 64, True), lambda: Int(packed - 2))
    return (pick(isOther, packed, literal(2)), index)


# Base32Group.

@states(GROUP, "private static func bytes(_ byte: UInt64)", "6d3d964de063")
def bytes8(byte): return literal(byte).times(0x0101_0101_0101_0101)


@states(GROUP, "init?(characters: UInt64, strict: Bool)", "66bd2f3f5d87")
def decode(characters, strict):
    ascii = characters & bytes8(0x7F)
    upper = ascii.plus(bytes8(0x80 - 0x41)) & ~ascii.plus(bytes8(0x7F - 0x5A))
    lower = ascii.plus(bytes8(0x80 - 0x61)) & ~ascii.plus(bytes8(0x7F - 0x7A))
    digit = ascii.plus(bytes8(0x80 - 0x32)) & ~ascii.plus(bytes8(0x7F - 0x37))
    symbols = (upper | pick(strict, literal(0), lower) | digit) & ~characters & bytes8(0x80)
    isGroup = symbols.equals(bytes8(0x80))
    isDigit = digit.shiftRight(7) & bytes8(1)
    values = (ascii & bytes8(0x1F)).minus(bytes8(1)).plus(isDigit.times(9))
    eight = byteSwapped(values)
    four = (eight.shiftRight(8) & 0x001F_001F_001F_001F).shiftLeft(5) | eight & 0x001F_001F_001F_001F
    two = (four.shiftRight(16) & 0x0000_03FF_0000_03FF).shiftLeft(10) | four & 0x0000_03FF_0000_03FF
    return (isGroup, two.shiftRight(32).shiftLeft(20) | two & 0xF_FFFF)


@states(GROUP, "func writeBytes(to output: UnsafeMutableBufferPointer<UInt8>, at index: Int)", "7823f826e63c")
def writeBytes(bits):
    return [truncating(bits.shiftRight(32 - 8 * offset), 8) for offset in range(5)]


@states(GROUP, "init(bytes: Span<UInt8>, at index: Int)", "d8d4f1e3174e")
def readBytes(five):
    bits = literal(0)
    for byte in five:
        bits = bits.shiftLeft(8) | UInt64(byte)
    return bits


@states(GROUP, "static func load(_ text: Span<UInt8>, at position: Int)", "81aa84e2cd99")
def load(text):
    characters = literal(0)
    for offset, byte in enumerate(text):
        characters = characters | UInt64(byte).shiftLeft(8 * offset)
    return characters


@states(GROUP, "func writeCharacters(to output: UnsafeMutableBufferPointer<UInt8>, at index: Int)", "d844dfaf2986")
def writeCharacters(bits):
    two = bits.shiftRight(20).shiftLeft(32) | bits & 0xF_FFFF
    four = (two.shiftRight(10) & 0x0000_03FF_0000_03FF).shiftLeft(16) | two & 0x0000_03FF_0000_03FF
    eight = (four.shiftRight(5) & 0x001F_001F_001F_001F).shiftLeft(8) | four & 0x001F_001F_001F_001F
    isDigit = eight.plus(bytes8(0x80 - 26)).shiftRight(7) & bytes8(1)
    characters = eight.plus(bytes8(0x41)).minus(isDigit.times(0x41 + 26 - 0x32))
    return [truncating(characters.shiftRight(56 - 8 * offset), 8) for offset in range(8)]


# The learned drift of a record.

def clamped(limit, value):
    return maximum(literal(0, 64, True) - limit, minimum(limit, value))


@states(MATCH, "private func matchSteps(", "cbf0b962892a")
def learned(limit, before, offset):
    """The drift that a verification starts from, and the one that is stored if it accepts at an offset."""
    start = clamped(limit, before)
    return (start, clamped(limit, start + offset))


@states(MATCH, "static func shifted(_ unixTime: Int64, by drift: Int, _ timeStep: TimeStep)", "f1c1fd0ea3bd")
def shifted(period, t0, unixTime, drift):
    (seconds, multiplied) = multipliedReportingOverflow(period, drift)
    (time, added) = addingReportingOverflow(unixTime, seconds)
    return pick(z3.Or(multiplied, added, time < t0), unixTime, time)


def multipliedReportingOverflow(left, right):
    wide = fullProduct(left, right)
    low = left.like(z3.Extract(63, 0, wide))
    return (low, exact(low, 128) != wide)


def addingReportingOverflow(left, right):
    low = left.plus(right)
    return (low, exact(low) != exact(left) + exact(right))


@states(SPEND, "package func lastStep(at unixTime: Int64, under policy: Policy)", "81471aa7bc17")
def aheadOfLoss(found, driftLimit, adjacentIntervals):
    return found.plus(driftLimit).plus(adjacentIntervals)
