/* table.h - a transposition table: what earlier searches proved about positions.
 *
 * A bucket is two entries of one kind; the entry layout is private to this file.
 *
 *     narrow   one word:   rest of the key | work 4 | move 4 | upper 7 | lower 7
 *     wide     two words:  key, its low 64 bits; key, 36 more | work 4 | move 8 | upper 8 | lower 8
 *
 * Keys are never confused.  A wide entry holds all of the key.  A narrow one relies on a hash that
 * is a bijection of the key's b bits, multiplication by an odd number modulo 2^b: the top bits of
 * the hash are the bucket's number and the other ones, the rest, stand in the entry.  So narrow
 * entries need b - log2(buckets) <= 42; a smaller table has wide ones.
 *
 * A full bucket keeps the entry on which more work was done, and the newest one.
 *
 * A table begins with a few buckets, which stay in the processor's caches, and doubles them as a
 * search goes on, until all of its memory is in use: bucket i becomes 2i and 2i + 1.
 */
#ifndef MBX_TABLE_H
#define MBX_TABLE_H

#include "base.h"

enum { MBX_MOST_WORK = 15, MBX_WIDE_KEY = 100 };

typedef struct {
    uint64_t *words;        /* buckets, one after the other; all zero: an empty entry */
    void *memory;           /* what was allocated; words is the first whole page in it */
    int log_buckets;        /* in use */
    int least_log, most_log;
    int key_bits;
    bool is_wide;
} mbx_table;

/* What is known of a position: lower <= its score <= upper, and a move to look at first or
 * MBX_NO_MOVE; a narrow entry forgets moves from 15 on. */
typedef struct {
    int lower, upper, move;
} mbx_bounds;

/* An empty table of at most `bytes`, but of one bucket at least, for keys of so many bits (at most
 * MBX_WIDE_KEY): MBX_NO_MEMORY. */
mbx_error mbx_table_create(mbx_table *table, size_t bytes, int key_bits, bool is_wide);
void mbx_table_free(mbx_table *table);
void mbx_table_clear(mbx_table *table);

/* Doubles the buckets in use, where there is memory left; not within a find or store. */
void mbx_table_grow(mbx_table *table);

/* The memory that it may use. */
size_t mbx_table_bytes(const mbx_table *table);

/* Do narrow entries suffice in a table of so many bytes? */
bool mbx_table_can_be_narrow(size_t bytes, int key_bits);

/* The work of a search of so many nodes: its logarithm, from 1 to MBX_MOST_WORK. */
static inline int mbx_work(uint64_t nodes)
{
    int work = 1;
    while (work < MBX_MOST_WORK && nodes >> work != 0)
        work++;
    return work;
}

/* Signed numbers in fields of so many bits. */
MBX_INLINE uint64_t mbx_field(int value, int bits)
{
    return (uint64_t)value & ((1u << bits) - 1);
}

MBX_INLINE int mbx_of_field(uint64_t field, int bits)
{
    return (int)((int64_t)(field << (64 - bits)) >> (64 - bits));
}

#define MBX_HASH_FACTOR 0x9E3779B97F4A7C15u

/* --- narrow entries: a key is first made its hash, which is what the functions take --------- */

enum { MBX_NARROW_VALUE = 22, MBX_NARROW_MOVES = 15 };

MBX_INLINE uint64_t mbx_narrow_hash(const mbx_table *table, uint64_t key)
{
    return key * MBX_HASH_FACTOR & (~(uint64_t)0 >> (64 - table->key_bits));
}

MBX_INLINE uint64_t *mbx_narrow_bucket(const mbx_table *table, uint64_t hash)
{
    return table->words + 2 * (hash >> (table->key_bits - table->log_buckets));
}

MBX_INLINE uint64_t mbx_narrow_rest(const mbx_table *table, uint64_t hash)
{
    return hash & (((uint64_t)1 << (table->key_bits - table->log_buckets)) - 1);
}

