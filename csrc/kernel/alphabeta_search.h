/* alphabeta_search.h - the search of a node: negamax with cut-offs, fail-soft.
 *
 * A function of a node returns its value for the side to move if that is between alpha and beta;
 * otherwise a bound: a number up to alpha that it does not exceed, or one from beta on that it
 * reaches.  Scores count the plies to a win from the root.
 *
 * Start reading at search_node.
 */
enum {
    POLL_NODES = 4096,
    TABLE_DEPTH = 2,                /* the table is not asked about less */
    MOST_GAIN = 1 << 18,            /* of what orders moves */
    MOST_CUTS = 1 << 16,
    HISTORY_PARTS = 16,
    KILLER_RANK = 500,
    REPLIES = 3                     /* see last_two_plies */
};

static int32_t search_node(mbx_alphabeta *a, int depth, int32_t alpha, int32_t beta);

MBX_INLINE int32_t larger(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

MBX_INLINE int32_t smaller(int32_t x, int32_t y)
{
    return x < y ? x : y;
}

MBX_INLINE int32_t largest_gain(const mbx_line_board *board, int side)
{
    int32_t lanes[MBX_GAIN_LANES];
    const int32_t *gains = board->gains[side];
    for (int i = 0; i < MBX_GAIN_LANES; i++)
        lanes[i] = gains[i];
    for (int at = MBX_GAIN_LANES; at < board->n_gains; at += MBX_GAIN_LANES)
        for (int i = 0; i < MBX_GAIN_LANES; i++)
            lanes[i] = larger(lanes[i], gains[at + i]);
    for (int half = MBX_GAIN_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lanes[i] = larger(lanes[i], lanes[i + half]);
    return lanes[0];
}

/* --- what a position is worth --------------------------------------------------------------- */

/* A side completes a line by the stone that is placed `plies` plies from now. */
MBX_INLINE int32_t win_after(const mbx_alphabeta *a, int plies)
{
    return MBX_WIN - (a->board.ply - a->root_ply) - plies;
}

static void poll(mbx_alphabeta *a)
{
    a->next_poll = a->nodes + POLL_NODES;
    if (mbx_cancelled(a->cancel))
        a->is_stopped = true;
    if (!a->is_stopped && a->options.evaluation == MBX_BY_CALL)
        a->is_stopped = !a->evaluate(a->context, NULL, 0, NULL);
}

MBX_INLINE bool goes_on(mbx_alphabeta *a)
{
    if (a->nodes >= a->next_poll)
        poll(a);
    return !a->is_stopped;
}

MBX_INLINE int32_t evaluation_of(mbx_alphabeta *a)
{
    return a->options.evaluation == MBX_BY_LINES
               ? mbx_line_board_score(&a->board, a->board.side)
               : mbx_alphabeta_evaluate(a);
}

/* --- the expected moves --------------------------------------------------------------------- */

MBX_INLINE uint8_t *variation_here(const mbx_alphabeta *a)
{
    return mbx_variation(a, a->board.ply - a->root_ply);
}

/* Nothing is expected at the node, or after its move. */
MBX_INLINE void end_variation(const mbx_alphabeta *a)
{
    variation_here(a)[0] = 0;
}

MBX_INLINE void end_variation_below(const mbx_alphabeta *a)
{
    variation_here(a)[a->game->n_cells + 1] = 0;
}

/* A move is expected, and then what is expected after it. */
MBX_INLINE void set_variation(const mbx_alphabeta *a, int cell)
{
    uint8_t *here = variation_here(a);
    const uint8_t *below = here + a->game->n_cells + 1;
    here[0] = (uint8_t)(1 + below[0]);
    here[1] = (uint8_t)cell;
    memcpy(here + 2, below + 1, below[0]);
}

/* --- the moves of a node -------------------------------------------------------------------- */

/* A loop over the cells that can be filled, ascending by move. */
#define FOR_OPEN_CELLS(board, cell)                                                               \
    for (int move_ = 0, cell; move_ < (board)->game->n_moves; move_++)                            \
        if ((cell = (board)->landing[move_]) < (board)->game->n_cells)

/* How much a move promises to the side to move. */
MBX_INLINE int32_t rank_of(const mbx_alphabeta *a, int cell, int table_cell)
{
    const mbx_alphabeta_options *use = &a->options;
    const mbx_line_board *board = &a->board;
    const uint8_t *killers = a->killers[board->ply - a->root_ply];
    if (cell == table_cell || (use->gain && board->gains[board->side][cell] >= MBX_WINNING))
        return INT32_MAX;
    int32_t rank = 0;
    if (use->gain)
        rank += smaller(board->gains[0][cell] + board->gains[1][cell], MOST_GAIN) * a->gain_rank;
    if (use->history)
        rank += a->history[board->side][cell] / HISTORY_PARTS;
    if (use->killers && cell == killers[0])
        rank += KILLER_RANK;
    else if (use->killers && cell == killers[1])
        rank += KILLER_RANK / 2;
    return rank;
}

/* Lists the moves of a node; returns how many. */
MBX_INLINE int list_moves(const mbx_alphabeta *a, mbx_candidate *list, int table_cell)
{
    int n = 0;
    FOR_OPEN_CELLS(&a->board, cell)
        list[n++] = (mbx_candidate){.rank = rank_of(a, cell, table_cell), .cell = (uint8_t)cell};
    return n;
}

/* Brings the best of the moves from `from` on forward, so that the others keep their order. */
MBX_INLINE int pick(mbx_candidate *list, int n, int from)
{
    int best = from;
    for (int i = from + 1; i < n; i++)
        if (list[i].rank > list[best].rank)
            best = i;
    const mbx_candidate chosen = list[best];
    for (int i = best; i > from; i--)
        list[i] = list[i - 1];
    list[from] = chosen;
    return chosen.cell;
}

MBX_INLINE mbx_candidate *candidates_here(const mbx_alphabeta *a)
{
    return a->candidates + (size_t)(a->board.ply - a->root_ply) * (size_t)a->game->n_moves;
}

static void remember_cut(mbx_alphabeta *a, int cell, int depth)
{
    uint8_t *killers = a->killers[a->board.ply - a->root_ply];
    if (killers[0] != cell) {
        killers[1] = killers[0];
        killers[0] = (uint8_t)cell;
    }
    int32_t *history = a->history[a->board.side];
    history[cell] += depth * depth * 4;
    if (history[cell] > MOST_CUTS)
        for (int i = 0; i < a->game->n_cells; i++) {
            a->history[0][i] /= 2;
            a->history[1][i] /= 2;
        }
}

/* --- the last plies, evaluated by lines ----------------------------------------------------- */

/* Are the last plies' values what the gains say?  Not where the board may be full before. */
MBX_INLINE bool is_told_by_gains(const mbx_alphabeta *a, int depth)
{
    return a->options.evaluation == MBX_BY_LINES && !a->options.extend
           && mbx_alphabeta_left(a) > depth;
}

/* The first cell whose gain is at least so much. */
static int cell_of_gain(const mbx_line_board *board, int side, int32_t gain)
{
    FOR_OPEN_CELLS(board, cell)
        if (board->gains[side][cell] >= gain)
            return cell;
    return MBX_NO_MOVE;
}

MBX_INLINE int32_t value_of_gain(const mbx_alphabeta *a, int32_t score, int32_t gain, int plies)
{
    return gain >= MBX_WINNING ? win_after(a, plies) : score + gain;
}

/* One ply, without making it.  With the moves in the order of their gains the first one tells all. */
static int32_t last_ply(mbx_alphabeta *a, int32_t alpha, int32_t beta)
{
    const mbx_line_board *board = &a->board;
    const int side = board->side;
    const int32_t score = mbx_line_board_score(board, side);
    int32_t gain;
    if (a->options.gain) {
        gain = largest_gain(board, side);
        a->nodes += (uint64_t)(value_of_gain(a, score, gain, 1) >= beta ? 1 : board->n_open);
    } else {
        gain = INT32_MIN;
        FOR_OPEN_CELLS(board, cell) {
            a->nodes++;
            gain = larger(gain, board->gains[side][cell]);
            if (value_of_gain(a, score, gain, 1) >= beta)
                break;
        }
    }
    const int32_t value = value_of_gain(a, score, gain, 1);
    if (alpha < value && value < beta) {
        end_variation_below(a);
        set_variation(a, cell_of_gain(board, side, gain));
    }
    return value;
}

/* The largest gain of the other side after a stone of the side to move. */
static int32_t largest_reply(mbx_line_board *board, int cell)
{
    const mbx_game *game = board->game;
    const int side = board->side, other = 1 - side, step = side ? game->k + 1 : 1;
    const int32_t *line_gains = board->line_gains[other];
    const int above = cell + game->n_moves;
    const bool opens = above < game->n_cells;
    int32_t *gains = board->gains[other], reply = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int i = game->cell_start[cell]; i < game->cell_start[cell + 1]; i++) {
            const int line = game->cell_lines[i], code = board->codes[line];
            const int32_t change = line_gains[code + step] - line_gains[code];
            if (change != 0)
                mbx_change_line(board, other, line, sign * change);
        }
        gains[cell] -= sign * MBX_CLOSED;
        if (opens)
            gains[above] += sign * MBX_CLOSED;
        if (sign > 0)
            reply = largest_gain(board, other);
    }
    return reply;
}

