/* test_layers.c - positions of layers: numbers, values and ways as published, in every kernel alike;
 * insertions, symmetries and quotients against slow versions.
 */
#include "../core/rng.h"
#include "../kernel/dispatch.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* ---- patterns -------------------------------------------------------------------------------- */

static uint32_t inserted(uint32_t pattern, int place, int bit)
{
    uint32_t below = pattern & ((1u << place) - 1);
    return below | (uint32_t)bit << place | (pattern - below) << 1;
}

static uint32_t mapped(const mbx_map *map, uint32_t rank)
{
    if (map->indices)
        return map->indices[rank];
    const mbx_run *run = map->runs;
    for (; rank >= run->length; run++)
        rank -= run->length;
    return run->start + rank;
}

static void check_patterns(int n_bits, int n_ones, int bit)
{
    mbx_patterns from, to;
    CHECK(mbx_patterns_init(&from, n_bits, n_ones) == MBX_OK);
    CHECK(mbx_patterns_init(&to, n_bits + 1, n_ones + bit) == MBX_OK);
    CHECK(mbx_patterns_link(&from, &to, bit) == MBX_OK);
    bool ranked = true, linked = true;
    for (uint32_t rank = 0; rank < from.size; rank++) {
        ranked &= mbx_pattern_rank(&from, from.patterns[rank]) == rank;
        ranked &= mbx_count_ones(from.patterns[rank]) == n_ones;
        for (int place = 0; place <= n_bits; place++)
            linked &= to.patterns[mapped(&from.insertions[place], rank)]
                      == inserted(from.patterns[rank], place, bit);
    }
    CHECK(ranked);
    CHECK(linked);
    mbx_patterns_free(&from);
    mbx_patterns_free(&to);
}

/* ---- quotients ------------------------------------------------------------------------------- */

static void check_quotients(void)
{
    mbx_rng rng = {1, 2, 3, 4};
    bool same = true;
    for (int i = 0; i < 20000; i++) {
        int shift = i % 127;
        mbx_wide denominator = {mbx_rng_next(&rng), mbx_rng_next(&rng) >> 1};
        mbx_wide numerator = {mbx_rng_next(&rng), mbx_rng_next(&rng) >> 1};
        if (shift >= 64) {
            denominator = (mbx_wide){denominator.low >> (shift - 64) | 2, 0};
            numerator = (mbx_wide){numerator.low % denominator.low, 0};
        } else if (!mbx_wide_less(numerator, denominator)) {
            mbx_wide swap = numerator;
            numerator = denominator;
            denominator = swap;
        }
        if (i % 5 == 0 && numerator.high == 0) { /* ties between two doubles, and their neighbours */
            denominator = (mbx_wide){1ull << 54, 0};
            numerator.low = (numerator.low >> 11 | 1ull << 52) + (uint64_t)(i % 3);
        }
        if (mbx_wide_equal(numerator, denominator) || (numerator.low | numerator.high) == 0)
            continue;
        const mbx_divisor divisor = mbx_divisor_of(denominator);
        same &= mbx_quotient(numerator, &divisor) == mbx_long_division(numerator, denominator);
    }
    CHECK(same);
    const mbx_divisor thirds = mbx_divisor_of((mbx_wide){3, 0});
    CHECK(mbx_quotient((mbx_wide){1, 0}, &thirds) == 1.0 / 3.0);
    CHECK(mbx_quotient((mbx_wide){3, 0}, &thirds) == 1.0);
    CHECK(mbx_quotient((mbx_wide){0, 0}, &thirds) == 0.0);
}

/* ---- passes ---------------------------------------------------------------------------------- */

enum { MOST_LAYERS = MBX_MAX_BITS + 1 };

/* All arrays of a layer. */
typedef struct {
    int64_t n, n_blocks, n_nodes;
    uint8_t *states, *is_node, *bits;
    int64_t *block_nodes, *block_in_play, *first_node, *first_edge;
    int8_t *statuses, *scores;
    uint64_t *ways[MBX_OUTCOMES];
    double *chances[MBX_OUTCOMES];
} layer_arrays;

typedef struct {
    mbx_layers layers;
    layer_arrays at[MOST_LAYERS];
    int64_t n_nodes, n_edges;
    double *quotients, *chances, *weights;
    uint64_t *best;
} whole;