/* False where nothing is known; `bounds` is then left as it is. */
MBX_INLINE bool mbx_narrow_find(const mbx_table *table, uint64_t hash, mbx_bounds *bounds)
{
    const uint64_t *bucket = mbx_narrow_bucket(table, hash);
    const uint64_t rest = mbx_narrow_rest(table, hash);
    uint64_t word = bucket[0];
    if (word == 0 || word >> MBX_NARROW_VALUE != rest)
        word = bucket[1];
    if (word == 0 || word >> MBX_NARROW_VALUE != rest)
        return false;
    bounds->lower = mbx_of_field(word, 7);
    bounds->upper = mbx_of_field(word >> 7, 7);
    const int move = word >> 14 & 15;
    bounds->move = move < MBX_NARROW_MOVES ? move : MBX_NO_MOVE;
    return true;
}

MBX_INLINE void mbx_narrow_store(mbx_table *table, uint64_t hash, mbx_bounds bounds, int work)
{
    uint64_t *bucket = mbx_narrow_bucket(table, hash);
    const uint64_t rest = mbx_narrow_rest(table, hash);
    const int move = bounds.move < MBX_NARROW_MOVES ? bounds.move : MBX_NARROW_MOVES;
    const uint64_t word = rest << MBX_NARROW_VALUE | (uint64_t)work << 18 | (uint64_t)move << 14
                          | mbx_field(bounds.upper, 7) << 7 | mbx_field(bounds.lower, 7);
    const bool is_first = bucket[0] >> MBX_NARROW_VALUE == rest;
    const bool is_second = bucket[1] >> MBX_NARROW_VALUE == rest;
    if (!is_first && !is_second && (int)(bucket[0] >> 18 & 15) <= work)
        bucket[1] = bucket[0];
    else if (!is_first) {
        bucket[1] = word;
        return;
    }
    bucket[0] = word;
}

/* --- wide entries --------------------------------------------------------------------------- */

enum { MBX_WIDE_VALUE = 28 };

typedef struct {
    uint64_t low, high;     /* high: at most 36 bits */
} mbx_wide_key;

MBX_INLINE uint64_t *mbx_wide_bucket(const mbx_table *table, mbx_wide_key key)
{
    uint64_t mixed = key.low ^ key.high * 0xD1B54A32D192ED03u;
    mixed = (mixed ^ mixed >> 32) * MBX_HASH_FACTOR;
    return table->words + 4 * (mixed >> 1 >> (63 - table->log_buckets));
}

MBX_INLINE bool mbx_wide_is(const uint64_t *entry, mbx_wide_key key)
{
    return entry[0] == key.low && entry[1] >> MBX_WIDE_VALUE == key.high;
}

MBX_INLINE bool mbx_wide_find(const mbx_table *table, mbx_wide_key key, mbx_bounds *bounds)
{
    const uint64_t *entry = mbx_wide_bucket(table, key);
    if (!mbx_wide_is(entry, key))
        entry += 2;
    if (!mbx_wide_is(entry, key) || entry[1] == 0)
        return false;
    bounds->lower = mbx_of_field(entry[1], 8);
    bounds->upper = mbx_of_field(entry[1] >> 8, 8);
    bounds->move = entry[1] >> 16 & 255;
    return true;
}

MBX_INLINE void mbx_wide_store(mbx_table *table, mbx_wide_key key, mbx_bounds bounds, int work)
{
    uint64_t *first = mbx_wide_bucket(table, key), *entry = first;
    if (!mbx_wide_is(first, key)) {
        if (mbx_wide_is(first + 2, key) || (int)(first[1] >> 24 & 15) > work)
            entry = first + 2;
        else {
            first[2] = first[0];
            first[3] = first[1];
        }
    }
    entry[0] = key.low;
    entry[1] = key.high << MBX_WIDE_VALUE | (uint64_t)work << 24 | (uint64_t)bounds.move << 16
               | mbx_field(bounds.upper, 8) << 8 | mbx_field(bounds.lower, 8);
}

#endif
