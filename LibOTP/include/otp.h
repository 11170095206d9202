/**
 * libotp: one-time passwords for servers in any language.
 *
 * HOTP (RFC 4226) and TOTP (RFC 6238) codes, their verification over a window of steps, base32 secrets (RFC 4648),
 * otpauth:// URIs, and records: a user's factor with its state, sealed, in one column of your own table. C99 and C++.
 * The library needs libcrypto (OpenSSL 3.0 or later) and libc (glibc 2.17 or later).
 *
 * Errors
 *   A function that can fail returns an otp_status, OTP_OK (0) on success. On failure its output is unchanged, unless
 *   its description says otherwise; an otp_match then says that nothing was accepted, and why. A wrong code is not an
 *   error but a result. No input aborts the process: a null pointer that is not allowed, a size that is too small, a
 *   length over SIZE_MAX / 512, which no memory can hold, and a value that is not an enumerator are
 *   OTP_INVALID_ARGUMENT. A pointer may be NULL if its length is 0. (If memory runs out, the process ends.)
 *
 * Structures
 *   Each begins with its own size, which the caller sets (the OTP_..._INIT macros do), so that later versions can add
 *   members. A structure larger than the one that the library knows is accepted if the unknown part is zero. (A size is
 *   at most 4,096, and a multiple of the structure's alignment.) Without C's macros, set the size, and call the
 *   otp_..._init() function, if there is one, for the rest.
 *
 * Threads
 *   Any number of threads can call any function at once, even with the same key, as long as no thread destroys that key
 *   at the same time. Between calls the library keeps only the number of records that it has sealed, and what it found
 *   out: the CPU's features, the results of the known-answer tests, the backend, on which later changes of OTP_BACKEND
 *   have no effect, how many codes it computed, up to some 4,096 with each hash, and, after these, how long its
 *   kernels take.
 *
 * Fork
 *   Keys, keyrings and records work in parent and child, which never draw the same secret, or seal two different
 *   records with one nonce.
 *   libcrypto has locks of its own, and a child that was forked while another thread held one hangs when it needs that
 *   lock. So a fork waits while another thread makes its process's first use of the library, draws a secret, or makes a
 *   keyring (by pthread_atfork(), so vfork() and a bare clone() do not). It cannot wait for what the process does with
 *   libcrypto by other means, such as TLS. A thread that has used libcrypto takes one of its locks as it ends: do not
 *   fork while one may be ending. With the backend "evp", which takes libcrypto's locks at every code and record, fork
 *   only while no other thread makes or verifies one. In a process that forks, CALL otp_self_test() AT THE START,
 *   before there are threads: libcrypto is then initialized, and the child repeats nothing. From then on a signal
 *   handler may fork, too, whatever it interrupts, if libc allows that (glibc, in a process with one thread). It must
 *   not call the library, nor may its child, unless it executes another program.
 *
 * Exit
 *   libcrypto releases its memory as the process exits, and can crash if threads that have used it end at that moment.
 *   A program that exits while it has threads calls otp_keep_libcrypto_at_exit() before anything else.
 *
 * Memory
 *   Verifying and generating codes allocate nothing (except, with the backend "evp", what OpenSSL allocates). The
 *   library wipes its own memory that held key material; wiping the caller's buffers is left to the caller.
 *   The input of a function may overlap its output, as when a text is decoded in place, except for otp_verify_batch(),
 *   which refuses that. If two outputs of one call overlap, such as a text and its length, or the memory for a result
 *   and the details of an error, the call is refused with OTP_INVALID_ARGUMENT.
 *
 * Stack
 *   The most that a call takes, in KiB, including libcrypto's functions, with keys of the backend "lanes" and of any
 *   backend. Measured on x86-64, with OpenSSL 3.0.
 *
 *                                                              lanes  any
 *     otp_verify_batch                                            11   11
 *     those of records, and that make a keyring or its file       12   12
 *     otp_hotp_verify, otp_hotp_resynchronize                      6   10
 *     otp_totp_verify, otp_totp_verify_secret                      6   10
 *     otp_hotp, otp_totp                                           5    9
 *     otp_key_create, and the others that create a key             5    9
 *     otp_secret_generate                                          9    9
 *     otp_info, otp_uri_build, otp_uri_parse                       3    3
 *     any other function                                           1    1
 *     the first call of a process, or otp_self_test               12   12
 *
 *   So every function works on a thread with a stack of 16 KiB, the least that glibc allows on x86-64, of which libc
 *   takes about 4. If OpenSSL's configuration loads a provider, the first call can take more: call otp_self_test()
 *   first, on a thread with a larger stack. If a stack is too small, the process ends at its guard page, and nothing is
 *   written beyond it.
 *
 * Timing
 *   Neither time nor memory accesses depend on a secret's bytes, an expected code, the digits of a submitted one, or
 *   which step matched. They may depend on lengths, on parameters, and on whether a text is a well-formed code.
 */
#ifndef OTP_H
#define OTP_H

#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX < 0xffffffffffffffff
#error "libotp is for 64-bit systems only"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. otp_version() has the library's. */
#define OTP_VERSION "0.1.0"

