/* sweep_backward.h - the pass from the end up: scores, ways, chances, and what they give by node. */
#include <stdlib.h>
#include <string.h>

/* A block on its way, with scratch arrays by rank. */
typedef struct {
    const mbx_backward *pass;
    int64_t index;
    int64_t here;                   /* its first entry in the layer */
    size_t n;                       /* its patterns */
    mbx_block block;
    int n_children;
    mbx_neighbour children[MBX_MAX_CELLS];
    bool may_be_won;
    uint8_t *wins;
    int8_t *least;                  /* the lowest score of the children */
    double *weights, *n_chosen;     /* of one move; of all */
    void *most, *fewest;            /* wins and losses, for the choice of primitive Monte Carlo */
    uint64_t *best, *fastest;
    uint8_t *moves[3];
    uint32_t *scratch;
} work_on_block;

/* The mapping to a child's block, and where that starts in the layer below. */
static mbx_map child_map(const work_on_block *work, int child, int64_t *start)
{
    const mbx_layers *layers = work->pass->layers;
    const mbx_layer *next = &layers->layers[work->pass->depth + 1];
    const mbx_neighbour *neighbour = &work->children[child];
    *start = mbx_block_of_profile(next, neighbour->profile) * (int64_t)next->patterns.size;
    return mbx_map_to_child(layers, &work->block, neighbour, work->scratch);
}

/* What finished positions are marked with in `wins`, by outcome; drawn ones are not marked. */
static const uint8_t MARKS[MBX_OUTCOMES] = {1, 2, 4};

/* ---- scores ---------------------------------------------------------------------------------- */

static void take_lower_scores(const work_on_block *work, const mbx_map *map, int64_t start)
{
    int8_t *restrict least = work->least;
    const int8_t *restrict below = work->pass->below.scores + start;
    FOLLOW(map, work->n, least[r] = below[i] < least[r] ? below[i] : least[r];);
}

static void finish_scores(const work_on_block *work)
{
    const size_t n = work->n;
    const int8_t *restrict least = work->least;
    int8_t *restrict scores = work->pass->here.scores + work->here;
    for (size_t r = 0; r < n; r++)
        scores[r] = (int8_t)(-least[r] + (least[r] > 0) - (least[r] < 0));
    if (work->n_children == 0)
        memset(scores, 0, n);
    if (work->may_be_won)
        for (size_t r = 0; r < n; r++)
            scores[r] = work->wins[r] ? -MBX_WON : scores[r];
}

/* ---- ways ------------------------------------------------------------------------------------ */

static void *ways_here(const work_on_block *work, int outcome)
{
    const mbx_backward *pass = work->pass;
    void *ways = pass->here.ways[outcome];
    return ways ? entry_of(ways, pass->number, work->here) : NULL;
}

static void add_ways(const work_on_block *work, const mbx_map *map, int64_t start)
{
    const mbx_backward *pass = work->pass;
    for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++) {
        void *sums = ways_here(work, outcome);
        if (!sums)
            continue;
        const void *below = entry_of(pass->below.ways[outcome], pass->number, start);
        WITH_NUMBER(pass->number, add_narrow(map, work->n, sums, below),
                    add_wide(map, work->n, sums, below), add_double(map, work->n, sums, below));
    }
}

static void start_ways(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++) {
        void *sums = ways_here(work, outcome);
        if (sums)
            memset(sums, 0, work->n * SIZE_OF_NUMBER(pass->number));
        if (sums && work->n_children == 0 && outcome == MBX_DRAW)
            WITH_NUMBER(pass->number, fill_narrow(work->n, sums, pass->weight.low),
                        fill_wide(work->n, sums, pass->weight), fill_double(work->n, sums, 1.0));
    }
}

static void finish_ways(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    const size_t n = work->n;
    const uint8_t *wins = work->wins;
    for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++) {
        void *sums = ways_here(work, outcome);
        const uint8_t mark = MARKS[outcome];
        if (sums && pass->multiple && work->n_children)
            WITH_NUMBER(pass->number, scale_narrow(n, sums, pass->multiple, work->n_children),
                        scale_wide(n, sums, pass->multiple, work->n_children),
                        scale_double(n, sums, pass->multiple, work->n_children));
        if (sums && work->may_be_won)
            WITH_NUMBER(pass->number, end_narrow(n, wins, mark, pass->weight.low, sums),
                        end_wide(n, wins, mark, pass->weight, sums),
                        end_double(n, wins, mark, 1.0, sums));
    }
}

