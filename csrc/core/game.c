/* game.c - lines and symmetries of a board, counted from its shape alone. */
#include "game.h"

#include <stdlib.h>
#include <string.h>

/* One of every pair of opposite directions: the 13 whose first non-zero component, seen from the
 * last axis, is positive. */
enum { N_DIRECTIONS = 13 };

static void direction(int index, int step[3])
{
    int code = index + N_DIRECTIONS + 1; /* 14 .. 26: the upper half of the base-3 numbers */
    for (int axis = 0; axis < 3; axis++) {
        step[axis] = code % 3 - 1;
        code /= 3;
    }
}

static int cell_at(const mbx_game *game, const int at[3])
{
    return at[0] + game->shape[0] * (at[1] + game->shape[1] * at[2]);
}

static void coordinates(const mbx_game *game, int cell, int at[3])
{
    at[0] = cell % game->shape[0];
    at[1] = cell / game->shape[0] % game->shape[1];
    at[2] = cell / game->shape[0] / game->shape[1];
}

/* Does a line of k cells from `start` in direction `step` stay on the board? */
static bool line_fits(const mbx_game *game, const int start[3], const int step[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int end = start[axis] + step[axis] * (game->k - 1);
        if (end < 0 || end >= game->shape[axis])
            return false;
    }
    return true;
}

/* Counts the lines and, where `lines` is given, writes them. */
static int list_lines(const mbx_game *game, uint8_t *lines)
{
    int longest = 0;
    for (int axis = 0; axis < 3; axis++)
        longest = game->shape[axis] > longest ? game->shape[axis] : longest;
    if (game->k > longest)
        return 0;
    int n_lines = 0;
    int n_directions = game->k == 1 ? 1 : N_DIRECTIONS; /* a single cell has no direction */
    for (int cell = 0; cell < game->n_cells; cell++) {
        for (int d = 0; d < n_directions; d++) {
            int at[3], step[3];
            coordinates(game, cell, at);
            direction(d, step);
            if (!line_fits(game, at, step))
                continue;
            for (int i = 0; lines != NULL && i < game->k; i++) {
                *lines++ = (uint8_t)cell_at(game, at);
                for (int axis = 0; axis < 3; axis++)
                    at[axis] += step[axis];
            }
            n_lines++;
        }
    }
    return n_lines;
}

static mbx_error init_lines(mbx_game *game)
{
    game->n_lines = list_lines(game, NULL);
    size_t n_entries = game->n_lines ? (size_t)game->n_lines * (size_t)game->k : 0;
    game->lines = malloc(n_entries + 1);
    game->cell_lines = malloc((n_entries + 1) * sizeof *game->cell_lines);
    game->cell_start = calloc((size_t)game->n_cells + 2, sizeof *game->cell_start);
    if (!game->lines || !game->cell_lines || !game->cell_start)
        return MBX_NO_MEMORY;
    list_lines(game, game->lines);

    /* A counting sort of the entries by cell: cell_start is shifted by one while it counts. */
    uint16_t *start = game->cell_start;
    for (size_t i = 0; i < n_entries; i++)
        start[game->lines[i] + 2]++;
    for (int cell = 0; cell < game->n_cells; cell++)
        start[cell + 1] = (uint16_t)(start[cell + 1] + start[cell]);
    for (size_t i = 0; i < n_entries; i++)
        game->cell_lines[start[game->lines[i] + 1]++] = (uint16_t)(i / (size_t)game->k);
    return MBX_OK;
}

/* The image of every cell when axis a of the image is axis order[a] of the board, mirrored where
 * bit a of `mirrored` is set; false where the shape changes or gravity's axis does. */
static bool image(const mbx_game *game, const int order[3], unsigned mirrored, uint8_t *images)
{
    int last = game->n_axes - 1;
    if (game->gravity && (order[last] != last || (mirrored >> last & 1)))
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (game->shape[axis] != game->shape[order[axis]])
            return false;
    for (int cell = 0; cell < game->n_cells; cell++) {
        int from[3], to[3];
        coordinates(game, cell, from);
        for (int axis = 0; axis < 3; axis++) {
            int value = from[order[axis]];
            to[axis] = mirrored >> axis & 1 ? game->shape[axis] - 1 - value : value;
        }
        images[cell] = (uint8_t)cell_at(game, to);
    }
    return true;
}

static bool is_known(const mbx_game *game, const uint8_t *candidate)
{
    size_t n = (size_t)game->n_cells;
    for (int s = 0; s < game->n_symmetries; s++)
        if (memcmp(game->symmetries + (size_t)s * n, candidate, n) == 0)
            return true;
    return false;
}

static mbx_error init_symmetries(mbx_game *game)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                     {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    enum { MAX_SYMMETRIES = 48 };
    size_t n = (size_t)game->n_cells;
    game->symmetries = malloc((MAX_SYMMETRIES + 1) * n); /* one more: the candidate */
    if (!game->symmetries)
        return MBX_NO_MEMORY;
    int n_orders = game->n_axes == 2 ? 2 : 6;
    for (int o = 0; o < n_orders; o++)
        for (unsigned mirrored = 0; mirrored < 8; mirrored++) {
            uint8_t *candidate = game->symmetries + (size_t)game->n_symmetries * n;
            if (image(game, orders[o], mirrored, candidate) && !is_known(game, candidate))
                game->n_symmetries++;
        }
    return MBX_OK;
}

mbx_error mbx_game_init(mbx_game *game, int n_axes, const int *shape, int k, bool gravity)
{
    memset(game, 0, sizeof *game);
    if (n_axes < 2 || n_axes > 3 || k < 1)
        return MBX_BAD_GAME;
    game->n_axes = n_axes;
    game->k = k;
    game->gravity = gravity;
    game->n_cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        int side = axis < n_axes ? shape[axis] : 1;
        if (side < 1 || side > MBX_MAX_CELLS || game->n_cells * side > MBX_MAX_CELLS)
            return MBX_BAD_GAME;
        game->shape[axis] = side;
        game->n_cells *= side;
    }
    game->height = gravity ? game->shape[n_axes - 1] : 1;
    game->n_moves = game->n_cells / game->height;
    mbx_error error = init_lines(game);
    if (error == MBX_OK)
        error = init_symmetries(game);
    if (error != MBX_OK)
        mbx_game_free(game);
    return error;
}

void mbx_game_free(mbx_game *game)
{
    free(game->lines);
    free(game->cell_start);
    free(game->cell_lines);
    free(game->symmetries);
    memset(game, 0, sizeof *game);
}

bool mbx_game_equal(const mbx_game *a, const mbx_game *b)
{
    return a == b || (a->n_axes == b->n_axes && a->k == b->k && a->gravity == b->gravity
                      && memcmp(a->shape, b->shape, sizeof a->shape) == 0);
}