/** The outcome of a call. Later versions may add some: treat an unknown one as a failure. */
typedef enum otp_status {
  OTP_OK = 0,
  /** A pointer, a size, a count or an enumerator that is not allowed: a mistake in the calling program. */
  OTP_INVALID_ARGUMENT = 1,
  /** There is not enough room for the result. Only the required length is written. For a text it does not count the
   *  NUL, for which there must be room too. (otp_uri_parse() writes no length.) */
  OTP_OUTPUT_TOO_SHORT = 2,

  /** The secret has no bytes. */
  OTP_EMPTY_SECRET = 10,
  /** A character that is not in RFC 4648's base32 alphabet. */
  OTP_INVALID_BASE32_CHARACTER = 11,
  /** A number of base32 symbols that no whole number of bytes encodes to. */
  OTP_INVALID_BASE32_LENGTH = 12,
  /** Base32 padding that is missing, too long, or followed by symbols. */
  OTP_INVALID_BASE32_PADDING = 13,
  /** The unused bits of the last base32 symbol are not zero (only with OTP_BASE32_STRICT). */
  OTP_NON_ZERO_BASE32_TRAILING_BITS = 14,

  /** The URI names a hash function that RFC 6238 does not use. */
  OTP_INVALID_ALGORITHM = 20,
  /** A number of digits outside 6 to 8. */
  OTP_INVALID_DIGITS = 21,
  /** A period under 1 second, or, in a URI, not a number. */
  OTP_INVALID_PERIOD = 22,
  /** The URI's counter is not a number from 0 to 2^64-1. */
  OTP_INVALID_COUNTER = 23,
  /** A side of a window outside 0 to 10. */
  OTP_INVALID_WINDOW = 24,
  /** A look-ahead outside 0 to 1000. */
  OTP_INVALID_LOOK_AHEAD = 25,
  /** The time is before t0, when step 0 begins. */
  OTP_TIME_BEFORE_T0 = 26,
  /** The typed text is not a code with the expected number of digits (only from otp_code_read_typed()). */
  OTP_MALFORMED_CODE = 27,

  /** A URI of more than 2,048 bytes. */
  OTP_URI_TOO_LONG = 40,
  /** A URI whose scheme is not otpauth. */
  OTP_INVALID_SCHEME = 41,
  /** A URI whose type is neither totp nor hotp. */
  OTP_INVALID_TYPE = 42,
  /** A URI with user information or a port. */
  OTP_INVALID_AUTHORITY = 43,
  /** A URI with a fragment. */
  OTP_UNEXPECTED_FRAGMENT = 44,
  /** A control character in a URI. */
  OTP_INVALID_CHARACTER = 45,
  /** A % that is not followed by two hexadecimal digits. */
  OTP_INVALID_PERCENT_ENCODING = 46,
  /** Bytes that are not UTF-8. */
  OTP_INVALID_UTF8 = 47,
  /** An issuer that contains a colon. */
  OTP_INVALID_ISSUER = 48,
  /** An account that is empty or contains a colon, or, in a URI to be built, begins with a space. */
  OTP_INVALID_ACCOUNT = 49,
  /** A URI without a required parameter. */
  OTP_MISSING_PARAMETER = 50,
  /** A known parameter given twice. */
  OTP_DUPLICATE_PARAMETER = 51,
  /** The name of an additional parameter is empty. */
  OTP_INVALID_PARAMETER_NAME = 52,

  /** The random generator failed. There is no fallback. */
  OTP_RANDOMNESS_UNAVAILABLE = 60,
  /** A backend that is not available here or failed its known-answer test, or an OTP_BACKEND that names no backend. */
  OTP_BACKEND_UNAVAILABLE = 61,
  /** libcrypto failed: it ran out of memory, a provider refused the hash, or it was already in use (only from
   *  otp_keep_libcrypto_at_exit()). */
  OTP_CRYPTOGRAPHY_FAILED = 62,

  /** The bytes are not a record: truncated, or something else. */
  OTP_MALFORMED_RECORD = 80,
  /** A later version of the library has written the record. */
  OTP_LATER_RECORD = 81,
  /** The record is sealed and the keyring does not seal, or the other way around. */
  OTP_WRONG_ENCODING = 82,
  /** The record was sealed for another subject. */
  OTP_ANOTHER_SUBJECT = 83,
  /** The function is not for this kind of record. */
  OTP_ANOTHER_KIND = 84,
  /** The keyring lacks the key that sealed the record. */
  OTP_UNKNOWN_KEY = 85,
  /** The record was altered, or sealed by another key of the same name. */
  OTP_NOT_AUTHENTIC = 86,
  /** A subject that is empty, or longer than 1,024 bytes. */
  OTP_INVALID_SUBJECT = 87,
  /** A secret longer than 1,024 bytes. */
  OTP_INVALID_SECRET = 88,
  /** The enrollment was confirmed already. */
  OTP_NOT_PENDING = 89,
  /** An issuer or account that cannot be in a key URI, or makes it too long. */
  OTP_INVALID_NAME = 90,
  /** A time outside 2000 to 2199, as if it were in milliseconds (only for records). */
  OTP_INVALID_TIME = 91,
  /** A number of the policy that is out of its range. */
  OTP_INVALID_POLICY = 92,
  /** The factor is active, and nothing says that it is to be replaced. */
  OTP_ENROLLED = 93,

  /** The keyring's file is not there, neither a regular file nor a pipe, or cannot be read. */
  OTP_KEYRING_UNREADABLE = 100,
  /** The group or others may read or write the keyring's file. */
  OTP_KEYRING_READABLE_BY_OTHERS = 101,
  /** The file is not a keyring. */
  OTP_KEYRING_MALFORMED = 102,
  /** The keyring's file was damaged, or changed by hand: its checksum is wrong. */
  OTP_KEYRING_CORRUPT = 103,
  /** A key's name that is not 1 to 32 characters of A-Z, a-z, 0-9, '.', '_' and '-'. */
  OTP_INVALID_KEY_NAME = 104,
  /** A key that is not 32 bytes long. */
  OTP_INVALID_KEY = 105,
  /** Two keys of the same name. */
  OTP_DUPLICATE_KEY_NAME = 106,
  /** There is something in the place of a new keyring's file. */
  OTP_KEYRING_EXISTS = 107,
  /** The keyring's file cannot be written. */
  OTP_KEYRING_UNWRITABLE = 108
} otp_status;

/** What a status means, in a few words of English. Never NULL; valid as long as the library is loaded. */
const char *otp_status_string(otp_status status);

/** A hash function for HMAC (RFC 6238, section 1.2). */
typedef enum otp_hash { OTP_SHA1 = 1, OTP_SHA256 = 2, OTP_SHA512 = 3 } otp_hash;

/** What kind of codes a key is for. */
typedef enum otp_type {
  /** Time-based (RFC 6238). */
  OTP_TOTP = 1,
  /** Counter-based (RFC 4226). */
  OTP_HOTP = 2
} otp_type;

/* ---- Keys ---------------------------------------------------------------------------------------------------------*/

/** A secret prepared for HMAC, 100 to 160 bytes. Creating one costs as much as a few codes: keep it while it is in use.
 *  If the CPU's caches do not hold all that are, otp_totp_verify_secret() can be faster. */
typedef struct otp_key otp_key;

/** An implementation of HMAC. */
typedef enum otp_backend {
  /** The fastest one that passes its known-answer test, or the one that the environment variable OTP_BACKEND names,
   *  which set-user-ID programs ignore. */
  OTP_BACKEND_STANDARD = 0,
  /** OpenSSL's EVP_MAC: the only one that honors OpenSSL's providers. A process bound to FIPS 140 must use it. */
  OTP_BACKEND_EVP = 1,
  /** Midstates finished by OpenSSL's block transforms, which bypass its providers. */
  OTP_BACKEND_MIDSTATE = 2,
  /** Midstates finished by this library's own kernels in vector registers, or, for a single code, by OpenSSL's block
   *  transforms if the CPU has no instructions for the hash. Bypasses OpenSSL's providers. */
  OTP_BACKEND_LANES = 3
} otp_backend;

/**
 * Prepares a secret. The bytes are used as they are; a secret longer than the hash's block is hashed first (RFC 2104).
 *
 * secret, secret_len: 1 byte or more. The secret is copied: wipe your own copy. RFC 4226 (section 4, R6) requires new
 *   secrets to have 16 bytes or more. Shorter ones are accepted, since they are in use and their codes must be
 *   verified, but otp_secret_generate() never makes one.
 * out: receives the key; destroy it with otp_key_destroy(). Set to NULL on failure.
 *
 * Returns OTP_EMPTY_SECRET, OTP_BACKEND_UNAVAILABLE, OTP_CRYPTOGRAPHY_FAILED or OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_key_create(otp_hash hash, const uint8_t *secret, size_t secret_len, otp_key **out);

/** The same with a given backend. */
otp_status otp_key_create_with_backend(
    otp_backend backend, otp_hash hash, const uint8_t *secret, size_t secret_len, otp_key **out);

