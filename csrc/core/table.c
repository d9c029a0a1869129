/* table.c - a table's memory. */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif

#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { NARROW_BUCKET = 16, WIDE_BUCKET = 32, MOST_LOG = 48 };

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

size_t mbx_table_bytes(const mbx_table *table)
{
    return (size_t)(table->is_wide ? WIDE_BUCKET : NARROW_BUCKET) << table->log_buckets;
}

mbx_error mbx_table_create(mbx_table *table, size_t bytes, int key_bits, bool is_wide)
{
    MBX_ASSERT(is_wide || mbx_table_can_be_narrow(bytes, key_bits));
    table->key_bits = key_bits;
    table->is_wide = is_wide;
    table->log_buckets = log_buckets(bytes, is_wide ? WIDE_BUCKET : NARROW_BUCKET, key_bits);
    const size_t size = mbx_table_bytes(table);
    const size_t page = size >= HUGE_PAGE ? HUGE_PAGE : WIDE_BUCKET;
    table->memory = calloc(1, size + page);
    if (!table->memory)
        return MBX_NO_MEMORY;
    table->words = (uint64_t *)(((uintptr_t)table->memory + page - 1) / page * page);
#if defined(__linux__)
    if (size >= HUGE_PAGE)
        (void)madvise(table->words, size, MADV_HUGEPAGE); /* where it is refused, pages are small */
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
    memset(table->words, 0, mbx_table_bytes(table));
}
