/* gravity_body.h - playouts under gravity: one source, compiled for every instruction set.
 *
 * Every bit of a machine word is a game.  A word has UNITS places of 64 bits; in each a unit is
 * played, a block with its own generator, which knows nothing of the others.  A board is two planes
 * a cell, one for each side's stones, column by column from the bottom:
 *
 *     game               0 1 2 3 ...
 *     first[c*H + 0]     0 1 1 0        at the bottom of column c (H cells high) games 1 and 2 have
 *     second[c*H + 0]    1 0 0 0        a stone of the first side, game 0 one of the second
 *     first[c*H + 1]     0 0 1 0        and game 2 has another one on top of it
 *
 * So a step of all games takes a few instructions a cell, whatever each of them drew: a stone lands
 * where the cell is empty and the one under it is not, and a line is the AND of its planes.
 * docs/stream.md defines what is drawn and when lines are looked at.
 *
 * The including file defines
 *     word                 uint64_t, or a vector of UNITS of them that takes the operators of C
 *     UNITS
 *     word_rotate24(x)     every part rotated left by 24 bits
 * Start reading at play_units.
 */
#include "kernel.h"

#include <string.h>

typedef union {
    word all;
    uint64_t unit[UNITS];
} plane;

/* An SFC64 generator for every unit. */
typedef struct {
    plane a, b, c, counter;
} unit_generators;

enum { MAX_BITS = 8, LONG_LINE = 8, PAIRS_PER_POLL = 64 };

/* Everything that changes during the playouts of UNITS units. */
typedef struct {
    unit_generators generators;
    plane boards[4 * MBX_MAX_CELLS];   /* first, second; then the same at the start of a game */
    plane columns[2 * MBX_MAX_CELLS];  /* by step and column: games that push a stone there */
    word drawn[2][MAX_BITS];           /* by step: the value drawn, bit by bit */
    word first_draw[MAX_BITS];         /* the column of a game's first stone */
    word full;                         /* games whose board is full */
    plane fresh;                       /* games that have not moved */
    plane second_starts;               /* games that the second side begins */
    plane second_turn;                 /* games in which the second side is to move */
    plane goes_on;                     /* games that have not just ended */
    plane alive;                       /* lanes that have a game to play */
    mbx_unit units[UNITS];
    uint32_t left[UNITS];              /* games not yet started */
    uint32_t tally[UNITS][MBX_MAX_CELLS][MBX_OUTCOMES];
} unit_states;

MBX_INLINE word next_word(unit_generators *g)
{
    word result = g->a.all + g->b.all + g->counter.all;
    g->counter.all = g->counter.all + 1;
    g->a.all = g->b.all ^ (g->b.all >> 11);
    g->b.all = g->c.all + (g->c.all << 3);
    g->c.all = word_rotate24(g->c.all) + result;
    return result;
}

/* The next unit takes a place of the words; if there is none the place stays dead. */
static void load_unit(const mbx_gravity_shape s, unit_states *state, int place,
                      mbx_unit_source *source)
{
    mbx_unit *unit = &state->units[place];
    if (!source->next(source, unit)) {
        unit->position = NULL;
        state->alive.unit[place] = 0;
        return;
    }
    plane *board = state->boards, *start = board + 2 * s.n_columns * s.height;
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < s.n_columns; c++)
            for (int h = 0; h < s.height; h++) {
                const bool stone = unit->position->cells[c + s.n_columns * h] == side;
                (board++)->unit[place] = (start++)->unit[place] = 0 - (uint64_t)stone;
            }
    state->generators.a.unit[place] = unit->generator.a;
    state->generators.b.unit[place] = unit->generator.b;
    state->generators.c.unit[place] = unit->generator.c;
    state->generators.counter.unit[place] = unit->generator.counter;
    state->second_starts.unit[place] = 0 - (uint64_t)mbx_position_turn(unit->position);
    state->second_turn.unit[place] = state->second_starts.unit[place];
    state->goes_on.unit[place] = ~(uint64_t)0;
    state->fresh.unit[place] = ~(uint64_t)0;
    const bool fills_lanes = unit->games >= MBX_UNIT_LANES;
    state->alive.unit[place] = fills_lanes ? ~(uint64_t)0 : ((uint64_t)1 << unit->games) - 1;
    state->left[place] = fills_lanes ? unit->games - MBX_UNIT_LANES : 0;
    memset(state->tally[place], 0, (size_t)s.n_columns * sizeof *state->tally[place]);
}

