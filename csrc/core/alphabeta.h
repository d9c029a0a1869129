/* alphabeta.h - a search to a depth: its options, and what it keeps from depth to depth.
 *
 * docs/alphabeta.md defines the value that is searched for.  The search itself is compiled for every
 * instruction set: start reading at search_node in ../kernel/alphabeta_search.h.
 *
 * It works on an image of the position, so cells and moves in here are those of the image;
 * `original` leads back.
 */
#ifndef MBX_ALPHABETA_H
#define MBX_ALPHABETA_H

#include "line_board.h"
#include "transpositions.h"

typedef enum { MBX_MINIMAX, MBX_ALPHABETA, MBX_SCOUT, MBX_PVS, MBX_MTDF } mbx_algorithm;
typedef enum { MBX_BY_LINES, MBX_BY_THREATS, MBX_BY_CALL } mbx_evaluation;

/* Evaluates n boards of n_cells values each for their side to move, which is the same in all; false
 * where it failed, which stops the search.  It is asked about no boards, n = 0, now and then, and can
 * stop the search by that. */
typedef bool mbx_evaluate(void *context, const int8_t *boards, int n, int32_t *scores);

enum { MBX_THREAT_WEIGHTS = 3 };

typedef struct {
    mbx_algorithm algorithm;
    mbx_evaluation evaluation;
    int32_t weights[MBX_MAX_CELLS];         /* of lines, see line_board.h */
    int32_t threats[MBX_THREAT_WEIGHTS];    /* open, parity with the side, parity against it */
    uint64_t table_entries;                 /* 0: no table */
    bool symmetry;                          /* search one of moves that are images of each other */
    bool extend;                            /* replies to threats cost no depth */
    bool forced, table_move, killers, history, gain;    /* what orders the moves */
} mbx_alphabeta_options;

/* A value is exact if alpha < value < beta; it is up to alpha or from beta on where it is a bound, which
 * the true one does not exceed or does reach. */
typedef struct {
    int32_t alpha, beta;
} mbx_window;

/* A move at the root. */
typedef struct {
    uint8_t move, cell;
    uint8_t image_of;           /* the least move that it is an image of; itself: it is searched */
    int32_t lower, upper;       /* of its score, for the side that makes it */
} mbx_root_move;

/* A move at a node; the one with the largest rank is looked at first. */
typedef struct {
    int32_t rank, bound;        /* bound: its value is at most that; see last_two_plies */
    uint8_t cell;
} mbx_candidate;

enum {
    MBX_KILLERS = 2,
    MBX_SET_WORDS = 4           /* of 64 cells: a set of cells */
};

typedef struct {
    mbx_alphabeta_options options;
    const mbx_game *game;
    mbx_line_board board;
    mbx_transpositions table;
    int root_ply;
    uint8_t original[MBX_MAX_CELLS];        /* of a cell of the image */
    int n_moves;
    mbx_root_move *moves;                   /* in the order in which they are looked at */
    uint64_t *meets;                        /* by cell, a set: the cells that share a line with it */
    int32_t (*history)[MBX_MAX_CELLS];      /* by side and cell */
    uint8_t (*killers)[MBX_KILLERS];        /* by ply */
    mbx_candidate *candidates;              /* by ply, n_moves each */
    uint8_t *variations;                    /* by ply, n_cells + 1 each: how many moves, the moves */
    int8_t *boards;                         /* n_moves of them, for mbx_evaluate, */
    int32_t *scores;                        /*   which writes their scores */
    int32_t gain_rank, margin;              /* see rank_of and search_around */
    int32_t last_values[2];                 /* of the last two depths, by depth % 2; or MBX_INFINITE */
    mbx_evaluate *evaluate;                 /* with its context, if evaluation is MBX_BY_CALL */
    void *context;
    int32_t value;                          /* of the root, or a bound where a window was given */
    uint64_t nodes;
    uint64_t next_poll;
    mbx_cancel cancel;
    bool is_stopped;                        /* then no value counts */
} mbx_alphabeta;

/* MBX_NO_MEMORY.  The game must outlive it. */
mbx_error mbx_alphabeta_create(mbx_alphabeta **search, const mbx_game *game,
                               const mbx_alphabeta_options *options);
void mbx_alphabeta_free(mbx_alphabeta *search);

/* Begins a search of a position that is not finished; the table keeps what it knows. */
void mbx_alphabeta_set(mbx_alphabeta *search, const mbx_position *position);

/* After a search: the expected moves, cells of the image, the first for the side to move at the root.
 * Returns how many. */
int mbx_alphabeta_variation(const mbx_alphabeta *search, uint8_t *cells);

/* The value of a position that is not finished, by evaluation alone. */
int32_t mbx_alphabeta_evaluate(mbx_alphabeta *search);

MBX_INLINE int mbx_alphabeta_left(const mbx_alphabeta *search)
{
    return search->game->n_cells - search->board.ply;
}

MBX_INLINE uint8_t *mbx_variation(const mbx_alphabeta *search, int height)
{
    return search->variations + (size_t)height * (size_t)(search->game->n_cells + 1);
}

#endif