/* ---- chances --------------------------------------------------------------------------------- */

static void start_chances(const work_on_block *work)
{
    for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)
        fill_double(work->n, work->pass->here.chances[outcome] + work->here,
                    work->n_children == 0 && outcome == MBX_DRAW);
    memset(work->n_chosen, 0, work->n * sizeof *work->n_chosen);
}

static void add_chances(const work_on_block *work, const mbx_map *map, int64_t start)
{
    const mbx_values *here = &work->pass->here, *below = &work->pass->below;
    const double *restrict weights = work->weights;
    for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++) {
        double *restrict sums = here->chances[outcome] + work->here;
        const double *restrict given = below->chances[outcome] + start;
        FOLLOW(map, work->n, sums[r] += weights[r] * given[i];);
    }
    double *restrict n_chosen = work->n_chosen;
    for (size_t r = 0; r < work->n; r++)
        n_chosen[r] += weights[r];
}

static void finish_chances(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++) {
        double *restrict sums = pass->here.chances[outcome] + work->here;
        const double *restrict n_chosen = work->n_chosen;
        if (pass->policy != MBX_WEIGHTS && work->n_children)
            for (size_t r = 0; r < work->n; r++)
                sums[r] /= n_chosen[r];
        if (work->may_be_won)
            end_double(work->n, work->wins, MARKS[outcome], 1.0, sums);
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Does BODY for the rank r of every node of the block; `node` counts the nodes. */
#define EACH_NODE(work, BODY)                                                      \
    do {                                                                           \
        const uint8_t *bits_ = (work)->pass->node_bits;                            \
        int64_t node = 0;                                                          \
        for (size_t r = 0; r < (work)->n; r++) {                                   \
            const size_t at_ = (size_t)(work)->here + r;                           \
            if (bits_[at_ >> 3] >> (at_ & 7) & 1) {                                \
                BODY                                                               \
                node++;                                                            \
            }                                                                      \
        }                                                                          \
    } while (0)

/* The edges of a block's nodes in play follow one another, n_children a node. */
static void read_edge_weights(const work_on_block *work, int child)
{
    const mbx_backward *pass = work->pass;
    const int8_t *statuses = pass->statuses + pass->first_node[work->index];
    const double *edge = pass->edge_weights + pass->first_edge[work->index] + child;
    memset(work->weights, 0, work->n * sizeof *work->weights);
    EACH_NODE(work, if (statuses[node] == MBX_PLAYING) {
        work->weights[r] = *edge;
        edge += work->n_children;
    });
}

static void write_edge_policy(const work_on_block *work, int child)
{
    const mbx_backward *pass = work->pass;
    const int8_t *statuses = pass->statuses + pass->first_node[work->index];
    double *edge = pass->edge_policy + pass->first_edge[work->index] + child;
    EACH_NODE(work, if (statuses[node] == MBX_PLAYING) {
        *edge = work->weights[r];
        edge += work->n_children;
    });
}

/* The nodes that a move leads to, and the move. */
static void write_edges(const work_on_block *work, int child, const mbx_map *map, int64_t start)
{
    const mbx_backward *pass = work->pass;
    const int8_t *statuses = pass->statuses + pass->first_node[work->index];
    uint32_t *restrict targets = work->most;
    int64_t edge = pass->first_edge[work->index] + child;
    FOLLOW(map, work->n, targets[r] = (uint32_t)i;);
    EACH_NODE(work, if (statuses[node] == MBX_PLAYING) {
        pass->edge_children[edge] = pass->ids_below[start + targets[r]];
        pass->edge_moves[edge] = pass->layers->moves[work->children[child].column];
        edge += work->n_children;
    });
}

/* The plane of an outcome: sides are counted from the root's mover. */
static int plane_of(const work_on_block *work, int outcome)
{
    return outcome == MBX_DRAW ? outcome : outcome ^ work->pass->layers->turn;
}

static void write_chances(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    double *result = pass->node_chances + MBX_OUTCOMES * pass->first_node[work->index];
    for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++) {
        const double *chances = pass->here.chances[plane_of(work, outcome)] + work->here;
        EACH_NODE(work, result[MBX_OUTCOMES * node + outcome] = chances[r];);
    }
}

