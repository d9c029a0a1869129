/* tree.c - count, fill and renumber.  Start reading at mbx_tree_fill. */
#include "tree.h"

#include "plan.h"

#include <stdlib.h>
#include <string.h>

static void write_node(mbx_tree *tree, int64_t node, int64_t parent, int move, int depth,
                       int status)
{
    tree->parent[node] = (int32_t)parent;
    tree->move[node] = (uint8_t)move;
    tree->depth[node] = (uint8_t)depth;
    tree->status[node] = (int8_t)status;
    tree->n_children[node] = 0;
    tree->first_child[node] = -1;
}

static void write_children(const mbx_tree *tree, int64_t node, int64_t first, int n)
{
    tree->n_children[node] = (uint8_t)n;
    tree->first_child[node] = n > 0 ? (int32_t)first : -1;
}

/* ---- any tree: a walk in depth-first order --------------------------------------------------- */

/* One level of the walk: the moves still to try. */
typedef struct {
    uint8_t moves[MBX_MAX_CELLS];
    int n, next;
} level;

/* Visits every node once, parents first and siblings by move, and stops at the first error.
 * visit(context, position, depth, n_moves) sees the position of the node. */
static mbx_error walk(const mbx_position *root,
                      mbx_error (*visit)(void *context, const mbx_position *position, int depth,
                                         int n_moves),
                      void *context)
{
    mbx_position position = *root;
    size_t n_levels = (size_t)(root->game->n_cells - root->ply) + 1;
    level *levels = malloc(n_levels * sizeof *levels);
    if (!levels)
        return MBX_NO_MEMORY;
    int depth = 0;
    levels[0].n = mbx_position_legal_moves(&position, levels[0].moves);
    levels[0].next = 0;
    mbx_error error = visit(context, &position, 0, levels[0].n);
    while (error == MBX_OK && depth >= 0) {
        level *here = &levels[depth];
        if (here->next == here->n) {
            if (depth-- > 0)
                mbx_position_pop(&position);
            continue;
        }
        error = mbx_position_push(&position, here->moves[here->next++]);
        level *below = &levels[++depth];
        below->n = mbx_position_legal_moves(&position, below->moves);
        below->next = 0;
        if (error == MBX_OK)
            error = visit(context, &position, depth, below->n);
    }
    free(levels);
    return error;
}

typedef struct {
    int64_t n_nodes, limit;
    int64_t *n_at_depth;
    mbx_cancel cancel;
} counting;

static mbx_error count_node(void *context, const mbx_position *position, int depth, int n_moves)
{
    (void)position;
    (void)n_moves;
    counting *count = context;
    count->n_at_depth[depth]++;
    if (++count->n_nodes > count->limit)
        return MBX_TOO_LARGE;
    if (mbx_tree_cancelled(count->n_nodes, count->cancel))
        return MBX_CANCELLED;
    return MBX_OK;
}

mbx_error mbx_tree_count(const mbx_position *root, int64_t limit, mbx_cancel cancel,
                         int64_t n_at_depth[MBX_MAX_DEPTHS])
{
    memset(n_at_depth, 0, MBX_MAX_DEPTHS * sizeof *n_at_depth);
    counting count = {0, limit, n_at_depth, cancel};
    return walk(root, count_node, &count);
}

/* The depth-first walk meets the nodes of one depth in breadth-first order, so a place a depth is
 * enough to number them. */
typedef struct {
    mbx_tree *tree;
    mbx_cancel cancel;
    int64_t place[MBX_MAX_DEPTHS + 1];    /* the id of the next node at each depth */
    int64_t on_path[MBX_MAX_DEPTHS];      /* the id of the current node at each depth */
} filling;

static mbx_error fill_node(void *context, const mbx_position *position, int depth, int n_moves)
{
    filling *fill = context;
    int64_t node = fill->place[depth]++;
    int move = MBX_NO_MOVE;
    if (depth > 0)
        move = mbx_move_of_cell(position->game, position->history[position->ply - 1]);
    fill->on_path[depth] = node;
    write_node(fill->tree, node, depth > 0 ? fill->on_path[depth - 1] : -1, move, depth,
               position->status);
    write_children(fill->tree, node, fill->place[depth + 1], n_moves);
    if (mbx_tree_cancelled(node, fill->cancel))
        return MBX_CANCELLED;
    return MBX_OK;
}

static mbx_error fill_by_walking(const mbx_position *root, const int64_t *n_at_depth,
                                 int64_t capacity, mbx_cancel cancel, mbx_tree *tree)
{
    filling fill = {.tree = tree, .cancel = cancel};
    for (int depth = 0; depth < MBX_MAX_DEPTHS; depth++)
        fill.place[depth + 1] = fill.place[depth] + n_at_depth[depth];
    tree->n_nodes = fill.place[MBX_MAX_DEPTHS];
    if (tree->n_nodes > capacity)
        return MBX_TOO_LARGE;
    return walk(root, fill_node, &fill);
}

