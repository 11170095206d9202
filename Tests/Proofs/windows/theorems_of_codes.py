"""Masks, the comparison of codes, the scan over them, and base32."""
import z3

from swift import Checks, Number, exact, literal, truncating, variable
from theorem import theorem


@theorem
def masks_are_all_ones_or_zero_and_say_what_their_names_say(f):
    left, right = variable("left", 32), variable("right", 32)
    byte, low, high = (variable(name, 8) for name in ("byte", "low", "high"))
    flag, ones = z3.Bool("flag"), (1 << 64) - 1
    with Checks() as checks:
        masks = [
            ("equal", f.equal(left, right), exact(left) == exact(right)),
            ("lessOrEqual", f.lessOrEqual(left, right), exact(left) <= exact(right)),
            ("contains", f.contains(low, high, byte), z3.And(
                exact(byte) >= exact(low), exact(byte) <= exact(high))),
            ("init", f.mask(flag), flag),
        ]
    for name, bits, meaning in masks:
        yield name, [], bits.term == z3.If(meaning, z3.BitVecVal(ones, 64), z3.BitVecVal(0, 64))
    first, second, bits = variable("first"), variable("second"), variable("bits")
    isMask = z3.Or(bits.equals(0), bits.equals(ones))
    yield "select", [isMask], f.select(bits, first, second).term == z3.If(
        bits.equals(0), second.term, first.term)
    yield "keep", [isMask], f.keep(bits, first).term == z3.If(bits.equals(0), 0, first.term)
    yield "nothing traps", [], checks.all()


