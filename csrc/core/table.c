/* table.c - a table's memory. */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif

#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { NARROW_BUCKET = 16, WIDE_BUCKET = 32, FIRST_LOG = 13, MOST_LOG = 48 };

static const size_t HUGE_PAGE = (size_t)1 << 21;

/* The largest number of buckets, as a logarithm, in so many bytes. */
static int log_buckets(size_t bytes, size_t bucket, int key_bits)
{
    int log = 0;
    while (log < MOST_LOG && log < key_bits && bucket << (log + 1) <= bytes)
        log++;
    return log;
}

bool mbx_table_can_be_narrow(size_t bytes, int key_bits)
{
    const int rest = key_bits - log_buckets(bytes, NARROW_BUCKET, key_bits);
    return key_bits <= 64 && rest <= 64 - MBX_NARROW_VALUE;
}

static size_t bucket_bytes(const mbx_table *table)
{
    return table->is_wide ? WIDE_BUCKET : NARROW_BUCKET;
}

size_t mbx_table_bytes(const mbx_table *table)
{
    return bucket_bytes(table) << table->most_log;
}

mbx_error mbx_table_create(mbx_table *table, size_t bytes, int key_bits, bool is_wide)
{
    MBX_ASSERT(is_wide || mbx_table_can_be_narrow(bytes, key_bits));
    table->key_bits = key_bits;
    table->is_wide = is_wide;
    table->most_log = log_buckets(bytes, bucket_bytes(table), key_bits);
    const int needed = is_wide ? 0 : key_bits - (64 - MBX_NARROW_VALUE);
    const int first = needed > FIRST_LOG ? needed : FIRST_LOG;
    table->least_log = first < table->most_log ? first : table->most_log;
    table->log_buckets = table->least_log;
    const size_t size = mbx_table_bytes(table);
    const size_t page = size > HUGE_PAGE ? HUGE_PAGE : WIDE_BUCKET;
    table->memory = calloc(1, size + page);
    if (!table->memory)
        return MBX_NO_MEMORY;
    table->words = (uint64_t *)(((uintptr_t)table->memory + page - 1) / page * page);
#if defined(__linux__)
    if (size > HUGE_PAGE) /* where it is refused, pages are small; the first ones are to be */
        (void)madvise((char *)table->words + HUGE_PAGE, size - HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return MBX_OK;
}

void mbx_table_free(mbx_table *table)
{
    free(table->memory);
    table->memory = NULL;
    table->words = NULL;
}

void mbx_table_clear(mbx_table *table)
{
    memset(table->words, 0, bucket_bytes(table) << table->log_buckets);
    table->log_buckets = table->least_log;
}

/* Moves an entry of a narrow bucket to one of the two that follow from it: the top bit of the rest
 * becomes the last one of the bucket's number. */
static void split_narrow(const mbx_table *table, uint64_t i)
{
    const int rest_bits = table->key_bits - table->log_buckets;
    uint64_t *half = table->words + 4 * i;
    const uint64_t entries[2] = {table->words[2 * i], table->words[2 * i + 1]};
    int n[2] = {0, 0};
    memset(half, 0, 2 * NARROW_BUCKET);
    for (int j = 0; j < 2; j++) {
        const uint64_t top = (uint64_t)1 << (rest_bits - 1 + MBX_NARROW_VALUE);
        const int upper = (entries[j] & top) != 0;
        if (entries[j] != 0)
            half[2 * upper + n[upper]++] = entries[j] & ~top;
    }
}

/* The same for a wide bucket; the table already counts the new number of buckets. */
static void split_wide(const mbx_table *table, uint64_t i)
{
    uint64_t *half = table->words + 8 * i;
    uint64_t entries[4];
    int n[2] = {0, 0};
    memcpy(entries, table->words + 4 * i, sizeof entries);
    memset(half, 0, 2 * WIDE_BUCKET);
    for (int j = 0; j < 4; j += 2) {
        const mbx_wide_key key = {entries[j], entries[j + 1] >> MBX_WIDE_VALUE};
        const int upper = mbx_wide_bucket(table, key) != half;
        if (entries[j + 1] != 0)
            memcpy(half + 4 * upper + 2 * n[upper]++, entries + j, 2 * sizeof *entries);
    }
}

void mbx_table_grow(mbx_table *table)
{
    if (table->log_buckets == table->most_log)
        return;
    uint64_t i = (uint64_t)1 << table->log_buckets;
    table->log_buckets += table->is_wide;
    while (i-- > 0)
        (table->is_wide ? split_wide : split_narrow)(table, i);
    table->log_buckets += !table->is_wide;
}
