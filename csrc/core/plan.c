/* plan.c - builds the plan of plan.h. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* Numbers the empty cells; slot_of[cell] is -1 for a stone. */
static void number_slots(mbx_plan *plan, const mbx_position *position, int *slot_of)
{
    const mbx_game *game = position->game;
    for (int cell = 0; cell < game->n_cells; cell++)
        slot_of[cell] = -1;
    for (int move = 0; move < game->n_moves; move++) {
        if (!mbx_move_is_open(position, move))
            continue;
        plan->column_start[plan->n_columns] = (uint8_t)plan->n_slots;
        for (int cell = mbx_landing_cell(position, move); cell < game->n_cells;
             cell += game->n_moves) {
            plan->slot_move[plan->n_slots] = (uint8_t)move;
            slot_of[cell] = plan->n_slots++;
        }
        plan->column_end[plan->n_columns++] = (uint8_t)plan->n_slots;
    }
}

static void group_draws(mbx_plan *plan)
{
    const uint64_t largest = (uint64_t)1 << 48; /* rejects fewer than one word in 2^16 */
    for (int left = plan->n_slots; left > 0;) {
        draw_group *group = &plan->groups[left];
        group->product = (uint64_t)left--;
        group->size = 1;
        while (left > 0 && group->product * (uint64_t)left <= largest) {
            group->product *= (uint64_t)left--;
            group->size++;
        }
        group->rejected = (0 - group->product) % group->product;
    }
}

/* Writes the slots of a line's rest for `side` and returns their number, 0 if the line is dead. */
static int rest_of_line(const mbx_position *position, int line, int side, const int *slot_of,
                        uint8_t *rest)
{
    const uint8_t *cells = mbx_line(position->game, line);
    int n = 0;
    for (int i = 0; i < position->game->k; i++) {
        if (position->cells[cells[i]] == 1 - side)
            return 0;
        if (position->cells[cells[i]] == MBX_EMPTY)
            rest[n++] = (uint8_t)slot_of[cells[i]];
    }
    return n;
}

static uint64_t set_of(const uint8_t *slots, int n)
{
    uint64_t set = 0;
    for (int i = 0; i < n; i++)
        set |= (uint64_t)1 << slots[i];
    return set;
}

/* Counts the rests through each slot (start, plan->width) and notes the shortest one. */
static void count_rests(mbx_plan *plan, const mbx_position *position, int which,
                        const int *slot_of)
{
    side_rests *side = &plan->sides[which];
    int through[MBX_MAX_CELLS] = {0};
    side->fewest = plan->n_slots + 1;
    for (int line = 0; line < plan->n_lines; line++) {
        uint8_t rest[MBX_MAX_CELLS];
        int n = rest_of_line(position, line, which, slot_of, rest);
        if (n > 0 && n < side->fewest)
            side->fewest = n;
        for (int i = 0; i < n; i++)
            through[rest[i]]++;
    }
    for (int slot = 0; slot < plan->n_slots; slot++) {
        side->start[slot + 1] = (uint16_t)(side->start[slot] + through[slot]);
        if (through[slot] > plan->width)
            plan->width = through[slot];
    }
}

static bool allocate_rests(const mbx_plan *plan, side_rests *side)
{
    size_t n_slots = (size_t)plan->n_slots;
    switch (plan->test) {
    case TABLE:
        side->table = calloc((size_t)1 << n_slots, 1);
        return side->table != NULL;
    case MASKS:
        side->masks = malloc((n_slots * (size_t)plan->width + 1) * sizeof *side->masks);
        if (side->masks != NULL)
            memset(side->masks, 0xff, n_slots * (size_t)plan->width * sizeof *side->masks);
        return side->masks != NULL;
    default:
        side->lacking = calloc((size_t)plan->n_lines + 1, 1);
        side->lines = malloc(((size_t)side->start[n_slots] + 1) * sizeof *side->lines);
        return side->lacking != NULL && side->lines != NULL;
    }
}

/* Every set that contains a set of the table enters the table. */
static void close_upwards(uint8_t *table, int n_slots)
{
    for (int slot = 0; slot < n_slots; slot++)
        for (size_t set = 0; set < (size_t)1 << n_slots; set++)
            table[set | (size_t)1 << slot] |= table[set];
}

static void fill_rests(mbx_plan *plan, const mbx_position *position, int which,
                       const int *slot_of)
{
    side_rests *side = &plan->sides[which];
    int through[MBX_MAX_CELLS] = {0};
    for (int line = 0; line < plan->n_lines; line++) {
        uint8_t rest[MBX_MAX_CELLS];
        int n = rest_of_line(position, line, which, slot_of, rest);
        if (n == 0)
            continue;
        if (plan->test == TABLE)
            side->table[set_of(rest, n)] = 1;
        if (plan->test == COUNT_DOWN)
            side->lacking[line] = (uint8_t)n;
        for (int i = 0; i < n; i++) {
            int slot = rest[i], at = through[slot]++;
            if (plan->test == MASKS)
                side->masks[slot * plan->width + at] = set_of(rest, n);
            if (plan->test == COUNT_DOWN)
                side->lines[side->start[slot] + at] = (uint16_t)line;
        }
    }
    if (plan->test == TABLE)
        close_upwards(side->table, plan->n_slots);
}

static mbx_error plan_rests(mbx_plan *plan, const mbx_position *position,
                            const int *slot_of)
{
    for (int side = 0; side < 2; side++)
        count_rests(plan, position, side, slot_of);
    for (int side = 0; side < 2; side++) {
        if (!allocate_rests(plan, &plan->sides[side]))
            return MBX_NO_MEMORY;
        fill_rests(plan, position, side, slot_of);
    }
    /* The side to move places its m-th stone after 2m - 2 others, the other side after 2m - 1. */
    int mine = 2 * plan->sides[plan->turn].fewest - 2;
    int theirs = 2 * plan->sides[!plan->turn].fewest - 1;
    int first_win = mine < theirs ? mine : theirs;
    plan->win_threshold = first_win < plan->n_slots ? (unsigned)(plan->n_slots - first_win) : 1;
    if (plan->test == COUNT_DOWN)
        plan->win_threshold = (unsigned)plan->n_slots;
    return MBX_OK;
}

mbx_error mbx_plan_create(mbx_plan **result, const mbx_position *position)
{
    mbx_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return MBX_NO_MEMORY;
    int slot_of[MBX_MAX_CELLS];
    plan->finished = position->status != MBX_PLAYING;
    plan->gravity = position->game->gravity;
    plan->turn = mbx_position_turn(position);
    plan->n_lines = position->game->n_lines;
    for (int i = 0; i <= MBX_MAX_CELLS; i++)
        plan->identity[i] = (uint8_t)i;
    number_slots(plan, position, slot_of);
    plan->test = plan->n_slots <= TABLE_SLOTS ? TABLE
                 : plan->n_slots <= MASK_SLOTS ? MASKS : COUNT_DOWN;
    group_draws(plan);
    mbx_error error = plan->finished ? MBX_OK : plan_rests(plan, position, slot_of);
    if (error != MBX_OK) {
        mbx_plan_free(plan);
        return error;
    }
    *result = plan;
    return MBX_OK;
}

void mbx_plan_free(mbx_plan *plan)
{
    for (int s = 0; plan != NULL && s < 2; s++) {
        free(plan->sides[s].table);
        free(plan->sides[s].masks);
        free(plan->sides[s].lines);
        free(plan->sides[s].lacking);
    }
    free(plan);
}
