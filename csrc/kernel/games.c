/* games.c - plays the stream of docs/stream.md on positions, game by game. */
#include "games.h"

#include <stdlib.h>
#include <string.h>

/* One block, of whose games [begin, end) are wanted, the first as row `at` of the result. */
typedef struct {
    const mbx_position *start;
    mbx_block_key key;
    int begin, end;
    uint64_t at;
    mbx_games *games;
    mbx_cancel cancel;
} block_of_games;

/* A game in progress; number -1: a lane that has none. */
typedef struct {
    mbx_position position;
    int number;
} lane_game;

static void begin_game(lane_game *game, const mbx_position *start, int number)
{
    game->position = *start;
    game->position.first_ply = start->ply;
    game->number = number;
}

static void write_game(const block_of_games *block, const lane_game *game)
{
    if (game->number < block->begin || game->number >= block->end)
        return;
    const mbx_position *position = &game->position;
    const uint64_t row = block->at + (uint64_t)(game->number - block->begin);
    const int n_moves = position->ply - position->first_ply;
    uint8_t *moves = block->games->moves + row * (uint64_t)block->games->n_empty;
    memset(moves, 255, (size_t)block->games->n_empty);
    for (int i = 0; i < n_moves; i++)
        moves[i] = (uint8_t)mbx_move_of_cell(
            position->game, position->history[position->first_ply + i]);
    block->games->lengths[row] = n_moves;
    block->games->outcomes[row] = (int8_t)position->status;
}

/* The two outputs that give a group's sixteen lanes a word each. */
static void take_outputs(mbx_rng pair[2], uint16_t words[MBX_GROUP])
{
    for (int i = 0; i < 4; i++) {
        const uint64_t word = mbx_rng_next(&pair[i % 2]);
        for (int j = 0; j < 4; j++)
            words[i * 4 + j] = (uint16_t)(word >> 16 * j);
    }
}

static void draw_words(mbx_rng pair[2], uint32_t product, uint16_t words[MBX_GROUP])
{
    const uint32_t rejected = 65536 % product;
    bool is_rejected[MBX_GROUP], again = true;
    take_outputs(pair, words);
    while (again) {
        uint16_t fresh[MBX_GROUP];
        again = false;
        for (int lane = 0; lane < MBX_GROUP; lane++) {
            is_rejected[lane] = (words[lane] * product & 0xFFFF) < rejected;
            again |= is_rejected[lane];
        }
        if (again)
            take_outputs(pair, fresh);
        for (int lane = 0; lane < MBX_GROUP; lane++)
            if (is_rejected[lane])
                words[lane] = fresh[lane];
    }
}

static int take_digit(uint16_t *word, uint32_t factor)
{
    const uint32_t product = *word * factor;
    *word = (uint16_t)product;
    return (int)(product >> 16);
}

static void play_slot(lane_game *game, int cell)
{
    if (game->position.status == MBX_PLAYING)
        mbx_position_push(&game->position, cell);
}

/* Plays a batch's sixteen games of one group in orders made by insertion. */
static void play_by_insertion(const mbx_free_plan *plan, mbx_rng pair[2],
                              lane_game lanes[MBX_GROUP])
{
    uint8_t places[MBX_INSERTION_SLOTS][MBX_GROUP] = {{0}};
    int slot = plan->n_slots < 3 ? 1 : 2;
    for (int i = 0; i < plan->n_groups; i++) {
        uint16_t words[MBX_GROUP];
        draw_words(pair, plan->groups[i].product, words);
        for (int j = 0; j < plan->groups[i].n_factors; j++, slot++)
            for (int lane = 0; lane < MBX_GROUP; lane++)
                places[slot][lane] =
                    (uint8_t)take_digit(&words[lane], plan->groups[i].factors[j]);
    }
    for (int lane = 0; lane < MBX_GROUP; lane++) {
        uint8_t order[MBX_INSERTION_SLOTS];
        if (plan->n_slots >= 3) {
            places[1][lane] = places[2][lane] % 2;
            places[2][lane] /= 2;
        }
        for (int i = 0; i < plan->n_slots; i++) {
            const int place = places[i][lane];
            memmove(order + place + 1, order + place, (size_t)(i - place));
            order[place] = (uint8_t)i;
        }
        for (int time = 0; time < plan->n_slots; time++)
            play_slot(&lanes[lane], plan->slot_cell[order[time]]);
    }
}

static bool are_over(const lane_game lanes[MBX_GROUP])
{
    bool over = true;
    for (int lane = 0; lane < MBX_GROUP; lane++)
        over &= lanes[lane].position.status != MBX_PLAYING;
    return over;
}

/* The same on large boards, slot by slot and in stages. */
static void play_in_stages(const mbx_free_plan *plan, mbx_rng pair[2],
                           lane_game lanes[MBX_GROUP])
{
    uint8_t slots[MBX_GROUP][MBX_MAX_CELLS];
    for (int lane = 0; lane < MBX_GROUP; lane++)
        for (int i = 0; i < plan->n_slots; i++)
            slots[lane][i] = (uint8_t)i;
    for (int time = 0, stage_end = plan->stage; time < plan->n_slots; time++) {
        if (time == stage_end) {
            if (are_over(lanes))
                return;
            stage_end += plan->later_stage;
        }
        const int left = plan->n_slots - time;
        uint16_t words[MBX_GROUP] = {0};
        if (left > 1)
            draw_words(pair, (uint32_t)left, words);
        for (int lane = 0; lane < MBX_GROUP; lane++) {
            uint8_t *chosen = &slots[lane][take_digit(&words[lane], (uint32_t)left)];
            play_slot(&lanes[lane], plan->slot_cell[*chosen]);
            *chosen = slots[lane][left - 1];
        }
    }
}