/* Ways of a position as wide integers, in the order of the outcomes. */
static void read_ways(const work_on_block *work, size_t r, mbx_wide ways[MBX_OUTCOMES])
{
    const mbx_backward *pass = work->pass;
    const size_t at = (size_t)work->here + r;
    ways[MBX_DRAW] = pass->weight;
    for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++) {
        const void *plane = pass->here.ways[plane_of(work, outcome)];
        if (plane && pass->number == MBX_NARROW)
            ways[outcome] = (mbx_wide){((const uint64_t *)plane)[at], 0};
        else if (plane)
            ways[outcome] = ((const mbx_wide *)plane)[at];
        else /* what the wins leave */
            ways[outcome] = mbx_wide_subtract(
                mbx_wide_subtract(pass->weight, ways[MBX_FIRST]), ways[MBX_SECOND]);
    }
}

static void write_ways(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    const int64_t first = MBX_OUTCOMES * pass->first_node[work->index];
    mbx_wide ways[MBX_OUTCOMES];
    if (pass->number == MBX_NARROW) {
        uint64_t *result = (uint64_t *)pass->node_ways + first;
        EACH_NODE(work, read_ways(work, r, ways);
                  for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)
                      *result++ = ways[outcome].low;);
    } else {
        mbx_wide *result = (mbx_wide *)pass->node_ways + first;
        EACH_NODE(work, read_ways(work, r, ways);
                  for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)
                      *result++ = ways[outcome];);
    }
}

static void write_quotients(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    double *result = pass->node_quotients + MBX_OUTCOMES * pass->first_node[work->index];
    if (pass->number == MBX_DOUBLE) {
        for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++) {
            const double *ways = ways_here(work, plane_of(work, outcome));
            EACH_NODE(work, result[MBX_OUTCOMES * node + outcome] = ways[r];);
        }
        return;
    }
    mbx_wide ways[MBX_OUTCOMES];
    if (pass->weight.high == 0 && pass->weight.low <= 1ull << 53) { /* exact as doubles */
        const double weight = (double)pass->weight.low;
        EACH_NODE(work, read_ways(work, r, ways);
                  for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)
                      *result++ = (double)ways[outcome].low / weight;);
        return;
    }
    const mbx_divisor divisor = mbx_divisor_of(pass->weight);
    EACH_NODE(work, read_ways(work, r, ways);
              for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)
                  *result++ = mbx_quotient(ways[outcome], &divisor););
}

static void write_scores(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    int8_t *result = pass->node_scores + pass->first_node[work->index];
    const int8_t *scores = pass->here.scores + work->here;
    EACH_NODE(work, result[node] = scores[r];);
}

/* ---- the moves of a position by their scores -------------------------------------------------- */

static int sign(int8_t score)
{
    return (score > 0) - (score < 0);
}

static void start_moves(const work_on_block *work)
{
    memset(work->best, 0, work->n * sizeof *work->best);
    memset(work->fastest, 0, work->n * sizeof *work->fastest);
    for (int kind = 0; kind < 3; kind++)
        memset(work->moves[kind], 0, work->n);
}

static void judge_move(const work_on_block *work, int child, const mbx_map *map, int64_t start)
{
    const int8_t *restrict least = work->least, *restrict below = work->pass->below.scores + start;
    uint64_t *restrict best = work->best, *restrict fastest = work->fastest;
    uint8_t *restrict wins = work->moves[0], *restrict draws = work->moves[1],
            *restrict losses = work->moves[2];
    const uint64_t bit = 1ull << work->children[child].column;
    FOLLOW(map, work->n, best[r] |= sign(below[i]) == sign(least[r]) ? bit : 0;
           fastest[r] |= below[i] == least[r] ? bit : 0;
           wins[r] = (uint8_t)(wins[r] + (below[i] < 0));
           draws[r] = (uint8_t)(draws[r] + (below[i] == 0));
           losses[r] = (uint8_t)(losses[r] + (below[i] > 0)););
}

static void write_moves(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    const int64_t first = pass->first_node[work->index];
    EACH_NODE(work,
              const bool over = pass->statuses[first + node] != MBX_PLAYING;
              pass->node_best[first + node] = over ? 0 : work->best[r];
              pass->node_fastest[first + node] = over ? 0 : work->fastest[r];
              for (int kind = 0; kind < 3; kind++)
                  pass->node_moves[3 * (first + node) + kind] = over ? 0 : work->moves[kind][r];);
}

/* ---- policies -------------------------------------------------------------------------------- */

static bool is_pmc(const mbx_backward *pass)
{
    return pass->policy == MBX_PMC_WIN || pass->policy == MBX_PMC_SCORE;
}

