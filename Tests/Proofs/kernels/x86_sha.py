"""The SHA extensions, as Intel's manual (volume 2) defines them. Element 3 of a vector is the highest."""

from standards import SHA1_CONSTANTS, SHA1_FUNCTIONS, SIGMAS, big_sigma, choose, majority, small_sigma
from terms import add, constant, rotate_left, xor

BIG_0, BIG_1, SMALL_0, SMALL_1 = SIGMAS[32]


def sha1nexte(first, second):
    return [*second[:3], add(second[3], rotate_left(first[3], 30))]


def sha1msg1(first, second):
    return [xor(second[2], first[0]), xor(second[3], first[1]), xor(first[0], first[2]), xor(first[1], first[3])]


def sha1msg2(first, second):
    w16 = rotate_left(xor(first[3], second[2]), 1)
    w17 = rotate_left(xor(first[2], second[1]), 1)
    w18 = rotate_left(xor(first[1], second[0]), 1)
    return [rotate_left(xor(first[0], w16), 1), w18, w17, w16]


def sha1rnds4(first, second, function):
    d, c, b, a = first
    e = constant(0, 32)
    mix, fixed = SHA1_FUNCTIONS[function & 3], constant(SHA1_CONSTANTS[function & 3], 32)
    for word in reversed(second):
        a, b, c, d, e = add(mix(b, c, d), rotate_left(a, 5), word, e, fixed), a, rotate_left(b, 30), c, d
    return [d, c, b, a]


def sha256msg1(first, second):
    words = [*first, second[0]]
    return [add(words[i], small_sigma(words[i + 1], SMALL_0)) for i in range(4)]


def sha256msg2(first, second):
    w16 = add(first[0], small_sigma(second[2], SMALL_1))
    w17 = add(first[1], small_sigma(second[3], SMALL_1))
    return [w16, w17, add(first[2], small_sigma(w16, SMALL_1)), add(first[3], small_sigma(w17, SMALL_1))]


def sha256rnds2(first, second, sums):
    h, g, d, c = first
    f, e, b, a = second
    for word in sums[:2]:
        changed = add(choose(e, f, g), big_sigma(e, BIG_1), word, h)
        a, b, c, d, e, f, g, h = (
            add(changed, majority(a, b, c), big_sigma(a, BIG_0)), a, b, c, add(changed, d), e, f, g)
    return [f, e, b, a]
