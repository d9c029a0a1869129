/* solve.c - closing in on a score by questions with two answers. */
#include "solve.h"

#include <string.h>

enum { POLL_NODES = 1024, GROW_NODES = 1 << 13 };

mbx_error mbx_solver_create(mbx_solver *solver, const mbx_game *game, const mbx_method *method,
                            size_t table_bytes)
{
    memset(solver, 0, sizeof *solver);
    solver->game = game;
    solver->method = method;
    solver->search.grow_at = GROW_NODES;
    return method->create(&solver->state, game, table_bytes, &solver->search.table);
}

void mbx_solver_free(mbx_solver *solver)
{
    if (solver->state)
        solver->method->destroy(solver->state);
    mbx_table_free(&solver->search.table);
    memset(solver, 0, sizeof *solver);
}

/* A table grows when as many nodes were visited as it has entries. */
static void grow_table(mbx_search *search)
{
    mbx_table_grow(&search->table);
    search->grow_at = search->nodes + ((uint64_t)1 << search->table.log_buckets);
}

void mbx_solver_forget(mbx_solver *solver)
{
    mbx_table_clear(&solver->search.table);
    solver->search.grow_at = solver->search.nodes + GROW_NODES;
}

void mbx_search_poll(mbx_search *search)
{
    if (search->nodes >= search->grow_at)
        grow_table(search);
    if (search->nodes > search->limit || mbx_cancelled(search->cancel))
        search->is_stopped = true;
    search->next_poll = search->nodes + POLL_NODES;
    if (search->next_poll > search->limit)
        search->next_poll = search->limit + 1;
}

void mbx_solver_allow(mbx_solver *solver, uint64_t nodes, mbx_cancel cancel)
{
    mbx_search *search = &solver->search;
    const uint64_t most = UINT64_MAX - 2 * POLL_NODES;
    search->limit = nodes < most - search->nodes ? search->nodes + nodes : most;
    search->cancel = cancel;
    search->is_stopped = false;
    search->next_poll = search->nodes;
}

mbx_solution mbx_solution_start(const mbx_position *position)
{
    const mbx_game *game = position->game;
    const int ply = position->ply;
    return (mbx_solution){-mbx_win_score(game, ply + 1), mbx_win_score(game, ply), -1};
}

/* Narrows the score of the position that the method holds and that has no winning move.
 *
 * The first questions are about quick wins and losses, which search finds or excludes fast.  Then
 * the sign; from there the bounds that the answers give lead outwards. */
static bool narrow(mbx_solver *solver, mbx_solution *solution)
{
    const mbx_method *method = solver->method;
    mbx_search *search = &solver->search;
    int guess = 0;
    for (int question = 0; solution->lower < solution->upper; question++) {
        int beta = question == 0 ? solution->lower / 2 + 1
                   : question == 1 ? solution->upper / 2 + 1 : guess;
        if (beta <= solution->lower)
            beta = solution->lower + 1;
        if (beta > solution->upper)
            beta = solution->upper;
        const int bound = method->search(solver->state, search, beta);
        if (search->is_stopped)
            return false;
        if (bound >= beta)
            solution->lower = bound;
        else
            solution->upper = bound;
        if (question >= 2)
            guess = bound;
    }
    return true;
}

/* Sets a finished position's score, or the score of one that is won at once. */
static bool is_over(mbx_solver *solver, const mbx_position *position, mbx_solution *solution)
{
    if (position->status != MBX_PLAYING) {
        const int lost = -mbx_win_score(solver->game, position->ply - 1);
        solution->lower = solution->upper = position->status == MBX_DRAW ? 0 : lost;
        return true;
    }
    solver->method->set(solver->state, position);
    const int move = solver->method->winning_move(solver->state);
    if (move < 0)
        return false;
    solution->lower = solution->upper = mbx_win_score(solver->game, position->ply);
    solution->move = move;
    return true;
}

/* Does the move reach the score?  1, 0, or -1 where the search was stopped. */
static int reaches(mbx_solver *solver, const mbx_position *position, int move, int score)
{
    mbx_position child = *position;
    mbx_solution reply;
    if (mbx_position_push(&child, move) != MBX_OK)
        return 0;
    if (is_over(solver, &child, &reply))
        return -reply.upper >= score;
    const int beta = 1 - score;
    const int bound = solver->method->search(solver->state, &solver->search, beta);
    return solver->search.is_stopped ? -1 : bound < beta;
}

/* Looks for a move that reaches the score, which is known. */
static bool find_move(mbx_solver *solver, const mbx_position *position, mbx_solution *solution)
{
    uint8_t moves[MBX_MAX_CELLS];
    const int n = mbx_position_legal_moves(position, moves);
    solver->method->set(solver->state, position);
    const int likely = solver->method->likely_move(solver->state, &solver->search);
    for (int i = likely < 0 ? 0 : -1; i < n; i++) {
        const int move = i < 0 ? likely : moves[i];
        const int answer = i >= 0 && move == likely ? 0
                           : reaches(solver, position, move, solution->lower);
        if (answer < 0)
            return false;
        if (answer > 0) {
            solution->move = move;
            return true;
        }
    }
    MBX_ASSERT(!"a move reaches the score");
    return false;
}

bool mbx_solve(mbx_solver *solver, const mbx_position *position, mbx_solution *solution)
{
    if (is_over(solver, position, solution))
        return true;
    return narrow(solver, solution)
           && (solution->move >= 0 || find_move(solver, position, solution));
}

void mbx_moves_start(const mbx_position *position, int32_t *lower, int32_t *upper)
{
    uint8_t moves[MBX_MAX_CELLS];
    const int n = mbx_position_legal_moves(position, moves);
    const mbx_solution start = mbx_solution_start(position);
    for (int i = 0; i < n; i++) {
        lower[i] = start.lower;
        upper[i] = start.upper;
    }
}

bool mbx_solve_moves(mbx_solver *solver, const mbx_position *position, int32_t *lower,
                     int32_t *upper)
{
    uint8_t moves[MBX_MAX_CELLS];
    const int n = mbx_position_legal_moves(position, moves);
    for (int i = 0; i < n; i++) {
        mbx_position child = *position;
        mbx_solution reply = {-upper[i], -lower[i], -1};
        (void)mbx_position_push(&child, moves[i]);
        const bool is_solved = is_over(solver, &child, &reply) || narrow(solver, &reply);
        lower[i] = -reply.upper;
        upper[i] = -reply.lower;
        if (!is_solved)
            return false;
    }
    return true;
}