/* The variation becomes a move and the largest reply to it. */
static void expect_reply(mbx_alphabeta *a, int cell)
{
    mbx_line_board *board = &a->board;
    mbx_line_board_place(board, cell);
    const int side = board->side;
    end_variation_below(a);
    set_variation(a, cell_of_gain(board, side, largest_gain(board, side)));
    mbx_line_board_take_back(board, cell);
    set_variation(a, cell);
}

/* The cells of the largest gains of a side, the largest first; returns how many. */
static int strongest_cells(const mbx_line_board *board, int side, uint8_t *cells)
{
    const int32_t *gains = board->gains[side];
    int n = 0;
    FOR_OPEN_CELLS(board, cell) {
        int at = n < REPLIES ? n++ : REPLIES;
        for (; at > 0 && gains[cells[at - 1]] < gains[cell]; at--)
            if (at < REPLIES)
                cells[at] = cells[at - 1];
        if (at < REPLIES)
            cells[at] = (uint8_t)cell;
    }
    return n;
}

/* The gain of the strongest reply that a stone in `cell` leaves as it is. */
MBX_INLINE int32_t sure_reply(const mbx_alphabeta *a, const uint8_t *replies, int n, int cell)
{
    const int32_t *gains = a->board.gains[1 - a->board.side];
    for (int i = 0; i < n; i++)
        if (!(a->meets[cell * MBX_SET_WORDS + replies[i] / 64] >> replies[i] % 64 & 1))
            return gains[replies[i]];
    return -MBX_WINNING;
}

