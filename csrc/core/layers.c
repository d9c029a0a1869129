/* layers.c - the root's columns, lines and symmetries; profiles and their neighbours. */
#include "layers.h"

#include <stdlib.h>
#include <string.h>

/* ---- the root -------------------------------------------------------------------------------- */

static void list_columns(mbx_layers *layers, const mbx_position *root)
{
    const mbx_game *game = root->game;
    if (root->status != MBX_PLAYING)
        return;
    for (int move = 0; move < game->n_moves; move++) {
        int open = game->height - root->heights[move];
        if (open == 0)
            continue;
        int column = layers->n_columns++;
        layers->moves[column] = (uint8_t)move;
        layers->capacity[column] = (uint8_t)open;
        layers->first[column] = (uint8_t)layers->n_cells;
        for (int i = 0; i < open; i++) {
            layers->column[layers->n_cells] = (uint8_t)column;
            layers->cells[layers->n_cells++] =
                (uint8_t)(move + game->n_moves * (root->heights[move] + i));
        }
    }
}

/* By cell of the board its number among the open cells, -1 for the others. */
static void number_cells(const mbx_layers *layers, int16_t numbers[MBX_MAX_CELLS])
{
    for (int cell = 0; cell < MBX_MAX_CELLS; cell++)
        numbers[cell] = -1;
    for (int i = 0; i < layers->n_cells; i++)
        numbers[layers->cells[i]] = (int16_t)i;
}

static mbx_error list_lines(mbx_layers *layers, int side, mbx_open_lines *lines)
{
    const mbx_game *game = layers->game;
    int16_t numbers[MBX_MAX_CELLS];
    number_cells(layers, numbers);
    lines->stride = game->n_lines ? game->k : 1;
    lines->cells = malloc((size_t)(game->n_lines + 1) * (size_t)lines->stride);
    lines->lengths = calloc((size_t)game->n_lines + 1, 1);
    if (!lines->cells || !lines->lengths)
        return MBX_NO_MEMORY;
    for (int i = 0; i < game->n_lines && layers->n_cells; i++) {
        uint8_t *open = lines->cells + (size_t)lines->n * (size_t)lines->stride;
        int length = 0;
        bool blocked = false;
        for (int j = 0; j < game->k; j++) {
            int cell = mbx_line(game, i)[j];
            if (numbers[cell] >= 0)
                open[length++] = (uint8_t)numbers[cell];
            else
                blocked |= layers->board[cell] != side;
        }
        if (!blocked)
            lines->lengths[lines->n++] = (uint8_t)length;
    }
    return MBX_OK;
}

/* Does a symmetry of the game leave the root as it is? */
static bool keeps_root(const mbx_layers *layers, const uint8_t *images)
{
    for (int cell = 0; cell < layers->game->n_cells; cell++)
        if (layers->board[images[cell]] != layers->board[cell])
            return false;
    return true;
}

static mbx_error list_symmetries(mbx_layers *layers, bool symmetry)
{
    const mbx_game *game = layers->game;
    int n = symmetry ? game->n_symmetries : 1;
    size_t n_cells = (size_t)layers->n_cells;
    int16_t numbers[MBX_MAX_CELLS];
    number_cells(layers, numbers);
    layers->images = malloc((size_t)n * (n_cells + 1));
    layers->inverse = malloc((size_t)n);
    if (!layers->images || !layers->inverse)
        return MBX_NO_MEMORY;
    for (int s = 0; s < n; s++) {
        const uint8_t *on_board = game->symmetries + (size_t)s * (size_t)game->n_cells;
        if (!keeps_root(layers, on_board))
            continue;
        uint8_t *images = layers->images + (size_t)layers->n_symmetries++ * n_cells;
        for (size_t i = 0; i < n_cells; i++)
            images[i] = (uint8_t)numbers[on_board[layers->cells[i]]];
    }
    for (int s = 0; s < layers->n_symmetries; s++)
        for (int t = 0; t < layers->n_symmetries; t++) {
            const uint8_t *there = layers->images + (size_t)s * n_cells;
            const uint8_t *back = layers->images + (size_t)t * n_cells;
            bool is_inverse = true;
            for (size_t i = 0; i < n_cells; i++)
                is_inverse &= back[there[i]] == i;
            if (is_inverse)
                layers->inverse[s] = (uint8_t)t;
        }
    return MBX_OK;
}

