/* free_body.h - playouts without gravity: one source, compiled for every instruction set.
 *
 * Random play is a random order of the empty cells, cut off at the first completed line.  LANES games
 * are played in lockstep, one in every byte of a vector; the vector of a slot holds its time:
 *
 *     game        0  1  2  3 ...
 *     times[0]    2  0  1  4           game 1 begins in slot 0, game 0 fills it third
 *     times[1]    0  3  2  1
 *
 * The order is made by insertion: slot i goes to a random place r among the slots before it, whose
 * times from r on grow by one.  A line is complete at the largest of its times, if they are all even
 * (the side to move) or all odd.  Both are seen at once when odd times are written as 255 - time:
 * the maximum over a line is below 128 if all are even, the minimum is above 127 if all are odd, and
 * over all lines the least maximum is the even side's first line, the greatest minimum the odd one's.
 * docs/stream.md defines what is drawn.
 *
 * The including file defines `vec`, LANES and the functions vec_...: see vector_portable.h.
 * Start reading at play_free.
 */
#include "kernel.h"

#include "rows.h"

#include <string.h>

enum { VECTORS = MBX_BATCH / LANES, NEVER = 127 };

/* Up to so many slots games are counted by masks, beyond one by one. */
#if defined(MBX_COUNTS_ONES)
enum { MASKED_SLOTS = LANES / 2 };
#else
enum { MASKED_SLOTS = 0 };
#endif

/* SFC64 generators: each drives the eight bytes of its own 64 bits. */
typedef struct {
    vec a, b, c, counter;
} lane_generators;

MBX_INLINE vec next_vec(lane_generators *g)
{
    const vec result = vec_add64(vec_add64(g->a, g->b), g->counter);
    g->counter = vec_add64(g->counter, vec_one64());
    g->a = vec_xor(g->b, vec_right11(g->b));
    g->b = vec_add64(g->c, vec_left3(g->c));
    g->c = vec_add64(vec_rotate24(g->c), result);
    return result;
}

static void start_generators(const mbx_block_key *key, lane_generators g[VECTORS])
{
    uint64_t state[4][MBX_BATCH / 8];
    for (int i = 0; i < MBX_BATCH / 8; i++) {
        const mbx_rng rng = mbx_rng_of_block(key, i);
        state[0][i] = rng.a;
        state[1][i] = rng.b;
        state[2][i] = rng.c;
        state[3][i] = rng.counter;
    }
    for (int v = 0; v < VECTORS; v++)
        g[v] = (lane_generators){vec_load(&state[0][v * LANES / 8]),
                                 vec_load(&state[1][v * LANES / 8]),
                                 vec_load(&state[2][v * LANES / 8]),
                                 vec_load(&state[3][v * LANES / 8])};
}

/* Replaces the rejected words of those groups that have any. */
MBX_NO_INLINE void redraw(lane_generators *g, vec words[2], unsigned product, unsigned rejected)
{
    uint64_t a[LANES / 8], b[LANES / 8], c[LANES / 8], counter[LANES / 8];
    uint16_t word[2][LANES / 2];
    vec_store(a, g->a);
    vec_store(b, g->b);
    vec_store(c, g->c);
    vec_store(counter, g->counter);
    vec_store(word[0], words[0]);
    vec_store(word[1], words[1]);
    for (int group = 0; group < LANES / MBX_GROUP; group++) {
        mbx_rng pair[2];
        for (int i = 0; i < 2; i++)
            pair[i] = (mbx_rng){a[2 * group + i], b[2 * group + i], c[2 * group + i],
                                counter[2 * group + i]};
        for (bool again = true; again;) {
            bool is_rejected[2][8];
            again = false;
            for (int i = 0; i < 16; i++) {
                const unsigned w = word[i / 8][group * 8 + i % 8];
                is_rejected[i / 8][i % 8] = (w * product & 0xFFFF) < rejected;
                again |= is_rejected[i / 8][i % 8];
            }
            for (int i = 0; again && i < 4; i++) {
                const uint64_t fresh = mbx_rng_next(&pair[i % 2]);
                for (int j = 0; j < 4; j++)
                    if (is_rejected[i / 2][i % 2 * 4 + j])
                        word[i / 2][group * 8 + i % 2 * 4 + j] = (uint16_t)(fresh >> 16 * j);
            }
        }
        for (int i = 0; i < 2; i++) {
            a[2 * group + i] = pair[i].a;
            b[2 * group + i] = pair[i].b;
            c[2 * group + i] = pair[i].c;
            counter[2 * group + i] = pair[i].counter;
        }
    }
    *g = (lane_generators){vec_load(a), vec_load(b), vec_load(c), vec_load(counter)};
    words[0] = vec_load(word[0]);
    words[1] = vec_load(word[1]);
}

