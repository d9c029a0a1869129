/* columns_search.h - a part of columns_body.h: the search itself, SEARCH, for boards HEIGHT high
 * with IN_A_ROW to be had in a row.
 */
#define can_win JOIN(SEARCH, _can_win)
#define scored_move JOIN(SEARCH, _scored_move)

/* Can the side with these stones still make a line, even if the other one only ever prevents it?
 *
 * Not where no line is left that is free of the other side's stones.  And there is a follower, the
 * side to move when an odd number of cells is empty.  It can answer each stone of the other side
 * in the same column as long as a cell is empty there: then it gets the upper one of each pair of
 * cells, counted from the top.  Where the other side takes the odd cell of a column with an odd
 * number of empty cells, that is its lowest one, another such column is left, and the follower
 * takes the lowest cell there.  So all that the other side ever gets are its stones, the lower cells of
 * pairs and the lowest cells of columns; if these hold no line, it cannot win.
 */
MBX_INLINE bool can_win(const columns_state *columns, board stones, board mask, board playable,
                        bool is_follower)
{
    const board empty = columns->all ^ mask;
    const board open = is_follower ? empty : (empty & ~columns->followed) | playable;
    return has_line(stones | open, HEIGHT, IN_A_ROW);
}

typedef struct {
    board stone;
    entry_key key;
    int score;
} scored_move;

/* The side to move cannot win at once.  Is its score at least beta?  Returns a bound as mbx_method
 * says; what it returns when the search is stopped counts nothing. */
static int SEARCH(columns_state *columns, mbx_search *search, board mine, board mask, int ply,
                  int beta, entry_key key)
{
    if (!mbx_search_goes_on(search))
        return 0;
    const int left = columns->n_cells - ply;
    const board theirs = mine ^ mask;
    const board empty = columns->all ^ mask;
    const board playable = (mask + columns->bottom) & columns->all;
    const board threats = completing(theirs, HEIGHT, IN_A_ROW) & empty;
    board moves = playable;
    if (playable & threats) {
        moves &= threats;
        if (moves & (moves - 1))
            return -(left / 2);
    }
    moves &= ~(threats >> 1);
    if (moves == 0)
        return -(left / 2);
    if (left <= 2)
        return 0;

    mbx_bounds bounds = {-((left - 2) / 2), (left - 1) / 2, MBX_NO_MOVE};
    if (bounds.lower >= beta)
        return bounds.lower;
    if (bounds.upper < beta)
        return bounds.upper;
    const bool is_follower = left & 1;
    if (beta > 0 ? !can_win(columns, mine, mask, playable, is_follower)
                 : !can_win(columns, theirs, mask, playable, !is_follower))
        return 0;

    if ((moves & (moves - 1)) == 0) /* nothing to choose: the table would only be filled */
        return -SEARCH(columns, search, theirs, mask | moves, ply + 1, 1 - beta,
                       key_of(columns, &search->table, theirs, mask | moves, ply + 1));

    if (left >= TABLE_EMPTY && find(columns, &search->table, key, &bounds)) {
        if (bounds.lower >= beta)
            return bounds.lower;
        if (bounds.upper < beta)
            return bounds.upper;
    }

    scored_move order[MOST_COLUMNS];
    int n = 0;
    int32_t *const history = columns->history[ply & 1];
    for (; moves; moves &= moves - 1) {
        const board stone = moves & (0 - moves);
        const entry_key next = key_of(columns, &search->table, theirs, mask | stone, ply + 1);
        if (left > TABLE_EMPTY)
            fetch(&search->table, next);
        const board made = completing(mine | stone, HEIGHT, IN_A_ROW) & (empty ^ stone);
        const board at_once = made & ((playable ^ stone) | stone << 1);
        if ((at_once & (at_once - 1)) != 0 || (at_once << 1 & made) != 0)
            return (left - 1) / 2;
        const int cell = lowest(stone);
        int score = (count(made) * 16 + columns->centre[cell]) * 1024 + history[cell];
        if (columns->column_of[cell] == bounds.move)
            score = INT32_MAX;
        int i = n++;
        for (; i > 0 && order[i - 1].score < score; i--)
            order[i] = order[i - 1];
        order[i] = (scored_move){stone, next, score};
    }

    if (left >= LOOK_AHEAD_EMPTY)
        for (int i = 0; i < n; i++) {
            mbx_bounds reply;
            if (find(columns, &search->table, order[i].key, &reply) && -reply.upper >= beta) {
                bounds.lower = -reply.upper;
                bounds.move = columns->column_of[lowest(order[i].stone)];
                store(columns, &search->table, key, bounds, 0);
                return bounds.lower;
            }
        }

    const uint64_t nodes = search->nodes;
    int best = -left;
    for (int i = 0; i < n; i++) {
        const int value = -SEARCH(columns, search, theirs, mask | order[i].stone, ply + 1, 1 - beta,
                                  order[i].key);
        if (search->is_stopped)
            return 0;
        if (value > best)
            best = value;
        if (value >= beta) {
            bounds.move = columns->column_of[lowest(order[i].stone)];
            for (int j = 0; j < i; j++)
                remember(&history[lowest(order[j].stone)], false);
            if (i > 0)
                remember(&history[lowest(order[i].stone)], true);
            break;
        }
    }
    if (best >= beta)
        bounds.lower = best;
    else
        bounds.upper = best;
    if (left >= TABLE_EMPTY)
        store(columns, &search->table, key, bounds, search->nodes - nodes);
    return best;
}

#undef can_win
#undef scored_move
#undef SEARCH
#undef HEIGHT
#undef IN_A_ROW
