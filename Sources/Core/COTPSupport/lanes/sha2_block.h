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

// Seven additions. A round depends on the one before through a and e, so what depends on these is added last.
#define ROUND(i, a, b, c, d, e, f, g, h)                          \
  EACH_STREAM {                                                   \
    VECTOR sum = h[n] + (w[i][n] + SPLAT(k[i]));                  \
    AS_WRITTEN(sum);                                              \
    sum += CHOOSE(e[n], f[n], g[n]);                              \
    AS_WRITTEN(sum);                                              \
    sum += BIG_SIGMA_1(e[n]);                                     \
    AS_WRITTEN(sum);                                              \
    d[n] += sum;                                                  \
    VECTOR rest = MAJORITY(a[n], b[n], c[n]) + BIG_SIGMA_0(a[n]); \
    AS_WRITTEN(rest);                                             \
    h[n] = sum + rest;                                            \
  }
// The same with the next word of the message, which replaces the one 16 words before it. The two words just before it
// were written most recently, and are kept in registers.
#define SCHEDULED_ROUND(i, a, b, c, d, e, f, g, h)                                        \
  EACH_STREAM {                                                                           \
    VECTOR word = (w[i][n] + w[((i) + 9) & 15][n]) + SMALL_SIGMA_0(w[((i) + 1) & 15][n]); \
    AS_WRITTEN(word);                                                                     \
    word += SMALL_SIGMA_1(before_last[n]);                                                \
    w[i][n] = word, before_last[n] = last[n], last[n] = word;                             \
  }                                                                                       \
  ROUND(i, a, b, c, d, e, f, g, h)

#define EIGHT(round, i)                                                                                                \
  round((i) + 0, a, b, c, d, e, f, g, h) round((i) + 1, h, a, b, c, d, e, f, g) round((i) + 2, g, h, a, b, c, d, e, f) \
      round((i) + 3, f, g, h, a, b, c, d, e) round((i) + 4, e, f, g, h, a, b, c, d)                                    \
          round((i) + 5, d, e, f, g, h, a, b, c) round((i) + 6, c, d, e, f, g, h, a, b)                                \
              round((i) + 7, b, c, d, e, f, g, h, a)

// Overwrites the message, which is in memory.
INSIDE void NAME(block)(VECTOR state[8][STREAMS], VECTOR w[16][STREAMS]) {
  VECTOR a[STREAMS], b[STREAMS], c[STREAMS], d[STREAMS], e[STREAMS], f[STREAMS], g[STREAMS], h[STREAMS];
  VECTOR last[STREAMS], before_last[STREAMS];
  EACH_STREAM {
    a[n] = state[0][n], b[n] = state[1][n], c[n] = state[2][n], d[n] = state[3][n];
    e[n] = state[4][n], f[n] = state[5][n], g[n] = state[6][n], h[n] = state[7][n];
    last[n] = w[15][n], before_last[n] = w[14][n];
  }

  // Every variable is back in its place after eight rounds, and every word after sixteen: two loops of 6 to 9 KB for
  // two streams. Unrolled, they are more than an instruction cache holds beside other code.
  const WORD *k = ROUND_CONSTANTS;
  _Pragma("clang loop unroll(disable)") for (size_t i = 0; i < 16; i += 8){EIGHT(ROUND, i)} _Pragma(
      "clang loop unroll(disable)") while ((k += 16) != ROUND_CONSTANTS + ROUNDS){EIGHT(SCHEDULED_ROUND, 0)
                                                                                      EIGHT(SCHEDULED_ROUND, 8)}

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
#undef ROUND
#undef SCHEDULED_ROUND
#undef EIGHT
