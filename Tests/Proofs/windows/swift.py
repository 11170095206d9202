"""Swift's fixed-width integers as z3 terms, for formulas that follow a source line by line.

`a + b`, `a - b`, `a * b` and conversions stop the program in Swift if the result does not fit, so each one records the
condition that it fits, under the conditions on which it is reached. `plus`, `minus` and `times` are `&+`, `&-`, `&*`.
"""
import z3

EXACT = 80  # enough bits that no sum in these formulas wraps: the definitions' whole numbers


class Checks:
    """What must hold for nothing to trap, and how divisions are read, while a formula is evaluated."""

    def __init__(self, is_abstract=False):
        self.path = []
        self.needed = []
        self.divisions = []
        self.products = []
        self.facts = []
        self.is_abstract = is_abstract

    def __enter__(self):
        Checks.current = self
        return self

    def __exit__(self, *_):
        Checks.current = None

    def need(self, condition):
        self.needed.append(z3.Implies(z3.And(*self.path), condition))

    def all(self):
        return z3.And(*self.needed)


Checks.current = None


class Number:
    def __init__(self, term, signed=False):
        self.term, self.signed = term, signed

    @property
    def width(self):
        return self.term.size()

    def like(self, term):
        return Number(z3.simplify(term), self.signed)

    def of(self, other):
        """A literal becomes a number of this type."""
        return other if isinstance(other, Number) else self.like(z3.BitVecVal(other, self.width))

    def checked(self, other, function, bits):
        other = self.of(other)
        assert (other.width, other.signed) == (self.width, self.signed), "Swift would not compile this"
        wide = function(exact(self, bits), exact(other, bits))
        term = z3.Extract(self.width - 1, 0, wide)
        Checks.current.need(exact(self.like(term), bits) == wide)
        return self.like(term)

    def __add__(self, other):
        return self.checked(other, lambda a, b: a + b, EXACT)

    def __sub__(self, other):
        return self.checked(other, lambda a, b: a - b, EXACT)

    def plus(self, other):
        return self.like(self.term + self.of(other).term)

    def minus(self, other):
        return self.like(self.term - self.of(other).term)

    def times(self, other):
        return self.like(self.term * self.of(other).term)

    def __and__(self, other):
        return self.like(self.term & self.of(other).term)

    def __or__(self, other):
        return self.like(self.term | self.of(other).term)

    def __xor__(self, other):
        return self.like(self.term ^ self.of(other).term)

    def __invert__(self):
        return self.like(~self.term)

    def shiftRight(self, count):
        """`&>>`, which masks the count."""
        count = self.of(count).term & (self.width - 1)
        return self.like(self.term >> count if self.signed else z3.LShR(self.term, count))

    def shiftLeft(self, count):
        """`&<<`, which masks the count."""
        return self.like(self.term << (self.of(count).term & (self.width - 1)))

    def __le__(self, other):
        other = self.of(other)
        return self.term <= other.term if self.signed else z3.ULE(self.term, other.term)

    def __lt__(self, other):
        return z3.Not(self.of(other) <= self)

    def __ge__(self, other):
        return self.of(other) <= self

    def __gt__(self, other):
        return z3.Not(self <= other)

    def equals(self, other):
        return self.term == self.of(other).term


def exact(number, bits=EXACT):
    """The number as a whole number: a signed vector wide enough."""
    more = bits - number.width
    return (z3.SignExt if number.signed else z3.ZeroExt)(more, number.term)


def convert(number, width, signed):
    """`UInt64(x)` and the like, which trap if the value does not fit."""
    wide = exact(number)
    result = Number(z3.simplify(z3.Extract(width - 1, 0, wide)), signed)
    Checks.current.need(exact(result) == wide)
    return result


def UInt8(x): return convert(x, 8, False)
def UInt16(x): return convert(x, 16, False)
def UInt32(x): return convert(x, 32, False)
def UInt64(x): return convert(x, 64, False)
def Int(x): return convert(x, 64, True)


def truncating(number, width):
    """`UInt8(truncatingIfNeeded: x)` and the like."""
    return Number(z3.simplify(z3.Extract(width - 1, 0, number.term)))


def bitPattern(number):
    return Number(number.term)


def literal(value, width=64, signed=False):
    return Number(z3.BitVecVal(value, width), signed)


def variable(name, width=64, signed=False):
    return Number(z3.BitVec(name, width), signed)


def choose(condition, then, otherwise):
    """`if`, `guard` and `?:`: each side is evaluated under its condition."""
    checks = Checks.current
    results = []
    for fact, side in ((condition, then), (z3.Not(condition), otherwise)):
        checks.path.append(fact)
        results.append(side())
        checks.path.pop()
    return pick(condition, *results)


def pick(condition, left, right):
    if isinstance(left, tuple):
        return tuple(pick(condition, *pair) for pair in zip(left, right))
    if not isinstance(left, Number):
        return z3.simplify(z3.If(condition, left, right))
    return left.like(z3.If(condition, left.term, left.of(right).term))


def byteSwapped(number):
    return number.like(z3.Concat(*(z3.Extract(8 * i + 7, 8 * i, number.term) for i in range(8))))


def minimum(left, right):
    right = left.of(right)
    return pick(right < left, right, left)


def maximum(left, right):
    right = left.of(right)
    return pick(right >= left, right, left)


def quotientAndRemainder(dividend, divisor):
    """`/` and `%` of unsigned numbers. An abstract division is any quotient with a remainder below the divisor."""
    checks = Checks.current
    checks.need(z3.Not(divisor.equals(0)))
    if not checks.is_abstract:
        return tuple(dividend.like(each(dividend.term, divisor.term)) for each in (z3.UDiv, z3.URem))
    quotient, remainder = (variable(f"{name}{len(checks.divisions)}") for name in ("quotient", "remainder"))
    checks.divisions.append((dividend, divisor, quotient, remainder))
    checks.facts.append(remainder < divisor)
    return quotient, remainder


def fullProduct(left, right):
    """All 128 bits of the product of two signed numbers. An abstract product is any number of 127 bits."""
    checks = Checks.current
    if not checks.is_abstract:
        return exact(left, 128) * exact(right, 128)
    product = z3.SignExt(1, z3.BitVec(f"product{len(checks.products)}", 127))
    checks.products.append((left, right, product))
    return product