/* Two plies; nobody can complete a line in the first.  A move is worth its gain less that of the best
 * reply.  A reply that shares no line with it has the gain that it has now, which bounds what the
 * move is worth: most need not be made. */
static int32_t last_two_plies(mbx_alphabeta *a, int32_t alpha, int32_t beta)
{
    mbx_line_board *board = &a->board;
    const int side = board->side;
    const int32_t score = mbx_line_board_score(board, side), *gains = board->gains[side];
    mbx_candidate *list = candidates_here(a);
    uint8_t replies[REPLIES];
    const int n_replies = strongest_cells(board, 1 - side, replies);
    int32_t best = -MBX_INFINITE;
    int n = 0;
    FOR_OPEN_CELLS(board, cell) {
        const int32_t bound = score + gains[cell] - sure_reply(a, replies, n_replies, cell);
        if (bound <= alpha)
            best = larger(best, bound);
        else
            list[n++] = (mbx_candidate){gains[cell] + board->gains[1 - side][cell], bound,
                                        (uint8_t)cell};
    }
    for (int i = 0; i < n; i++) {
        const int cell = pick(list, n, i);
        if (list[i].bound <= alpha) {
            best = larger(best, list[i].bound);
            continue;
        }
        const int32_t reply = largest_reply(board, cell);
        const int32_t value = reply >= MBX_WINNING ? -win_after(a, 2) : score + gains[cell] - reply;
        a->nodes += 1 + (uint64_t)(value <= alpha ? 1 : board->n_open);
        best = larger(best, value);
        if (value <= alpha)
            continue;
        if (value >= beta)
            break;
        expect_reply(a, cell);
        alpha = value;
    }
    return best;
}

/* --- the last ply, evaluated by a function of the caller ------------------------------------ */

/* Can the last ply's boards be evaluated together?  Nobody wins, the board does not fill. */
static bool is_called(const mbx_alphabeta *a)
{
    return a->options.evaluation == MBX_BY_CALL && !a->options.extend && mbx_alphabeta_left(a) > 1
           && largest_gain(&a->board, a->board.side) < MBX_WINNING;
}

