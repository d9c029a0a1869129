/* mcts_playout.h - a part of mcts_body.h: random playouts from a leaf, and counting what comes of them.
 *
 * A single playout is played on the board that is given and returns the outcome.  moves: where to
 * write down what is played, or NULL.
 */

/* The move that fills a cell of a flat board, which is given as its bit. */
static int move_of_cell(const mbx_board_shape *shape, uint64_t cell)
{
    const int bit = mbx_lowest_one(cell), row = bit / shape->stride;
    return shape->game->gravity ? row : bit - row;
}

/* Without gravity; the board is of up to so many bits.  The side to move is `side`. */
MBX_INLINE int play_cells(const mbx_board_shape *shape, mbx_flat *board, int side, mbx_rng *rng,
                         int bits, int k, uint8_t **moves)
{
    const int stride = shape->stride;
    uint64_t open = ~board->mask & shape->all;
    for (int left = mbx_count_ones(open); left > 0; left--, side ^= 1) {
        const uint64_t drawn = mbx_below(rng, (uint64_t)left);
        const int at = bits <= 16 ? mbx_nth_one_of_16(shape, open, drawn)
                                  : mbx_nth_one(shape, open, drawn);
        const uint64_t cell = (uint64_t)1 << at;
        if (moves)
            *(*moves)++ = (uint8_t)move_of_cell(shape, cell);
        open ^= cell;
        if (mbx_flat_fill(board, cell, stride, k))
            return side;
    }
    return MBX_DRAW;
}

/* Under gravity, on up to so many columns. */
MBX_INLINE int play_columns(const mbx_board_shape *shape, mbx_flat *board, int side, mbx_rng *rng,
                            int columns, int k, uint8_t **moves)
{
    const int stride = shape->stride;
    const uint64_t top = shape->bottom << (stride - 2);
    uint64_t open = 0;  /* by column: what a draw waits for changes only when one is full */
    for (int column = 0; column < shape->game->n_moves; column++)
        open |= (~board->mask >> (shape->bit_of_move[column] + stride - 2) & 1) << column;
    for (int left = mbx_count_ones(open); left > 0; side ^= 1) {
        const uint64_t drawn = mbx_below(rng, (uint64_t)left);
        const int column = columns <= 8 ? shape->nth_of_byte[open][drawn]
                                        : mbx_nth_one(shape, open, drawn);
        const uint64_t cell = (board->mask + ((uint64_t)1 << shape->bit_of_move[column]))
                              & ~board->mask;
        if (moves)
            *(*moves)++ = (uint8_t)column;
        if (cell & top) {
            open ^= (uint64_t)1 << column;
            left--;
        }
        if (mbx_flat_fill(board, cell, stride, k))
            return side;
    }
    return MBX_DRAW;
}

typedef int flat_playout(const mbx_board_shape *shape, mbx_flat *board, int side, mbx_rng *rng);

#define FLAT_PLAYOUT(name, call)                                                                    \
    static int name(const mbx_board_shape *shape, mbx_flat *board, int side, mbx_rng *rng)         \
    {                                                                                              \
        return call;                                                                               \
    }
FLAT_PLAYOUT(play_cells_3, play_cells(shape, board, side, rng, 16, 3, NULL))
FLAT_PLAYOUT(play_cells_4, play_cells(shape, board, side, rng, 64, 4, NULL))
FLAT_PLAYOUT(play_cells_5, play_cells(shape, board, side, rng, 64, 5, NULL))
FLAT_PLAYOUT(play_cells_any, play_cells(shape, board, side, rng, 64, shape->game->k, NULL))
FLAT_PLAYOUT(play_columns_4, play_columns(shape, board, side, rng, 8, 4, NULL))
FLAT_PLAYOUT(play_columns_any, play_columns(shape, board, side, rng, 64, shape->game->k, NULL))

/* The fastest one for the game. */
static flat_playout *choose_flat_playout(const mbx_board_shape *shape)
{
    const int k = shape->game->k;
    if (shape->game->gravity)
        return k == 4 && shape->game->n_moves <= 8 ? play_columns_4 : play_columns_any;
    if (k == 3)
        return shape->all < 1 << 16 ? play_cells_3 : play_cells_any;
    return k == 4 ? play_cells_4 : k == 5 ? play_cells_5 : play_cells_any;
}

