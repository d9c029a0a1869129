/* rows.h - the straight rows of cells of a board, in which lines lie.
 *
 * A board is `width` times `depth` columns of `height` cells, numbered column by column:
 * cell = (x + width * y) * height + h.  (A board without gravity is one with x for h and y for x.)
 */
#ifndef MBX_ROWS_H
#define MBX_ROWS_H

#include "../core/base.h"

/* The longest straight row of cells in one direction from a cell at the edge. */
typedef struct {
    uint8_t start, length;
    int16_t stride;
} mbx_cell_row;

enum {
    MBX_FLAT_DIRECTIONS = 4,
    MBX_DIRECTIONS = 13,
    MBX_MAX_ROWS = MBX_DIRECTIONS * MBX_MAX_CELLS
};

/* Cells from `at` to the edge of an axis in the direction `step`, itself included. */
MBX_INLINE int mbx_cells_ahead(int at, int step, int length)
{
    return step > 0 ? length - at : step < 0 ? at + 1 : MBX_MAX_CELLS;
}

MBX_INLINE int mbx_least(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* The row that starts at column (x, y), height h, in direction d of 13, the first four of which are
 * those of a flat board; its length is 0 if the cell before it is on the board too. */
MBX_INLINE mbx_cell_row mbx_row_from(int width, int depth, int height, int d, int x, int y, int h)
{
    /* up; sideways with and without rising or falling; every direction once */
    const int dh = d == 0 ? 1 : (d - 1) % 3 - 1;
    const int dx = d == 0 ? 0 : d < 4 ? 1 : (d - 4) / 3 - 1;
    const int dy = d < 4 ? 0 : 1;
    const int behind = mbx_least(mbx_cells_ahead(x, -dx, width),
                                 mbx_cells_ahead(y, -dy, depth),
                                 mbx_cells_ahead(h, -dh, height));
    const int ahead = mbx_least(mbx_cells_ahead(x, dx, width),
                                mbx_cells_ahead(y, dy, depth),
                                mbx_cells_ahead(h, dh, height));
    return (mbx_cell_row){.start = (uint8_t)((x + width * y) * height + h),
                          .length = behind > 1 ? 0 : (uint8_t)ahead,
                          .stride = (int16_t)((dx + width * dy) * height + dh)};
}

#endif
