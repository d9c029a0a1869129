/* boards.h - the boards that a tree search plays on: small, quick to copy, no taking back.
 *
 * FLAT   flat boards whose rows with a guard cell each fit in 64 bits; a set of stones is a number.
 *        Without gravity its rows are the board's rows, under gravity its columns, so that in both
 *        the legal moves ascend with the bits:
 *
 *             3 columns of height 2, gravity          3 wide, 2 high
 *                  2 5 8      guard                    0 1 2 3
 *                  1 4 7                               4 5 6 7
 *                  0 3 6                                     guard
 *
 *        A cell's neighbours are 1, stride - 1, stride and stride + 1 bits away, and no line runs
 *        over an edge without a guard bit in it.
 *
 * ROWS   any board with k from 2 to 32.  The lines of one direction that overlap make a row of cells;
 *        each side has a word a row.  A stone sets one bit in each row through its cell, and wins
 *        where k ones follow each other there.
 *
 * PLAIN  what is left: an mbx_position.
 *
 * Every family has the same operations: start, play, is_full, count_moves, list_moves.
 */
#ifndef MBX_BOARDS_H
#define MBX_BOARDS_H

#include "position.h"
#include "rng.h"

#include <string.h>

typedef enum { MBX_FLAT, MBX_ROWS, MBX_PLAIN, MBX_BOARD_KINDS } mbx_board_kind;

enum { MBX_ROW_BITS = 32, MBX_ROW_GROUP = 4, MBX_MOVE_WORDS = 4 };

/* Bit `bit` of row `row`. */
typedef struct {
    uint16_t row;
    uint8_t bit;
} mbx_row_bit;

/* What all boards of a game share; only read once it is made. */
typedef struct {
    const mbx_game *game;
    mbx_board_kind kind;
    int stride;                             /* FLAT: bits from row to row */
    uint64_t all, bottom;                   /* FLAT: the cells; those that stones fall to */
    uint8_t bit_of_move[64];                /* FLAT: of a move, the lowest bit of its cells */
    int n_rows;                             /* ROWS, and one more that no line lies in */
    bool is_exact;                          /* ROWS: each is of k cells */
    uint16_t *row_start;                    /* ROWS: the bits of cell c are row_bits[row_start[c]], */
    mbx_row_bit *row_bits;                  /*   up to row_start[c + 1], in groups of MBX_ROW_GROUP */
    uint8_t nth_of_byte[256][8];            /* the place of the n-th one of a byte */
} mbx_board_shape;

mbx_error mbx_board_shape_create(mbx_board_shape **shape, const mbx_game *game);
void mbx_board_shape_free(mbx_board_shape *shape);

/* Bytes of a board. */
size_t mbx_board_bytes(const mbx_board_shape *shape);

/* --- what all share ------------------------------------------------------------------------- */

/* A uniform integer below `bound`. */
MBX_INLINE uint64_t mbx_below(mbx_rng *rng, uint64_t bound)
{
    uint64_t drawn, low;
    do
        low = mbx_multiply(mbx_rng_next(rng), bound, &drawn);
    while (low < bound && low < (0 - bound) % bound);
    return drawn;
}

