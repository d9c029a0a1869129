/* boards.c - the tables of a game's boards. */
#include "boards.h"

#include <stdlib.h>

/* The straight rows of the board with their guards fit in a word. */
static bool is_flat(const mbx_game *game)
{
    const int rows = game->gravity ? game->shape[0] : game->shape[1];
    return game->n_axes == 2 && rows + game->n_cells <= 64;
}

static void init_flat(mbx_board_shape *shape)
{
    const mbx_game *game = shape->game;
    const int n_rows = game->gravity ? game->shape[0] : game->shape[1];
    const int length = game->n_cells / n_rows;
    shape->stride = length + 1;
    for (int row = 0; row < n_rows; row++)
        for (int at = 0; at < length; at++) {
            const int bit = row * shape->stride + at;
            shape->all |= (uint64_t)1 << bit;
            if (at == 0)
                shape->bottom |= (uint64_t)1 << bit;
            if (!game->gravity)
                shape->bit_of_move[row * length + at] = (uint8_t)bit;
            else if (at == 0)
                shape->bit_of_move[row] = (uint8_t)bit;
        }
}

/* The line that begins at `cell` in steps of `step`, or -1. */
static int line_from(const mbx_game *game, int cell, int step)
{
    if (cell < 0 || cell >= game->n_cells)
        return -1;
    for (int i = game->cell_start[cell]; i < game->cell_start[cell + 1]; i++) {
        const uint8_t *cells = mbx_line(game, game->cell_lines[i]);
        if (cells[0] == cell && game->k > 1 && cells[1] - cells[0] == step)
            return game->cell_lines[i];
    }
    return -1;
}

/* Gives every line a row, and a first bit in it: that of the line one step before and one more,
 * where there is such a line and the row has room. */
static void number_rows(mbx_board_shape *shape, mbx_row_bit *first)
{
    const mbx_game *game = shape->game;
    shape->is_exact = true;
    for (int line = 0; line < game->n_lines; line++) { /* a line begins after those before it */
        const uint8_t *cells = mbx_line(game, line);
        const int step = game->k > 1 ? cells[1] - cells[0] : 0;
        const int before = line_from(game, cells[0] - step, step);
        if (before >= 0 && before < line && first[before].bit + 1 + game->k <= MBX_ROW_BITS)
            first[line] = (mbx_row_bit){first[before].row, (uint8_t)(first[before].bit + 1)};
        else
            first[line] = (mbx_row_bit){(uint16_t)shape->n_rows++, 0};
        shape->is_exact &= first[line].bit == 0;
    }
    shape->n_rows++; /* groups of bits are filled up with one of a row in which nothing lies */
}

/* Adds the bit to those of the cell unless it is there. */
static int add_bit(mbx_row_bit *bits, int n, mbx_row_bit bit)
{
    for (int i = 0; i < n; i++)
        if (bits[i].row == bit.row)
            return n;
    bits[n] = bit;
    return n + 1;
}

static mbx_error init_rows(mbx_board_shape *shape)
{
    const mbx_game *game = shape->game;
    const size_t n_bits = (size_t)game->n_lines * (size_t)game->k
                          + (size_t)game->n_cells * MBX_ROW_GROUP;
    mbx_row_bit *first = malloc((size_t)(game->n_lines + 1) * sizeof *first);
    shape->row_start = malloc((size_t)(game->n_cells + 1) * sizeof *shape->row_start);
    shape->row_bits = malloc((n_bits + 1) * sizeof *shape->row_bits);
    if (!first || !shape->row_start || !shape->row_bits) {
        free(first);
        return MBX_NO_MEMORY;
    }
    number_rows(shape, first);
    int n = 0;
    for (int cell = 0; cell < game->n_cells; cell++) {
        mbx_row_bit *bits = shape->row_bits + n;
        int of_cell = 0;
        for (int i = game->cell_start[cell]; i < game->cell_start[cell + 1]; i++) {
            const int line = game->cell_lines[i];
            int at = 0;
            while (mbx_line(game, line)[at] != cell)
                at++;
            const mbx_row_bit bit = {first[line].row, (uint8_t)(first[line].bit + at)};
            of_cell = add_bit(bits, of_cell, bit);
        }
        while (of_cell % MBX_ROW_GROUP)
            bits[of_cell++] = (mbx_row_bit){(uint16_t)(shape->n_rows - 1), 0};
        shape->row_start[cell] = (uint16_t)n;
        n += of_cell;
    }
    shape->row_start[game->n_cells] = (uint16_t)n;
    free(first);
    return MBX_OK;
}

mbx_error mbx_board_shape_create(mbx_board_shape **result, const mbx_game *game)
{
    mbx_board_shape *shape = *result = calloc(1, sizeof *shape);
    if (!shape)
        return MBX_NO_MEMORY;
    shape->game = game;
    shape->kind = is_flat(game) ? MBX_FLAT : game->k > 1 && game->k <= MBX_ROW_BITS ? MBX_ROWS
                                   : MBX_PLAIN;
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0, n = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                shape->nth_of_byte[byte][n++] = (uint8_t)bit;
    if (shape->kind == MBX_FLAT)
        init_flat(shape);
    const mbx_error error = shape->kind == MBX_ROWS ? init_rows(shape) : MBX_OK;
    if (error != MBX_OK) {
        mbx_board_shape_free(shape);
        *result = NULL;
    }
    return error;
}

void mbx_board_shape_free(mbx_board_shape *shape)
{
    if (!shape)
        return;
    free(shape->row_start);
    free(shape->row_bits);
    free(shape);
}

size_t mbx_board_bytes(const mbx_board_shape *shape)
{
    const size_t n_rows = (size_t)shape->n_rows;
    return shape->kind == MBX_FLAT   ? sizeof(mbx_flat)
           : shape->kind == MBX_ROWS ? sizeof(mbx_rows) + 2 * n_rows * sizeof(uint32_t)
                                     : sizeof(mbx_plain);
}
