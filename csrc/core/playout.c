/* playout.c - the scalar playout: one body, an instance for every win test with and without gravity.
 */
#if defined(__GNUC__) && !defined(__clang__)
/* GCC would keep the bound of each draw in a 128-bit loop counter: a fifth of the speed lost. */
#pragma GCC optimize("no-ivopts")
#endif

#include "playout.h"

#include <string.h>

/* A word from which all draws of a group can be taken: the low half that the last of them leaves
 * is the word times the product of the bounds. */
MBX_INLINE uint64_t draw_word(const draw_group *group, mbx_rng *rng)
{
    uint64_t word;
    do
        word = mbx_rng_next(rng);
    while (word * group->product < group->rejected);
    return word;
}

/* The empty slots of a free game. */
typedef struct {
    uint64_t word;                       /* what is left of the group's word, */
    int draws;                           /* and of its draws */
    uint8_t slots[MBX_MAX_CELLS + 1];
} free_choice;

/* The open columns under gravity. */
typedef struct {
    int n_open;
    uint8_t open[MBX_MAX_CELLS + 1];     /* columns with an empty slot */
    uint8_t next[MBX_MAX_CELLS + 1];     /* by column: its lowest empty slot */
} column_choice;

/* A uniform slot of the `left` empty ones; the last one takes its place in the list. */
MBX_INLINE int choose_free(const mbx_plan *plan, free_choice *choice, mbx_rng *rng,
                           unsigned left)
{
    if (choice->draws == 0) {
        choice->word = draw_word(&plan->groups[left], rng);
        choice->draws = plan->groups[left].size;
    }
    uint64_t rank;
    choice->word = mbx_multiply(choice->word, left, &rank);
    choice->draws--;
    int slot = choice->slots[rank];
    choice->slots[rank] = choice->slots[left - 1];
    return slot;
}

/* The next slot of a uniform open column; each draw has a word of its own. */
MBX_INLINE int choose_column(const mbx_plan *plan, column_choice *choice, mbx_rng *rng)
{
    uint64_t drawn, low, bound = (uint64_t)choice->n_open;
    do
        low = mbx_multiply(mbx_rng_next(rng), bound, &drawn);
    while (low < bound && low < (0 - bound) % bound);
    int column = choice->open[drawn];
    int slot = choice->next[column]++;
    if (choice->next[column] == plan->column_end[column])
        choice->open[drawn] = choice->open[--choice->n_open];
    return slot;
}

MBX_INLINE bool covers(const side_rests *side, int width, uint64_t own, int slot)
{
    const uint64_t *masks = side->masks + slot * width;
    bool won = false;
    for (int i = 0; i < width; i++)
        won |= (own & masks[i]) == masks[i];
    return won;
}

MBX_INLINE bool counts_down(const side_rests *side, uint8_t *lacking, int slot)
{
    bool won = false;
    for (int i = side->start[slot]; i < side->start[slot + 1]; i++)
        won |= --lacking[side->lines[i]] == 0;
    return won;
}

/* Everything that changes during a playout. */
typedef struct {
    unsigned left;                         /* empty slots */
    int side;                              /* to place the next stone */
    uint64_t mine, theirs;                 /* TABLE, MASKS: the slots of `side` and of the other */
    const side_rests *rests, *others;      /* likewise */
    free_choice empty;
    column_choice columns;
    uint8_t lacking[2][MBX_MAX_CELLS * 13 + 1];
} playout_state;

MBX_INLINE void start(const mbx_plan *plan, playout_state *state, win_test test, bool gravity)
{
    const size_t n_slots = test == TABLE ? 16 : test == MASKS ? MASK_SLOTS : sizeof plan->identity;
    state->left = (unsigned)plan->n_slots;
    state->side = plan->turn;
    state->mine = state->theirs = 0;
    state->rests = &plan->sides[plan->turn];
    state->others = &plan->sides[!plan->turn];
    if (gravity) {
        state->columns.n_open = plan->n_columns;
        memcpy(state->columns.open, plan->identity, n_slots);
        memcpy(state->columns.next, plan->column_start, n_slots);
    } else {
        state->empty.draws = 0;
        memcpy(state->empty.slots, plan->identity, n_slots);
    }
    for (int s = 0; test == COUNT_DOWN && s < 2; s++)
        memcpy(state->lacking[s], plan->sides[s].lacking, (size_t)plan->n_lines);
}

