// AS_WRITTEN(vector): hides the vector's value from the compiler from here on, so that it does not reorder the
// additions before this point with those after it. It costs no instruction.

#ifndef OTP_LANES_BARRIER_H
#define OTP_LANES_BARRIER_H

#if defined(__x86_64__)
#define AS_WRITTEN(vector) __asm__("" : "+v"(vector))
#elif defined(__aarch64__)
#define AS_WRITTEN(vector) __asm__("" : "+w"(vector))
#else
#define AS_WRITTEN(vector)
#endif

#endif