/* ---- small trees: layer by layer over sets of slots ------------------------------------------ */

/* The slots of the side to move and of the other (plan.h), of every node of two layers. */
typedef struct {
    uint16_t mine, theirs;
} slot_sets;

/* The slots that can be filled next where a set of slots is occupied, ascending. */
typedef struct {
    uint8_t n;
    uint8_t slots[TABLE_SLOTS];
} slot_list;

/* Fills a table from every set of occupied slots to the playable ones. */
static void list_playable(const mbx_plan *plan, slot_list *playable)
{
    for (unsigned occupied = 0; occupied < 1u << plan->n_slots; occupied++) {
        slot_list *list = &playable[occupied];
        list->n = 0;
        for (int column = 0; column < plan->n_columns; column++) {
            int slot = plan->column_start[column];
            while (slot < plan->column_end[column] && (occupied >> slot & 1))
                slot++;
            if (slot < plan->column_end[column])
                list->slots[list->n++] = (uint8_t)slot;
        }
    }
}

/* Writes the children of one node from `first` on, with their sets from children[0] on. */
MBX_INLINE void write_layer_node(const mbx_plan *plan, const slot_list *list, int64_t node,
                                 int depth, slot_sets sets, int64_t first, slot_sets *children,
                                 const mbx_tree *tree)
{
    const int side = plan->turn ^ (depth & 1);
    const uint8_t *wins = plan->sides[side].table;
    const int8_t statuses[2] = {depth + 1 == plan->n_slots ? MBX_DRAW : MBX_PLAYING, (int8_t)side};
    const int n = list->n;
    tree->n_children[node] = (uint8_t)n;
    tree->first_child[node] = (int32_t)first;
    for (int i = 0; i < n; i++) {
        const int slot = list->slots[i];
        const uint16_t own = sets.mine | (uint16_t)(1u << slot);
        children[i] = (slot_sets){sets.theirs, own};
        tree->parent[first + i] = (int32_t)node;
        tree->move[first + i] = plan->slot_move[slot];
        tree->status[first + i] = statuses[wins[own]];
    }
}

/* A layer's children are as many as its nodes' empty slots at the most: the size of the next one. */
static slot_sets *allocate_layer(int64_t n_nodes, int n_children)
{
    return malloc(((size_t)n_nodes * (size_t)n_children + 1) * sizeof(slot_sets));
}

static mbx_error fill_layers(const mbx_plan *plan, const slot_list *playable, int64_t capacity,
                             mbx_cancel cancel, mbx_tree *result)
{
    const mbx_tree local = *result, *tree = &local; /* no store can change its pointers */
    int64_t begin = 0, end = 1, next = 1;
    slot_sets *layer = allocate_layer(1, 1);
    if (!layer)
        return MBX_NO_MEMORY;
    layer[0] = (slot_sets){0, 0};
    mbx_error error = MBX_OK;
    for (int depth = 0; begin < end && error == MBX_OK; depth++) {
        memset(tree->depth + begin, depth, (size_t)(end - begin));
        slot_sets *below = allocate_layer(end - begin, plan->n_slots - depth);
        if (!below) {
            error = MBX_NO_MEMORY;
            break;
        }
        for (int64_t node = begin; node < end && error == MBX_OK; node++) {
            slot_sets sets = layer[node - begin];
            const slot_list *list = &playable[sets.mine | sets.theirs];
            if (mbx_tree_cancelled(node, cancel)) {
                error = MBX_CANCELLED;
            } else if (tree->status[node] != MBX_PLAYING) {
                write_children(tree, node, -1, 0);
            } else if (list->n > capacity - next) {
                error = MBX_TOO_LARGE;
            } else {
                write_layer_node(plan, list, node, depth, sets, next, below + (next - end), tree);
                next += list->n;
            }
        }
        free(layer);
        layer = below;
        begin = end;
        end = next;
    }
    free(layer);
    result->n_nodes = end;
    return error;
}

static mbx_error fill_small(const mbx_position *root, int64_t capacity, mbx_cancel cancel,
                            mbx_tree *tree)
{
    mbx_plan *plan;
    mbx_error error = mbx_plan_create(&plan, root);
    if (error != MBX_OK)
        return error;
    slot_list *playable = malloc(sizeof *playable << plan->n_slots);
    if (playable) {
        list_playable(plan, playable);
        error = fill_layers(plan, playable, capacity, cancel, tree);
    } else {
        error = MBX_NO_MEMORY;
    }
    free(playable);
    mbx_plan_free(plan);
    return error;
}

