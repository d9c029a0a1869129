/* columns_body.h - solving flat boards with gravity: one source for every instruction set.
 *
 * A board is a number; every column has a bit for each of its cells and a guard bit on top:
 *
 *      5 11 17        guard       three columns of height 5: a cell's neighbours are 1 away upward,
 *      4 10 16                    6 sideways and 5 or 7 on the diagonals, and no line can run over
 *      3  9 15                    the edge without a guard bit in it
 *      2  8 14
 *      1  7 13
 *      0  6 12
 *
 * `mine` are the stones of the side to move, `mask` those of both.  mask + bottom has a bit in the
 * lowest empty cell of every column, and mine + mask + bottom differs for all positions.
 *
 * What makes the search fast, in the order in which a node does it:
 *   - the cells that complete a line of the other side are found with a few shifts; who must parry
 *     one plays there, who must parry two has lost, and nobody plays below one;
 *   - two static bounds (cannot_win in columns_search.h);
 *   - the table; positions with a single sensible move do not go through it;
 *   - of the moves, one after which two threats are open, or one right above the other, wins;
 *     the others are ordered by the threats that they leave, the centre, and how often the cell has
 *     cut off a search at that parity before (a history);
 *   - what the table knows about the positions after the moves may end the search before it begins.
 *
 * Sources: James D. Allen and Victor Allis, 1988 (follow-up, claimeven); John Tromp (threats by
 * shifts, the unique number); Pascal Pons's articles on solving Connect Four (null windows, moves
 * that do not lose at once, ordering by threats); Aske Plaat, 1996 (enhanced
 * transposition cutoffs).
 *
 * Start reading at search in columns_search.h.  It is compiled for boards that fit in 64 bits and
 * narrow entries of the table, and, where the compiler has them, for 128 bits and wide entries; for
 * common sizes with shifts that the compiler knows.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_COLUMNS = 16,      /* so that the frames of a search stay small */
    EARLY = 3,              /* mirror images matter in the first third of a game */
    TABLE_EMPTY = 7,        /* with fewer empty cells a search is faster than the table */
    LOOK_AHEAD_EMPTY = 12,
    MOST_HISTORY = 200
};

#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)

static int columns_key_bits(const mbx_game *game)
{
    return game->shape[0] * (game->shape[1] + 1);
}

/* With two columns every shift is shorter than the number. */
static bool has_columns(const mbx_game *game)
{
    return game->gravity && game->n_axes == 2 && game->shape[0] >= 2
           && game->shape[0] <= MOST_COLUMNS && game->n_lines > 0;
}

/* A cell ended a search, or was tried before the one that did. */
MBX_INLINE void remember(int32_t *history, bool ended)
{
    const int32_t value = *history + (ended ? 8 : -*history / 8 - 1);
    *history = value > MOST_HISTORY ? MOST_HISTORY : value < -MOST_HISTORY ? -MOST_HISTORY : value;
}

/* --- 64 bits -------------------------------------------------------------------------------- */

#define NAME(name) JOIN(name, _64)
#define BITS 64
#define COLUMNS_NAME "columns64"
typedef uint64_t board_64;
#include "columns_board.h"

#define SEARCH search_4x4_64
#define HEIGHT 4
#define IN_A_ROW 4
#include "columns_search.h"
#define SEARCH search_5x4_64
#define HEIGHT 5
#define IN_A_ROW 4
#include "columns_search.h"
#define SEARCH search_6x4_64
#define HEIGHT 6
#define IN_A_ROW 4
#include "columns_search.h"
#define SEARCH search_7x4_64
#define HEIGHT 7
#define IN_A_ROW 4
#include "columns_search.h"
#define SEARCH search_any_64
#define HEIGHT columns->height
#define IN_A_ROW columns->k
#include "columns_search.h"

static board_search *choose_64(const mbx_game *game)
{
    static board_search *const by_height[] = {search_4x4_64, search_5x4_64, search_6x4_64,
                                                 search_7x4_64};
    const int height = game->shape[1];
    return game->k == 4 && height >= 4 && height <= 7 ? by_height[height - 4] : search_any_64;
}
#include "columns_method.h"
#undef NAME
#undef BITS
#undef COLUMNS_NAME

/* --- 128 bits ------------------------------------------------------------------------------- */

#if defined(__SIZEOF_INT128__)
#define NAME(name) JOIN(name, _128)
#define BITS 128
#define COLUMNS_NAME "columns128"
typedef unsigned __int128 board_128;
#include "columns_board.h"

#define SEARCH search_7x4_128
#define HEIGHT 7
#define IN_A_ROW 4
#include "columns_search.h"
#define SEARCH search_8x4_128
#define HEIGHT 8
#define IN_A_ROW 4
#include "columns_search.h"
#define SEARCH search_any_128
#define HEIGHT columns->height
#define IN_A_ROW columns->k
#include "columns_search.h"

static board_search *choose_128(const mbx_game *game)
{
    const int height = game->shape[1];
    return game->k != 4 ? search_any_128 : height == 7 ? search_7x4_128
           : height == 8 ? search_8x4_128 : search_any_128;
}
#include "columns_method.h"
#undef NAME
#undef BITS
#undef COLUMNS_NAME
#endif

static const mbx_method *const column_methods[] = {
    &method_64,
#if defined(__SIZEOF_INT128__)
    &method_128,
#endif
    NULL
};