/* The place of the n-th one of x, counted from 0. */
MBX_INLINE int mbx_nth_one(const mbx_board_shape *shape, uint64_t x, uint64_t n)
{
    const uint64_t bytes = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t ones = x - (x >> 1 & 0x5555555555555555u);
    ones = (ones & 0x3333333333333333u) + (ones >> 2 & 0x3333333333333333u);
    ones = ((ones + (ones >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * bytes; /* of each byte and those below */
    const uint64_t below = ((n * bytes | tops) - ones) & tops;   /* bytes that end before it */
    const int at = (int)((below >> 7) * bytes >> 56) * 8;
    return at + shape->nth_of_byte[x >> at & 255][n - (ones << 8 >> at & 255)];
}

/* The same of x below 2^16. */
MBX_INLINE int mbx_nth_one_of_16(const mbx_board_shape *shape, uint64_t x, uint64_t n)
{
    const uint64_t low = (uint64_t)mbx_count_ones(x & 255);
    const int at = n < low ? 0 : 8;
    return at + shape->nth_of_byte[x >> at & 255][n < low ? n : n - low];
}

/* --- FLAT ----------------------------------------------------------------------------------- */

typedef struct {
    uint64_t mine, mask;    /* the stones of the side to move; of both */
} mbx_flat;

MBX_INLINE uint64_t mbx_flat_along(uint64_t stones, int step, int k)
{
    uint64_t run = stones;
    int length = 1;
    MBX_UNROLL
    for (; 2 * length <= k; length *= 2)
        run &= length * step < 64 ? run >> length * step : 0;
    const int rest = (k - length) * step;
    return rest < 64 ? run & run >> rest : 0;
}

MBX_INLINE bool mbx_flat_has_line(uint64_t stones, int stride, int k)
{
    return (mbx_flat_along(stones, 1, k) | mbx_flat_along(stones, stride - 1, k)
            | mbx_flat_along(stones, stride, k) | mbx_flat_along(stones, stride + 1, k)) != 0;
}

/* The cells that can be filled now. */
MBX_INLINE uint64_t mbx_flat_open(const mbx_board_shape *shape, const mbx_flat *board)
{
    return (shape->game->gravity ? board->mask + shape->bottom : ~board->mask) & shape->all;
}

MBX_INLINE void mbx_flat_start(const mbx_board_shape *shape, mbx_flat *board,
                               const mbx_position *position)
{
    const mbx_game *game = shape->game;
    board->mine = board->mask = 0;
    for (int cell = 0; cell < game->n_cells; cell++) {
        const int x = cell % game->shape[0], y = cell / game->shape[0];
        const uint64_t bit = (uint64_t)1 << (game->gravity ? x * shape->stride + y
                                                           : y * shape->stride + x);
        if (position->cells[cell] != MBX_EMPTY)
            board->mask |= bit;
        if (position->cells[cell] == mbx_position_turn(position))
            board->mine |= bit;
    }
}

/* Fills a cell; says whether that completed a line.  Then it is the other side's turn. */
MBX_INLINE bool mbx_flat_fill(mbx_flat *board, uint64_t cell, int stride, int k)
{
    const uint64_t own = board->mine | cell;
    board->mine ^= board->mask;
    board->mask |= cell;
    return mbx_flat_has_line(own, stride, k);
}

MBX_INLINE bool mbx_flat_play(const mbx_board_shape *shape, mbx_flat *board, int move)
{
    uint64_t cell = (uint64_t)1 << shape->bit_of_move[move];
    if (shape->game->gravity) /* the first empty one upwards */
        cell = (board->mask + cell) & ~board->mask;
    switch (shape->game->k) {
    case 3:
        return mbx_flat_fill(board, cell, shape->stride, 3);
    case 4:
        return mbx_flat_fill(board, cell, shape->stride, 4);
    case 5:
        return mbx_flat_fill(board, cell, shape->stride, 5);
    default:
        return mbx_flat_fill(board, cell, shape->stride, shape->game->k);
    }
}

MBX_INLINE bool mbx_flat_is_full(const mbx_board_shape *shape, const mbx_flat *board)
{
    return board->mask == shape->all;
}

MBX_INLINE int mbx_flat_count_moves(const mbx_board_shape *shape, const mbx_flat *board)
{
    return mbx_count_ones(mbx_flat_open(shape, board));
}

MBX_INLINE void mbx_flat_list_moves(const mbx_board_shape *shape, const mbx_flat *board,
                                    uint8_t *moves)
{
    const uint64_t open = mbx_flat_open(shape, board);
    const uint64_t row = ((uint64_t)1 << (shape->stride - 1)) - 1;
    for (int move = 0; move < shape->game->n_moves; move++) {
        const uint64_t lowest = (uint64_t)1 << shape->bit_of_move[move];
        if (open & (shape->game->gravity ? row << shape->bit_of_move[move] : lowest))
            *moves++ = (uint8_t)move;
    }
}

/* --- ROWS ----------------------------------------------------------------------------------- */

typedef struct {
    uint64_t open[MBX_MOVE_WORDS];      /* the legal moves */
    int n_open, left, side;             /* their number; empty cells; the side to move */
    uint8_t heights[MBX_MAX_CELLS + 1]; /* under gravity, by column */
    uint32_t rows[];                    /* [n_rows][2] */
} mbx_rows;

/* Are there k ones in a row? */
MBX_INLINE uint32_t mbx_row_run(uint32_t row, int k)
{
    int length = 1;
    MBX_UNROLL
    for (; 2 * length <= k; length *= 2)
        row &= row >> length;
    return row & row >> (k - length);
}

/* Fills a cell; says whether that completed a line of k.  Then it is the other side's turn.
 * is_exact: as the shape's. */
MBX_INLINE bool mbx_rows_fill(const mbx_board_shape *shape, mbx_rows *board, int cell, int k,
                              bool is_exact)
{
    const mbx_row_bit *bits = shape->row_bits + shape->row_start[cell];
    const mbx_row_bit *end = shape->row_bits + shape->row_start[cell + 1];
    const uint32_t full = (uint32_t)(((uint64_t)1 << k) - 1);
    uint32_t *rows = board->rows + board->side;
    uint32_t won = 0;
    for (; bits < end; bits += MBX_ROW_GROUP) {
        MBX_UNROLL
        for (int i = 0; i < MBX_ROW_GROUP; i++) {
            const uint32_t row = rows[2 * bits[i].row] |= (uint32_t)1 << bits[i].bit;
            won |= is_exact ? row == full : mbx_row_run(row, k);
        }
    }
    board->side ^= 1;
    board->left--;
    return won != 0;
}

MBX_INLINE bool mbx_rows_move(const mbx_board_shape *shape, mbx_rows *board, int move, int k,
                              bool is_exact, bool gravity)
{
    int cell = move;
    bool is_full = true;
    if (gravity) {
        cell += shape->game->n_moves * board->heights[move]++;
        is_full = board->heights[move] == shape->game->height;
    }
    if (is_full) {
        board->open[move >> 6] &= ~((uint64_t)1 << (move & 63));
        board->n_open--;
    }
    return mbx_rows_fill(shape, board, cell, k, is_exact);
}

MBX_INLINE bool mbx_rows_play(const mbx_board_shape *shape, mbx_rows *board, int move)
{
    return mbx_rows_move(shape, board, move, shape->game->k, shape->is_exact,
                         shape->game->gravity);
}

MBX_INLINE void mbx_rows_start(const mbx_board_shape *shape, mbx_rows *board,
                               const mbx_position *position)
{
    const mbx_game *game = shape->game;
    memset(board, 0, mbx_board_bytes(shape));
    board->left = game->n_cells;
    for (int cell = 0; cell < game->n_cells; cell++)
        if (position->cells[cell] != MBX_EMPTY) {
            board->side = position->cells[cell];
            (void)mbx_rows_fill(shape, board, cell, game->k, shape->is_exact);
        }
    board->side = mbx_position_turn(position);
    for (int move = 0; move < game->n_moves; move++)
        if (mbx_move_is_open(position, move)) {
            board->open[move >> 6] |= (uint64_t)1 << (move & 63);
            board->n_open++;
        }
    memcpy(board->heights, position->heights, (size_t)game->n_moves);
}

MBX_INLINE bool mbx_rows_is_full(const mbx_board_shape *shape, const mbx_rows *board)
{
    (void)shape;
    return board->left == 0;
}

MBX_INLINE int mbx_rows_count_moves(const mbx_board_shape *shape, const mbx_rows *board)
{
    (void)shape;
    return board->n_open;
}

MBX_INLINE void mbx_rows_list_moves(const mbx_board_shape *shape, const mbx_rows *board,
                                    uint8_t *moves)
{
    for (int move = 0; move < shape->game->n_moves; move++)
        if (board->open[move >> 6] >> (move & 63) & 1)
            *moves++ = (uint8_t)move;
}

/* --- PLAIN ---------------------------------------------------------------------------------- */

typedef mbx_position mbx_plain;

MBX_INLINE void mbx_plain_start(const mbx_board_shape *shape, mbx_plain *board,
                                const mbx_position *position)
{
    *board = *position;
    board->game = shape->game;
}

MBX_INLINE bool mbx_plain_play(const mbx_board_shape *shape, mbx_plain *board, int move)
{
    (void)shape;
    (void)mbx_position_push(board, move);
    return board->status == MBX_FIRST || board->status == MBX_SECOND;
}

MBX_INLINE bool mbx_plain_is_full(const mbx_board_shape *shape, const mbx_plain *board)
{
    return board->ply == shape->game->n_cells;
}

MBX_INLINE void mbx_plain_list_moves(const mbx_board_shape *shape, const mbx_plain *board,
                                     uint8_t *moves)
{
    for (int move = 0; move < shape->game->n_moves; move++)
        if (mbx_move_is_open(board, move))
            *moves++ = (uint8_t)move;
}

MBX_INLINE int mbx_plain_count_moves(const mbx_board_shape *shape, const mbx_plain *board)
{
    uint8_t moves[MBX_MAX_CELLS], *end = moves;
    for (int move = 0; move < shape->game->n_moves; move++)
        end += mbx_move_is_open(board, move);
    return (int)(end - moves);
}

#endif