/**
 * Prepares the secret that a base32 text encodes, as people type it: upper or lower case, spaces and hyphens between
 * symbols, padding or none.
 *
 * Also returns OTP_INVALID_BASE32_CHARACTER, OTP_INVALID_BASE32_LENGTH or OTP_INVALID_BASE32_PADDING.
 */
otp_status otp_key_create_base32(otp_hash hash, const char *text, size_t text_len, otp_key **out);

/** Wipes and releases a key. NULL is allowed. */
void otp_key_destroy(otp_key *key);

/* ---- Codes --------------------------------------------------------------------------------------------------------*/

/** How TOTP counts time and writes codes. */
typedef struct otp_totp_params {
  size_t size;
  /** How many digits a code has: 6 to 8. */
  unsigned digits;
  /** The length of a step in seconds, 1 or more. */
  int64_t period;
  /** The Unix time at which step 0 begins. */
  int64_t t0;
} otp_totp_params;

/** Six digits, 30 seconds, from 1970: also the meaning of a NULL pointer to parameters. */
#define OTP_TOTP_PARAMS_INIT {sizeof(otp_totp_params), 6, 30, 0}

/**
 * Writes the code of a counter, 0 to 2^64-1 (RFC 4226, section 5).
 *
 * digits: 6 to 8.
 * out: receives the digits and a NUL.
 *
 * Returns OTP_INVALID_DIGITS, OTP_CRYPTOGRAPHY_FAILED or OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_hotp(const otp_key *key, uint64_t counter, unsigned digits, char out[9]);

/**
 * Writes the code at a time (RFC 6238, section 4).
 *
 * unix_time: seconds since 1970-01-01 00:00 UTC, not before t0.
 * params: NULL for OTP_TOTP_PARAMS_INIT.
 * out: receives the digits and a NUL.
 *
 * Returns OTP_INVALID_DIGITS, OTP_INVALID_PERIOD, OTP_TIME_BEFORE_T0, OTP_CRYPTOGRAPHY_FAILED or
 * OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_totp(const otp_key *key, int64_t unix_time, const otp_totp_params *params, char out[9]);

/**
 * Reads a code as a person types it, and writes the digits for the functions below, which accept only ASCII digits.
 *
 * text, text_len: what was typed, in UTF-8, such as "287 082", "287-082" or a line with its newline. Spaces of
 *   any width, ASCII hyphens, marks of direction and characters of no width are dropped, and so is other ASCII
 *   white space at either end. A decimal digit of any script is read as its value. Nothing else is accepted, nor a
 *   text of more than 64 characters.
 * digits: how many digits the code must have, 6 to 8.
 * out: receives the digits and a NUL.
 *
 * Returns OTP_MALFORMED_CODE, OTP_INVALID_DIGITS or OTP_INVALID_ARGUMENT on failure. Give the client the same answer
 * for a malformed code as for a wrong one.
 */
otp_status otp_code_read_typed(const char *text, size_t text_len, unsigned digits, char out[9]);

/* ---- Verification -------------------------------------------------------------------------------------------------*/

/** The steps to accept besides the current one, and the last accepted step. */
typedef struct otp_window {
  size_t size;
  /** Steps before the current one, 0 to 10. */
  unsigned behind;
  /** Steps after the current one, 0 to 10. */
  unsigned ahead;
  /** 1 if `after` is set, 0 before the first acceptance. */
  int has_after;
  /** The step of the last acceptance with this secret. Neither it nor any earlier step is accepted again. */
  uint64_t after;
} otp_window;

/** One step on each side, and nothing accepted before: also the meaning of a NULL pointer to a window. */
#define OTP_WINDOW_INIT {sizeof(otp_window), 1, 1, 0, 0}

/** The result of verifying a code. */
typedef enum otp_result {
  /** The code is wrong or malformed. */
  OTP_REJECTED = 0,
  /** The code is right. Store `step` before you act on it. */
  OTP_ACCEPTED = 1,
  /** The code belongs to a step at or before the last accepted one, and to no later step of the window. */
  OTP_REPLAYED = 2
} otp_result;

/** The outcome of a verification. */
typedef struct otp_match {
  size_t size;
  otp_result result;
  /** Why there was no verification; OTP_OK if there was. */
  otp_status status;
  /** If accepted, the time step (TOTP) or counter (HOTP) whose code it is, else 0. Store it. */
  uint64_t step;
  /** If accepted, how far `step` is from the current step (-10 to 10) or expected counter (0 to 1002), else 0. */
  int64_t offset;
} otp_match;

#define OTP_MATCH_INIT {sizeof(otp_match), OTP_REJECTED, OTP_OK, 0, 0}

/**
 * Verifies a code over a window of steps (RFC 6238, section 5.2). The whole window is computed whatever the code is. If
 * several steps after `window->after` have the code, the latest of them is accepted, so that the same digits are not
 * accepted again in that window.
 *
 * code, code_len: exactly as many ASCII digits as params says, else it is rejected; otp_code_read_typed() reads other
 *   forms that people type. NULL is allowed if the length is 0.
 * unix_time: the verifier's time in seconds since 1970-01-01 00:00 UTC, not before t0.
 * params: NULL for OTP_TOTP_PARAMS_INIT.
 * window: NULL for OTP_WINDOW_INIT. To accept each code at most once, store out->step and pass it as `after` the next
 *   time, and do so atomically: two simultaneous requests must not both find the old value.
 * out: receives the outcome; if the function fails, OTP_REJECTED and its status. Initialize it with OTP_MATCH_INIT.
 *
 * Returns OTP_INVALID_DIGITS, OTP_INVALID_PERIOD, OTP_INVALID_WINDOW, OTP_TIME_BEFORE_T0, OTP_CRYPTOGRAPHY_FAILED or
 * OTP_INVALID_ARGUMENT on failure. OTP_OK does not mean that the code was right: see out->result.
 */
otp_status otp_totp_verify(
    const otp_key *key, const char *code, size_t code_len, int64_t unix_time, const otp_totp_params *params,
    const otp_window *window, otp_match *out);

/**
 * Verifies with a secret that is used for nothing else, such as one just read from a store: otp_key_create(),
 * otp_totp_verify() and otp_key_destroy() in one, without a key and without allocating memory.
 */
otp_status otp_totp_verify_secret(
    otp_hash hash, const uint8_t *secret, size_t secret_len, const char *code, size_t code_len, int64_t unix_time,
    const otp_totp_params *params, const otp_window *window, otp_match *out);

