#define OPENSSL_SUPPRESS_DEPRECATED

#include "CPeers.h"

#include <string.h>

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include "truncation.h"

// Header (10 bytes), nonce (24), ciphertext (95), tag (16): as long as a TOTP record of a secret of 20 bytes.
enum { HEADER = 10, NONCE = 24, CONTENT = 95, SECRET_AT = 75, LENGTH = 145 };

/// AES-256 with the key, for the derivation of the keys of messages, and AES-256-GCM with one of these.
static EVP_CIPHER_CTX *block, *message;
static uint8_t subkey[16];

static void prepare(void) {
  if (block != NULL) return;
  uint8_t key[32], zeros[16] = {0};
  int length;
  RAND_priv_bytes(key, sizeof key);
  block = EVP_CIPHER_CTX_new();
  message = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(block, EVP_aes_256_ecb(), NULL, key, NULL);
  EVP_EncryptInit_ex(message, EVP_aes_256_gcm(), NULL, NULL, NULL);
  // AES-CMAC's first subkey (RFC 4493, section 2.3).
  EVP_EncryptUpdate(block, subkey, &length, zeros, sizeof zeros);
  const uint8_t carry = subkey[0] >> 7;
  for (int i = 0; i < 15; i++) subkey[i] = (uint8_t)(subkey[i] << 1 | subkey[i + 1] >> 7);
  subkey[15] = (uint8_t)(subkey[15] << 1 ^ (carry ? 0x87 : 0));
}

/// The key of a message: two blocks of AES-CMAC.
static void derive(const uint8_t *nonce, uint8_t key[32]) {
  uint8_t blocks[32] = {0, 1, 'X'};
  int length;
  blocks[17] = 2, blocks[18] = 'X';
  for (int i = 0; i < 2; i++) memcpy(blocks + 16 * i + 4, nonce, 12);
  for (int i = 0; i < 32; i++) blocks[i] ^= subkey[i % 16];
  EVP_EncryptUpdate(block, key, &length, blocks, sizeof blocks);
}

static void seal(uint8_t *record, const uint8_t *content) {
  uint8_t key[32], bound[64] = {0};
  int length;
  RAND_priv_bytes(record + HEADER, NONCE);
  derive(record + HEADER, key);
  EVP_EncryptInit_ex(message, NULL, NULL, key, record + HEADER + 12);
  EVP_EncryptUpdate(message, NULL, &length, bound, sizeof bound);
  EVP_EncryptUpdate(message, record + HEADER + NONCE, &length, content, CONTENT);
  EVP_EncryptFinal_ex(message, NULL, &length);
  EVP_CIPHER_CTX_ctrl(message, EVP_CTRL_AEAD_GET_TAG, 16, record + LENGTH - 16);
}

void peer_floor_make(uint8_t record[LENGTH], const uint8_t secret[20]) {
  uint8_t content[CONTENT] = {0};
  prepare();
  memcpy(content + SECRET_AT, secret, 20);
  seal(record, content);
}

int peer_floor_record(uint8_t record[LENGTH], uint64_t step, uint32_t code) {
  uint8_t key[32], bound[64] = {0}, content[CONTENT];
  int length, is_found = 0;
  derive(record + HEADER, key);
  EVP_DecryptInit_ex(message, NULL, NULL, key, record + HEADER + 12);
  EVP_DecryptUpdate(message, NULL, &length, bound, sizeof bound);
  EVP_DecryptUpdate(message, content, &length, record + HEADER + NONCE, CONTENT);
  EVP_CIPHER_CTX_ctrl(message, EVP_CTRL_AEAD_SET_TAG, 16, record + LENGTH - 16);
  if (EVP_DecryptFinal_ex(message, NULL, &length) != 1) return 0;

  peer_openssl_midstate mac;
  uint32_t values[3];
  peer_openssl_midstate_prepare(0, content + SECRET_AT, 20, &mac);
  peer_openssl_midstate_values(&mac, step - 1, 3, values);
  for (int i = 0; i < 3; i++) is_found |= values[i] % 1000000 == code;
  content[8] += 1;
  seal(record, content);
  return is_found;
}