static void allocate(const mbx_layers *layers, int depth, layer_arrays *a)
{
    const mbx_layer *layer = &layers->layers[depth];
    a->n_blocks = layer->n_blocks;
    a->n = layer->n_blocks * (int64_t)layer->patterns.size;
    const size_t n = (size_t)a->n, blocks = (size_t)a->n_blocks;
    a->states = malloc(n);
    a->is_node = malloc(n);
    a->bits = calloc(n / 8 + 1, 1);
    a->block_nodes = malloc(blocks * 8);
    a->block_in_play = malloc(blocks * 8);
    a->first_node = malloc(blocks * 8);
    a->first_edge = malloc(blocks * 8);
    a->statuses = malloc(n);
    a->scores = malloc(n);
    for (int i = 0; i < MBX_OUTCOMES; i++) {
        a->ways[i] = malloc(n * 8);
        a->chances[i] = malloc(n * 8);
    }
}

static void release(layer_arrays *a)
{
    void *all[] = {a->states, a->is_node, a->bits, a->block_nodes, a->block_in_play, a->first_node,
                   a->first_edge, a->statuses, a->scores};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    for (int i = 0; i < MBX_OUTCOMES; i++) {
        free(a->ways[i]);
        free(a->chances[i]);
    }
}

/* Numbers the nodes of a layer and its edges. */
static void number(whole *w, int depth)
{
    layer_arrays *a = &w->at[depth];
    const int64_t size = w->layers.layers[depth].patterns.size;
    for (int64_t i = 0; i < a->n; i++)
        if (a->is_node[i]) {
            a->bits[i >> 3] |= (uint8_t)(1 << (i & 7));
            a->statuses[a->n_nodes++] = (int8_t)(a->states[i] - MBX_STATE_OVER);
        }
    int64_t before = 0;
    for (int64_t block = 0; block < a->n_blocks; block++) {
        mbx_block heights;
        mbx_block_at(&w->layers, depth, block, &heights);
        a->first_node[block] = before;
        a->first_edge[block] = w->n_edges;
        before += a->block_nodes[block];
        w->n_edges += a->block_in_play[block] * mbx_block_open(&w->layers, &heights);
    }
    CHECK(before == a->n_nodes);
    CHECK(a->n == a->n_blocks * size);
    w->n_nodes += a->n_nodes;
}

static void go_down(const mbx_kernel *kernel, const mbx_position *root, bool symmetry, whole *w)
{
    CHECK(mbx_layers_init(&w->layers, root, symmetry, MBX_MAX_BITS) == MBX_OK);
    for (int depth = 0;; depth++) {
        allocate(&w->layers, depth, &w->at[depth]);
        layer_arrays *a = &w->at[depth];
        const mbx_forward pass = {
            .layers = &w->layers, .depth = depth, .states = a->states,
            .states_above = depth ? a[-1].states : NULL, .is_node = a->is_node,
            .n_nodes = a->block_nodes, .n_in_play = a->block_in_play};
        CHECK(kernel->sweep_forward(&pass, 0, a->n_blocks, NULL) == MBX_OK);
        number(w, depth);
        if (depth == w->layers.max_depth)
            return;
        CHECK(mbx_layers_open(&w->layers, NULL) == MBX_OK);
    }
}

static uint64_t factorial(int n)
{
    return n < 2 ? 1 : (uint64_t)n * factorial(n - 1);
}

static void come_up(const mbx_kernel *kernel, mbx_policy policy, whole *w)
{
    const int last = w->layers.n_open - 1;
    int64_t first = w->n_nodes;
    for (int depth = last; depth >= 0; depth--) {
        layer_arrays *a = &w->at[depth], *b = depth < last ? a + 1 : NULL;
        first -= a->n_nodes;
        mbx_backward pass = {
            .layers = &w->layers, .depth = depth, .number = MBX_NARROW,
            .weight = {factorial(last - depth), 0}, .weight_below = {factorial(last - depth - 1), 0},
            .policy = policy, .edge_weights = w->weights, .node_bits = a->bits,
            .first_node = a->first_node, .first_edge = a->first_edge, .statuses = a->statuses,
            .node_quotients = w->quotients + MBX_OUTCOMES * first,
            .node_chances = w->chances + MBX_OUTCOMES * first, .node_best = w->best + first,
            .edge_policy = policy == MBX_WEIGHTS ? NULL : w->weights};
        uint64_t *fastest = malloc((size_t)a->n * 8 + 8);
        uint8_t *moves = malloc((size_t)a->n * 3 + 8);
        pass.node_fastest = fastest;
        pass.node_moves = moves;
        pass.here.scores = a->scores;
        pass.below.scores = b ? b->scores : NULL;
        for (int i = 0; i < MBX_OUTCOMES; i++) {
            pass.here.ways[i] = a->ways[i];
            pass.here.chances[i] = a->chances[i];
            pass.below.ways[i] = b ? b->ways[i] : NULL;
            pass.below.chances[i] = b ? b->chances[i] : NULL;
        }
        CHECK(kernel->sweep_backward(&pass, 0, a->n_blocks / 2, NULL) == MBX_OK);
        CHECK(kernel->sweep_backward(&pass, a->n_blocks / 2, a->n_blocks - a->n_blocks / 2, NULL)
              == MBX_OK);
        free(fastest);
        free(moves);
    }
}

