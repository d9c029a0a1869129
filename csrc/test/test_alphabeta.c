/* test_alphabeta.c - the alpha-beta searches: what the board keeps incrementally, tables of all sizes,
 * and that every algorithm and option finds minimax's value, with the same nodes on every kernel.
 */
#include "../core/alphabeta.h"
#include "../kernel/dispatch.h"
#include "check.h"

#include <string.h>

static const struct {
    int n_axes, shape[3], k;
    bool gravity;
} games[] = {
    {2, {3, 3, 1}, 3, false}, {2, {7, 6, 1}, 4, true},   {2, {5, 4, 1}, 4, true},
    {2, {2, 2, 1}, 3, false}, {2, {9, 9, 1}, 5, false},  {3, {4, 4, 4}, 4, true},
    {3, {3, 3, 3}, 3, false}, {2, {1, 255, 1}, 64, true}, {2, {4, 4, 1}, 2, false},
    {2, {6, 1, 1}, 1, false}, {3, {5, 5, 5}, 5, true},   {2, {8, 3, 1}, 3, false},
};
enum { N_GAMES = sizeof games / sizeof *games };

static mbx_rng draws(void)
{
    const mbx_block_key key = mbx_key_of_block((mbx_seed){2026, 7}, 0, 0);
    return mbx_rng_of_block(&key, 0);
}

/* Plays up to n random moves that do not end the game. */
static void play_at_random(mbx_position *position, const mbx_game *game, int n, mbx_rng *rng)
{
    uint8_t moves[MBX_MAX_CELLS];
    mbx_position_start(position, game);
    for (int i = 0; i < n; i++) {
        const int count = mbx_position_legal_moves(position, moves);
        mbx_position next = *position;
        CHECK(mbx_position_push(&next, moves[mbx_rng_next(rng) % (uint64_t)count]) == MBX_OK);
        if (next.status == MBX_PLAYING)
            *position = next;
    }
}

static void set_weights(int32_t *weights, const mbx_game *game, mbx_rng *rng)
{
    const int32_t most = mbx_most_weight(game);
    for (int i = 0; i < game->k - 1; i++) {
        const int32_t range = mbx_rng_next(rng) % 2 ? most : 9;
        weights[i] = (int32_t)(mbx_rng_next(rng) % (uint64_t)(2 * range + 1)) - range;
    }
}

static void test_board(const mbx_game *game, mbx_rng *rng)
{
    int32_t weights[MBX_MAX_CELLS];
    mbx_line_board board;
    mbx_position position;
    set_weights(weights, game, rng);
    play_at_random(&position, game, 2, rng);
    CHECK(mbx_line_board_create(&board, game, weights) == MBX_OK);
    mbx_line_board_set(&board, position.cells);
    const mbx_long_key key = board.key;
    uint8_t placed[MBX_MAX_CELLS];
    int n = 0;
    while (board.n_open > 0 && n < 200) {
        const int move = (int)(mbx_rng_next(rng) % (uint64_t)game->n_moves);
        const int cell = board.landing[move];
        if (cell >= game->n_cells)
            continue;
        if (board.gains[board.side][cell] >= MBX_WINNING)
            break;
        mbx_line_board_place(&board, cell);
        CHECK(mbx_line_board_is_ok(&board));
        placed[n++] = (uint8_t)cell;
    }
    while (n > 0) {
        mbx_line_board_take_back(&board, placed[--n]);
        CHECK(mbx_line_board_is_ok(&board));
    }
    CHECK(board.key.low == key.low && board.key.high == key.high);
    mbx_line_board_free(&board);
}

static void test_table(uint64_t most)
{
    enum { N = 5000 };
    mbx_transpositions table;
    CHECK(mbx_transpositions_create(&table, most) == MBX_OK);
    int found = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (uint64_t i = 1; i <= N; i++) {
            const mbx_transposition entry = {{i, i * i}, (int32_t)i, (uint8_t)(i % 9), MBX_EXACTLY, 3};
            mbx_transposition_store(&table, &entry);
            const mbx_transposition *read = mbx_transposition_find(&table, entry.key);
            CHECK(!read || memcmp(read, &entry, sizeof entry) == 0);
            CHECK(!mbx_transposition_find(&table, (mbx_long_key){i, i * i + 1}));
        }
        for (uint64_t i = 1; i <= N; i++) {
            const mbx_transposition *read = mbx_transposition_find(&table, (mbx_long_key){i, i * i});
            CHECK(!read || read->score == (int32_t)i);
            found += read != NULL;
        }
        CHECK(found > 0 && (most < 4 * N || found > N / 2));
        CHECK(table.n <= most);
        mbx_transpositions_clear(&table);
        found = 0;
    }
    mbx_transpositions_free(&table);
}

static mbx_alphabeta_options draw_options(const mbx_game *game, mbx_rng *rng)
{
    static const uint64_t tables[] = {0, 1, 7, 5000};
    const uint64_t bits = mbx_rng_next(rng);
    mbx_alphabeta_options options = {
        .algorithm = (mbx_algorithm)(1 + bits % 4),
        .evaluation = bits & 16 ? MBX_BY_THREATS : MBX_BY_LINES,
        .threats = {40, -7, 13},
        .table_entries = tables[bits >> 5 & 3],
        .symmetry = bits & 1 << 7, .extend = bits & 1 << 8, .forced = bits & 1 << 9,
        .table_move = bits & 1 << 10, .killers = bits & 1 << 11, .history = bits & 1 << 12,
        .gain = bits & 1 << 13};
    set_weights(options.weights, game, rng);
    return options;
}