bool mbx_tree_is_small(const mbx_position *root)
{
    return root->game->n_cells - root->ply <= TABLE_SLOTS;
}

mbx_error mbx_tree_fill(const mbx_position *root, const int64_t *n_at_depth, int64_t capacity,
                        mbx_cancel cancel, mbx_tree *tree)
{
    if (capacity < 1)
        return MBX_TOO_LARGE;
    if (capacity > INT32_MAX)
        capacity = INT32_MAX; /* ids are int32 */
    tree->n_nodes = 1;
    write_node(tree, 0, -1, MBX_NO_MOVE, 0, root->status);
    if (root->status != MBX_PLAYING)
        return MBX_OK;
    return mbx_tree_is_small(root) ? fill_small(root, capacity, cancel, tree)
                                   : fill_by_walking(root, n_at_depth, capacity, cancel, tree);
}

/* ---- renumbering and checking ---------------------------------------------------------------- */

/* subtree[i] becomes the number of nodes from i downwards, ids[i] the preorder number of i. */
static mbx_error number_depth_first(const mbx_tree *tree, mbx_cancel cancel, int32_t *subtree,
                                    int32_t *ids)
{
    for (int64_t node = tree->n_nodes - 1; node >= 0; node--) {
        if (mbx_tree_cancelled(node, cancel))
            return MBX_CANCELLED;
        subtree[node] = 1;
        for (int i = 0; i < tree->n_children[node]; i++)
            subtree[node] += subtree[tree->first_child[node] + i];
    }
    ids[0] = 0;
    for (int64_t node = 0; node < tree->n_nodes; node++) {
        if (mbx_tree_cancelled(node, cancel))
            return MBX_CANCELLED;
        int32_t id = ids[node] + 1;
        for (int i = 0; i < tree->n_children[node]; i++) {
            int64_t child = (int64_t)tree->first_child[node] + i;
            ids[child] = id;
            id += subtree[child];
        }
    }
    return MBX_OK;
}

mbx_error mbx_tree_to_depth_first(const mbx_tree *tree, mbx_cancel cancel, mbx_tree *renumbered)
{
    if (tree->n_nodes < 1)
        return MBX_BAD_GRAPH;
    int32_t *subtree = malloc((size_t)tree->n_nodes * sizeof *subtree);
    if (!subtree)
        return MBX_NO_MEMORY;
    int32_t *ids = renumbered->child_ids;
    mbx_error error = number_depth_first(tree, cancel, subtree, ids);
    free(subtree);
    renumbered->n_nodes = tree->n_nodes;
    for (int64_t node = 0; node < tree->n_nodes && error == MBX_OK; node++) {
        if (mbx_tree_cancelled(node, cancel))
            error = MBX_CANCELLED;
        int64_t id = ids[node];
        renumbered->parent[id] = node > 0 ? ids[tree->parent[node]] : -1;
        renumbered->first_child[id] = tree->first_child[node];
        renumbered->move[id] = tree->move[node];
        renumbered->depth[id] = tree->depth[node];
        renumbered->n_children[id] = tree->n_children[node];
        renumbered->status[id] = tree->status[node];
    }
    return error;
}

/* Can `node` be what its columns say? */
static bool node_is_plausible(const mbx_position *root, const mbx_tree *tree, int64_t node)
{
    bool is_root = node == 0, is_leaf = tree->n_children[node] == 0;
    int status = tree->status[node], empty = root->game->n_cells - root->ply;
    if (is_root ? tree->move[node] != MBX_NO_MOVE : tree->move[node] >= root->game->n_moves)
        return false;
    bool has_elder = !is_root && tree->first_child[tree->parent[node]] < node;
    if (has_elder && tree->move[node - 1] >= tree->move[node])
        return false;
    return status >= MBX_PLAYING && status <= MBX_DRAW && is_leaf == (status != MBX_PLAYING)
           && (is_leaf || tree->depth[node] < empty);
}

mbx_error mbx_tree_link(const mbx_position *root, mbx_tree *tree)
{
    if (tree->n_nodes < 1)
        return MBX_BAD_GRAPH;
    int64_t next = 1;
    tree->parent[0] = -1;
    tree->depth[0] = 0;
    for (int64_t node = 0; node < tree->n_nodes; node++) {
        int n = tree->n_children[node];
        if (next <= node || n > tree->n_nodes - next || !node_is_plausible(root, tree, node))
            return MBX_BAD_GRAPH;
        write_children(tree, node, next, n);
        for (int i = 0; i < n; i++, next++) {
            tree->parent[next] = (int32_t)node;
            tree->depth[next] = (uint8_t)(tree->depth[node] + 1);
        }
    }
    return next == tree->n_nodes ? MBX_OK : MBX_BAD_GRAPH;
}
