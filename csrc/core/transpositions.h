/* transpositions.h - the table of the alpha-beta searches: what was found out about a position.
 *
 * An entry holds the whole key (see line_board.h), so positions are not confused, and the depth of the search: an entry
 * answers searches of that depth only.  Wins and losses are an exception: one in n plies is found by
 * every search of depth n and more, so it answers all of these.  Scores in entries count the plies to
 * a win from their own position.
 *
 * The table begins with a few entries, which stay in the processor's caches, and grows as it fills.
 */
#ifndef MBX_TRANSPOSITIONS_H
#define MBX_TRANSPOSITIONS_H

#include "line_board.h"
#include "rng.h"

/* Scores: a win n plies later is worth MBX_WIN - n. */
enum {
    MBX_WIN = 100000000,
    MBX_SURE = MBX_WIN - 1000,      /* scores from here on are wins */
    MBX_INFINITE = MBX_WIN + 1
};

typedef enum { MBX_NOTHING, MBX_AT_LEAST, MBX_AT_MOST, MBX_EXACTLY } mbx_relation;

typedef struct {
    mbx_long_key key;
    int32_t score;
    uint8_t depth;
    uint8_t relation;               /* of the value to the score; MBX_NOTHING: the entry is empty */
    uint8_t move;                   /* the cell to look at first, or MBX_NO_MOVE */
} mbx_transposition;

typedef struct {
    mbx_transposition *entries;     /* NULL: there is no table */
    uint64_t n, most;               /* in use; room for */
    uint64_t stored;                /* since n was changed last */
} mbx_transpositions;

/* Room for so many entries, 0 or more: MBX_NO_MEMORY. */
mbx_error mbx_transpositions_create(mbx_transpositions *table, uint64_t most);
void mbx_transpositions_free(mbx_transpositions *table);
void mbx_transpositions_clear(mbx_transpositions *table);

/* Doubles the entries in use, where there is room; of a large table at once all are used. */
void mbx_transpositions_grow(mbx_transpositions *table);

MBX_INLINE int32_t mbx_later(int32_t score, int plies)
{
    return score >= MBX_SURE ? score - plies : score <= -MBX_SURE ? score + plies : score;
}

MBX_INLINE uint64_t mbx_transposition_place(const mbx_transpositions *table, mbx_long_key key)
{
    uint64_t place;
    mbx_multiply(mbx_mix(key.low + key.high * 0xD1B54A32D192ED03u), table->n, &place);
    return place;
}

MBX_INLINE bool mbx_transposition_is(const mbx_transposition *entry, mbx_long_key key)
{
    return entry->key.low == key.low && entry->key.high == key.high
           && entry->relation != MBX_NOTHING;
}

/* A position has two places, which are neighbours; of an odd number the last has one. */
MBX_INLINE uint64_t mbx_transposition_other(const mbx_transpositions *table, uint64_t place)
{
    return (place ^ 1) < table->n ? place ^ 1 : place;
}

/* NULL where nothing is known. */
MBX_INLINE const mbx_transposition *mbx_transposition_find(const mbx_transpositions *table,
                                                           mbx_long_key key)
{
    const uint64_t place = mbx_transposition_place(table, key);
    const mbx_transposition *entry = &table->entries[place];
    if (mbx_transposition_is(entry, key))
        return entry;
    entry = &table->entries[mbx_transposition_other(table, place)];
    return mbx_transposition_is(entry, key) ? entry : NULL;
}

/* Keeps an entry: in its own place if that is free, shallower or of the same position, else in the
 * other one. */
MBX_INLINE void mbx_transposition_store(mbx_transpositions *table, const mbx_transposition *entry)
{
    const uint64_t place = mbx_transposition_place(table, entry->key);
    const uint64_t other = mbx_transposition_other(table, place);
    mbx_transposition *first = &table->entries[place], *second = &table->entries[other];
    if (mbx_transposition_is(first, entry->key))
        *first = *entry;
    else if (mbx_transposition_is(second, entry->key) || first->depth > entry->depth)
        *second = *entry;
    else
        *first = *entry;
    if (++table->stored > table->n / 2 && table->n < table->most)
        mbx_transpositions_grow(table);
}

#endif
