/* playout.c - the scalar playout: one body, an instance for every win test with and without gravity.
 */
#if defined(__GNUC__) && !defined(__clang__)
/* GCC would keep the bound of each draw in a 128-bit loop counter: a third of the speed lost. */
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

/* Plays to the end: returns the outcome and writes the slot of the first stone. */
MBX_INLINE int play(const mbx_plan *plan, mbx_rng *rng, win_test test, bool gravity,
                    int *first_slot)
{
    free_choice empty;
    column_choice columns;
    uint8_t lacking[2][MBX_MAX_CELLS * 13 + 1];
    uint64_t mine = 0, theirs = 0; /* the slots of the side that is to move, and of the other */
    const size_t n_slots = test == TABLE ? 16 : test == MASKS ? MASK_SLOTS : sizeof plan->identity;
    if (gravity) {
        columns.n_open = plan->n_columns;
        memcpy(columns.open, plan->identity, n_slots);
        memcpy(columns.next, plan->column_start, n_slots);
    } else {
        empty.draws = 0;
        memcpy(empty.slots, plan->identity, n_slots);
    }
    for (int s = 0; test == COUNT_DOWN && s < 2; s++)
        memcpy(lacking[s], plan->sides[s].lacking, (size_t)plan->n_lines);

    int side = plan->turn;
    const side_rests *rests = &plan->sides[side], *others = &plan->sides[!side];
    for (unsigned left = (unsigned)plan->n_slots; left > 0; left--) {
        const int slot = gravity ? choose_column(plan, &columns, rng)
                                 : choose_free(plan, &empty, rng, left);
        if (left == (unsigned)plan->n_slots)
            *first_slot = slot;
        const uint64_t own = mine | (uint64_t)1 << (slot & (MASK_SLOTS - 1));
        mine = theirs;
        theirs = own;
        if (test == COUNT_DOWN) {
            if (counts_down(&plan->sides[side], lacking[side], slot))
                return side;
        } else if (left <= plan->winnable) {
            if (test == TABLE ? rests->table[own] : covers(rests, plan->width, own, slot))
                return side;
        }
        const side_rests *next = others;
        others = rests;
        rests = next;
        side ^= 1;
    }
    return MBX_DRAW;
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

mbx_error mbx_playout_counts(const mbx_plan *plan, mbx_seed seed, uint64_t row,
                             uint64_t first, uint64_t number, mbx_cancel cancel,
                             int64_t (*counts)[MBX_OUTCOMES])
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
        uint64_t begin = first % MBX_PLAYOUT_BLOCK;
        uint64_t part = MBX_PLAYOUT_BLOCK - begin < number ? MBX_PLAYOUT_BLOCK - begin : number;
        mbx_rng rng = mbx_rng_of_block(seed, row, first / MBX_PLAYOUT_BLOCK);
        instances[plan->gravity][plan->test](plan, rng, (int)begin, (int)(begin + part), counts);
        first += part;
        number -= part;
    }
    return MBX_OK;
}
