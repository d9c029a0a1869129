/* position.h - a position: the board, whose turn it is, and the moves that led here.
 *
 * The caller owns the struct; it points to its game, which must outlive it.  After a failed call
 * the position is as it was.
 */
#ifndef MBX_POSITION_H
#define MBX_POSITION_H

#include "game.h"

typedef struct {
    const mbx_game *game;
    int ply;                        /* stones on the board */
    int first_ply;                  /* stones that were set up, not played: pop stops here */
    int status;                     /* MBX_PLAYING, or the outcome */
    int8_t cells[MBX_MAX_CELLS];    /* MBX_EMPTY, MBX_FIRST or MBX_SECOND */
    uint8_t heights[MBX_MAX_CELLS]; /* by move: stones in the column; without gravity 0 or 1 */
    uint8_t history[MBX_MAX_CELLS]; /* the cell filled at each ply from first_ply on */
} mbx_position;

void mbx_position_start(mbx_position *position, const mbx_game *game);

/* Sets up a board of n_cells values and works out whose turn it is.  Refused with one of
 * MBX_BAD_MARK .. MBX_AFTER_WIN where no play leads there.  (Whether stones can have fallen in turn
 * under gravity is not searched for here; the Python face does it.) */
mbx_error mbx_position_set(mbx_position *position, const mbx_game *game, const int8_t *cells);

/* Plays a move: MBX_ILLEGAL_MOVE, MBX_GAME_OVER. */
mbx_error mbx_position_push(mbx_position *position, long long move);

/* Takes the last played move back; false if none was played since the position was set up. */
bool mbx_position_pop(mbx_position *position);

/* Writes the legal moves in ascending order and returns their number, 0 after the end. */
int mbx_position_legal_moves(const mbx_position *position, uint8_t *moves);

/* Checks every field that is kept incrementally against the board. */
bool mbx_position_is_ok(const mbx_position *position);

static inline int mbx_position_turn(const mbx_position *position)
{
    return position->ply & 1;
}

static inline bool mbx_move_is_open(const mbx_position *position, int move)
{
    return position->heights[move] < position->game->height;
}

/* The cell that a stone played as `move` fills. */
static inline int mbx_landing_cell(const mbx_position *position, int move)
{
    return move + position->game->n_moves * position->heights[move];
}

#endif
