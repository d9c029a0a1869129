/* mcts_playout.h - a part of mcts_body.h: one random playout from a leaf.
 *
 * Each plays on the board that it is given and returns the outcome.  moves: where to write down what
 * is played, or NULL.
 */

/* The bits of a flat board's cells in which a move's bit is looked up. */
static int move_of_cell(const mbx_board_shape *shape, uint64_t cell)
{
    const int bit = mbx_lowest_one(cell), row = bit / shape->stride;
    return shape->game->gravity ? row : bit - row;
}

/* From the start, the side to move is `side`; the game has k in a row. */
MBX_INLINE int play_flat(const mbx_board_shape *shape, mbx_flat *board, int side, mbx_rng *rng,
                         int k, bool gravity, uint8_t **moves)
{
    const uint64_t all = shape->all, bottom = shape->bottom;
    const int stride = shape->stride;
    for (;; side ^= 1) {
        const uint64_t open = (gravity ? board->mask + bottom : ~board->mask) & all;
        if (open == 0)
            return MBX_DRAW;
        const uint64_t drawn = mbx_below(rng, (uint64_t)mbx_count_ones(open));
        const uint64_t cell = (uint64_t)1 << mbx_nth_one(shape, open, drawn);
        if (moves)
            *(*moves)++ = (uint8_t)move_of_cell(shape, cell);
        if (mbx_flat_fill(board, cell, stride, k))
            return side;
    }
}

#define FLAT_PLAYOUT(name, k, gravity)                                                             \
    MBX_NO_INLINE int name(const mbx_board_shape *shape, mbx_flat *board, int side, mbx_rng *rng) \
    {                                                                                              \
        return play_flat(shape, board, side, rng, k, gravity, NULL);                               \
    }
FLAT_PLAYOUT(play_free_3, 3, false)
FLAT_PLAYOUT(play_free_4, 4, false)
FLAT_PLAYOUT(play_free_5, 5, false)
FLAT_PLAYOUT(play_columns_4, 4, true)

static int play_any_flat(const mbx_board_shape *shape, mbx_flat *board, int side, mbx_rng *rng,
                         uint8_t **moves)
{
    return play_flat(shape, board, side, rng, shape->game->k, shape->game->gravity, moves);
}

MBX_INLINE int mbx_flat_playout(const mbx_board_shape *shape, mbx_flat *board, int side,
                                mbx_rng *rng, uint8_t **moves)
{
    const int k = shape->game->k;
    if (moves)
        return play_any_flat(shape, board, side, rng, moves);
    if (shape->game->gravity)
        return k == 4 ? play_columns_4(shape, board, side, rng)
                      : play_any_flat(shape, board, side, rng, NULL);
    switch (k) {
    case 3:
        return play_free_3(shape, board, side, rng);
    case 4:
        return play_free_4(shape, board, side, rng);
    case 5:
        return play_free_5(shape, board, side, rng);
    default:
        return play_any_flat(shape, board, side, rng, NULL);
    }
}

/* The n-th of the open moves. */
MBX_INLINE int nth_open(const mbx_board_shape *shape, const mbx_rows *board, uint64_t n)
{
    int word = 0;
    for (;; word++) {
        const uint64_t here = (uint64_t)mbx_count_ones(board->open[word]);
        if (n < here)
            return word * 64 + mbx_nth_one(shape, board->open[word], n);
        n -= here;
    }
}

MBX_NO_INLINE int mbx_rows_playout(const mbx_board_shape *shape, mbx_rows *board, int side,
                                   mbx_rng *rng, uint8_t **moves)
{
    for (; board->left > 0; side ^= 1) {
        const int move = nth_open(shape, board, mbx_below(rng, (uint64_t)board->n_open));
        if (moves)
            *(*moves)++ = (uint8_t)move;
        if (mbx_rows_play(shape, board, move))
            return side;
    }
    return MBX_DRAW;
}

MBX_NO_INLINE int mbx_plain_playout(const mbx_board_shape *shape, mbx_plain *board, int side,
                                    mbx_rng *rng, uint8_t **moves)
{
    (void)side;
    while (board->status == MBX_PLAYING) {
        uint8_t open[MBX_MAX_CELLS];
        const int n = mbx_position_legal_moves(board, open);
        const int move = open[mbx_below(rng, (uint64_t)n)];
        if (moves)
            *(*moves)++ = (uint8_t)move;
        (void)mbx_plain_play(shape, board, move);
    }
    return board->status;
}

/* --- many playouts, and what comes of them --------------------------------------------------- */

enum { POLL = 64 };     /* simulations between looks at the flag */

/* The rewards where `times` playouts had the same outcome. */
MBX_INLINE void count_outcome(const search *s, int outcome, int times)
{
    double *rewards = s->mcts->last.rewards;
    const double n = times, draws = n * s->mcts->options.draw_value;
    rewards[0] = outcome == MBX_DRAW ? draws : outcome == MBX_FIRST ? n : 0;
    rewards[1] = outcome == MBX_DRAW ? draws : outcome == MBX_SECOND ? n : 0;
}

/* Many playouts from the leaf at the end of the path; false where the flag was set. */
static bool run_batch(const search *s)
{
    mbx_mcts *mcts = s->mcts;
    mbx_simulation *last = &mcts->last;
    const mbx_rng before = mcts->rng;
    mbx_seed seed = {.low = mbx_rng_next(&mcts->rng)};
    seed.high = mbx_rng_next(&mcts->rng);
    mbx_position leaf = mcts->root;
    for (int i = 0; i < last->length; i++) {
        char *node = mbx_node(mcts, last->path[i].link);
        (void)mbx_position_push(&leaf, mbx_node_moves(node)[last->path[i].edge]);
    }
    int64_t counts[MBX_MAX_CELLS][MBX_OUTCOMES] = {{0}};
    const uint64_t n = (uint64_t)mcts->options.playouts;
    if (mbx_playout_counts(s->kernel, &leaf, 1, seed, 0, 0, n, s->cancel, counts) != MBX_OK) {
        mcts->rng = before;
        return false;
    }
    int64_t totals[MBX_OUTCOMES] = {0};
    for (int move = 0; move < mcts->game->n_moves; move++)
        for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)
            totals[outcome] += counts[move][outcome];
    const double draws = (double)totals[MBX_DRAW] * mcts->options.draw_value;
    last->rewards[0] = (double)totals[MBX_FIRST] + draws;
    last->rewards[1] = (double)totals[MBX_SECOND] + draws;
    return true;
}

/* Adds the simulation's rewards to its path. */
MBX_INLINE void back_up(const search *s)
{
    mbx_mcts *mcts = s->mcts;
    const mbx_simulation *last = &mcts->last;
    const double *rewards = last->rewards;
    int side = mbx_position_turn(&mcts->root);
    if (last->length)
        mbx_count_root(mcts, last->path[0].edge, rewards[side] / mcts->options.playouts,
                       last->length);
    for (int i = 0; i < last->length; i++, side ^= 1) {
        char *node = mbx_node(mcts, last->path[i].link);
        mbx_edge *edge = mbx_node_edge(node, last->path[i].edge);
        edge->visits++;
        edge->sum += rewards[side];
        mbx_refresh(mcts, node, last->path[i].edge, s->scale);
    }
    mcts->root_visits++;
}
