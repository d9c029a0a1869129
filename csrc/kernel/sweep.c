/* sweep.c - the parts of the passes that gain nothing from wider instructions. */
#include "sweep.h"

#include <stdlib.h>

/* The entries of a block that are no nodes take the number of the first of their class. */
static void share_ids(const mbx_block *block, const mbx_layers *layers, int32_t *ids,
                      uint32_t *ranks, uint32_t *scratch)
{
    const uint32_t n = layers->layers[block->depth].patterns.size;
    if (mbx_block_first_of_class(layers, block, ranks, scratch))
        for (uint32_t rank = 0; rank < n; rank++)
            ids[rank] = ids[ranks[rank]];
}

mbx_error mbx_number_nodes(const mbx_layers *layers, int depth, const uint8_t *node_bits,
                           int32_t first_id, int32_t *ids)
{
    const mbx_layer *layer = &layers->layers[depth];
    const int64_t n = layer->patterns.size;
    uint32_t *ranks = malloc((size_t)n * 2 * sizeof *ranks);
    if (!ranks)
        return MBX_NO_MEMORY;
    int32_t id = first_id;
    for (int64_t at = 0; at < layer->n_blocks * n; at++) {
        ids[at] = id;
        id += node_bits[at >> 3] >> (at & 7) & 1;
    }
    for (int64_t index = 0; layers->n_symmetries > 1 && index < layer->n_blocks; index++) {
        mbx_block block;
        mbx_block_at(layers, depth, index, &block);
        share_ids(&block, layers, ids + index * n, ranks, ranks + n);
    }
    free(ranks);
    return MBX_OK;
}
