/// Looks for key material in all of the process's own memory: live, freed, or left on the stack.
///
/// The probe itself never holds what it looks for. Its needles lie in memory masked; they are made in a child process,
/// which takes its own leavings with it when it ends.

#ifndef CMEMORYPROBE_H
#define CMEMORYPROBE_H

#include <stddef.h>
#include <stdint.h>

/// Makes the needles: for a secret of `size` bytes (derived from `seed`, see `probe_write_secret`), any 8 bytes in a
/// row of the secret, of its base32, base64 and hexadecimal texts, and, for SHA-1, SHA-256 and SHA-512, of the hashed
/// key, of the key xored with HMAC's pads, of the first words of their message schedules with the round constants
/// added, of the midstates, and of the inner digests and tags of counters 0...63. Each also with its words' bytes
/// reversed, as a hash loads them. Returns the number of needles, or 0 on failure.
size_t probe_prepare(uint64_t seed, size_t size);

/// Writes the secret of `size` bytes that belongs to `seed`. The caller wipes it by `probe_wipe`.
void probe_write_secret(uint64_t seed, uint8_t *secret, size_t size);

/// Writes the secret's base32 text, (size * 8 + 4) / 5 characters. The caller wipes it by `probe_wipe`.
void probe_write_base32(uint64_t seed, uint8_t *text, size_t size);

/// Writes the secret's base64 text with padding, (size + 2) / 3 * 4 characters. The caller wipes it by `probe_wipe`.
void probe_write_base64(uint64_t seed, uint8_t *text, size_t size);

/// Writes the secret's text in hexadecimal, size * 2 characters. The caller wipes it by `probe_wipe`.
void probe_write_hex(uint64_t seed, uint8_t *text, size_t size);

/// Wipes memory of the caller's.
void probe_wipe(void *bytes, size_t size);

/// Makes the compiler believe that somebody reads the memory, so that it does not leave out writing it.
static inline void probe_observe(const void *bytes) { __asm__ __volatile__("" : : "r"(bytes) : "memory"); }

/// Leaves the secret in a stack frame of `depth` bytes that has returned. A trace planted on purpose.
void probe_plant_on_stack(uint64_t seed, size_t size, size_t depth);

/// Calls `body` on a thread of its own, and searches while the thread waits: the search does not run over the stack
/// that the use left, and nothing of it has been given back to the system. Returns the number of places in writable
/// memory where a needle lies, or -1 on failure. `probe_places` then tells of some.
long probe_count_after(void (*body)(void *), void *argument);

/// What was found and in which mapping, for the first places of the last search.
const char *probe_places(void);

#endif