/* A word for every lane from which digits with this product can be taken. */
MBX_INLINE void draw_words(lane_generators *g, unsigned product, unsigned rejected, vec words[2])
{
    words[0] = next_vec(g);
    words[1] = next_vec(g);
    if (rejected == 0)
        return;
    const vec factor = vec_splat16((int)product), limit = vec_splat16((int)rejected);
    if (!vec_is_zero(vec_or(vec_below16(vec_low16(words[0], factor), limit),
                            vec_below16(vec_low16(words[1], factor), limit))))
        redraw(g, words, product, rejected);
}

/* The next digit, below `factor`. */
MBX_INLINE vec take_digit(vec words[2], int factor)
{
    const vec f = vec_splat16(factor);
    const vec digit = vec_pack16(vec_high16(words[0], f), vec_high16(words[1], f));
    words[0] = vec_low16(words[0], f);
    words[1] = vec_low16(words[1], f);
    return digit;
}

/* Tables for single bytes of small range. */
static const uint8_t LOW_PLACE[16] = {0, 1, 0, 1, 0, 1}, HIGH_PLACE[16] = {0, 0, 1, 1, 2, 2};
static const uint8_t IS_ODD[16] = {0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255};

/* Draws the place of every slot among those before it. */
MBX_INLINE void draw_places(lane_generators *g, int n_slots, const mbx_draw_group *groups,
                            int n_groups, vec *places)
{
    int slot = n_slots < 3 ? 1 : 2;
    places[0] = places[1] = places[2] = vec_splat(0);
    for (int i = 0; i < n_groups; i++) {
        vec words[2];
        draw_words(g, groups[i].product, groups[i].rejected, words);
        for (int j = 0; j < groups[i].n_factors; j++)
            places[slot++] = take_digit(words, groups[i].factors[j]);
    }
    if (n_slots >= 3) {
        const vec order = places[2];
        places[1] = vec_lookup(LOW_PLACE, order);
        places[2] = vec_lookup(HIGH_PLACE, order);
    }
}

/* Insertion, TILE slots at a time: a slot's time depends on its own and all later places alone. */
enum { TILE = 8 };

MBX_INLINE void insert(int n_slots, const vec *places, vec *times)
{
    for (int from = 0; from < n_slots; from += TILE) {
        const int size = n_slots - from < TILE ? n_slots - from : TILE;
        vec tile[TILE];
        for (int i = 0; i < TILE; i++) {
            tile[i] = places[from + (i < size ? i : 0)];
            for (int j = 0; j < i; j++)
                if (i < size)
                    tile[j] = vec_grow(tile[j], tile[i]);
        }
        for (int i = from + TILE; i < n_slots; i++) {
            const vec place = places[i];
            for (int j = 0; j < TILE; j++)
                tile[j] = vec_grow(tile[j], place);
        }
        for (int i = 0; i < TILE; i++)
            if (i < size)
                times[from + i] = tile[i];
    }
}

/* The same for few slots, each inserted as soon as its place is drawn. */
static const uint8_t FIRST_OF_3[16] = {2, 1, 2, 0, 1, 0}, SECOND_OF_3[16] = {1, 2, 0, 2, 0, 1};

MBX_INLINE void draw_order(lane_generators *g, const mbx_draw_group *groups, int n_groups, vec *times)
{
    int slot = 0;
    for (int i = 0; i < n_groups; i++) {
        vec words[2];
        draw_words(g, groups[i].product, groups[i].rejected, words);
        for (int j = 0; j < groups[i].n_factors; j++) {
            const vec place = take_digit(words, groups[i].factors[j]);
            if (slot == 0) {
                times[0] = vec_lookup(FIRST_OF_3, place);
                times[1] = vec_lookup(SECOND_OF_3, place);
                times[2] = vec_lookup(HIGH_PLACE, place);
                slot = 3;
                continue;
            }
            for (int before = 0; before < slot; before++)
                times[before] = vec_grow(times[before], place);
            times[slot++] = place;
        }
    }
}

/* How the games of one vector ended, as bytes of 0 or 255: won by the side to move, drawn. */
typedef struct {
    vec even, draw;
} endings;