/* Adds what a unit has played to the counts of its position. */
static void add_unit(const mbx_gravity_shape s, unit_states *state, int place)
{
    const mbx_unit *unit = &state->units[place];
    for (int c = 0; c < s.n_columns; c++)
        for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)
            unit->counts[c][outcome] += unit->sign * (int64_t)state->tally[place][c][outcome];
}

/* Lanes that have ended start the next games of their units; returns whether any lane lives. */
static bool start_next(const mbx_gravity_shape s, unit_states *state, plane ended,
                       mbx_unit_source *source)
{
    uint64_t any_alive = 0;
    for (int place = 0; place < UNITS; place++) {
        uint64_t lanes = ended.unit[place];
        uint32_t *left = &state->left[place], number = (uint32_t)mbx_count_ones(lanes);
        if (number <= *left)
            *left -= number;
        else {
            for (; *left > 0; (*left)--)
                lanes &= lanes - 1;
            state->alive.unit[place] &= ~lanes;
        }
        if (state->alive.unit[place] == 0 && state->units[place].position != NULL) {
            add_unit(s, state, place);
            load_unit(s, state, place, source);
        }
        any_alive |= state->alive.unit[place];
    }
    return any_alive != 0;
}

typedef void push_function(const mbx_gravity_shape *s, unit_states *state, word second_once,
                           word second_twice);
typedef word lines_function(const mbx_gravity_shape *s, const plane *stones);

/* Counts games one by one. */
MBX_INLINE void count_games(const mbx_gravity_shape s, unit_states *state, int place,
                            uint64_t games, int outcome)
{
    for (; games != 0; games &= games - 1) {
        const int lane = mbx_lowest_one(games);
        int column = 0;
        for (int i = 0; i < s.n_bits; i++) {
            plane bit = {.all = state->first_draw[i]};
            column |= (int)(bit.unit[place] >> lane & 1) << i;
        }
        state->tally[place][column][outcome]++;
    }
}

/* Games whose value, bit by bit, is below n_columns. */
MBX_INLINE word is_column(const word *bits, int n_bits, int n_columns, word none)
{
    word below = none;
    if (n_columns == 1 << n_bits)
        return ~none;
    for (int i = 0; i < n_bits; i++)
        below = n_columns >> i & 1 ? below | ~bits[i] : below & ~bits[i];
    return below;
}

/* Splits the games of `which` by their value: lanes[c] are those with the value c. */
MBX_INLINE void split_by_value(const word *bits, int n_bits, int n_columns, word which,
                               plane *lanes)
{
    lanes[0].all = which;
    for (int i = 0; i < n_bits; i++)
        for (int c = 0; c < 1 << i; c++) {
            if (c + (1 << i) < n_columns)
                lanes[c + (1 << i)].all = lanes[c].all & bits[i];
            if (c < n_columns)
                lanes[c].all = lanes[c].all & ~bits[i];
        }
}

/* Draws a column for both steps of a pair. */
MBX_INLINE void draw_pair(const mbx_gravity_shape s, unit_states *state)
{
    unit_generators generators = state->generators;
    const word none = generators.a.all ^ generators.a.all;
    for (int step = 0; step < 2; step++) {
        word bits[MAX_BITS], tried[MAX_BITS];
        for (int i = 0; i < MAX_BITS; i++)
            bits[i] = tried[i] = none;
        for (int i = 0; i < s.n_bits; i++)
            bits[i] = next_word(&generators);
        word found = is_column(bits, s.n_bits, s.n_columns, none);
        for (int try = 1; try < s.n_tries; try++) {
            for (int i = 0; i < s.n_bits; i++)
                tried[i] = next_word(&generators);
            for (int i = 0; i < s.n_bits; i++)
                bits[i] = (bits[i] & found) | (tried[i] & ~found);
            found = is_column(bits, s.n_bits, s.n_columns, none);
        }
        for (int i = 0; i < s.n_bits; i++)
            state->drawn[step][i] = bits[i];
        split_by_value(bits, s.n_bits, s.n_columns, found & state->alive.all,
                       state->columns + step * s.n_columns);
    }
    state->generators = generators;
}

