// The kernels for AVX2, in 256-bit vectors. Two streams need more than its sixteen registers; plans.c says where they
// pay off nonetheless.

#if defined(__x86_64__)

#define TARGET "avx2"

#define HASH 1
#define KERNEL otp_avx2_sha1_x8
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 1280
#include "template.h"

#define HASH 1
#define KERNEL otp_avx2_sha1_x16
#define VECTOR_BYTES 32
#define STREAMS 2
#define STACK_BYTES 2304
#include "template.h"

#define HASH 256
#define KERNEL otp_avx2_sha256_x8
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 1728
#include "template.h"

#define HASH 512
#define KERNEL otp_avx2_sha512_x4
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 1600
#include "template.h"

#define HASH 512
#define KERNEL otp_avx2_sha512_x8
#define VECTOR_BYTES 32
#define STREAMS 2
#define STACK_BYTES 2688
#include "template.h"

#endif
