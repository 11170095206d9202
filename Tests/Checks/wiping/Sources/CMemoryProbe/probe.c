#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED

#include "CMemoryProbe.h"

#include <alloca.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/hmac.h>
#include <openssl/sha.h>

#define MASK 0xA5A5A5A5A5A5A5A5ULL
#define TABLE_BITS 17
#define TABLE_SIZE (1u << TABLE_BITS)
#define FILTER_BITS 20

typedef struct needle {
  uint64_t masked;  // Eight consecutive bytes, as a native word, xored with MASK.
  char kind[24];    // Empty if the table entry is free.
} needle;

static needle table[TABLE_SIZE];  // By hash, open addressing.
static size_t needle_count;
// A bit for each hash of FILTER_BITS that a needle has: nearly all words of the memory have none. The table, of 4 MB,
// is read only for the others.
static uint8_t filter[(1u << FILTER_BITS) / 8];

static uint64_t hash(uint64_t masked) { return masked * 0x9E3779B97F4A7C15ULL; }
static size_t place_of(uint64_t masked) { return (size_t)(hash(masked) >> (64 - TABLE_BITS)); }

static needle *find(uint64_t masked) {
  size_t place = place_of(masked);
  while (table[place].kind[0] != 0 && table[place].masked != masked) place = (place + 1) % TABLE_SIZE;
  return &table[place];
}

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

size_t probe_write_text(uint64_t seed, size_t size, unsigned bits, uint8_t *text) {
  static const char *const alphabets[] = {
      [4] = "0123456789abcdef",
      [5] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
      [6] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};
  uint8_t secret[257] = {0};
  const size_t count = (size * 8 + bits - 1) / bits;
  if (size >= sizeof secret) return 0;
  if (text != NULL) {
    probe_write_secret(seed, secret, size);
    for (size_t i = 0; i < count; i++) {
      const size_t at = i * bits / 8;
      const unsigned two = (unsigned)secret[at] << 8 | secret[at + 1];
      text[i] = (uint8_t)alphabets[bits][two >> (16 - bits - i * bits % 8) & ((1u << bits) - 1)];
    }
    probe_wipe(secret, sizeof secret);
  }
  return count;
}

void probe_write_code(uint64_t seed, uint8_t code[6]) {
  for (size_t i = 0; i < 6; i++) code[i] = '0' + (uint8_t)(next_random(&seed) % 10);
}

// ---- In the child process. ----

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

// The words of a block that hold key bytes, with a hash's first round constants added, as in a schedule on the stack.
static void emit_schedule32(const char *kind, const uint8_t *block, size_t key_size) {
  static const uint32_t k[16] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
                                 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
                                 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174};
  uint32_t words[16], sha1[16];
  for (size_t i = 0; i < 16; i++) {
    memcpy(&words[i], block + 4 * i, 4);
    sha1[i] = __builtin_bswap32(words[i]) + 0x5a827999;
    words[i] = __builtin_bswap32(words[i]) + k[i];
  }
  const size_t keyed_bytes = key_size / 4 * 4;
  emit(kind, (const uint8_t *)words, keyed_bytes);
  emit(kind, (const uint8_t *)sha1, keyed_bytes);
}

static void emit_schedule64(const char *kind, const uint8_t *block, size_t key_size) {
  static const uint64_t k[16] = {0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
                                 0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
                                 0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
                                 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694};
  for (size_t i = 0; i < key_size / 8; i++) {
    uint64_t word;
    memcpy(&word, block + 8 * i, 8);
    word = __builtin_bswap64(word) + k[i];
    emit(kind, (const uint8_t *)&word, sizeof word);
  }
}

// The bytes, and the bytes with each word of 4 or 8 bytes reversed.
static void emit_all_orders(const char *kind, const uint8_t *bytes, size_t size) {
  uint8_t reversed[256];
  emit(kind, bytes, size);
  for (size_t word = 4; word <= 8; word += 4) {
    const size_t whole = size / word * word;
    for (size_t i = 0; i < whole; i++) reversed[i] = bytes[i / word * word + word - 1 - i % word];
    emit(kind, reversed, whole);
  }
}

// The first of two times 32 counters.
static const uint32_t counters[2] = {0, PROBE_FIRST_COUNTER};

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
    snprintf(kind, sizeof kind, "%s %s schedule", name, outer ? "outer" : "inner");
    if (block == 128) emit_schedule64(kind, padded, used);
    if (block == 64) emit_schedule32(kind, padded, used);

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
  uint32_t values[2] = {0, 0};
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t counter = counters[i / 32] + i % 32, big_endian = __builtin_bswap32(counter);
    uint8_t inner[136] = {0}, tag[64], digest[64];
    for (size_t j = 0; j < block; j++) inner[j] = key[j] ^ 0x36;
    memcpy(inner + block + 4, &big_endian, 4);
    snprintf(kind, sizeof kind, "%s inner digest", name);
    EVP_Digest(inner, block + 8, digest, NULL, md, NULL);
    emit_all_orders(kind, digest, (size_t)EVP_MD_get_size(md));
    snprintf(kind, sizeof kind, "%s digest schedule", name);
    if (block == 128) emit_schedule64(kind, digest, (size_t)EVP_MD_get_size(md));
    if (block == 64) emit_schedule32(kind, digest, (size_t)EVP_MD_get_size(md));
    snprintf(kind, sizeof kind, "%s tag", name);
    HMAC(md, secret, (int)size, inner + block, 8, tag, NULL);
    emit_all_orders(kind, tag, (size_t)EVP_MD_get_size(md));
    snprintf(kind, sizeof kind, "%s truncated values", name);
    values[0] = values[1];
    memcpy(&values[1], tag + (tag[EVP_MD_get_size(md) - 1] & 15), 4);
    values[1] = __builtin_bswap32(values[1]) & 0x7FFFFFFF;
    if (i % 32 > 0) emit(kind, (const uint8_t *)values, sizeof values);
  }
}