/* The first lines seen so far: of the even side as the least maximum, of the odd one as the greatest
 * minimum of encoded times. */
typedef struct {
    vec even, odd;
} first_lines;

MBX_INLINE first_lines no_lines(void)
{
    return (first_lines){vec_splat(255), vec_splat(0)};
}

MBX_INLINE endings endings_of(first_lines first)
{
    const vec odd = vec_xor(first.odd, vec_splat(255)), sooner = vec_min(first.even, odd);
    const vec draw = vec_equal(vec_max(sooner, vec_splat(128)), sooner);
    return (endings){vec_and_not(vec_equal(sooner, first.even), draw), draw};
}

MBX_INLINE void encode(int n_slots, vec *times)
{
    for (int i = 0; i < n_slots; i++)
        times[i] = vec_xor(times[i], vec_lookup(IS_ODD, vec_and(times[i], vec_splat(15))));
}

/* Looks at the lines of the plan. */
static first_lines lines_of_plan(const mbx_free_plan *plan, const vec *times)
{
    first_lines first = no_lines();
    const uint8_t *line = plan->lines[MBX_EITHER];
    for (int i = 0; i < plan->n_lines[MBX_EITHER]; i++, line += plan->k + 1) {
        vec most = times[line[1]], least = most;
        for (int j = 2; j <= plan->k; j++) {
            most = vec_max(most, times[line[j]]);
            least = vec_min(least, times[line[j]]);
        }
        first.even = vec_min(first.even, most);
        first.odd = vec_max(first.odd, least);
    }
    line = plan->lines[MBX_EVEN];
    for (int i = 0; i < plan->n_lines[MBX_EVEN]; i++, line += plan->k + 1) {
        vec most = times[line[1]];
        for (int j = 2; j <= line[0]; j++)
            most = vec_max(most, times[line[j]]);
        first.even = vec_min(first.even, most);
    }
    line = plan->lines[MBX_ODD];
    for (int i = 0; i < plan->n_lines[MBX_ODD]; i++, line += plan->k + 1) {
        vec least = times[line[1]];
        for (int j = 2; j <= line[0]; j++)
            least = vec_min(least, times[line[j]]);
        first.odd = vec_max(first.odd, least);
    }
    return first;
}

/* On an empty square board that the compiler knows, the lines need no list. */
#define EACH_ROW_OF_SQUARE(width)                   \
    MBX_UNROLL                                      \
    for (int d = 0; d < 4; d++)                     \
        MBX_UNROLL                                  \
        for (int x = 0; x < (width); x++)           \
            MBX_UNROLL                              \
            for (int h = 0; h < (width); h++)

MBX_INLINE first_lines lines_of_square(int width, int k, const vec *times)
{
    first_lines first = no_lines();
    EACH_ROW_OF_SQUARE(width) {
        const mbx_cell_row row = mbx_row_from(width, 1, width, d, x, 0, h);
        for (int i = 0; i <= row.length - k; i++) {
            const vec *line = times + row.start + i * row.stride;
            vec most = line[0], least = most;
            for (int j = 1; j < k; j++) {
                most = vec_max(most, line[j * row.stride]);
                least = vec_min(least, line[j * row.stride]);
            }
            first.even = vec_min(first.even, most);
            first.odd = vec_max(first.odd, least);
        }
    }
    return first;
}

/* The same where only the last seven times can complete a line.  Then a slot's time becomes a set of
 * bits, bit i for the i-th of these times: by then the slot is filled, and by the side that places
 * the stone of that time.  A line is the AND of its slots, and the lowest bit over all lines tells
 * who was first.  Bit 7 marks the first stone of all. */
enum { LAST_TIMES = 7 };

MBX_INLINE void times_to_sets(int n_slots, vec *times)
{
    uint8_t sets[16] = {0x80};
    for (int time = 0; time < n_slots; time++)
        for (int i = 0; i < LAST_TIMES; i++) {
            const int then = n_slots - LAST_TIMES + i;
            if (time <= then && (then - time) % 2 == 0)
                sets[time] |= (uint8_t)(1 << i);
        }
    for (int i = 0; i < n_slots; i++)
        times[i] = vec_lookup(sets, times[i]);
}

