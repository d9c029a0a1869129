/* sweep_forward.h - the pass from the root down: what is reached, and in how many ways. */
#include <stdlib.h>
#include <string.h>

static void hand_down(const mbx_forward *pass, const mbx_map *map, int64_t above, int64_t here,
                      size_t n, int n_open)
{
    const uint8_t *states = pass->states_above + above;
    void *sums = entry_of(pass->sums, pass->number, here);
    const void *given = entry_of(pass->sums_above, pass->number, above);
    WITH_NUMBER(pass->number,
                hand_down_narrow(map, n, states, sums, given, pass->multiple, n_open),
                hand_down_wide(map, n, states, sums, given, pass->multiple, n_open),
                hand_down_double(map, n, states, sums, given, pass->multiple, n_open));
}

static void reach_from_parents(const mbx_forward *pass, const mbx_block *block, int64_t here,
                               uint32_t *scratch)
{
    const mbx_layer *previous = &pass->layers->layers[pass->depth - 1];
    const size_t n = previous->patterns.size;
    const int n_open = mbx_block_open(pass->layers, block);
    mbx_neighbour parents[MBX_MAX_CELLS];
    int n_parents = mbx_block_parents(pass->layers, block, parents);
    uint8_t *restrict reached = pass->states + here;
    for (int p = 0; p < n_parents; p++) {
        const int column = parents[p].column;
        const bool was_full = block->heights[column] == pass->layers->capacity[column];
        const int64_t above = mbx_block_of_profile(previous, parents[p].profile) * (int64_t)n;
        const uint8_t *restrict states = pass->states_above + above;
        const mbx_map map = mbx_map_from_parent(pass->layers, block, &parents[p], scratch);
        FOLLOW(&map, n, reached[i] |= states[r] == MBX_IN_PLAY;);
        if (pass->number)
            hand_down(pass, &map, above, here, n, n_open + was_full);
    }
}

/* The states of a block's positions, where `states` says which were reached. */
static void judge(const mbx_layers *layers, const mbx_block *block, size_t n, bool may_be_won,
                  const uint8_t *restrict wins, uint8_t *restrict states)
{
    if (block->depth == layers->n_cells)
        for (size_t r = 0; r < n; r++)
            states[r] = states[r] ? MBX_STATE_OVER + MBX_DRAW : MBX_UNREACHED;
    if (!may_be_won)
        return;
    const uint8_t won = (uint8_t)(MBX_STATE_OVER + (layers->turn ^ mbx_mover_bit(block->depth)));
    for (size_t r = 0; r < n; r++)
        states[r] = states[r] && wins[r] ? won : states[r];
}

static void count_nodes(const mbx_forward *pass, int64_t block, size_t n)
{
    const uint8_t *restrict states = pass->states + (size_t)block * n;
    const uint8_t *restrict is_node = pass->is_node + (size_t)block * n;
    int64_t n_nodes = 0, n_in_play = 0;
    for (size_t r = 0; r < n; r++) {
        n_nodes += is_node[r];
        n_in_play += is_node[r] & (states[r] == MBX_IN_PLAY);
    }
    pass->n_nodes[block] = n_nodes;
    pass->n_in_play[block] = n_in_play;
}

static void sum_ended(const mbx_forward *pass, int64_t block, size_t n)
{
    const uint8_t *states = pass->states + (size_t)block * n;
    const void *sums = entry_of(pass->sums, pass->number, block * (int64_t)n);
    void *totals = entry_of(pass->ended, pass->number, MBX_OUTCOMES * block);
    WITH_NUMBER(pass->number, total_narrow(n, states, sums, totals),
                total_wide(n, states, sums, totals), total_double(n, states, sums, totals));
}

static void start_block(const mbx_forward *pass, int64_t here, size_t n)
{
    memset(pass->states + here, pass->depth == 0, n);
    if (!pass->number)
        return;
    void *sums = entry_of(pass->sums, pass->number, here);
    memset(sums, 0, n * SIZE_OF_NUMBER(pass->number));
    if (pass->depth == 0)
        WITH_NUMBER(pass->number, *(uint64_t *)sums = 1, ((mbx_wide *)sums)->low = 1,
                    *(double *)sums = 1.0);
}

static void choose_nodes(const mbx_forward *pass, const mbx_block *block, int64_t here, size_t n,
                         uint8_t *stabilisers, uint32_t *scratch)
{
    const mbx_layers *layers = pass->layers;
    const uint8_t *states = pass->states + here;
    uint8_t *is_node = pass->is_node + here;
    if (!mbx_block_stabilisers(layers, block, stabilisers, scratch))
        memset(stabilisers, 1, n);
    for (size_t r = 0; r < n; r++)
        is_node[r] = states[r] != MBX_UNREACHED && stabilisers[r] != 0;
    if (pass->copies)
        for (size_t r = 0; r < n; r++)
            pass->copies[here + (int64_t)r] =
                (uint8_t)(stabilisers[r] ? layers->n_symmetries / stabilisers[r] : 0);
}

static void forward_block(const mbx_forward *pass, int64_t index, uint8_t *bytes,
                          uint32_t *scratch)
{
    const mbx_layers *layers = pass->layers;
    const size_t n = layers->layers[pass->depth].patterns.size;
    const int64_t here = index * (int64_t)n;
    mbx_block block;
    mbx_block_at(layers, pass->depth, index, &block);
    start_block(pass, here, n);
    if (pass->depth > 0)
        reach_from_parents(pass, &block, here, scratch);
    if (layers->status != MBX_PLAYING)
        pass->states[0] = (uint8_t)(MBX_STATE_OVER + layers->status);
    else
        judge(layers, &block, n, mbx_block_wins(layers, &block, bytes), bytes,
              pass->states + here);
    choose_nodes(pass, &block, here, n, bytes, scratch);
    count_nodes(pass, index, n);
    if (pass->number)
        sum_ended(pass, index, n);
}

static mbx_error sweep_forward(const mbx_forward *pass, int64_t first, int64_t n_blocks,
                               mbx_cancel cancel)
{
    const size_t size = pass->layers->layers[pass->depth].patterns.size;
    uint8_t *bytes = malloc(size);
    uint32_t *scratch = malloc(size * sizeof *scratch); /* a parent's block is no larger */
    mbx_error error = bytes && scratch ? MBX_OK : MBX_NO_MEMORY;
    for (int64_t index = first; error == MBX_OK && index < first + n_blocks; index++) {
        forward_block(pass, index, bytes, scratch);
        error = mbx_cancelled(cancel) ? MBX_CANCELLED : MBX_OK;
    }
    free(bytes);
    free(scratch);
    return error;
}
