// Dynamic truncation in lanes: RFC 4226, section 5.3. Part of template.h.
//
// The offset, the tag's last four bits, is secret: each of its bits is turned into a mask that selects whether the tag
// moves by 8, 4, 2 or 1 bytes. The result is the four bytes at the offset, without the first bit.

// Writes the values of the lanes of one register.
INSIDE void NAME(truncate)(VECTOR tag[STATE_WORDS][STREAMS], size_t n, uint32_t *values) {
  const VECTOR last = tag[STATE_WORDS - 1][n];
  VECTOR by_8 = MASK_OF_BIT(last, 3), by_4 = MASK_OF_BIT(last, 2);
  VECTOR by_2 = MASK_OF_BIT(last, 1), by_1 = MASK_OF_BIT(last, 0);
  // If the compiler knew how a mask is made, it could turn a selection into a shift by a secret count.
  AS_WRITTEN(by_8);
  AS_WRITTEN(by_4);
  AS_WRITTEN(by_2);
  AS_WRITTEN(by_1);
#if HASH == 512
  VECTOR high = SELECT(by_8, tag[1][n], tag[0][n]);
  VECTOR low = SELECT(by_8, tag[2][n], tag[1][n]);
  high = SELECT(by_4, high << 32 | low >> 32, high);
  low = SELECT(by_4, low << 32, low);
#else
  const VECTOR first = SELECT(by_8, tag[2][n], tag[0][n]);
  const VECTOR second = SELECT(by_8, tag[3][n], tag[1][n]);
  const VECTOR third = SELECT(by_8, tag[4][n], tag[2][n]);
  VECTOR high = SELECT(by_4, second, first);
  VECTOR low = SELECT(by_4, third, second);
#endif
  high = SELECT(by_2, high << 16 | low >> (WORD_BITS - 16), high);
  low = SELECT(by_2, low << 16, low);
  high = SELECT(by_1, high << 8 | low >> (WORD_BITS - 8), high);
#if HASH == 512
  typedef uint32_t half_vector __attribute__((vector_size(VECTOR_BYTES / 2)));
  const half_vector result = __builtin_convertvector(high >> 32 & SPLAT(0x7fffffff), half_vector);
#else
  const VECTOR result = high & SPLAT(0x7fffffff);
#endif
  memcpy(values, &result, sizeof result);
}
