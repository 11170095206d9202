#!/usr/bin/env bash
# macOS on arm64, as far as a compiler can check it without Apple's headers: stand-ins for those that the C support
# includes are written here, after POSIX, C and Apple's manual pages, and the engine is compiled as Embedded Swift for
# an Apple CPU without an operating system. Nothing is linked or run.
#
#   macos.sh HEADERS    the folder of OpenSSL's headers
set -euo pipefail
cd "$(dirname "$0")"
kernels=../../../Sources/COTPSupport
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{openssl,sys}

cat > "$work/sys/types.h" << 'C'
#pragma once
#include <stddef.h>
typedef long ssize_t;
typedef long long off_t;
typedef unsigned short mode_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
C
cat > "$work/sys/stat.h" << 'C'
#pragma once
#include <sys/types.h>
struct stat { mode_t st_mode; uid_t st_uid; gid_t st_gid; off_t st_size; };
#define S_ISREG(mode) (((mode) & 0170000) == 0100000)
#define S_IRGRP 0000040
#define S_IWGRP 0000020
#define S_IROTH 0000004
#define S_IWOTH 0000002
int fstat(int, struct stat *);
C
cat > "$work/fcntl.h" << 'C'
#pragma once
#define O_RDONLY 0
#define O_NONBLOCK 0x4
#define O_CLOEXEC 0x1000000
int open(const char *, int, ...);
C
cat > "$work/sys/sysctl.h" << 'C'
#pragma once
#include <stddef.h>
int sysctlbyname(const char *name, void *old, size_t *old_size, void *new, size_t new_size);
C
cat > "$work/string.h" << 'C'
#pragma once
#include <stddef.h>
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
char *strchr(const char *, int);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
size_t strcspn(const char *, const char *);
size_t strlen(const char *);
C
cat > "$work/stdio.h" << 'C'
#pragma once
#include <stdarg.h>
#include <stddef.h>
typedef struct __sFILE FILE;
extern FILE *__stderrp;
#define stderr __stderrp
int fprintf(FILE *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
int sscanf(const char *, const char *, ...);
C
cat > "$work/stdlib.h" << 'C'
#pragma once
#include <stddef.h>
char *getenv(const char *);
void abort(void);
void *malloc(size_t);
void free(void *);
C
cat > "$work/time.h" << 'C'
#pragma once
typedef long time_t;
struct tm;
struct timeval;
struct timespec { long tv_sec; long tv_nsec; };
typedef int clockid_t;
#define CLOCK_MONOTONIC 6
int clock_gettime(clockid_t, struct timespec *);
C
cat > "$work/unistd.h" << 'C'
#pragma once
#include <sys/types.h>
int close(int);
int issetugid(void);
ssize_t read(int, void *, size_t);
C
cat > "$work/pthread.h" << 'C'
#pragma once
#include <stddef.h>
typedef struct _opaque_pthread_t *pthread_t;
typedef unsigned long pthread_key_t;
typedef struct _opaque_pthread_attr_t pthread_attr_t;
typedef struct { long value; char bytes[8]; } pthread_once_t;
#define PTHREAD_ONCE_INIT {0x30B1BCBA, {0}}
typedef struct { long value; char bytes[56]; } pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER {0x32AAABA7, {0}}
typedef struct _opaque_pthread_mutexattr_t pthread_mutexattr_t;
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
pthread_t pthread_self(void);
int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_once(pthread_once_t *, void (*)(void));
C
printf '#pragma once\n#include <stdint.h>\n' > "$work/inttypes.h"
printf '#pragma once\n#define errno (*__error())\n#define EINTR 4\n#define ENOENT 2\nint *__error(void);\n' > "$work/errno.h"
printf '#pragma once\n' > "$work/ctype.h"

checked=0
# In freestanding mode, clang provides stdint.h and limits.h.
while read -r source; do
  clang -target arm64-apple-macosx13 -nostdlibinc -isystem "$work" -isystem "$1" -isystem "$1/aarch64-linux-gnu" \
    -std=c11 -O2 -ffreestanding -Wall -Wextra -Werror -Wno-deprecated-declarations -I "$kernels/include" \
    -c "$source" -o "$work/object.o"
  checked=$((checked + 1))
done < <(find "$kernels" -name '*.c' | sort)
mapfile -t engine < <(find ../../../Sources/OTP -name '*.swift' | sort)
flags=()
for flag in -nostdlibinc -isystem "$work" -isystem "$1" -isystem "$1/aarch64-linux-gnu"; do flags+=(-Xcc "$flag"); done
swiftc -target arm64-apple-none-macho -enable-experimental-feature Embedded -typecheck -swift-version 6 \
  -strict-memory-safety -warnings-as-errors -package-name swift-otp -module-name OTP -parse-as-library \
  "${flags[@]}" -Xcc -ffreestanding -I "$kernels/include" "${engine[@]}"
echo "macos: $checked files of C compile for arm64, and ${#engine[@]} of the engine's type-check"
