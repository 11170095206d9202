#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED

#include "CMemoryProbe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/hmac.h>
#include <openssl/sha.h>

#define MASK 0xA5A5A5A5A5A5A5A5ULL
#define MAX_NEEDLES 65536

typedef struct needle {
  uint64_t masked;  // Eight bytes in a row, as a native word, xored with MASK.
  char kind[24];
} needle;

static needle needles[MAX_NEEDLES];
static size_t needle_count;
static uint8_t filter[65536];  // By the masked word's low 16 bits.

static uint64_t next_random(uint64_t *state) {
  *state += 0x9E3779B97F4A7C15ULL;
  uint64_t word = *state;
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9ULL;
  word = (word ^ word >> 27) * 0x94D049BB133111EBULL;
  return word ^ word >> 31;
}

void probe_write_secret(uint64_t seed, uint8_t *secret, size_t size) {
  for (size_t i = 0; i < size; i++) secret[i] = (uint8_t)next_random(&seed);
}

void probe_wipe(void *bytes, size_t size) { explicit_bzero(bytes, size); }

void probe_write_base32(uint64_t seed, uint8_t *text, size_t size) {
  uint8_t secret[256];
  if (size > sizeof secret) return;
  probe_write_secret(seed, secret, size);
  unsigned bits = 0, bit_count = 0;
  size_t length = 0;
  for (size_t i = 0; i < size; i++) {
    bits = bits << 8 | secret[i];
    for (bit_count += 8; bit_count >= 5; bit_count -= 5) {
      text[length++] = (uint8_t)"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[bits >> (bit_count - 5) & 31];
    }
  }
  if (bit_count > 0) text[length++] = (uint8_t)"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[bits << (5 - bit_count) & 31];
  probe_wipe(secret, sizeof secret);
}

// In the child.

static int out;

static void emit(const char *kind, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i + 8 <= size; i++) {
    needle found = {0};
    memcpy(&found.masked, bytes + i, 8);
    found.masked ^= MASK;
    snprintf(found.kind, sizeof found.kind, "%s", kind);
    if (write(out, &found, sizeof found) != sizeof found) _exit(1);
  }
}

// The bytes, and the bytes with each word of 4 or 8 reversed.
static void emit_all_orders(const char *kind, const uint8_t *bytes, size_t size) {
  uint8_t reversed[256];
  emit(kind, bytes, size);
  for (size_t word = 4; word <= 8; word += 4) {
    const size_t whole = size / word * word;
    for (size_t i = 0; i < whole; i++) reversed[i] = bytes[i / word * word + word - 1 - i % word];
    emit(kind, reversed, whole);
  }
}

static void emit_hash(const char *name, const EVP_MD *md, const uint8_t *secret, size_t size) {
  const size_t block = (size_t)EVP_MD_get_block_size(md);
  char kind[24];
  uint8_t key[128] = {0};
  if (size <= block) {
    memcpy(key, secret, size);
  } else {
    EVP_Digest(secret, size, key, NULL, md, NULL);
    snprintf(kind, sizeof kind, "%s hashed key", name);
    emit_all_orders(kind, key, (size_t)EVP_MD_get_size(md));
  }
  const size_t used = size <= block ? size : (size_t)EVP_MD_get_size(md);
  for (int outer = 0; outer < 2; outer++) {
    uint8_t padded[128];
    for (size_t i = 0; i < block; i++) padded[i] = key[i] ^ (outer ? 0x5c : 0x36);
    snprintf(kind, sizeof kind, "%s %s pad", name, outer ? "outer" : "inner");
    emit_all_orders(kind, padded, used);

    snprintf(kind, sizeof kind, "%s %s midstate", name, outer ? "outer" : "inner");
    if (md == EVP_sha1()) {
      SHA_CTX context;
      SHA1_Init(&context);
      SHA1_Transform(&context, padded);
      emit_all_orders(kind, (const uint8_t *)&context.h0, 20);
    } else if (md == EVP_sha256()) {
      SHA256_CTX context;
      SHA256_Init(&context);
      SHA256_Transform(&context, padded);
      emit_all_orders(kind, (const uint8_t *)context.h, 32);
    } else {
      SHA512_CTX context;
      SHA512_Init(&context);
      SHA512_Transform(&context, padded);
      emit_all_orders(kind, (const uint8_t *)context.h, 64);
    }
  }
  snprintf(kind, sizeof kind, "%s tag", name);
  for (uint8_t counter = 0; counter < 16; counter++) {
    const uint8_t message[8] = {0, 0, 0, 0, 0, 0, 0, counter};
    uint8_t tag[64];
    HMAC(md, secret, (int)size, message, sizeof message, tag, NULL);
    emit_all_orders(kind, tag, (size_t)EVP_MD_get_size(md));
  }
}

static void make_needles(uint64_t seed, size_t size) {
  uint8_t secret[256], text[512];
  probe_write_secret(seed, secret, size);
  probe_write_base32(seed, text, size);
  emit_all_orders("secret", secret, size);
  emit("base32 text", text, (size * 8 + 4) / 5);
  emit_hash("SHA-1", EVP_sha1(), secret, size);
  emit_hash("SHA-256", EVP_sha256(), secret, size);
  emit_hash("SHA-512", EVP_sha512(), secret, size);
}

// In the parent.

size_t probe_prepare(uint64_t seed, size_t size) {
  needle_count = 0;
  memset(filter, 0, sizeof filter);
  if (size == 0 || size > 256) return 0;
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t child = fork();
  if (child < 0) return 0;
  if (child == 0) {
    close(ends[0]);
    out = ends[1];
    make_needles(seed, size);
    _exit(0);
  }
  close(ends[1]);
  FILE *stream = fdopen(ends[0], "r");
  if (stream == NULL) return 0;
  setvbuf(stream, NULL, _IONBF, 0);
  while (needle_count < MAX_NEEDLES && fread(&needles[needle_count], sizeof(needle), 1, stream) == 1) {
    filter[needles[needle_count].masked & 0xFFFF] = 1;
    needle_count++;
  }
  fclose(stream);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? needle_count : 0;
}

static const needle *find_needle(uint64_t masked) {
  if (!filter[masked & 0xFFFF]) return NULL;
  for (size_t i = 0; i < needle_count; i++) {
    if (needles[i].masked == masked) return &needles[i];
  }
  return NULL;
}

size_t probe_count(char *where, size_t where_size) {
  size_t count = 0;
  where[0] = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) return SIZE_MAX;
  char line[512];
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long start = 0, end = 0;
    char access[5] = "", name[256] = "anonymous";
    if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %255s", &start, &end, access, name) < 3) continue;
    if (access[0] != 'r' || access[1] != 'w') continue;
    const uint8_t *bytes = (const uint8_t *)start;
    for (size_t i = 0; i + 8 <= end - start; i++) {
      uint64_t word;
      memcpy(&word, bytes + i, 8);
      const needle *found = find_needle(word ^ MASK);
      if (found == NULL) continue;
      if (count < 4) {
        const size_t length = strlen(where);
        snprintf(where + length, where_size - length, "%s%s in %s", count == 0 ? "" : "; ", found->kind, name);
      }
      count++;
    }
  }
  fclose(maps);
  return count;
}