/* Places a stone and returns its slot; afterwards `theirs` and `others` are its side's. */
MBX_INLINE int place(const mbx_plan *plan, mbx_rng *rng, playout_state *state, bool gravity)
{
    const int slot = gravity ? choose_column(plan, &state->columns, rng)
                             : choose_free(plan, &state->empty, rng, state->left);
    const uint64_t own = state->mine | (uint64_t)1 << (slot & (MASK_SLOTS - 1));
    const side_rests *rests = state->rests;
    state->mine = state->theirs;
    state->theirs = own;
    state->rests = state->others;
    state->others = rests;
    state->side ^= 1;
    state->left--;
    return slot;
}

MBX_INLINE bool wins(const mbx_plan *plan, playout_state *state, win_test test, int slot)
{
    if (test == TABLE)
        return state->others->table[state->theirs];
    if (test == MASKS)
        return covers(state->others, plan->width, state->theirs, slot);
    return counts_down(state->others, state->lacking[!state->side], slot);
}

/* Plays to the end: returns the outcome and writes the slot of the first stone. */
MBX_INLINE int play(const mbx_plan *plan, mbx_rng *rng, win_test test, bool gravity,
                    int *first_slot)
{
    playout_state state;
    start(plan, &state, test, gravity);
    int slot = *first_slot = place(plan, rng, &state, gravity);
    while (state.left >= plan->win_threshold) /* that stone cannot have won */
        slot = place(plan, rng, &state, gravity);
    for (;;) {
        if (wins(plan, &state, test, slot))
            return !state.side;
        if (state.left == 0)
            return MBX_DRAW;
        slot = place(plan, rng, &state, gravity);
    }
}

/* Plays the first `end` playouts of a block and counts those from `begin` on. */
typedef void play_block(const mbx_plan *plan, mbx_rng rng, int begin, int end,
                        int64_t (*counts)[MBX_OUTCOMES]);

#define INSTANCE(name, test, gravity)                                                      \
    static void name(const mbx_plan *plan, mbx_rng rng, int begin, int end,        \
                     int64_t (*counts)[MBX_OUTCOMES])                                      \
    {                                                                                      \
        for (int i = 0; i < end; i++) {                                                    \
            int slot = 0, outcome = play(plan, &rng, test, gravity, &slot);                \
            if (i >= begin)                                                                \
                counts[plan->slot_move[slot]][outcome]++;                                  \
        }                                                                                  \
    }

INSTANCE(free_table, TABLE, false)
INSTANCE(free_masks, MASKS, false)
INSTANCE(free_count_down, COUNT_DOWN, false)
INSTANCE(gravity_table, TABLE, true)
INSTANCE(gravity_masks, MASKS, true)
INSTANCE(gravity_count_down, COUNT_DOWN, true)

mbx_error mbx_scalar_counts(const mbx_plan *plan, mbx_seed seed, uint64_t row, uint64_t first,
                            uint64_t number, mbx_cancel cancel, int64_t (*counts)[MBX_OUTCOMES])
{
    static play_block *const instances[2][3] = {
        {free_table, free_masks, free_count_down},
        {gravity_table, gravity_masks, gravity_count_down},
    };
    if (plan->finished)
        return MBX_OK;
    while (number > 0) {
        if (mbx_cancelled(cancel))
            return MBX_CANCELLED;
        uint64_t begin = first % MBX_SCALAR_BLOCK;
        uint64_t part = MBX_SCALAR_BLOCK - begin < number ? MBX_SCALAR_BLOCK - begin : number;
        const mbx_block_key key = mbx_key_of_block(seed, row, first / MBX_SCALAR_BLOCK);
        const mbx_rng rng = mbx_rng_of_block(&key, 0);
        instances[plan->gravity][plan->test](plan, rng, (int)begin, (int)(begin + part), counts);
        first += part;
        number -= part;
    }
    return MBX_OK;
}
