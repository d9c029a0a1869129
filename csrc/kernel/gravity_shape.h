/* gravity_shape.h - a board under gravity as the kernels see it: its columns, how they are
 * drawn, and the rows of cells (rows.h) in which a line can lie.
 */
#ifndef MBX_GRAVITY_SHAPE_H
#define MBX_GRAVITY_SHAPE_H

#include "rows.h"

#include "../core/position.h"

typedef struct {
    int width, depth;           /* columns in a row, rows of columns */
    int height, k;
    int n_columns;
    int n_bits;                 /* of a column's number */
    int n_tries;                /* of a draw: at most one game in 16 is left without a column */
    int n_rows;
    const mbx_cell_row *rows;   /* of at least k cells */
} mbx_gravity_shape;

enum { MBX_UNIT_LANES = 64 };   /* games that are played at a time of a block */

/* The shape of a game; `rows` is filled and must live as long as the shape. */
static inline mbx_gravity_shape mbx_gravity_shape_of(const mbx_game *game,
                                                     mbx_cell_row rows[MBX_MAX_ROWS])
{
    mbx_gravity_shape s = {.width = game->shape[0],
                           .depth = game->n_axes == 3 ? game->shape[1] : 1,
                           .height = game->height, .k = game->k, .n_columns = game->n_moves,
                           .rows = rows};
    while (1 << s.n_bits < s.n_columns)
        s.n_bits++;
    const double missed = 1 - (double)s.n_columns / (1 << s.n_bits);
    double left = missed;
    for (s.n_tries = 1; left > 1.0 / 16; s.n_tries++)
        left *= missed;
    const int n_directions = s.k == 1 ? 1 /* a line is a cell */
                             : s.depth == 1 ? MBX_FLAT_DIRECTIONS
                                            : MBX_DIRECTIONS;
    for (int d = 0; d < n_directions; d++)
        for (int cell = 0; cell < game->n_cells; cell++) {
            const int column = cell / s.height;
            const mbx_cell_row row = mbx_row_from(s.width, s.depth, s.height, d, column % s.width,
                                                  column / s.width, cell % s.height);
            if (row.length >= s.k)
                rows[s.n_rows++] = row;
        }
    return s;
}

#endif
