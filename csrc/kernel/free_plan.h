/* free_plan.h - what the kernels need to know of a position without gravity.
 *
 * The empty cells, ascending, are the slots.  The side to move fills slots at even times, the other
 * at odd ones, so a line is one of three kinds: with stones of neither side it can be completed at
 * even or at odd times, with stones of one side only at that side's; then its slots are the empty
 * cells.  A line with stones of both is dead.
 */
#ifndef MBX_FREE_PLAN_H
#define MBX_FREE_PLAN_H

#include "../core/position.h"

enum { MBX_EITHER, MBX_EVEN, MBX_ODD, MBX_LINE_KINDS };

/* Draws that share a word (docs/stream.md). */
typedef struct {
    uint16_t product;       /* of the factors */
    uint8_t rejected;       /* 65536 mod product */
    uint8_t n_factors;
    uint8_t factors[5];
} mbx_draw_group;

enum {
    MBX_INSERTION_SLOTS = 128,  /* more slots are drawn one by one, in stages */
    MBX_BATCH = 64,             /* games in lockstep */
    MBX_GROUP = 16              /* of them share a pair of generators */
};

typedef struct {
    int n_slots, turn;
    int stage, later_stage;     /* times of the first stage and of each later one */
    bool is_empty_square;       /* an empty board of one layer, as wide as high */
    int width, k;
    uint8_t slot_cell[MBX_MAX_CELLS];
    int n_groups;
    mbx_draw_group groups[MBX_INSERTION_SLOTS];
    int n_lines[MBX_LINE_KINDS];
    uint8_t *lines[MBX_LINE_KINDS];     /* [n_lines][k + 1]: the number of slots, then the slots */
} mbx_free_plan;

/* Writes the groups of draws for a number of slots and returns how many there are. */
int mbx_group_draws(int n_slots, mbx_draw_group *groups);

/* Makes the plan of a position without gravity that is not finished.  `lines` is room for
 * MBX_LINE_KINDS * n_lines * (k + 1) bytes of the game, which the plan uses as long as it lives. */
void mbx_free_plan_init(mbx_free_plan *plan, const mbx_position *position, uint8_t *lines);

static inline size_t mbx_free_plan_room(const mbx_game *game)
{
    return (size_t)MBX_LINE_KINDS * (size_t)game->n_lines * ((size_t)game->k + 1) + 1;
}

#endif
