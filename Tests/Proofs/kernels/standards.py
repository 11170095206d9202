"""FIPS 180-4's compression functions, and the truncated value of RFC 4226, on terms."""

from terms import add, both, constant, rotate_left, shift_right, xor
from words import concatenate, extract, invert, rotate_right

# FIPS 180-4, section 4.2.1: the constants of SHA-1.
SHA1_CONSTANTS = (0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6)


class Hash:
    """A hash function: its word's bits, the words of its state, and its compression."""

    def __init__(self, name, word_bits, state_words, rounds, compress):
        self.name, self.word_bits, self.state_words, self.rounds = name, word_bits, state_words, rounds
        self.block_bits = 16 * word_bits
        self.compress = lambda state, block: compress(self, state, block)

    def constant(self, value):
        return constant(value, self.word_bits)


# MARK: FIPS 180-4, section 4.1.

def choose(x, y, z):
    return xor(both(x, y), both(invert(x), z))


def parity(x, y, z):
    return xor(xor(x, y), z)


def majority(x, y, z):
    return xor(xor(both(x, y), both(x, z)), both(y, z))


SHA1_FUNCTIONS = (choose, parity, majority, parity)


def big_sigma(x, counts):
    return parity(*(rotate_right(x, count) for count in counts))


def small_sigma(x, counts):
    return parity(rotate_right(x, counts[0]), rotate_right(x, counts[1]), shift_right(x, counts[2]))


# Sections 4.1.2 and 4.1.3: the counts of big sigma 0 and 1, and of small sigma 0 and 1.
SIGMAS = {
    32: ((2, 13, 22), (6, 11, 25), (7, 18, 3), (17, 19, 10)),
    64: ((28, 34, 39), (14, 18, 41), (1, 8, 7), (19, 61, 6)),
}


# As many as are needed.
_PRIMES = [number for number in range(2, 410) if all(number % divisor for divisor in range(2, number))]


def _root(number, degree):
    """The integer part of a root."""
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle ** degree <= number else (low, middle - 1)
    return low


def round_constants(hash_function):
    """Sections 4.2.2 and 4.2.3: the first bits of the fractions of the cube roots of the first primes."""
    bits = hash_function.word_bits
    return [_root(prime << 3 * bits, 3) & ((1 << bits) - 1) for prime in _PRIMES[:hash_function.rounds]]


def initial_state(hash_function):
    """Section 5.3."""
    if hash_function is SHA1:
        return [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    bits = hash_function.word_bits
    return [_root(prime << 2 * bits, 2) & ((1 << bits) - 1) for prime in _PRIMES[:8]]


# MARK: Section 6.

def _sha1(hash_function, state, block):
    words = list(block)
    for t in range(16, 80):
        words.append(rotate_left(xor(parity(words[t - 3], words[t - 8], words[t - 14]), words[t - 16]), 1))
    a, b, c, d, e = state
    for t in range(80):
        mixed = SHA1_FUNCTIONS[t // 20](b, c, d)
        a, b, c, d, e = (
            add(rotate_left(a, 5), mixed, e, hash_function.constant(SHA1_CONSTANTS[t // 20]), words[t]),
            a, rotate_left(b, 30), c, d)
    return [add(before, after) for before, after in zip(state, (a, b, c, d, e))]


def _sha2(hash_function, state, block):
    big_0, big_1, small_0, small_1 = SIGMAS[hash_function.word_bits]
    words = list(block)
    for t in range(16, hash_function.rounds):
        words.append(add(small_sigma(words[t - 2], small_1), words[t - 7], small_sigma(words[t - 15], small_0),
                         words[t - 16]))
    a, b, c, d, e, f, g, h = state
    for word, fixed in zip(words, round_constants(hash_function)):
        first = add(h, big_sigma(e, big_1), choose(e, f, g), hash_function.constant(fixed), word)
        second = add(big_sigma(a, big_0), majority(a, b, c))
        a, b, c, d, e, f, g, h = add(first, second), a, b, c, add(d, first), e, f, g
    return [add(before, after) for before, after in zip(state, (a, b, c, d, e, f, g, h))]


SHA1 = Hash("SHA-1", 32, 5, 80, _sha1)
SHA256 = Hash("SHA-256", 32, 8, 64, _sha2)
SHA512 = Hash("SHA-512", 64, 8, 80, _sha2)
HASHES = {1: SHA1, 256: SHA256, 512: SHA512}


# MARK: RFC 4226, section 5.3.

def tag(hash_function, inner, outer, counter):
    """The HMAC of a counter of 64 bits, from the midstates of the inner and the outer key (RFC 2104)."""
    bits = hash_function.word_bits
    text = [counter] if bits == 64 else [extract(counter, 32, 32), extract(counter, 0, 32)]
    digest = hash_function.compress(inner, _last_block(hash_function, text))
    return hash_function.compress(outer, _last_block(hash_function, digest))


def _last_block(hash_function, words):
    """FIPS 180-4, section 5.1: the padding, of a message of one block and these words."""
    length = hash_function.block_bits + len(words) * hash_function.word_bits
    first = hash_function.constant(1 << (hash_function.word_bits - 1))
    zeros = [hash_function.constant(0)] * (14 - len(words))
    return [*words, first, *zeros, hash_function.constant(length)]


def truncated_value(words, offset):
    """The four bytes of a tag at an offset, without the first bit."""
    size = words[0].width // 8

    def byte(index):
        return extract(words[index // size], 8 * (size - 1 - index % size), 8)
    value = concatenate([byte(offset + 3), byte(offset + 2), byte(offset + 1), byte(offset)])
    return concatenate([extract(value, 0, 31), constant(0, 1)])
