// The kernels for AVX-512F and AVX-512VL: 256-bit vectors for few codes, 512-bit ones for more, and two streams of
// these for many. One stream waits for its own additions, for SHA-1 on Zen 5 half of the time, and a second one fills
// the gaps. plans.c says where that pays off.

#if defined(__x86_64__)

#define TARGET "avx512f,avx512vl"
#define TERNARY_LOGIC

#define HASH 1
#define KERNEL otp_avx512_sha1_x8
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 320
#include "template.h"

#define HASH 1
#define KERNEL otp_avx512_sha1_x16
#define VECTOR_BYTES 64
#define STREAMS 1
#define STACK_BYTES 320
#include "template.h"

#define HASH 1
#define KERNEL otp_avx512_sha1_x32
#define VECTOR_BYTES 64
#define STREAMS 2
#define STACK_BYTES 3136
#include "template.h"

#define HASH 256
#define KERNEL otp_avx512_sha256_x8
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 1216
#include "template.h"

#define HASH 256
#define KERNEL otp_avx512_sha256_x16
#define VECTOR_BYTES 64
#define STREAMS 1
#define STACK_BYTES 2112
#include "template.h"

#define HASH 256
#define KERNEL otp_avx512_sha256_x32
#define VECTOR_BYTES 64
#define STREAMS 2
#define STACK_BYTES 3520
#include "template.h"

#define HASH 512
#define KERNEL otp_avx512_sha512_x4
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 1216
#include "template.h"

#define HASH 512
#define KERNEL otp_avx512_sha512_x8
#define VECTOR_BYTES 64
#define STREAMS 1
#define STACK_BYTES 1984
#include "template.h"

#define HASH 512
#define KERNEL otp_avx512_sha512_x16
#define VECTOR_BYTES 64
#define STREAMS 2
#define STACK_BYTES 3456
#include "template.h"

#endif
