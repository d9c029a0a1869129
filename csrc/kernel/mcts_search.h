/* mcts_search.h - a part of mcts_body.h: the simulations, on one family of boards.
 *
 *     simulate    descend: choose an edge, play it, until the simulation ends
 *                 evaluate the leaf by playouts
 *                 back up: visits and rewards of the path
 */
#define board_type BOARD
#define make_children ON(_make_children)
#define run_playouts ON(_run_playouts)
#define descend ON(_descend)
#define simulate ON(_simulate)

/* A block for the position on the board; false where the arena is full. */
MBX_INLINE bool make_children(const search *s, const board_type *board, uint32_t *link)
{
    mbx_mcts *mcts = s->mcts;
    if (!mbx_make_node(mcts, ON(_count_moves)(mcts->shape, board), link))
        return false;
    ON(_list_moves)(mcts->shape, board, mbx_node_moves(mbx_node(mcts, *link)));
    return true;
}

/* One playout on the board. */
MBX_INLINE void run_playouts(const search *s, board_type *board, int side)
{
    mbx_mcts *mcts = s->mcts;
    mbx_simulation *last = &mcts->last;
    uint8_t *end = last->moves;
    const int outcome = ON(_playout)(mcts->shape, board, side, &mcts->rng,
                                     s->is_recorded ? &end : NULL);
    last->n_moves = (int)(end - last->moves);
    count_outcome(s, outcome, 1);
}

/* Goes down to where the simulation ends, and writes path and rewards of what is known there.
 * True where the position on the board, with that side to move, is to be played out. */
MBX_INLINE bool descend(const search *s, board_type *board, int *side_to_move)
{
    mbx_mcts *mcts = s->mcts;
    const mbx_board_shape *shape = mcts->shape;
    mbx_simulation *last = &mcts->last;
    int side = *side_to_move;
    int64_t visits = mcts->root_visits;
    uint32_t link = 0;
    bool is_expanded = false;
    for (last->length = 0;; side ^= 1) {
        char *node = mbx_node(mcts, link);
        const size_t lanes = mbx_node_lanes(node);
        const float exploration = mbx_exploration(mcts, visits);
        const size_t number = choose_edge(s, node, lanes, exploration);
        mbx_edge *edge = lanes == MBX_LANES ? mbx_edges_of(node, MBX_LANES) + number
                                            : mbx_edges_of(node, lanes) + number;
        uint8_t *bounds = mbx_node_moves(node) + lanes + number;
        if (edge->visits == 0 && mbx_mcts_is_full(mcts)) {
            *side_to_move = side;
            return true;
        }
        last->path[last->length++] = (mbx_step){node, number};
        visits = edge->visits;
        link = edge->link;
        if (link)
            fetch_node(mbx_node(mcts, link));
        const bool wins = ON(_play)(shape, board, mbx_node_moves(node)[number]);
        if (visits == 0) {
            mcts->n_nodes++;
            if (wins || ON(_is_full)(shape, board))
                mbx_set_bounds(mcts, last->path, last->length, wins ? MBX_KNOWN_WIN : MBX_KNOWN_DRAW);
        }
        if (mbx_is_proven(*bounds)) {
            count_outcome(s, *bounds == MBX_KNOWN_DRAW ? MBX_DRAW : *bounds == MBX_KNOWN_WIN ? side : 1 - side,
                          mcts->options.playouts);
            return false;
        }
        const bool is_new = visits == 0;
        const bool expands = is_new ? mcts->options.expand_all && !is_expanded : !link;
        if (!link && expands && !mbx_mcts_is_full(mcts) && make_children(s, board, &link))
            edge->link = link;
        if (!link || (is_new && !expands)) {
            *side_to_move = 1 - side;
            return true;
        }
        is_expanded |= is_new;
    }
}

/* One simulation.  After MBX_CANCELLED it is as if it had not begun, but for blocks that were made. */
MBX_INLINE mbx_error simulate(const search *s, board_type *board, size_t board_bytes)
{
    mbx_mcts *mcts = s->mcts;
    int side = mbx_position_turn(&mcts->root);
    memcpy(board, mcts->root_board, board_bytes);
    mcts->last.n_moves = 0;
    const mbx_rng rng = mcts->rng;
    const uint64_t n_nodes = mcts->n_nodes;
    if (descend(s, board, &side)) {
        if (mcts->options.playouts == 1) {
            run_playouts(s, board, side);
        } else if (!run_batch(s, side)) {
            mcts->rng = rng;
            mcts->n_nodes = n_nodes;
            return MBX_CANCELLED;
        }
    }
    back_up(s);
    return MBX_OK;
}

static mbx_error ON(_search)(search *s, int64_t simulations, int64_t *done)
{
    mbx_mcts *mcts = s->mcts;
    const size_t bytes = mbx_board_bytes(mcts->shape);
    for (; *done < simulations; ++*done) {
        if (mcts->options.solver && mbx_is_proven(mcts->root_bounds))
            break;
        if (*done % POLL == 0 && mbx_cancelled(s->cancel))
            break;
        const mbx_error error = simulate(s, mcts->board, bytes);
        if (error != MBX_OK)
            return error;
    }
    return MBX_OK;
}

#undef board_type
#undef make_children
#undef run_playouts
#undef descend
#undef simulate
