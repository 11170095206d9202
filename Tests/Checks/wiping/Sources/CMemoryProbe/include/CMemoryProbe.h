/// Looks for key material in all of the process's own memory: live, freed, or left on the stack.
///
/// The probe itself never holds what it looks for. Its needles lie in memory masked; they are made in a child process,
/// which takes its own leavings with it when it ends.

#ifndef CMEMORYPROBE_H
#define CMEMORYPROBE_H

#include <stddef.h>
#include <stdint.h>

/// Makes the needles: for a secret of `size` bytes (derived from `seed`, see `probe_write_secret`), any 8 bytes in a
/// row of the secret, of its base32 text, of the key xored with HMAC's pads, of the midstates and of the tags of
/// counters 0...15, with SHA-1, SHA-256 and SHA-512; each also with its words' bytes reversed, as a hash loads them.
/// Returns the number of needles, or 0 on failure.
size_t probe_prepare(uint64_t seed, size_t size);

/// Writes the secret of `size` bytes that belongs to `seed`. The caller wipes it by `probe_wipe`.
void probe_write_secret(uint64_t seed, uint8_t *secret, size_t size);

/// Writes the secret's base32 text, (size * 8 + 4) / 5 characters. The caller wipes it by `probe_wipe`.
void probe_write_base32(uint64_t seed, uint8_t *text, size_t size);

/// Wipes memory of the caller's.
void probe_wipe(void *bytes, size_t size);

/// The number of places in writable memory where a needle lies. `where` receives the first ones' mapping and needle.
size_t probe_count(char *where, size_t where_size);

#endif