/* One side's stones of a cell; games that have just ended start anew. */
MBX_INLINE word stones_of(const mbx_gravity_shape s, const unit_states *state, int side, int cell,
                          word goes_on, bool from_empty)
{
    const int n_cells = s.n_columns * s.height, at = side * n_cells + cell;
    const word stones = state->boards[at].all;
    return stones & (from_empty ? goes_on : goes_on | state->boards[at + 2 * n_cells].all);
}

MBX_INLINE word occupied(const mbx_gravity_shape s, const unit_states *state, int cell,
                         word goes_on, bool from_empty)
{
    return stones_of(s, state, 0, cell, goes_on, from_empty)
           | stones_of(s, state, 1, cell, goes_on, from_empty);
}

/* Takes full columns out of the draws; writes, by step, the games that move. */
MBX_INLINE void leave_out_full(const mbx_gravity_shape s, unit_states *state, bool from_empty,
                               word moves[2])
{
    const word goes_on = state->goes_on.all, none = goes_on ^ goes_on;
    moves[0] = moves[1] = none;
    for (int c = 0; c < s.n_columns; c++) {
        plane *once = &state->columns[c], *twice = &state->columns[s.n_columns + c];
        const int top = (c + 1) * s.height - 1;
        const word full = occupied(s, state, top, goes_on, from_empty);
        const word nearly = s.height > 1 ? occupied(s, state, top - 1, goes_on, from_empty) : ~none;
        once->all = once->all & ~full;
        twice->all = twice->all & ~(full | (once->all & nearly));
        moves[0] = moves[0] | once->all;
        moves[1] = moves[1] | twice->all;
    }
}

/* Notes the columns of first stones. */
MBX_INLINE void note_first_draws(const mbx_gravity_shape s, unit_states *state,
                                 const word moves[2])
{
    const word once = state->fresh.all & moves[0];
    const word twice = state->fresh.all & ~moves[0] & moves[1];
    for (int i = 0; i < s.n_bits; i++)
        state->first_draw[i] = (state->first_draw[i] & ~(once | twice))
                               | (state->drawn[0][i] & once) | (state->drawn[1][i] & twice);
    state->fresh.all = state->fresh.all & ~(moves[0] | moves[1]);
}

/* Pushes the stones of both steps; second_once and second_twice are the games in which the second
 * side makes the step. */
MBX_INLINE void push_pair(const mbx_gravity_shape s, unit_states *state, bool from_empty,
                          word second_once, word second_twice)
{
    const word goes_on = state->goes_on.all, none = goes_on ^ goes_on;
    plane *first = state->boards, *second = first + s.n_columns * s.height;
    word full = ~none;
    for (int c = 0; c < s.n_columns; c++) {
        const word once = state->columns[c].all, twice = state->columns[s.n_columns + c].all;
        const word first_once = once & ~second_once, first_twice = twice & ~second_twice;
        word under = ~none, under_then = ~none;
        for (int h = 0; h < s.height; h++) {
            const int cell = c * s.height + h;
            const word old = stones_of(s, state, 0, cell, goes_on, from_empty);
            const word before = old | stones_of(s, state, 1, cell, goes_on, from_empty);
            const word landing = under & ~before;
            const word between = before | (once & landing);
            const word landing_then = under_then & ~between;
            const word after = between | (twice & landing_then);
            const word mine = old | (first_once & landing) | (first_twice & landing_then);
            first[cell].all = mine;
            second[cell].all = after & ~mine;
            under = before;
            under_then = between;
            if (h == s.height - 1)
                full = full & after;
        }
    }
    state->full = full;
}

/* Long lines of a row: the AND of 1, 2, 4, ... planes in a row, then of two that overlap. */
static word long_lines(const plane *stones, const mbx_cell_row row, int k)
{
    word run[MBX_MAX_CELLS], lines;
    int span = 1;
    for (int i = 0; i < row.length; i++)
        run[i] = stones[row.start + i * row.stride].all;
    for (; 2 * span <= k; span *= 2)
        for (int i = 0; i <= row.length - 2 * span; i++)
            run[i] = run[i] & run[i + span];
    lines = run[0] & run[k - span];
    for (int i = 1; i <= row.length - k; i++)
        lines = lines | (run[i] & run[i + k - span]);
    return lines;
}

