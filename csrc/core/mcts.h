/* mcts.h - a Monte Carlo search tree in flat memory.  docs/mcts.md defines what is searched.
 *
 * Read first: simulate in ../kernel/mcts_search.h, then this.
 *
 * A node whose edges have been made has a block in an arena, found by its link: the block's place in
 * units of MBX_UNIT_BYTES (the root's is 0, which as a link means 'none').  A block holds all edges
 * of a node, ascending by move, in lanes of eight:
 *
 *     head | moves | bounds || means | bonuses || edges: sum, visits, link || priors
 *
 * Choosing an edge reads means and bonuses only: its score is mean + e * bonus, with an e that is
 * the node's.  Both are worked out anew whenever the edge is visited.  Lanes without an edge, and
 * edges that a solver proved lost, have the mean -infinity; the unvisited edges of a search by
 * playouts +infinity, so that they are chosen first.
 *
 * Blocks are made in the order in which nodes get their edges, so a block comes after its parent's.
 */
#ifndef MBX_MCTS_H
#define MBX_MCTS_H

#include "boards.h"

#include <math.h>

enum {
    MBX_LANES = 8,
    MBX_MAX_LANES = 256,
    MBX_UNIT_BYTES = 64,
    MBX_CHUNK_UNITS = 1 << 16,
    MBX_MAX_PLAYOUTS = 1 << 24,         /* a leaf */
    MBX_MAX_SIMULATIONS = 0x7FFFFF00    /* of a tree */
};

/* What a move is known to be worth to the side that makes it: the least and the most of -1, 0, 1,
 * both plus 1, in two bits each. */
enum { MBX_KNOWN_LOSS = 0, MBX_KNOWN_DRAW = 1 | 1 << 2, MBX_KNOWN_WIN = 2 | 2 << 2, MBX_UNKNOWN = 0 | 2 << 2 };

static inline int mbx_lower(int bounds)
{
    return (bounds & 3) - 1;
}

static inline int mbx_upper(int bounds)
{
    return (bounds >> 2) - 1;
}

static inline bool mbx_is_proven(int bounds)
{
    return (bounds & 3) == bounds >> 2;
}

typedef struct {
    double sum;         /* of rewards, for the side that makes the move */
    int32_t visits;
    uint32_t link;      /* of the node that the move leads to, if it has a block */
} mbx_edge;

/* An edge: its node's block and its number there. */
typedef struct {
    char *node;
    size_t edge;
} mbx_step;

/* The simulation that was last. */
typedef struct {
    int length;                         /* of path */
    mbx_step path[MBX_MAX_CELLS];
    int n_moves;                        /* of the playout, if it was recorded */
    uint8_t moves[MBX_MAX_CELLS];
    double rewards[2];                  /* of first and second, added up over the playouts */
} mbx_simulation;

typedef struct {
    int playouts;                       /* a leaf; 0: an evaluator says what a leaf is worth */
    bool expand_all, solver;
    double draw_value;
    uint64_t max_nodes;
    size_t max_bytes;                   /* of the arena; a first chunk there always is */
} mbx_mcts_options;

typedef struct {
    mbx_mcts_options options;
    const mbx_game *game;
    mbx_board_shape *shape;
    mbx_position root;
    void *root_board, *board;           /* the latter is played on */
    mbx_rng rng;

    char **chunks;                      /* the arena: MBX_CHUNK_UNITS units each, */
    void **memory;                      /*   in what was allocated for them */
    uint32_t n_chunks, n_units;         /* n_units: the end of the last block; 0: no root block */

    int root_bounds;                    /* for the side to move */
    int64_t root_visits;
    uint64_t n_nodes;                   /* the root and the visited ones */
    int depth;                          /* of the deepest simulation */
    double totals[MBX_MAX_CELLS];       /* by edge of the root, since it is the root: the */
    double squares[MBX_MAX_CELLS];      /*   simulations' mean rewards, their squares, and how many */
    int64_t counted[MBX_MAX_CELLS];     /*   simulations these are */

    float *exploration;                 /* e(N), by mbx_visits_index(N) */
    size_t n_exploration, exploration_room;
    mbx_simulation last;
    struct mbx_pending *pending;        /* leaves that wait for an evaluator (mcts_evaluator.c) */
} mbx_mcts;