@theorem
def multiples_of_10_to_the_6_7_and_8_are_known_for_all_32_bit_numbers(f):
    for digits, multiples in enumerate((f.ofMillion(), f.ofTenMillion(), f.ofHundredMillion()), 6):
        modulus, inverse, twos, greatest = multiples
        yield f"the constants are those of 10^{digits}", [], z3.BoolVal(
            modulus == 10 ** digits and inverse * 5 ** digits % (1 << 32) == 1 and twos == digits
            and greatest == ((1 << 32) - 1) // modulus)
        candidate, quotient, small = (variable(name, 32) for name in ("candidate", "quotient", "small"))
        with Checks() as checks:
            product, isOne = f.product(multiples, candidate), f.contain(multiples, candidate)
            rotated = f.rotated(multiples, product)
            isSmall = f.isSmall(multiples, small)
            quotientAgain = f.rotated(multiples, f.product(multiples, quotient.times(modulus)))
            test = f.isSmall(multiples, rotated)
        yield f"the test is whether the rotated product is small: 10^{digits}", [], z3.And(
            isOne.term == test.term,
            z3.Not(isSmall.equals(0)) == (exact(small) <= ((1 << 32) - 1) // modulus))
        yield f"a multiple's rotated product is its quotient: 10^{digits}", [
            quotient <= ((1 << 32) - 1) // modulus], quotientAgain.term == quotient.term
        # Conversely: rotating and multiplying can be undone, so a number is its rotated product, rotated back, times
        # 5^digits; and rotating a small number back multiplies it by 2^digits.
        any_ = variable("anyProduct", 32)
        yield f"rotating can be undone: 10^{digits}", [], (
            rotated_back(f.rotated(multiples, any_), digits).term == any_.term)
        yield f"multiplying can be undone: 10^{digits}", [], product.times(5 ** digits).term == candidate.term
        yield f"a small number, rotated back, times 5^{digits}, is its multiple", [
            z3.Not(isSmall.equals(0))], exact(rotated_back(small, digits).times(5 ** digits)) == (
                exact(small) * 10 ** digits)
        yield f"nothing traps: 10^{digits}", [], checks.all()


def rotated_back(number, count):
    return number.shiftLeft(count) | number.shiftRight(32 - count)


@theorem
def a_value_matches_if_its_remainder_is_the_code(f):
    for digits, multiples in enumerate((f.ofMillion(), f.ofTenMillion(), f.ofHundredMillion()), 6):
        value, code = variable("value", 32), variable("code", 32)
        with Checks() as checks:
            tested = value.plus(f.complement(multiples, code))
            same = f.matches(multiples, code, value).term == f.contain(multiples, tested).term
        assumed = [value < (1 << 31), code < 10 ** digits]
        yield f"10^{digits}: what is tested is value + 10^{digits} - code, without wrapping", assumed, z3.And(
            exact(tested) == exact(value) + 10 ** digits - exact(code), same)
        # The rest is about whole numbers: `contain` says whether that is a multiple.
        q, c, typed, k = z3.Ints("quotient remainder typed other")
        modulus = 10 ** digits
        known = [0 <= c, c < modulus, 0 <= typed, typed < modulus]
        sum_ = q * modulus + c + modulus - typed
        yield f"10^{digits}: a right code gives a multiple", known + [c == typed], sum_ == (q + 1) * modulus
        yield f"10^{digits}: a wrong one does not", known + [c != typed], sum_ != k * modulus
        yield f"10^{digits}: nothing traps", [], checks.all()


@theorem
def a_scan_finds_the_latest_or_earliest_live_match_of_any_number_of_values(f):
    matching, living = (z3.Function(name, z3.BitVecSort(64), z3.BoolSort()) for name in ("matching", "living"))
    takesLatest = z3.Bool("takesLatest")
    count, any_, witness = (variable(name, signed=True) for name in ("count", "any", "witness"))

    def good(index):
        return z3.And(matching(index.term), living(index.term))

    def spent(index):
        return z3.And(matching(index.term), z3.Not(living(index.term)))

    def holds(scan, count, witness):
        """After `count` values, for any one index: the masks are masks, a found match is one, and none is missed."""
        hasLive, hasSpent, liveIndex = scan
        found = Number(liveIndex.term, True)
        inside = z3.And(any_ >= 0, any_ < count)
        ordered = z3.If(takesLatest, any_ <= found, found <= any_)
        return z3.And(
            z3.Or(hasLive.equals(0), hasLive.equals(-1)), z3.Or(hasSpent.equals(0), hasSpent.equals(-1)),
            z3.Implies(hasLive.equals(-1), z3.And(found >= 0, found < count, good(found))),
            z3.Implies(hasSpent.equals(-1), z3.And(witness >= 0, witness < count, spent(witness))),
            z3.Implies(z3.And(inside, good(any_)), z3.And(hasLive.equals(-1), ordered)),
            z3.Implies(z3.And(inside, spent(any_)), hasSpent.equals(-1)))

    scan = (variable("hasLive"), variable("hasSpent"), variable("liveIndex"))
    match = Number(z3.If(matching(count.term), z3.BitVecVal(-1, 64), z3.BitVecVal(0, 64)))
    with Checks() as step:
        after = f.record(scan, takesLatest, match, count, living(count.term))
    seen = [count >= 0, count < (1 << 62)]
    next_ = count.plus(1)
    nextWitness = Number(z3.If(spent(count), count.term, witness.term), True)
    yield "base: a new scan has seen none", [], holds(f.newScan(), literal(0, signed=True), witness)
    yield "step: from any number of values to one more", seen + [holds(scan, count, witness)], (
        holds(after, next_, nextWitness))
    yield "step: nothing traps", seen, step.all()
    with Checks() as end:
        kind, index = f.outcome(scan)
    before = seen + [holds(scan, count, witness)]
    inside = z3.And(any_ >= 0, any_ < count)
    yield "conclusion: a live outcome is a live match", before + [kind.equals(2)], z3.And(
        index >= 0, index < count, good(index))
    yield "conclusion: none that is live is later, or earlier", before + [kind.equals(2), inside, good(any_)], (
        z3.If(takesLatest, any_ <= index, index <= any_))
    yield "conclusion: if any is live, the outcome is", before + [inside, good(any_)], kind.equals(2)
    yield "conclusion: a spent outcome is a spent match", before + [kind.equals(1)], z3.And(
        witness >= 0, witness < count, spent(witness))
    yield "conclusion: if any matches, the outcome is live or spent", before + [inside, matching(any_.term)], (
        z3.Not(kind.equals(0)))
    yield "conclusion: nothing traps", before, end.all()


# RFC 4648, table 3.
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def value_of(character, isStrict):
    """Whether a character is a symbol, and its five bits, by the table."""
    isSymbol, value = z3.BoolVal(False), z3.BitVecVal(0, 5)
    for index, symbol in enumerate(ALPHABET):
        isOne = z3.Or(character == ord(symbol), z3.And(z3.Not(isStrict), character == ord(symbol.lower())))
        isSymbol, value = z3.Or(isSymbol, isOne), z3.If(isOne, z3.BitVecVal(index, 5), value)
    return isSymbol, value


@theorem
def eight_characters_are_decoded_as_rfc_4648_defines(f):
    text = [variable(f"character{index}", 8) for index in range(8)]
    isStrict = z3.Bool("isStrict")
    symbols, values = zip(*(value_of(character.term, isStrict) for character in text))
    with Checks() as checks:
        isGroup, bits = f.decode(f.load(text), isStrict)
        five = f.writeBytes(bits)
    yield "all eight are symbols if, and only if, they are recognized", [], isGroup == z3.And(*symbols)
    yield "the 40 bits are theirs, the first character's first", [z3.And(*symbols)], (
        bits.term == z3.ZeroExt(24, z3.Concat(*values)))
    yield "the five bytes are theirs", [z3.And(*symbols)], (
        z3.Concat(*(byte.term for byte in five)) == z3.Concat(*values))
    yield "nothing traps", [], checks.all()


@theorem
def five_bytes_are_encoded_as_rfc_4648_defines(f):
    five = [variable(f"byte{index}", 8) for index in range(5)]
    all_ = z3.Concat(*(byte.term for byte in five))
    with Checks() as checks:
        text = f.writeCharacters(f.readBytes(five))
        decoded = f.decode(f.load(text), z3.BoolVal(True))
    for index, character in enumerate(text):
        value = z3.Extract(39 - 5 * index, 35 - 5 * index, all_)
        expected = z3.BitVecVal(ord(ALPHABET[0]), 8)
        for other, symbol in enumerate(ALPHABET):
            expected = z3.If(value == other, z3.BitVecVal(ord(symbol), 8), expected)
        yield f"character {index + 1}", [], character.term == expected
    yield "decoding gives the bytes again", [], z3.And(
        decoded[0], truncating(decoded[1], 40).term == all_)
    yield "nothing traps", [], checks.all()
