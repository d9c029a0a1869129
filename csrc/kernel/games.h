/* games.h - whole playouts: the moves of every game of a stream, one game at a time.
 *
 * This is docs/stream.md once more, in plain scalar code that plays on positions.  The kernels are
 * tested against it.
 */
#ifndef MBX_GAMES_H
#define MBX_GAMES_H

#include "playouts.h"

/* Where the games go: rows of n_empty moves (255 after the end), the numbers of moves, outcomes. */
typedef struct {
    int n_empty;
    uint8_t *moves;
    int64_t *lengths;
    int8_t *outcomes;
} mbx_games;

/* Writes the playouts [first, first + number) of stream (seed, row) from an unfinished position.
 * After MBX_CANCELLED they are of no use. */
mbx_error mbx_playout_games(const mbx_position *position, mbx_seed seed, uint64_t row,
                            uint64_t first, uint64_t number, mbx_cancel cancel, mbx_games *games);

#endif
