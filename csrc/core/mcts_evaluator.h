/* mcts_evaluator.h - the tree search whose leaves somebody else evaluates, in batches.
 *
 * gather selects leaves; then either apply tells what they are worth, or abandon takes their visits
 * back.  docs/mcts.md, "With an evaluator".
 */
#ifndef MBX_MCTS_EVALUATOR_H
#define MBX_MCTS_EVALUATOR_H

#include "mcts.h"

/* What a gathering came to. */
typedef struct {
    int n_leaves;           /* that wait for their values */
    int64_t simulations;    /* that were begun; those that ended at known edges are done with */
    bool is_full;           /* the next simulation would add a node too many */
} mbx_gathered;

/* Selects up to `most` leaves in up to `simulations` simulations, and writes the boards of the leaves
 * one after the other.  The root, where it was not yet, is evaluated by itself, in no simulation.
 * Leaves that were gathered before are abandoned.  With a solver nothing is selected once the root is
 * proven. */
mbx_error mbx_mcts_gather(mbx_mcts *mcts, int most, int64_t simulations, int8_t *boards,
                          mbx_gathered *gathered);

/* Takes the leaves' values, for the side to move, and priors, [n_leaves][n_moves]: none of the legal
 * moves' is negative.  Where all are 0, the moves are equal.  MBX_NO_MEMORY: the leaves that did not
 * find room are abandoned. */
mbx_error mbx_mcts_apply(mbx_mcts *mcts, const double *priors, const double *values);

/* The leaves that wait. */
int mbx_mcts_waiting(const mbx_mcts *mcts);

/* Forgets them. */
void mbx_mcts_abandon(mbx_mcts *mcts);

/* Sets the priors of the root's edges, which has some. */
void mbx_mcts_set_root_priors(mbx_mcts *mcts, const double *priors);

void mbx_free_pending(mbx_mcts *mcts);

#endif
