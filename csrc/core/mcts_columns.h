/* mcts_columns.h - a tree search as arrays with an entry for every node, and back.
 *
 * The root is node 0.  The children of a node are one after the other, ascending by move, unvisited
 * ones included; groups of them stand in the order in which their parents got their edges.
 */
#ifndef MBX_MCTS_COLUMNS_H
#define MBX_MCTS_COLUMNS_H

#include "mcts.h"

/* Of the edge to each node, for the side that moves there; of the root 0, and its bounds turned.
 * priors: only with an evaluator, else NULL. */
typedef struct {
    size_t n;
    int32_t *parent, *first_child, *n_children, *move, *depth; /* -1, -1, 0, -1: none */
    int64_t *visits;
    double *sums;
    int8_t *lower, *upper;
    float *priors;
} mbx_mcts_columns;

size_t mbx_mcts_count(const mbx_mcts *mcts);

/* Writes all columns, each of mbx_mcts_count entries. */
mbx_error mbx_mcts_write(const mbx_mcts *mcts, const mbx_mcts_columns *columns);

/* Grows the tree of a search that has just been made from parent, visits, sums, lower, upper and
 * priors.  MBX_BAD_GRAPH: they are those of no tree from its root; MBX_NO_MEMORY; then the search is
 * to be freed. */
mbx_error mbx_mcts_read(mbx_mcts *mcts, const mbx_mcts_columns *columns);

#endif
