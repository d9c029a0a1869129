/* plan.h - what play from one position needs, prepared once and then only read.
 *
 * Only the empty cells matter, so they are numbered anew as slots 0 .. n_slots - 1; under gravity
 * column by column from the bottom, so that the next slot of a column is one more:
 *
 *     column   0        1     2           column_start[1] = 3: the next stone in column 1 fills
 *     slots    0 1 2    3 4   5 6 7       slot 3; column_end[1] = 5: then the column is full
 *
 * A line with stones of both sides is dead.  A line with stones of one side can still be completed
 * by that side alone, by filling the line's empty cells: its rest.  The cheapest test that serves
 * tells whether a side has filled one:
 *
 *     TABLE       few slots: a table from the side's set of slots to the answer
 *     MASKS       a set fits a word: does it cover one of the rests through the newest slot?
 *     COUNT_DOWN  any board: every rest counts down the stones that it lacks
 */
#ifndef MBX_PLAN_H
#define MBX_PLAN_H

#include "position.h"

typedef enum { TABLE, MASKS, COUNT_DOWN } win_test;

enum { TABLE_SLOTS = 12, MASK_SLOTS = 64 };

/* Draws of a free game depend on the number of empty cells alone, so groups of them that share a
 * word are fixed beforehand: the group that starts with n empty cells has the bounds n, n - 1, ... */
typedef struct {
    uint64_t product;    /* of the bounds */
    uint64_t rejected;   /* 2^64 mod product */
    int size;            /* number of bounds */
} draw_group;

/* The rests that one side can still fill. */
typedef struct {
    int fewest;                          /* slots of the shortest; n_slots + 1 if there is none */
    uint8_t *table;                      /* TABLE: [2^n_slots] 1 where a set holds a whole rest */
    uint64_t *masks;                     /* MASKS: [n_slots][width], filled up with masks that no
                                            side can cover */
    uint16_t start[MBX_MAX_CELLS + 1];   /* COUNT_DOWN: the rests through slot s are */
    uint16_t *lines;                     /*   lines[start[s] .. start[s + 1]) */
    uint8_t *lacking;                    /* COUNT_DOWN: [n_lines] slots of the rest; 0 if dead */
} side_rests;

typedef struct {
    bool finished, gravity;
    win_test test;
    int turn;                            /* the side that places the first stone */
    int n_slots;
    int n_columns;                       /* moves that are open; without gravity the slots */
    int n_lines;
    int width;                           /* MASKS: the most rests through one slot */
    unsigned win_threshold;              /* a stone can win if at most so many slots are empty
                                            before it; 1 where no stone ever can */
    uint8_t slot_move[MBX_MAX_CELLS];    /* the move that fills each slot */
    uint8_t column_start[MBX_MAX_CELLS + 1];
    uint8_t column_end[MBX_MAX_CELLS];
    uint8_t identity[MBX_MAX_CELLS + 1]; /* 0, 1, 2, ...: to start lists from */
    draw_group groups[MBX_MAX_CELLS + 1];
    side_rests sides[2];
} mbx_plan;

mbx_error mbx_plan_create(mbx_plan **plan, const mbx_position *position);
void mbx_plan_free(mbx_plan *plan);

#endif
