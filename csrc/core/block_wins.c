/* block_wins.c - which positions of a block have a completed line: line by line, for all of them. */
#include "layers.h"

#include <string.h>

/* The places of a line's cells as bits of the pattern; 0 where some are not filled. */
static uint32_t line_places(const mbx_layers *layers, const mbx_block *block,
                            const mbx_open_lines *lines, int line)
{
    const uint8_t *cells = lines->cells + (size_t)line * (size_t)lines->stride;
    uint32_t places = 0;
    for (int i = 0; i < lines->lengths[line]; i++) {
        int column = layers->column[cells[i]];
        int level = cells[i] - layers->first[column];
        if (level >= block->heights[column])
            return 0;
        places |= 1u << (block->start[column] + level);
    }
    return places;
}

/* Sets `mark` for the patterns whose bits at `places` are all 1, or all 0 for the other side. */
static void mark_line(const mbx_patterns *patterns, uint32_t places, bool ones, uint8_t mark,
                      uint8_t *wins)
{
    const uint32_t *restrict list = patterns->patterns;
    uint8_t *restrict result = wins;
    uint32_t expected = ones ? places : 0;
    for (uint32_t rank = 0; rank < patterns->size; rank++)
        result[rank] |= (uint8_t)((list[rank] & places) == expected ? mark : 0);
}

bool mbx_block_wins(const mbx_layers *layers, const mbx_block *block, uint8_t *wins)
{
    const mbx_patterns *patterns = &layers->layers[block->depth].patterns;
    bool found = false;
    for (int side = 0; side < 2; side++)
        for (int line = 0; line < layers->lines[side].n; line++) {
            uint32_t places = line_places(layers, block, &layers->lines[side], line);
            if (!places)
                continue;
            if (!found)
                memset(wins, 0, patterns->size);
            found = true;
            mark_line(patterns, places, side == 0, (uint8_t)(1 << side), wins);
        }
    return found;
}
