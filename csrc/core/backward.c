/* backward.c - one step for a node a pass, used in both orders. */
#include "backward.h"

/* ---- the steps ------------------------------------------------------------------------------- */

MBX_INLINE void minimax_step(const mbx_tree *tree, int64_t node, const mbx_minimax_rule *rule,
                             int8_t *values)
{
    int depth = tree->depth[node];
    if (tree->status[node] != MBX_PLAYING) {
        values[node] = rule->leaf_value[depth][tree->status[node]];
        return;
    }
    const int n = tree->n_children[node];
    int best = values[mbx_tree_child(tree, node, 0)];
    if (rule->takes_largest[rule->root_turn ^ (depth & 1)]) {
        for (int i = 1; i < n; i++) {
            int value = values[mbx_tree_child(tree, node, i)];
            best = value > best ? value : best;
        }
    } else {
        for (int i = 1; i < n; i++) {
            int value = values[mbx_tree_child(tree, node, i)];
            best = value < best ? value : best;
        }
    }
    values[node] = (int8_t)best;
}

#define COUNT_STEP(name, count)                                                              \
    MBX_INLINE void name(const mbx_tree *tree, int64_t node, const mbx_count_rule *rule,     \
                         count (*counts)[MBX_OUTCOMES])                                      \
    {                                                                                        \
        count sum[MBX_OUTCOMES] = {0, 0, 0};                                                 \
        if (tree->status[node] != MBX_PLAYING)                                               \
            sum[tree->status[node]] = (count)rule->weight[tree->depth[node]];                \
        for (int i = 0; i < tree->n_children[node]; i++) {                                   \
            const count *child = counts[mbx_tree_child(tree, node, i)];                      \
            for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)                         \
                sum[outcome] += child[outcome];                                              \
        }                                                                                    \
        count factor = (count)rule->factor[tree->n_children[node]];                          \
        for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)                             \
            counts[node][outcome] = sum[outcome] * factor;                                   \
    }

COUNT_STEP(count_step32, uint32_t)
COUNT_STEP(count_step64, uint64_t)

/* ---- the orders ------------------------------------------------------------------------------ */

/* The nodes below one, children before parents: next() gives them one by one, the node itself
 * last, then -1. */
typedef struct {
    const mbx_tree *tree;
    int depth;                             /* of the walk; -1 at its end */
    int64_t nodes[MBX_MAX_DEPTHS];
    int next_child[MBX_MAX_DEPTHS];
} walk_below;

static walk_below start_below(const mbx_tree *tree, int64_t node)
{
    walk_below walk = {.tree = tree};
    walk.nodes[0] = node;
    return walk;
}

static int64_t next_below(walk_below *walk)
{
    if (walk->depth < 0)
        return -1;
    int64_t node = walk->nodes[walk->depth];
    while (walk->next_child[walk->depth] < walk->tree->n_children[node]) {
        node = mbx_tree_child(walk->tree, node, walk->next_child[walk->depth]++);
        walk->nodes[++walk->depth] = node;
        walk->next_child[walk->depth] = 0;
    }
    walk->depth--;
    return node;
}

/* A pass over all nodes works on its own copy of the struct: stores into an array of bytes could
 * otherwise change the pointers, and they would be read again for every node. */
#define PASS_OVER_ALL(step, values)                                             \
    const mbx_tree local = *tree;                                               \
    for (int64_t end = local.n_nodes, begin; end > 0; end = begin) {            \
        if (mbx_cancelled(cancel))                                              \
            return MBX_CANCELLED;                                               \
        begin = end > MBX_NODES_PER_POLL ? end - MBX_NODES_PER_POLL : 0;        \
        for (int64_t node = end - 1; node >= begin; node--)                     \
            step(&local, node, rule, values);                                   \
    }                                                                           \
    return MBX_OK

#define PASS_BELOW(step, values)                                                \
    walk_below walk = start_below(tree, node);                                  \
    while ((node = next_below(&walk)) >= 0) {                                   \
        if (mbx_tree_cancelled(node, cancel))                                   \
            return MBX_CANCELLED;                                               \
        step(tree, node, rule, values);                                         \
    }                                                                           \
    return MBX_OK

mbx_error mbx_minimax(const mbx_tree *tree, const mbx_minimax_rule *rule, mbx_cancel cancel,
                      int8_t *values)
{
    PASS_OVER_ALL(minimax_step, values);
}

mbx_error mbx_minimax_below(const mbx_tree *tree, int64_t node, const mbx_minimax_rule *rule,
                            mbx_cancel cancel, int8_t *values)
{
    PASS_BELOW(minimax_step, values);
}

mbx_error mbx_count_outcomes32(const mbx_tree *tree, const mbx_count_rule *rule,
                               mbx_cancel cancel, uint32_t (*counts)[MBX_OUTCOMES])
{
    PASS_OVER_ALL(count_step32, counts);
}

mbx_error mbx_count_outcomes_below32(const mbx_tree *tree, int64_t node,
                                     const mbx_count_rule *rule, mbx_cancel cancel,
                                     uint32_t (*counts)[MBX_OUTCOMES])
{
    PASS_BELOW(count_step32, counts);
}

mbx_error mbx_count_outcomes64(const mbx_tree *tree, const mbx_count_rule *rule,
                               mbx_cancel cancel, uint64_t (*counts)[MBX_OUTCOMES])
{
    PASS_OVER_ALL(count_step64, counts);
}

mbx_error mbx_count_outcomes_below64(const mbx_tree *tree, int64_t node,
                                     const mbx_count_rule *rule, mbx_cancel cancel,
                                     uint64_t (*counts)[MBX_OUTCOMES])
{
    PASS_BELOW(count_step64, counts);
}
