// From one midstate per lane to one state word per register. Part of template.h.
//
// A square of up to eight rows is transposed in registers, by swapping ever larger blocks across the diagonal; 16-lane
// registers transpose two squares at once.

#if LANES == 2
#define SIDE 2
#define INDICES(index, size) index(0, size), index(1, size)
#elif LANES == 4
#define SIDE 4
#define INDICES(index, size) index(0, size), index(1, size), index(2, size), index(3, size)
#elif LANES == 8
#define SIDE 8
#define INDICES(index, size)                                                                                      \
  index(0, size), index(1, size), index(2, size), index(3, size), index(4, size), index(5, size), index(6, size), \
      index(7, size)
#else
#define SIDE 8
#define INDICES(index, size)                                                                                      \
  index(0, size), index(1, size), index(2, size), index(3, size), index(4, size), index(5, size), index(6, size), \
      index(7, size), index(8, size), index(9, size), index(10, size), index(11, size), index(12, size),          \
      index(13, size), index(14, size), index(15, size)
#endif

// Of two rows, in blocks of `size` columns: the even blocks of both, and the odd blocks of both.
#define EVEN(column, size) ((column) & (size) ? LANES + (column) - (size) : (column))
#define ODD(column, size) ((column) & (size) ? LANES + (column) : (column) + (size))
#define SWAP(size)                                                                   \
  for (size_t i = 0; i < SIDE; i++) {                                                \
    if (i & (size)) continue;                                                        \
    const VECTOR first = square[i], second = square[i + (size)];                     \
    square[i] = __builtin_shufflevector(first, second, INDICES(EVEN, size));         \
    square[i + (size)] = __builtin_shufflevector(first, second, INDICES(ODD, size)); \
  }

// Reads eight words of each row, even if the hash's state has fewer: a midstate has room for them.
INSIDE void NAME(transpose)(const WORD *const rows[LANES], VECTOR words[STATE_WORDS][STREAMS], size_t n) {
  for (size_t left = 0; left < 8; left += SIDE) {
    VECTOR square[SIDE];
    for (size_t i = 0; i < SIDE; i++) {
#if LANES == SIDE
      memcpy(&square[i], rows[i] + left, sizeof square[i]);
#else
      typedef WORD half_vector __attribute__((vector_size(VECTOR_BYTES / 2)));
      half_vector low, high;
      memcpy(&low, rows[i], sizeof low);
      memcpy(&high, rows[SIDE + i], sizeof high);
      square[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
    }
    SWAP(1)
#if SIDE > 2
    SWAP(2)
#endif
#if SIDE > 4
    SWAP(4)
#endif
    for (size_t i = 0; i < SIDE && left + i < STATE_WORDS; i++) words[left + i][n] = square[i];
  }
}

#undef SIDE
#undef INDICES
#undef EVEN
#undef ODD
#undef SWAP