MBX_INLINE endings endings_of_sets(int width, int k, const vec *sets)
{
    vec lines = vec_splat(0);
    EACH_ROW_OF_SQUARE(width) {
        const mbx_cell_row row = mbx_row_from(width, 1, width, d, x, 0, h);
        for (int i = 0; i <= row.length - k; i++) {
            const vec *line = sets + row.start + i * row.stride;
            vec all = line[0];
            for (int j = 1; j < k; j++)
                all = vec_and(all, line[j * row.stride]);
            lines = vec_or(lines, all);
        }
    }
    const vec none = vec_splat(0);
    const vec even_times = vec_splat((width * width - LAST_TIMES) % 2 ? 0x2A : 0x55);
    const vec lowest = vec_and(lines, vec_subtract(none, lines));
    const vec draw = vec_equal(lines, none);
    const vec not_even = vec_equal(vec_and(lowest, even_times), none);
    return (endings){vec_xor(not_even, vec_splat(255)), draw};
}

/* Adds up the games of one block by first slot and outcome. */
typedef struct {
    uint32_t games[MBX_MAX_CELLS][MBX_OUTCOMES];
} tally;

/* The outcomes of the sides that move at even and at odd times. */
typedef struct {
    int even, odd;
} sides;

/* The games of a batch as masks: where their first stones are, and how they ended. */
typedef struct {
    uint64_t first[LANES], even, draw;
} batch_masks;

MBX_INLINE void collect_masks(batch_masks *masks, int n_slots, const vec *times, bool is_set,
                              endings end, int v)
{
    const int shift = v * LANES;
    masks->even |= vec_mask(end.even) << shift;
    masks->draw |= vec_mask(end.draw) << shift;
    for (int slot = 0; slot < n_slots; slot++) {
        const vec starts = is_set ? times[slot] : vec_equal(times[slot], vec_splat(0));
        masks->first[slot] |= vec_mask(starts) << shift;
    }
}

/* Counts the games of `played`. */
MBX_INLINE void count_masks(tally *t, int n_slots, const batch_masks *masks, uint64_t played,
                            sides side)
{
    const uint64_t even = masks->even & played, draw = masks->draw & played;
    for (int slot = 0; slot < n_slots; slot++) {
        const uint32_t all = (uint32_t)mbx_count_ones(masks->first[slot] & played);
        const uint32_t evens = (uint32_t)mbx_count_ones(masks->first[slot] & even);
        const uint32_t draws = (uint32_t)mbx_count_ones(masks->first[slot] & draw);
        t->games[slot][side.even] += evens;
        t->games[slot][side.odd] += all - evens - draws;
        t->games[slot][MBX_DRAW] += draws;
    }
}

/* Counts the games `played` one by one; first: the slots of their first stones. */
static void count_one_by_one(tally *t, const uint8_t first[LANES], endings end, uint64_t played,
                             sides side)
{
    uint8_t even[LANES], draw[LANES];
    vec_store(even, end.even);
    vec_store(draw, end.draw);
    for (int lane = 0; lane < LANES; lane++) {
        const int outcome = draw[lane] ? MBX_DRAW : even[lane] ? side.even : side.odd;
        t->games[first[lane]][outcome] += (uint32_t)(played >> lane & 1);
    }
}

/* The slots of first stones, for counting one by one. */
static void find_first(int n_slots, const vec *times, uint8_t first[LANES])
{
    vec slots = vec_splat(0);
    for (int slot = 1; slot < n_slots; slot++)
        slots = vec_or(slots, vec_and(vec_equal(times[slot], vec_splat(0)), vec_splat(slot)));
    vec_store(first, slots);
}

/* The games of a batch, the first of which is `from`, that are in [begin, end). */
MBX_INLINE uint64_t games_within(int from, int begin, int end)
{
    uint64_t games = ~(uint64_t)0;
    if (end - from < MBX_BATCH)
        games &= ((uint64_t)1 << (end - from)) - 1;
    if (begin > from)
        games &= begin - from < MBX_BATCH ? ~(uint64_t)0 << (begin - from) : 0;
    return games;
}

static void add_tally(const mbx_free_plan *plan, const tally *t, int64_t (*counts)[MBX_OUTCOMES])
{
    for (int slot = 0; slot < plan->n_slots; slot++)
        for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)
            counts[plan->slot_cell[slot]][outcome] += t->games[slot][outcome];
}

typedef enum { LINES_OF_PLAN, LINES_OF_SQUARE, SETS_OF_SQUARE } line_test;