/* Makes a search from a position, which may be finished; the game must outlive it.  Its generator is
 * that of (seed, row). */
mbx_error mbx_mcts_create(mbx_mcts **mcts, const mbx_position *root,
                          const mbx_mcts_options *options, mbx_seed seed, uint64_t row);
void mbx_mcts_free(mbx_mcts *mcts);

/* Empties the tree and starts from another position of the game with another generator. */
mbx_error mbx_mcts_restart(mbx_mcts *mcts, const mbx_position *root, mbx_seed seed, uint64_t row);

/* Plays a move at the root: its subtree becomes the tree, the rest is freed.  MBX_ILLEGAL_MOVE,
 * MBX_GAME_OVER, MBX_NO_MEMORY leave the tree as it was. */
mbx_error mbx_mcts_advance(mbx_mcts *mcts, long long move);

/* Adds up and compares everything that is kept of the tree. */
bool mbx_mcts_is_ok(const mbx_mcts *mcts);

/* --- exploration ---------------------------------------------------------------------------- */

/* Visits with the same 16 leading bits share an entry. */
static inline size_t mbx_visits_index(int64_t visits)
{
    int shift = 0;
    while (visits >> shift >= 1 << 16)
        shift++;
    return (size_t)(visits >> shift) + (size_t)shift * (1 << 15);
}

/* The least visits of an entry. */
static inline int64_t mbx_visits_at(size_t index)
{
    const size_t shift = index < 1 << 16 ? 0 : (index >> 15) - 1;
    return (int64_t)(index - shift * (1 << 15)) << shift;
}

/* Makes entries up to that of `visits`, and says how many there are then.  c: of the entries that are
 * missing, one after the other; or only c[0], for all. */
mbx_error mbx_mcts_explore(mbx_mcts *mcts, int64_t visits, const double *c, bool is_constant);

/* --- blocks --------------------------------------------------------------------------------- */

typedef struct {
    uint8_t n_edges;    /* 0: nothing more in this chunk */
    uint8_t n_groups;   /* of lanes */
} mbx_block_head;

enum { MBX_HEAD_BYTES = 8 };

MBX_INLINE char *mbx_node(const mbx_mcts *mcts, uint32_t link)
{
    return mcts->chunks[link / MBX_CHUNK_UNITS] + (size_t)(link % MBX_CHUNK_UNITS) * MBX_UNIT_BYTES;
}

MBX_INLINE int mbx_node_edges(const char *node)
{
    return ((const mbx_block_head *)node)->n_edges;
}

MBX_INLINE size_t mbx_node_lanes(const char *node)
{
    return (size_t)((const mbx_block_head *)node)->n_groups * MBX_LANES;
}

MBX_INLINE uint8_t *mbx_node_moves(char *node)
{
    return (uint8_t *)node + MBX_HEAD_BYTES;
}

MBX_INLINE uint8_t *mbx_node_bounds(char *node)
{
    return mbx_node_moves(node) + mbx_node_lanes(node);
}

/* The bytes before the means: those of head, moves and bounds, rounded up to vectors. */
MBX_INLINE size_t mbx_means_at(size_t lanes)
{
    return (MBX_HEAD_BYTES + 2 * lanes + 31) / 32 * 32;
}

/* Means, then bonuses; `lanes` are those of the node. */
MBX_INLINE float *mbx_means_of(char *node, size_t lanes)
{
    return (float *)(void *)(node + mbx_means_at(lanes));
}

MBX_INLINE mbx_edge *mbx_edges_of(char *node, size_t lanes)
{
    return (mbx_edge *)(void *)(node + mbx_means_at(lanes) + 2 * lanes * sizeof(float));
}

MBX_INLINE float *mbx_node_means(char *node)
{
    return mbx_means_of(node, mbx_node_lanes(node));
}