static const mbx_window whole = {-MBX_INFINITE, MBX_INFINITE};

/* Searches depth by depth; returns the value of the last one. */
static int32_t deepen(mbx_alphabeta *search, const mbx_kernel *kernel, const mbx_position *position,
                      int depth, bool every)
{
    mbx_alphabeta_set(search, position);
    for (int d = 1; d <= depth; d++)
        CHECK(kernel->search_alphabeta(search, d, whole, every, NULL));
    CHECK(mbx_line_board_is_ok(&search->board));
    for (int i = 0; i < search->n_moves; i++)
        CHECK(!every || search->moves[i].lower == search->moves[i].upper);
    CHECK(search->value == search->moves[0].lower);
    return search->value;
}

/* Windows around the value, beside it, and without width: the bounds that come back hold. */
static void check_windows(mbx_alphabeta *search, const mbx_kernel *kernel, int depth, int32_t value)
{
    static const int32_t edges[][2] = {{-1, 1}, {0, 1}, {-1, 0}, {0, 7}, {-9, 0}, {3, 4}, {-8, -2}};
    for (int i = 0; i < 7; i++) {
        const mbx_window window = {value + edges[i][0], value + edges[i][1]};
        if (window.alpha < -MBX_WIN || window.beta > MBX_WIN)
            continue;
        CHECK(kernel->search_alphabeta(search, depth, window, false, NULL));
        if (search->value <= window.alpha)
            CHECK(value <= search->value);
        else if (search->value >= window.beta)
            CHECK(value >= search->value);
        else
            CHECK(value == search->value);
        for (int j = 0; j < search->n_moves; j++)
            CHECK(search->moves[j].lower <= value);
    }
}

static void compare(const mbx_position *position, int depth, const mbx_kernel *const *kernels, int n,
                    mbx_rng *rng)
{
    const mbx_game *game = position->game;
    mbx_alphabeta_options options = draw_options(game, rng), plain = options;
    plain.algorithm = MBX_MINIMAX;
    plain.table_entries = 0;
    plain.symmetry = plain.forced = plain.killers = plain.history = plain.gain = false;
    mbx_alphabeta *minimax, *search;
    CHECK(mbx_alphabeta_create(&minimax, game, &plain) == MBX_OK);
    const int32_t value = deepen(minimax, kernels[0], position, depth, false);
    uint64_t nodes = 0;
    for (int i = 0; i < n; i++)
        for (int every = 0; every < 2; every++) {
            CHECK(mbx_alphabeta_create(&search, game, &options) == MBX_OK);
            CHECK(deepen(search, kernels[i], position, depth, every) == value);
            if (!every) {
                CHECK(i == 0 || search->nodes == nodes);
                nodes = search->nodes;
            }
            CHECK(deepen(search, kernels[i], position, depth, every) == value); /* warm */
            check_windows(search, kernels[i], depth, value);
            mbx_alphabeta_free(search);
        }
    mbx_alphabeta_free(minimax);
}

/* A cancelled search stops, and leaves everything as it was. */
static void test_cancel(const mbx_game *game, const mbx_kernel *kernel)
{
    const unsigned char cancel = 1;
    mbx_alphabeta_options options = {.algorithm = MBX_PVS, .forced = true, .gain = true};
    mbx_alphabeta *search;
    mbx_position position;
    mbx_position_start(&position, game);
    CHECK(mbx_alphabeta_create(&search, game, &options) == MBX_OK);
    mbx_alphabeta_set(search, &position);
    CHECK(!kernel->search_alphabeta(search, 9, whole, false, &cancel));
    CHECK(mbx_line_board_is_ok(&search->board) && search->board.ply == 0);
    CHECK(kernel->search_alphabeta(search, 2, whole, false, NULL));
    mbx_alphabeta_free(search);
}

void test_alphabeta(void)
{
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n = mbx_list_kernels(kernels);
    mbx_rng rng = draws();
    const uint64_t sizes[] = {1, 2, 7, 1024, 100000};
    for (int i = 0; i < 5; i++)
        test_table(sizes[i]);
    for (int i = 0; i < N_GAMES; i++) {
        mbx_game game;
        CHECK(mbx_game_init(&game, games[i].n_axes, games[i].shape, games[i].k, games[i].gravity)
              == MBX_OK);
        for (int j = 0; j < 20; j++) {
            mbx_position position;
            const int most = game.n_cells / 2;
            test_board(&game, &rng);
            play_at_random(&position, &game, (int)(mbx_rng_next(&rng) % (uint64_t)(most + 1)), &rng);
            const int branches = game.n_moves;
            compare(&position, branches > 30 ? 2 : branches > 9 ? 3 : 4, kernels, n, &rng);
        }
        if (game.k > 1) /* else the first move wins */
            test_cancel(&game, kernels[n - 1]);
        mbx_game_free(&game);
    }
}
