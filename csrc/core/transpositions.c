/* transpositions.c - making, clearing and growing the table of the alpha-beta searches. */
#include "transpositions.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_ENTRIES = 1 << 10,
    MOST_MOVED = 1 << 20        /* entries that may move when the table grows: it takes a while */
};

mbx_error mbx_transpositions_create(mbx_transpositions *table, uint64_t most)
{
    memset(table, 0, sizeof *table);
    table->most = most;
    if (most == 0)
        return MBX_OK;
    table->entries = calloc(most, sizeof *table->entries);
    if (!table->entries)
        return MBX_NO_MEMORY;
    table->n = most < FIRST_ENTRIES ? most : FIRST_ENTRIES;
    return MBX_OK;
}

void mbx_transpositions_free(mbx_transpositions *table)
{
    free(table->entries);
}

void mbx_transpositions_clear(mbx_transpositions *table)
{
    if (table->n > 0)
        memset(table->entries, 0, table->n * sizeof *table->entries);
    table->n = table->most < FIRST_ENTRIES ? table->most : FIRST_ENTRIES;
    table->stored = 0;
}

/* From the last to the first, so that an entry moves to places whose own entries have moved. */
void mbx_transpositions_grow(mbx_transpositions *table)
{
    const uint64_t before = table->n;
    table->n = before < table->most / 2 && before < MOST_MOVED ? 2 * before : table->most;
    table->stored = 0;
    for (uint64_t i = before; i-- > 0;) {
        const mbx_transposition entry = table->entries[i];
        table->entries[i].relation = MBX_NOTHING;
        table->entries[i].depth = 0;
        if (entry.relation != MBX_NOTHING)
            table->entries[mbx_transposition_place(table, entry.key)] = entry;
    }
}