/* All moves at once: the function is asked once about all boards. */
MBX_NO_INLINE int32_t last_ply_called(mbx_alphabeta *a, int32_t alpha, int32_t beta)
{
    const mbx_line_board *board = &a->board;
    const size_t n_cells = (size_t)a->game->n_cells;
    mbx_candidate *list = candidates_here(a);
    int32_t *scores = a->scores;
    int n = 0;
    FOR_OPEN_CELLS(board, cell) {
        int8_t *after = a->boards + (size_t)n * n_cells;
        memcpy(after, board->cells, n_cells);
        after[cell] = (int8_t)board->side;
        list[n++].cell = (uint8_t)cell;
    }
    a->nodes += (uint64_t)n;
    if (!a->evaluate(a->context, a->boards, n, scores)) {
        a->is_stopped = true;
        return 0;
    }
    int best = 0;
    for (int i = 1; i < n; i++)
        if (scores[i] < scores[best])
            best = i;
    if (alpha < -scores[best] && -scores[best] < beta) {
        end_variation_below(a);
        set_variation(a, list[best].cell);
    }
    return -scores[best];
}

/* --- a node --------------------------------------------------------------------------------- */

/* What a table's entry says about a search of this depth, as bounds. */
static void recall(const mbx_alphabeta *a, const mbx_transposition *entry, int depth, int32_t *lower,
                   int32_t *upper)
{
    const int plies = MBX_WIN - abs(entry->score);
    const bool is_sure = plies <= depth && !a->options.extend;
    const bool is_same = entry->depth == depth;
    const int32_t score = mbx_later(entry->score, a->board.ply - a->root_ply);
    const bool is_exact = entry->relation == MBX_EXACTLY && (is_same || is_sure);
    *lower = -MBX_INFINITE;
    *upper = MBX_INFINITE;
    if (is_exact || (entry->relation == MBX_AT_LEAST && (is_same || (is_sure && score > 0))))
        *lower = score;
    if (is_exact || (entry->relation == MBX_AT_MOST && (is_same || (is_sure && score < 0))))
        *upper = score;
}

/* Does the table know enough?  Then value is what to return; else it may tell where to look first. */
static bool is_known(const mbx_alphabeta *a, int depth, int32_t alpha, int32_t beta, int32_t *value,
                     int *table_cell)
{
    int32_t lower, upper;
    const mbx_transposition *entry = mbx_transposition_find(&a->table, a->board.key);
    if (!entry)
        return false;
    recall(a, entry, depth, &lower, &upper);
    const bool wants_variation = a->options.algorithm >= MBX_SCOUT && alpha < lower;
    *value = upper <= alpha ? upper : lower;
    if (a->options.table_move)
        *table_cell = entry->move;
    return upper <= alpha || lower >= beta || (lower == upper && !wants_variation);
}

static void memorize(mbx_alphabeta *a, int depth, int32_t value, int32_t alpha, int32_t beta, int cell)
{
    const mbx_transposition entry = {
        .key = a->board.key,
        .score = mbx_later(value, -(a->board.ply - a->root_ply)),
        .depth = (uint8_t)depth,
        .relation = value <= alpha ? MBX_AT_MOST : value >= beta ? MBX_AT_LEAST : MBX_EXACTLY,
        .move = (uint8_t)cell};
    mbx_transposition_store(&a->table, &entry);
}

/* The cell that completes a line for a side, if it is the only one that can be filled now. */
static int only_threat(const mbx_line_board *board, int side)
{
    int found = MBX_NO_MOVE;
    FOR_OPEN_CELLS(board, cell)
        if (board->gains[side][cell] >= MBX_WINNING) {
            if (found != MBX_NO_MOVE)
                return MBX_NO_MOVE;
            found = cell;
        }
    return found;
}

/* The other side can complete lines by two moves or more: one is kept from it, not the other. */
static void expect_loss(const mbx_alphabeta *a)
{
    const mbx_line_board *board = &a->board;
    uint8_t *variation = variation_here(a);
    variation[0] = 0;
    FOR_OPEN_CELLS(board, cell)
        if (variation[0] < 2 && board->gains[1 - board->side][cell] >= MBX_WINNING)
            variation[++variation[0]] = (uint8_t)cell;
}

/* What a move is worth; `is_later`: others were looked at before, and it is not expected to be
 * better. */
