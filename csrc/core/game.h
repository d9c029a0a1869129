/* game.h - the rules of one k-in-a-row placement game as immutable tables.
 *
 * A cell is x + X*(y + Y*z).  Under gravity stones fall along the last axis (y of a flat board,
 * z of a solid one), whose 0 is the bottom; as that axis varies slowest, the cells of column c are
 *
 *     c,  c + n_moves,  c + 2*n_moves,  ...          (a move is a column: its bottom cell)
 *
 * and without gravity a move is a cell.  A line is k cells in a row; a row longer than k wins too.
 */
#ifndef MBX_GAME_H
#define MBX_GAME_H

#include "base.h"

typedef struct {
    int n_axes;             /* 2 or 3 */
    int shape[3];           /* X, Y, Z; Z = 1 on a flat board */
    int k;
    bool gravity;
    int n_cells;
    int n_moves;            /* cells, or columns under gravity */
    int height;             /* cells of a column; 1 without gravity */
    int n_lines;
    uint8_t *lines;         /* [n_lines][k] cells, each line from its lowest end */
    uint16_t *cell_start;   /* [n_cells + 1]: the lines through cell c are */
    uint16_t *cell_lines;   /*   cell_lines[cell_start[c] .. cell_start[c + 1]) */
    int n_symmetries;
    uint8_t *symmetries;    /* [n_symmetries][n_cells]: the image of each cell; the first is the
                               identity; gravity keeps the last axis as it is */
} mbx_game;

/* Builds the tables.  Every side is at least 1, at most MBX_MAX_CELLS cells in all, k at least 1:
 * otherwise MBX_BAD_GAME. */
mbx_error mbx_game_init(mbx_game *game, int n_axes, const int *shape, int k, bool gravity);
void mbx_game_free(mbx_game *game);

bool mbx_game_equal(const mbx_game *a, const mbx_game *b);

/* The move that fills `cell`. */
static inline int mbx_move_of_cell(const mbx_game *game, int cell)
{
    return game->gravity ? cell % game->n_moves : cell;
}

static inline const uint8_t *mbx_line(const mbx_game *game, int line)
{
    return game->lines + (size_t)line * (size_t)game->k;
}

#endif