/* ---- profiles -------------------------------------------------------------------------------- */

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t *ways_at(const mbx_layers *layers, int column, int stones)
{
    return layers->ways + (size_t)column * (size_t)(layers->n_cells + 1) + stones;
}

static mbx_error count_ways(mbx_layers *layers)
{
    size_t n = (size_t)(layers->n_columns + 1) * (size_t)(layers->n_cells + 1);
    layers->ways = calloc(n, sizeof *layers->ways);
    if (!layers->ways)
        return MBX_NO_MEMORY;
    *ways_at(layers, layers->n_columns, 0) = 1;
    for (int column = layers->n_columns - 1; column >= 0; column--)
        for (int stones = 0; stones <= layers->n_cells; stones++)
            for (int h = 0; h <= layers->capacity[column] && h <= stones; h++)
                *ways_at(layers, column, stones) = add_saturating(
                    *ways_at(layers, column, stones), *ways_at(layers, column + 1, stones - h));
    return MBX_OK;
}

/* The profiles that agree with one before `column`, have `stones` from there on, and less than
 * `height` in it: the column's part of the rank. */
static int64_t part_of_rank(const mbx_layers *layers, int column, int stones, int height)
{
    uint64_t part = 0;
    for (int h = 0; h < height && h <= stones; h++)
        part += *ways_at(layers, column + 1, stones - h);
    return (int64_t)part;
}

static int64_t rank_of_heights(const mbx_layers *layers, int depth, const uint8_t *heights)
{
    int64_t rank = 0;
    for (int column = 0, stones = depth; column < layers->n_columns; column++) {
        rank += part_of_rank(layers, column, stones, heights[column]);
        stones -= heights[column];
    }
    return rank;
}

static void heights_of_rank(const mbx_layers *layers, int depth, int64_t rank, uint8_t *heights)
{
    for (int column = 0, stones = depth; column < layers->n_columns; column++) {
        int h = 0;
        for (;;) {
            int64_t ways = (int64_t)*ways_at(layers, column + 1, stones - h);
            if (rank < ways)
                break;
            rank -= ways;
            h++;
        }
        heights[column] = (uint8_t)h;
        stones -= h;
    }
}

static const uint8_t *images_under(const mbx_layers *layers, int symmetry)
{
    return layers->images + (size_t)symmetry * (size_t)layers->n_cells;
}

static void transform_heights(const mbx_layers *layers, int symmetry, const uint8_t *heights,
                              uint8_t *result)
{
    const uint8_t *images = images_under(layers, symmetry);
    for (int column = 0; column < layers->n_columns; column++)
        result[layers->column[images[layers->first[column]]]] = heights[column];
}

static void set_start(const mbx_layers *layers, mbx_block *block)
{
    block->start[0] = 0;
    for (int column = 0; column < layers->n_columns; column++)
        block->start[column + 1] = (uint8_t)(block->start[column] + block->heights[column]);
}

/* ---- layers ---------------------------------------------------------------------------------- */

void mbx_layers_size(const mbx_layers *layers, int depth, uint64_t *n_profiles,
                     uint64_t *n_patterns)
{
    *n_profiles = *ways_at(layers, 0, depth);
    *n_patterns = mbx_choose(depth, (depth + 1) / 2);
}

