/* mcts_body.h - simulations of a tree search: one source for every instruction set and board.
 *
 * Start reading at simulate in mcts_search.h.
 */
#include "kernel.h"
#include "playouts.h"

#include "mcts_select.h"
#include "mcts_batch.h"
#include "mcts_playout.h"

#define JOIN_WORDS_(a, b) a##b
#define JOIN_WORDS(a, b) JOIN_WORDS_(a, b)
#define ON(name) JOIN_WORDS(BOARD, name)

#define BOARD mbx_flat
#include "mcts_search.h"
#undef BOARD
#define BOARD mbx_rows
#include "mcts_search.h"
#undef BOARD
#define BOARD mbx_plain
#include "mcts_search.h"
#undef BOARD
#undef ON

static mbx_error search_tree(mbx_mcts *mcts, const mbx_kernel *kernel, int64_t simulations,
                             bool is_recorded, mbx_cancel cancel, int64_t *done)
{
    static mbx_error (*const searches[MBX_BOARD_KINDS])(search *, int64_t, int64_t *) = {
        mbx_flat_search, mbx_rows_search, mbx_plain_search,
    };
    *done = 0;
    if (mcts->root.status != MBX_PLAYING)
        return MBX_GAME_OVER;
    search s = {.mcts = mcts, .kernel = kernel, .cancel = cancel, .is_recorded = is_recorded,
                .scale = 1.0f / (float)mcts->options.playouts};
    const mbx_error error = searches[mcts->shape->kind](&s, simulations, done);
    MBX_ASSERT(mbx_mcts_is_ok(mcts));
    return error;
}
