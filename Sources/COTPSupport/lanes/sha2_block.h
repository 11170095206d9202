// SHA-256's or SHA-512's compression of one block in lanes: FIPS 180-4, sections 6.2.2 and 6.4.2. Part of template.h.

#if HASH == 256
#define ROUNDS 64
#define ROUND_CONSTANTS sha256_round_constants
#define BIG_SIGMA_0(x) (ROTATE_RIGHT(x, 2) ^ ROTATE_RIGHT(x, 13) ^ ROTATE_RIGHT(x, 22))
#define BIG_SIGMA_1(x) (ROTATE_RIGHT(x, 6) ^ ROTATE_RIGHT(x, 11) ^ ROTATE_RIGHT(x, 25))
#define SMALL_SIGMA_0(x) (ROTATE_RIGHT(x, 7) ^ ROTATE_RIGHT(x, 18) ^ (x) >> 3)
#define SMALL_SIGMA_1(x) (ROTATE_RIGHT(x, 17) ^ ROTATE_RIGHT(x, 19) ^ (x) >> 10)
#else
#define ROUNDS 80
#define ROUND_CONSTANTS sha512_round_constants
#define BIG_SIGMA_0(x) (ROTATE_RIGHT(x, 28) ^ ROTATE_RIGHT(x, 34) ^ ROTATE_RIGHT(x, 39))
#define BIG_SIGMA_1(x) (ROTATE_RIGHT(x, 14) ^ ROTATE_RIGHT(x, 18) ^ ROTATE_RIGHT(x, 41))
#define SMALL_SIGMA_0(x) (ROTATE_RIGHT(x, 1) ^ ROTATE_RIGHT(x, 8) ^ (x) >> 7)
#define SMALL_SIGMA_1(x) (ROTATE_RIGHT(x, 19) ^ ROTATE_RIGHT(x, 61) ^ (x) >> 6)
#endif

#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))

#define SCHEDULE(i)                                                                    \
  EACH_STREAM {                                                                        \
    const VECTOR x = w[((i) + 1) & 15][n], y = w[((i) + 14) & 15][n];                  \
    w[(i) & 15][n] += SMALL_SIGMA_0(x) + w[((i) + 9) & 15][n] + SMALL_SIGMA_1(y);      \
  }

// Rounds wait for each other by way of a and of e: what depends on those is added last, and d has the rest beforehand.
#define ROUND(i, a, b, c, d, e, f, g, h)                                                 \
  EACH_STREAM {                                                                          \
    VECTOR early = h[n] + (w[(i) & 15][n] + SPLAT(k[i]));                   \
    VECTOR early_with_d = d[n] + early;                                                  \
    AS_WRITTEN(early);                                                                   \
    AS_WRITTEN(early_with_d);                                                            \
    const VECTOR chosen = CHOOSE(e[n], f[n], g[n]);                                      \
    VECTOR sum = early + chosen, sum_with_d = early_with_d + chosen;                     \
    AS_WRITTEN(sum);                                                                     \
    AS_WRITTEN(sum_with_d);                                                              \
    const VECTOR mixed = BIG_SIGMA_1(e[n]);                                              \
    d[n] = sum_with_d + mixed;                                                           \
    VECTOR late = (sum + mixed) + MAJORITY(a[n], b[n], c[n]);                            \
    AS_WRITTEN(late);                                                                    \
    h[n] = late + BIG_SIGMA_0(a[n]);                                                     \
  }
#define SCHEDULED_ROUND(i, a, b, c, d, e, f, g, h) SCHEDULE(i) ROUND(i, a, b, c, d, e, f, g, h)

#define EIGHT(round, i)                  \
  round((i) + 0, a, b, c, d, e, f, g, h) \
  round((i) + 1, h, a, b, c, d, e, f, g) \
  round((i) + 2, g, h, a, b, c, d, e, f) \
  round((i) + 3, f, g, h, a, b, c, d, e) \
  round((i) + 4, e, f, g, h, a, b, c, d) \
  round((i) + 5, d, e, f, g, h, a, b, c) \
  round((i) + 6, c, d, e, f, g, h, a, b) \
  round((i) + 7, b, c, d, e, f, g, h, a)
#define SIXTEEN EIGHT(SCHEDULED_ROUND, 0) EIGHT(SCHEDULED_ROUND, 8)

// Overwrites the message.
INSIDE void NAME(block)(VECTOR state[8][STREAMS], VECTOR w[16][STREAMS]) {
  VECTOR a[STREAMS], b[STREAMS], c[STREAMS], d[STREAMS], e[STREAMS], f[STREAMS], g[STREAMS], h[STREAMS];
  EACH_STREAM {
    a[n] = state[0][n], b[n] = state[1][n], c[n] = state[2][n], d[n] = state[3][n];
    e[n] = state[4][n], f[n] = state[5][n], g[n] = state[6][n], h[n] = state[7][n];
  }

  // After sixteen rounds every variable is in its place again: one loop's worth of code serves them all.
  const WORD *k = ROUND_CONSTANTS;
  EIGHT(ROUND, 0)
  EIGHT(ROUND, 8)
  _Pragma("clang loop unroll(disable)") while ((k += 16) != ROUND_CONSTANTS + ROUNDS) {
    SIXTEEN
  }

  EACH_STREAM {
    state[0][n] += a[n], state[1][n] += b[n], state[2][n] += c[n], state[3][n] += d[n];
    state[4][n] += e[n], state[5][n] += f[n], state[6][n] += g[n], state[7][n] += h[n];
  }
}

#undef ROUNDS
#undef ROUND_CONSTANTS
#undef BIG_SIGMA_0
#undef BIG_SIGMA_1
#undef SMALL_SIGMA_0
#undef SMALL_SIGMA_1
#undef CHOOSE
#undef MAJORITY
#undef SCHEDULE
#undef ROUND
#undef SCHEDULED_ROUND
#undef EIGHT
#undef SIXTEEN
