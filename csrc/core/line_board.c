/* line_board.c - making and checking the board of the alpha-beta searches. */
#include "line_board.h"

#include "rng.h"

#include <stdlib.h>
#include <string.h>

enum { EXACT_CELLS = 64 };
#define SCATTER 0x9E3779B97F4A7C15u

static int most_lines_of_a_cell(const mbx_game *game)
{
    int most = 1;
    for (int cell = 0; cell < game->n_cells; cell++)
        if (game->cell_start[cell + 1] - game->cell_start[cell] > most)
            most = game->cell_start[cell + 1] - game->cell_start[cell];
    return most;
}

/* A move changes a line's worth by two weights at most. */
int32_t mbx_most_weight(const mbx_game *game)
{
    return MBX_WINNING / 4 / most_lines_of_a_cell(game);
}

static int32_t weight(const int32_t *weights, int n)
{
    return n == 0 ? 0 : weights[n - 1];
}

/* What another stone of a side changes a line by that holds `own` and `other` stones. */
static int32_t gain_of(const int32_t *weights, int k, int own, int other)
{
    if (own > 0 && other > 0)
        return 0;
    if (other > 0)
        return other < k ? weight(weights, other) : 0;
    if (own >= k - 1)
        return own == k - 1 ? MBX_COMPLETES : 0;
    return weight(weights, own + 1) - weight(weights, own);
}

static int32_t worth_of(const int32_t *weights, int k, int own, int other)
{
    return (other == 0 && own < k ? weight(weights, own) : 0)
           - (own == 0 && other < k ? weight(weights, other) : 0);
}

static void fill_tables(mbx_line_board *board, const int32_t *weights)
{
    const int k = board->game->k;
    for (int first = 0; first <= k; first++)
        for (int second = 0; second <= k; second++) {
            const int code = first + (k + 1) * second;
            board->line_worths[code] = worth_of(weights, k, first, second);
            board->line_gains[0][code] = gain_of(weights, k, first, second);
            board->line_gains[1][code] = gain_of(weights, k, second, first);
        }
}

static void fill_keys(mbx_line_board *board)
{
    const int n = board->game->n_cells;
    for (int stone = 0; stone < 2 * n; stone++)
        if (n <= EXACT_CELLS) {
            const uint64_t bit = (uint64_t)1 << stone % n;
            board->cell_keys[stone] = (mbx_long_key){stone < n ? bit : 0, stone < n ? 0 : bit};
        } else {
            board->cell_keys[stone].low = mbx_mix((uint64_t)(2 * stone + 1) * SCATTER);
            board->cell_keys[stone].high = mbx_mix((uint64_t)(2 * stone + 2) * SCATTER);
        }
}

mbx_error mbx_line_board_create(mbx_line_board *board, const mbx_game *game, const int32_t *weights)
{
    const size_t n_codes = (size_t)(game->k + 1) * (size_t)(game->k + 1);
    memset(board, 0, sizeof *board);
    board->game = game;
    board->n_gains = (game->n_cells + MBX_GAIN_LANES - 1) / MBX_GAIN_LANES * MBX_GAIN_LANES;
    board->codes = malloc(((size_t)game->n_lines + 1) * sizeof *board->codes);
    board->line_worths = malloc(n_codes * sizeof *board->line_worths);
    board->line_gains[0] = malloc(n_codes * sizeof *board->line_gains[0]);
    board->line_gains[1] = malloc(n_codes * sizeof *board->line_gains[1]);
    board->cell_keys = malloc(2 * (size_t)game->n_cells * sizeof *board->cell_keys);
    if (!board->codes || !board->line_worths || !board->line_gains[0] || !board->line_gains[1]
        || !board->cell_keys)
        return MBX_NO_MEMORY;
    for (int cell = 0; cell < game->n_cells; cell++)
        board->moves[cell] = (uint8_t)mbx_move_of_cell(game, cell);
    fill_tables(board, weights);
    fill_keys(board);
    return MBX_OK;
}

void mbx_line_board_free(mbx_line_board *board)
{
    free(board->codes);
    free(board->line_worths);
    free(board->line_gains[0]);
    free(board->line_gains[1]);
    free(board->cell_keys);
}

/* Counts the stones of the board, line by line, into codes, gains and score. */
static void count_lines(mbx_line_board *board)
{
    const mbx_game *game = board->game;
    for (int line = 0; line < game->n_lines; line++) {
        int code = 0;
        for (int i = 0; i < game->k; i++) {
            const int stone = board->cells[mbx_line(game, line)[i]];
            code += stone == MBX_EMPTY ? 0 : stone ? game->k + 1 : 1;
        }
        board->codes[line] = (uint16_t)code;
        board->score += board->line_worths[code];
        for (int side = 0; side < 2; side++)
            mbx_change_line(board, side, line, board->line_gains[side][code]);
    }
}

void mbx_line_board_set(mbx_line_board *board, const int8_t *cells)
{
    const mbx_game *game = board->game;
    memcpy(board->cells, cells, (size_t)game->n_cells);
    for (int i = 0; i < 256; i++)
        board->gains[0][i] = board->gains[1][i] = -MBX_CLOSED;
    board->score = 0;
    board->ply = board->n_open = 0;
    board->key = (mbx_long_key){0, 0};
    count_lines(board);
    for (int move = 0; move < game->n_moves; move++) {
        board->landing[move] = (uint16_t)move;
        mbx_open_cell(board, move, 1);
    }
    for (int cell = 0; cell < game->n_cells; cell++)
        if (cells[cell] != MBX_EMPTY) {
            mbx_fill_cell(board, cell, 1);
            mbx_flip_key(board, cells[cell], cell);
            board->ply++;
        }
    board->side = board->ply & 1;
}

bool mbx_line_board_is_ok(const mbx_line_board *board)
{
    const mbx_game *game = board->game;
    mbx_line_board fresh = *board;
    uint16_t *codes = malloc(((size_t)game->n_lines + 1) * sizeof *codes);
    if (!codes)
        return true;
    fresh.codes = codes;
    mbx_line_board_set(&fresh, board->cells);
    const bool is_ok = fresh.ply == board->ply && fresh.side == board->side
                       && fresh.n_open == board->n_open && fresh.score == board->score
                       && fresh.key.low == board->key.low && fresh.key.high == board->key.high
                       && memcmp(fresh.gains, board->gains, sizeof fresh.gains) == 0
                       && memcmp(fresh.landing, board->landing, sizeof fresh.landing) == 0
                       && memcmp(fresh.codes, board->codes,
                                 (size_t)game->n_lines * sizeof *codes) == 0;
    free(codes);
    return is_ok;
}
