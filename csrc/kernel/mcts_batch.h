/* mcts_batch.h - a part of mcts_body.h: many playouts from one leaf of a flat board with gravity.
 *
 * A vector has a game in each of its 64-bit lanes, and some vectors are played side by side.  Every
 * game has a generator of its own, so it does not matter which lane plays which game, and a lane that
 * is done takes the next one.  docs/mcts.md, "Many playouts under gravity".
 *
 * `own` are the stones of the side to move, with bit 63 set after an odd number of moves; `mask` are
 * all stones, with bit 63 always set, so that own ^= mask turns the board around.
 */

/* Bits of a column's number. */
static int column_bits(const mbx_board_shape *shape)
{
    int bits = 1;
    while (1 << bits < shape->game->n_moves)
        bits++;
    return bits;
}

enum {
    GAME_VECTORS = 4,
    DRAWS = 6,              /* of a word, and between looks for lines */
    GAME_LANES = GAME_VECTORS * UNITS,
    MANY = 256              /* so many games are played faster as bits of registers */
};

static const uint64_t TURN_BIT = (uint64_t)1 << 63;

/* Games side by side; lanes of vectors as numbers. */
typedef union {
    word vectors[GAME_VECTORS];
    uint64_t lanes[GAME_LANES];
} lane_words;

typedef struct {
    lane_words own, mask, a, b, c, counter;
    lane_words alive;       /* all ones, or 0 */
} lane_games;

/* All ones where x is 0. */
MBX_INLINE word is_zero(word x)
{
#if UNITS > 1
    return (word)(x == (word){0});
#else
    return (word)0 - (x == 0);
#endif
}

MBX_INLINE bool is_nothing(word x)
{
#if UNITS > 1
    uint64_t any = 0;
    for (int u = 0; u < UNITS; u++)
        any |= x[u];
    return any == 0;
#else
    return x == 0;
#endif
}

/* A word of each lane's generator. */
MBX_INLINE word next_of_lanes(lane_games *games, int v)
{
    word *a = games->a.vectors + v, *b = games->b.vectors + v, *c = games->c.vectors + v;
    const word result = *a + *b + games->counter.vectors[v];
    games->counter.vectors[v] += 1;
    *a = *b ^ *b >> 11;
    *b = *c + (*c << 3);
    *c = word_rotate24(*c) + result;
    return result;
}

/* Plays one draw in each lane: no move where the draw is no column, or a full one. */
MBX_INLINE void play_draw(word *own, word *mask, word draw, uint64_t all, int stride)
{
    const word bit = ((word){0} + 1) << draw * (uint64_t)stride;
    const word cell = (*mask + bit) & ~*mask & all;
    *own ^= ~is_zero(cell) & *mask;
    *mask |= cell;
}

MBX_INLINE word lines_of_lanes(word stones, int step, int k)
{
    word run = stones;
    int length = 1;
    MBX_UNROLL
    for (; 2 * length <= k; length *= 2)
        run &= run >> length * step;
    return run & run >> (k - length) * step;
}

/* Not 0 where the stones have a line. */
MBX_INLINE word have_line(word stones, int stride, int k)
{
    stones &= ~TURN_BIT;
    return lines_of_lanes(stones, 1, k) | lines_of_lanes(stones, stride - 1, k)
           | lines_of_lanes(stones, stride, k) | lines_of_lanes(stones, stride + 1, k);
}

/* Who of both sides with lines had the first one: true for the side to move at the leaf. */
static bool first_line(uint64_t own, uint64_t mask, uint64_t draws, const mbx_board_shape *shape,
                       int bits)
{
    const uint64_t draw_mask = ((uint64_t)1 << bits) - 1;
    for (;; draws >>= bits) {
        const uint64_t bit = (draws & draw_mask) * (uint64_t)shape->stride;
        const uint64_t cell = bit < 64 ? (mask + ((uint64_t)1 << bit)) & ~mask & shape->all : 0;
        if (cell == 0)
            continue;
        const uint64_t mine = own | cell;
        if (mbx_flat_has_line(mine & ~TURN_BIT, shape->stride, shape->game->k))
            return !(own & TURN_BIT);
        own ^= mask;
        mask |= cell;
    }
}

