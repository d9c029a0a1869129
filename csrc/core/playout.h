/* playout.h - uniform random playouts, one at a time: a careful scalar loop.
 *
 * It is what the kernels (csrc/kernel) are measured against.  It has a stream of its own (not that of docs/stream.md): the playouts are cut into blocks of MBX_SCALAR_BLOCK, every
 * block has a generator (rng.h), and its playouts draw from it one after the other.
 *
 * Draws are exactly uniform (Brackett-Rozinsky, Lemire: Batched ranged random integer generation;
 * 2024).  One 64-bit word w gives integers below b1, b2, ...: multiply w by b1, the high half of
 * the product is the first integer, the low half takes the place of w for b2, and so on; if the
 * last low half is below 2^64 mod (b1*b2*...), the word is thrown away and all are drawn again.
 */
#ifndef MBX_PLAYOUT_H
#define MBX_PLAYOUT_H

#include "plan.h"
#include "rng.h"

enum { MBX_SCALAR_BLOCK = 1024 };

/* Plays the playouts [first, first + number) of the scalar stream (seed, row) and adds each to
 * counts[move][outcome], an array of n_moves rows.  The flag is looked at once a block; after
 * MBX_CANCELLED the counts hold some of the playouts.  From a finished position nothing is played
 * and nothing counted. */
mbx_error mbx_scalar_counts(const mbx_plan *plan, mbx_seed seed, uint64_t row, uint64_t first,
                            uint64_t number, mbx_cancel cancel, int64_t (*counts)[MBX_OUTCOMES]);

#endif
