/* mcts_select.h - a part of mcts_body.h: choosing an edge. */
#include "../core/mcts.h"

typedef struct {
    mbx_mcts *mcts;
    const mbx_kernel *kernel;
    mbx_cancel cancel;
    bool is_recorded;           /* the moves of the playout are written down */
    float scale;                /* one over the playouts a leaf */
} search;

/* Asks for the lines of a block of eight lanes that a choice reads. */
MBX_INLINE void fetch_node(const char *node)
{
    MBX_PREFETCH(node);
    MBX_PREFETCH(node + 64);
}

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

/* The edge with the largest score among eight; of several a random one. */
MBX_INLINE size_t choose_of_8(const search *s, const float *means, float exploration)
{
    const __m256 scores = scores_of(means, means + MBX_LANES, _mm256_set1_ps(exploration));
    unsigned equal = where_equal(scores, largest_of(scores));
    if (equal & (equal - 1)) {
        uint64_t skip = mbx_below(&s->mcts->rng, (uint64_t)mbx_count_ones(equal));
        for (; skip > 0; skip--)
            equal &= equal - 1;
    }
    return (size_t)mbx_lowest_one(equal);
}

/* The same among more. */
MBX_NO_INLINE size_t choose_of_many(const search *s, const float *means, size_t lanes,
                                    float exploration)
{
    const __m256 e = _mm256_set1_ps(exploration);
    const float *bonuses = means + lanes;
    __m256 best = scores_of(means, bonuses, e);
    for (size_t i = MBX_LANES; i < lanes; i += MBX_LANES)
        best = _mm256_max_ps(best, scores_of(means + i, bonuses + i, e));
    best = largest_of(best);
    uint32_t equal[MBX_MAX_LANES / MBX_LANES] = {0};
    int n = 0;
    for (size_t i = 0; i < lanes; i += MBX_LANES) {
        equal[i / MBX_LANES] = where_equal(best, scores_of(means + i, bonuses + i, e));
        n += mbx_count_ones(equal[i / MBX_LANES]);
    }
    int skip = n > 1 ? (int)mbx_below(&s->mcts->rng, (uint64_t)n) : 0;
    size_t group = 0;
    while (skip >= mbx_count_ones(equal[group]))
        skip -= mbx_count_ones(equal[group++]);
    for (; skip > 0; skip--)
        equal[group] &= equal[group] - 1;
    return group * MBX_LANES + (size_t)mbx_lowest_one(equal[group]);
}

MBX_INLINE size_t choose_edge(const search *s, char *node, size_t lanes, float exploration)
{
    const float *means = mbx_means_of(node, lanes);
    return lanes == MBX_LANES ? choose_of_8(s, means, exploration)
                              : choose_of_many(s, means, lanes, exploration);
}
#else
MBX_INLINE size_t choose_edge(const search *s, char *node, size_t lanes, float exploration)
{
    (void)lanes;
    return (size_t)mbx_choose_edge(node, exploration, &s->mcts->rng);
}
#endif
