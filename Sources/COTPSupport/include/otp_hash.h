/// The hash functions of RFC 6238, section 1.2.

#ifndef OTP_HASH_H
#define OTP_HASH_H

typedef enum otp_kernel_hash {
  OTP_KERNEL_HASH_SHA1 = 1,
  OTP_KERNEL_HASH_SHA256 = 2,
  OTP_KERNEL_HASH_SHA512 = 3,
} otp_kernel_hash;

/// The longest HMAC tag, in bytes (SHA-512's).
#define OTP_MAX_TAG_BYTES 64

/// The longest block, in bytes (SHA-512's).
#define OTP_MAX_BLOCK_BYTES 128

#endif