MBX_INLINE mbx_edge *mbx_node_edge(char *node, size_t edge)
{
    return mbx_edges_of(node, mbx_node_lanes(node)) + edge;
}

/* Only of a search with an evaluator. */
MBX_INLINE float *mbx_node_priors(char *node)
{
    return (float *)(void *)mbx_node_edge(node, mbx_node_lanes(node));
}

/* Makes a block of unvisited edges for the moves, in which their bounds are open, and returns its
 * link; false where the arena is full.  With an evaluator, priors are to follow. */
bool mbx_make_node(mbx_mcts *mcts, int n_moves, uint32_t *link);

/* The block after one, in the order in which they were made; n_units after the last. */
uint32_t mbx_next_node(const mbx_mcts *mcts, uint32_t link);

/* Works out mean and bonus of an edge of a search by playouts; scale: one over the playouts a leaf. */
MBX_INLINE void mbx_refresh_ucb(char *node, size_t lanes, size_t edge, float scale)
{
    const mbx_edge *e = mbx_edges_of(node, lanes) + edge;
    float *mean = mbx_means_of(node, lanes) + edge;
    const float r = 1.0f / (float)e->visits;
    mean[0] = (float)e->sum * r * scale;
    mean[lanes] = sqrtf(r);
}

/* The same with an evaluator. */
MBX_INLINE void mbx_refresh_puct(char *node, size_t lanes, size_t edge)
{
    const mbx_edge *e = mbx_edges_of(node, lanes) + edge;
    float *mean = mbx_means_of(node, lanes) + edge;
    const float n = (float)e->visits;
    mean[0] = e->visits ? 2.0f * ((float)e->sum * (1.0f / n)) - 1.0f : 0.0f;
    mean[lanes] = mbx_node_priors(node)[edge] / (1.0f + n);
}

/* A solver does not try an edge again that is lost. */
MBX_INLINE void mbx_close_edge(char *node, size_t lanes, size_t edge)
{
    mbx_means_of(node, lanes)[edge] = -INFINITY;
}

/* Either, for any edge. */
void mbx_refresh(const mbx_mcts *mcts, char *node, size_t edge);

/* The edge with the largest score; of several a random one. */
MBX_INLINE int mbx_choose_edge(char *node, float e, mbx_rng *rng)
{
    float scores[MBX_MAX_LANES];
    const int n_edges = mbx_node_edges(node);
    const float *means = mbx_node_means(node), *bonuses = means + mbx_node_lanes(node);
    float best = -INFINITY;
    int n_best = 0, first = 0;
    for (int i = 0; i < n_edges; i++) {
        scores[i] = means[i] + e * bonuses[i];
        if (scores[i] > best) {
            best = scores[i];
            n_best = 0;
            first = i;
        }
        n_best += scores[i] == best;
    }
    if (n_best <= 1)
        return first;
    int skip = (int)mbx_below(rng, (uint64_t)n_best);
    int i = first;
    while (scores[i] != best || skip-- > 0)
        i++;
    return i;
}

/* The exploration term of a node. */
MBX_INLINE float mbx_exploration(const mbx_mcts *mcts, int64_t visits)
{
    return mcts->exploration[visits < 1 << 16 ? (size_t)visits : mbx_visits_index(visits)];
}

/* Sets the bounds of the last edge of a path of `length` steps, and with a solver hands them up. */
void mbx_set_bounds(mbx_mcts *mcts, const mbx_step *path, int length, int bounds);

/* What is kept of the root alone: the mean reward of a simulation that went through an edge. */
MBX_INLINE void mbx_count_root(mbx_mcts *mcts, size_t edge, double mean, int depth)
{
    mcts->totals[edge] += mean;
    mcts->squares[edge] += mean * mean;
    mcts->counted[edge]++;
    mcts->depth = depth > mcts->depth ? depth : mcts->depth;
}

MBX_INLINE bool mbx_mcts_is_full(const mbx_mcts *mcts)
{
    return mcts->n_nodes >= mcts->options.max_nodes;
}

#endif
