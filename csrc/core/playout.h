/* playout.h - uniform random playouts, one at a time: the scalar reference.
 *
 * A playout is a function of (seed, row, index): the indices are cut into blocks of
 * MBX_PLAYOUT_BLOCK, every block has a generator of its own (rng.h) and its playouts draw from it
 * one after the other.  So counts do not depend on how the work is split, and the counts of n
 * playouts are those of the first n of any larger number.
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

/* Numbers the definition of the stream of playouts: a change of any drawn number raises it. */
enum { MBX_STREAM = 0 };
enum { MBX_PLAYOUT_BLOCK = 1024 };

/* Plays the playouts [first, first + number) of stream (seed, row) and adds each to
 * counts[move][outcome], an array of n_moves rows.  The flag is looked at once a block; after
 * MBX_CANCELLED the counts hold some of the playouts.  From a finished position nothing is played
 * and nothing counted. */
mbx_error mbx_playout_counts(const mbx_plan *plan, mbx_seed seed, uint64_t row,
                             uint64_t first, uint64_t number, mbx_cancel cancel,
                             int64_t (*counts)[MBX_OUTCOMES]);

#endif
