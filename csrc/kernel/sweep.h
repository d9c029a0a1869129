/* sweep.h - passes over the layers of positions: forward from the root, backward from the end.
 *
 * A pass goes layer by layer; of each it fills dense arrays (an entry a position of the layer, layers.h)
 * from those of the layer before it in the pass.  Blocks of a layer are independent: any range of them
 * may be filled by any thread.  What a pass gives for the positions that can be reached, the nodes of
 * the graph, it writes to arrays by node.
 *
 * Sides are the root's mover (0) and the other one (1) throughout; only `states` and arrays by node speak
 * of the first and the second side.
 */
#ifndef MBX_SWEEP_H
#define MBX_SWEEP_H

#include "../core/layers.h"
#include "../core/wide.h"

/* What an entry of a layer is: nothing that play leads to, a position in play, or STATE_OVER + its
 * outcome. */
enum { MBX_UNREACHED = 0, MBX_IN_PLAY = 1, MBX_STATE_OVER = 2 };

/* How numbers of ways are kept: uint64_t, mbx_wide, or double. */
typedef enum { MBX_NO_NUMBERS, MBX_NARROW, MBX_WIDE, MBX_DOUBLE } mbx_number;

/* ---- forward ---------------------------------------------------------------------------------
 *
 * A position is reached if a parent in play is.  Optionally ways are summed: the root has one; a parent
 * in play gives each child its own number, times multiple / number of open columns where multiple is not
 * 0.  So with 0 the sums are numbers of games, otherwise multiple^depth times chances of random play (in
 * doubles with multiple 1: the chances).
 */
typedef struct {
    const mbx_layers *layers;
    int depth;
    uint8_t *states;                /* of the layer */
    const uint8_t *states_above;    /* of the layer above; NULL at depth 0 */
    uint8_t *is_node;               /* 0 or 1: reached and, with symmetry, the first of its class */
    int64_t *n_nodes;               /* by block */
    int64_t *n_in_play;             /* by block: nodes in play */
    uint8_t *copies;                /* with symmetry, or NULL: number of positions that a node stands for */
    mbx_number number;
    uint32_t multiple;
    void *sums;
    const void *sums_above;
    void *ended;                    /* by block and outcome (first, second, draw): sums of finished ones */
} mbx_forward;

/* Fills ids with the node of every entry, from `first_id` on for the first of the layer; with symmetry, of
 * the first entry of its class.  Other entries get any number. */
mbx_error mbx_number_nodes(const mbx_layers *layers, int depth, const uint8_t *node_bits,
                           int32_t first_id, int32_t *ids);

/* ---- backward --------------------------------------------------------------------------------- */

/* How a side chooses among its moves. */
typedef enum {
    MBX_UNIFORM,
    MBX_OPTIMAL,        /* evenly among the moves of the best value */
    MBX_FASTEST,        /* of these, the soonest win and the latest loss */
    MBX_PMC_WIN,        /* evenly among the best in random play: the most wins, then draws */
    MBX_PMC_SCORE,      /* the most wins + draws / 2 */
    MBX_WEIGHTS         /* by the chances that an array gives */
} mbx_policy;

/* A score is 0 for a draw; MBX_WON - plies to the end for a win of the side to move; its negative for a
 * loss. */
enum { MBX_WON = 100 };

typedef struct {
    int8_t *scores;
    void *ways[MBX_OUTCOMES];           /* of the sides' wins and of draws; the last one may be NULL */
    double *chances[MBX_OUTCOMES];      /* under the policies */
} mbx_values;                           /* of one layer, by entry; NULL for what is not wanted */

typedef struct {
    const mbx_layers *layers;
    int depth;
    mbx_values here, below;             /* below: of the layer below, empty at the last depth */

    mbx_number number;                  /* of ways */
    mbx_wide weight;                    /* the ways of a finished position of this layer ... */
    mbx_wide weight_below;              /* ... and of the one below; not used with doubles, where it is 1 */
    uint32_t multiple;                  /* a parent has multiple / its open columns times the sum of its
                                           children's ways; with 0 just the sum */
    mbx_policy policy;                  /* of the side to move in this layer; it needs the scores or the
                                           ways below */
    const double *edge_weights;         /* MBX_WEIGHTS: by edge of the graph */

    /* The nodes of the layer, NULL without a graph. */
    const uint8_t *node_bits;           /* a bit an entry of the layer, from bit 0 of byte 0 on */
    const int64_t *first_node;          /* by block: its first node, counted from the layer's */
    const int64_t *first_edge;          /* by block: the first edge of its nodes, over all layers */
    const int8_t *statuses;             /* by node of the layer */

    /* Results by node of the layer, NULL for what is not wanted. */
    int8_t *node_scores;
    double *node_quotients;             /* [node][outcome]: ways / weight, correctly rounded */
    void *node_ways;                    /* [node][outcome] */
    double *node_chances;               /* [node][outcome] */
    uint64_t *node_best;                /* bit c: a move in column c keeps the value */
    uint64_t *node_fastest;             /* and the distance */
    uint8_t *node_moves;                /* [node][3]: moves that win, draw, lose */
    const int32_t *ids_below;           /* by entry of the layer below: its node */
    int32_t *edge_children;             /* by edge, over all layers: the node that it leads to ... */
    uint8_t *edge_moves;                /* ... and the move */
    double *edge_policy;                /* by edge, over all layers: 1 for the moves that the policy
                                           chooses among, 0 for others; weights as they are */
} mbx_backward;

/* These fill n_blocks blocks from `first` on: MBX_NO_MEMORY, MBX_CANCELLED. */
typedef mbx_error mbx_sweep_forward(const mbx_forward *pass, int64_t first, int64_t n_blocks,
                                    mbx_cancel cancel);
typedef mbx_error mbx_sweep_backward(const mbx_backward *pass, int64_t first, int64_t n_blocks,
                                     mbx_cancel cancel);

#endif
