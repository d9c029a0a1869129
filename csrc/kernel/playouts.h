/* playouts.h - random playouts by a kernel, for any range of any rows of a stream. */
#ifndef MBX_PLAYOUTS_H
#define MBX_PLAYOUTS_H

#include "kernel.h"

/* Numbers the definition of the stream (docs/stream.md): a change of any drawn number raises it. */
enum { MBX_STREAM = 1 };

/* Playouts of a block. */
static inline uint64_t mbx_playout_block(const mbx_game *game)
{
    return game->n_cells > 128 ? 1024 : game->gravity ? 4096 : 8192;
}

/* Plays, of each of n_rows positions of one game, the playouts [first, first + number) of stream
 * (seed, first_row + its index), and adds them to counts[row][move][outcome].  Nothing is played
 * from finished positions.  The flag is looked at within a few milliseconds; after MBX_CANCELLED
 * the counts are of no use. */
mbx_error mbx_playout_counts(const mbx_kernel *kernel, const mbx_position *positions,
                             size_t n_rows, mbx_seed seed, uint64_t first_row, uint64_t first,
                             uint64_t number, mbx_cancel cancel, int64_t (*counts)[MBX_OUTCOMES]);

#endif