/* Finds the least image of every profile, and numbers those that are their own. */
static mbx_error find_classes(const mbx_layers *layers, int depth, mbx_cancel cancel,
                              mbx_layer *layer)
{
    enum { PER_POLL = 1 << 10 };
    size_t n = (size_t)layer->n_profiles;
    layer->block_of_profile = malloc(n * sizeof(uint32_t));
    layer->symmetry_to_block = malloc(n);
    layer->profile_of_block = malloc(n * sizeof(uint32_t));
    if (!layer->block_of_profile || !layer->symmetry_to_block || !layer->profile_of_block)
        return MBX_NO_MEMORY;
    layer->n_blocks = 0;
    for (int64_t profile = 0; profile < layer->n_profiles; profile++) {
        uint8_t heights[MBX_MAX_CELLS], transformed[MBX_MAX_CELLS];
        int64_t least = profile;
        int symmetry = 0;
        if (profile % PER_POLL == 0 && mbx_cancelled(cancel))
            return MBX_CANCELLED;
        heights_of_rank(layers, depth, profile, heights);
        for (int s = 1; s < layers->n_symmetries; s++) {
            transform_heights(layers, s, heights, transformed);
            int64_t image = rank_of_heights(layers, depth, transformed);
            if (image < least) {
                least = image;
                symmetry = s;
            }
        }
        if (least == profile) {
            layer->profile_of_block[layer->n_blocks] = (uint32_t)profile;
            layer->block_of_profile[profile] = (uint32_t)layer->n_blocks++;
        } else {
            layer->block_of_profile[profile] = layer->block_of_profile[least];
        }
        layer->symmetry_to_block[profile] = (uint8_t)symmetry;
    }
    return MBX_OK;
}

static void free_layer(mbx_layer *layer)
{
    mbx_patterns_free(&layer->patterns);
    free(layer->block_of_profile);
    free(layer->symmetry_to_block);
    free(layer->profile_of_block);
    memset(layer, 0, sizeof *layer);
}

mbx_error mbx_layers_open(mbx_layers *layers, mbx_cancel cancel)
{
    int depth = layers->n_open;
    if (depth > layers->max_depth)
        return MBX_TOO_LARGE;
    uint64_t n_profiles, n_patterns;
    mbx_layers_size(layers, depth, &n_profiles, &n_patterns);
    if (n_profiles > UINT32_MAX)
        return MBX_TOO_LARGE;
    mbx_layer *layer = &layers->layers[depth];
    layer->n_profiles = layer->n_blocks = (int64_t)n_profiles;
    mbx_error error = mbx_patterns_init(&layer->patterns, depth, (depth + 1) / 2);
    if (error == MBX_OK && layers->n_symmetries > 1)
        error = find_classes(layers, depth, cancel, layer);
    if (error == MBX_OK && depth > 0)
        error = mbx_patterns_link(&layer[-1].patterns, &layer->patterns, mbx_mover_bit(depth - 1));
    if (error == MBX_OK)
        layers->n_open++;
    else
        free_layer(layer);
    return error;
}

mbx_error mbx_layers_init(mbx_layers *layers, const mbx_position *root, bool symmetry,
                          int max_depth)
{
    memset(layers, 0, sizeof *layers);
    layers->game = root->game;
    layers->turn = mbx_position_turn(root);
    layers->status = root->status;
    memcpy(layers->board, root->cells, sizeof layers->board);
    list_columns(layers, root);
    layers->max_depth = max_depth < layers->n_cells ? max_depth : layers->n_cells;
    layers->max_depth = layers->max_depth < MBX_MAX_BITS ? layers->max_depth : MBX_MAX_BITS;
    layers->layers = calloc((size_t)layers->max_depth + 1, sizeof *layers->layers);
    mbx_error error = layers->layers ? count_ways(layers) : MBX_NO_MEMORY;
    for (int i = 0; error == MBX_OK && i < 2; i++)
        error = list_lines(layers, layers->turn ^ i, &layers->lines[i]);
    if (error == MBX_OK)
        error = list_symmetries(layers, symmetry);
    if (error == MBX_OK)
        error = mbx_layers_open(layers, NULL);
    if (error != MBX_OK)
        mbx_layers_free(layers);
    return error;
}

