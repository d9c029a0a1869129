/* patterns.h - which of n placed stones are one side's: the patterns of n bits with m ones, ranked.
 *
 * Patterns of one (n, m) are numbered in ascending order as integers:
 *
 *     n = 4, m = 2      rank     0     1     2     3     4     5
 *                    pattern  0011  0101  0110  1001  1010  1100
 *
 * A stone that joins the placed ones at some place inserts a bit there: 0110 with a 1 inserted at
 * place 3 is 10110.  Insertion keeps the order, so that ranks map to ranks by a rising table; and
 * patterns that share the bits above the place follow one another before and after, so that the table
 * is made of runs: long ones for a high place.
 */
#ifndef MBX_PATTERNS_H
#define MBX_PATTERNS_H

#include "base.h"

enum { MBX_MAX_BITS = 26 };

typedef struct {
    uint32_t start, length;
} mbx_run;

/* From the ranks of one kind of patterns to those of another: a table of all, or runs. */
typedef struct {
    const uint32_t *indices;    /* NULL: runs */
    const mbx_run *runs;
    size_t n_runs;
} mbx_map;

typedef struct {
    int n_bits, n_ones;
    uint32_t size;              /* number of patterns */
    uint32_t *patterns;         /* ascending */
    int n_low;                  /* rank = rank_low[the lowest n_low bits] + rank_high[the others] */
    uint32_t *rank_low, *rank_high;
    mbx_map insertions[MBX_MAX_BITS + 1];   /* by place: to the patterns of the next layer */
    void *tables;               /* what the insertions point to */
} mbx_patterns;

/* Number of patterns; UINT64_MAX where it, or a product on the way to it, is not below 2^64. */
uint64_t mbx_choose(int n, int m);

/* n_bits from 0 to MBX_MAX_BITS, n_ones from 0 to n_bits. */
mbx_error mbx_patterns_init(mbx_patterns *patterns, int n_bits, int n_ones);

/* Fills `insertions`, by which `bit` is inserted: `to` has a bit more, and `bit` more ones. */
mbx_error mbx_patterns_link(mbx_patterns *patterns, const mbx_patterns *to, int bit);

void mbx_patterns_free(mbx_patterns *patterns);

static inline uint32_t mbx_pattern_rank(const mbx_patterns *patterns, uint32_t pattern)
{
    return patterns->rank_low[pattern & ((1u << patterns->n_low) - 1)]
           + patterns->rank_high[pattern >> patterns->n_low];
}

#endif
