/* mcts_evaluator.c - gathering leaves and taking their values. */
#include "mcts_evaluator.h"

#include <stdlib.h>

/* A leaf on its way to the evaluator and back. */
typedef struct {
    mbx_position position;
    int length;             /* 0: the root */
    mbx_step path[];
} leaf;

struct mbx_pending {
    int n, room;
    leaf **leaves;
};

void mbx_free_pending(mbx_mcts *mcts)
{
    struct mbx_pending *pending = mcts->pending;
    if (!pending)
        return;
    for (int i = 0; i < pending->room; i++)
        free(pending->leaves[i]);
    free(pending->leaves);
    free(pending);
    mcts->pending = NULL;
}

int mbx_mcts_waiting(const mbx_mcts *mcts)
{
    return mcts->pending ? mcts->pending->n : 0;
}

static mbx_error make_room(mbx_mcts *mcts, int most)
{
    if (!mcts->pending)
        mcts->pending = calloc(1, sizeof *mcts->pending);
    struct mbx_pending *pending = mcts->pending;
    if (!pending)
        return MBX_NO_MEMORY;
    leaf **leaves = realloc(pending->leaves, (size_t)(most > pending->room ? most : pending->room)
                                                 * sizeof *leaves);
    if (!leaves)
        return MBX_NO_MEMORY;
    pending->leaves = leaves;
    const size_t path = (size_t)mcts->game->n_cells * sizeof(mbx_step);
    for (; pending->room < most; pending->room++)
        if (!(leaves[pending->room] = malloc(sizeof(leaf) + path)))
            return MBX_NO_MEMORY;
    return MBX_OK;
}

static void visit(mbx_mcts *mcts, const mbx_step *path, int length, int visits)
{
    for (int i = 0; i < length; i++) {
        mbx_node_edge(path[i].node, path[i].edge)->visits += visits;
        mbx_refresh(mcts, path[i].node, path[i].edge);
    }
    mcts->root_visits += visits;
}

/* Adds the rewards of a simulation whose visits are counted. */
static void reward(mbx_mcts *mcts, const mbx_step *path, int length, const double rewards[2])
{
    int side = mbx_position_turn(&mcts->root);
    for (int i = 0; i < length; i++, side ^= 1) {
        mbx_node_edge(path[i].node, path[i].edge)->sum += rewards[side];
        mbx_refresh(mcts, path[i].node, path[i].edge);
    }
    mbx_count_root(mcts, path[0].edge, rewards[mbx_position_turn(&mcts->root)], length);
    mcts->last.length = length;
    memcpy(mcts->last.path, path, (size_t)length * sizeof *path);
    mcts->last.rewards[0] = rewards[0];
    mcts->last.rewards[1] = rewards[1];
}

static void reward_outcome(mbx_mcts *mcts, const leaf *l, int outcome)
{
    const double draw = mcts->options.draw_value;
    const double rewards[2] = {outcome == MBX_DRAW ? draw : outcome == MBX_FIRST,
                               outcome == MBX_DRAW ? draw : outcome == MBX_SECOND};
    reward(mcts, l->path, l->length, rewards);
}

/* What an edge of that worth to the mover makes the outcome. */
static int outcome_of(int bounds, int mover)
{
    return bounds == MBX_KNOWN_DRAW ? MBX_DRAW : bounds == MBX_KNOWN_WIN ? mover : 1 - mover;
}

typedef enum { LEAF, DONE, TAKEN, FULL } selection;

/* Walks from the root to an edge that ends a simulation, and counts its visit. */
static selection select_leaf(mbx_mcts *mcts, leaf *l)
{
    uint32_t link = 0;
    int64_t visits = mcts->root_visits;
    l->position = mcts->root;
    for (l->length = 0;;) {
        char *node = mbx_node(mcts, link);
        const int mover = mbx_position_turn(&l->position);
        const int edge = mbx_choose_edge(node, mbx_exploration(mcts, visits), &mcts->rng);
        const mbx_edge *chosen = mbx_node_edge(node, (size_t)edge);
        const bool is_new = chosen->visits == 0;
        l->path[l->length++] = (mbx_step){node, (size_t)edge};
        if (is_new && mbx_mcts_is_full(mcts))
            return FULL;
        (void)mbx_position_push(&l->position, mbx_node_moves(node)[edge]);
        visits = chosen->visits;
        link = chosen->link;
        if (is_new && l->position.status != MBX_PLAYING) {
            const int worth = l->position.status == MBX_DRAW ? MBX_KNOWN_DRAW : MBX_KNOWN_WIN;
            mbx_set_bounds(mcts, l->path, l->length, worth);
        }
        const int bounds = mbx_node_bounds(node)[edge];
        if (!mbx_is_proven(bounds) && !is_new && link)
            continue;
        if (!mbx_is_proven(bounds) && !is_new)
            return TAKEN;
        mcts->n_nodes += is_new;
        visit(mcts, l->path, l->length, 1);
        if (!mbx_is_proven(bounds))
            return LEAF;
        reward_outcome(mcts, l, outcome_of(bounds, mover));
        return DONE;
    }
}