/**
 * Verifies a code against a counter and the next `look_ahead` ones (RFC 4226, section 7.4). Counters before it never
 * match, so OTP_REPLAYED does not occur.
 *
 * counter: the expected counter: one past the last accepted. (After 2^64-1 a secret has no codes left.)
 * digits: 6 to 8.
 * look_ahead: 0 to 1000.
 * out: receives the outcome; store out->step + 1 as the next counter.
 *
 * Returns OTP_INVALID_DIGITS, OTP_INVALID_LOOK_AHEAD, OTP_CRYPTOGRAPHY_FAILED or OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_hotp_verify(
    const otp_key *key, const char *code, size_t code_len, uint64_t counter, unsigned digits, unsigned look_ahead,
    otp_match *out);

/**
 * Resynchronizes a token that has run ahead, by two or three codes in a row (RFC 4226, section 7.4 and Appendix E.3).
 *
 * codes: `count` texts, each ending with a NUL, in the order in which the token showed them.
 * count: 2 or 3.
 * counter, digits, look_ahead: as for otp_hotp_verify(); the first code must be within the look-ahead.
 * out: receives the outcome; `step` is the counter of the last code.
 */
otp_status otp_hotp_resynchronize(
    const otp_key *key, const char *const *codes, size_t count, uint64_t counter, unsigned digits, unsigned look_ahead,
    otp_match *out);

/** One verification of a batch. Members that the type does not use are not read. */
typedef struct otp_request {
  size_t size;
  otp_type type;
  const otp_key *key;
  const char *code;
  size_t code_len;
  /** TOTP: see otp_totp_verify(). */
  int64_t unix_time;
  const otp_totp_params *params;
  const otp_window *window;
  /** HOTP: see otp_hotp_verify(). */
  uint64_t counter;
  unsigned digits;
  unsigned look_ahead;
} otp_request;

/**
 * Verifies many requests at once, for different keys, times and windows, packed side by side into vector registers.
 *
 * requests: `count` requests, all of the same size. If `count` is 0, nothing is read and OTP_OK is returned.
 * results: receives the outcomes, in order. Set results[0].size; the sizes of the others are written.
 *
 * Each outcome is the same as that of the function for a single request. An error in a request becomes its `status`,
 * and does not affect the others. If two requests have the same key and code, the caller must accept only one of them.
 *
 * Returns OTP_INVALID_ARGUMENT, before any work and without writing a result, for a null pointer, an impossible size,
 * more than SIZE_MAX / 512 bytes of requests or results, and results that overlap requests. A request whose code,
 * params or window overlaps the results gets that status itself.
 */
otp_status otp_verify_batch(const otp_request *requests, size_t count, otp_match *results);

/* ---- Secrets and base32 -------------------------------------------------------------------------------------------*/

/**
 * Generates a secret with OpenSSL's private generator, as long as the hash's tag: 20, 32 or 64 bytes
 * (RFC 4226, section 4; RFC 6238, section 3).
 *
 * len: the size of `out`; receives the length of the secret, even if there is not enough room for it.
 *
 * Returns OTP_OUTPUT_TOO_SHORT, OTP_RANDOMNESS_UNAVAILABLE or OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_secret_generate(otp_hash hash, uint8_t *out, size_t *len);

/** otp_base32_encode(): pad with '=' to a multiple of 8 characters. */
#define OTP_BASE32_PADDING 1u
/** otp_base32_decode(): accept only RFC 4648: upper case, full padding, no separators, trailing bits zero. */
#define OTP_BASE32_STRICT 2u

/**
 * Writes bytes in base32 (RFC 4648, section 6), upper case.
 *
 * flags: 0 or OTP_BASE32_PADDING.
 * out: receives the text and a NUL. May be NULL if *out_len is 0, to ask for the length.
 * out_len: the size of `out`, including the NUL; receives the length of the text without it.
 *
 * Returns OTP_OUTPUT_TOO_SHORT or OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_base32_encode(const uint8_t *bytes, size_t len, unsigned flags, char *out, size_t *out_len);

/** Which part of a text was wrong, and at which position. */
typedef struct otp_error_info {
  size_t size;
  /** The part of a URI, such as "secret", or NULL. Valid as long as the library is loaded. */
  const char *part;
  /** The offset of the offending byte, or SIZE_MAX. */
  size_t position;
} otp_error_info;

#define OTP_ERROR_INFO_INIT {sizeof(otp_error_info), NULL, SIZE_MAX}

/**
 * Reads base32.
 *
 * flags: 0 or OTP_BASE32_STRICT.
 * out: receives the bytes. May be NULL if *out_len is 0, to ask for the length.
 * out_len: the size of `out`; receives the number of bytes that the text encodes.
 * error: NULL, or receives the position of the error.
 *
 * Returns OTP_INVALID_BASE32_CHARACTER, OTP_INVALID_BASE32_LENGTH, OTP_INVALID_BASE32_PADDING,
 * OTP_NON_ZERO_BASE32_TRAILING_BITS, OTP_OUTPUT_TOO_SHORT or OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_base32_decode(
    const char *text, size_t text_len, unsigned flags, uint8_t *out, size_t *out_len, otp_error_info *error);

/* ---- Key URIs -----------------------------------------------------------------------------------------------------*/

/** A key as an otpauth:// URI describes it. Texts are UTF-8. Those that were read end with a NUL that is not counted in
 *  their lengths; they may contain others (%00), so use the length. */
typedef struct otp_uri {
  size_t size;
  otp_type type;
  otp_hash hash;
  /** 6 to 8. */
  unsigned digits;
  /** TOTP: the length of a step in seconds, 1 or more. */
  int64_t period;
  /** HOTP: the first counter. */
  uint64_t counter;
  const uint8_t *secret;
  size_t secret_len;
  /** Not empty, without a colon, and without a space at the beginning; readers drop such spaces. */
  const char *account;
  size_t account_len;
  /** To build a URI: without a colon; NULL or empty if there is none. Read: the one in the parameter if there is one,
   *  else the one before the account; NULL if there is none. */
  const char *issuer;
  size_t issuer_len;
  /** Read: the issuer before the account, or NULL. Ignored when a URI is built. */
  const char *label_issuer;
  size_t label_issuer_len;
} otp_uri;

#define OTP_URI_INIT {sizeof(otp_uri), OTP_TOTP, OTP_SHA1, 6, 30, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0}

/** The longest URI that is read or written, in bytes. */
#define OTP_URI_MAX 2048
/** As much memory as the contents of any URI need. */
#define OTP_URI_MEMORY 4096

/** otp_uri_build(): write algorithm, digits and period even if they are SHA1, 6 and 30. */
#define OTP_URI_WRITE_DEFAULTS 1u
/** otp_uri_parse(): read + in a parameter as a space. */
#define OTP_URI_PLUS_IS_SPACE 2u
/** otp_uri_parse(): read an HOTP URI without a counter as one that begins at 0. */
#define OTP_URI_MISSING_COUNTER_IS_ZERO 4u
/** otp_uri_parse(): accept in the secret only what RFC 4648 allows. */
#define OTP_URI_STRICT_BASE32 8u

