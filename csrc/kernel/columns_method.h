/* columns_method.h - a part of columns_body.h: an mbx_method out of the searches of BITS bits. */
#define fits NAME(fits)
#define create NAME(create)
#define set NAME(set)
#define winning_move NAME(winning_move)
#define ask NAME(ask)
#define likely_move NAME(likely_move)

static bool fits(const mbx_game *game, size_t table_bytes)
{
#if BITS == 64
    return has_columns(game) && mbx_table_can_be_narrow(table_bytes, columns_key_bits(game));
#else
    (void)table_bytes;
    return has_columns(game) && columns_key_bits(game) <= MBX_WIDE_KEY;
#endif
}

static mbx_error create(void **state, const mbx_game *game, size_t table_bytes, mbx_table *table)
{
    columns_state *columns = calloc(1, sizeof *columns);
    *state = columns;
    if (!columns)
        return MBX_NO_MEMORY;
    const int width = game->shape[0], height = game->shape[1];
    columns->width = width;
    columns->height = height;
    columns->k = game->k;
    columns->n_cells = game->n_cells;
    columns->early = game->n_cells / EARLY;
    columns->search = NAME(choose)(game);
    for (int bit = 0; bit < width * (height + 1); bit++) {
        const int column = bit / (height + 1), row = bit % (height + 1);
        const int right = width - 1 - column;
        columns->column_of[bit] = (uint8_t)column;
        columns->centre[bit] = column < right ? column : right;
        if (row == 0)
            columns->bottom |= (board)1 << bit;
        if (row < height)
            columns->all |= (board)1 << bit;
        if (row < height && (height - 1 - row) % 2 == 0)
            columns->followed |= (board)1 << bit;
    }
    return mbx_table_create(table, table_bytes, columns_key_bits(game), BITS != 64);
}

static void set(void *state, const mbx_position *position)
{
    columns_state *columns = state;
    const int turn = mbx_position_turn(position);
    const int8_t *cells = position->cells;
    board mine = 0, mask = 0;
    for (int row = 0; row < columns->height; row++) {
        board bit = (board)1 << row;
        for (int column = 0; column < columns->width; column++) {
            mine |= (0 - (board)(*cells == turn)) & bit;
            mask |= (0 - (board)(*cells++ >= 0)) & bit;
            bit <<= columns->height + 1;
        }
    }
    columns->mine = mine;
    columns->mask = mask;
    columns->ply = position->ply;
}

static int winning_move(const void *state)
{
    const columns_state *columns = state;
    const board playable = (columns->mask + columns->bottom) & columns->all;
    const board wins = completing(columns->mine, columns->height, columns->k) & playable;
    return wins ? columns->column_of[lowest(wins)] : -1;
}

static int ask(void *state, mbx_search *search, int beta)
{
    columns_state *columns = state;
    const entry_key key = key_of(columns, &search->table, columns->mine, columns->mask,
                                 columns->ply);
    return columns->search(columns, search, columns->mine, columns->mask, columns->ply, beta, key);
}

static int likely_move(const void *state, const mbx_search *search)
{
    const columns_state *columns = state;
    const entry_key key = key_of(columns, &search->table, columns->mine, columns->mask,
                                 columns->ply);
    mbx_bounds bounds;
    const bool is_known = find(columns, &search->table, key, &bounds);
    return is_known && bounds.move != MBX_NO_MOVE ? bounds.move : -1;
}

static const mbx_method NAME(method) = {COLUMNS_NAME, fits, create, free, set, winning_move,
                                        ask, likely_move};

#undef fits
#undef create
#undef set
#undef winning_move
#undef ask
#undef likely_move
#undef board
#undef board_search
#undef columns_state
#undef entry_key
#undef key_of
#undef mirrored
#undef lowest
#undef count
#undef run_of
#undef completing_along
#undef completing
#undef lines_along
#undef has_line
#undef fetch
#undef find
#undef store