/* Games in which the side whose planes these are has a line. */
MBX_INLINE word lines_by_list(const mbx_gravity_shape s, const plane *stones)
{
    word lines = stones[0].all ^ stones[0].all;
    for (int i = 0; i < s.n_rows; i++) {
        const mbx_cell_row row = s.rows[i];
        if (s.k > LONG_LINE) {
            lines = lines | long_lines(stones, row, s.k);
            continue;
        }
        for (int at = 0; at <= row.length - s.k; at++) {
            const plane *line = stones + row.start + at * row.stride;
            word all = line[0].all;
            for (int j = 1; j + 1 < s.k; j += 2)
                all = all & (line[j * row.stride].all & line[(j + 1) * row.stride].all);
            lines = lines | (s.k % 2 ? all : all & line[(s.k - 1) * row.stride].all);
        }
    }
    return lines;
}

/* The AND of k planes a stride apart, in pairs that overlapping windows share. */
MBX_INLINE word all_of(const plane *stones, int stride, int k)
{
    word all = stones[0].all & stones[stride].all;
    MBX_UNROLL
    for (int i = 2; i + 1 < k; i += 2)
        all = all & (stones[i * stride].all & stones[(i + 1) * stride].all);
    return k % 2 ? all & stones[(k - 1) * stride].all : all;
}

/* The same as lines_by_list for a shape that the compiler knows, k > 1: no list and no loop is
 * left. */
MBX_INLINE word lines_unrolled(const mbx_gravity_shape s, const plane *stones)
{
    word lines = stones[0].all ^ stones[0].all;
    MBX_UNROLL
    for (int d = 0; d < MBX_DIRECTIONS; d++)
        MBX_UNROLL
        for (int y = 0; y < s.depth; y++)
            MBX_UNROLL
            for (int x = 0; x < s.width; x++)
                MBX_UNROLL
                for (int h = 0; h < s.height; h++) {
                    const mbx_cell_row row = mbx_row_from(s.width, s.depth, s.height, d, x, y, h);
                    const plane *from = stones + row.start;
                    if (row.length < s.k)
                        continue;
                    MBX_ANEW(from);
                    MBX_UNROLL
                    for (int i = 0; i <= row.length - s.k; i++)
                        lines = lines | all_of(from + i * row.stride, row.stride, s.k);
                }
    return lines;
}

/* Counts the games that have ended with wins[0], wins[1] and draws. */
MBX_INLINE void count_ended(const mbx_gravity_shape s, unit_states *state, const plane wins[2],
                            const plane *draws)
{
#ifdef MBX_COUNTS_ONES
    if (s.n_columns <= 8) {
        for (int side = 0; side < 2; side++) {
            plane lanes[8];
            split_by_value(state->first_draw, s.n_bits, s.n_columns, wins[side].all, lanes);
            for (int c = 0; c < s.n_columns; c++)
                for (int place = 0; place < UNITS; place++)
                    state->tally[place][c][side] += (uint32_t)mbx_count_ones(lanes[c].unit[place]);
        }
    } else
#endif
    for (int side = 0; side < 2; side++)
        for (int place = 0; place < UNITS; place++)
            count_games(s, state, place, wins[side].unit[place], side);
    for (int place = 0; place < UNITS; place++)
        count_games(s, state, place, draws->unit[place], MBX_DRAW);
}

