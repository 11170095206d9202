/// What a machine's ports allow: the operations of a hash's block, none of them waiting for another.

#ifndef PORTS_H
#define PORTS_H

#include <stddef.h>

/// How many blocks `ports_block` does: one for each lane of the widest vectors that this CPU has; 0 for a CPU whose
/// instructions it does not know.
///
/// - Parameter hash: 1, 256 or 512.
size_t ports_lanes(int hash);

/// As many additions, logical operations and rotations as the hash's compression of a block needs at the least, on
/// vectors of `ports_lanes` lanes. By AVX-512 they are 757 for SHA-1, 1,624 for SHA-256 and 2,072 for SHA-512; by AVX2,
/// which has neither rotations nor logic of three operands, 1,389, 3,256 and 4,152.
void ports_block(int hash);

#endif