/* The wins of the side to move after a move, and those of the other side. */
static void read_sides(const work_on_block *work, int64_t start, const void **wins,
                       const void **losses)
{
    const mbx_backward *pass = work->pass;
    const int side = pass->depth & 1;
    *wins = entry_of(pass->below.ways[side], pass->number, start);
    *losses = entry_of(pass->below.ways[side ^ 1], pass->number, start);
}

static void start_most(const work_on_block *work)
{
    const mbx_wide largest = {UINT64_MAX, UINT64_MAX};
    memset(work->most, 0, work->n * SIZE_OF_NUMBER(work->pass->number));
    WITH_NUMBER(work->pass->number, fill_narrow(work->n, work->fewest, UINT64_MAX),
                fill_wide(work->n, work->fewest, largest),
                fill_double(work->n, work->fewest, 2.0));
}

static void find_most(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    const size_t n = work->n;
    start_most(work);
    for (int child = 0; child < work->n_children; child++) {
        int64_t start;
        const void *wins, *losses;
        const mbx_map map = child_map(work, child, &start);
        read_sides(work, start, &wins, &losses);
        if (pass->policy == MBX_PMC_WIN)
            WITH_NUMBER(pass->number, most_narrow(&map, n, wins, work->most),
                        most_wide(&map, n, wins, work->most),
                        most_double(&map, n, wins, work->most));
        else
            WITH_NUMBER(
                pass->number,
                most_score_narrow(&map, n, pass->weight_below.low, wins, losses, work->most),
                most_score_wide(&map, n, pass->weight_below, wins, losses, work->most),
                most_score_double(&map, n, 1.0, wins, losses, work->most));
    }
}

static void find_fewest(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    const size_t n = work->n;
    for (int child = 0; child < work->n_children; child++) {
        int64_t start;
        const void *wins, *losses;
        const mbx_map map = child_map(work, child, &start);
        read_sides(work, start, &wins, &losses);
        WITH_NUMBER(pass->number,
                    fewest_narrow(&map, n, wins, losses, work->most, work->fewest),
                    fewest_wide(&map, n, wins, losses, work->most, work->fewest),
                    fewest_double(&map, n, wins, losses, work->most, work->fewest));
    }
}

static void choose_by_score(const work_on_block *work, const mbx_map *map, int64_t start)
{
    const int8_t *restrict least = work->least, *restrict below = work->pass->below.scores + start;
    double *restrict weights = work->weights;
    if (work->pass->policy == MBX_FASTEST)
        FOLLOW(map, work->n, weights[r] = below[i] == least[r];);
    else
        FOLLOW(map, work->n, weights[r] = sign(below[i]) == sign(least[r]););
}

static void choose_by_ways(const work_on_block *work, const mbx_map *map, int64_t start)
{
    const mbx_backward *pass = work->pass;
    const size_t n = work->n;
    const void *wins, *losses;
    read_sides(work, start, &wins, &losses);
    if (pass->policy == MBX_PMC_WIN)
        WITH_NUMBER(
            pass->number,
            choose_narrow(map, n, wins, losses, work->most, work->fewest, work->weights),
            choose_wide(map, n, wins, losses, work->most, work->fewest, work->weights),
            choose_double(map, n, wins, losses, work->most, work->fewest, work->weights));
    else
        WITH_NUMBER(pass->number,
                    choose_score_narrow(map, n, pass->weight_below.low, wins, losses, work->most,
                                        work->weights),
                    choose_score_wide(map, n, pass->weight_below, wins, losses, work->most,
                                      work->weights),
                    choose_score_double(map, n, 1.0, wins, losses, work->most, work->weights));
}

/* Fills the weights of a move in all positions of the block. */
static void weigh_move(const work_on_block *work, int child, const mbx_map *map, int64_t start)
{
    const mbx_backward *pass = work->pass;
    if (pass->policy == MBX_UNIFORM)
        fill_double(work->n, work->weights, 1.0);
    else if (pass->policy == MBX_WEIGHTS)
        read_edge_weights(work, child);
    else if (is_pmc(pass))
        choose_by_ways(work, map, start);
    else
        choose_by_score(work, map, start);
}

/* ---- a block --------------------------------------------------------------------------------- */

