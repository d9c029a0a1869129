/* test_playout.c - the scalar loop: totals, prefixes and split ranges; shares against exact chances at 5 sigma. */
#include "../core/playout.h"
#include "check.h"

#include <math.h>
#include <string.h>

enum { N = 200000 };

typedef int64_t counts_table[MBX_MAX_CELLS][MBX_OUTCOMES];

static const mbx_seed seed = {2026, 1};

static void play(const mbx_plan *plan, uint64_t first, uint64_t number, counts_table counts)
{
    CHECK(mbx_scalar_counts(plan, seed, 3, first, number, NULL, counts) == MBX_OK);
}

static void check_ranges(const mbx_plan *plan, uint64_t n, const counts_table whole)
{
    counts_table parts = {{0}};
    uint64_t cuts[] = {0, 1, 1023, 1024, 1025, 2000, n};
    for (int i = 0; i + 1 < 7; i++)
        play(plan, cuts[i], cuts[i + 1] - cuts[i], parts);
    CHECK(memcmp(whole, parts, sizeof parts) == 0);
}

static void check_game(int x, int y, int z, int k, bool gravity, const double *chances)
{
    mbx_game game;
    mbx_position position;
    mbx_plan *plan;
    counts_table counts = {{0}};
    CHECK(mbx_game_init(&game, z ? 3 : 2, (int[]){x, y, z}, k, gravity) == MBX_OK);
    mbx_position_start(&position, &game);
    CHECK(mbx_plan_create(&plan, &position) == MBX_OK);
    play(plan, 0, N, counts);
    for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++) {
        double sum = 0, p = chances[outcome];
        for (int move = 0; move < game.n_moves; move++)
            sum += (double)counts[move][outcome];
        CHECK(fabs(sum / N - p) <= 5 * sqrt(p * (1 - p) / N));
    }
    for (int move = 0; move < game.n_moves; move++) {
        double p = 1.0 / game.n_moves;
        double sum = (double)(counts[move][0] + counts[move][1] + counts[move][2]);
        CHECK(fabs(sum / N - p) <= 5 * sqrt(p * (1 - p) / N));
    }
    check_ranges(plan, N, counts);
    unsigned char stop = 1;
    CHECK(mbx_scalar_counts(plan, seed, 3, 0, N, &stop, counts) == MBX_CANCELLED);
    mbx_plan_free(plan);
    mbx_game_free(&game);
}

/* Boards without exact chances here: every stone counts down the lines that it lacks. */
static void check_large(int x, int y, int z, int k, bool gravity)
{
    enum { FEW = 3000 };
    mbx_game game;
    mbx_position position;
    mbx_plan *plan;
    counts_table counts = {{0}};
    CHECK(mbx_game_init(&game, z ? 3 : 2, (int[]){x, y, z}, k, gravity) == MBX_OK);
    mbx_position_start(&position, &game);
    CHECK(mbx_plan_create(&plan, &position) == MBX_OK);
    CHECK(plan->test == COUNT_DOWN);
    play(plan, 0, FEW, counts);
    int64_t sum = 0;
    for (int move = 0; move < game.n_moves; move++)
        sum += counts[move][0] + counts[move][1] + counts[move][2];
    CHECK(sum == FEW);
    check_ranges(plan, FEW, counts);
    mbx_plan_free(plan);
    mbx_game_free(&game);
}

void test_playout(void)
{
    check_large(9, 9, 0, 5, false);
    check_large(5, 5, 5, 5, true);
    check_large(255, 1, 0, 4, false);
    check_large(1, 255, 0, 4, true);

    /* Chances by exhaustive computation. */
    check_game(3, 3, 0, 3, false, (double[]){737.0 / 1260, 121.0 / 420, 8.0 / 63});
    check_game(4, 3, 0, 3, false, (double[]){2774.0 / 4725, 19886.0 / 51975, 1.0 / 33});
    check_game(4, 4, 0, 4, false, (double[]){.316590076590077, .267248307248307,
                                             .416161616161616});
    check_game(3, 3, 0, 3, true, (double[]){.538723136716964, .269518747142204,
                                            .191758116140832});
    check_game(5, 4, 0, 4, true, (double[]){.424052539830017, .330113920656405,
                                            .245833539513578});
    check_game(2, 2, 0, 3, false, (double[]){0, 0, 1});
}
