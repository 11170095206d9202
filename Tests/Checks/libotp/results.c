// What neither the vectors nor the bindings' tests ask of libotp's results: batches of a later version's structures,
// and what lies within memory that is written, or at its end.

#define _GNU_SOURCE
#include <sys/mman.h>

#include "check.h"

enum { MOST = 1000 };

/// A later version's structures.
typedef struct later_request {
  otp_request known;
  unsigned char unknown[24];
} later_request;
typedef struct later_match {
  otp_match known;
  unsigned char unknown[24];
} later_match;

static later_request requests[MOST];
static otp_request known_requests[MOST];
static later_match results[MOST];
static otp_match expected[MOST], known_results[MOST];
static otp_window windows[MOST];
static char codes[MOST][9];

/// One verification by itself.
static otp_match verify(const otp_request *request) {
  otp_match match = OTP_MATCH_INIT;
  if (request->type == OTP_TOTP) {
    (void)otp_totp_verify(
        request->key, request->code, request->code_len, request->unix_time, request->params, request->window, &match);
  } else {
    (void)otp_hotp_verify(
        request->key, request->code, request->code_len, request->counter, request->digits, request->look_ahead, &match);
  }
  return match;
}

static void make_requests(otp_key *const *keys, const otp_totp_params *params) {
  size_t accepted = 0, wrong = 0;
  for (size_t i = 0; i < MOST; i++) {
    const size_t hash = i * 7 % 3;
    otp_request *request = &known_requests[i];
    windows[i] = (otp_window){sizeof windows[i], (unsigned)(i % 11), (unsigned)(i / 11 % 11), i % 5 == 0, 40 + i % 7};
    *request = (otp_request){sizeof *request,
                             i % 4 == 3 ? OTP_HOTP : OTP_TOTP,
                             keys[hash],
                             codes[i],
                             params[hash].digits,
                             30 * 45 - 7 + (int64_t)(i % 30),
                             &params[hash],
                             &windows[i],
                             40,
                             params[hash].digits,
                             (unsigned)(i % 61)};
    expect(otp_hotp(keys[hash], 38 + i % 16, params[hash].digits, codes[i]) == OTP_OK);
    if (i % 37 == 5) request->key = NULL;
    if (i % 37 == 11) request->unix_time = -8, request->look_ahead = 1001;
    if (i % 37 == 17) request->digits = 9, windows[i].behind = 11;
    expected[i] = verify(request);
    accepted += expected[i].result == OTP_ACCEPTED;
    wrong += expected[i].status != OTP_OK;
    requests[i].known = *request;
    requests[i].known.size = sizeof requests[i];
  }
  expect(accepted > MOST / 4 && wrong > MOST / 20);
}

