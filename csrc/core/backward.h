/* backward.h - passes over a tree from its leaves to its root: minimax values and outcome counts.
 *
 * Every pass exists in two orders that give the same numbers: over all nodes by descending id (a
 * child's id is larger than its parent's), and depth first below one node.
 */
#ifndef MBX_BACKWARD_H
#define MBX_BACKWARD_H

#include "tree.h"

/* What a finished node is worth, by its depth and outcome, and what each side does with the values
 * of its moves: takes the largest or the smallest. */
typedef struct {
    int root_turn;
    bool takes_largest[2];
    const int8_t (*leaf_value)[MBX_OUTCOMES];    /* [depth] */
} mbx_minimax_rule;

/* Each pass looks at the cancel flag now and then; after MBX_CANCELLED some values are filled. */
mbx_error mbx_minimax(const mbx_tree *tree, const mbx_minimax_rule *rule, mbx_cancel cancel,
                      int8_t *values);
mbx_error mbx_minimax_below(const mbx_tree *tree, int64_t node, const mbx_minimax_rule *rule,
                            mbx_cancel cancel, int8_t *values);

/* How random play is counted in integers.  A node at depth d stands for weight[d] equally likely
 * ways to go on; a finished node gives them all to its outcome, another one adds up its children's,
 * each times factor[number of children]:
 *
 *     without gravity   weight[d] = (empty cells at d)!        factor = 1
 *     under gravity     weight[d] = L^(empty cells at d)       factor = L / number of children
 *
 * with L a multiple of every number of open columns.  factor[0] is 1, and weight[0] fits the type of
 * the counts. */
typedef struct {
    const uint64_t *weight;
    const uint64_t *factor;
} mbx_count_rule;

mbx_error mbx_count_outcomes32(const mbx_tree *tree, const mbx_count_rule *rule,
                               mbx_cancel cancel, uint32_t (*counts)[MBX_OUTCOMES]);
mbx_error mbx_count_outcomes_below32(const mbx_tree *tree, int64_t node,
                                     const mbx_count_rule *rule, mbx_cancel cancel,
                                     uint32_t (*counts)[MBX_OUTCOMES]);
mbx_error mbx_count_outcomes64(const mbx_tree *tree, const mbx_count_rule *rule,
                               mbx_cancel cancel, uint64_t (*counts)[MBX_OUTCOMES]);
mbx_error mbx_count_outcomes_below64(const mbx_tree *tree, int64_t node,
                                     const mbx_count_rule *rule, mbx_cancel cancel,
                                     uint64_t (*counts)[MBX_OUTCOMES]);

#endif
