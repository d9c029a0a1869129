/* mcts_columns.c - writing and reading a tree node by node. */
#include "mcts_columns.h"

#include <stdlib.h>

size_t mbx_mcts_count(const mbx_mcts *mcts)
{
    size_t n = 1;
    for (uint32_t at = 0; at < mcts->n_units; at = mbx_next_node(mcts, at))
        n += (size_t)mbx_node_edges(mbx_node(mcts, at));
    return n;
}

static void write_root(const mbx_mcts *mcts, const mbx_mcts_columns *c)
{
    c->parent[0] = c->first_child[0] = c->move[0] = -1;
    c->n_children[0] = c->depth[0] = 0;
    c->visits[0] = mcts->root_visits;
    c->sums[0] = 0;
    c->lower[0] = (int8_t)-mbx_upper(mcts->root_bounds);
    c->upper[0] = (int8_t)-mbx_lower(mcts->root_bounds);
    if (c->priors)
        c->priors[0] = 1;
}

/* The children of a node; where each has a block, its number is noted there. */
static void write_children(char *node, const mbx_mcts_columns *c, int32_t parent, int32_t first,
                           int32_t *number_of_unit)
{
    c->first_child[parent] = first;
    c->n_children[parent] = mbx_node_edges(node);
    for (int32_t i = 0; i < mbx_node_edges(node); i++) {
        const mbx_edge *edge = mbx_node_edge(node, (size_t)i);
        const int32_t child = first + i;
        c->parent[child] = parent;
        c->first_child[child] = -1;
        c->n_children[child] = 0;
        c->move[child] = mbx_node_moves(node)[i];
        c->depth[child] = c->depth[parent] + 1;
        c->visits[child] = edge->visits;
        c->sums[child] = edge->sum;
        c->lower[child] = (int8_t)mbx_lower(mbx_node_bounds(node)[i]);
        c->upper[child] = (int8_t)mbx_upper(mbx_node_bounds(node)[i]);
        if (c->priors)
            c->priors[child] = mbx_node_priors(node)[i];
        if (edge->link)
            number_of_unit[edge->link] = child;
    }
}

mbx_error mbx_mcts_write(const mbx_mcts *mcts, const mbx_mcts_columns *columns)
{
    int32_t *number_of_unit = calloc((size_t)mcts->n_units + 1, sizeof *number_of_unit);
    if (!number_of_unit)
        return MBX_NO_MEMORY;
    write_root(mcts, columns);
    int32_t first = 1;
    for (uint32_t at = 0; at < mcts->n_units; at = mbx_next_node(mcts, at)) {
        char *node = mbx_node(mcts, at);
        write_children(node, columns, number_of_unit[at], first, number_of_unit);
        first += mbx_node_edges(node);
    }
    free(number_of_unit);
    return MBX_OK;
}

/* --- reading -------------------------------------------------------------------------------- */

/* Has a node its block yet, and which edge leads to it? */
typedef struct {
    bool has_block;
    mbx_step edge;
} reading;

/* The position of a node, by the moves from the root; false where one cannot be played. */
static bool find_position(const mbx_mcts *mcts, const mbx_mcts_columns *c, const reading *nodes,
                          int32_t node, mbx_position *position)
{
    uint8_t moves[MBX_MAX_CELLS];
    int n = 0;
    for (; node > 0; node = c->parent[node]) {
        if (n == MBX_MAX_CELLS)
            return false;
        moves[n++] = mbx_node_moves(nodes[node].edge.node)[nodes[node].edge.edge];
    }
    *position = mcts->root;
    while (n > 0)
        if (mbx_position_push(position, moves[--n]) != MBX_OK)
            return false;
    return position->status == MBX_PLAYING;
}

static bool is_bound(int lower, int upper)
{
    return lower >= -1 && lower <= upper && upper <= 1;
}

/* Is the edge of that move proven where the game ends with it, and only there?  (The bounds of nodes
 * with edges follow from these: mbx_mcts_is_ok compares them.) */
static bool ends_as_said(const mbx_mcts *mcts, mbx_position *position, int move,
                         const mbx_edge *edge, int bounds)
{
    (void)mbx_position_push(position, move);
    const int status = position->status;
    (void)mbx_position_pop(position);
    if (status == MBX_PLAYING && mcts->options.playouts == 0)
        return (edge->link > 0) == (edge->visits > 0); /* an evaluator gave it priors */
    if (status == MBX_PLAYING)
        return edge->link > 0 || bounds == MBX_UNKNOWN;
    const int worth = status == MBX_DRAW ? MBX_KNOWN_DRAW : MBX_KNOWN_WIN;
    return bounds == (edge->visits > 0 ? worth : MBX_UNKNOWN);
}

