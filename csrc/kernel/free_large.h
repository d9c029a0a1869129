/* free_large.h - playouts on more slots than insertion serves: the order is drawn slot by slot, in
 * stages, and only as far as a group of games needs it (part of free_body.h).
 *
 * Times are halved when they are encoded, so that 255 slots fit: time / 2 at even times,
 * 255 - time / 2 at odd ones.
 */
enum { NEVER = 127 }; /* the time of an empty slot, later than any that completes a line */

/* The games of one vector on a large board, drawn slot by slot. */
typedef struct {
    vec times[MBX_MAX_CELLS];                   /* encoded, halved; NEVER in an empty slot */
    uint8_t ranks[MBX_MAX_CELLS + 1][LANES];    /* by time: the rank drawn among the slots left */
    uint8_t slots_left[LANES][MBX_MAX_CELLS + 1];
    uint8_t is_over[LANES];                     /* 255 once the game is decided */
} large_games;

/* Draws the ranks of the times [from, to). */
static void draw_ranks(lane_generators *g, int n_slots, int from, int to, large_games *games)
{
    lane_generators generators = *g;
    for (int time = from; time < to; time++) {
        const unsigned left = (unsigned)(n_slots - time);
        vec words[2], rank = vec_splat(0);
        if (left > 1) {
            draw_words(&generators, left, 65536 % left, words);
            rank = take_digit(words, (int)left);
        }
        vec_store(games->ranks[time], rank);
    }
    *g = generators;
}

/* Fills the slots of the times [from, to) in PARALLEL games, whose chains of loads and stores do not
 * wait for each other. */
enum { PARALLEL = 4 };

static void fill_slots(int n_slots, int from, int to, int lane, large_games *games)
{
    uint8_t (*slots)[MBX_MAX_CELLS + 1] = games->slots_left + lane;
    uint8_t *times = (uint8_t *)games->times + lane;
    for (int time = from; time < to; time++) {
        const uint8_t encoded = (uint8_t)(time % 2 ? 255 - time / 2 : time / 2);
        const uint8_t *rank = games->ranks[time] + lane;
        for (int i = 0; i < PARALLEL; i++) {
            const uint8_t slot = slots[i][rank[i]];
            slots[i][rank[i]] = slots[i][n_slots - 1 - time];
            times[slot * LANES + i] = encoded;
        }
    }
}

/* Plays the games of one vector, stage by stage until all of a group's games are decided. */
static endings play_vector(const mbx_free_plan *plan, lane_generators *g, large_games *games)
{
    const int n_slots = plan->n_slots;
    endings ended;
    for (int slot = 0; slot < n_slots; slot++)
        games->times[slot] = vec_splat(NEVER);
    for (int i = 0; i < n_slots; i++)
        games->slots_left[0][i] = (uint8_t)i;
    for (int lane = 1; lane < LANES; lane++)
        memcpy(games->slots_left[lane], games->slots_left[0], (size_t)n_slots);
    memset(games->is_over, 0, LANES);
    for (int from = 0, to = plan->stage;; from = to, to += plan->later_stage) {
        uint8_t draws_on[LANES]; /* 255 in groups with a game that is not decided */
        int left = 0;
        if (to > n_slots)
            to = n_slots;
        for (int lane = 0; lane < LANES; lane += MBX_GROUP) {
            const bool is_over = memchr(games->is_over + lane, 0, MBX_GROUP) == NULL;
            memset(draws_on + lane, is_over ? 0 : 255, MBX_GROUP);
            left += !is_over;
        }
        if (left == 0 || from == n_slots)
            return ended;
        const lane_generators before = *g;
        const vec on = vec_load(draws_on);
        draw_ranks(g, n_slots, from, to, games);
        g->a = vec_select(on, g->a, before.a);
        g->b = vec_select(on, g->b, before.b);
        g->c = vec_select(on, g->c, before.c);
        g->counter = vec_select(on, g->counter, before.counter);
        for (int lane = 0; lane < LANES; lane += PARALLEL)
            if (memchr(games->is_over + lane, 0, PARALLEL) != NULL)
                fill_slots(n_slots, from, to, lane, games);
        first_lines first = lines_of_plan(plan, games->times);
        if (to < n_slots) /* a line with an empty slot */
            first.even = vec_or(first.even, vec_equal(first.even, vec_splat(NEVER)));
        ended = endings_of(first);
        vec_store(games->is_over, vec_xor(ended.draw, vec_splat(255)));
    }
}

static void play_in_stages(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                           tally *t)
{
    const sides side = {plan->turn, !plan->turn};
    lane_generators generators[VECTORS];
    large_games games;
    start_generators(key, generators);
    for (int from = 0; from < end; from += MBX_BATCH)
        for (int v = 0; v < VECTORS && from + v * LANES < end; v++) {
            const endings ended = play_vector(plan, &generators[v], &games);
            count_by_slot(t, games.ranks[0], ended,
                          games_within(from, begin, end) >> v * LANES, side);
        }
}