/* What needs the children once, in any order. */
static void gather(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    if (pass->here.scores)
        memset(work->least, MBX_WON, work->n);
    if (pass->here.ways[0])
        start_ways(work);
    for (int child = 0; child < work->n_children; child++) {
        int64_t start;
        const mbx_map map = child_map(work, child, &start);
        if (pass->here.scores)
            take_lower_scores(work, &map, start);
        if (pass->here.ways[0])
            add_ways(work, &map, start);
    }
    if (pass->here.scores)
        finish_scores(work);
    if (pass->here.ways[0])
        finish_ways(work);
}

/* What needs to know the best of the moves first. */
static void choose(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    if (is_pmc(pass))
        find_most(work);
    if (pass->policy == MBX_PMC_WIN)
        find_fewest(work);
    if (pass->here.chances[0])
        start_chances(work);
    if (pass->node_best)
        start_moves(work);
    for (int child = 0; child < work->n_children; child++) {
        int64_t start;
        const mbx_map map = child_map(work, child, &start);
        if (pass->node_best)
            judge_move(work, child, &map, start);
        if (pass->edge_children)
            write_edges(work, child, &map, start);
        if (!pass->here.chances[0] && !pass->edge_policy)
            continue;
        weigh_move(work, child, &map, start);
        if (pass->here.chances[0])
            add_chances(work, &map, start);
        if (pass->edge_policy)
            write_edge_policy(work, child);
    }
    if (pass->here.chances[0])
        finish_chances(work);
}

static void write_nodes(const work_on_block *work)
{
    const mbx_backward *pass = work->pass;
    if (pass->node_scores)
        write_scores(work);
    if (pass->node_quotients)
        write_quotients(work);
    if (pass->node_ways)
        write_ways(work);
    if (pass->node_chances)
        write_chances(work);
    if (pass->node_best)
        write_moves(work);
}

static void backward_block(work_on_block *work, int64_t index)
{
    const mbx_backward *pass = work->pass;
    const mbx_layers *layers = pass->layers;
    work->index = index;
    work->here = index * (int64_t)work->n;
    mbx_block_at(layers, pass->depth, index, &work->block);
    work->n_children = pass->depth + 1 < layers->n_open
                           ? mbx_block_children(layers, &work->block, work->children) : 0;
    work->may_be_won = mbx_block_wins(layers, &work->block, work->wins);
    if (layers->status == MBX_FIRST || layers->status == MBX_SECOND) {
        work->may_be_won = true;
        work->wins[0] = MARKS[layers->status ^ layers->turn];
    }
    gather(work);
    if (pass->here.chances[0] || pass->node_best || pass->edge_policy || pass->edge_children)
        choose(work);
    write_nodes(work);
}

static void *cut(uint8_t **rest, size_t bytes)
{
    void *part = *rest;
    *rest += bytes;
    return part;
}

/* Cuts the scratch arrays out of one piece of memory, the widest items first; NULL if there is none. */
static void *start_work(work_on_block *work, const mbx_backward *pass)
{
    const size_t n = pass->layers->layers[pass->depth].patterns.size;
    const size_t wide = 2 * sizeof(mbx_wide) + 2 * sizeof(double) + 2 * sizeof(uint64_t);
    uint8_t *memory = malloc(n * (wide + sizeof(uint32_t) + 5)), *rest = memory;
    if (!memory)
        return NULL;
    work->pass = pass;
    work->n = n;
    work->most = cut(&rest, n * sizeof(mbx_wide));
    work->fewest = cut(&rest, n * sizeof(mbx_wide));
    work->weights = cut(&rest, n * sizeof(double));
    work->n_chosen = cut(&rest, n * sizeof(double));
    work->best = cut(&rest, n * sizeof(uint64_t));
    work->fastest = cut(&rest, n * sizeof(uint64_t));
    work->scratch = cut(&rest, n * sizeof(uint32_t));
    work->wins = cut(&rest, n);
    work->least = cut(&rest, n);
    for (int kind = 0; kind < 3; kind++)
        work->moves[kind] = cut(&rest, n);
    return memory;
}

static mbx_error sweep_backward(const mbx_backward *pass, int64_t first, int64_t n_blocks,
                                mbx_cancel cancel)
{
    work_on_block work;
    void *memory = start_work(&work, pass);
    if (!memory)
        return MBX_NO_MEMORY;
    mbx_error error = MBX_OK;
    for (int64_t index = first; error == MBX_OK && index < first + n_blocks; index++) {
        backward_block(&work, index);
        error = mbx_cancelled(cancel) ? MBX_CANCELLED : MBX_OK;
    }
    free(memory);
    return error;
}
