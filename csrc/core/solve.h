/* solve.h - the exact score of a position, by search.
 *
 * A score is for the side to move: (n_cells + 1 - m) / 2, rounded down, where the winning stone is
 * the one that is placed when m are on the board; negative where the other side wins; 0 for a draw.
 * So a faster win scores more, a slower loss too (Pascal Pons's convention for Connect Four).
 *
 * The search itself is a method: columns (bitboards, flat boards with gravity; ../kernel) or lines
 * (any game; lines.c).  A method answers one kind of question, is the score at least so much?  Here
 * such questions close in on the score.
 */
#ifndef MBX_SOLVE_H
#define MBX_SOLVE_H

#include "position.h"
#include "table.h"

/* One run of questions, which can be stopped. */
typedef struct {
    mbx_table table;
    uint64_t nodes;         /* positions looked at */
    uint64_t next_poll;     /* the number of nodes at which to look whether to stop */
    uint64_t limit;         /* of nodes */
    uint64_t grow_at;       /* the number of nodes at which the table is to grow */
    mbx_cancel cancel;
    bool is_stopped;        /* then no answer counts, and nothing more is stored */
} mbx_search;

/* Ends the search where the limit is reached or the flag is set; called every so many nodes. */
void mbx_search_poll(mbx_search *search);

/* Counts a node; false where the search is to stop. */
MBX_INLINE bool mbx_search_goes_on(mbx_search *search)
{
    if (++search->nodes >= search->next_poll)
        mbx_search_poll(search);
    return !search->is_stopped;
}

typedef struct {
    const char *name;
    bool (*fits)(const mbx_game *game, size_t table_bytes);
    /* Makes the method's state for a game, and the search's table. */
    mbx_error (*create)(void **state, const mbx_game *game, size_t table_bytes, mbx_table *table);
    void (*destroy)(void *state);
    /* Takes over a position that is not finished. */
    void (*set)(void *state, const mbx_position *position);
    /* A move that wins at once, or -1. */
    int (*winning_move)(const void *state);
    /* The position has no move that wins at once.  Is its score at least beta?  Returns a bound: a
     * number from beta on that the score reaches, or one below beta that it does not exceed. */
    int (*search)(void *state, mbx_search *search, int beta);
    /* After a search that said yes: the first move to try, or -1. */
    int (*likely_move)(const void *state, const mbx_search *search);
} mbx_method;

/* Solves any game. */
extern const mbx_method mbx_lines_method;

typedef struct {
    const mbx_game *game;
    const mbx_method *method;
    void *state;
    mbx_search search;
} mbx_solver;

/* The game must outlive the solver.  MBX_NO_MEMORY. */
mbx_error mbx_solver_create(mbx_solver *solver, const mbx_game *game, const mbx_method *method,
                            size_t table_bytes);
void mbx_solver_free(mbx_solver *solver);
void mbx_solver_forget(mbx_solver *solver); /* what the table holds */

typedef struct {
    int lower, upper;       /* lower <= score <= upper; equal: solved */
    int move;               /* one that reaches the score, -1 as long as none is known */
} mbx_solution;

/* What is known of a position, which is not finished, before any search. */
mbx_solution mbx_solution_start(const mbx_position *position);

/* Allows so many more nodes until the next call; `cancel` may be NULL. */
void mbx_solver_allow(mbx_solver *solver, uint64_t nodes, mbx_cancel cancel);

/* Narrows what is known until the position is solved and a move found, or the search is stopped:
 * false then.  It can be called again and goes on, with what the table holds. */
bool mbx_solve(mbx_solver *solver, const mbx_position *position, mbx_solution *solution);

/* The same for every legal move, in ascending order, each as a score of the side that makes it:
 * narrows lower[i] <= score <= upper[i].  The caller fills both by mbx_moves_start first. */
bool mbx_solve_moves(mbx_solver *solver, const mbx_position *position, int32_t *lower,
                     int32_t *upper);
void mbx_moves_start(const mbx_position *position, int32_t *lower, int32_t *upper);

/* The score of a win whose last stone is placed when `ply` are on the board. */
static inline int mbx_win_score(const mbx_game *game, int ply)
{
    return (game->n_cells + 1 - ply) / 2;
}

#endif
