/* alphabeta.c - making a search, taking over a position, and evaluations other than by lines. */
#include "alphabeta.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT_RANK = 2560 };      /* the rank of a gain of the largest weight */

static int32_t largest_weight(const mbx_game *game, const int32_t *weights)
{
    int32_t largest = 1;
    for (int i = 0; i < game->k - 1; i++)
        if (abs(weights[i]) > largest)
            largest = abs(weights[i]);
    return largest;
}

static void find_meetings(const mbx_game *game, uint64_t *meets)
{
    for (int cell = 0; cell < game->n_cells; cell++)
        meets[cell * MBX_SET_WORDS + cell / 64] |= (uint64_t)1 << cell % 64;
    for (int line = 0; line < game->n_lines; line++)
        for (int i = 0; i < game->k; i++)
            for (int j = 0; j < game->k; j++) {
                const int cell = mbx_line(game, line)[i], other = mbx_line(game, line)[j];
                meets[cell * MBX_SET_WORDS + other / 64] |= (uint64_t)1 << other % 64;
            }
}

mbx_error mbx_alphabeta_create(mbx_alphabeta **made, const mbx_game *game,
                               const mbx_alphabeta_options *options)
{
    const size_t n = (size_t)game->n_cells, n_moves = (size_t)game->n_moves;
    mbx_alphabeta *search = calloc(1, sizeof *search);
    *made = NULL;
    if (!search)
        return MBX_NO_MEMORY;
    search->options = *options;
    search->game = game;
    const int32_t unit = largest_weight(game, options->weights);
    search->gain_rank = unit < UNIT_RANK ? UNIT_RANK / unit : 1;
    search->margin = unit / 4 + 1;
    search->moves = malloc(n_moves * sizeof *search->moves);
    search->meets = calloc(n * MBX_SET_WORDS, sizeof *search->meets);
    search->history = malloc(2 * sizeof *search->history);
    search->killers = malloc((n + 1) * sizeof *search->killers);
    search->candidates = malloc((n + 1) * n_moves * sizeof *search->candidates);
    search->variations = calloc((n + 2) * (n + 1), 1);
    search->boards = malloc(n_moves * n);
    search->scores = malloc(n_moves * sizeof *search->scores);
    const mbx_error board = mbx_line_board_create(&search->board, game, options->weights);
    const mbx_error table = mbx_transpositions_create(&search->table, options->table_entries);
    if (board != MBX_OK || table != MBX_OK || !search->moves || !search->meets || !search->history
        || !search->killers || !search->candidates || !search->variations || !search->boards
        || !search->scores) {
        mbx_alphabeta_free(search);
        return MBX_NO_MEMORY;
    }
    find_meetings(game, search->meets);
    *made = search;
    return MBX_OK;
}

void mbx_alphabeta_free(mbx_alphabeta *search)
{
    if (!search)
        return;
    mbx_line_board_free(&search->board);
    mbx_transpositions_free(&search->table);
    free(search->moves);
    free(search->meets);
    free(search->history);
    free(search->killers);
    free(search->candidates);
    free(search->variations);
    free(search->boards);
    free(search->scores);
    free(search);
}

/* --- images --------------------------------------------------------------------------------- */

/* The board after a symmetry of the game. */
static void image(const mbx_game *game, int symmetry, const int8_t *cells, int8_t *turned)
{
    const uint8_t *to = game->symmetries + (size_t)symmetry * (size_t)game->n_cells;
    for (int cell = 0; cell < game->n_cells; cell++)
        turned[to[cell]] = cells[cell];
}

/* Writes the least image of a board, and where its cells come from. */
static void least_image(const mbx_game *game, const int8_t *cells, int8_t *least, uint8_t *original)
{
    const size_t n = (size_t)game->n_cells;
    int8_t turned[MBX_MAX_CELLS];
    int chosen = 0;
    memcpy(least, cells, n);
    for (int symmetry = 1; symmetry < game->n_symmetries; symmetry++) {
        image(game, symmetry, cells, turned);
        int i = 0;
        while (i < game->n_cells && turned[i] == least[i])
            i++;
        if (i < game->n_cells && turned[i] < least[i]) {
            memcpy(least, turned, n);
            chosen = symmetry;
        }
    }
    const uint8_t *to = game->symmetries + (size_t)chosen * n;
    for (int cell = 0; cell < game->n_cells; cell++)
        original[to[cell]] = (uint8_t)cell;
}

