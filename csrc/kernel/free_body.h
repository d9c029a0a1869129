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
 * VEC_LOOKUP: a table of 16 bytes can be looked up by one instruction, vec_lookup.
 * Start reading at play_free.
 */
#include "kernel.h"

#include "rows.h"

#include <string.h>

enum { VECTORS = MBX_BATCH / LANES };

/* Up to so many slots games are counted by masks, beyond one by one. */
enum { MASKED_SLOTS = LANES < 32 ? 9 : LANES / 2 };

/* SFC64 generators: each drives the eight bytes of its own 64 bits. */
typedef struct {
    vec a, b, c, counter;
} lane_generators;

MBX_INLINE vec next_vec(lane_generators *g)
{
    const vec result = vec_add64(vec_add64(g->a, g->b), g->counter);
    g->counter = vec_next64(g->counter);
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
                            vec_below16(vec_low16(words[1], factor), limit)))) {
        lane_generators in_memory = *g; /* so that *g itself can stay in registers */
        redraw(&in_memory, words, product, rejected);
        *g = in_memory;
    }
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

/* The places of the second and third slot: the digit d, below 6, is d / 2 and d mod 2. */
MBX_INLINE void split_digit(vec d, vec *places)
{
    const vec from_2 = vec_subtract(vec_grow(d, vec_splat(2)), d);
    const vec from_4 = vec_subtract(vec_grow(d, vec_splat(4)), d);
    places[2] = vec_add(from_2, from_4);
    places[1] = vec_subtract(vec_subtract(d, places[2]), places[2]);
}

/* Draws the place of every slot among those before it. */
MBX_INLINE void draw_places(lane_generators *g, int n_slots, const mbx_draw_group *groups,
                            int n_groups, vec *places)
{
    lane_generators generators = *g;
    int slot = n_slots < 3 ? 1 : 2;
    places[0] = places[1] = places[2] = vec_splat(0);
    for (int i = 0; i < n_groups; i++) {
        vec words[2];
        draw_words(&generators, groups[i].product, groups[i].rejected, words);
        for (int j = 0; j < groups[i].n_factors; j++)
            places[slot++] = take_digit(words, groups[i].factors[j]);
    }
    *g = generators;
    if (n_slots >= 3)
        split_digit(places[2], places);
}

/* Insertion, TILE slots at a time: a slot's time depends on its own and all later places alone.  Both
 * arrays have room for a last tile that is not full; no time grows by the place NOWHERE. */
enum { TILE = 8, MAX_TILED_SLOTS = MBX_INSERTION_SLOTS + TILE, NOWHERE = 127 };

MBX_INLINE void insert(int n_slots, vec *places, vec *times)
{
    for (int i = 0; i < TILE - 1; i++)
        places[n_slots + i] = vec_splat(NOWHERE);
    for (int from = 0; from < n_slots; from += TILE) {
        vec tile[TILE];
        MBX_UNROLL
        for (int i = 0; i < TILE; i++) {
            tile[i] = places[from + i];
            MBX_UNROLL
            for (int j = 0; j < i; j++)
                tile[j] = vec_grow(tile[j], tile[i]);
        }
        for (int i = from + TILE; i < n_slots; i++) {
            const vec place = places[i];
            MBX_UNROLL
            for (int j = 0; j < TILE; j++)
                tile[j] = vec_grow(tile[j], place);
        }
        MBX_UNROLL
        for (int i = 0; i < TILE; i++)
            times[from + i] = tile[i];
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
        times[i] = vec_xor(times[i], vec_subtract(vec_splat(0), vec_and(times[i], vec_splat(1))));
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
    uint64_t first[MASKED_SLOTS], even, draw;
} batch_masks;

MBX_INLINE void clear_masks(batch_masks *masks, int n_slots)
{
    masks->even = masks->draw = 0;
    for (int slot = 0; slot < n_slots && slot < MASKED_SLOTS; slot++)
        masks->first[slot] = 0;
}

/* Takes in vector v.  A game begins in a slot where its time is 0, or, of sets (free_square.h), where
 * the top bit is set. */
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

/* Counts the games of `played` by the slots of their first stones. */
static void count_by_slot(tally *t, const uint8_t first[LANES], endings end, uint64_t played,
                          sides side)
{
    const vec winner = vec_select(end.even, vec_splat(side.even), vec_splat(side.odd));
    uint8_t outcome[LANES];
    vec_store(outcome, vec_select(end.draw, vec_splat(MBX_DRAW), winner));
    for (int lane = 0; lane < LANES; lane++)
        t->games[first[lane]][outcome[lane]] += (uint32_t)(played >> lane & 1);
}

static void count_one_by_one(tally *t, int n_slots, const vec *times, endings end,
                             uint64_t played, sides side)
{
    uint8_t first[LANES];
    vec slots = vec_splat(0);
    for (int slot = 1; slot < n_slots; slot++)
        slots = vec_or(slots, vec_and(vec_equal(times[slot], vec_splat(0)), vec_splat(slot)));
    vec_store(first, slots);
    count_by_slot(t, first, end, played, side);
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

/* Plays a block in orders made by insertion. */
static void play_by_insertion(const mbx_free_plan *plan, const mbx_block_key *key, int begin,
                              int end, tally *t)
{
    const int n_slots = plan->n_slots;
    const sides side = {plan->turn, !plan->turn};
    lane_generators generators[VECTORS];
    start_generators(key, generators);
    for (int from = 0; from < end; from += MBX_BATCH) {
        const uint64_t played = games_within(from, begin, end);
        batch_masks masks;
        clear_masks(&masks, n_slots);
        for (int v = 0; v < VECTORS; v++) {
            vec places[MAX_TILED_SLOTS], times[MAX_TILED_SLOTS];
            draw_places(&generators[v], n_slots, plan->groups, plan->n_groups, places);
            insert(n_slots, places, times);
            encode(n_slots, times);
            const endings ended = endings_of(lines_of_plan(plan, times));
            if (n_slots <= MASKED_SLOTS)
                collect_masks(&masks, n_slots, times, false, ended, v);
            else
                count_one_by_one(t, n_slots, times, ended, played >> v * LANES, side);
        }
        if (n_slots <= MASKED_SLOTS)
            count_masks(t, n_slots, &masks, played, side);
    }
}

#include "free_large.h"

#include "free_square.h"

static void play_free(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                      int64_t (*counts)[MBX_OUTCOMES])
{
    tally t;
    memset(t.games, 0, (size_t)plan->n_slots * sizeof *t.games);
    if (plan->n_slots > MBX_INSERTION_SLOTS)
        play_in_stages(plan, key, begin, end, &t);
    else if (plan->is_empty_square && plan->width == 3 && plan->k == 3)
        play_3x3(plan, key, begin, end, &t);
    else if (plan->is_empty_square && plan->width == 4 && plan->k == 4)
        play_4x4(plan, key, begin, end, &t);
    else
        play_by_insertion(plan, key, begin, end, &t);
    add_tally(plan, &t, counts);
}
