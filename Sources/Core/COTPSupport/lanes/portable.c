// The kernels in the compiler's 128-bit vectors: SSE2 on x86-64, NEON on arm64, scalar code elsewhere.

#define HASH 1
#define KERNEL otp_portable_sha1_x4
#define VECTOR_BYTES 16
#define STREAMS 1
#define STACK_BYTES 512
#include "template.h"

#define HASH 256
#define KERNEL otp_portable_sha256_x4
#define VECTOR_BYTES 16
#define STREAMS 1
#define STACK_BYTES 960
#include "template.h"

#define HASH 512
#define KERNEL otp_portable_sha512_x2
#define VECTOR_BYTES 16
#define STREAMS 1
#define STACK_BYTES 896
#include "template.h"
