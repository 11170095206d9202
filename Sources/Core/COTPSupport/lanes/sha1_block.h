// SHA-1's compression of one block in lanes: FIPS 180-4, section 6.1.2. Part of template.h.
//
// The dependency chain of a round is a rotation and an addition. AS_WRITTEN keeps the compiler from moving the other
// additions into it.

#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))

#define SCHEDULE(i)                                                                                            \
  EACH_STREAM {                                                                                                \
    const VECTOR mixed = w[((i) + 13) & 15][n] ^ w[((i) + 8) & 15][n] ^ w[((i) + 2) & 15][n] ^ w[(i) & 15][n]; \
    w[(i) & 15][n] = ROTATE_LEFT(mixed, 1);                                                                    \
  }

#define ROUND(f, k, i, a, b, c, d, e)                                        \
  EACH_STREAM {                                                              \
    VECTOR sum = (e[n] + (w[(i) & 15][n] + SPLAT(k))) + f(b[n], c[n], d[n]); \
    AS_WRITTEN(sum);                                                         \
    e[n] = sum + ROTATE_LEFT(a[n], 5);                                       \
    b[n] = ROTATE_LEFT(b[n], 30);                                            \
  }
#define SCHEDULED_ROUND(f, k, i, a, b, c, d, e) SCHEDULE(i) ROUND(f, k, i, a, b, c, d, e)

#define FIVE(round, f, k, i)                                                                                  \
  round(f, k, (i) + 0, a, b, c, d, e) round(f, k, (i) + 1, e, a, b, c, d) round(f, k, (i) + 2, d, e, a, b, c) \
      round(f, k, (i) + 3, c, d, e, a, b) round(f, k, (i) + 4, b, c, d, e, a)
#define TWENTY(f, k, i)            \
  FIVE(SCHEDULED_ROUND, f, k, (i)) \
  FIVE(SCHEDULED_ROUND, f, k, (i) + 5) FIVE(SCHEDULED_ROUND, f, k, (i) + 10) FIVE(SCHEDULED_ROUND, f, k, (i) + 15)

// Overwrites the message.
INSIDE void NAME(block)(VECTOR state[5][STREAMS], VECTOR w[16][STREAMS]) {
  VECTOR a[STREAMS], b[STREAMS], c[STREAMS], d[STREAMS], e[STREAMS];
  EACH_STREAM { a[n] = state[0][n], b[n] = state[1][n], c[n] = state[2][n], d[n] = state[3][n], e[n] = state[4][n]; }

  FIVE(ROUND, CHOOSE, 0x5a827999, 0)
  FIVE(ROUND, CHOOSE, 0x5a827999, 5)
  FIVE(ROUND, CHOOSE, 0x5a827999, 10)
  ROUND(CHOOSE, 0x5a827999, 15, a, b, c, d, e)
  SCHEDULED_ROUND(CHOOSE, 0x5a827999, 16, e, a, b, c, d)
  SCHEDULED_ROUND(CHOOSE, 0x5a827999, 17, d, e, a, b, c)
  SCHEDULED_ROUND(CHOOSE, 0x5a827999, 18, c, d, e, a, b)
  SCHEDULED_ROUND(CHOOSE, 0x5a827999, 19, b, c, d, e, a)
  TWENTY(PARITY, 0x6ed9eba1, 20)
  TWENTY(MAJORITY, 0x8f1bbcdc, 40)
  TWENTY(PARITY, 0xca62c1d6, 60)

  EACH_STREAM {
    state[0][n] += a[n], state[1][n] += b[n], state[2][n] += c[n], state[3][n] += d[n], state[4][n] += e[n];
  }
}

#undef CHOOSE
#undef PARITY
#undef SCHEDULE
#undef ROUND
#undef SCHEDULED_ROUND
#undef FIVE
#undef TWENTY
