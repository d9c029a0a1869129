/* test_mcts.c - the tree search on every kernel and family of boards: trees are the same whatever the
 * kernel, add up at every node, survive advance, writing and reading, and recorded playouts are legal
 * games that end as was said.
 */
#include "../core/mcts_columns.h"
#include "../core/mcts_evaluator.h"
#include "../kernel/dispatch.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static const mbx_seed seed = {2026, 6};

static const struct {
    int n_axes, shape[3], k;
    bool gravity;
} games[] = {
    {2, {3, 3, 1}, 3, false}, {2, {7, 6, 1}, 4, true},  {2, {5, 4, 1}, 4, true},
    {2, {2, 2, 1}, 3, false}, {2, {9, 9, 1}, 5, false}, {3, {4, 4, 4}, 4, true},
    {3, {3, 3, 3}, 3, false}, {2, {1, 70, 1}, 40, true}, {2, {15, 15, 1}, 5, false},
    {2, {6, 1, 1}, 1, false}, {3, {5, 5, 5}, 5, true},  {2, {40, 2, 1}, 3, false},
};

static mbx_mcts *search(const mbx_position *root, const mbx_mcts_options *options,
                        const mbx_kernel *kernel, int64_t n)
{
    mbx_mcts *mcts = NULL;
    const double c = 1.4;
    int64_t done;
    CHECK(mbx_mcts_create(&mcts, root, options, seed, 0) == MBX_OK);
    CHECK(mbx_mcts_explore(mcts, n + 10000, &c, true) == MBX_OK);
    CHECK(kernel->search_tree(mcts, kernel, n, false, NULL, &done) == MBX_OK);
    CHECK(done == n || (options->solver && mbx_is_proven(mcts->root_bounds)));
    CHECK(mbx_mcts_is_ok(mcts));
    return mcts;
}

/* Room for the columns of a tree, in one piece of memory. */
static mbx_mcts_columns make_columns(size_t n, bool has_priors, void **memory)
{
    char *at = *memory = calloc(n, 8 + 8 + 5 * 4 + 4 + 2);
    mbx_mcts_columns c = {.n = n};
    c.visits = (int64_t *)(void *)at;
    c.sums = (double *)(void *)(at += 8 * n);
    c.parent = (int32_t *)(void *)(at += 8 * n);
    c.first_child = (int32_t *)(void *)(at += 4 * n);
    c.n_children = (int32_t *)(void *)(at += 4 * n);
    c.move = (int32_t *)(void *)(at += 4 * n);
    c.depth = (int32_t *)(void *)(at += 4 * n);
    at += 4 * n;
    c.priors = has_priors ? (float *)(void *)at : NULL;
    c.lower = (int8_t *)(at += 4 * n);
    c.upper = (int8_t *)(at + n);
    return c;
}

static bool are_equal(const mbx_mcts *a, const mbx_mcts *b)
{
    const size_t n = mbx_mcts_count(a);
    if (n != mbx_mcts_count(b))
        return false;
    void *memory[2];
    const bool has_priors = a->options.playouts == 0;
    const mbx_mcts_columns x = make_columns(n, has_priors, &memory[0]);
    const mbx_mcts_columns y = make_columns(n, has_priors, &memory[1]);
    CHECK(mbx_mcts_write(a, &x) == MBX_OK && mbx_mcts_write(b, &y) == MBX_OK);
    const bool equal = memcmp(memory[0], memory[1], n * (8 + 8 + 5 * 4 + 4 + 2)) == 0;
    free(memory[0]);
    free(memory[1]);
    return equal;
}

static void check_kernels(const mbx_position *root, const mbx_mcts_options *options, int64_t n)
{
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n_kernels = mbx_list_kernels(kernels);
    mbx_mcts *expected = search(root, options, kernels[0], n);
    for (int i = 1; i < n_kernels; i++) {
        mbx_mcts *mcts = search(root, options, kernels[i], n);
        CHECK(are_equal(expected, mcts));
        mbx_mcts_free(mcts);
    }
    mbx_mcts_free(expected);
}

/* Writes a tree, reads it into another search, and spoils a parent. */
static void check_columns(const mbx_mcts *mcts)
{
    void *memory;
    mbx_mcts *read;
    const mbx_mcts_columns c = make_columns(mbx_mcts_count(mcts), !mcts->options.playouts, &memory);
    CHECK(mbx_mcts_write(mcts, &c) == MBX_OK);
    CHECK(mbx_mcts_create(&read, &mcts->root, &mcts->options, seed, 0) == MBX_OK);
    CHECK(mbx_mcts_read(read, &c) == MBX_OK);
    CHECK(are_equal(mcts, read));
    mbx_mcts_free(read);
    if (c.n > 1) {
        c.parent[c.n - 1] = (int32_t)c.n;
        CHECK(mbx_mcts_create(&read, &mcts->root, &mcts->options, seed, 0) == MBX_OK);
        CHECK(mbx_mcts_read(read, &c) == MBX_BAD_GRAPH);
        mbx_mcts_free(read);
    }
    free(memory);
}

