// The plan that is measured, by a clock of the check's own: where calls take as long as on Zen 4 and on Emerald Rapids,
// and with clocks and machines that allow no measurement.

#include <stdio.h>
#include <string.h>

#include "lanes/plans.h"

enum { KERNELS = 7 };

// Nanoseconds: now, what a clock counts by, what reading it and each call take, and by how much more every next call.
static uint64_t time, grain, reading, costs[KERNELS], more;

static uint64_t now(void) {
  time += reading;
  return grain == 0 ? 0 : time / grain * grain;
}

// Kernels that compute nothing and take time.
#define KERNEL(index, lanes)                                                            \
  static void values_##lanes(const otp_midstates *key, uint64_t first, uint32_t *out) { \
    (void)key, (void)first, (void)out;                                                  \
    time += costs[index] + more;                                                        \
    more += more / 16;                                                                  \
  }                                                                                     \
  static const lane_kernel kernel_##lanes = {.width = lanes, .key_values = values_##lanes};

KERNEL(0, 1)
KERNEL(1, 2)
KERNEL(2, 3)
KERNEL(3, 4)
KERNEL(4, 8)
KERNEL(5, 16)
KERNEL(6, 32)

#define ZEN4 {92, 105, 134, 155, 186, 311, 630}
#define EMERALD_RAPIDS {170, 258, 438, 626, 319, 429, 891}

static const struct {
  const char *name;
  uint64_t grain, reading, more, costs[KERNELS];
  // Numbers of codes, each with the lanes of its calls; NULL if there is no measurement.
  const char *calls;
} cases[] = {
    {"Zen 4", 1, 20, 0, ZEN4, "1:1 3:3 5:8 11:16 17:16+1 21:16+8 24:16+8 32:16+16 40:16+16+8"},
    {"Emerald Rapids", 1, 20, 0, EMERALD_RAPIDS, "1:1 2:2 3:8 4:8 9:16 17:16+1 21:16+8 32:16+16"},
    {"a kernel twenty times as slow", 1, 20, 0, {170, 258, 438, 626, 6380, 429, 891}, "2:2 3:2+1 21:16+16"},
    {"a grain of 100 ns", 100, 20, 0, EMERALD_RAPIDS, "1:1 2:2 3:8 4:8 9:16 17:16+1 21:16+8 32:16+16"},
    {"a grain of 1 us", 1000, 20, 0, EMERALD_RAPIDS, NULL},
    {"a clock that stands still", 0, 20, 0, EMERALD_RAPIDS, NULL},
    {"a machine that slows down", 1, 20, 1000, EMERALD_RAPIDS, NULL},
};

int main(void) {
  size_t failures = 0;
  static _Atomic(const otp_lane_choice *) slot;
  static const otp_lane_plan plan = {
      .count = KERNELS,
      .kernels = {&kernel_1, &kernel_2, &kernel_3, &kernel_4, &kernel_8, &kernel_16, &kernel_32},
      .choice = &slot,
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    otp_lane_choice choice;
    char found[200] = "";
    grain = cases[i].grain, reading = cases[i].reading, more = cases[i].more;
    memcpy(costs, cases[i].costs, sizeof costs);
    slot = otp_lanes_measure_plan(&plan, &choice, now) ? &choice : NULL;
    // Without a measurement, one call of the narrowest kernel that has the lanes.
    const char *const expected =
        cases[i].calls != NULL ? cases[i].calls : "1:1 2:2 3:3 4:4 5:8 8:8 9:16 17:32 32:32 33:32+1 40:32+8";
    for (const char *at = expected; at != NULL; at = strchr(at, ' ')) {
      size_t left = 0;
      at += *at == ' ';
      sscanf(at, "%zu", &left);
      size_t length = strlen(found);
      length += (size_t)sprintf(found + length, "%s%zu", at == expected ? "" : " ", left);
      for (char mark = ':'; left > 0; mark = '+') {
        const size_t width = otp_lanes_kernel_width(&plan, otp_lanes_kernel_for(&plan, left));
        length += (size_t)sprintf(found + length, "%c%zu", mark, width);
        left -= left < width ? left : width;
      }
    }
    if (strcmp(found, expected) == 0) continue;
    failures++;
    printf("measured: %s: calls %s, not %s\n", cases[i].name, found, expected);
  }
  printf("measured: %zu machines, %zu wrong\n", sizeof cases / sizeof *cases, failures);
  return failures != 0;
}