void mbx_layers_free(mbx_layers *layers)
{
    for (int depth = 0; layers->layers && depth <= layers->max_depth; depth++)
        free_layer(&layers->layers[depth]);
    for (int i = 0; i < 2; i++) {
        free(layers->lines[i].cells);
        free(layers->lines[i].lengths);
    }
    free(layers->layers);
    free(layers->ways);
    free(layers->images);
    free(layers->inverse);
    memset(layers, 0, sizeof *layers);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

void mbx_block_at(const mbx_layers *layers, int depth, int64_t block, mbx_block *result)
{
    const mbx_layer *layer = &layers->layers[depth];
    int64_t profile = layer->profile_of_block ? layer->profile_of_block[block] : block;
    result->depth = depth;
    heights_of_rank(layers, depth, profile, result->heights);
    set_start(layers, result);
}

int mbx_block_open(const mbx_layers *layers, const mbx_block *block)
{
    int n = 0;
    for (int column = 0; column < layers->n_columns; column++)
        n += block->heights[column] < layers->capacity[column];
    return n;
}

/* The ranks of the profiles with `change` (1 or -1) stones more in one column: before the column the
 * parts of the rank are those with `change` stones more to share out, after it they stay. */
static int list_neighbours(const mbx_layers *layers, const mbx_block *block, int change,
                           mbx_neighbour *neighbours)
{
    const uint8_t *heights = block->heights;
    int64_t rest = 0; /* the parts from the column on */
    for (int column = 0; column < layers->n_columns; column++)
        rest += part_of_rank(layers, column, block->depth - block->start[column], heights[column]);
    int64_t before = 0;
    int n = 0;
    for (int column = 0; column < layers->n_columns; column++) {
        int stones = block->depth - block->start[column], height = heights[column];
        rest -= part_of_rank(layers, column, stones, height);
        if (0 <= height + change && height + change <= layers->capacity[column])
            neighbours[n++] = (mbx_neighbour){
                column, block->start[column + 1] - (change < 0),
                before + rest
                    + part_of_rank(layers, column, stones + change, height + change)};
        before += part_of_rank(layers, column, stones + change, height);
    }
    return n;
}

int mbx_block_children(const mbx_layers *layers, const mbx_block *block,
                       mbx_neighbour neighbours[MBX_MAX_CELLS])
{
    return list_neighbours(layers, block, 1, neighbours);
}

int mbx_block_parents(const mbx_layers *layers, const mbx_block *block,
                      mbx_neighbour neighbours[MBX_MAX_CELLS])
{
    return list_neighbours(layers, block, -1, neighbours);
}

/* Fills ranks[r] for the patterns r of `from`: their bits moved to places[], with `set` added, ranked
 * among the patterns `to`.  The bits are moved by two tables, of the lower and the upper half. */
static void permute_ranks(const mbx_patterns *from, const mbx_patterns *to, const uint8_t *places,
                          uint32_t set, uint32_t *ranks)
{
    enum { MAX_HALF = (MBX_MAX_BITS + 1) / 2 };
    uint32_t low[1 << MAX_HALF], high[1 << MAX_HALF];
    int n_low = from->n_bits / 2, n_high = from->n_bits - n_low;
    low[0] = set;
    for (uint32_t bits = 1; bits < 1u << n_low; bits++)
        low[bits] = low[bits & (bits - 1)] | 1u << places[mbx_lowest_one(bits)];
    high[0] = 0;
    for (uint32_t bits = 1; bits < 1u << n_high; bits++)
        high[bits] = high[bits & (bits - 1)] | 1u << places[n_low + mbx_lowest_one(bits)];
    uint32_t below = (1u << n_low) - 1;
    for (uint32_t rank = 0; rank < from->size; rank++) {
        uint32_t pattern = from->patterns[rank];
        ranks[rank] = mbx_pattern_rank(to, low[pattern & below] | high[pattern >> n_low]);
    }
}

/* Where the stones of `from` stand in the pattern of `to`, whose heights are at least those of the
 * image of `from` under the symmetry. */
static void place_images(const mbx_layers *layers, const mbx_block *from, int symmetry,
                         const mbx_block *to, uint8_t *places)
{
    const uint8_t *images = images_under(layers, symmetry);
    for (int column = 0; column < layers->n_columns; column++) {
        int image = layers->column[images[layers->first[column]]];
        for (int i = 0; i < from->heights[column]; i++)
            *places++ = (uint8_t)(to->start[image] + i);
    }
}

static void transform_block(const mbx_layers *layers, const mbx_block *block, int symmetry,
                            mbx_block *result)
{
    result->depth = block->depth;
    transform_heights(layers, symmetry, block->heights, result->heights);
    set_start(layers, result);
}

mbx_map mbx_map_to_child(const mbx_layers *layers, const mbx_block *block,
                         const mbx_neighbour *child, uint32_t *scratch)
{
    const mbx_layer *layer = &layers->layers[block->depth], *next = layer + 1;
    int symmetry = next->symmetry_to_block ? next->symmetry_to_block[child->profile] : 0;
    if (symmetry == 0)
        return layer->patterns.insertions[child->place];
    mbx_block grown = *block, image;
    uint8_t places[MBX_MAX_BITS + 1];
    grown.depth++;
    grown.heights[child->column]++;
    transform_block(layers, &grown, symmetry, &image);
    place_images(layers, block, symmetry, &image, places);
    int column = layers->column[images_under(layers, symmetry)[layers->first[child->column]]];
    uint32_t bit = (uint32_t)mbx_mover_bit(block->depth);
    permute_ranks(&layer->patterns, &next->patterns, places,
                  bit << (image.start[column + 1] - 1), scratch);
    return (mbx_map){scratch, NULL, 0};
}

mbx_map mbx_map_from_parent(const mbx_layers *layers, const mbx_block *block,
                            const mbx_neighbour *parent, uint32_t *scratch)
{
    const mbx_layer *layer = &layers->layers[block->depth], *previous = layer - 1;
    int symmetry = previous->symmetry_to_block ? previous->symmetry_to_block[parent->profile] : 0;
    if (symmetry == 0)
        return previous->patterns.insertions[parent->place];
    mbx_block shrunk = *block, image;
    uint8_t places[MBX_MAX_BITS + 1];
    shrunk.depth--;
    shrunk.heights[parent->column]--;
    transform_block(layers, &shrunk, symmetry, &image);
    place_images(layers, &image, layers->inverse[symmetry], block, places);
    uint32_t bit = (uint32_t)mbx_mover_bit(block->depth - 1);
    permute_ranks(&previous->patterns, &layer->patterns, places, bit << parent->place, scratch);
    return (mbx_map){scratch, NULL, 0};
}

/* Fills ranks[r] with the images of the patterns of a block under a symmetry; false where it leads to
 * another block. */
static bool image_ranks(const mbx_layers *layers, const mbx_block *block, int symmetry,
                        uint32_t *ranks)
{
    const mbx_patterns *patterns = &layers->layers[block->depth].patterns;
    uint8_t heights[MBX_MAX_CELLS] = {0}, places[MBX_MAX_BITS + 1];
    transform_heights(layers, symmetry, block->heights, heights);
    if (memcmp(heights, block->heights, (size_t)layers->n_columns) != 0)
        return false;
    place_images(layers, block, symmetry, block, places);
    permute_ranks(patterns, patterns, places, 0, ranks);
    return true;
}

bool mbx_block_stabilisers(const mbx_layers *layers, const mbx_block *block, uint8_t *stabilisers,
                           uint32_t *scratch)
{
    const uint32_t n = layers->layers[block->depth].patterns.size;
    bool found = false;
    for (int s = 1; s < layers->n_symmetries; s++) {
        if (!image_ranks(layers, block, s, scratch))
            continue;
        if (!found)
            memset(stabilisers, 1, n);
        found = true;
        for (uint32_t rank = 0; rank < n; rank++)
            stabilisers[rank] = scratch[rank] < rank || stabilisers[rank] == 0 ? 0
                                : (uint8_t)(stabilisers[rank] + (scratch[rank] == rank));
    }
    return found;
}

bool mbx_block_first_of_class(const mbx_layers *layers, const mbx_block *block, uint32_t *ranks,
                              uint32_t *scratch)
{
    const uint32_t n = layers->layers[block->depth].patterns.size;
    bool found = false;
    for (int s = 1; s < layers->n_symmetries; s++) {
        if (!image_ranks(layers, block, s, scratch))
            continue;
        for (uint32_t rank = 0; !found && rank < n; rank++)
            ranks[rank] = rank;
        found = true;
        for (uint32_t rank = 0; rank < n; rank++)
            ranks[rank] = scratch[rank] < ranks[rank] ? scratch[rank] : ranks[rank];
    }
    return found;
}

/* ---- positions ------------------------------------------------------------------------------- */

/* The heights above the root and the stones of the root's mover among the placed, column by column.
 * false where the position is not below the root. */
static bool read_position(const mbx_layers *layers, const mbx_position *position,
                          mbx_block *block, uint32_t *pattern)
{
    int8_t expected[MBX_MAX_CELLS];
    int place = 0;
    memcpy(expected, layers->board, sizeof expected);
    *pattern = 0;
    for (int column = 0; column < layers->n_columns; column++) {
        const uint8_t *cells = layers->cells + layers->first[column];
        int height = 0;
        while (height < layers->capacity[column] && position->cells[cells[height]] >= 0) {
            int8_t stone = position->cells[cells[height]];
            if (place < MBX_MAX_BITS && stone == layers->turn)
                *pattern |= 1u << place;
            place++;
            expected[cells[height++]] = stone;
        }
        block->heights[column] = (uint8_t)height;
    }
    block->depth = place;
    set_start(layers, block);
    return place < layers->n_open
           && memcmp(expected, position->cells, (size_t)layers->game->n_cells) == 0;
}

static uint32_t permute_pattern(uint32_t pattern, const uint8_t *places)
{
    uint32_t result = 0;
    for (; pattern; pattern &= pattern - 1)
        result |= 1u << places[mbx_lowest_one(pattern)];
    return result;
}

bool mbx_layers_find(const mbx_layers *layers, const mbx_position *position, int *depth,
                     int64_t *index)
{
    mbx_block block, image;
    uint32_t pattern;
    if (!read_position(layers, position, &block, &pattern))
        return false;
    const mbx_layer *layer = &layers->layers[block.depth];
    int64_t least = INT64_MAX; /* the first of the images that are in the block */
    for (int s = 0; s < layers->n_symmetries; s++) {
        uint8_t places[MBX_MAX_BITS + 1];
        transform_block(layers, &block, s, &image);
        int64_t profile = rank_of_heights(layers, block.depth, image.heights);
        if (layer->symmetry_to_block && layer->symmetry_to_block[profile] != 0)
            continue;
        place_images(layers, &block, s, &image, places);
        int64_t rank = mbx_pattern_rank(&layer->patterns, permute_pattern(pattern, places));
        int64_t here = mbx_block_of_profile(layer, profile) * layer->patterns.size + rank;
        least = here < least ? here : least;
    }
    *depth = block.depth;
    *index = least;
    return true;
}

void mbx_layers_board(const mbx_layers *layers, int depth, int64_t index, int8_t *cells)
{
    const mbx_patterns *patterns = &layers->layers[depth].patterns;
    mbx_block block;
    mbx_block_at(layers, depth, index / patterns->size, &block);
    uint32_t pattern = patterns->patterns[index % patterns->size];
    memcpy(cells, layers->board, (size_t)layers->game->n_cells);
    for (int column = 0; column < layers->n_columns; column++)
        for (int i = 0; i < block.heights[column]; i++, pattern >>= 1)
            cells[layers->cells[layers->first[column] + i]] =
                (int8_t)(layers->turn ^ !(pattern & 1));
}
