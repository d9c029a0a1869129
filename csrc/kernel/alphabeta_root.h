/* alphabeta_root.h - the search of the root, to one depth: windows, and what all moves are worth.
 *
 * Start reading at search_to_depth.
 */

/* Takes in what a search of a move within a window returned. */
MBX_INLINE void narrow(mbx_root_move *move, int32_t value, int32_t alpha, int32_t beta)
{
    if (value > alpha)
        move->lower = larger(move->lower, value);
    if (value < beta)
        move->upper = smaller(move->upper, value);
}

/* At the root: the depth that is left after a move. */
static int depth_after(const mbx_alphabeta *a, int cell, int depth)
{
    const mbx_line_board *board = &a->board;
    const bool is_reply = a->options.extend && largest_gain(board, board->side) < MBX_WINNING
                          && only_threat(board, 1 - board->side) == cell;
    return is_reply ? smaller(depth, mbx_alphabeta_left(a) - 1) : depth - 1;
}

/* What a move at the root is worth within a window; its bounds take that in. */
static int32_t search_root_move(mbx_alphabeta *a, mbx_root_move *move, int depth, mbx_window window,
                                bool is_later)
{
    const int32_t value = value_of_move(a, move->cell, depth_after(a, move->cell, depth),
                                        window.alpha, window.beta, is_later);
    if (!a->is_stopped)
        narrow(move, value, window.alpha, window.beta);
    return value;
}

/* Searches the root within a window; returns its value or a bound, as search_node. */
static int32_t search_window(mbx_alphabeta *a, int depth, int32_t alpha, int32_t beta)
{
    const bool cuts = a->options.algorithm != MBX_MINIMAX;
    const int32_t first_alpha = alpha;
    int32_t best = -MBX_INFINITE;
    for (int i = 0; i < a->n_moves && (best < beta || !cuts); i++) {
        mbx_root_move *move = &a->moves[i];
        if (move->image_of != move->move)
            continue;
        const int32_t value = search_root_move(a, move, depth, (mbx_window){alpha, beta}, i > 0);
        if (a->is_stopped)
            return 0;
        if (value > best) {
            best = value;
            if (value > first_alpha)
                set_variation(a, move->cell);
        }
        if (value > alpha && cuts)
            alpha = value;
    }
    return best;
}

/* A window around what the value was two depths ago: values swing from ply to ply. */
static void search_around(mbx_alphabeta *a, int depth, int32_t guess)
{
    int32_t alpha = guess - a->margin, beta = guess + a->margin;
    for (;;) {
        const int32_t value = search_window(a, depth, alpha, beta);
        if (a->is_stopped || (alpha < value && value < beta))
            return;
        if (value <= alpha)
            alpha = -MBX_INFINITE;
        else
            beta = MBX_INFINITE;
    }
}

/* MTD(f) (Plaat and others, 1996): windows without width close in on the value. */
static void search_by_null_windows(mbx_alphabeta *a, int depth, int32_t guess)
{
    int32_t lower = -MBX_INFINITE, upper = MBX_INFINITE;
    while (lower < upper && !a->is_stopped) {
        const int32_t beta = guess == lower ? guess + 1 : guess;
        guess = search_window(a, depth, beta - 1, beta);
        if (guess < beta)
            upper = guess;
        else
            lower = guess;
    }
}

/* Every move by itself, in the widest window. */
static void search_every_move(mbx_alphabeta *a, int depth)
{
    const mbx_window whole = {-MBX_INFINITE, MBX_INFINITE};
    int32_t best = -MBX_INFINITE;
    for (int i = 0; i < a->n_moves && !a->is_stopped; i++) {
        mbx_root_move *move = &a->moves[i];
        if (move->image_of != move->move)
            continue;
        const int32_t value = search_root_move(a, move, depth, whole, false);
        if (value > best && !a->is_stopped) {
            best = value;
            set_variation(a, move->cell);
        }
    }
}

static int best_move(const mbx_alphabeta *a)
{
    int best = 0;
    for (int i = 1; i < a->n_moves; i++)
        if (a->moves[i].image_of == a->moves[i].move && a->moves[i].lower > a->moves[best].lower)
            best = i;
    return best;
}

