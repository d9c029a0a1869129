/* tree.h - the game tree below a position: a node for every sequence of moves, in arrays.
 *
 * Breadth-first numbering: the root is 0, the children of a node are neighbours and ascend by move.
 *
 *     id            0     1    2    3     4    5    6
 *                 root  |-- depth 1 --|-- depth 2 ----
 *     n_children    3     2    0    1
 *     first_child   1     4   -1    6
 *     parent       -1     0    0    0     1    1    3
 *
 * Depth-first numbering (preorder) is the same tree renumbered; the children of a node are then
 * no neighbours, so child_ids lists them: node i's are child_ids[first_child[i] + 0, 1, ...].
 * In both a child's id is larger than its parent's.
 */
#ifndef MBX_TREE_H
#define MBX_TREE_H

#include "position.h"

typedef struct {
    int64_t n_nodes;
    int32_t *parent;
    int32_t *first_child;        /* -1 without children */
    uint8_t *move;               /* the move that led here; MBX_NO_MOVE at the root */
    uint8_t *depth;
    uint8_t *n_children;
    int8_t *status;
    int32_t *child_ids;          /* NULL in breadth-first numbering */
} mbx_tree;

enum { MBX_MAX_DEPTHS = MBX_MAX_CELLS + 1 };

/* A long pass looks at its cancel flag after so many nodes. */
enum { MBX_NODES_PER_POLL = 1 << 14 };

static inline bool mbx_tree_cancelled(int64_t node, mbx_cancel cancel)
{
    return node % MBX_NODES_PER_POLL == 0 && mbx_cancelled(cancel);
}

static inline int64_t mbx_tree_child(const mbx_tree *tree, int64_t node, int index)
{
    int64_t at = (int64_t)tree->first_child[node] + index;
    return tree->child_ids ? tree->child_ids[at] : at;
}

/* Counts the nodes of each depth; MBX_TOO_LARGE as soon as there are more than `limit` in all. */
mbx_error mbx_tree_count(const mbx_position *root, int64_t limit, mbx_cancel cancel,
                         int64_t n_at_depth[MBX_MAX_DEPTHS]);

/* Fills the arrays breadth first; they have room for `capacity` nodes.  n_at_depth is what
 * mbx_tree_count gave, or NULL where mbx_tree_is_small. */
mbx_error mbx_tree_fill(const mbx_position *root, const int64_t *n_at_depth, int64_t capacity,
                        mbx_cancel cancel, mbx_tree *tree);

/* So few empty cells that the tree is filled in one pass, without being counted first? */
bool mbx_tree_is_small(const mbx_position *root);

/* Writes the same breadth-first tree in depth-first numbering into arrays of n_nodes entries. */
mbx_error mbx_tree_to_depth_first(const mbx_tree *tree, mbx_cancel cancel, mbx_tree *renumbered);

/* Derives parent, first_child and depth of a breadth-first tree from the other columns.
 * MBX_BAD_GRAPH where these have not the form of a tree below `root`: every pass over what is
 * accepted is safe.  That the moves and statuses are those of the game is not checked. */
mbx_error mbx_tree_link(const mbx_position *root, mbx_tree *tree);

#endif
