/* free_plan.c - makes the plan of free_plan.h. */
#include "free_plan.h"

#include <string.h>

int mbx_group_draws(int n_slots, mbx_draw_group *groups)
{
    int n = 0;
    for (int factor = n_slots < 3 ? n_slots : 6; factor > 1; n++) {
        mbx_draw_group *group = &groups[n];
        uint32_t product = 1;
        group->n_factors = 0;
        while (factor != 0
               && (product == 1 || (product * (uint32_t)factor <= 65536
                                    && 65536 % (product * (uint32_t)factor) < 32))) {
            product *= (uint32_t)factor;
            group->factors[group->n_factors++] = (uint8_t)factor;
            /* the factors are 6, 4, 5, 6, ...: the first one makes the order of three slots */
            const int next = n == 0 && group->n_factors == 1 && n_slots >= 3 ? 4 : factor + 1;
            factor = next <= n_slots ? next : 0;
        }
        group->product = (uint16_t)product;
        group->rejected = (uint8_t)(65536 % product);
    }
    return n;
}

/* Writes a line's empty cells as slots behind their number; returns the line's kind, or -1. */
static int reduce_line(const mbx_position *position, int line, const uint8_t *slot_of, uint8_t *rest)
{
    const uint8_t *cells = mbx_line(position->game, line);
    bool has[2] = {false, false};
    int n = 0;
    for (int i = 0; i < position->game->k; i++) {
        const int stone = position->cells[cells[i]];
        if (stone == MBX_EMPTY)
            rest[++n] = slot_of[cells[i]];
        else
            has[stone] = true;
    }
    rest[0] = (uint8_t)n;
    if (has[0] && has[1])
        return -1;
    if (!has[0] && !has[1])
        return MBX_EITHER;
    return has[mbx_position_turn(position)] ? MBX_EVEN : MBX_ODD;
}

void mbx_free_plan_init(mbx_free_plan *plan, const mbx_position *position, uint8_t *lines)
{
    const mbx_game *game = position->game;
    const size_t size = (size_t)game->k + 1;
    uint8_t slot_of[MBX_MAX_CELLS];
    plan->n_slots = 0;
    plan->turn = mbx_position_turn(position);
    for (int cell = 0; cell < game->n_cells; cell++)
        if (position->cells[cell] == MBX_EMPTY) {
            slot_of[cell] = (uint8_t)plan->n_slots;
            plan->slot_cell[plan->n_slots++] = (uint8_t)cell;
        }
    plan->stage = plan->n_slots * (game->k < 8 ? game->k : 8) / 8;
    plan->later_stage = plan->n_slots / 8;
    plan->width = game->shape[0];
    plan->k = game->k;
    plan->is_empty_square = plan->n_slots == game->n_cells && game->shape[0] == game->shape[1]
                            && game->shape[2] == 1;
    plan->n_groups = plan->n_slots <= MBX_INSERTION_SLOTS
                         ? mbx_group_draws(plan->n_slots, plan->groups) : 0;
    for (int kind = 0; kind < MBX_LINE_KINDS; kind++) {
        plan->n_lines[kind] = 0;
        plan->lines[kind] = lines + size * (size_t)kind * (size_t)game->n_lines;
    }
    for (int line = 0; line < game->n_lines; line++) {
        uint8_t rest[MBX_MAX_CELLS + 1];
        const int kind = reduce_line(position, line, slot_of, rest);
        if (kind >= 0)
            memcpy(plan->lines[kind] + size * (size_t)plan->n_lines[kind]++, rest, size);
    }
}
