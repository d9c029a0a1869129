/* mcts.c - the tree's memory: blocks, exploration terms, bounds; going on to a subtree. */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif

#include "mcts.h"
#include "mcts_evaluator.h"

#include <stdlib.h>

static const size_t CHUNK_BYTES = (size_t)MBX_CHUNK_UNITS * MBX_UNIT_BYTES;

/* --- the arena ------------------------------------------------------------------------------ */

/* An arena by itself: what a tree owns while another one is built. */
typedef struct {
    char **chunks;
    void **memory;
    uint32_t n_chunks, n_units;
} arena;

static arena take_arena(mbx_mcts *mcts)
{
    const arena taken = {mcts->chunks, mcts->memory, mcts->n_chunks, mcts->n_units};
    mcts->chunks = NULL;
    mcts->memory = NULL;
    mcts->n_chunks = mcts->n_units = 0;
    return taken;
}

static void free_arena(arena *a)
{
    for (uint32_t i = 0; i < a->n_chunks; i++)
        free(a->memory[i]);
    free(a->chunks);
    free(a->memory);
}

static void give_arena(mbx_mcts *mcts, const arena *a)
{
    arena own = take_arena(mcts);
    free_arena(&own);
    mcts->chunks = a->chunks;
    mcts->memory = a->memory;
    mcts->n_chunks = a->n_chunks;
    mcts->n_units = a->n_units;
}

/* Large trees lie in huge pages, where the system gives them. */
static bool add_chunk(mbx_mcts *mcts)
{
    const uint32_t n = mcts->n_chunks;
    const size_t page = n ? (size_t)1 << 21 : MBX_UNIT_BYTES;
    if (n && (n + 1) * CHUNK_BYTES > mcts->options.max_bytes)
        return false;
    if ((n & (n - 1)) == 0) { /* 0 or a power of two: no room for one more */
        const size_t room = n ? 2 * (size_t)n : 1;
        char **chunks = realloc(mcts->chunks, room * sizeof *chunks);
        if (chunks)
            mcts->chunks = chunks;
        void **memory = realloc(mcts->memory, room * sizeof *memory);
        if (memory)
            mcts->memory = memory;
        if (!chunks || !memory)
            return false;
    }
    char *block = malloc(CHUNK_BYTES + page);
    if (!block)
        return false;
    mcts->memory[n] = block;
    mcts->chunks[n] = (char *)(((uintptr_t)block + page - 1) / page * page);
#if defined(__linux__)
    if (n) /* where it is refused, pages are small */
        (void)madvise(mcts->chunks[n], CHUNK_BYTES, MADV_HUGEPAGE);
#endif
    mcts->n_chunks++;
    return true;
}

static uint32_t units_of(const mbx_mcts *mcts, size_t lanes)
{
    const size_t lane = 2 * sizeof(float) + sizeof(mbx_edge)
                        + (mcts->options.playouts ? 0 : sizeof(float));
    return (uint32_t)((mbx_means_at(lanes) + lanes * lane + MBX_UNIT_BYTES - 1) / MBX_UNIT_BYTES);
}

/* Finds room for a block in the arena, in a new chunk if need be. */
static bool find_room(mbx_mcts *mcts, uint32_t units, uint32_t *link)
{
    const uint32_t end = mcts->n_chunks * MBX_CHUNK_UNITS;
    if (units > end - mcts->n_units) {
        if (end > UINT32_MAX - MBX_CHUNK_UNITS || !add_chunk(mcts))
            return false;
        if (mcts->n_units < end)
            ((mbx_block_head *)mbx_node(mcts, mcts->n_units))->n_edges = 0;
        mcts->n_units = end;
    }
    *link = mcts->n_units;
    mcts->n_units += units;
    return true;
}

bool mbx_make_node(mbx_mcts *mcts, int n_moves, uint32_t *link)
{
    const int groups = (n_moves + MBX_LANES - 1) / MBX_LANES;
    const size_t lanes = (size_t)groups * MBX_LANES;
    if (!find_room(mcts, units_of(mcts, lanes), link))
        return false;
    char *node = mbx_node(mcts, *link);
    *(mbx_block_head *)node = (mbx_block_head){(uint8_t)n_moves, (uint8_t)groups};
    memset(mbx_node_moves(node), 0, lanes);
    memset(mbx_node_bounds(node), MBX_UNKNOWN, lanes);
    const float mean = mcts->options.playouts ? INFINITY : 0.0f;
    float *means = mbx_node_means(node), *bonuses = means + lanes;
    for (size_t i = 0; i < lanes; i++) {
        means[i] = i < (size_t)n_moves ? mean : -INFINITY;
        bonuses[i] = 0;
    }
    memset(mbx_node_edge(node, 0), 0, lanes * sizeof(mbx_edge));
    return true;
}

