// The kernels for AVX-512F and AVX-512VL: 256-bit vectors for a few codes, 512-bit ones for more, and for many codes by
// SHA-1 two streams of those. On Zen 5, one stream of SHA-1 waits for its own additions half of the time, and a second
// fills the gaps; plans.c says where it does not pay. Two streams of SHA-2 are about as much code as an instruction
// cache holds: they were a fifth faster in one process and half as slow again in the next.

#if defined(__x86_64__)

#define TARGET "avx512f,avx512vl"

#define HASH 1
#define KERNEL otp_avx512_sha1_x8
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 2048
#include "template.h"

#define HASH 1
#define KERNEL otp_avx512_sha1_x16
#define VECTOR_BYTES 64
#define STREAMS 1
#define STACK_BYTES 2048
#include "template.h"

#define HASH 1
#define KERNEL otp_avx512_sha1_x32
#define VECTOR_BYTES 64
#define STREAMS 2
#define STACK_BYTES 4096
#include "template.h"

#define HASH 256
#define KERNEL otp_avx512_sha256_x8
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 2048
#include "template.h"

#define HASH 256
#define KERNEL otp_avx512_sha256_x16
#define VECTOR_BYTES 64
#define STREAMS 1
#define STACK_BYTES 3072
#include "template.h"

#define HASH 512
#define KERNEL otp_avx512_sha512_x4
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 2048
#include "template.h"

#define HASH 512
#define KERNEL otp_avx512_sha512_x8
#define VECTOR_BYTES 64
#define STREAMS 1
#define STACK_BYTES 3072
#include "template.h"

#endif
