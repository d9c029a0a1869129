/* position.c - play and take back, set up and check. */
#include "position.h"

#include <string.h>

void mbx_position_start(mbx_position *position, const mbx_game *game)
{
    memset(position, 0, sizeof *position);
    memset(position->cells, MBX_EMPTY, sizeof position->cells);
    position->game = game;
    position->status = MBX_PLAYING;
}

static bool owns_line(const mbx_position *position, int line, int side)
{
    const uint8_t *cells = mbx_line(position->game, line);
    for (int i = 0; i < position->game->k; i++)
        if (position->cells[cells[i]] != side)
            return false;
    return true;
}

/* Does a line of `side` run through `cell`? */
static bool wins_at(const mbx_position *position, int cell, int side)
{
    const mbx_game *game = position->game;
    for (int i = game->cell_start[cell]; i < game->cell_start[cell + 1]; i++)
        if (owns_line(position, game->cell_lines[i], side))
            return true;
    return false;
}

mbx_error mbx_position_push(mbx_position *position, long long move)
{
    const mbx_game *game = position->game;
    if (position->status != MBX_PLAYING)
        return MBX_GAME_OVER;
    if (move < 0 || move >= game->n_moves || !mbx_move_is_open(position, (int)move))
        return MBX_ILLEGAL_MOVE;
    int side = mbx_position_turn(position);
    int cell = mbx_landing_cell(position, (int)move);
    position->cells[cell] = (int8_t)side;
    position->heights[move]++;
    position->history[position->ply++] = (uint8_t)cell;
    if (wins_at(position, cell, side))
        position->status = side;
    else if (position->ply == game->n_cells)
        position->status = MBX_DRAW;
    MBX_ASSERT(mbx_position_is_ok(position));
    return MBX_OK;
}

bool mbx_position_pop(mbx_position *position)
{
    if (position->ply == position->first_ply)
        return false;
    int cell = position->history[--position->ply];
    position->history[position->ply] = 0;
    position->cells[cell] = MBX_EMPTY;
    position->heights[mbx_move_of_cell(position->game, cell)]--;
    position->status = MBX_PLAYING;
    MBX_ASSERT(mbx_position_is_ok(position));
    return true;
}

int mbx_position_legal_moves(const mbx_position *position, uint8_t *moves)
{
    int n = 0;
    if (position->status == MBX_PLAYING)
        for (int move = 0; move < position->game->n_moves; move++)
            if (mbx_move_is_open(position, move))
                moves[n++] = (uint8_t)move;
    return n;
}

/* Sets ply and heights from the cells, or says why they are no position. */
static mbx_error count_stones(mbx_position *position)
{
    const mbx_game *game = position->game;
    int stones[2] = {0, 0};
    for (int cell = 0; cell < game->n_cells; cell++) {
        int mark = position->cells[cell];
        if (mark < MBX_EMPTY || mark > MBX_SECOND)
            return MBX_BAD_MARK;
        if (mark == MBX_EMPTY)
            continue;
        int move = mbx_move_of_cell(game, cell);
        if (mbx_landing_cell(position, move) != cell)
            return MBX_FLOATING;
        position->heights[move]++;
        stones[mark]++;
    }
    if (stones[MBX_FIRST] - stones[MBX_SECOND] != 0 && stones[MBX_FIRST] - stones[MBX_SECOND] != 1)
        return MBX_BAD_COUNTS;
    position->ply = position->first_ply = stones[MBX_FIRST] + stones[MBX_SECOND];
    return MBX_OK;
}

/* Could the last stone have completed all n_lines lines of the winner?  lines_through[c] is how
 * many of them run through cell c. */
static bool one_stone_completes(const mbx_position *position, const int *lines_through, int n_lines)
{
    for (int cell = 0; cell < position->game->n_cells; cell++) {
        int move = mbx_move_of_cell(position->game, cell);
        bool is_top = cell + position->game->n_moves == mbx_landing_cell(position, move);
        if (lines_through[cell] == n_lines && is_top)
            return true;
    }
    return false;
}

/* Sets the status from the completed lines, or says why play cannot have led there. */
static mbx_error find_winner(mbx_position *position)
{
    const mbx_game *game = position->game;
    int lines_through[MBX_MAX_CELLS] = {0};
    int n_lines = 0;
    position->status = position->ply == game->n_cells ? MBX_DRAW : MBX_PLAYING;
    for (int line = 0; line < game->n_lines; line++) {
        const uint8_t *cells = mbx_line(game, line);
        int side = position->cells[cells[0]];
        if (side == MBX_EMPTY || !owns_line(position, line, side))
            continue;
        if (n_lines > 0 && position->status != side)
            return MBX_TWO_WINNERS;
        position->status = side;
        n_lines++;
        for (int i = 0; i < game->k; i++)
            lines_through[cells[i]]++;
    }
    if (n_lines == 0)
        return MBX_OK;
    bool moved_last = position->status != mbx_position_turn(position);
    if (!moved_last || !one_stone_completes(position, lines_through, n_lines))
        return MBX_AFTER_WIN;
    return MBX_OK;
}

mbx_error mbx_position_set(mbx_position *position, const mbx_game *game, const int8_t *cells)
{
    mbx_position candidate;
    mbx_position_start(&candidate, game);
    memcpy(candidate.cells, cells, (size_t)game->n_cells);
    mbx_error error = count_stones(&candidate);
    if (error == MBX_OK)
        error = find_winner(&candidate);
    if (error == MBX_OK)
        *position = candidate;
    return error;
}

bool mbx_position_is_ok(const mbx_position *position)
{
    mbx_position fresh;
    if (mbx_position_set(&fresh, position->game, position->cells) != MBX_OK)
        return false;
    for (int ply = position->first_ply; ply < position->ply; ply++)
        if (position->cells[position->history[ply]] != (ply & 1))
            return false;
    return fresh.ply == position->ply && fresh.status == position->status
           && position->first_ply <= position->ply
           && memcmp(fresh.heights, position->heights, sizeof fresh.heights) == 0;
}