MBX_INLINE int mbx_flat_playout(const mbx_board_shape *shape, mbx_flat *board, int side,
                                mbx_rng *rng, uint8_t **moves)
{
    if (!moves)
        return choose_flat_playout(shape)(shape, board, side, rng);
    return shape->game->gravity
               ? play_columns(shape, board, side, rng, 64, shape->game->k, moves)
               : play_cells(shape, board, side, rng, 64, shape->game->k, moves);
}

/* The n-th of the open moves, in so many words. */
MBX_INLINE int nth_open(const mbx_board_shape *shape, const mbx_rows *board, uint64_t n, int words)
{
    int word = 0;
    uint64_t before = 0, sum = 0;
    MBX_UNROLL
    for (int w = 0; w < words - 1; w++) { /* without branches: nobody could foretell them */
        sum += (uint64_t)mbx_count_ones(board->open[w]);
        word += n >= sum;
        before = n >= sum ? sum : before;
    }
    return word * 64 + mbx_nth_one(shape, board->open[word], n - before);
}

MBX_INLINE int play_rows(const mbx_board_shape *shape, mbx_rows *board, int side, mbx_rng *rng,
                         int words, int k, bool is_exact, bool gravity, uint8_t **moves)
{
    for (; board->left > 0; side ^= 1) {
        const uint64_t drawn = mbx_below(rng, (uint64_t)board->n_open);
        const int move = nth_open(shape, board, drawn, words);
        if (moves)
            *(*moves)++ = (uint8_t)move;
        if (mbx_rows_move(shape, board, move, k, is_exact, gravity))
            return side;
    }
    return MBX_DRAW;
}

typedef int rows_playout(const mbx_board_shape *shape, mbx_rows *board, int side, mbx_rng *rng);

#define ROWS_PLAYOUT(name, call)                                                                    \
    static int name(const mbx_board_shape *shape, mbx_rows *board, int side, mbx_rng *rng)         \
    {                                                                                              \
        return call;                                                                               \
    }
ROWS_PLAYOUT(play_space_4, play_rows(shape, board, side, rng, 1, 4, true, false, NULL))
ROWS_PLAYOUT(play_space_columns_4, play_rows(shape, board, side, rng, 1, 4, true, true, NULL))
ROWS_PLAYOUT(play_space_columns_5, play_rows(shape, board, side, rng, 1, 5, true, true, NULL))
ROWS_PLAYOUT(play_five, play_rows(shape, board, side, rng, 4, 5, false, false, NULL))
ROWS_PLAYOUT(play_rows_any, play_rows(shape, board, side, rng, 4, shape->game->k, false,
                                      shape->game->gravity, NULL))

static rows_playout *choose_rows_playout(const mbx_board_shape *shape)
{
    const mbx_game *game = shape->game;
    if (shape->is_exact && game->n_moves <= 64) {
        if (game->k == 4)
            return game->gravity ? play_space_columns_4 : play_space_4;
        if (game->k == 5 && game->gravity)
            return play_space_columns_5;
    }
    return game->k == 5 && !game->gravity ? play_five : play_rows_any;
}