/* Every node is found again by its board. */
static void check_boards(const mbx_position *root, const whole *w)
{
    bool found = true;
    for (int depth = 0; depth < w->layers.n_open; depth++)
        for (int64_t i = 0; i < w->at[depth].n; i++) {
            mbx_position position;
            int8_t cells[MBX_MAX_CELLS];
            int at_depth;
            int64_t at;
            if (!w->at[depth].is_node[i])
                continue;
            mbx_layers_board(&w->layers, depth, i, cells);
            found &= mbx_position_set(&position, root->game, cells) == MBX_OK
                     && mbx_layers_find(&w->layers, &position, &at_depth, &at)
                     && at_depth == depth && at == i;
        }
    CHECK(found);
}

static void close_all(whole *w)
{
    for (int depth = 0; depth < w->layers.n_open; depth++)
        release(&w->at[depth]);
    mbx_layers_free(&w->layers);
    free(w->quotients);
    free(w->chances);
    free(w->weights);
    free(w->best);
}

static whole *solve_all(const mbx_kernel *kernel, const mbx_position *root, bool symmetry)
{
    whole *w = calloc(1, sizeof *w);
    go_down(kernel, root, symmetry, w);
    w->quotients = malloc((size_t)w->n_nodes * 3 * 8);
    w->chances = malloc((size_t)w->n_nodes * 3 * 8);
    w->best = malloc((size_t)w->n_nodes * 8);
    w->weights = calloc((size_t)w->n_edges + 1, 8);
    for (int policy = MBX_UNIFORM; policy <= MBX_WEIGHTS; policy++)
        come_up(kernel, (mbx_policy)policy, w);
    come_up(kernel, MBX_UNIFORM, w);
    return w;
}

static void check_game(int x, int y, int k, bool symmetry, int64_t n_nodes, int score, double first)
{
    mbx_game game;
    mbx_position root;
    CHECK(mbx_game_init(&game, 2, (int[]){x, y}, k, false) == MBX_OK);
    mbx_position_start(&root, &game);
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n_kernels = mbx_list_kernels(kernels);
    whole *known = solve_all(kernels[0], &root, symmetry);
    CHECK(known->n_nodes == n_nodes);
    CHECK(known->at[0].scores[0] == score);
    CHECK(known->quotients[0] == first);
    check_boards(&root, known);
    for (int i = 1; i < n_kernels; i++) {
        whole *other = solve_all(kernels[i], &root, symmetry);
        const size_t n = (size_t)n_nodes;
        CHECK(other->n_nodes == n_nodes && other->n_edges == known->n_edges);
        CHECK(memcmp(other->quotients, known->quotients, n * 24) == 0);
        CHECK(memcmp(other->chances, known->chances, n * 24) == 0);
        CHECK(memcmp(other->best, known->best, n * 8) == 0);
        CHECK(memcmp(other->weights, known->weights, (size_t)known->n_edges * 8) == 0);
        close_all(other);
        free(other);
    }
    close_all(known);
    free(known);
    mbx_game_free(&game);
}

void test_layers(void)
{
    for (int n_bits = 0; n_bits < 13; n_bits++)
        for (int n_ones = 0; n_ones <= n_bits; n_ones++)
            for (int bit = 0; bit < 2; bit++)
                check_patterns(n_bits, n_ones, bit);
    CHECK(mbx_choose(20, 10) == 184756);
    CHECK(mbx_choose(200, 100) == UINT64_MAX);
    check_quotients();
    check_game(3, 3, 3, false, 5478, 0, 737.0 / 1260.0);
    check_game(3, 3, 3, true, 765, 0, 737.0 / 1260.0);
    check_game(4, 3, 3, true, 28275, MBX_WON - 7, 2774.0 / 4725.0);
    check_game(2, 1, 1, false, 3, MBX_WON - 1, 1.0);
}