// The submitted code as the engine keeps it until it has been compared: its number before the first counter, and what
// it lacks to a million after the greatest quotient.
static void emit_code(uint64_t seed) {
  uint8_t text[6];
  uint32_t code = 0;
  probe_write_code(seed, text);
  for (size_t i = 0; i < 6; i++) code = 10 * code + (text[i] - '0');
  for (uint32_t i = 0; i < 32; i++) {
    const uint32_t words[2] = {code, PROBE_FIRST_COUNTER + i};
    emit("submitted code", (const uint8_t *)words, sizeof words);
  }
  const uint32_t words[2] = {4294, 1000000 - code};
  emit("submitted code", (const uint8_t *)words, sizeof words);
}

static void make_needles(uint64_t seed, size_t size) {
  uint8_t secret[256], text[512];
  probe_write_secret(seed, secret, size);
  emit_all_orders("secret", secret, size);
  static const char *const kinds[] = {[4] = "hexadecimal text", [5] = "base32 text", [6] = "base64 text"};
  for (unsigned bits = 4; bits <= 6; bits++) emit(kinds[bits], text, probe_write_text(seed, size, bits, text));
  emit_code(seed);
  emit_hash("SHA-1", EVP_sha1(), secret, size);
  emit_hash("SHA-256", EVP_sha256(), secret, size);
  emit_hash("SHA-512", EVP_sha512(), secret, size);
}

// ---- In the parent process. ----

size_t probe_prepare(uint64_t seed, size_t size) {
  needle_count = 0;
  memset(table, 0, sizeof table);
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
  needle next;
  while (needle_count < TABLE_SIZE / 2 && fread(&next, sizeof next, 1, stream) == 1) {
    needle *place = find(next.masked);
    if (place->kind[0] != 0) continue;
    *place = next;
    const uint64_t bit = hash(next.masked) >> (64 - FILTER_BITS);
    filter[bit / 8] |= (uint8_t)(1u << bit % 8);
    needle_count++;
  }
  fclose(stream);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? needle_count : 0;
}

__attribute__((noinline)) void probe_plant_on_stack(uint64_t seed, size_t size, size_t depth) {
  uint8_t *frame = alloca(depth + size);
  probe_write_secret(seed, frame, size);
  __asm__ __volatile__("" : : "r"(frame) : "memory");
}

static char places[4096];

const char *probe_places(void) { return places; }

// Only the first place of each kind.
static void note_place(const char *kind, const char *mapping) {
  if (strstr(places, kind) != NULL) return;
  const size_t length = strlen(places);
  snprintf(places + length, sizeof places - length, "%s%s in %s", length == 0 ? "" : "; ", kind, mapping);
}

static long probe_count(void) {
  // Into existing memory, since a search that allocates could overwrite what it looks for.
  static char maps[1 << 16];
  places[0] = 0;
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  size_t length = 0;
  for (ssize_t got; (got = read(file, maps + length, sizeof maps - 1 - length)) > 0;) length += (size_t)got;
  close(file);
  if (length == 0 || length >= sizeof maps - 1) return -1;
  maps[length] = 0;

  long count = 0;
  for (char *line = strtok(maps, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    unsigned long start = 0, end = 0;
    char access[5] = "", name[256] = "anonymous";
    if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %255s", &start, &end, access, name) < 3) return -1;
    if (access[0] != 'r' || access[1] != 'w') continue;
    const uint8_t *bytes = (const uint8_t *)start;
    for (size_t i = 0; i + 8 <= end - start; i++) {
      uint64_t word;
      memcpy(&word, bytes + i, 8);
      const uint64_t bit = hash(word ^ MASK) >> (64 - FILTER_BITS);
      if ((filter[bit / 8] >> bit % 8 & 1) == 0) continue;
      const needle *found = find(word ^ MASK);
      if (found->kind[0] == 0) continue;
      note_place(found->kind, name);
      count++;
    }
  }
  return count;
}

typedef struct use {
  void (*body)(void *);
  void *argument;
  atomic_bool is_over;
  atomic_uint may_end;
} use;

static void *run_use(void *argument) {
  use *it = argument;
  it->body(it->argument);
  // This thread waits: if it ended, its stack and arena would be returned to the system. A function that waits would
  // overwrite its stack, so the kernel is called from here; elsewhere it spins.
  atomic_store(&it->is_over, 1);
  while (!atomic_load(&it->may_end)) {
#ifdef __x86_64__
    register const struct timespec *forever __asm__("r10") = NULL;
    long call = SYS_futex;
    __asm__ __volatile__("syscall"
                         : "+a"(call)
                         : "D"(&it->may_end), "S"(FUTEX_WAIT_PRIVATE), "d"(0), "r"(forever)
                         : "rcx", "r11", "memory");
#endif
  }
  return NULL;
}

long probe_count_after(void (*body)(void *), void *argument) {
  static use it;
  pthread_t thread;
  it.body = body;
  it.argument = argument;
  atomic_store(&it.is_over, 0);
  atomic_store(&it.may_end, 0);
  if (pthread_create(&thread, NULL, run_use, &it) != 0) return -1;
  while (!atomic_load(&it.is_over)) sched_yield();
  const long count = probe_count();
  atomic_store(&it.may_end, 1);
  syscall(SYS_futex, &it.may_end, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  pthread_join(thread, NULL);
  return count;
}
