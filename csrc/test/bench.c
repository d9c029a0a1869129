/* bench.c - what one core does without Python: playouts a second, milliseconds for the 3x3 tree. */
#define _POSIX_C_SOURCE 199309L

#include "../core/backward.h"
#include "../core/playout.h"
#include "../kernel/dispatch.h"
#include "../kernel/playouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 7 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Millions of playouts a second: by the scalar loop where kernel is NULL. */
static double rate_of(const mbx_kernel *kernel, const mbx_position *position, uint64_t n)
{
    int64_t counts[MBX_MAX_CELLS][MBX_OUTCOMES] = {{0}};
    const mbx_seed seed = {1, 0};
    mbx_plan *plan;
    double best = 1e9;
    mbx_plan_create(&plan, position);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        if (kernel)
            mbx_playout_counts(kernel, position, 1, seed, 0, 0, n, NULL, counts);
        else
            mbx_scalar_counts(plan, seed, 0, 0, n, NULL, counts);
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    mbx_plan_free(plan);
    return 1e-6 * (double)n / best;
}

/* n: what the scalar loop plays in some 50 ms. */
static void bench_playouts(const char *name, int x, int y, int z, int k, bool gravity, uint64_t n)
{
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n_kernels = mbx_list_kernels(kernels);
    mbx_game game;
    mbx_position position;
    mbx_game_init(&game, z ? 3 : 2, (int[]){x, y, z}, k, gravity);
    mbx_position_start(&position, &game);
    const double scalar = rate_of(NULL, &position, n);
    printf("%-16s scalar %7.2f M/s", name, scalar);
    for (int i = 0; i < n_kernels; i++) {
        const double rate = rate_of(kernels[i], &position, 5 * n);
        printf("   %s %7.2f x%-5.1f", kernels[i]->name, rate, rate / scalar);
    }
    printf("\n");
    mbx_game_free(&game);
}

static void bench_tree(void)
{
    enum { N = 549946 };
    static int8_t leaves[MBX_MAX_DEPTHS][MBX_OUTCOMES];
    static uint64_t weight[MBX_MAX_DEPTHS], factor[MBX_MAX_DEPTHS];
    double best[3] = {1e9, 1e9, 1e9};
    mbx_game game;
    mbx_position root;
    mbx_game_init(&game, 2, (int[]){3, 3}, 3, false);
    mbx_position_start(&root, &game);
    weight[9] = 1;
    for (int depth = 8; depth >= 0; depth--)
        weight[depth] = weight[depth + 1] * (uint64_t)(9 - depth);
    for (int i = 0; i < MBX_MAX_DEPTHS; i++)
        factor[i] = 1;
    mbx_minimax_rule minimax = {0, {true, false}, (const int8_t(*)[MBX_OUTCOMES])leaves};
    mbx_count_rule count = {weight, factor};
    for (int round = 0; round < ROUNDS; round++) {
        mbx_tree tree = {0, malloc(N * 4), malloc(N * 4), malloc(N), malloc(N), malloc(N),
                         malloc(N), NULL};
        int8_t *values = malloc(N);
        uint32_t(*counts)[MBX_OUTCOMES] = malloc(N * sizeof *counts);
        double times[4] = {now()};
        mbx_tree_fill(&root, NULL, N, NULL, &tree);
        times[1] = now();
        mbx_minimax(&tree, &minimax, NULL, values);
        times[2] = now();
        mbx_count_outcomes32(&tree, &count, NULL, counts);
        times[3] = now();
        for (int i = 0; i < 3; i++)
            if (times[i + 1] - times[i] < best[i])
                best[i] = times[i + 1] - times[i];
        free(tree.parent);
        free(tree.first_child);
        free(tree.move);
        free(tree.depth);
        free(tree.n_children);
        free(tree.status);
        free(values);
        free(counts);
    }
    printf("3x3 tree, fresh memory: fill %.2f ms, minimax %.2f ms, exact counts %.2f ms\n",
           1e3 * best[0], 1e3 * best[1], 1e3 * best[2]);
    mbx_game_free(&game);
}

int main(void)
{
    bench_playouts("3x3", 3, 3, 0, 3, false, 2000000);
    bench_playouts("4x4, k=4", 4, 4, 0, 4, false, 600000);
    bench_playouts("5x5, k=4", 5, 5, 0, 4, false, 300000);
    bench_playouts("4x4x4", 4, 4, 4, 4, false, 150000);
    bench_playouts("9x9, k=5", 9, 9, 0, 5, false, 50000);
    bench_playouts("15x15, k=5", 15, 15, 0, 5, false, 20000);
    bench_playouts("Connect Four", 7, 6, 0, 4, true, 150000);
    bench_playouts("4x4x4, gravity", 4, 4, 4, 4, true, 150000);
    bench_playouts("5x5x5, gravity", 5, 5, 5, 5, true, 50000);
    bench_tree();
    return 0;
}