/**
 * Writes the URI of a key, including the secret: show it only to the user who enrolls, as a QR code. otp_uri_parse()
 * reads back the same key.
 *
 * flags: 0 or OTP_URI_WRITE_DEFAULTS.
 * out: receives the text and a NUL. May be NULL if *out_len is 0, to ask for the length.
 * out_len: the size of `out`, including the NUL; receives the length of the text without it.
 * error: NULL, or receives the part that is wrong.
 *
 * Returns OTP_EMPTY_SECRET, OTP_INVALID_DIGITS, OTP_INVALID_PERIOD, OTP_INVALID_ISSUER, OTP_INVALID_ACCOUNT,
 * OTP_INVALID_UTF8, OTP_URI_TOO_LONG, OTP_OUTPUT_TOO_SHORT or OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_uri_build(const otp_uri *uri, unsigned flags, char *out, size_t *out_len, otp_error_info *error);

/**
 * Reads a URI. Parameters that the format does not define are ignored.
 *
 * flags: 0, or any of OTP_URI_PLUS_IS_SPACE, OTP_URI_MISSING_COUNTER_IS_ZERO and OTP_URI_STRICT_BASE32.
 * out: receives the key. Initialize it with OTP_URI_INIT.
 * memory, memory_len: receives the secret and the texts; OTP_URI_MEMORY bytes are always enough. Wipe it after use.
 * error: NULL, or receives the part that is wrong, and the position.
 *
 * Returns one of the statuses above that apply to URIs, OTP_OUTPUT_TOO_SHORT or OTP_INVALID_ARGUMENT.
 */
otp_status otp_uri_parse(
    const char *text, size_t text_len, unsigned flags, otp_uri *out, void *memory, size_t memory_len,
    otp_error_info *error);

/* ---- Records ------------------------------------------------------------------------------------------------------*/

/*
 * A record is all that a server must remember about one factor whose codes it can compute: the secret, what was
 * accepted last, the failed attempts. It is sealed by a keyring and bound to its subject. Keep it in one column of a
 * table that you already have: some 170 bytes, 25 more for each former secret (up to 251), at most OTP_RECORD_MAX.
 * There is one rule, the same for every outcome, language and database:
 *
 *   Replace the record that you read with the one that you got, if it is still there; answer only if that succeeded;
 *   otherwise read again.
 *
 *   UPDATE users SET otp = $new WHERE id = $id AND otp = $old
 *
 * Replay, counting, delays, locks, the confirmation of an enrollment, HOTP's counter and the change of keys all follow
 * from it. If answer.changed is 0, as during a delay or lock, the record is the one that you read, byte for byte, and
 * nothing need be written.
 *
 * Arguments that these functions share:
 *   keyring: see below.
 *   subject, subject_len: whose factor it is: 1 to 1,024 bytes of any kind, such as "user 42". A record opens only for
 *     the same subject, so a row that is copied to another user's place opens nothing there.
 *   record, record_len: the record that you read.
 *   typed, typed_len: what the user typed, in UTF-8, as otp_code_read_typed() reads it, or a recovery code.
 *   now: the server's time, in seconds since 1970, from 2000-01-01 to before 2200-01-01 (UTC): otherwise
 *     OTP_INVALID_TIME. The record's own time never runs backward: delays and locks count from the latest attempt,
 *     whichever server's clock dated it.
 *   policy: NULL for OTP_RECORD_POLICY_INIT. If one of its numbers is out of range, OTP_INVALID_POLICY.
 *   out, out_len: receive the new record and its length; *out_len is the size of `out` before. OTP_RECORD_MAX bytes
 *     are always enough. May overlap `record`, but you need the old one to compare with.
 *
 * On failure, no record is written, and nothing was accepted. Apart from what a function lists, it can return
 * OTP_MALFORMED_RECORD, OTP_LATER_RECORD, OTP_WRONG_ENCODING, OTP_ANOTHER_SUBJECT, OTP_UNKNOWN_KEY, OTP_NOT_AUTHENTIC,
 * OTP_INVALID_SUBJECT, OTP_OUTPUT_TOO_SHORT, OTP_RANDOMNESS_UNAVAILABLE, OTP_CRYPTOGRAPHY_FAILED (the server's failure,
 * never a wrong code) and OTP_INVALID_ARGUMENT.
 */

/** The largest record, in bytes. */
#define OTP_RECORD_MAX 1536

/** Keys that seal records. Any number of threads may use one at once. */
typedef struct otp_keyring otp_keyring;

/** A key of a keyring. */
typedef struct otp_named_key {
  size_t size;
  /** 1 to 32 characters of A-Z, a-z, 0-9, '.', '_' and '-', never used for another key. It stands in front of whatever
   *  the key seals. */
  const char *name;
  size_t name_len;
  /** 32 random bytes. */
  const uint8_t *key;
  size_t key_len;
} otp_named_key;

#define OTP_NAMED_KEY_INIT {sizeof(otp_named_key), NULL, 0, NULL, 0}

/**
 * Makes a keyring of keys that are kept elsewhere, such as in a key management service.
 *
 * keys, count: 1 to 64 keys, all of the same size. The first seals; the others open what they sealed while they were
 *   the first. They are copied: wipe your own copies.
 * out: receives the keyring; destroy it with otp_keyring_destroy(). Set to NULL on failure.
 *
 * Returns OTP_INVALID_KEY_NAME, OTP_INVALID_KEY, OTP_DUPLICATE_KEY_NAME, OTP_CRYPTOGRAPHY_FAILED,
 * OTP_RANDOMNESS_UNAVAILABLE or OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_keyring_create(const otp_named_key *keys, size_t count, otp_keyring **out);

/**
 * Reads a keyring from a file that `otp keyring new` or the Swift keyring has written, so that servers in different
 * languages share one. It is read once: open it again after a rotation.
 *
 * path: a file of at most 64 KiB that neither the group nor others may read or write, ending with a NUL; or a pipe
 *   (/dev/fd/3) to which a key management service's program writes such a file, so that its keys are on no disk.
 *
 * Also returns OTP_KEYRING_UNREADABLE, OTP_KEYRING_READABLE_BY_OTHERS, OTP_KEYRING_MALFORMED or OTP_KEYRING_CORRUPT.
 */
otp_status otp_keyring_open(const char *path, otp_keyring **out);

/**
 * Writes a new keyring's file with one new random key and mode 0600, as `otp keyring new` does: once, when a system is
 * set up, never at a server's start, since new keys open no old record. It is on disk when this returns.
 *
 * path: of a file that does not exist, in a folder that does, on a file system with hard links, ending with a NUL.
 *
 * Returns OTP_KEYRING_EXISTS, OTP_KEYRING_UNWRITABLE, OTP_CRYPTOGRAPHY_FAILED, OTP_RANDOMNESS_UNAVAILABLE or
 * OTP_INVALID_ARGUMENT on failure.
 */
otp_status otp_keyring_create_file(const char *path);

/**
 * Makes a keyring that seals NOTHING: its records are their plain bytes, secret included. For a caller that encrypts
 * and authenticates each record by other means, bound to its user.
 */
