// What this CPU has and the operating system lets a process use.

#ifndef OTP_CPU_H
#define OTP_CPU_H

int otp_cpu_has_sha_ni(void);
int otp_cpu_has_avx2(void);
// AVX-512F and AVX-512VL.
int otp_cpu_has_avx512(void);
// The ARMv8 instructions for SHA-1 and SHA-256; the second function also requires those of ARMv8.2 for SHA-512.
int otp_cpu_has_sha_arm(void);
int otp_cpu_has_sha512_arm(void);

#endif
