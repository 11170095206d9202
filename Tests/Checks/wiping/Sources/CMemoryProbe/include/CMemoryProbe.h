/// Searches all of the process's own memory for key material: live, freed, or left on the stack.
///
/// The probe itself never holds what it looks for. Its needles are masked in memory, and they are made in a child
/// process, whose traces are gone when it ends.

#ifndef CMEMORYPROBE_H
#define CMEMORYPROBE_H

#include <stddef.h>
#include <stdint.h>

/// A counter that is not found beside a small number by chance.
#define PROBE_FIRST_COUNTER 1513893376

/// Makes the needles: for a secret of `size` bytes (derived from `seed`, see `probe_write_secret`), any 8 consecutive
/// bytes of the secret, of its base32, base64 and hexadecimal texts, and, for SHA-1, SHA-256 and SHA-512, of the hashed
/// key, of the key xored with HMAC's pads, of the first words of their message schedules with the round constants
/// added, of the midstates, and of the inner digests and tags of counters 0...31 and 32 from PROBE_FIRST_COUNTER on.
/// Each also with its words' bytes reversed, as a hash loads them. And the truncated values of two of these counters in
/// a row, and the number of `probe_write_code` as the engine keeps that of a submitted code, before one of the second
/// 32. Returns the number of needles, or 0 on failure.
size_t probe_prepare(uint64_t seed, size_t size);

/// Writes the secret of `size` bytes that belongs to `seed`. The caller wipes it with `probe_wipe`.
void probe_write_secret(uint64_t seed, uint8_t *secret, size_t size);

/// Writes the six digits that belong to `seed`: a submitted code, whose text may stay in memory, but not its number.
void probe_write_code(uint64_t seed, uint8_t code[6]);

/// Writes the secret's text in hexadecimal, base32 or base64, with 4, 5 or 6 bits a character and without padding,
/// unless `text` is NULL. The caller wipes it with `probe_wipe`. Returns its length.
size_t probe_write_text(uint64_t seed, size_t size, unsigned bits, uint8_t *text);

/// Wipes the caller's memory.
void probe_wipe(void *bytes, size_t size);

/// Makes the compiler believe that the memory is read, so that it does not omit writes to it.
static inline void probe_observe(const void *bytes) { __asm__ __volatile__("" : : "r"(bytes) : "memory"); }

/// Plants a trace: leaves the secret in a stack frame of `depth` bytes that has returned.
void probe_plant_on_stack(uint64_t seed, size_t size, size_t depth);

/// Calls `body` on a new thread, and searches while that thread waits, so that the search does not overwrite its stack
/// and none of it has been returned to the system. Returns the number of places in writable memory that hold a needle,
/// or -1 on failure. `probe_places` then describes some of them.
long probe_count_after(void (*body)(void *), void *argument);

/// What the last search found: each kind of needle, and the mapping in which it was first found.
const char *probe_places(void);

#endif
