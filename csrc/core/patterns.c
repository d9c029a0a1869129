/* patterns.c - lists, ranks and insertions, made once for each layer. */
#include "patterns.h"

#include <stdlib.h>
#include <string.h>

/* From this place on an insertion is kept as runs, whose mean length is 10 and more. */
enum { RUNS_FROM = 6 };

uint64_t mbx_choose(int n, int m)
{
    if (m < 0 || m > n)
        return 0;
    uint64_t result = 1;
    for (int i = 1; i <= m; i++) {
        uint64_t factor = (uint64_t)(n - m + i);
        if (result > UINT64_MAX / factor)
            return UINT64_MAX;
        result = result * factor / (uint64_t)i;
    }
    return result;
}

/* The next larger integer with as many ones; pattern is not 0. */
static uint32_t next_pattern(uint32_t pattern)
{
    uint32_t lowest = pattern & (0 - pattern);
    uint32_t carried = pattern + lowest;
    return carried | (pattern ^ carried) >> (2 + mbx_lowest_one(lowest));
}

static void list_patterns(mbx_patterns *patterns)
{
    uint32_t pattern = (1u << patterns->n_ones) - 1;
    for (uint32_t rank = 0; rank < patterns->size; rank++) {
        patterns->patterns[rank] = pattern;
        if (rank + 1 < patterns->size)
            pattern = next_pattern(pattern);
    }
}

/* The rank of a pattern is the sum over its ones, the i-th of them (from 1) at place b, of
 * choose(b, i): so many patterns have their i-th one further down and the higher ones in common. */
static uint32_t part_of_rank(uint32_t bits, int first_place, int first_one)
{
    uint64_t rank = 0;
    for (; bits; bits &= bits - 1)
        rank += mbx_choose(first_place + mbx_lowest_one(bits), first_one++);
    return (uint32_t)rank;
}

static void fill_ranks(mbx_patterns *patterns)
{
    int n_high = patterns->n_bits - patterns->n_low;
    for (uint32_t low = 0; low < 1u << patterns->n_low; low++)
        patterns->rank_low[low] = part_of_rank(low, 0, 1);
    for (uint32_t high = 0; high < 1u << n_high; high++) {
        int ones_below = patterns->n_ones - mbx_count_ones(high);
        patterns->rank_high[high] = ones_below < 0 ? 0
                                    : part_of_rank(high, patterns->n_low, ones_below + 1);
    }
}

mbx_error mbx_patterns_init(mbx_patterns *patterns, int n_bits, int n_ones)
{
    MBX_ASSERT(0 <= n_ones && n_ones <= n_bits && n_bits <= MBX_MAX_BITS);
    memset(patterns, 0, sizeof *patterns);
    patterns->n_bits = n_bits;
    patterns->n_ones = n_ones;
    patterns->size = (uint32_t)mbx_choose(n_bits, n_ones);
    patterns->n_low = n_bits / 2;
    patterns->patterns = malloc(patterns->size * sizeof(uint32_t));
    patterns->rank_low = malloc(sizeof(uint32_t) << patterns->n_low);
    patterns->rank_high = malloc(sizeof(uint32_t) << (n_bits - patterns->n_low));
    if (!patterns->patterns || !patterns->rank_low || !patterns->rank_high) {
        mbx_patterns_free(patterns);
        return MBX_NO_MEMORY;
    }
    list_patterns(patterns);
    fill_ranks(patterns);
    return MBX_OK;
}

/* ---- insertions ------------------------------------------------------------------------------ */

static void fill_indices(const mbx_patterns *patterns, const mbx_patterns *to, int place, int bit,
                         uint32_t *indices)
{
    uint32_t below = (1u << place) - 1;
    for (uint32_t rank = 0; rank < patterns->size; rank++) {
        uint32_t pattern = patterns->patterns[rank];
        indices[rank] = mbx_pattern_rank(to, (pattern & below) | (pattern & ~below) << 1
                                                 | (uint32_t)bit << place);
    }
}

/* The runs of patterns that share the bits above `place`; their number, with NULL for runs. */
static size_t fill_runs(const mbx_patterns *patterns, const mbx_patterns *to, int place, int bit,
                        mbx_run *runs)
{
    size_t n_runs = 0;
    for (uint32_t high = 0; high < 1u << (patterns->n_bits - place); high++) {
        int ones_below = patterns->n_ones - mbx_count_ones(high);
        if (ones_below < 0 || ones_below > place)
            continue;
        if (runs) {
            uint32_t lowest = (1u << ones_below) - 1;
            uint32_t pattern = high << (place + 1) | (uint32_t)bit << place | lowest;
            runs[n_runs].start = mbx_pattern_rank(to, pattern);
            runs[n_runs].length = (uint32_t)mbx_choose(place, ones_below);
        }
        n_runs++;
    }
    return n_runs;
}

mbx_error mbx_patterns_link(mbx_patterns *patterns, const mbx_patterns *to, int bit)
{
    MBX_ASSERT(to->n_bits == patterns->n_bits + 1 && to->n_ones == patterns->n_ones + bit);
    int n_places = patterns->n_bits + 1;
    size_t n_indices = 0, n_runs = 0;
    for (int place = 0; place < n_places; place++) {
        if (place < RUNS_FROM)
            n_indices += patterns->size;
        else
            n_runs += fill_runs(patterns, to, place, bit, NULL);
    }
    patterns->tables = malloc(n_runs * sizeof(mbx_run) + n_indices * sizeof(uint32_t));
    if (!patterns->tables)
        return MBX_NO_MEMORY;
    mbx_run *runs = patterns->tables;
    uint32_t *indices = (uint32_t *)(runs + n_runs);
    for (int place = 0; place < n_places; place++) {
        mbx_map *map = &patterns->insertions[place];
        if (place < RUNS_FROM) {
            fill_indices(patterns, to, place, bit, indices);
            map->indices = indices;
            indices += patterns->size;
        } else {
            map->n_runs = fill_runs(patterns, to, place, bit, runs);
            map->runs = runs;
            runs += map->n_runs;
        }
    }
    return MBX_OK;
}

void mbx_patterns_free(mbx_patterns *patterns)
{
    free(patterns->patterns);
    free(patterns->rank_low);
    free(patterns->rank_high);
    free(patterns->tables);
    memset(patterns, 0, sizeof *patterns);
}