static void play_free_block(const mbx_free_plan *plan, const block_of_games *block,
                            lane_game *lanes)
{
    for (int group = 0; group < MBX_BATCH / MBX_GROUP; group++) {
        mbx_rng pair[2] = {mbx_rng_of_block(&block->key, 2 * group),
                           mbx_rng_of_block(&block->key, 2 * group + 1)};
        for (int number = group * MBX_GROUP; number < block->end; number += MBX_BATCH) {
            if (mbx_cancelled(block->cancel))
                return;
            for (int lane = 0; lane < MBX_GROUP; lane++)
                begin_game(&lanes[lane], block->start, number + lane);
            if (plan->n_slots <= MBX_INSERTION_SLOTS)
                play_by_insertion(plan, pair, lanes);
            else
                play_in_stages(plan, pair, lanes);
            for (int lane = 0; lane < MBX_GROUP; lane++)
                write_game(block, &lanes[lane]);
        }
    }
}

/* A draw: a column for every lane, or n_columns. */
static void draw_columns(const mbx_gravity_shape *shape, mbx_rng *rng,
                         int columns[MBX_UNIT_LANES])
{
    for (int lane = 0; lane < MBX_UNIT_LANES; lane++)
        columns[lane] = shape->n_columns;
    for (int try = 0; try < shape->n_tries; try++) {
        int values[MBX_UNIT_LANES] = {0};
        for (int bit = 0; bit < shape->n_bits; bit++) {
            const uint64_t word = mbx_rng_next(rng);
            for (int lane = 0; lane < MBX_UNIT_LANES; lane++)
                values[lane] |= (int)(word >> lane & 1) << bit;
        }
        for (int lane = 0; lane < MBX_UNIT_LANES; lane++)
            if (columns[lane] == shape->n_columns && values[lane] < shape->n_columns)
                columns[lane] = values[lane];
    }
}

/* Begins the next game of a block in a lane; number -1 after the last one. */
static void begin_next(lane_game *lane, const block_of_games *block, int *next)
{
    begin_game(lane, block->start, *next < block->end ? (*next)++ : -1);
}

static void play_gravity_block(const mbx_gravity_shape *shape, const block_of_games *block,
                               lane_game *lanes)
{
    mbx_rng rng = mbx_rng_of_block(&block->key, 0);
    int next = 0, alive = 0;
    for (int lane = 0; lane < MBX_UNIT_LANES; lane++) {
        begin_next(&lanes[lane], block, &next);
        alive += lanes[lane].number >= 0;
    }
    while (alive > 0 && !mbx_cancelled(block->cancel)) {
        for (int step = 0; step < 2; step++) {
            int columns[MBX_UNIT_LANES];
            draw_columns(shape, &rng, columns);
            for (int lane = 0; lane < MBX_UNIT_LANES; lane++)
                if (columns[lane] < shape->n_columns && lanes[lane].position.status == MBX_PLAYING
                    && mbx_move_is_open(&lanes[lane].position, columns[lane]))
                    mbx_position_push(&lanes[lane].position, columns[lane]);
        }
        for (int lane = 0; lane < MBX_UNIT_LANES; lane++) {
            if (lanes[lane].number < 0 || lanes[lane].position.status == MBX_PLAYING)
                continue;
            write_game(block, &lanes[lane]);
            begin_next(&lanes[lane], block, &next);
            alive -= lanes[lane].number < 0;
        }
    }
}

mbx_error mbx_playout_games(const mbx_position *position, mbx_seed seed, uint64_t row,
                            uint64_t first, uint64_t number, mbx_cancel cancel, mbx_games *games)
{
    const mbx_game *game = position->game;
    const uint64_t size = mbx_playout_block(game);
    mbx_cell_row rows[MBX_MAX_ROWS];
    mbx_gravity_shape shape;
    mbx_free_plan plan;
    lane_game *lanes = malloc(MBX_UNIT_LANES * sizeof *lanes);
    uint8_t *lines = malloc(mbx_free_plan_room(game));
    mbx_error error = lanes && lines ? MBX_OK : MBX_NO_MEMORY;
    if (error == MBX_OK && game->gravity)
        shape = mbx_gravity_shape_of(game, rows);
    else if (error == MBX_OK)
        mbx_free_plan_init(&plan, position, lines);
    for (uint64_t done = 0; done < number && error == MBX_OK;) {
        const uint64_t from = first + done, begin = from % size;
        const uint64_t end = number - done < size - begin ? begin + number - done : size;
        const block_of_games block = {position, mbx_key_of_block(seed, row, from / size),
                                      (int)begin, (int)end, done, games, cancel};
        if (game->gravity)
            play_gravity_block(&shape, &block, lanes);
        else
            play_free_block(&plan, &block, lanes);
        if (mbx_cancelled(cancel))
            error = MBX_CANCELLED;
        done += end - begin;
    }
    free(lanes);
    free(lines);
    return error;
}
