/* test_game.c - published numbers of lines and symmetries. */
#include "../core/game.h"
#include "check.h"

static void check_game(int x, int y, int z, int k, bool gravity, int n_lines, int n_symmetries)
{
    mbx_game game;
    CHECK(mbx_game_init(&game, z ? 3 : 2, (int[]){x, y, z}, k, gravity) == MBX_OK);
    CHECK(game.n_lines == n_lines);
    CHECK(game.n_symmetries == n_symmetries);
    CHECK(game.cell_start[game.n_cells] == n_lines * (n_lines ? k : 0));
    mbx_game_free(&game);
}

void test_game(void)
{
    check_game(3, 3, 0, 3, false, 8, 8);
    check_game(4, 3, 0, 3, false, 14, 4);
    check_game(7, 6, 0, 4, true, 69, 2);
    check_game(15, 15, 0, 5, false, 572, 8);
    check_game(3, 3, 3, 3, false, 49, 48);
    check_game(4, 4, 4, 4, true, 76, 8);
    check_game(5, 5, 5, 5, true, 109, 8);
    check_game(5, 1, 0, 3, false, 3, 2);
    check_game(1, 1, 0, 1, false, 1, 1);
    check_game(2, 2, 0, 3, false, 0, 8);
    mbx_game game;
    CHECK(mbx_game_init(&game, 2, (int[]){16, 16}, 5, false) == MBX_BAD_GAME);
    CHECK(mbx_game_init(&game, 2, (int[]){0, 3}, 3, false) == MBX_BAD_GAME);
    CHECK(mbx_game_init(&game, 2, (int[]){3, 3}, 0, false) == MBX_BAD_GAME);
    CHECK(mbx_game_init(&game, 4, (int[]){3, 3, 3}, 3, false) == MBX_BAD_GAME);
}
