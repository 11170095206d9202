// PostgreSQL's libpq, 15 or later, for MultiFactorPostgreSQL, under the trait PostgreSQL.

#include <libpq-fe.h>

#ifndef LIBPQ_HAS_SSL_LIBRARY_DETECTION
#error "swift-otp needs libpq 15 or later"
#endif

// The fields of an error report with its severity, untranslated, and its code. Swift does not import libpq's own names
// for them, which are macros of character constants.
enum { OTP_PQ_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED, OTP_PQ_SQLSTATE = PG_DIAG_SQLSTATE };
