/* lines.c - solving any game of the family: a search that counts stones line by line.
 *
 * For every line it keeps the stones of each side and the XOR of the empty cells' numbers.  A line
 * with k - 1 stones of one side and none of the other is a threat; that XOR is the one cell left,
 * which completes it.  Each side has the set of such cells.  Placing a stone touches the lines
 * through its cell only, and taking it back undoes the same steps.
 *
 * Two bounds need no search:
 *   - a side for which every line holds a stone of the other one cannot win;
 *   - without gravity: give a line that is free of the other side's stones the weight 2^stones.  If
 *     a side's weights sum up to less than 2^k, the other one, to move, can take the cell of the
 *     largest weight each time and keep it from completing a line; if it moves second, less than
 *     2^(k-1) (Erdős and Selfridge, 1973).
 *
 * Without gravity all cells through which no line can be completed any more are alike: one of them
 * is tried.  Early in a game positions that are images of each other share an entry of the table.
 *
 * Start reading at search.
 */
#include "solve.h"

#include <stdlib.h>
#include <string.h>

enum {
    SET_WORDS = 4,          /* a set of cells: bit c of the words */
    EXACT_CELLS = 50,       /* up to so many a key is the board, beyond it a hash of 100 bits */
    MOST_WEIGHED = 40,      /* longer lines than this are not weighed */
    EARLY = 2               /* images are looked at in the first half of a game */
};

typedef struct {
    uint64_t words[SET_WORDS];
} cell_set;

typedef struct {
    uint8_t stones[2];      /* by side */
    uint8_t left;           /* XOR of its empty cells */
} line_state;

typedef struct {
    int32_t score;
    uint8_t cell;
} scored_cell;

typedef struct {
    const mbx_game *game;
    int n_words;            /* of a set, in use */
    int early;              /* up to this ply images are looked at */
    int ply, side;
    line_state *lines;
    int alive[2];           /* by side: lines without a stone of the other side */
    uint64_t weight[2];     /* by side: the sum of their weights */
    cell_set threats[2];    /* by side: cells that complete a line */
    uint16_t threat_lines[2][MBX_MAX_CELLS];    /* and how many */
    cell_set playable;
    mbx_wide_key *cell_keys;                    /* [2][n_cells]: XORed into the key by a stone */
    mbx_wide_key *keys;                         /* [n_symmetries]: of the images; up to `early` */
    uint8_t *inverse;                           /* [n_symmetries][n_cells] */
    scored_cell *cells;                         /* room for the moves of all plies */
} lines_state;

static bool has_cell(const cell_set *set, int cell)
{
    return set->words[cell / 64] >> cell % 64 & 1;
}

static void flip_cell(cell_set *set, int cell)
{
    set->words[cell / 64] ^= (uint64_t)1 << cell % 64;
}

/* --- stones --------------------------------------------------------------------------------- */

static void add_threat(lines_state *state, int side, int cell)
{
    if (state->threat_lines[side][cell]++ == 0)
        flip_cell(&state->threats[side], cell);
}

static void remove_threat(lines_state *state, int side, int cell)
{
    if (--state->threat_lines[side][cell] == 0)
        flip_cell(&state->threats[side], cell);
}

static uint64_t weight_of(int stones)
{
    return (uint64_t)1 << (stones & 63);
}

static void place_on_line(lines_state *state, line_state *line, int side, int cell)
{
    const int k = state->game->k, other = !side;
    const int mine = line->stones[side]++, theirs = line->stones[other];
    line->left ^= (uint8_t)cell;
    if (mine == 0) {
        state->alive[other]--;
        state->weight[other] -= weight_of(theirs);
        if (theirs == k - 1)
            remove_threat(state, other, cell);
    }
    if (theirs == 0) {
        state->weight[side] += weight_of(mine);
        if (mine == k - 2)
            add_threat(state, side, line->left);
        else if (mine == k - 1)
            remove_threat(state, side, cell);
    }
}

static void take_off_line(lines_state *state, line_state *line, int side, int cell)
{
    const int k = state->game->k, other = !side;
    const int mine = --line->stones[side], theirs = line->stones[other];
    if (theirs == 0) {
        state->weight[side] -= weight_of(mine);
        if (mine == k - 2)
            remove_threat(state, side, line->left);
        else if (mine == k - 1)
            add_threat(state, side, cell);
    }
    if (mine == 0) {
        state->alive[other]++;
        state->weight[other] += weight_of(theirs);
        if (theirs == k - 1)
            add_threat(state, other, cell);
    }
    line->left ^= (uint8_t)cell;
}