MBX_INLINE void play_units(const mbx_gravity_shape s, mbx_unit_source *source, bool from_empty,
                           push_function *push, lines_function *lines)
{
    unit_states state;
    memset(&state, 0, offsetof(unit_states, tally));
    for (int place = 0; place < UNITS; place++)
        load_unit(s, &state, place, source);
    bool alive = state.units[0].position != NULL;
    for (unsigned pair = 0; alive; pair++) {
        if (pair % PAIRS_PER_POLL == 0 && mbx_cancelled(source->cancel))
            return;
        word moves[2];
        plane wins[2], draws, ended;
        draw_pair(s, &state);
        leave_out_full(s, &state, from_empty, moves);
        note_first_draws(s, &state, moves);
        const word second_once = state.second_turn.all, second_twice = second_once ^ moves[0];
        push(&s, &state, second_once, second_twice);
        wins[0].all = lines(&s, state.boards);
        wins[1].all = lines(&s, state.boards + s.n_columns * s.height);
        const word both = wins[0].all & wins[1].all; /* the first line was the first step's */
        wins[0].all = wins[0].all & ~(both & second_once);
        wins[1].all = wins[1].all & ~(both & ~second_once);
        draws.all = state.full & ~(wins[0].all | wins[1].all);
        ended.all = wins[0].all | wins[1].all | draws.all;
        state.second_turn.all = ((second_twice ^ moves[1]) & ~ended.all)
                                | (state.second_starts.all & ended.all);
        state.goes_on.all = ~ended.all;
        state.fresh.all = state.fresh.all | ended.all;
        count_ended(s, &state, wins, &draws);
        alive = start_next(s, &state, ended, source);
    }
}

/* Instances for shapes.  Looking at lines and pushing stand on their own, so that the compiler does
 * not try to keep a whole board in registers. */
#define LINES(name, shape, lines_of)                                                           \
    MBX_NO_INLINE word name##_lines(const mbx_gravity_shape *s, const plane *stones)           \
    {                                                                                          \
        (void)s;                                                                               \
        return lines_of(shape, stones);                                                        \
    }

#define PLAY(name, shape, lines, from_empty)                                                   \
    MBX_NO_INLINE void name##_push(const mbx_gravity_shape *s, unit_states *state,             \
                                   word second_once, word second_twice)                        \
    {                                                                                          \
        (void)s;                                                                               \
        push_pair(shape, state, from_empty, second_once, second_twice);                        \
    }                                                                                          \
    static void name(const mbx_gravity_shape *s, mbx_unit_source *source)                      \
    {                                                                                          \
        (void)s;                                                                               \
        play_units(shape, source, from_empty, name##_push, lines);                             \
    }

/* Shapes that the compiler knows. */
#define SHAPE(w, d, h, line, columns, bits, tries)                                             \
    ((mbx_gravity_shape){.width = w, .depth = d, .height = h, .k = line, .n_columns = columns, \
                         .n_bits = bits, .n_tries = tries})
#define CONNECT_FOUR SHAPE(7, 1, 6, 4, 7, 3, 2)
#define CUBE_4 SHAPE(4, 4, 4, 4, 16, 4, 1)
#define CUBE_5 SHAPE(5, 5, 5, 5, 25, 5, 2)

LINES(connect_four, CONNECT_FOUR, lines_unrolled)
LINES(cube_4, CUBE_4, lines_unrolled)
LINES(cube_5, CUBE_5, lines_unrolled)
LINES(any_shape, *s, lines_by_list)
PLAY(connect_four, CONNECT_FOUR, connect_four_lines, true)
PLAY(connect_four_from, CONNECT_FOUR, connect_four_lines, false)
PLAY(cube_4, CUBE_4, cube_4_lines, true)
PLAY(cube_4_from, CUBE_4, cube_4_lines, false)
PLAY(cube_5, CUBE_5, cube_5_lines, true)
PLAY(cube_5_from, CUBE_5, cube_5_lines, false)
PLAY(any_shape, *s, any_shape_lines, false)

static bool is_shape(const mbx_gravity_shape *s, mbx_gravity_shape known)
{
    return s->width == known.width && s->depth == known.depth && s->height == known.height
           && s->k == known.k;
}

static void play_under_gravity(const mbx_gravity_shape *s, bool from_empty,
                               mbx_unit_source *source)
{
    if (is_shape(s, CONNECT_FOUR))
        (from_empty ? connect_four : connect_four_from)(s, source);
    else if (is_shape(s, CUBE_4))
        (from_empty ? cube_4 : cube_4_from)(s, source);
    else if (is_shape(s, CUBE_5))
        (from_empty ? cube_5 : cube_5_from)(s, source);
    else
        any_shape(s, source);
}