/* Follows the most visited moves to the end. */
static void check_advance(mbx_mcts *mcts, const mbx_kernel *kernel)
{
    while (mcts->root.status == MBX_PLAYING) {
        char *node = mbx_node(mcts, 0);
        size_t best = 0;
        for (size_t i = 1; i < (size_t)mbx_node_edges(node); i++)
            if (mbx_node_edge(node, i)->visits > mbx_node_edge(node, best)->visits)
                best = i;
        const int move = mbx_node_moves(node)[best];
        int64_t done;
        CHECK(mbx_mcts_advance(mcts, 1000) == MBX_ILLEGAL_MOVE);
        CHECK(mbx_mcts_advance(mcts, move) == MBX_OK);
        CHECK(mbx_mcts_is_ok(mcts));
        const mbx_error error = kernel->search_tree(mcts, kernel, 20, false, NULL, &done);
        CHECK(error == (mcts->root.status == MBX_PLAYING ? MBX_OK : MBX_GAME_OVER));
    }
}

static void check_recorded(mbx_mcts *mcts, const mbx_kernel *kernel)
{
    const mbx_simulation *last = &mcts->last;
    for (int i = 0; i < 50; i++) {
        int64_t done;
        CHECK(kernel->search_tree(mcts, kernel, 1, true, NULL, &done) == MBX_OK);
        mbx_position position = mcts->root;
        for (int j = 0; j < last->length; j++) {
            const mbx_step step = last->path[j];
            CHECK(mbx_position_push(&position, mbx_node_moves(step.node)[step.edge]) == MBX_OK);
        }
        for (int j = 0; j < last->n_moves; j++)
            CHECK(mbx_position_push(&position, last->moves[j]) == MBX_OK);
        if (last->n_moves)
            CHECK(position.status == (last->rewards[0] == 1   ? MBX_FIRST
                                      : last->rewards[1] == 1 ? MBX_SECOND
                                                              : MBX_DRAW));
    }
}

static void check_evaluator(const mbx_position *root)
{
    enum { MOST = 7 };
    const mbx_mcts_options options = {.draw_value = 0.5, .max_nodes = 90, .max_bytes = 1 << 20};
    const size_t n_cells = (size_t)root->game->n_cells, n_moves = (size_t)root->game->n_moves;
    int8_t *boards = malloc(MOST * n_cells);
    double *priors = malloc(MOST * n_moves * sizeof *priors), values[MOST];
    mbx_mcts *mcts;
    const double c = 1.5;
    CHECK(mbx_mcts_create(&mcts, root, &options, seed, 0) == MBX_OK);
    CHECK(mbx_mcts_explore(mcts, 1000, &c, true) == MBX_OK);
    for (int i = 0; i < 30; i++) {
        mbx_gathered gathered;
        CHECK(mbx_mcts_gather(mcts, MOST, 10, boards, &gathered) == MBX_OK);
        if (gathered.is_full)
            CHECK(mcts->n_nodes == options.max_nodes);
        for (size_t j = 0; j < MOST * n_moves; j++)
            priors[j] = (double)(j % 5);
        for (int j = 0; j < MOST; j++)
            values[j] = (j % 3 - 1) * 0.5;
        if (i % 3 == 2)
            mbx_mcts_abandon(mcts);
        else
            CHECK(mbx_mcts_apply(mcts, priors, values) == MBX_OK);
        CHECK(mbx_mcts_is_ok(mcts));
    }
    check_columns(mcts);
    mbx_mcts_free(mcts);
    free(boards);
    free(priors);
}

/* Bit by bit against looking one after the other. */
static void check_nth_one(const mbx_board_shape *shape)
{
    mbx_rng rng = {1, 2, 3, 4};
    for (int i = 0; i < 200; i++) {
        const uint64_t x = mbx_rng_next(&rng) & mbx_rng_next(&rng);
        uint64_t n = 0;
        for (int bit = 0; bit < 64; bit++)
            if (x >> bit & 1)
                CHECK(mbx_nth_one(shape, x, n++) == bit);
        n = 0;
        for (int bit = 0; bit < 16; bit++)
            if (x >> bit & 1)
                CHECK(mbx_nth_one_of_16(shape, x & 0xFFFF, n++) == bit);
    }
}

static void check_exploration(void)
{
    for (size_t i = 0; i < 300000; i++)
        CHECK(mbx_visits_index(mbx_visits_at(i)) == i);
    CHECK(mbx_visits_index(65537) == 65536 && mbx_visits_at(65536) == 65536);
}

void test_mcts(void)
{
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n_kernels = mbx_list_kernels(kernels);
    const mbx_kernel *kernel = kernels[n_kernels - 1];
    for (size_t g = 0; g < sizeof games / sizeof *games; g++) {
        mbx_game game;
        mbx_position root;
        CHECK(mbx_game_init(&game, games[g].n_axes, games[g].shape, games[g].k, games[g].gravity)
              == MBX_OK);
        mbx_position_start(&root, &game);
        for (int variant = 0; variant < 16; variant += g < 3 ? 1 : 5) {
            const mbx_mcts_options options = {
                .playouts = variant & 1 ? 70 : 1, .expand_all = variant & 2,
                .solver = variant & 4, .draw_value = 0.5, .max_nodes = variant & 8 ? 60 : 1 << 30,
                .max_bytes = 1 << 20};
            check_kernels(&root, &options, variant & 1 ? 60 : 300);
        }
        const mbx_mcts_options plain = {.playouts = 1, .draw_value = 0.5, .max_nodes = 1 << 30,
                                        .max_bytes = 1 << 30};
        mbx_mcts *mcts = search(&root, &plain, kernel, 700);
        if (g == 0)
            check_nth_one(mcts->shape);
        check_columns(mcts);
        check_recorded(mcts, kernel);
        check_advance(mcts, kernel);
        mbx_mcts_free(mcts);
        check_evaluator(&root);
        mbx_game_free(&game);
    }
    check_exploration();
}