static void change_keys(lines_state *state, int side, int cell)
{
    const mbx_game *game = state->game;
    const mbx_wide_key *cell_keys = state->cell_keys + side * game->n_cells;
    const int n_images = state->ply <= state->early ? game->n_symmetries : 1;
    for (int s = 0; s < n_images; s++) {
        const mbx_wide_key key = cell_keys[game->symmetries[s * game->n_cells + cell]];
        state->keys[s].low ^= key.low;
        state->keys[s].high ^= key.high;
    }
}

/* What is playable after a stone on `cell`, or, the other way round, before it. */
static void change_playable(lines_state *state, int cell)
{
    const int above = cell + state->game->n_moves;
    flip_cell(&state->playable, cell);
    if (state->game->gravity && above < state->game->n_cells)
        flip_cell(&state->playable, above);
}

static void place(lines_state *state, int cell)
{
    const mbx_game *game = state->game;
    for (int i = game->cell_start[cell]; i < game->cell_start[cell + 1]; i++)
        place_on_line(state, &state->lines[game->cell_lines[i]], state->side, cell);
    change_playable(state, cell);
    state->ply++;
    change_keys(state, state->side, cell);
    state->side ^= 1;
}

static void take(lines_state *state, int cell)
{
    const mbx_game *game = state->game;
    state->side ^= 1;
    change_keys(state, state->side, cell);
    state->ply--;
    change_playable(state, cell);
    for (int i = game->cell_start[cell]; i < game->cell_start[cell + 1]; i++)
        take_off_line(state, &state->lines[game->cell_lines[i]], state->side, cell);
}

/* --- the table ------------------------------------------------------------------------------ */

/* The key of the position, and the image that it belongs to. */
static mbx_wide_key key_of(const lines_state *state, int *image)
{
    *image = 0;
    if (state->ply > state->early)
        return state->keys[0];
    for (int s = 1; s < state->game->n_symmetries; s++) {
        const mbx_wide_key *best = &state->keys[*image], *key = &state->keys[s];
        if (key->low < best->low || (key->low == best->low && key->high < best->high))
            *image = s;
    }
    return state->keys[*image];
}

static bool find(const lines_state *state, const mbx_table *table, mbx_bounds *bounds)
{
    int image;
    const mbx_wide_key key = key_of(state, &image);
    if (!mbx_wide_find(table, key, bounds))
        return false;
    if (bounds->move != MBX_NO_MOVE)
        bounds->move = state->inverse[image * state->game->n_cells + bounds->move];
    return true;
}

static void store(const lines_state *state, mbx_table *table, mbx_bounds bounds, uint64_t nodes)
{
    int image;
    const mbx_wide_key key = key_of(state, &image);
    if (bounds.move != MBX_NO_MOVE)
        bounds.move = state->game->symmetries[image * state->game->n_cells + bounds.move];
    mbx_wide_store(table, key, bounds, mbx_work(nodes));
}

/* --- moves ---------------------------------------------------------------------------------- */

/* A cell that is in both sets, or -1; *more: whether there is another one. */
static int common_cell(const lines_state *state, const cell_set *a, const cell_set *b, bool *more)
{
    int cell = -1;
    *more = false;
    for (int w = 0; w < state->n_words; w++) {
        uint64_t word = a->words[w] & b->words[w];
        if (word != 0 && cell < 0) {
            cell = 64 * w + mbx_lowest_one(word);
            word &= word - 1;
        }
        *more |= word != 0;
    }
    return cell;
}

/* Under gravity: does a stone on the cell let the other side win right above it? */
static bool gives_win(const lines_state *state, int cell)
{
    const int above = cell + state->game->n_moves;
    return state->game->gravity && above < state->game->n_cells
           && has_cell(&state->threats[!state->side], above);
}

/* What speaks for a move: its lines, the more the more stones they hold already; 0: no line is left
 * for either side. */
static int32_t score_of(const lines_state *state, int cell)
{
    static const int32_t values[] = {1, 6, 36, 216, 1296, 7776};
    const mbx_game *game = state->game;
    int32_t score = 0;
    for (int i = game->cell_start[cell]; i < game->cell_start[cell + 1]; i++) {
        const line_state *line = &state->lines[game->cell_lines[i]];
        const int mine = line->stones[state->side], theirs = line->stones[!state->side];
        const int missing = game->k - mine - theirs;
        if (mine == 0 || theirs == 0)
            score += values[missing < 6 ? 6 - missing : 0] * (theirs == 0 ? 2 : 1);
    }
    return score;
}

