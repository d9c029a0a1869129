/* line_board.h - the board of the alpha-beta searches: what every move would gain is always known.
 *
 * A line's code tells the stones of the two sides in it, a + (k + 1) b.  The evaluation is a sum over
 * the lines of a number that depends on the code alone, so what it would change by if a side placed a
 * stone in a cell is a sum over the lines through that cell: the cell's gain, kept for both sides.
 *
 *     gains[side][cell] = sum of line_gains[side][code of line], over the lines through the cell
 *                         + COMPLETES for each line that the stone would complete
 *                         - CLOSED if the cell cannot be filled now
 *
 * So a side's largest gain, one pass over an array, is its best move as far as the evaluation sees;
 * it is at least WINNING if the side can complete a line.  Placing a stone changes the codes of the lines
 * through its cell, and by them the gains of the lines' cells; taking it back does the reverse.
 */
#ifndef MBX_LINE_BOARD_H
#define MBX_LINE_BOARD_H

#include "position.h"

enum {
    MBX_COMPLETES = 1 << 22,
    MBX_WINNING = 1 << 21,              /* all other gains are smaller */
    MBX_CLOSED = 1 << 30,
    MBX_OPEN = -(1 << 29),          /* gains of cells that can be filled now are larger */
    MBX_GAIN_LANES = 16             /* the rows of gains are padded, with closed cells */
};

/* Identifies a position: up to 64 cells it is the two sides' stones, of larger boards a hash. */
typedef struct {
    uint64_t low, high;
} mbx_long_key;

typedef struct {
    const mbx_game *game;
    int ply, side;                  /* side: to move */
    int n_open;                     /* cells that can be filled now */
    int n_gains;                    /* of a row: n_cells, padded */
    int32_t score;                  /* the evaluation by lines, for the first side */
    mbx_long_key key;
    int32_t gains[2][256];
    int8_t cells[256];
    uint16_t landing[256];          /* by move: the cell that it fills; n_cells and more: none */
    uint8_t moves[256];             /* by cell: the move that fills it */
    uint16_t *codes;                /* by line */
    int32_t *line_worths;           /* by code, for the first side */
    int32_t *line_gains[2];         /* by side and code: what another stone of the side gains */
    mbx_long_key *cell_keys;        /* [2][n_cells] */
} mbx_line_board;

/* weights[n - 1]: what a line with n stones of one side alone is worth to it, 1 <= n < k; each at most
 * mbx_most_weight(game) in size.  MBX_NO_MEMORY; the board can be freed then. */
mbx_error mbx_line_board_create(mbx_line_board *board, const mbx_game *game, const int32_t *weights);
void mbx_line_board_free(mbx_line_board *board);
int32_t mbx_most_weight(const mbx_game *game);

/* Takes over a board of n_cells values on which nobody has a line. */
void mbx_line_board_set(mbx_line_board *board, const int8_t *cells);

/* Checks what is kept incrementally against the cells. */
bool mbx_line_board_is_ok(const mbx_line_board *board);

MBX_INLINE int32_t mbx_line_board_score(const mbx_line_board *board, int side)
{
    return side ? -board->score : board->score;
}

MBX_INLINE void mbx_add_gains(int32_t *gains, const uint8_t *cells, int k, int32_t change)
{
    for (int i = 0; i < k; i++)
        gains[cells[i]] += change;
}

/* Adds to the gains of a side in all cells of a line. */
MBX_INLINE void mbx_change_line(mbx_line_board *board, int side, int line, int32_t change)
{
    const uint8_t *cells = mbx_line(board->game, line);
    switch (board->game->k) {
    case 3:
        mbx_add_gains(board->gains[side], cells, 3, change);
        break;
    case 4:
        mbx_add_gains(board->gains[side], cells, 4, change);
        break;
    case 5:
        mbx_add_gains(board->gains[side], cells, 5, change);
        break;
    default:
        mbx_add_gains(board->gains[side], cells, board->game->k, change);
    }
}

/* Opens (1) or closes (-1) a cell. */
MBX_INLINE void mbx_open_cell(mbx_line_board *board, int cell, int sign)
{
    board->gains[0][cell] += sign * MBX_CLOSED;
    board->gains[1][cell] += sign * MBX_CLOSED;
    board->n_open += sign;
}

/* The cell is filled (1) or emptied (-1): it closes and the next one, if there is one, opens.  (Without
 * gravity there is none: n_moves is n_cells.) */
MBX_INLINE void mbx_fill_cell(mbx_line_board *board, int cell, int sign)
{
    const mbx_game *game = board->game;
    mbx_open_cell(board, cell, -sign);
    board->landing[board->moves[cell]] += (uint16_t)(sign * game->n_moves);
    if (cell + game->n_moves < game->n_cells)
        mbx_open_cell(board, cell + game->n_moves, sign);
}

MBX_INLINE void mbx_flip_key(mbx_line_board *board, int side, int cell)
{
    const mbx_long_key *key = &board->cell_keys[side * board->game->n_cells + cell];
    board->key.low ^= key->low;
    board->key.high ^= key->high;
}

/* One stone more (sign 1) or less (-1) of a side in a cell, in all lines through it. */
MBX_INLINE void mbx_count_stone(mbx_line_board *board, int side, int cell, int sign)
{
    const mbx_game *game = board->game;
    const int step = sign * (side ? game->k + 1 : 1);
    for (int i = game->cell_start[cell]; i < game->cell_start[cell + 1]; i++) {
        const int line = game->cell_lines[i], before = board->codes[line], after = before + step;
        board->codes[line] = (uint16_t)after;
        for (int s = 0; s < 2; s++) {
            const int32_t change = board->line_gains[s][after] - board->line_gains[s][before];
            if (change != 0)
                mbx_change_line(board, s, line, change);
        }
    }
}

/* The side to move places a stone in an open cell, where it completes no line. */
MBX_INLINE void mbx_line_board_place(mbx_line_board *board, int cell)
{
    const int side = board->side;
    const int32_t gain = board->gains[side][cell];
    MBX_ASSERT(MBX_OPEN < gain && gain < MBX_WINNING);
    board->score += side ? -gain : gain;
    mbx_count_stone(board, side, cell, 1);
    mbx_fill_cell(board, cell, 1);
    mbx_flip_key(board, side, cell);
    board->cells[cell] = (int8_t)side;
    board->ply++;
    board->side = 1 - side;
}

/* Takes back what the other side placed there last. */
MBX_INLINE void mbx_line_board_take_back(mbx_line_board *board, int cell)
{
    const int side = 1 - board->side;
    board->side = side;
    board->ply--;
    board->cells[cell] = MBX_EMPTY;
    mbx_flip_key(board, side, cell);
    mbx_fill_cell(board, cell, -1);
    mbx_count_stone(board, side, cell, -1);
    const int32_t gain = board->gains[side][cell];
    board->score -= side ? -gain : gain;
}

#endif