MBX_INLINE int mbx_rows_playout(const mbx_board_shape *shape, mbx_rows *board, int side,
                                mbx_rng *rng, uint8_t **moves)
{
    if (!moves)
        return choose_rows_playout(shape)(shape, board, side, rng);
    return play_rows(shape, board, side, rng, 4, shape->game->k, false, shape->game->gravity, moves);
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

enum {
    POLL = 64,              /* simulations between looks at the flag */
    MOST_ROWS = 8           /* of a leaf's playouts under gravity: the units of the widest vectors */
};

/* The rewards where `times` playouts had the same outcome. */
MBX_INLINE void count_outcome(const search *s, int outcome, int times)
{
    double *rewards = s->mcts->last.rewards;
    const double n = times, draws = n * s->mcts->options.draw_value;
    rewards[0] = outcome == MBX_DRAW ? draws : outcome == MBX_FIRST ? n : 0;
    rewards[1] = outcome == MBX_DRAW ? draws : outcome == MBX_SECOND ? n : 0;
}

/* Adds the outcomes of the first `each` playouts of some rows; false where the flag was set. */
static bool count_rows(const search *s, const mbx_position *leaf, uint64_t first_row,
                       uint64_t n_rows, uint64_t each, mbx_seed seed, int64_t totals[MBX_OUTCOMES])
{
    mbx_position rows[MOST_ROWS] = {*leaf};
    int64_t counts[MOST_ROWS * MBX_MAX_CELLS][MBX_OUTCOMES];
    const size_t n_counts = (size_t)n_rows * (size_t)leaf->game->n_moves;
    memset(counts, 0, n_counts * sizeof *counts);
    for (uint64_t i = 1; i < n_rows; i++)
        rows[i] = *leaf;
    if (mbx_playout_counts(s->kernel, rows, (size_t)n_rows, seed, first_row, 0, each, s->cancel,
                           counts) != MBX_OK)
        return false;
    for (size_t i = 0; i < n_counts; i++)
        for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)
            totals[outcome] += counts[i][outcome];
    return true;
}

/* The outcomes of playouts by the kernel from the leaf at the end of the path; false where the flag
 * was set. */
static bool count_playouts(const search *s, mbx_seed seed, int64_t totals[MBX_OUTCOMES])
{
    mbx_mcts *mcts = s->mcts;
    const mbx_simulation *last = &mcts->last;
    mbx_position leaf = mcts->root;
    for (int i = 0; i < last->length; i++) {
        const mbx_step step = last->path[i];
        (void)mbx_position_push(&leaf, mbx_node_moves(step.node)[step.edge]);
    }
    const uint64_t n = (uint64_t)mcts->options.playouts;
    const uint64_t filled = (n + MBX_UNIT_LANES - 1) / MBX_UNIT_LANES;
    const uint64_t n_rows = !mcts->game->gravity ? 1 : filled < MOST_ROWS ? filled : MOST_ROWS;
    const uint64_t each = n / n_rows, more = n % n_rows;
    return count_rows(s, &leaf, 0, more, each + 1, seed, totals)
           && count_rows(s, &leaf, more, n_rows - more, each, seed, totals);
}

/* Many playouts from the leaf, with that side to move; false where the flag was set. */
static bool run_batch(const search *s, int side)
{
    mbx_mcts *mcts = s->mcts;
    mbx_simulation *last = &mcts->last;
    mbx_seed seed = {.low = mbx_rng_next(&mcts->rng)};
    seed.high = mbx_rng_next(&mcts->rng);
    int64_t totals[MBX_OUTCOMES] = {0};
    if (has_batches(mcts->shape) && mcts->options.playouts < MANY) {
        play_batch(s, seed, side, mcts->options.playouts, totals);
    } else if (!count_playouts(s, seed, totals)) {
        return false;
    }
    const double draws = (double)totals[MBX_DRAW] * mcts->options.draw_value;
    last->rewards[0] = (double)totals[MBX_FIRST] + draws;
    last->rewards[1] = (double)totals[MBX_SECOND] + draws;
    return true;
}

/* Adds the simulation's rewards to an edge of a node with so many lanes. */
MBX_INLINE void back_up_edge(const search *s, mbx_step step, size_t lanes, double reward)
{
    mbx_edge *edge = mbx_edges_of(step.node, lanes) + step.edge;
    edge->visits++;
    edge->sum += reward;
    mbx_refresh_ucb(step.node, lanes, step.edge, s->scale);
    if (s->mcts->options.solver && mbx_upper(mbx_node_bounds(step.node)[step.edge]) < 0)
        mbx_close_edge(step.node, lanes, step.edge);
}

/* Adds them to its path. */
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
        const size_t lanes = mbx_node_lanes(last->path[i].node);
        if (lanes == MBX_LANES)
            back_up_edge(s, last->path[i], MBX_LANES, rewards[side]);
        else
            back_up_edge(s, last->path[i], lanes, rewards[side]);
    }
    mcts->root_visits++;
}