static bool is_proven(const mbx_mcts *mcts)
{
    return mcts->options.solver && mbx_is_proven(mcts->root_bounds);
}

mbx_error mbx_mcts_gather(mbx_mcts *mcts, int most, int64_t simulations, int8_t *boards,
                          mbx_gathered *gathered)
{
    *gathered = (mbx_gathered){0};
    mbx_mcts_abandon(mcts);
    if (mcts->root.status != MBX_PLAYING)
        return MBX_GAME_OVER;
    const mbx_error error = make_room(mcts, most);
    if (error != MBX_OK)
        return error;
    struct mbx_pending *pending = mcts->pending;
    const size_t n_cells = (size_t)mcts->game->n_cells;
    if (mcts->n_units == 0) {
        pending->leaves[0]->position = mcts->root;
        pending->leaves[0]->length = 0;
        memcpy(boards, mcts->root.cells, n_cells);
        gathered->n_leaves = pending->n = 1;
        return MBX_OK;
    }
    while (pending->n < most && gathered->simulations < simulations && !is_proven(mcts)) {
        leaf *l = pending->leaves[pending->n];
        const selection selected = select_leaf(mcts, l);
        gathered->is_full = selected == FULL;
        if (selected == FULL || selected == TAKEN)
            break;
        gathered->simulations++;
        if (selected == LEAF)
            memcpy(boards + n_cells * (size_t)pending->n++, l->position.cells, n_cells);
    }
    gathered->n_leaves = pending->n;
    return MBX_OK;
}

/* Priors of the legal moves, adding up to 1. */
static void set_priors(mbx_mcts *mcts, char *node, const double *by_move)
{
    const int n = mbx_node_edges(node);
    const uint8_t *moves = mbx_node_moves(node);
    double total = 0;
    for (int i = 0; i < n; i++)
        total += by_move[moves[i]];
    for (int i = 0; i < n; i++) {
        const double prior = total > 0 ? by_move[moves[i]] / total : 1.0 / n;
        mbx_node_priors(node)[i] = (float)prior;
        mbx_refresh(mcts, node, (size_t)i);
    }
}

void mbx_mcts_set_root_priors(mbx_mcts *mcts, const double *priors)
{
    set_priors(mcts, mbx_node(mcts, 0), priors);
}

/* Makes the block of a leaf; false where there is no room for it. */
static bool make_leaf_node(mbx_mcts *mcts, const leaf *l, const double *priors)
{
    uint8_t moves[MBX_MAX_CELLS];
    uint32_t link;
    const int n = mbx_position_legal_moves(&l->position, moves);
    if (!mbx_make_node(mcts, n, &link))
        return false;
    char *node = mbx_node(mcts, link);
    memcpy(mbx_node_moves(node), moves, (size_t)n);
    set_priors(mcts, node, priors);
    if (l->length) {
        const mbx_step last = l->path[l->length - 1];
        mbx_node_edge(last.node, last.edge)->link = link;
    }
    return true;
}

/* Takes the visits of the leaves from number `first` on back. */
static void abandon_from(mbx_mcts *mcts, int first)
{
    for (int i = first; i < mcts->pending->n; i++) {
        const leaf *l = mcts->pending->leaves[i];
        if (l->length == 0)
            continue;
        visit(mcts, l->path, l->length, -1);
        mcts->n_nodes--;
    }
    mcts->pending->n = 0;
}

void mbx_mcts_abandon(mbx_mcts *mcts)
{
    if (mcts->pending)
        abandon_from(mcts, 0);
}

/* Value v for the side to move is worth (1 + v) / 2 to it. */
static void reward_value(mbx_mcts *mcts, const leaf *l, double value)
{
    double rewards[2];
    const int turn = mbx_position_turn(&l->position);
    rewards[turn] = (1 + value) / 2;
    rewards[1 - turn] = (1 - value) / 2;
    reward(mcts, l->path, l->length, rewards);
}

mbx_error mbx_mcts_apply(mbx_mcts *mcts, const double *priors, const double *values)
{
    struct mbx_pending *pending = mcts->pending;
    for (int i = 0; pending && i < pending->n; i++) {
        const leaf *l = pending->leaves[i];
        if (!make_leaf_node(mcts, l, priors + (size_t)i * (size_t)mcts->game->n_moves)) {
            abandon_from(mcts, i);
            return MBX_NO_MEMORY;
        }
        if (l->length)
            reward_value(mcts, l, values[i]);
        else
            mcts->root_visits = 1;
    }
    if (pending)
        pending->n = 0;
    MBX_ASSERT(mbx_mcts_is_ok(mcts));
    return MBX_OK;
}
