// What this CPU has, and the operating system lets a process use.

#ifndef OTP_CPU_H
#define OTP_CPU_H

int otp_cpu_has_sha_ni(void);
int otp_cpu_has_avx2(void);
// The foundation and the 128- and 256-bit forms.
int otp_cpu_has_avx512(void);
// ARMv8's instructions for SHA-1 and SHA-256, and ARMv8.2's for SHA-512 beside them.
int otp_cpu_has_sha_arm(void);
int otp_cpu_has_sha512_arm(void);

#endif
