/* test_position.c - random play forwards and backwards, with the from-scratch checker at each step;
 * boards that play cannot lead to. */
#include "../core/position.h"
#include "../core/rng.h"
#include "check.h"

#include <string.h>

static void play_and_undo(int x, int y, int z, int k, bool gravity)
{
    mbx_game game;
    CHECK(mbx_game_init(&game, z ? 3 : 2, (int[]){x, y, z}, k, gravity) == MBX_OK);
    const mbx_block_key key = mbx_key_of_block((mbx_seed){7, 0}, 0, 0);
    mbx_rng rng = mbx_rng_of_block(&key, 0);
    for (int round = 0; round < 50; round++) {
        mbx_position position, empty;
        mbx_position_start(&position, &game);
        empty = position;
        uint8_t moves[MBX_MAX_CELLS];
        int n;
        while ((n = mbx_position_legal_moves(&position, moves)) > 0) {
            CHECK(mbx_position_push(&position, moves[mbx_rng_next(&rng) % (unsigned)n]) == MBX_OK);
            CHECK(mbx_position_is_ok(&position));
        }
        CHECK(position.status != MBX_PLAYING);
        CHECK(mbx_position_push(&position, 0) == MBX_GAME_OVER);
        while (mbx_position_pop(&position))
            CHECK(mbx_position_is_ok(&position));
        CHECK(memcmp(&position, &empty, sizeof empty) == 0);
        CHECK(mbx_position_push(&position, -1) == MBX_ILLEGAL_MOVE);
        CHECK(mbx_position_push(&position, game.n_moves) == MBX_ILLEGAL_MOVE);
    }
    mbx_game_free(&game);
}

static mbx_error set_up(const char *board, bool gravity)
{
    mbx_game game;
    mbx_position position;
    int8_t cells[9];
    for (int cell = 0; cell < 9; cell++)
        cells[cell] = board[cell] == 'o' ? 0 : board[cell] == 'x' ? 1 : board[cell] == '.' ? -1 : 2;
    CHECK(mbx_game_init(&game, 2, (int[]){3, 3}, 3, gravity) == MBX_OK);
    mbx_error error = mbx_position_set(&position, &game, cells);
    mbx_game_free(&game);
    return error;
}

void test_position(void)
{
    play_and_undo(3, 3, 0, 3, false);
    play_and_undo(7, 6, 0, 4, true);
    play_and_undo(4, 4, 4, 4, false);
    play_and_undo(5, 5, 5, 5, true);
    play_and_undo(15, 15, 0, 5, false);
    play_and_undo(1, 200, 0, 4, true);

    CHECK(set_up("oox.x....", false) == MBX_OK);
    CHECK(set_up("oox.?....", false) == MBX_BAD_MARK);
    CHECK(set_up("ooo......", false) == MBX_BAD_COUNTS);
    CHECK(set_up("x........", false) == MBX_BAD_COUNTS);
    CHECK(set_up("oooxxx...", false) == MBX_TWO_WINNERS);
    CHECK(set_up("ooo.xx.x.", false) == MBX_AFTER_WIN);  /* second moved after the line */
    CHECK(set_up("oooxoxoxo", false) == MBX_BAD_COUNTS);
    CHECK(set_up("oooxxoxxo", false) == MBX_OK);         /* two lines by one stone */
    CHECK(set_up("ox....o..", true) == MBX_FLOATING);
    CHECK(set_up("ox.o.....", true) == MBX_OK);
}