otp_status otp_keyring_create_unsealed(otp_keyring **out);

/** Wipes and releases a keyring. NULL is allowed. */
void otp_keyring_destroy(otp_keyring *keyring);

/** Which codes are accepted, and how many wrong ones. */
typedef struct otp_record_policy {
  size_t size;
  /** TOTP: how many steps early or late a code may be, 0 to 10. */
  unsigned adjacent_steps;
  /** TOTP: how many steps of clock drift are learned from accepted codes, 0 to 10; the latest code decides. */
  unsigned drift_limit;
  /** TOTP: how many steps early or late consecutive codes are searched for, 0 to 1500; with 0, not at all. */
  unsigned resynchronization_steps;
  /** HOTP: how many counters ahead a code is searched for, 0 to 1000. */
  unsigned look_ahead;
  /** HOTP: how many counters ahead consecutive codes are searched for, 0 to 1000. */
  unsigned resynchronization_look_ahead;
  /** How many consecutive failures lock the factor, 1 to 100. After 100, only a new enrollment helps (SP 800-63B-4). */
  unsigned failures_until_lock;
  /** How many seconds a lock lasts, up to 2^32; 0 until otp_record_unlock(). */
  int64_t lock_seconds;
  /** From how many failures on the next attempt must wait, 1 or more. */
  unsigned first_delayed_failure;
  /** How many seconds it waits at first, up to 2^32; doubled with each further failure, up to lock_seconds. */
  int64_t initial_delay_seconds;
} otp_record_policy;

/** One step either way, drift up to five; ten failures lock for an hour; from the fourth, delays of 1, 2 ... 32 s. */
#define OTP_RECORD_POLICY_INIT {sizeof(otp_record_policy), 1, 5, 1500, 10, 100, 10, 3600, 4, 1}
/** One step either way, no look-ahead and no resynchronization; the same limit on attempts. */
#define OTP_RECORD_POLICY_STRICT_INIT {sizeof(otp_record_policy), 1, 0, 0, 0, 0, 10, 3600, 4, 1}

/** The answer to what a user submitted. Treat an unknown one as OTP_ANSWER_REJECTED. */
typedef enum otp_answer_kind {
  /** Give every client the same answer, whatever the reason. */
  OTP_ANSWER_REJECTED = 0,
  /** The code is right, and spent: let the user in, once the record is replaced. */
  OTP_ANSWER_ACCEPTED = 1,
  /** The code is right, and has confirmed the enrollment. It does not sign the user in. */
  OTP_ANSWER_ENROLLED = 2,
  /** Nothing was looked at: it is too early after earlier failures. */
  OTP_ANSWER_WAIT = 3,
  /** Nothing was looked at: there were too many failures. */
  OTP_ANSWER_LOCKED = 4
} otp_answer_kind;

/** What a log calls a kind of answer, such as "accepted". Never NULL; valid as long as the library is loaded. */
const char *otp_answer_kind_string(otp_answer_kind kind);

/** Why a code was rejected: for the log, never for the client. Those from OTP_REASON_PENDING on, and
 *  OTP_REASON_MALFORMED, do not count as failures. */
typedef enum otp_reason {
  OTP_REASON_NONE = 0,
  /** The text cannot be a code of this factor. */
  OTP_REASON_MALFORMED = 1,
  OTP_REASON_WRONG = 2,
  /** The code's counter or, in the window, its step is spent, or the recovery code was used. */
  OTP_REASON_REPLAYED = 3,
  /** The code of a step up to ten steps ago, before the window, spent or not. */
  OTP_REASON_LATE = 4,
  /** The code of a step up to ten steps ahead, after the window; or t0 is in the future. */
  OTP_REASON_EARLY = 5,
  /** The enrollment is not confirmed. */
  OTP_REASON_PENDING = 6,
  /** The enrollment was confirmed already. */
  OTP_REASON_CONFIRMED = 7,
  /** The policy does not allow resynchronization by time. */
  OTP_REASON_DISABLED = 8,
  /** No recovery code is left. */
  OTP_REASON_USED_UP = 9
} otp_reason;

/** What a log calls a reason, such as "used up". Never NULL; valid as long as the library is loaded. */
const char *otp_reason_string(otp_reason reason);

/** An answer, with its details. */
typedef struct otp_answer {
  size_t size;
  otp_answer_kind kind;
  /** Why there is no answer; OTP_OK if there is. */
  otp_status status;
  otp_reason reason;
  /** Whether the record changed, 1 or 0. If it did not, nothing need be written. */
  int changed;
  /** If accepted or enrolled: the step (TOTP), the counter (HOTP), or the number of the recovery code. */
  uint64_t step;
  /** How many steps the user's clock is ahead, as far as that is known. */
  int64_t drift;
  /** Whether `until` is set, 1 or 0. A lock without it lasts until otp_record_unlock() or, after 100 failures, until a
   *  new enrollment. */
  int has_until;
  /** When an attempt will be looked at again, in seconds since 1970. */
  int64_t until;
} otp_answer;

#define OTP_ANSWER_INIT {sizeof(otp_answer), OTP_ANSWER_REJECTED, OTP_OK, OTP_REASON_NONE, 0, 0, 0, 0, 0}

/** What to enroll. */
typedef struct otp_enrollment {
  size_t size;
  otp_type type;
  otp_hash hash;
  /** 6 to 8. */
  unsigned digits;
  /** TOTP: the length of a step in seconds, 1 or more. */
  int64_t period;
  /** TOTP: the Unix time at which step 0 begins. */
  int64_t t0;
  /** HOTP: the first counter whose code is accepted. */
  uint64_t counter;
  /** 1 to 1,024 bytes. NULL for a new random secret. */
  const uint8_t *secret;
  size_t secret_len;
  /** 1 for a factor that was confirmed elsewhere, else 0. */
  int is_confirmed;
  /** TOTP: 1 if `after` is set. */
  int has_after;
  /** TOTP: the step that was accepted last elsewhere. */
  uint64_t after;
  /** 1 to replace a factor that works, which its user can no longer sign in with; else 0, which replaces only a pending
   *  one. */
  int replace;
} otp_enrollment;

/** A new TOTP secret: SHA-1, six digits, 30 seconds, which every authenticator app supports. */
#define OTP_ENROLLMENT_INIT {sizeof(otp_enrollment), OTP_TOTP, OTP_SHA1, 6, 30, 0, 0, NULL, 0, 0, 0, 0, 0}

/**
 * Enrolls a factor: makes a new record, pending until otp_record_confirm().
 *
 * enrollment: NULL for OTP_ENROLLMENT_INIT.
 * previous, previous_len: NULL and 0, or the subject's record that this one replaces: its failures stay counted until a
 *   code confirms the new one (not 100 or more if is_confirmed), and what was spent stays spent, also of the ten
 *   secrets before it, if one of them comes back.
 *
 * Also returns OTP_ENROLLED (an active one, without `replace`), OTP_EMPTY_SECRET, OTP_INVALID_DIGITS,
 * OTP_INVALID_PERIOD or OTP_INVALID_SECRET.
 */
