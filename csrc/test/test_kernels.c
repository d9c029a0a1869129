/* test_kernels.c - every kernel that runs here against whole games played on positions: the counts of
 * any range of any position are those of the games.
 */
#include "../kernel/dispatch.h"
#include "../kernel/games.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

typedef int64_t counts_table[MBX_MAX_CELLS][MBX_OUTCOMES];

static const mbx_seed seed = {2026, 4};

/* The counts of the games [first, first + number). */
static void count_games(const mbx_position *position, uint64_t first, uint64_t number,
                        counts_table counts)
{
    const int n_empty = position->game->n_cells - position->ply;
    mbx_games games = {n_empty, malloc(number * (size_t)n_empty + 1),
                       malloc((number + 1) * sizeof(int64_t)), malloc(number + 1)};
    CHECK(mbx_playout_games(position, seed, 3, first, number, NULL, &games) == MBX_OK);
    for (uint64_t i = 0; i < number; i++)
        counts[games.moves[i * (uint64_t)n_empty]][games.outcomes[i]]++;
    free(games.moves);
    free(games.lengths);
    free(games.outcomes);
}

static void check_range(const mbx_position *position, uint64_t first, uint64_t number)
{
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n = mbx_list_kernels(kernels);
    counts_table expected = {{0}};
    count_games(position, first, number, expected);
    for (int i = 0; i < n; i++) {
        counts_table counts = {{0}};
        CHECK(mbx_playout_counts(kernels[i], position, 1, seed, 3, first, number, NULL, counts)
              == MBX_OK);
        CHECK(memcmp(counts, expected, sizeof counts) == 0);
    }
}

/* Batches of positions are the positions, row by row; a finished one is passed over. */
static void check_batch(const mbx_game *game)
{
    enum { ROWS = 5, N = 70 };
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n = mbx_list_kernels(kernels);
    mbx_position rows[ROWS];
    uint8_t moves[MBX_MAX_CELLS];
    for (int row = 0; row < ROWS; row++) {
        mbx_position_start(&rows[row], game);
        for (int ply = 0; ply < row * game->n_cells / ROWS; ply++)
            if (mbx_position_legal_moves(&rows[row], moves) > 0)
                mbx_position_push(&rows[row], moves[0]);
    }
    for (int i = 0; i < n; i++) {
        int64_t(*batch)[MBX_OUTCOMES] =
            calloc((size_t)(ROWS * game->n_moves), sizeof *batch);
        CHECK(mbx_playout_counts(kernels[i], rows, ROWS, seed, 9, 0, N, NULL, batch) == MBX_OK);
        for (int row = 0; row < ROWS; row++) {
            counts_table counts = {{0}};
            CHECK(mbx_playout_counts(kernels[0], &rows[row], 1, seed, 9 + (uint64_t)row, 0, N, NULL,
                                     counts) == MBX_OK);
            CHECK(memcmp(counts, batch + row * game->n_moves,
                         (size_t)game->n_moves * sizeof *batch) == 0);
        }
        unsigned char stop = 1;
        CHECK(mbx_playout_counts(kernels[i], rows, ROWS, seed, 9, 0, N, &stop, batch)
              == MBX_CANCELLED);
        free(batch);
    }
}

/* The empty board, and boards after some plies of a game in which the first legal move of a slowly
 * turning choice is made. */
static void check_game(int x, int y, int z, int k, bool gravity)
{
    mbx_game game;
    mbx_position position;
    uint8_t moves[MBX_MAX_CELLS];
    CHECK(mbx_game_init(&game, z ? 3 : 2, (int[]){x, y, z}, k, gravity) == MBX_OK);
    const uint64_t block = mbx_playout_block(&game), few = game.n_cells > 128 ? 40 : 200;
    mbx_position_start(&position, &game);
    check_range(&position, 0, 1);
    check_range(&position, 0, few);
    check_range(&position, 63, 2);
    check_range(&position, block - 3, 70);
    for (int ply = 0; position.status == MBX_PLAYING; ply++) {
        if (ply % (game.n_cells / 4 + 1) == 1)
            check_range(&position, 0, 65);
        const int n = mbx_position_legal_moves(&position, moves);
        CHECK(mbx_position_push(&position, moves[ply * 5 % n]) == MBX_OK);
    }
    check_batch(&game);
    mbx_game_free(&game);
}

void test_kernels(void)
{
    check_game(3, 3, 0, 3, false);
    check_game(4, 4, 0, 4, false);
    check_game(3, 4, 0, 3, false);
    check_game(5, 5, 0, 4, false);
    check_game(4, 4, 4, 4, false);
    check_game(16, 8, 0, 5, false);
    check_game(15, 15, 0, 5, false);
    check_game(255, 1, 0, 3, false);
    check_game(1, 1, 0, 1, false);
    check_game(2, 1, 0, 2, false);
    check_game(2, 2, 0, 3, false);
    check_game(3, 3, 0, 1, false);
    check_game(7, 6, 0, 4, true);
    check_game(4, 4, 4, 4, true);
    check_game(5, 5, 5, 5, true);
    check_game(8, 8, 0, 4, true);
    check_game(1, 30, 0, 4, true);
    check_game(40, 2, 0, 3, true);
    check_game(3, 3, 5, 3, true);
    check_game(2, 2, 2, 1, true);
    check_game(3, 3, 0, 4, true);
    check_game(40, 1, 0, 12, true);
    check_game(3, 3, 9, 9, true);
    check_game(3, 3, 0, INT32_MAX, false);
    check_game(3, 3, 0, INT32_MAX, true);
}
