// The kernels in AVX2's 256-bit vectors. Two streams would need more registers than its sixteen.

#if defined(__x86_64__)

#define TARGET "avx2"

#define HASH 1
#define KERNEL otp_avx2_sha1_x8
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 2048
#include "template.h"

#define HASH 256
#define KERNEL otp_avx2_sha256_x8
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 2048
#include "template.h"

#define HASH 512
#define KERNEL otp_avx2_sha512_x4
#define VECTOR_BYTES 32
#define STREAMS 1
#define STACK_BYTES 2048
#include "template.h"

#endif