uint32_t mbx_next_node(const mbx_mcts *mcts, uint32_t link)
{
    const uint32_t next = link + units_of(mcts, mbx_node_lanes(mbx_node(mcts, link)));
    const bool is_end = next % MBX_CHUNK_UNITS == 0 || next == mcts->n_units
                        || mbx_node_edges(mbx_node(mcts, next)) > 0;
    return is_end ? next : (next / MBX_CHUNK_UNITS + 1) * MBX_CHUNK_UNITS;
}

void mbx_refresh(const mbx_mcts *mcts, char *node, size_t edge)
{
    const size_t lanes = mbx_node_lanes(node);
    if (mcts->options.playouts == 0)
        mbx_refresh_puct(node, lanes, edge);
    else if (mbx_edges_of(node, lanes)[edge].visits > 0)
        mbx_refresh_ucb(node, lanes, edge, 1.0f / (float)mcts->options.playouts);
    if (mcts->options.solver && mbx_upper(mbx_node_bounds(node)[edge]) < 0)
        mbx_close_edge(node, lanes, edge);
}

/* --- exploration ---------------------------------------------------------------------------- */

/* The natural logarithm of x >= 1, the same on every machine: by atanh of (m - 1) / (m + 1) for the
 * mantissa m near 1.  2^exponent is the largest power of two that is not larger. */
static double logarithm(int64_t x, int exponent)
{
    double m = (double)x / (double)((int64_t)1 << exponent);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    const double z = (m - 1) / (m + 1), zz = z * z;
    double sum = 0;
    for (int i = 21; i > 0; i -= 2)
        sum = sum * zz + 1.0 / i;
    return exponent * 0.6931471805599453 + 2 * z * sum;
}

mbx_error mbx_mcts_explore(mbx_mcts *mcts, int64_t visits, const double *c, bool is_constant)
{
    const size_t n = mbx_visits_index(visits) + 1;
    if (n > mcts->exploration_room) {
        size_t room = mcts->exploration_room;
        while (room < n)
            room = room ? 2 * room : 1024;
        float *exploration = realloc(mcts->exploration, room * sizeof *exploration);
        if (!exploration)
            return MBX_NO_MEMORY;
        mcts->exploration = exploration;
        mcts->exploration_room = room;
    }
    int exponent = 0;
    for (; mcts->n_exploration < n; c += is_constant ? 0 : 1) {
        const int64_t at = mbx_visits_at(mcts->n_exploration);
        while (at >> exponent > 1)
            exponent++;
        const double growth = !mcts->options.playouts || at == 0 ? (double)at
                                                                 : logarithm(at, exponent);
        const double e = *c * sqrt(growth); /* finite, so that no score is a NaN */
        mcts->exploration[mcts->n_exploration++] = (float)(e < 1e30 ? e : 1e30);
    }
    return MBX_OK;
}

/* --- bounds --------------------------------------------------------------------------------- */

/* The bounds of a node, for the side to move there. */
static int bounds_of_node(char *node)
{
    const uint8_t *bounds = mbx_node_bounds(node);
    int lower = MBX_KNOWN_LOSS & 3, upper = MBX_KNOWN_LOSS >> 2;
    for (int i = 0; i < mbx_node_edges(node); i++) {
        lower = (bounds[i] & 3) > lower ? bounds[i] & 3 : lower;
        upper = bounds[i] >> 2 > upper ? bounds[i] >> 2 : upper;
    }
    return lower | upper << 2;
}

/* The same for the other side. */
static int turned(int bounds)
{
    return (2 - (bounds >> 2)) | (2 - (bounds & 3)) << 2;
}

void mbx_set_bounds(mbx_mcts *mcts, const mbx_step *path, int length, int bounds)
{
    for (int i = length - 1; i >= 0; i--) {
        char *node = path[i].node;
        uint8_t *held = &mbx_node_bounds(node)[path[i].edge];
        if (*held == bounds)
            return;
        *held = (uint8_t)bounds;
        if (!mcts->options.solver)
            return;
        const int own = bounds_of_node(node);
        if (i == 0)
            mcts->root_bounds = own;
        bounds = turned(own);
    }
}

/* --- making, restarting, freeing ------------------------------------------------------------ */

