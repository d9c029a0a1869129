/* kernel.h - what a playout kernel is: the two families of games, compiled for one instruction set.
 *
 * docs/stream.md defines what is played; every kernel plays exactly that.  The bodies are
 * free_body.h and gravity_body.h, kernel_*.c compile them, dispatch.h chooses, playouts.h hands
 * out the work.
 */
#ifndef MBX_KERNEL_H
#define MBX_KERNEL_H

#include "free_plan.h"
#include "gravity_shape.h"
#include "sweep.h"

#include "../core/alphabeta.h"
#include "../core/mcts.h"
#include "../core/rng.h"
#include "../core/solve.h"

/* Plays the numbers [0, end) of a block and adds those from `begin` on to counts[move][outcome]. */
typedef void mbx_play_free(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                           int64_t (*counts)[MBX_OUTCOMES]);

/* A unit of games under gravity: the first `games` of a block. */
typedef struct {
    const mbx_position *position;
    mbx_rng generator;
    uint32_t games;                    /* at least 1 */
    int64_t sign;                      /* every game counts so much */
    int64_t (*counts)[MBX_OUTCOMES];   /* by move */
} mbx_unit;

/* Hands out units one after the other; false when there are no more. */
typedef struct mbx_unit_source {
    bool (*next)(struct mbx_unit_source *source, mbx_unit *unit);
    mbx_cancel cancel;
} mbx_unit_source;

/* Plays all units of the source, or some of them where its flag is set; from_empty: all their boards
 * are empty. */
typedef void mbx_play_gravity(const mbx_gravity_shape *shape, bool from_empty,
                              mbx_unit_source *source);

/* Runs simulations of a search by playouts, whose exploration terms reach that far.  Fewer are done
 * where a solver proved the root or the flag was set.  is_recorded: last.moves are wanted.
 * MBX_GAME_OVER. */
struct mbx_kernel;
typedef mbx_error mbx_search_tree(mbx_mcts *mcts, const struct mbx_kernel *kernel,
                                  int64_t simulations, bool is_recorded, mbx_cancel cancel,
                                  int64_t *done);

/* Searches a position, which is set, to a depth, after all smaller ones or at once: value, moves,
 * variation and nodes then tell.  every: the values of all moves are wanted.  False where it was
 * stopped: only the nodes count then. */
typedef bool mbx_search_alphabeta(mbx_alphabeta *search, int depth, mbx_window window, bool every,
                                  mbx_cancel cancel);

typedef struct mbx_kernel {
    const char *name;
    mbx_play_free *play_free;
    mbx_play_gravity *play_gravity;
    mbx_sweep_forward *sweep_forward;
    mbx_sweep_backward *sweep_backward;
    mbx_search_tree *search_tree;
    mbx_search_alphabeta *search_alphabeta;
    const mbx_method *const *column_methods; /* the fastest first, NULL after the last */
} mbx_kernel;

#endif
