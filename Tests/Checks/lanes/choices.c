// The kernels that each CPU's fixed plan calls, by number of codes, and those of the plan that is measured where they
// take as long as on Zen 4 and on Emerald Rapids. The kernels here compute nothing and record that they were called,
// and each case names its CPU, so that all plans are tested on any machine.

#include <stdio.h>
#include <string.h>

#include "cpu.h"
#include "lanes/plans.h"

static char calls[200];

// The clock of the plan's measurement, in nanoseconds, and how long each kernel of SHA-1 takes by it.
static uint64_t clock_time, irregularity;
static const struct cost {
  const char *name;
  uint64_t nanoseconds;
} *costs;

static uint64_t now(void) { return clock_time += 20; }

static void take_time(const char *name) {
  for (const struct cost *cost = costs; cost->name != NULL; cost++) {
    if (strcmp(cost->name, name) == 0) clock_time += cost->nanoseconds + irregularity;
  }
  irregularity *= 3;
}

static void note(const char *name) {
  if (costs != NULL) return take_time(name);
  if (calls[0] != '\0') strcat(calls, " ");
  strcat(calls, name);
}

#define KERNEL(kernel, lanes, name)                                                      \
  static void kernel##_key(const otp_midstates *key, uint64_t first, uint32_t *values) { \
    (void)key, (void)first, (void)values;                                                \
    note(name);                                                                          \
  }                                                                                      \
  static void kernel##_lanes(const otp_lane *all, uint32_t *values) {                    \
    (void)all, (void)values;                                                             \
    note(name);                                                                          \
  }                                                                                      \
  const lane_kernel kernel = {.width = lanes, .key_values = kernel##_key, .lane_values = kernel##_lanes};

// One code by libcrypto's transform or by the CPU's instructions; otherwise the number of lanes and the set.
KERNEL(otp_transform_sha1, 1, "libcrypto")
KERNEL(otp_transform_sha256, 1, "libcrypto")
KERNEL(otp_transform_sha512, 1, "libcrypto")
KERNEL(otp_sha1_ni, 1, "ni")
KERNEL(otp_sha1_ni_x2, 2, "2ni")
KERNEL(otp_sha1_ni_x3, 3, "3ni")
KERNEL(otp_sha1_ni_x4, 4, "4ni")
KERNEL(otp_sha256_ni, 1, "ni")
KERNEL(otp_sha256_ni_x2, 2, "2ni")
KERNEL(otp_sha256_ni_x3, 3, "3ni")
KERNEL(otp_sha256_ni_x4, 4, "4ni")
KERNEL(otp_portable_sha1_x4, 4, "4p")
KERNEL(otp_portable_sha256_x4, 4, "4p")
KERNEL(otp_portable_sha512_x2, 2, "2p")
KERNEL(otp_avx2_sha1_x8, 8, "8y")
KERNEL(otp_avx2_sha1_x16, 16, "16y")
KERNEL(otp_avx2_sha256_x8, 8, "8y")
KERNEL(otp_avx2_sha512_x4, 4, "4y")
KERNEL(otp_avx2_sha512_x8, 8, "8y")
KERNEL(otp_avx512_sha1_x8, 8, "8z")
KERNEL(otp_avx512_sha1_x16, 16, "16z")
KERNEL(otp_avx512_sha1_x32, 32, "32z")
KERNEL(otp_avx512_sha256_x8, 8, "8z")
KERNEL(otp_avx512_sha256_x16, 16, "16z")
KERNEL(otp_avx512_sha256_x32, 32, "32z")
KERNEL(otp_avx512_sha512_x4, 4, "4z")
KERNEL(otp_avx512_sha512_x8, 8, "8z")
KERNEL(otp_avx512_sha512_x16, 16, "16z")

/// A CPU's features.
enum { NOTHING = 0, NI = 1, AVX2 = 2, AVX512 = 4 };
static int features;

int otp_cpu_has_sha_ni(void) { return (features & NI) != 0; }
int otp_cpu_has_avx2(void) { return (features & AVX2) != 0; }
int otp_cpu_has_avx512(void) { return (features & AVX512) != 0; }
// Only features of other architectures.
int otp_cpu_has_sha_arm(void) { return 0; }
int otp_cpu_has_sha512_arm(void) { return 0; }

#define SHA1 OTP_KERNEL_HASH_SHA1
#define SHA256 OTP_KERNEL_HASH_SHA256
#define SHA512 OTP_KERNEL_HASH_SHA512
#define ZEN5 (AVX512 | AVX2 | NI)
#define CASCADE_LAKE (AVX512 | AVX2)

// Numbers of codes, each with its calls. 11 codes are a window of five steps on either side, 21 one of ten.
static const struct {
  int features;
  otp_kernel_hash hash;
  const char *choices;
} cases[] = {
    {ZEN5, SHA1,
     "1: ni, 2: 2ni, 3: 3ni, 4: 4ni, 5: 8z, 8: 8z, 9: 16z, 11: 16z, 16: 16z, 17: 16z ni, "
     "19: 16z 3ni, 20: 32z, 21: 32z, 31: 32z, 32: 32z, 35: 32z 3ni, 36: 32z 4ni, 48: 32z 16z, "
     "64: 32z 32z"},
    {ZEN5, SHA256, "3: 3ni, 5: 4ni ni, 6: 4ni 2ni, 7: 8z, 11: 16z, 21: 16z 4ni ni, 22: 32z, 64: 32z 32z"},
    {ZEN5, SHA512, "1: libcrypto, 4: 4z, 5: 8z, 9: 8z libcrypto, 11: 16z, 17: 16z libcrypto, 21: 16z 8z"},
    {CASCADE_LAKE, SHA1, "1: libcrypto, 2: 8z, 11: 16z, 17: 16z libcrypto, 21: 16z 8z, 32: 16z 16z"},
    {CASCADE_LAKE, SHA256, "1: libcrypto, 11: 16z, 21: 16z 8z, 32: 32z"},
    {CASCADE_LAKE, SHA512, "1: libcrypto, 11: 8z 4z, 16: 16z"},
    {AVX2 | NI, SHA1, "5: 4ni ni, 11: 4ni 4ni 3ni, 21: 16y 4ni ni"},
    {AVX2 | NI, SHA256, "3: 3ni, 16: 4ni 4ni 4ni 4ni"},
    {AVX2 | NI, SHA512, "1: libcrypto, 3: 4y, 11: 8y 4y"},
    {AVX2, SHA1, "1: libcrypto, 11: 8y 8y"},
    {AVX2, SHA256, "1: libcrypto"},
    {AVX2, SHA512, "1: libcrypto"},
    {NI, SHA1, "3: 3ni"},
    {NI, SHA512, "1: libcrypto, 3: 2p libcrypto"},
    {NOTHING, SHA1, "1: libcrypto, 11: 4p 4p 4p"},
    {NOTHING, SHA256, "1: libcrypto"},
    {NOTHING, SHA512, "1: libcrypto"},
};

// What a call takes, of SHA-1, in nanoseconds; `slow` is Emerald Rapids with a kernel of 8 lanes that takes twenty
// times as long.
// clang-format off
#define COSTS(one, two, three, four, eight, sixteen, thirty_two)                              \
  {{"ni", one},        {"2ni", two},        {"3ni", three},     {"4ni", four},  {"8z", eight}, \
   {"16z", sixteen},   {"32z", thirty_two}, {"libcrypto", 400}, {"4z", 500},    {NULL, 0}}
// clang-format on
static const struct cost zen4[] = COSTS(92, 105, 134, 155, 186, 311, 630);
static const struct cost emerald_rapids[] = COSTS(170, 258, 438, 626, 319, 429, 891);
static const struct cost slow[] = COSTS(170, 258, 438, 626, 319 * 20, 429, 891);

static const struct {
  const char *name;
  const struct cost *costs;
  const char *choices;
} measured[] = {
    {"zen4", zen4,
     "1: ni, 3: 3ni, 5: 8z, 11: 16z, 17: 16z ni, 21: 16z 8z, 24: 16z 8z, 32: 16z 16z, "
     "40: 16z 16z 8z"},
    {"emerald-rapids", emerald_rapids,
     "1: ni, 2: 2ni, 3: 8z, 4: 8z, 9: 16z, 17: 16z ni, 21: 16z 8z, "
     "32: 16z 16z"},
    {"slow", slow, "3: 2ni ni, 2: 2ni, 21: 16z 16z"},
    // Too irregular: the list.
    {"irregular", emerald_rapids, "3: 3ni"},
    {"stopped", NULL, "3: 3ni"},
};

static int checked, failures;

// Takes the next number of codes of a row, and the calls that are expected for it. NULL at the row's end.
static const char *next_case(const char *row, size_t *count, char expected[64]) {
  int length = 0;
  if (sscanf(row, "%zu: %63[^,]%n", count, expected, &length) != 2) return NULL;
  return row + length + (row[length] == ',');
}

static void expect(const char *what, size_t count, const char *expected) {
  checked++;
  if (strcmp(calls, expected) != 0) {
    failures++;
    printf("choices: %s, %zu codes: calls %s, not %s\n", what, count, calls, expected);
  }
  calls[0] = '\0';
}

static const otp_midstates key;

static void check_measured(void) {
  static const struct cost none[] = {{NULL, 0}};
  features = ZEN5;
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
    uint32_t values[64];
    uint8_t choices[OTP_MAX_LANES + 1];
    otp_lane_plan plan = *otp_lanes_plan(OTP_LANES_FIXED, SHA1);
    costs = measured[i].costs != NULL ? measured[i].costs : none;
    irregularity = strcmp(measured[i].name, "irregular") == 0;
    otp_lanes_measure_plan(&plan, choices, now);
    costs = NULL;
    size_t count;
    char expected[64];
    for (const char *row = measured[i].choices; (row = next_case(row, &count, expected)) != NULL;) {
      otp_lanes_key_values(&plan, &key, 0, count, values);
      expect(measured[i].name, count, expected);
    }
  }
}

int main(void) {
  otp_lane lanes[64];
  uint32_t values[64];
  for (size_t lane = 0; lane < 64; lane++) lanes[lane] = (otp_lane){&key, lane};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t count;
    char expected[64], what[80];
    features = cases[i].features;
    snprintf(what, sizeof what, "features %d, hash %d", features, (int)cases[i].hash);
    const otp_lane_plan *plan = otp_lanes_plan(OTP_LANES_FIXED, cases[i].hash);
    for (const char *row = cases[i].choices; (row = next_case(row, &count, expected)) != NULL;) {
      otp_lanes_key_values(plan, &key, 0, count, values);
      expect(what, count, expected);
      otp_lanes_values(plan, lanes, count, values);
      expect(what, count, expected);
    }
  }
  check_measured();
  printf("choices: %d cases, %d wrong\n", checked, failures);
  return failures != 0;
}