/* Writes the moves worth trying and returns their number. */
static int list_moves(const lines_state *state, const mbx_bounds *bounds, scored_cell *cells)
{
    int n = 0;
    bool has_dead_cell = false;
    for (int w = 0; w < state->n_words; w++)
        for (uint64_t word = state->playable.words[w]; word != 0; word &= word - 1) {
            const int cell = 64 * w + mbx_lowest_one(word);
            if (gives_win(state, cell))
                continue;
            int32_t score = score_of(state, cell);
            if (score == 0 && !state->game->gravity) {
                if (has_dead_cell)
                    continue;
                has_dead_cell = true;
            }
            if (cell == bounds->move)
                score = INT32_MAX;
            cells[n++] = (scored_cell){score, (uint8_t)cell};
        }
    return n;
}

/* Brings the best of the cells to the front. */
static int take_best(scored_cell *cells, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (cells[i].score > cells[best].score)
            best = i;
    const scored_cell front = cells[best];
    cells[best] = cells[0];
    cells[0] = front;
    return front.cell;
}

/* --- search --------------------------------------------------------------------------------- */

/* Can the side still complete a line, even if the other one only ever prevents it? */
static bool can_win(const lines_state *state, int side)
{
    const int k = state->game->k;
    if (state->alive[side] == 0)
        return false;
    if (state->game->gravity || k > MOST_WEIGHED)
        return true;
    return state->weight[side] >= (uint64_t)1 << (side == state->side ? k - 1 : k);
}

/* The side to move cannot win at once.  Is its score at least beta?  Returns a bound as mbx_method
 * says; what it returns when the search is stopped counts nothing. */
static int search(lines_state *state, mbx_search *run, int beta, scored_cell *cells)
{
    if (!mbx_search_goes_on(run))
        return 0;
    const int left = state->game->n_cells - state->ply;
    bool many;
    const int parry = common_cell(state, &state->threats[!state->side], &state->playable, &many);
    if (many || (parry >= 0 && gives_win(state, parry)))
        return -(left / 2);

    mbx_bounds bounds = {-((left - 2) / 2), (left - 1) / 2, MBX_NO_MOVE};
    if (parry >= 0 && left > 2) {
        if (bounds.lower >= beta)
            return bounds.lower;
        if (bounds.upper < beta)
            return bounds.upper;
        place(state, parry);
        const int value = -search(state, run, 1 - beta, cells);
        take(state, parry);
        return value;
    }
    if (left > 2 && bounds.lower < beta && bounds.upper >= beta) {
        if (!can_win(state, beta > 0 ? state->side : !state->side))
            return 0;
        if (find(state, &run->table, &bounds)) {
            if (bounds.lower >= beta)
                return bounds.lower;
            if (bounds.upper < beta)
                return bounds.upper;
        }
    }

    const int n = parry >= 0 ? 1 : list_moves(state, &bounds, cells);
    if (n == 0)
        return -(left / 2);
    if (left <= 2)
        return 0;
    if (bounds.lower >= beta)
        return bounds.lower;
    if (bounds.upper < beta)
        return bounds.upper;

    const uint64_t nodes = run->nodes;
    int best = -left;
    for (int i = 0; i < n && best < beta; i++) {
        const int cell = take_best(cells + i, n - i);
        place(state, cell);
        const int value = -search(state, run, 1 - beta, cells + n);
        take(state, cell);
        if (run->is_stopped)
            return 0;
        if (value > best)
            best = value;
        if (value >= beta)
            bounds.move = cell;
    }
    if (best >= beta)
        bounds.lower = best;
    else
        bounds.upper = best;
    store(state, &run->table, bounds, run->nodes - nodes);
    return best;
}

/* --- the method ----------------------------------------------------------------------------- */

static bool fits(const mbx_game *game, size_t table_bytes)
{
    (void)game;
    (void)table_bytes;
    return true;
}

static void destroy(void *memory)
{
    lines_state *state = memory;
    free(state->lines);
    free(state->cell_keys);
    free(state->keys);
    free(state->inverse);
    free(state->cells);
    free(state);
}

