/* layers.h - the positions below a root, by plies, as dense arrays: no hash and no stored edges.
 *
 * Depth d is the layer of the positions with d stones more than the root.  Without gravity every
 * open cell is a column of one cell, so that one representation serves the whole family.  A position
 * is three numbers:
 *
 *     depth      number of stones that were placed since the root
 *     block      which cells they fill: the number of the profile, the heights of the columns
 *     rank       which of them are the root's mover's: the number of the pattern (patterns.h)
 *
 *     root  . . .     position  . x .     heights 1 2 1: cells a d | b e | c in columns;
 *           . . .               o x o     the placed, column by column: a b e c
 *                                         the mover's (o) among them:   1 0 0 1, bit 0 first
 *
 * Profiles of a layer are ranked in lexicographic order.  All blocks of a layer have the same size,
 * the number of patterns, so the index of a position in its layer is block * size + rank.  Stones of
 * both sides are shared out as play does it, but some entries are no positions: their game was over
 * before.
 *
 * A move adds a stone to a column: another block, and a bit inserted into the pattern at one place for
 * the whole block.  So the children of a block by one column are one mapping of ranks (mbx_map), the
 * same for all blocks with that place.
 *
 * With symmetry, profiles that are images of one another under a symmetry of the root share the block
 * of the least; a step to another profile of its class also permutes the bits of the patterns.
 */
#ifndef MBX_LAYERS_H
#define MBX_LAYERS_H

#include "patterns.h"
#include "position.h"

typedef struct {
    int64_t n_profiles;
    int64_t n_blocks;
    mbx_patterns patterns;          /* patterns.size is the size of a block */
    uint32_t *block_of_profile;     /* these three with symmetry only */
    uint8_t *symmetry_to_block;     /* by profile: the symmetry that takes it to its block's */
    uint32_t *profile_of_block;
} mbx_layer;

/* The lines that one side may still complete: of each the open cells, as cells of the layers. */
typedef struct {
    int n;
    int stride;
    uint8_t *cells;                 /* [n][stride] */
    uint8_t *lengths;
} mbx_open_lines;

typedef struct {
    const mbx_game *game;           /* must outlive the layers */
    int8_t board[MBX_MAX_CELLS];    /* the root's */
    int turn, status;               /* the root's */
    int n_cells;                    /* open cells, column by column from the bottom; 0 after the end */
    uint8_t cells[MBX_MAX_CELLS];   /* their cells on the board */
    int n_columns;
    uint8_t moves[MBX_MAX_CELLS];   /* by column; ascending */
    uint8_t capacity[MBX_MAX_CELLS];
    uint8_t first[MBX_MAX_CELLS];   /* the lowest cell of each column */
    uint8_t column[MBX_MAX_CELLS];  /* the column of each cell */
    mbx_open_lines lines[2];        /* of the root's mover, of the other side */
    int n_symmetries;               /* 1 where symmetry is not used */
    uint8_t *images;                /* [n_symmetries][n_cells]; the first is the identity */
    uint8_t *inverse;               /* by symmetry */
    int max_depth;                  /* of the layers that may be opened */
    int n_open;                     /* number of layers that are open: depths 0 .. n_open - 1 */
    uint64_t *ways;                 /* [n_columns + 1][n_cells + 1]: profiles of the columns from the
                                       first on with so many stones; UINT64_MAX for more */
    mbx_layer *layers;              /* [max_depth + 1] */
} mbx_layers;

/* The tables below a position, with layer 0 open.  max_depth is cut at the number of open cells and
 * at MBX_MAX_BITS. */
mbx_error mbx_layers_init(mbx_layers *layers, const mbx_position *root, bool symmetry,
                          int max_depth);
void mbx_layers_free(mbx_layers *layers);

/* Opens the next layer: MBX_TOO_LARGE at max_depth, MBX_CANCELLED.  After an error it is not open. */
mbx_error mbx_layers_open(mbx_layers *layers, mbx_cancel cancel);

/* Number of profiles and of patterns of any layer up to the number of open cells; UINT64_MAX for what
 * is not below 2^64. */
void mbx_layers_size(const mbx_layers *layers, int depth, uint64_t *n_profiles,
                     uint64_t *n_patterns);

/* Is the stone that leads from `depth` to the next layer the root's mover's? */
static inline int mbx_mover_bit(int depth)
{
    return ~depth & 1;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct {
    int depth;
    uint8_t heights[MBX_MAX_CELLS];     /* by column: placed stones */
    uint8_t start[MBX_MAX_CELLS + 1];   /* by column: the place of its lowest stone in the pattern */
} mbx_block;

/* A block's neighbour by one column: a child has a stone more there, a parent a stone less. */
typedef struct {
    int column;
    int place;          /* of the stone that one of them has more, in the larger one's pattern */
    int64_t profile;    /* of the neighbour */
} mbx_neighbour;

void mbx_block_at(const mbx_layers *layers, int depth, int64_t block, mbx_block *result);

/* Number of columns that are not full. */
int mbx_block_open(const mbx_layers *layers, const mbx_block *block);

/* Lists the children (parents) by ascending column and returns their number. */
int mbx_block_children(const mbx_layers *layers, const mbx_block *block,
                       mbx_neighbour neighbours[MBX_MAX_CELLS]);
int mbx_block_parents(const mbx_layers *layers, const mbx_block *block,
                      mbx_neighbour neighbours[MBX_MAX_CELLS]);

static inline int64_t mbx_block_of_profile(const mbx_layer *layer, int64_t profile)
{
    return layer->block_of_profile ? layer->block_of_profile[profile] : profile;
}

/* The ranks in the child's block of a block's positions, by rank.  `scratch` has room for a block's
 * ranks and is used where a symmetry makes the map. */
mbx_map mbx_map_to_child(const mbx_layers *layers, const mbx_block *block,
                         const mbx_neighbour *child, uint32_t *scratch);

/* The ranks in this block of the positions of the parent's block, after the move between them.
 * `scratch` has room for the parent block's ranks. */
mbx_map mbx_map_from_parent(const mbx_layers *layers, const mbx_block *block,
                            const mbx_neighbour *parent, uint32_t *scratch);

/* Of each pattern of a block, the number of symmetries that leave the position as it is, 0 where
 * another pattern of the block is the same position and has a lower rank.  `scratch` has room for a
 * block's ranks.  false, with nothing written, where no symmetry but the identity keeps the block. */
bool mbx_block_stabilisers(const mbx_layers *layers, const mbx_block *block, uint8_t *stabilisers,
                           uint32_t *scratch);

/* Of each pattern of a block, the lowest rank of a pattern that is the same position.  As above. */
bool mbx_block_first_of_class(const mbx_layers *layers, const mbx_block *block, uint32_t *ranks,
                              uint32_t *scratch);

/* Marks the patterns with a completed line: bit 0 where the root's mover has one, bit 1 where the other
 * side has.  false, with nothing written, where none can have. */
bool mbx_block_wins(const mbx_layers *layers, const mbx_block *block, uint8_t *wins);

/* ---- positions ------------------------------------------------------------------------------- */

/* Where a position of the same game is.  false where it is not below the root or its layer is not
 * open. */
bool mbx_layers_find(const mbx_layers *layers, const mbx_position *position, int *depth,
                     int64_t *index);

/* The board of a position: n_cells values. */
void mbx_layers_board(const mbx_layers *layers, int depth, int64_t index, int8_t *cells);

#endif