/* Where no smaller depth tells which moves are good: those first that promise most. */
static void order_by_rank(mbx_alphabeta *a)
{
    for (int i = 1; i < a->n_moves; i++) {
        const mbx_root_move move = a->moves[i];
        const int32_t rank = rank_of(a, move.cell, MBX_NO_MOVE);
        int at = i;
        for (; at > 0 && rank_of(a, a->moves[at - 1].cell, MBX_NO_MOVE) < rank; at--)
            a->moves[at] = a->moves[at - 1];
        a->moves[at] = move;
    }
}

/* The best move comes first, so that the next depth begins with it. */
static void bring_forward(mbx_alphabeta *a, int best)
{
    const mbx_root_move move = a->moves[best];
    memmove(&a->moves[1], &a->moves[0], (size_t)best * sizeof move);
    a->moves[0] = move;
}

static void spread_to_images(mbx_alphabeta *a)
{
    for (int i = 0; i < a->n_moves; i++)
        for (int j = 0; j < a->n_moves; j++)
            if (a->moves[j].move == a->moves[i].image_of) {
                a->moves[i].lower = a->moves[j].lower;
                a->moves[i].upper = a->moves[j].upper;
            }
}

/* Plays the variation out on the board; returns how many of its moves were placed: all but one that
 * wins or fills the board. */
static int place_variation(mbx_alphabeta *a, const uint8_t *variation)
{
    int n = 0;
    while (n < variation[0] && mbx_alphabeta_left(a) > 1
           && a->board.gains[a->board.side][variation[1 + n]] < MBX_WINNING)
        mbx_line_board_place(&a->board, variation[1 + n++]);
    return n;
}

/* Null windows leave short variations: the table's moves follow. */
static void prolong_variation(mbx_alphabeta *a, int depth)
{
    mbx_line_board *board = &a->board;
    uint8_t *variation = mbx_variation(a, 0);
    int n = place_variation(a, variation);
    while (n == variation[0] && depth - n >= TABLE_DEPTH) {
        const mbx_transposition *entry = mbx_transposition_find(&a->table, board->key);
        if (!entry || entry->depth != depth - n || entry->move == MBX_NO_MOVE)
            break;
        variation[++variation[0]] = entry->move;
        if (mbx_alphabeta_left(a) == 1 || board->gains[board->side][entry->move] >= MBX_WINNING)
            break;
        mbx_line_board_place(board, entry->move);
        n++;
    }
    while (n > 0)
        mbx_line_board_take_back(board, variation[n--]);
}

/* Searches to a depth; the first of the moves is then the best one, and the bounds of the moves are
 * known.  every: all of them exactly.  False where it was stopped: only the nodes count then. */
static bool search_to_depth(mbx_alphabeta *a, int depth, mbx_window window, bool every,
                            mbx_cancel cancel)
{
    const bool is_whole = window.alpha <= -MBX_WIN && window.beta >= MBX_WIN;
    depth = smaller(depth, mbx_alphabeta_left(a));
    const int32_t guess = a->last_values[depth % 2];
    int32_t bound = 0;
    a->cancel = cancel;
    if (a->nodes == 0 && depth > 1)
        order_by_rank(a);
    a->is_stopped = false;
    a->nodes++;
    end_variation(a);
    for (int i = 0; i < a->n_moves; i++) {
        a->moves[i].lower = -MBX_INFINITE;
        a->moves[i].upper = MBX_INFINITE;
    }
    if (every)
        search_every_move(a, depth);
    else if (!is_whole)
        bound = search_window(a, depth, window.alpha, window.beta);
    else if (a->options.algorithm == MBX_MTDF)
        search_by_null_windows(a, depth, guess == MBX_INFINITE ? 0 : guess);
    else if (a->options.algorithm == MBX_PVS && guess != MBX_INFINITE)
        search_around(a, depth, guess);
    else
        search_window(a, depth, -MBX_INFINITE, MBX_INFINITE);
    MBX_ASSERT(mbx_line_board_is_ok(&a->board));
    if (a->is_stopped)
        return false;
    if (a->table.n > 0 && !a->options.extend)
        prolong_variation(a, depth);
    bring_forward(a, best_move(a));
    spread_to_images(a);
    a->value = is_whole ? a->moves[0].lower : bound;
    if (is_whole)
        a->last_values[depth % 2] = a->value;
    return true;
}