static void start_board(mbx_mcts *mcts)
{
    if (mcts->shape->kind == MBX_FLAT)
        mbx_flat_start(mcts->shape, mcts->root_board, &mcts->root);
    else if (mcts->shape->kind == MBX_ROWS)
        mbx_rows_start(mcts->shape, mcts->root_board, &mcts->root);
    else
        mbx_plain_start(mcts->shape, mcts->root_board, &mcts->root);
}

/* The root's own block, where there is none; with an evaluator it waits for its priors. */
static bool make_root(mbx_mcts *mcts)
{
    uint32_t link = 0;
    if (mcts->root.status != MBX_PLAYING || !mcts->options.playouts)
        return true;
    uint8_t moves[MBX_MAX_CELLS];
    const int n = mbx_position_legal_moves(&mcts->root, moves);
    if (!mbx_make_node(mcts, n, &link))
        return false;
    memcpy(mbx_node_moves(mbx_node(mcts, link)), moves, (size_t)n);
    return true;
}

/* Forgets what is counted from the root on. */
static void forget_root(mbx_mcts *mcts)
{
    mcts->root_bounds = MBX_UNKNOWN;
    mcts->root_visits = 0;
    mcts->n_nodes = 1;
    mcts->depth = 0;
    memset(mcts->totals, 0, sizeof mcts->totals);
    memset(mcts->squares, 0, sizeof mcts->squares);
    memset(mcts->counted, 0, sizeof mcts->counted);
    mcts->last.length = mcts->last.n_moves = 0;
}

mbx_error mbx_mcts_restart(mbx_mcts *mcts, const mbx_position *root, mbx_seed seed, uint64_t row)
{
    mbx_mcts_abandon(mcts);
    const mbx_block_key key = mbx_key_of_block(seed, row, UINT64_MAX);
    mcts->rng = mbx_rng_of_block(&key, 0);
    mcts->root = *root;
    mcts->root.game = mcts->game;
    start_board(mcts);
    forget_root(mcts);
    while (mcts->n_chunks > 1)
        free(mcts->memory[--mcts->n_chunks]);
    mcts->n_units = 0;
    return make_root(mcts) ? MBX_OK : MBX_NO_MEMORY;
}

mbx_error mbx_mcts_create(mbx_mcts **result, const mbx_position *root,
                          const mbx_mcts_options *options, mbx_seed seed, uint64_t row)
{
    mbx_mcts *mcts = *result = calloc(1, sizeof *mcts);
    if (!mcts)
        return MBX_NO_MEMORY;
    mcts->options = *options;
    mcts->game = root->game;
    mbx_error error = mbx_board_shape_create(&mcts->shape, root->game);
    if (error == MBX_OK) {
        mcts->root_board = malloc(mbx_board_bytes(mcts->shape));
        mcts->board = malloc(mbx_board_bytes(mcts->shape));
        error = mcts->root_board && mcts->board ? mbx_mcts_restart(mcts, root, seed, row)
                                                : MBX_NO_MEMORY;
    }
    if (error != MBX_OK) {
        mbx_mcts_free(mcts);
        *result = NULL;
    }
    return error;
}

void mbx_mcts_free(mbx_mcts *mcts)
{
    if (!mcts)
        return;
    mbx_free_pending(mcts);
    arena own = take_arena(mcts);
    free_arena(&own);
    mbx_board_shape_free(mcts->shape);
    free(mcts->root_board);
    free(mcts->board);
    free(mcts->exploration);
    free(mcts);
}

/* --- going on ------------------------------------------------------------------------------- */

/* Copies a block of another arena to the end of this one. */
static bool copy_node(mbx_mcts *mcts, char *from, uint32_t *link)
{
    const uint32_t units = units_of(mcts, mbx_node_lanes(from));
    if (!find_room(mcts, units, link))
        return false;
    memcpy(mbx_node(mcts, *link), from, (size_t)units * MBX_UNIT_BYTES);
    return true;
}

/* Copies the subtree at `link` of the old arena: the blocks that were copied are walked in order,
 * and the children of each follow at the end (C. J. Cheney, 1970). */
static bool copy_subtree(mbx_mcts *mcts, const arena *old, uint32_t link)
{
    mbx_mcts source = *mcts;
    source.chunks = old->chunks;
    uint32_t copy;
    if (!copy_node(mcts, mbx_node(&source, link), &copy))
        return false;
    for (uint32_t at = 0; at < mcts->n_units; at = mbx_next_node(mcts, at)) {
        const size_t n_edges = (size_t)mbx_node_edges(mbx_node(mcts, at));
        for (size_t i = 0; i < n_edges; i++) {
            mbx_edge *edge = mbx_node_edge(mbx_node(mcts, at), i);
            mcts->n_nodes += edge->visits > 0;
            if (edge->link && !copy_node(mcts, mbx_node(&source, edge->link), &edge->link))
                return false;
        }
    }
    return true;
}

