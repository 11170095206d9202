/// The limit set by a CPU's execution ports: the operations of a hash's block, without dependencies between them.

#ifndef PORTS_H
#define PORTS_H

#include <stddef.h>

/// The number of blocks that `ports_block` stands for: one for each lane of this CPU's widest vectors; 0 for a CPU
/// whose instructions it does not support.
///
/// - Parameter hash: 1, 256 or 512.
size_t ports_lanes(int hash);

/// The fewest additions, logical operations and rotations that the hash's compression of a block needs, on vectors of
/// `ports_lanes` lanes. With AVX-512 they are 757 for SHA-1, 1,624 for SHA-256 and 2,072 for SHA-512; with AVX2, which
/// has neither rotations nor logic of three operands, 1,389, 3,256 and 4,152.
void ports_block(int hash);

#endif
