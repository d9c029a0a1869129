/* playouts.c - cuts ranges of playouts into blocks and hands them to a kernel. */
#include "playouts.h"

#include <stdlib.h>
#include <string.h>

/* What the caller asked for. */
typedef struct {
    const mbx_kernel *kernel;
    const mbx_position *positions;
    size_t n_rows;
    mbx_seed seed;
    uint64_t first_row, first, number, block_size;
    mbx_cancel cancel;
    int64_t (*counts)[MBX_OUTCOMES];
} request;

static int64_t (*counts_of_row(const request *r, size_t row))[MBX_OUTCOMES]
{
    return r->counts + row * (size_t)r->positions->game->n_moves;
}

/* The part [begin, end) of a block that was asked for. */
static void part_of_block(const request *r, uint64_t block, int *begin, int *end)
{
    const uint64_t from = block * r->block_size, to = r->first + r->number;
    *begin = (int)(r->first > from ? r->first - from : 0);
    *end = (int)(to - from < r->block_size ? to - from : r->block_size);
}

static bool is_same_board(const mbx_position *a, const mbx_position *b)
{
    return memcmp(a->cells, b->cells, (size_t)a->game->n_cells) == 0;
}

static mbx_error play_free_rows(const request *r)
{
    mbx_free_plan plan;
    uint8_t *lines = malloc(mbx_free_plan_room(r->positions->game));
    if (!lines)
        return MBX_NO_MEMORY;
    const uint64_t last = (r->first + r->number - 1) / r->block_size;
    const mbx_position *planned = NULL;
    mbx_error error = MBX_OK;
    for (size_t row = 0; row < r->n_rows && error == MBX_OK; row++) {
        if (r->positions[row].status != MBX_PLAYING)
            continue;
        if (planned == NULL || !is_same_board(planned, &r->positions[row]))
            mbx_free_plan_init(&plan, &r->positions[row], lines);
        planned = &r->positions[row];
        for (uint64_t block = r->first / r->block_size; block <= last && error == MBX_OK; block++) {
            int begin, end;
            part_of_block(r, block, &begin, &end);
            const mbx_block_key key = mbx_key_of_block(r->seed, r->first_row + row, block);
            if (mbx_cancelled(r->cancel))
                error = MBX_CANCELLED;
            else
                r->kernel->play_free(&plan, &key, begin, end, counts_of_row(r, row));
        }
    }
    free(lines);
    return error;
}

/* Walks over the blocks of a request, each of which is a unit.  A block of which the beginning was
 * not asked for is played twice: up to its end, and to take away the games before the beginning. */
typedef struct {
    mbx_unit_source source;
    const request *request;
    size_t row;
    uint64_t block;
    bool takes_away;
} unit_walk;

/* Goes on to the next unit, block or row. */
static void step_walk(unit_walk *walk)
{
    const request *r = walk->request;
    walk->takes_away = !walk->takes_away;
    if (walk->takes_away || ++walk->block <= (r->first + r->number - 1) / r->block_size)
        return;
    walk->block = r->first / r->block_size;
    walk->row++;
}

static bool next_unit(mbx_unit_source *source, mbx_unit *unit)
{
    unit_walk *walk = (unit_walk *)source;
    const request *r = walk->request;
    while (walk->row < r->n_rows) {
        const mbx_position *position = &r->positions[walk->row];
        if (position->status != MBX_PLAYING) {
            walk->row++;
            continue;
        }
        int begin, end;
        part_of_block(r, walk->block, &begin, &end);
        const int games = walk->takes_away ? begin : end;
        if (games == 0) {
            step_walk(walk);
            continue;
        }
        const mbx_block_key key = mbx_key_of_block(r->seed, r->first_row + walk->row, walk->block);
        *unit = (mbx_unit){.position = position,
                           .generator = mbx_rng_of_block(&key, 0),
                           .games = (uint32_t)games,
                           .sign = walk->takes_away ? -1 : 1,
                           .counts = counts_of_row(r, walk->row)};
        step_walk(walk);
        return true;
    }
    return false;
}

static mbx_error play_gravity_rows(const request *r)
{
    mbx_cell_row rows[MBX_MAX_ROWS];
    const mbx_gravity_shape shape = mbx_gravity_shape_of(r->positions->game, rows);
    unit_walk walk = {.source = {next_unit, r->cancel}, .request = r,
                      .block = r->first / r->block_size};
    bool from_empty = true;
    for (size_t row = 0; row < r->n_rows; row++)
        from_empty &= r->positions[row].ply == 0;
    r->kernel->play_gravity(&shape, from_empty, &walk.source);
    return mbx_cancelled(r->cancel) ? MBX_CANCELLED : MBX_OK;
}

mbx_error mbx_playout_counts(const mbx_kernel *kernel, const mbx_position *positions,
                             size_t n_rows, mbx_seed seed, uint64_t first_row, uint64_t first,
                             uint64_t number, mbx_cancel cancel, int64_t (*counts)[MBX_OUTCOMES])
{
    if (n_rows == 0 || number == 0)
        return MBX_OK;
    const mbx_game *game = positions->game;
    const request r = {kernel, positions, n_rows, seed, first_row, first, number,
                       mbx_playout_block(game), cancel, counts};
    return game->gravity ? play_gravity_rows(&r) : play_free_rows(&r);
}
