#include "otp_evp.h"

#include <stdatomic.h>

// Otherwise OPENSSL_zalloc and OPENSSL_free put the path of this file, and so of the build's folder, into every
// program.
#define OPENSSL_NO_FILENAMES
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

struct otp_evp_key {
  // Never used to compute, so that several threads may duplicate it at once.
  EVP_MAC_CTX *pristine;
  // Used only by the session that holds `taken`, and initialized between uses. NULL after a failure, until the next use
  // duplicates `pristine` again. In a process that was forked while it was taken it remains taken, and every use
  // duplicates.
  EVP_MAC_CTX *kept;
  atomic_flag taken;
  otp_kernel_hash hash;
};

static EVP_MAC_CTX *keyed_context(otp_kernel_hash hash, const uint8_t *secret, size_t size) {
  EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  if (mac == NULL) return NULL;
  EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
  EVP_MAC_free(mac);  // The context keeps its own reference.
  if (context == NULL) return NULL;

  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)otp_hash_properties_of(hash)->name, 0),
      OSSL_PARAM_construct_end(),
  };
  if (EVP_MAC_init(context, secret, size, parameters) != 1) {
    EVP_MAC_CTX_free(context);
    return NULL;
  }
  return context;
}

otp_evp_key *otp_evp_key_create(otp_kernel_hash hash, const uint8_t *secret, size_t size) {
  if (secret == NULL || size == 0) return NULL;
  otp_evp_key *key = OPENSSL_zalloc(sizeof *key);
  if (key == NULL) return NULL;
  atomic_flag_clear(&key->taken);
  key->hash = hash;
  key->pristine = keyed_context(hash, secret, size);
  if (key->pristine != NULL) key->kept = EVP_MAC_CTX_dup(key->pristine);
  if (key->kept == NULL) {
    otp_evp_key_destroy(key);
    return NULL;
  }
  return key;
}

void otp_evp_key_destroy(otp_evp_key *key) {
  if (key == NULL) return;
  EVP_MAC_CTX_free(key->kept);
  EVP_MAC_CTX_free(key->pristine);
  OPENSSL_clear_free(key, sizeof *key);
}

otp_kernel_hash otp_evp_key_hash(const otp_evp_key *key) { return key->hash; }

int otp_evp_begin(otp_evp_key *key, otp_evp_session *session) {
  session->key = key;
  session->holds_kept = !atomic_flag_test_and_set_explicit(&key->taken, memory_order_acquire);
  if (!session->holds_kept) {
    session->context = EVP_MAC_CTX_dup(key->pristine);
  } else {
    if (key->kept == NULL) key->kept = EVP_MAC_CTX_dup(key->pristine);
    session->context = key->kept;
  }
  if (session->context != NULL) return 1;
  otp_evp_end(session);
  return 0;
}

// Releases a context in which something failed. If memory runs out, OpenSSL 3 can leave a context with a digest but
// without the digest's state, and crashes when it is used again.
static void discard(otp_evp_session *session) {
  EVP_MAC_CTX_free(session->context);
  session->context = NULL;
  if (session->holds_kept) session->key->kept = NULL;
}

int otp_evp_tag(otp_evp_session *session, const uint8_t *message, size_t size, uint8_t *tag, size_t tag_size) {
  EVP_MAC_CTX *context = session->context;
  size_t written = 0;
  if (context == NULL) return 0;
  // Initialized again afterward: ready for the next message, and without this one's tag in a context that may live for
  // a long time.
  if (EVP_MAC_update(context, message, size) == 1 && EVP_MAC_final(context, tag, &written, tag_size) == 1
      && written == tag_size && EVP_MAC_init(context, NULL, 0, NULL) == 1) {
    return 1;
  }
  discard(session);
  return 0;
}

void otp_evp_end(otp_evp_session *session) {
  if (session->holds_kept) {
    atomic_flag_clear_explicit(&session->key->taken, memory_order_release);
  } else {
    EVP_MAC_CTX_free(session->context);
  }
  session->context = NULL;
}
