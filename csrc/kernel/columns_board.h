/* columns_board.h - a part of columns_body.h: boards of BITS bits, and how the table knows them. */
#define board NAME(board)
#define board_search NAME(board_search)
#define columns_state NAME(columns_state)
#define entry_key NAME(entry_key)
#define key_of NAME(key_of)
#define mirrored NAME(mirrored)
#define lowest NAME(lowest)
#define count NAME(count)
#define run_of NAME(run_of)
#define completing_along NAME(completing_along)
#define completing NAME(completing)
#define lines_along NAME(lines_along)
#define has_line NAME(has_line)
#define fetch NAME(fetch)
#define find NAME(find)
#define store NAME(store)

typedef struct columns_state columns_state;

/* What the table knows a position by.  is_mirrored: by that of its mirror image. */
typedef struct {
#if BITS == 64
    uint64_t hash;
#else
    mbx_wide_key hash;
#endif
    bool is_mirrored;
} entry_key;

typedef int board_search(columns_state *columns, mbx_search *search, board mine, board mask,
                         int ply, int beta, entry_key key);

struct columns_state {
    int width, height, k, n_cells;
    int early;                      /* up to this ply mirror images share an entry */
    board bottom, all, followed;    /* the lowest cells; all cells; see can_win */
    board_search *search;
    board mine, mask;               /* the position to solve */
    int ply;
    uint8_t column_of[BITS];        /* by bit */
    int32_t centre[BITS];           /* by bit: how near to the middle the column is */
    int32_t history[2][BITS];       /* by parity of the ply and bit */
};

MBX_INLINE int count(board x)
{
#if BITS == 64
    return mbx_count_ones(x);
#else
    return mbx_count_ones((uint64_t)x) + mbx_count_ones((uint64_t)(x >> 64));
#endif
}

MBX_INLINE int lowest(board x)
{
#if BITS == 64
    return mbx_lowest_one(x);
#else
    return (uint64_t)x ? mbx_lowest_one((uint64_t)x) : 64 + mbx_lowest_one((uint64_t)(x >> 64));
#endif
}

/* The cells that are followed along a direction by `length` stones, upwards or downwards. */
MBX_INLINE board run_of(board stones, int step, int length, bool upwards)
{
    board run = ~(board)0;
    MBX_UNROLL
    for (int i = 0; i < length; i++)
        run = upwards ? (stones & run) >> step : (stones & run) << step;
    return run;
}

/* The cells that a stone would make a line of, in one direction: k - 1 stones lie about them. */
MBX_INLINE board completing_along(board stones, int step, int k)
{
    board cells = 0, above = ~(board)0;
    MBX_UNROLL
    for (int i = 0; i < k; i++) {
        cells |= above & run_of(stones, step, k - 1 - i, false);
        above = (stones & above) >> step;
    }
    return cells;
}

/* The same in all directions; upwards there are stones below a cell only. */
MBX_INLINE board completing(board stones, int height, int k)
{
    return run_of(stones, 1, k - 1, false) | completing_along(stones, height + 1, k)
           | completing_along(stones, height, k) | completing_along(stones, height + 2, k);
}

/* The cells from which k stones follow in a direction. */
MBX_INLINE board lines_along(board stones, int step, int k)
{
    board run = stones; /* cells from which `length` stones follow */
    int length = 1;
    MBX_UNROLL
    for (; 2 * length <= k; length *= 2)
        run &= length * step < BITS ? run >> length * step : 0;
    const int rest = (k - length) * step;
    return rest < BITS ? run & run >> rest : 0;
}

MBX_INLINE bool has_line(board stones, int height, int k)
{
    return (lines_along(stones, 1, k) | lines_along(stones, height + 1, k)
            | lines_along(stones, height, k) | lines_along(stones, height + 2, k)) != 0;
}

/* The board seen in a mirror; also of the sum mine + mask + bottom. */
MBX_NO_INLINE board mirrored(const columns_state *columns, board x)
{
    const int step = columns->height + 1;
    const board column = ((board)1 << step) - 1;
    board image = 0;
    for (int c = 0; c < columns->width; c++)
        image |= (x >> c * step & column) << (columns->width - 1 - c) * step;
    return image;
}

MBX_INLINE entry_key key_of(const columns_state *columns, const mbx_table *table, board mine,
                            board mask, int ply)
{
    board number = mine + mask + columns->bottom;
    bool is_mirrored = false;
    if (ply <= columns->early) {
        const board image = mirrored(columns, number);
        is_mirrored = image < number;
        number = is_mirrored ? image : number;
    }
#if BITS == 64
    return (entry_key){mbx_narrow_hash(table, number), is_mirrored};
#else
    (void)table;
    return (entry_key){{(uint64_t)number, (uint64_t)(number >> 64)}, is_mirrored};
#endif
}

#if BITS == 64
#define TABLE_CALL(name) mbx_narrow_##name
#else
#define TABLE_CALL(name) mbx_wide_##name
#endif

MBX_INLINE void fetch(const mbx_table *table, entry_key key)
{
    MBX_PREFETCH(TABLE_CALL(bucket)(table, key.hash));
}

/* Moves of an entry are those of its key. */
MBX_INLINE bool find(const columns_state *columns, const mbx_table *table, entry_key key,
                     mbx_bounds *bounds)
{
    if (!TABLE_CALL(find)(table, key.hash, bounds))
        return false;
    if (key.is_mirrored && bounds->move != MBX_NO_MOVE)
        bounds->move = columns->width - 1 - bounds->move;
    return true;
}

MBX_INLINE void store(const columns_state *columns, mbx_table *table, entry_key key,
                      mbx_bounds bounds, uint64_t nodes)
{
    if (bounds.move != MBX_NO_MOVE && key.is_mirrored)
        bounds.move = columns->width - 1 - bounds.move;
    TABLE_CALL(store)(table, key.hash, bounds, mbx_work(nodes));
}
#undef TABLE_CALL