/* The same of all edges of a node of the columns. */
static bool edges_end_as_said(const mbx_mcts *mcts, const mbx_mcts_columns *c, const reading *nodes,
                              int32_t first, int32_t n)
{
    mbx_position position;
    if (!find_position(mcts, c, nodes, c->parent[first], &position))
        return false;
    char *node = nodes[first].edge.node;
    for (int32_t i = 0; i < n; i++)
        if (!ends_as_said(mcts, &position, mbx_node_moves(node)[i], mbx_node_edge(node, (size_t)i),
                          mbx_node_bounds(node)[i]))
            return false;
    return true;
}

/* Takes over the edge to a node; false where its numbers cannot be. */
static bool read_edge(mbx_mcts *mcts, const mbx_mcts_columns *c, uint32_t link, int32_t i,
                      int32_t child)
{
    char *node = mbx_node(mcts, link);
    mbx_edge *edge = mbx_node_edge(node, (size_t)i);
    if (c->visits[child] < 0 || c->visits[child] > MBX_MAX_SIMULATIONS
        || !is_bound(c->lower[child], c->upper[child]) || !isfinite(c->sums[child])
        || (c->priors && !(c->priors[child] >= 0 && c->priors[child] <= 1)))
        return false;
    edge->visits = (int32_t)c->visits[child];
    edge->sum = c->sums[child];
    mbx_node_bounds(node)[i] = (uint8_t)((c->lower[child] + 1) | (c->upper[child] + 1) << 2);
    if (c->priors)
        mbx_node_priors(node)[i] = c->priors[child];
    mbx_refresh(mcts, node, (size_t)i);
    mcts->n_nodes += edge->visits > 0;
    return true;
}

/* Makes the block of the node whose children begin at `first`, and says how many they are. */
static mbx_error read_children(mbx_mcts *mcts, const mbx_mcts_columns *c, reading *nodes,
                               int32_t first, int32_t *n)
{
    const int32_t parent = c->parent[first];
    mbx_position position;
    if (parent < 0 || parent >= first || nodes[parent].has_block
        || !find_position(mcts, c, nodes, parent, &position))
        return MBX_BAD_GRAPH;
    uint8_t moves[MBX_MAX_CELLS];
    *n = mbx_position_legal_moves(&position, moves);
    if ((size_t)first + (size_t)*n > c->n)
        return MBX_BAD_GRAPH;
    uint32_t link = 0;
    if ((parent > 0 || mcts->n_units == 0) && !mbx_make_node(mcts, *n, &link))
        return MBX_NO_MEMORY;
    memcpy(mbx_node_moves(mbx_node(mcts, link)), moves, (size_t)*n);
    nodes[parent].has_block = true;
    if (parent > 0)
        mbx_node_edge(nodes[parent].edge.node, nodes[parent].edge.edge)->link = link;
    for (int32_t i = 0; i < *n; i++) {
        if (c->parent[first + i] != parent || !read_edge(mcts, c, link, i, first + i))
            return MBX_BAD_GRAPH;
        nodes[first + i].edge = (mbx_step){mbx_node(mcts, link), (size_t)i};
    }
    return MBX_OK;
}

mbx_error mbx_mcts_read(mbx_mcts *mcts, const mbx_mcts_columns *columns)
{
    const size_t n = columns->n;
    if (n < 1 || n > INT32_MAX || columns->parent[0] != -1 || columns->visits[0] < 0
        || columns->visits[0] > MBX_MAX_SIMULATIONS
        || !is_bound(columns->lower[0], columns->upper[0]))
        return MBX_BAD_GRAPH;
    reading *nodes = calloc(n, sizeof *nodes);
    if (!nodes)
        return MBX_NO_MEMORY;
    mbx_error error = MBX_OK;
    int32_t n_children = 0;
    for (size_t first = 1; first < n && error == MBX_OK; first += (size_t)n_children)
        error = read_children(mcts, columns, nodes, (int32_t)first, &n_children);
    for (size_t first = 1; first < n && error == MBX_OK; first += (size_t)n_children) {
        n_children = mbx_node_edges(nodes[first].edge.node);
        if (!edges_end_as_said(mcts, columns, nodes, (int32_t)first, n_children))
            error = MBX_BAD_GRAPH;
    }
    free(nodes);
    mcts->root_visits = columns->visits[0];
    mcts->root_bounds = (1 - columns->upper[0]) | (1 - columns->lower[0]) << 2;
    return error != MBX_OK ? error : mbx_mcts_is_ok(mcts) ? MBX_OK : MBX_BAD_GRAPH;
}