static int32_t value_of_move(mbx_alphabeta *a, int cell, int depth, int32_t alpha, int32_t beta,
                             bool is_later)
{
    mbx_line_board *board = &a->board;
    a->nodes++;
    end_variation_below(a);
    if (board->gains[board->side][cell] >= MBX_WINNING)
        return win_after(a, 1);
    if (mbx_alphabeta_left(a) == 1)
        return 0;
    int32_t value = beta;
    mbx_line_board_place(board, cell);
    const bool scouts = is_later && a->options.algorithm >= MBX_SCOUT && beta - alpha > 1;
    if (scouts)
        value = -search_node(a, depth, -alpha - 1, -alpha);
    if (!scouts || (alpha < value && value < beta))
        value = -search_node(a, depth, -beta, -alpha);
    mbx_line_board_take_back(board, cell);
    return value;
}

/* The value of a node by its moves; only: the one that counts, if it is not MBX_NO_MOVE. */
static int32_t search_moves(mbx_alphabeta *a, int depth, int32_t alpha, int32_t beta, int only,
                            int table_cell, int *best_cell)
{
    mbx_candidate *list = candidates_here(a);
    const bool cuts = a->options.algorithm != MBX_MINIMAX;
    int32_t best = -MBX_INFINITE;
    int n = 1;
    if (only != MBX_NO_MOVE)
        list[0].cell = (uint8_t)only;
    else
        n = list_moves(a, list, table_cell);
    for (int i = 0; i < n; i++) {
        const int cell = pick(list, n, i);
        const int32_t value = value_of_move(a, cell, depth, alpha, beta, i > 0);
        if (a->is_stopped)
            return 0;
        if (value <= best)
            continue;
        best = value;
        *best_cell = cell;
        if (value <= alpha && cuts)
            continue;
        set_variation(a, cell);
        if (value >= beta) {
            remember_cut(a, cell, depth);
            break;
        }
        if (cuts)
            alpha = value;
    }
    return best;
}

/* Can a line be completed at once, or must one be blocked?  True where that decides the value;
 * otherwise only is the one move that keeps the other side from it, if there is a threat. */
static bool is_decided(mbx_alphabeta *a, int depth, int *only, int32_t *value)
{
    const mbx_line_board *board = &a->board;
    const bool extends = a->options.extend;
    if (!a->options.forced && !extends)
        return false;
    if (largest_gain(board, board->side) >= MBX_WINNING) {
        a->nodes++;
        end_variation_below(a);
        set_variation(a, cell_of_gain(board, board->side, MBX_WINNING));
        *value = win_after(a, 1);
        return true;
    }
    if ((depth == 1 && !extends) || largest_gain(board, 1 - board->side) < MBX_WINNING)
        return false;
    *only = only_threat(board, 1 - board->side);
    if (*only != MBX_NO_MOVE)
        return false;
    a->nodes += 2;
    expect_loss(a);
    *value = -win_after(a, 2);
    return true;
}

/* See the top of this file.  The position is not finished, and depth is at most what is left. */
static int32_t search_node(mbx_alphabeta *a, int depth, int32_t alpha, int32_t beta)
{
    const mbx_alphabeta_options *use = &a->options;
    int only = MBX_NO_MOVE, table_cell = MBX_NO_MOVE, best_cell = MBX_NO_MOVE;
    int32_t value = 0;
    end_variation(a);
    if (!goes_on(a))
        return 0;
    if (depth == 0 && !use->extend)
        return evaluation_of(a);
    const bool is_told = depth <= 2 && is_told_by_gains(a, depth);
    if (is_told && depth == 1)
        return last_ply(a, alpha, beta);
    if (depth == 1 && is_called(a))
        return last_ply_called(a, alpha, beta);
    if (is_decided(a, depth, &only, &value))
        return value;
    if (depth == 0 && only == MBX_NO_MOVE)
        return evaluation_of(a);
    if (is_told && use->forced && use->gain && only == MBX_NO_MOVE)
        return last_two_plies(a, alpha, beta);

    const bool has_table = a->table.n > 0 && depth >= TABLE_DEPTH;
    if (has_table && is_known(a, depth, alpha, beta, &value, &table_cell))
        return value;
    const bool is_reply = use->extend && only != MBX_NO_MOVE;
    const int depth_below = is_reply ? smaller(depth, mbx_alphabeta_left(a) - 1) : depth - 1;
    value = search_moves(a, depth_below, alpha, beta, only, table_cell, &best_cell);
    if (has_table && !a->is_stopped)
        memorize(a, depth, value, alpha, beta, best_cell);
    return value;
}
