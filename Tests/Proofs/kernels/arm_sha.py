"""ARM's SHA instructions, by the pseudo-code of the Arm Architecture Reference Manual for A-profile (section C7.2).

Element 0 of a vector is the lowest. The operands are in the order of the intrinsics: the destination first.
"""

from standards import SIGMAS, big_sigma, choose, majority, parity, small_sigma
from terms import add, rotate_left, xor


def _sha1_rounds(mix):
    def rounds(d, n, m):
        x, y = list(d), n
        for word in m:
            y = add(y, rotate_left(x[0], 5), mix(*x[1:]), word)
            x[1] = rotate_left(x[1], 30)
            y, x = x[3], [y, *x[:3]]
        return x
    return rounds


def sha1h(n):
    return rotate_left(n, 30)


def sha1su0(d, n, m):
    return [xor(xor(a, b), c) for a, b, c in zip([d[2], d[3], n[0], n[1]], d, m)]


def sha1su1(d, n):
    t = [xor(d[0], n[1]), xor(d[1], n[2]), xor(d[2], n[3]), d[3]]
    return [*(rotate_left(word, 1) for word in t[:3]), xor(rotate_left(t[3], 1), rotate_left(t[0], 2))]


def _sha256_hash(x, y, w, is_first_part):
    big_0, big_1 = SIGMAS[32][:2]
    for word in w:
        t = add(y[3], big_sigma(y[0], big_1), choose(*y[:3]), word)
        y3 = add(t, big_sigma(x[0], big_0), majority(*x[:3]))
        x3 = add(t, x[3])
        x, y = [y3, *x[:3]], [x3, *y[:3]]
    return x if is_first_part else y


def sha256h(d, n, m):
    return _sha256_hash(d, n, m, True)


def sha256h2(d, n, m):
    return _sha256_hash(n, d, m, False)


def sha256su0(d, n):
    return [add(small_sigma(word, SIGMAS[32][2]), old) for word, old in zip([*d[1:], n[0]], d)]


def sha256su1(d, n, m):
    result = []
    for old, middle, late in zip(d, [*n[1:], m[0]], [m[2], m[3], None, None]):
        late = result[len(result) - 2] if late is None else late
        result.append(add(small_sigma(late, SIGMAS[32][3]), old, middle))
    return result


def sha512h(d, n, m):
    big_1 = SIGMAS[64][1]
    high = add(choose(m[1], n[0], n[1]), big_sigma(m[1], big_1), d[1])
    t = add(high, m[0])
    return [add(choose(t, m[1], n[0]), big_sigma(t, big_1), d[0]), high]


def sha512h2(d, n, m):
    big_0 = SIGMAS[64][0]
    high = add(majority(n[0], m[1], m[0]), big_sigma(m[0], big_0), d[1])
    return [add(majority(high, m[0], m[1]), big_sigma(high, big_0), d[0]), high]


def sha512su0(d, n):
    small_0 = SIGMAS[64][2]
    return [add(d[0], small_sigma(d[1], small_0)), add(d[1], small_sigma(n[0], small_0))]


def sha512su1(d, n, m):
    return [add(old, small_sigma(late, SIGMAS[64][3]), middle) for old, late, middle in zip(d, n, m)]


SHA_INSTRUCTIONS = {"sha1c": _sha1_rounds(choose), "sha1p": _sha1_rounds(parity), "sha1m": _sha1_rounds(majority)}
SHA_INSTRUCTIONS.update((of.__name__, of) for of in (
    sha1h, sha1su0, sha1su1, sha256h, sha256h2, sha256su0, sha256su1, sha512h, sha512h2, sha512su0, sha512su1))
