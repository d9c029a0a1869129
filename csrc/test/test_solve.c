/* test_solve.c - every way to solve, with tables of every size, against plain minimax; stopping. */
#include "../core/rng.h"
#include "../kernel/dispatch.h"
#include "check.h"

/* The score of a position by trying everything. */
static int minimax(const mbx_position *position)
{
    if (position->status == MBX_DRAW)
        return 0;
    if (position->status != MBX_PLAYING)
        return -mbx_win_score(position->game, position->ply - 1);
    uint8_t moves[MBX_MAX_CELLS];
    const int n = mbx_position_legal_moves(position, moves);
    int best = -MBX_MAX_CELLS;
    for (int i = 0; i < n; i++) {
        mbx_position child = *position;
        mbx_position_push(&child, moves[i]);
        const int score = -minimax(&child);
        best = score > best ? score : best;
    }
    return best;
}

static mbx_rng random_numbers(uint64_t seed)
{
    const mbx_block_key key = mbx_key_of_block((mbx_seed){seed, 0}, 0, 0);
    return mbx_rng_of_block(&key, 0);
}

/* A random position that is not finished, with at most so many empty cells. */
static mbx_position random_position(const mbx_game *game, mbx_rng *rng, int most_empty)
{
    for (;;) {
        mbx_position position;
        mbx_position_start(&position, game);
        const int stop = game->n_cells - 1 - (int)(mbx_rng_next(rng) % (unsigned)most_empty);
        for (int tries = 0; tries < 500 && position.ply < stop; tries++) {
            uint8_t moves[MBX_MAX_CELLS];
            const int n = mbx_position_legal_moves(&position, moves);
            mbx_position_push(&position, moves[mbx_rng_next(rng) % (unsigned)n]);
            if (position.status != MBX_PLAYING)
                mbx_position_pop(&position);
        }
        if (position.ply == stop)
            return position;
    }
}

/* A position, its moves and their scores by minimax. */
typedef struct {
    mbx_position position;
    uint8_t moves[MBX_MAX_CELLS];
    int scores[MBX_MAX_CELLS];
    int n, best;
} answer;

enum { ROUNDS = 12 };

static void find_answer(answer *a)
{
    a->n = mbx_position_legal_moves(&a->position, a->moves);
    a->best = -MBX_MAX_CELLS;
    for (int i = 0; i < a->n; i++) {
        mbx_position child = a->position;
        mbx_position_push(&child, a->moves[i]);
        a->scores[i] = -minimax(&child);
        a->best = a->scores[i] > a->best ? a->scores[i] : a->best;
    }
}

static void check_solution(mbx_solver *solver, const answer *a)
{
    mbx_solution solution = mbx_solution_start(&a->position);
    mbx_solver_allow(solver, UINT64_MAX, NULL);
    CHECK(mbx_solve(solver, &a->position, &solution));
    CHECK(solution.lower == a->best && solution.upper == a->best);
    bool is_best = false;
    for (int i = 0; i < a->n; i++)
        is_best |= a->moves[i] == solution.move && a->scores[i] == a->best;
    CHECK(is_best);
}

static void check_moves(mbx_solver *solver, const answer *a)
{
    int32_t lower[MBX_MAX_CELLS], upper[MBX_MAX_CELLS];
    mbx_moves_start(&a->position, lower, upper);
    mbx_solver_allow(solver, UINT64_MAX, NULL);
    CHECK(mbx_solve_moves(solver, &a->position, lower, upper));
    for (int i = 0; i < a->n; i++)
        CHECK(lower[i] == a->scores[i] && upper[i] == a->scores[i]);
}

static void check_method(const mbx_game *game, const mbx_method *method, const answer *answers)
{
    static const size_t sizes[] = {1, 100, 5000, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!method->fits(game, sizes[i]))
            continue;
        mbx_solver solver;
        CHECK(mbx_solver_create(&solver, game, method, sizes[i]) == MBX_OK);
        for (int round = 0; round < ROUNDS; round++) {
            check_solution(&solver, &answers[round]);
            check_solution(&solver, &answers[round]);  /* with a warm table */
            check_moves(&solver, &answers[round]);
        }
        mbx_solver_free(&solver);
    }
}

static void compare(int x, int y, int z, int k, bool gravity, int most_empty)
{
    static answer answers[ROUNDS];
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n = mbx_list_kernels(kernels);
    mbx_rng rng = random_numbers(5);
    mbx_game game;
    CHECK(mbx_game_init(&game, z ? 3 : 2, (int[]){x, y, z}, k, gravity) == MBX_OK);
    for (int round = 0; round < ROUNDS; round++) {
        answers[round].position = random_position(&game, &rng, most_empty);
        find_answer(&answers[round]);
    }
    check_method(&game, &mbx_lines_method, answers);
    for (int i = 0; i < n; i++)
        for (const mbx_method *const *m = kernels[i]->column_methods; *m; m++)
            check_method(&game, *m, answers);
    mbx_game_free(&game);
}

static void stop(void)
{
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    mbx_list_kernels(kernels);
    const mbx_method *methods[] = {&mbx_lines_method, kernels[0]->column_methods[0]};
    mbx_game game;
    CHECK(mbx_game_init(&game, 2, (int[]){7, 6}, 4, true) == MBX_OK);
    mbx_position position;
    mbx_position_start(&position, &game);
    for (int i = 0; i < 2; i++) {
        mbx_solver solver;
        CHECK(mbx_solver_create(&solver, &game, methods[i], 1 << 16) == MBX_OK);
        mbx_solution solution = mbx_solution_start(&position);
        mbx_solver_allow(&solver, 5000, NULL);
        CHECK(!mbx_solve(&solver, &position, &solution));
        CHECK(solver.search.nodes <= 5001);
        CHECK(solution.lower <= 1 && solution.upper >= 1);
        const unsigned char flag = 1;
        mbx_solver_allow(&solver, UINT64_MAX, &flag);
        CHECK(!mbx_solve(&solver, &position, &solution));
        CHECK(solver.search.nodes <= 5010);
        mbx_solver_free(&solver);
    }
    mbx_game_free(&game);
}

void test_solve(void)
{
    compare(3, 3, 0, 3, false, 8);
    compare(4, 3, 0, 3, false, 7);
    compare(2, 5, 0, 3, false, 7);
    compare(4, 4, 0, 4, false, 7);
    compare(2, 2, 2, 2, false, 8);
    compare(3, 3, 3, 3, false, 6);
    compare(3, 3, 3, 3, true, 7);
    compare(7, 1, 0, 1, false, 7);
    compare(1, 9, 0, 10, true, 8);
    compare(4, 4, 0, 4, true, 9);
    compare(3, 2, 0, 2, true, 6);
    compare(5, 5, 0, 3, true, 7);
    compare(7, 6, 0, 4, true, 8);
    compare(7, 8, 0, 4, true, 8);
    compare(8, 7, 0, 4, true, 8);
    compare(8, 8, 0, 4, true, 8);
    compare(9, 7, 0, 5, true, 7);
    compare(10, 9, 0, 4, true, 7);
    compare(16, 5, 0, 4, true, 7);
    compare(2, 6, 0, 6, true, 9);
    stop();
}