/// Batches of every size up to beyond all vector widths, and a large one, of requests that have nothing in common, some
/// of them wrong: each outcome is that of the function for one. Also in structures of a later version.
static void batches(void) {
  otp_key *keys[3];
  otp_totp_params params[3];
  for (int i = 0; i < 3; i++) {
    params[i] = (otp_totp_params){sizeof params[i], 6 + (unsigned)i, 30, -7};
    expect(otp_key_create((otp_hash)(OTP_SHA1 + i), seed, sizeof seed, &keys[i]) == OTP_OK);
  }
  make_requests(keys, params);
  expect(otp_verify_batch(NULL, 0, NULL) == OTP_OK);
  for (size_t count = 1; count <= MOST; count = count < 70 ? count + 1 : count == 70 ? MOST : MOST + 1) {
    memset(known_results, 0xA5, sizeof known_results);
    memset(results, 0xA5, sizeof results);
    known_results[0].size = sizeof known_results[0];
    results[0].known.size = sizeof results[0];
    expect(otp_verify_batch(known_requests, count, known_results) == OTP_OK);
    expect(memcmp(known_results, expected, count * sizeof *expected) == 0);
    // Not zero in what is unknown is wrong.
    requests[count - 1].unknown[23] = 1;
    expect(otp_verify_batch(&requests[0].known, count, &results[0].known) == OTP_OK);
    requests[count - 1].unknown[23] = 0;
    for (size_t i = 0; i < count; i++) {
      static const unsigned char zero[24];
      otp_match *known = &results[i].known;
      expect(known->size == sizeof results[i] && memcmp(results[i].unknown, zero, sizeof zero) == 0);
      if (i == count - 1) {
        expect(known->status == OTP_INVALID_ARGUMENT && known->result == OTP_REJECTED);
      } else {
        expect(known->status == expected[i].status && known->result == expected[i].result);
        expect(known->step == expected[i].step && known->offset == expected[i].offset);
      }
    }
  }
  // A request of another size than the first.
  requests[1].known.size = sizeof known_requests[1];
  expect(otp_verify_batch(&requests[0].known, 3, &results[0].known) == OTP_OK);
  expect(results[1].known.status == OTP_INVALID_ARGUMENT && results[2].known.status == OTP_OK);
  // Results that lie over a request; and over what one points to, which is that request's mistake.
  otp_match *inside = (otp_match *)&known_requests[2];
  inside->size = sizeof *inside;
  expect(otp_verify_batch(known_requests, 3, inside) == OTP_INVALID_ARGUMENT);
  known_requests[2].size = sizeof known_requests[2];
  known_results[0].size = sizeof known_results[0];
  known_requests[0].code = (const char *)&known_results[1];
  known_requests[1].params = (const otp_totp_params *)&known_results[2];
  known_requests[2].window = (const otp_window *)&known_results[0];
  expect(otp_verify_batch(known_requests, 4, known_results) == OTP_OK);
  for (size_t i = 0; i < 4; i++) expect(known_results[i].status == (i < 3 ? OTP_INVALID_ARGUMENT : OTP_OK));
  for (int i = 0; i < 3; i++) otp_key_destroy(keys[i]);
}

/// The texts of a URI lie where it is written.
static void texts_in_place(void) {
  otp_uri uri = OTP_URI_INIT;
  for (size_t place = 0; place < 100; place++) {
    char text[512] = "";
    uri.secret = memcpy(text + 150 + place, seed, sizeof seed);
    uri.secret_len = sizeof seed;
    uri.account = memcpy(text + 180 + place, "alice smith", 11);
    uri.account_len = 11;
    uri.issuer = memcpy(text + 200 + place, "ACME Co", 7);
    uri.issuer_len = 7;
    size_t length = 300;
    expect(otp_uri_build(&uri, 0, text + place, &length, NULL) == OTP_OK);
    expect(
        strcmp(
            text + place,
            "otpauth://totp/ACME%20Co:alice%20smith?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME%20Co")
        == 0);
  }
}

/// No more of a text is read than a code can have: it lies at the end of a page, and no memory follows.
static void ends_of_texts(const otp_key *key) {
  char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), out[9];
  expect(page != MAP_FAILED && mprotect(page + 4096, 4096, PROT_NONE) == 0);
  otp_match match = OTP_MATCH_INIT;
  memset(page, ' ', 4096);
  expect(otp_code_read_typed(page + 4096 - 65, SIZE_MAX / 512, 6, out) == OTP_MALFORMED_CODE);
  expect(otp_totp_verify(key, page + 4096 - 9, SIZE_MAX / 512, 150, NULL, NULL, &match) == OTP_OK);
  expect(match.result == OTP_REJECTED);
  memcpy(page + 4096 - 6, seed_codes[5], 6);
  expect(otp_code_read_typed(page + 4096 - 64, 64, 6, out) == OTP_OK && strcmp(out, seed_codes[5]) == 0);
  expect(otp_totp_verify(key, page + 4096 - 6, 6, 150, NULL, NULL, &match) == OTP_OK && match.step == 5);
  // A code that ends with a NUL: as long as the codes are, and no longer.
  memcpy(page + 4096 - 7, seed_codes[4], 7);
  const char *right[2] = {page + 4096 - 7, seed_codes[5]}, *longer[2] = {seed_codes[4], "2546760"};
  expect(otp_hotp_resynchronize(key, right, 2, 0, 6, 9, &match) == OTP_OK && match.result == OTP_ACCEPTED);
  expect(otp_hotp_resynchronize(key, longer, 2, 0, 6, 9, &match) == OTP_OK && match.result == OTP_REJECTED);
  munmap(page, 8192);
}

int main(void) {
  otp_key *key = seed_key();
  batches();
  texts_in_place();
  ends_of_texts(key);
  otp_key_destroy(key);
  return finish("results");
}
