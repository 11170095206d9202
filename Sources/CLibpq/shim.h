// PostgreSQL's libpq, 15 or later. MultiFactorPostgreSQL calls it, under the trait PostgreSQL.

#include <libpq-fe.h>

#ifndef LIBPQ_HAS_TRACE_FLAGS
#error "swift-otp needs libpq 15 or later"
#endif

// The fields of a report that have its severity, untranslated, and its code. Swift does not see libpq's own names for
// them, which are macros of characters.
enum { OTP_PQ_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED, OTP_PQ_SQLSTATE = PG_DIAG_SQLSTATE };
