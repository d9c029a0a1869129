/* free_square.h - playouts from small empty square boards, whose lines the compiler knows (part of
 * free_body.h): no list and no loop is left, and the times stay in registers.
 */
enum { MAX_SQUARE = 16 };

#ifdef VEC_LOOKUP
enum { HAS_SETS = true };
#else
enum { HAS_SETS = false };
#endif

/* The times of the first three slots, from the digit that orders them. */
#ifdef VEC_LOOKUP
static const uint8_t FIRST_OF_3[16] = {2, 1, 2, 0, 1, 0};
static const uint8_t SECOND_OF_3[16] = {1, 2, 0, 2, 0, 1};
static const uint8_t THIRD_OF_3[16] = {0, 0, 1, 1, 2, 2};

MBX_INLINE void order_three(vec digit, vec *times)
{
    times[0] = vec_lookup(FIRST_OF_3, digit);
    times[1] = vec_lookup(SECOND_OF_3, digit);
    times[2] = vec_lookup(THIRD_OF_3, digit);
}
#else
MBX_INLINE void order_three(vec digit, vec *times)
{
    vec places[3];
    split_digit(digit, places);
    times[0] = vec_grow(vec_subtract(vec_splat(1), places[1]), places[2]);
    times[1] = vec_grow(places[1], places[2]);
    times[2] = places[2];
}
#endif

/* The order of the slots, each inserted as soon as its place is drawn. */
MBX_INLINE void draw_order(lane_generators *g, const mbx_draw_group *groups, int n_groups, vec *times)
{
    lane_generators generators = *g;
    int slot = 0;
    MBX_UNROLL
    for (int i = 0; i < n_groups; i++) {
        vec words[2];
        draw_words(&generators, groups[i].product, groups[i].rejected, words);
        MBX_UNROLL
        for (int j = 0; j < groups[i].n_factors; j++) {
            const vec place = take_digit(words, groups[i].factors[j]);
            if (slot == 0) {
                order_three(place, times);
                slot = 3;
                continue;
            }
            MBX_UNROLL
            for (int before = 0; before < slot; before++)
                times[before] = vec_grow(times[before], place);
            times[slot++] = place;
        }
    }
    *g = generators;
}

/* Goes over the cells (x, h) and directions d, from which rows may start. */
#define EACH_ROW_OF_SQUARE(width)                   \
    MBX_UNROLL                                      \
    for (int d = 0; d < MBX_FLAT_DIRECTIONS; d++)   \
        MBX_UNROLL                                  \
        for (int x = 0; x < (width); x++)           \
            MBX_UNROLL                              \
            for (int h = 0; h < (width); h++)

MBX_INLINE first_lines lines_of_square(int width, int k, const vec *times)
{
    first_lines first = no_lines();
    EACH_ROW_OF_SQUARE(width) {
        const mbx_cell_row row = mbx_row_from(width, 1, width, d, x, 0, h);
        MBX_UNROLL
        for (int i = 0; i <= row.length - k; i++) {
            const vec *line = times + row.start + i * row.stride;
            vec most = line[0], least = most;
            MBX_UNROLL
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

#ifdef VEC_LOOKUP
/* The same where only the last seven times can complete a line.  Then a slot's time becomes a set of
 * bits, bit i for the i-th of these times: by then the slot is filled, and by the side that places
 * the stone of that time.  A line is the AND of its slots, and the lowest bit over all lines tells
 * who was first.  Bit 7 marks the first stone of all. */
enum { LAST_TIMES = 7 };

MBX_INLINE void times_to_sets(int n_slots, vec *times)
{
    uint8_t sets[16] = {0x80};
    MBX_UNROLL
    for (int time = 0; time < n_slots; time++)
        MBX_UNROLL
        for (int i = 0; i < LAST_TIMES; i++) {
            const int then = n_slots - LAST_TIMES + i;
            if (time <= then && (then - time) % 2 == 0)
                sets[time] |= (uint8_t)(1 << i);
        }
    MBX_UNROLL
    for (int i = 0; i < n_slots; i++)
        times[i] = vec_lookup(sets, times[i]);
}

MBX_INLINE endings endings_of_sets(int width, int k, const vec *sets)
{
    vec lines = vec_splat(0);
    EACH_ROW_OF_SQUARE(width) {
        const mbx_cell_row row = mbx_row_from(width, 1, width, d, x, 0, h);
        MBX_UNROLL
        for (int i = 0; i <= row.length - k; i++) {
            const vec *line = sets + row.start + i * row.stride;
            vec all = line[0];
            MBX_UNROLL
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
#endif

/* Plays a block; by sets, or by the times themselves. */
MBX_INLINE void play_square(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                            int width, int k, bool by_sets, const mbx_draw_group *groups,
                            int n_groups, tally *t)
{
    const int n_slots = width * width;
    const sides side = {plan->turn, !plan->turn};
    lane_generators generators[VECTORS];
    start_generators(key, generators);
    for (int from = 0; from < end; from += MBX_BATCH) {
        const uint64_t played = games_within(from, begin, end);
        batch_masks masks;
        clear_masks(&masks, n_slots);
        MBX_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            vec times[MAX_SQUARE];
            endings ended;
            draw_order(&generators[v], groups, n_groups, times);
#ifdef VEC_LOOKUP
            if (by_sets) {
                times_to_sets(n_slots, times);
                ended = endings_of_sets(width, k, times);
            } else
#endif
            {
                encode(n_slots, times);
                ended = endings_of(lines_of_square(width, k, times));
            }
            if (n_slots <= MASKED_SLOTS)
                collect_masks(&masks, n_slots, times, by_sets, ended, v);
            else
                count_one_by_one(t, n_slots, times, ended, played >> v * LANES, side);
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
    play_square(plan, key, begin, end, 3, 3, HAS_SETS, GROUPS_OF_9, 2, t);
}

static void play_4x4(const mbx_free_plan *plan, const mbx_block_key *key, int begin, int end,
                     tally *t)
{
    play_square(plan, key, begin, end, 4, 4, false, GROUPS_OF_16, 5, t);
}