/* Of every move: the least move that it is an image of under a symmetry of the board itself. */
static void find_images(mbx_alphabeta *search)
{
    const mbx_game *game = search->game;
    int8_t turned[MBX_MAX_CELLS];
    for (int symmetry = 1; symmetry < game->n_symmetries; symmetry++) {
        const uint8_t *to = game->symmetries + (size_t)symmetry * (size_t)game->n_cells;
        image(game, symmetry, search->board.cells, turned);
        if (memcmp(turned, search->board.cells, (size_t)game->n_cells) != 0)
            continue;
        for (int i = 0; i < search->n_moves; i++) {
            const int other = mbx_move_of_cell(game, to[search->moves[i].cell]);
            if (other < search->moves[i].image_of)
                search->moves[i].image_of = (uint8_t)other;
        }
    }
}

void mbx_alphabeta_set(mbx_alphabeta *search, const mbx_position *position)
{
    const mbx_game *game = search->game;
    const size_t n = (size_t)game->n_cells;
    int8_t least[MBX_MAX_CELLS];
    if (search->options.evaluation == MBX_BY_CALL) { /* it need not be the same for all images */
        memcpy(least, position->cells, n);
        for (int cell = 0; cell < game->n_cells; cell++)
            search->original[cell] = (uint8_t)cell;
    } else
        least_image(game, position->cells, least, search->original);
    mbx_line_board_set(&search->board, least);
    search->root_ply = search->board.ply;
    search->n_moves = 0;
    for (int move = 0; move < game->n_moves; move++) {
        const int cell = search->board.landing[move];
        if (cell < game->n_cells)
            search->moves[search->n_moves++] = (mbx_root_move){
                .move = (uint8_t)move, .cell = (uint8_t)cell, .image_of = (uint8_t)move,
                .lower = -MBX_INFINITE, .upper = MBX_INFINITE};
    }
    if (search->options.symmetry && search->options.evaluation != MBX_BY_CALL)
        find_images(search);
    memset(search->history, 0, 2 * sizeof *search->history);
    memset(search->killers, MBX_NO_MOVE, (n + 1) * sizeof *search->killers);
    memset(search->variations, 0, (n + 2) * (n + 1));
    search->last_values[0] = search->last_values[1] = MBX_INFINITE;
    search->nodes = 0;
    search->next_poll = 0;
    search->is_stopped = false;
}

/* --- evaluations ---------------------------------------------------------------------------- */

/* What the threats of a side are worth to it. */
static int32_t threats_of(const mbx_alphabeta *search, int side)
{
    const mbx_line_board *board = &search->board;
    const mbx_game *game = search->game;
    const int32_t *gains = board->gains[side], *weights = search->options.threats;
    int32_t worth = 0, largest = 0;
    for (int cell = 0; cell < game->n_cells; cell++) { /* most positions have none */
        const int32_t gain = gains[cell] + (gains[cell] > MBX_OPEN ? 0 : MBX_CLOSED);
        largest = gain > largest ? gain : largest;
    }
    if (largest < MBX_WINNING)
        return 0;
    for (int cell = 0; cell < game->n_cells; cell++) {
        if (board->cells[cell] != MBX_EMPTY)
            continue;
        const int height = cell / game->n_moves;
        const bool is_firsts = (game->n_cells - game->height + height) % 2 == 0;
        if (gains[cell] > MBX_OPEN)
            worth += gains[cell] >= MBX_WINNING ? weights[0] : 0;
        else if (gains[cell] + MBX_CLOSED >= MBX_WINNING)
            worth += weights[is_firsts == (side == MBX_FIRST) ? 1 : 2];
    }
    return worth;
}

int32_t mbx_alphabeta_evaluate(mbx_alphabeta *search)
{
    const mbx_line_board *board = &search->board;
    int32_t score = mbx_line_board_score(board, board->side);
    if (search->options.evaluation == MBX_BY_CALL) {
        if (!search->evaluate(search->context, board->cells, 1, &score))
            search->is_stopped = true;
    } else if (search->options.evaluation == MBX_BY_THREATS)
        score += threats_of(search, board->side) - threats_of(search, 1 - board->side);
    return score;
}

/* --- the expected moves --------------------------------------------------------------------- */

int mbx_alphabeta_variation(const mbx_alphabeta *search, uint8_t *cells)
{
    const uint8_t *variation = mbx_variation(search, 0);
    memcpy(cells, variation + 1, variation[0]);
    return variation[0];
}