otp_status otp_record_enroll(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const otp_enrollment *enrollment,
    const uint8_t *previous, size_t previous_len, int64_t now, uint8_t *out, size_t *out_len);

/** The length of a recovery code, without its NUL. */
#define OTP_RECOVERY_CODE_LENGTH 29

/**
 * Makes a record of new recovery codes of 120 bits, each for one use. They need no confirmation.
 *
 * count: 1 to 20.
 * previous, previous_len: NULL and 0, or the record of the codes that these replace: its failures stay counted (not 100
 *   or more). That of an active factor is OTP_ENROLLED.
 * codes, codes_len: receive the codes one after another, each with a NUL, OTP_RECOVERY_CODE_LENGTH + 1 bytes for each:
 *   show them once, with their numbers from 1, and wipe them.
 */
otp_status otp_record_recovery_codes(
    const otp_keyring *keyring, const void *subject, size_t subject_len, size_t count, const uint8_t *previous,
    size_t previous_len, int64_t now, char *codes, size_t codes_len, uint8_t *out, size_t *out_len);

/**
 * Writes the otpauth:// URI of a pending record, secret included: show it only to the user who enrolls.
 *
 * issuer, account: texts in UTF-8, as in otp_uri.
 * out, out_len: receive the text and a NUL, and the length without it; OTP_URI_MAX + 1 bytes are always enough.
 *
 * Also returns OTP_NOT_PENDING, OTP_ANOTHER_KIND (recovery codes) or OTP_INVALID_NAME.
 */
otp_status otp_record_uri(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    const char *issuer, size_t issuer_len, const char *account, size_t account_len, char *out, size_t *out_len);

/** Confirms the enrollment of a pending record by a code, which is spent: OTP_ANSWER_ENROLLED. A failure is not
 *  counted: the user has been shown the secret. If a clock is wrong and cannot be set, confirm under a wider policy,
 *  then resynchronize. */
otp_status otp_record_confirm(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    const char *typed, size_t typed_len, int64_t now, const otp_record_policy *policy, uint8_t *out, size_t *out_len,
    otp_answer *answer);

/** Verifies what a user typed to sign in: counts the attempt, checks the code, spends it. Refuses a pending record. */
otp_status otp_record_verify(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    const char *typed, size_t typed_len, int64_t now, const otp_record_policy *policy, uint8_t *out, size_t *out_len,
    otp_answer *answer);

/**
 * Verifies two or three consecutive codes, as one attempt, of a factor whose counter has run ahead (RFC 4226, section
 * 7.4) or whose clock has drifted (RFC 6238, section 6). From then on, a single code is enough.
 *
 * codes, count: 2 or 3 texts, each ending with a NUL, in the order in which the token showed them.
 *
 * Also returns OTP_ANOTHER_KIND (recovery codes).
 */
otp_status otp_record_resynchronize(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    const char *const *codes, size_t count, int64_t now, const otp_record_policy *policy, uint8_t *out, size_t *out_len,
    otp_answer *answer);

/** What explains a code that does not confirm an enrollment. */
typedef struct otp_diagnosis {
  size_t size;
  /** Whether anything does, 1 or 0. */
  int found;
  /** How the user's app computes codes. */
  otp_hash hash;
  unsigned digits;
  /** TOTP: the length of its steps in seconds. */
  int64_t period;
  /** TOTP: how many seconds its clock is ahead; negative if it is late. */
  int64_t clock_offset;
  /** HOTP: how many codes the token is ahead. */
  int64_t counter_offset;
} otp_diagnosis;

#define OTP_DIAGNOSIS_INIT {sizeof(otp_diagnosis), 0, OTP_SHA1, 0, 0, 0, 0}

/**
 * Explains a code that does not confirm a pending record: an app that computes with another hash, digits or period, or
 * a clock that is up to 12 hours off. For the operator, never for the client. At most 13,500 codes, about half a
 * millisecond. With six digits, one wrong code in 75 is explained by accident.
 *
 * Also returns OTP_NOT_PENDING or OTP_ANOTHER_KIND (recovery codes).
 */
otp_status otp_record_diagnose(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    const char *typed, size_t typed_len, int64_t now, otp_diagnosis *out);

/** The likeliest cause why a code is not accepted. Later versions may add some. */
typedef enum otp_cause {
  /** Nothing that was searched has this code. */
  OTP_CAUSE_WRONG = 0,
  /** It would be accepted now, unless `refusal` or `has_loss_end` says that no code is, or the record is pending. */
  OTP_CAUSE_RIGHT = 1,
  /** Its step (in the window) or counter, or a later one, was accepted, or the recovery code was used. */
  OTP_CAUSE_REPLAYED = 2,
  /** The code of a step before the window, spent or not. */
  OTP_CAUSE_LATE = 3,
  /** The code of a step after the window, or of a counter beyond the look-ahead. */
  OTP_CAUSE_EARLY = 4,
  /** What an app shows that computes with another hash, number of digits or period. */
  OTP_CAUSE_PARAMETERS = 5,
  /** The text cannot be a code of this factor. */
  OTP_CAUSE_MALFORMED = 6
} otp_cause;

/** What a cause is called, such as "late". Never NULL; valid as long as the library is loaded. */
const char *otp_cause_string(otp_cause cause);

/** What a code is to a record. */
typedef struct otp_explanation {
  size_t size;
  otp_cause cause;
  /** Whether the code was found, 1 or 0: the members from `step` to `clock_offset` are set. */
  int found;
  /** The code's step (TOTP), its counter (HOTP), or the number of the recovery code. */
  uint64_t step;
  /** How many steps it is after the server's, or counters after the next expected one; negative before it. */
  int64_t offset;
  /** TOTP and HOTP: one in this many wrong codes would be explained like this, by accident.
   *  Under 1,000, ask for the next code before you act on the cause. */
  uint64_t odds;
  /** TOTP and HOTP: how the user's app computes codes. */
  otp_hash hash;
  unsigned digits;
  /** TOTP: the length of its steps in seconds. */
  int64_t period;
  /** TOTP: how many seconds its clock is ahead; negative if it is late. */
  int64_t clock_offset;
  /** Whether failures keep any code from being accepted: OTP_ANSWER_WAIT, OTP_ANSWER_LOCKED or, if they do not,
   *  OTP_ANSWER_REJECTED. `until` as in otp_answer. */
  otp_answer_kind refusal;
  int has_until;
  int64_t until;
  /** Whether the factor stays locked until a new enrollment, 1 or 0. */
  int needs_enrollment;
  /** 1 if all codes are spent, after a loss, that the app shows before `loss_end`, in seconds since 1970. */
  int has_loss_end;
  int64_t loss_end;
} otp_explanation;