/* Plays a block in orders made by insertion. */
MBX_INLINE void play_inserted(const mbx_free_plan *plan, const mbx_block_key *key, int begin,
                              int end, int n_slots, const mbx_draw_group *groups, int n_groups,
                              line_test test, int width, int k, tally *t)
{
    const sides side = {plan->turn, !plan->turn};
    lane_generators generators[VECTORS];
    start_generators(key, generators);
    for (int from = 0; from < end; from += MBX_BATCH) {
        const uint64_t played = games_within(from, begin, end);
        batch_masks masks = {.even = 0};
        for (int v = 0; v < VECTORS; v++) {
            vec places[MBX_INSERTION_SLOTS], times[MBX_INSERTION_SLOTS];
            endings ended;
            if (test == LINES_OF_PLAN) {
                draw_places(&generators[v], n_slots, groups, n_groups, places);
                insert(n_slots, places, times);
            } else
                draw_order(&generators[v], groups, n_groups, times);
            if (test == SETS_OF_SQUARE) {
                times_to_sets(n_slots, times);
                ended = endings_of_sets(width, k, times);
            } else {
                encode(n_slots, times);
                ended = endings_of(test == LINES_OF_SQUARE ? lines_of_square(width, k, times)
                                                           : lines_of_plan(plan, times));
            }
            if (n_slots <= MASKED_SLOTS)
                collect_masks(&masks, n_slots, times, test == SETS_OF_SQUARE, ended, v);
            else {
                uint8_t first[LANES];
                find_first(n_slots, times, first);
                count_one_by_one(t, first, ended, played >> v * LANES, side);
            }
        }
        if (n_slots <= MASKED_SLOTS)
            count_masks(t, n_slots, &masks, played, side);
    }
}

/* The groups of draws of boards that the compiler knows; mbx_group_draws makes the same. */
static const mbx_draw_group GROUPS_OF_9[] = {
    {5040, 16, 5, {6, 4, 5, 6, 7}}, {72, 16, 2, {8, 9}},
};
static const mbx_draw_group GROUPS_OF_16[] = {
    {5040, 16, 5, {6, 4, 5, 6, 7}}, {720, 16, 3, {8, 9, 10}}, {11, 9, 1, {11}},
    {32760, 16, 4, {12, 13, 14, 15}}, {16, 0, 1, {16}},
};

static void play_3x3(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                     tally *t)
{
    play_inserted(plan, key, begin, end, 9, GROUPS_OF_9, 2, SETS_OF_SQUARE, 3, 3, t);
}

static void play_4x4(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                     tally *t)
{
    play_inserted(plan, key, begin, end, 16, GROUPS_OF_16, 5, LINES_OF_SQUARE, 4, 4, t);
}

static void play_any(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                     tally *t)
{
    play_inserted(plan, key, begin, end, plan->n_slots, plan->groups, plan->n_groups,
                  LINES_OF_PLAN, 0, 0, t);
}

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
    for (int time = from; time < to; time++) {
        const unsigned left = (unsigned)(n_slots - time);
        vec words[2], rank = vec_splat(0);
        if (left > 1) {
            draw_words(g, left, 65536 % left, words);
            rank = take_digit(words, (int)left);
        }
        vec_store(games->ranks[time], rank);
    }
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
static endings play_stages(const mbx_free_plan *plan, lane_generators *g, large_games *games)
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

static void play_large(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                       tally *t)
{
    const sides side = {plan->turn, !plan->turn};
    lane_generators generators[VECTORS];
    large_games games;
    start_generators(key, generators);
    for (int from = 0; from < end; from += MBX_BATCH)
        for (int v = 0; v < VECTORS && from + v * LANES < end; v++) {
            const endings ended = play_stages(plan, &generators[v], &games);
            count_one_by_one(t, games.ranks[0], ended,
                             games_within(from, begin, end) >> v * LANES, side);
        }
}

static void play_free(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                      int64_t (*counts)[MBX_OUTCOMES])
{
    tally t;
    memset(t.games, 0, (size_t)plan->n_slots * sizeof *t.games);
    if (plan->n_slots > MBX_INSERTION_SLOTS)
        play_large(plan, key, begin, end, &t);
    else if (plan->is_empty_square && plan->width == 3 && plan->k == 3)
        play_3x3(plan, key, begin, end, &t);
    else if (plan->is_empty_square && plan->width == 4 && plan->k == 4)
        play_4x4(plan, key, begin, end, &t);
    else
        play_any(plan, key, begin, end, &t);
    add_tally(plan, &t, counts);
}