/* A number that looks random, by its index (splitmix64). */
static uint64_t scattered(uint64_t index)
{
    uint64_t x = (index + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static mbx_wide_key key_of_stone(const mbx_game *game, int stone)
{
    if (game->n_cells > EXACT_CELLS)
        return (mbx_wide_key){scattered(2 * (uint64_t)stone),
                              scattered(2 * (uint64_t)stone + 1) >> (128 - MBX_WIDE_KEY)};
    return stone < 64 ? (mbx_wide_key){(uint64_t)1 << stone, 0}
                      : (mbx_wide_key){0, (uint64_t)1 << (stone - 64)};
}

static mbx_error create(void **memory, const mbx_game *game, size_t table_bytes, mbx_table *table)
{
    const size_t n = (size_t)game->n_cells, n_images = (size_t)game->n_symmetries;
    lines_state *state = calloc(1, sizeof *state);
    *memory = state;
    if (!state)
        return MBX_NO_MEMORY;
    state->game = game;
    state->n_words = (game->n_cells + 63) / 64;
    state->early = game->n_cells / EARLY;
    state->lines = malloc(((size_t)game->n_lines + 1) * sizeof *state->lines);
    state->cell_keys = malloc(2 * n * sizeof *state->cell_keys);
    state->keys = malloc(n_images * sizeof *state->keys);
    state->inverse = malloc(n_images * n);
    state->cells = malloc((n + 1) * (size_t)game->n_moves * sizeof *state->cells);
    if (!state->lines || !state->cell_keys || !state->keys || !state->inverse || !state->cells)
        return MBX_NO_MEMORY;
    for (int stone = 0; stone < 2 * game->n_cells; stone++)
        state->cell_keys[stone] = key_of_stone(game, stone);
    for (size_t s = 0; s < n_images; s++)
        for (size_t cell = 0; cell < n; cell++)
            state->inverse[s * n + game->symmetries[s * n + cell]] = (uint8_t)cell;
    return mbx_table_create(table, table_bytes, MBX_WIDE_KEY, true);
}

static void set_empty(lines_state *state)
{
    const mbx_game *game = state->game;
    state->ply = state->side = 0;
    memset(state->threats, 0, sizeof state->threats);
    memset(state->threat_lines, 0, sizeof state->threat_lines);
    memset(&state->playable, 0, sizeof state->playable);
    memset(state->keys, 0, (size_t)game->n_symmetries * sizeof *state->keys);
    for (int i = 0; i < game->n_lines; i++) {
        const uint8_t *cells = mbx_line(game, i);
        state->lines[i] = (line_state){{0, 0}, 0};
        for (int j = 0; j < game->k; j++)
            state->lines[i].left ^= cells[j];
        for (int side = 0; side < 2 && game->k == 1; side++)
            add_threat(state, side, cells[0]);
    }
    for (int side = 0; side < 2; side++) {
        state->alive[side] = game->n_lines;
        state->weight[side] = (uint64_t)game->n_lines;
    }
    for (int move = 0; move < game->n_moves; move++)
        flip_cell(&state->playable, move);
}

/* The stones are placed cell by cell, not in the order of play, each after the ones below it. */
static void set(void *memory, const mbx_position *position)
{
    lines_state *state = memory;
    set_empty(state);
    for (int cell = 0; cell < position->game->n_cells; cell++)
        if (position->cells[cell] != MBX_EMPTY) {
            state->side = position->cells[cell];
            state->ply = 0; /* the keys of all images are wanted below */
            place(state, cell);
        }
    state->ply = position->ply;
    state->side = mbx_position_turn(position);
}

static int winning_move(const void *memory)
{
    const lines_state *state = memory;
    bool many;
    const int cell = common_cell(state, &state->threats[state->side], &state->playable, &many);
    return cell < 0 ? -1 : mbx_move_of_cell(state->game, cell);
}

static int ask(void *memory, mbx_search *run, int beta)
{
    lines_state *state = memory;
    return search(state, run, beta, state->cells);
}

static int likely_move(const void *memory, const mbx_search *run)
{
    const lines_state *state = memory;
    mbx_bounds bounds;
    if (!find(state, &run->table, &bounds) || bounds.move == MBX_NO_MOVE)
        return -1;
    return mbx_move_of_cell(state->game, bounds.move);
}

const mbx_method mbx_lines_method = {"lines", fits, create, destroy, set, winning_move, ask,
                                     likely_move};
