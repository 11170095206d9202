/// Marking memory as secret for valgrind's memcheck: a branch or an address that depends on it is then reported.

#ifndef CTAINT_H
#define CTAINT_H

#include <stddef.h>
#include <stdint.h>

/// Marks bytes as secret ("undefined", in memcheck's words).
void ct_taint(void *bytes, size_t size);

/// Marks bytes as public again.
void ct_untaint(void *bytes, size_t size);

/// 1 if any bit of the bytes is secret, 0 if none is, -1 if the program does not run under valgrind.
int ct_is_tainted(const void *bytes, size_t size);

/// The number of secret values that the engine has declassified so far.
unsigned ct_declassification_count(void);

/// The number of reports that memcheck has made so far.
unsigned ct_report_count(void);

#endif