#define OTP_EXPLANATION_INIT \
  {sizeof(otp_explanation), OTP_CAUSE_WRONG, 0, 0, 0, 0, OTP_SHA1, 0, 0, 0, OTP_ANSWER_REJECTED, 0, 0, 0, 0, 0}

/**
 * Explains to an administrator why a code is not accepted, of a confirmed record too; never to the client: it counts no
 * attempt, and searches a day either way with each hash and period, or 1,000 counters either way. At most some 43,000
 * codes, two milliseconds. Nothing changes.
 */
otp_status otp_record_explain(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    const char *typed, size_t typed_len, int64_t now, const otp_record_policy *policy, otp_explanation *out);

/**
 * Clears the failures, which ends a delay or lock: for an administrator who has verified who is asking. A latest
 * attempt after `now`, which only a wrong clock can have dated, is forgotten. After 100 failures the factor stays
 * locked: only a new enrollment helps.
 */
otp_status otp_record_unlock(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    int64_t now, uint8_t *out, size_t *out_len);

/**
 * Spends each TOTP code that may have been accepted up to a moment, with the record of it lost: after a backup was
 * restored. For two hours after it, verify and confirm answer `wait`, uncounted, as long as the app shows a spent code.
 * A resynchronization that was lost cannot be known, nor can HOTP and recovery codes, which do not change. Idempotent.
 *
 * until: the latest moment at which a server can have accepted a code, by the fastest of their clocks, in the range of
 *   `now`.
 */
otp_status otp_record_spend(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    int64_t until, const otp_record_policy *policy, uint8_t *out, size_t *out_len);

/** Seals a record again if another key than the keyring's first one has sealed it; otherwise it stays as it is. After a
 *  rotation, before the old key is removed: every use does it, too. */
otp_status otp_record_reseal(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    uint8_t *out, size_t *out_len);

/** What kind of factor a record is of. */
typedef enum otp_record_kind {
  OTP_RECORD_TOTP = 1,
  OTP_RECORD_HOTP = 2,
  OTP_RECORD_RECOVERY_CODES = 3
} otp_record_kind;

/** What an operator may see of a record. */
typedef struct otp_record_details {
  size_t size;
  otp_record_kind kind;
  /** 1 until a code has confirmed the enrollment. */
  int is_pending;
  /** TOTP and HOTP: how codes are computed. */
  otp_hash hash;
  unsigned digits;
  int64_t period;
  int64_t t0;
  /** 1 if the secret is shorter than 16 bytes (RFC 4226, section 4, R6). */
  int has_weak_secret;
  /** 1 if a step or counter was accepted or spent: `last_accepted`. */
  int has_last_accepted;
  uint64_t last_accepted;
  /** TOTP: how many steps the user's clock is ahead. */
  int64_t drift;
  /** How many attempts have failed since the last success, and how many have ever succeeded. */
  uint64_t failures;
  uint64_t acceptances;
  /** When the enrollment was confirmed or, if it is pending, began, in seconds since 1970. */
  int64_t enrollment_time;
  /** 1 if an attempt was counted: `last_attempt_time`. */
  int has_last_attempt;
  int64_t last_attempt_time;
  /** Recovery codes: bit n - 1 is set if code n is unused. */
  uint32_t unused_codes;
  /** The name of the key that sealed it, with a NUL; empty if it is not sealed. */
  char key_name[33];
} otp_record_details;

/** Describes a record, without its secret. out: set out->size. */
otp_status otp_record_info(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    otp_record_details *out);

/* ---- Defaults -----------------------------------------------------------------------------------------------------*/

/*
 * What the OTP_..._INIT macros are to C, for languages that have no macros. Set out->size first. They return
 * OTP_INVALID_ARGUMENT on failure. Any other structure begins as its size and zeros.
 */

/** Sets OTP_TOTP_PARAMS_INIT. */
otp_status otp_totp_params_init(otp_totp_params *out);

/** Sets OTP_WINDOW_INIT. */
otp_status otp_window_init(otp_window *out);

/** Sets OTP_URI_INIT. */
otp_status otp_uri_init(otp_uri *out);

/** Sets OTP_RECORD_POLICY_INIT. */
otp_status otp_record_policy_init(otp_record_policy *out);

/** Sets OTP_RECORD_POLICY_STRICT_INIT. */
otp_status otp_record_policy_strict_init(otp_record_policy *out);

/** Sets OTP_ANSWER_INIT. */
otp_status otp_answer_init(otp_answer *out);

/** Sets OTP_ENROLLMENT_INIT. */
otp_status otp_enrollment_init(otp_enrollment *out);

/* ---- The library --------------------------------------------------------------------------------------------------*/

/** The library's semantic version. */
const char *otp_version(void);

/** The result of a known-answer test. */
typedef enum otp_known_answer {
  OTP_KNOWN_ANSWER_PASSED = 0,
  /** A wrong tag, or none: the backend is never used. */
  OTP_KNOWN_ANSWER_FAILED = 1,
  /** This build or this CPU lacks the backend. */
  OTP_KNOWN_ANSWER_ABSENT = 2
} otp_known_answer;

/** What the library found on this machine. Texts end with a NUL. */
typedef struct otp_library_info {
  size_t size;
  char version[32];
  /** The loaded libcrypto, such as "OpenSSL 3.0.19 27 Jan 2026". */
  char openssl[96];
  /** The CPU features that matter to HMAC, such as "avx2,sha_ni". */
  char cpu_features[128];
  /** The widest instruction set that the lanes use, such as "avx512". */
  char instruction_set[32];
  /** The backend that is used by default, or "" if there is none. */
  char backend[32];
  otp_known_answer lanes;
  otp_known_answer midstate;
  otp_known_answer evp;
} otp_library_info;

/**
 * Describes the library, and what it found on this machine. Runs the known-answer tests that have not run yet.
 *
 * out: receives the description; set out->size.
 */
otp_status otp_info(otp_library_info *out);

/**
 * Runs the known-answer tests now instead of before the first code, initializes libcrypto, and finds out which kernels
 * are the fastest on this CPU. Call it when a server starts; a program that only verifies a few codes need not.
 *
 * Without it, the first code takes some 0.2 ms more, and a call that computes the 4,096th code with a hash some
 * 0.2 ms. (A verification computes each code of its window.)
 *
 * Returns OTP_BACKEND_UNAVAILABLE if no backend passes, or not the one that OTP_BACKEND names.
 */
otp_status otp_self_test(void);

/**
 * Asks libcrypto not to release its memory as the process exits. Otherwise its handler at exit(), which takes no locks,
 * frees what belongs to threads that may be ending at the same time, and the process can die by a signal after its work
 * is done. The system takes the memory back anyway.
 *
 * Call it at the start of main(), before anything uses libcrypto: the library never does so unasked, since libcrypto
 * belongs to the whole process.
 *
 * Returns OTP_CRYPTOGRAPHY_FAILED if libcrypto was already in use: it may then still release its memory.
 */
otp_status otp_keep_libcrypto_at_exit(void);

#ifdef __cplusplus
}
#endif

#endif