static int find_edge(char *node, int move)
{
    int edge = 0;
    while (mbx_node_moves(node)[edge] != move)
        edge++;
    return edge;
}

/* The visits that began at the root: those of its edges, and its evaluation. */
static int64_t visits_of_root(const mbx_mcts *mcts)
{
    char *node = mbx_node(mcts, 0);
    int64_t visits = mcts->options.playouts ? 0 : 1;
    for (int i = 0; i < mbx_node_edges(node); i++)
        visits += mbx_node_edge(node, (size_t)i)->visits;
    return visits;
}

mbx_error mbx_mcts_advance(mbx_mcts *mcts, long long move)
{
    mbx_position next = mcts->root;
    const mbx_error error = mbx_position_push(&next, move);
    if (error != MBX_OK)
        return error;
    mbx_mcts_abandon(mcts);
    uint32_t link = 0;
    if (mcts->n_units) {
        char *node = mbx_node(mcts, 0);
        link = mbx_node_edge(node, (size_t)find_edge(node, (int)move))->link;
    }
    const uint64_t n_nodes = mcts->n_nodes;
    const mbx_position before = mcts->root;
    arena old = take_arena(mcts);
    mcts->root = next;
    mcts->n_nodes = 1;
    if (link ? !copy_subtree(mcts, &old, link) : !make_root(mcts)) {
        give_arena(mcts, &old);
        mcts->root = before;
        mcts->n_nodes = n_nodes;
        return MBX_NO_MEMORY;
    }
    free_arena(&old);
    const uint64_t kept = mcts->n_nodes;
    forget_root(mcts);
    mcts->n_nodes = kept;
    start_board(mcts);
    if (link) {
        mcts->root_visits = visits_of_root(mcts);
        if (mcts->options.solver)
            mcts->root_bounds = bounds_of_node(mbx_node(mcts, 0));
    }
    return MBX_OK;
}

/* --- checks --------------------------------------------------------------------------------- */

/* A node's edges against the visits and the sum of the edge to it. */
static bool node_is_ok(const mbx_mcts *mcts, char *node, int64_t visits, const double *sum)
{
    const double p = mcts->options.playouts ? mcts->options.playouts : 1;
    int64_t below = 0;
    double sums = 0;
    for (int i = 0; i < mbx_node_edges(node); i++) {
        const mbx_edge *edge = mbx_node_edge(node, (size_t)i);
        const int bounds = mbx_node_bounds(node)[i];
        const double slack = 1e-6 * (1 + edge->visits);
        if (edge->visits < 0 || edge->sum < -slack || edge->sum > p * edge->visits + slack
            || mbx_lower(bounds) > mbx_upper(bounds) || mbx_upper(bounds) > 1)
            return false;
        below += edge->visits;
        sums += edge->sum;
    }
    if (below > visits)
        return false;
    if (!sum || mcts->options.draw_value != 0.5)
        return true;
    const double own = *sum + sums - p * (double)below; /* of the simulations that ended here */
    const double slack = 1e-6 * (1 + (double)visits);
    return own >= -slack && own <= p * (double)(visits - below) + slack;
}

/* The bounds that the edge to a node has, by what is known there. */
static int bounds_to(const mbx_mcts *mcts, char *node)
{
    return mcts->options.solver ? turned(bounds_of_node(node)) : MBX_UNKNOWN;
}

bool mbx_mcts_is_ok(const mbx_mcts *mcts)
{
    uint64_t n_nodes = 1;
    if (!mcts->n_units)
        return mcts->n_nodes == 1;
    char *root = mbx_node(mcts, 0);
    if (!node_is_ok(mcts, root, mcts->root_visits, NULL)
        || mcts->root_bounds != turned(bounds_to(mcts, root)))
        return false;
    for (uint32_t at = 0; at < mcts->n_units; at = mbx_next_node(mcts, at)) {
        char *node = mbx_node(mcts, at);
        for (int i = 0; i < mbx_node_edges(node); i++) {
            const mbx_edge *edge = mbx_node_edge(node, (size_t)i);
            n_nodes += edge->visits > 0;
            if (edge->link
                && (edge->link <= at || edge->link >= mcts->n_units
                    || mbx_node_bounds(node)[i] != bounds_to(mcts, mbx_node(mcts, edge->link))
                    || !node_is_ok(mcts, mbx_node(mcts, edge->link), edge->visits, &edge->sum)))
                return false;
        }
    }
    return n_nodes == mcts->n_nodes;
}
