/* columns_board.h - part of columns_body.h: the board of one width of numbers, and its tables. */
#define board NAME(board)
#define columns_state NAME(columns_state)

/* What a search of one game keeps. */
typedef struct columns_state columns_state;
typedef int NAME(board_search)(columns_state *columns, mbx_search *search, board mine, board mask,
                               int ply, int beta, NAME(position_key) key);
