/* mcts_select.h - a part of mcts_body.h: choosing an edge. */
#include "../core/mcts.h"

typedef struct {
    mbx_mcts *mcts;
    const mbx_kernel *kernel;
    mbx_cancel cancel;
    bool is_recorded;           /* the moves of the playout are written down */
    float scale;                /* one over the playouts a leaf */
} search;

#if defined(__AVX2__)
#include <immintrin.h>

MBX_INLINE __m256 scores_of(const float *means, const float *bonuses, __m256 e)
{
    return _mm256_add_ps(_mm256_loadu_ps(means),
                         _mm256_mul_ps(e, _mm256_loadu_ps(bonuses)));
}

/* The largest of eight, in all of them. */
MBX_INLINE __m256 largest_of(__m256 x)
{
    x = _mm256_max_ps(x, _mm256_permute2f128_ps(x, x, 1));
    x = _mm256_max_ps(x, _mm256_permute_ps(x, 0x4E));
    return _mm256_max_ps(x, _mm256_permute_ps(x, 0xB1));
}

MBX_INLINE unsigned where_equal(__m256 a, __m256 b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ));
}

/* The edge with the largest score; of several a random one. */
MBX_INLINE int choose_edge(const search *s, char *node, float exploration)
{
    const float *means = mbx_node_means(node), *bonuses = mbx_node_bonuses(node);
    const __m256 e = _mm256_set1_ps(exploration);
    const size_t lanes = mbx_node_lanes(node);
    __m256 best = scores_of(means, bonuses, e);
    for (size_t i = MBX_LANES; i < lanes; i += MBX_LANES)
        best = _mm256_max_ps(best, scores_of(means + i, bonuses + i, e));
    best = largest_of(best);
    uint32_t equal[MBX_MAX_LANES / MBX_LANES];
    int n = 0;
    size_t first = 0;
    for (size_t i = 0; i < lanes; i += MBX_LANES) {
        const unsigned here = where_equal(best, scores_of(means + i, bonuses + i, e));
        equal[i / MBX_LANES] = here;
        first = n == 0 ? i : first;
        n += mbx_count_ones(here);
    }
    size_t group = first / MBX_LANES;
    int skip = n > 1 ? (int)mbx_below(&s->mcts->rng, (uint64_t)n) : 0;
    while (skip >= mbx_count_ones(equal[group]))
        skip -= mbx_count_ones(equal[group++]);
    uint32_t here = equal[group];
    for (; skip > 0; skip--)
        here &= here - 1;
    return (int)group * MBX_LANES + mbx_lowest_one(here);
}
#else
MBX_INLINE int choose_edge(const search *s, char *node, float exploration)
{
    return mbx_choose_edge(node, exploration, &s->mcts->rng);
}
#endif