/* Starts game `number` in a lane. */
MBX_INLINE void start_game(lane_games *games, int lane, const mbx_flat *leaf,
                           const mbx_block_key *key, int number)
{
    const mbx_rng rng = mbx_rng_of_block(key, number);
    games->own.lanes[lane] = leaf->mine;
    games->mask.lanes[lane] = leaf->mask | TURN_BIT;
    games->a.lanes[lane] = rng.a;
    games->b.lanes[lane] = rng.b;
    games->c.lanes[lane] = rng.c;
    games->counter.lanes[lane] = rng.counter;
}

/* Plays n games from the leaf; results[0] are won by its side to move, [1] by the other one. */
MBX_INLINE void play_lanes(const mbx_board_shape *shape, const mbx_flat *leaf,
                           const mbx_block_key *key, int n, int stride, int k,
                           int bits, int64_t results[2])
{
    const uint64_t all = shape->all, draw_mask = ((uint64_t)1 << bits) - 1;
    lane_games games = {0};
    int started = 0, n_alive = 0;
    for (; n_alive < GAME_LANES && started < n; n_alive++) {
        games.alive.lanes[n_alive] = ~(uint64_t)0;
        start_game(&games, n_alive, leaf, key, started++);
    }
    while (n_alive > 0)
        for (int v = 0; v < GAME_VECTORS; v++) {
            const word own_before = games.own.vectors[v], mask_before = games.mask.vectors[v];
            word own = own_before, mask = mask_before;
            const word drawn = next_of_lanes(&games, v);
            MBX_UNROLL
            for (int i = 0; i < DRAWS; i++)
                play_draw(&own, &mask, drawn >> i * bits & draw_mask, all, stride);
            union { word all; uint64_t lane[UNITS]; } mine, theirs, end, before[2], draws;
            mine.all = have_line(own, stride, k);
            theirs.all = have_line(own ^ mask, stride, k);
            end.all = ~(is_zero(mine.all | theirs.all) & ~is_zero((mask & all) ^ all))
                      & games.alive.vectors[v];
            games.own.vectors[v] = own;
            games.mask.vectors[v] = mask;
            if (is_nothing(end.all))
                continue;
            before[0].all = own_before;
            before[1].all = mask_before;
            draws.all = drawn;
            for (int u = 0; u < UNITS; u++) {
                if (!end.lane[u])
                    continue;
                const int lane = v * UNITS + u;
                const bool is_leafs = !(games.own.lanes[lane] & TURN_BIT); /* the side to move is */
                if (mine.lane[u] && theirs.lane[u])
                    results[!first_line(before[0].lane[u], before[1].lane[u], draws.lane[u], shape,
                                        bits)]++;
                else if (mine.lane[u] | theirs.lane[u])
                    results[(mine.lane[u] != 0) != is_leafs]++;
                if (started < n) {
                    start_game(&games, lane, leaf, key, started++);
                } else {
                    games.alive.lanes[lane] = 0;
                    n_alive--;
                }
            }
        }
}

/* With shifts that the compiler knows. */
static void play_columns_4_batch(const mbx_board_shape *shape, const mbx_flat *leaf,
                                 const mbx_block_key *key, int n, int64_t results[2])
{
    play_lanes(shape, leaf, key, n, 7, 4, 3, results);
}

static void play_columns_batch(const mbx_board_shape *shape, const mbx_flat *leaf,
                               const mbx_block_key *key, int n, int64_t results[2])
{
    play_lanes(shape, leaf, key, n, shape->stride, shape->game->k, column_bits(shape), results);
}

/* Do vector shifts suffice for the game's draws and lines? */
static bool has_batches(const mbx_board_shape *shape)
{
    const mbx_game *game = shape->game;
    return shape->kind == MBX_FLAT && game->gravity && (game->k - 1) * (shape->stride + 1) < 64
           && ((1 << column_bits(shape)) - 1) * shape->stride < 63;
}

/* Adds the outcomes of n games from the leaf on the search's board. */
static void play_batch(const search *s, const mbx_seed seed, int side, int n, int64_t *totals)
{
    const mbx_board_shape *shape = s->mcts->shape;
    const mbx_block_key key = mbx_key_of_block(seed, 0, 0);
    const bool is_common = shape->game->k == 4 && shape->stride == 7 && column_bits(shape) == 3;
    int64_t results[2] = {0, 0};
    (is_common ? play_columns_4_batch : play_columns_batch)(shape, s->mcts->board, &key, n, results);
    totals[side] = results[0];
    totals[1 - side] = results[1];
    totals[MBX_DRAW] = n - results[0] - results[1];
}
