/* base.h - what every file of the core shares: status codes, limits, asserts, cancelling.
 *
 * The core is re-entrant C11: no globals, no threads, no stdio, no Python.  A function that can
 * fail returns an mbx_error and writes its results through pointers; the caller allocates, or
 * there is a create/free pair.  A user's mistake is an error code, a programmer's mistake an
 * assert.
 */
#ifndef MBX_BASE_H
#define MBX_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    MBX_OK = 0,
    MBX_NO_MEMORY,      /* malloc failed */
    MBX_CANCELLED,      /* the cancel flag was set */
    MBX_TOO_LARGE,      /* more nodes than the limit or the arrays allow */
    MBX_BAD_GAME,       /* shape or k out of range */
    MBX_ILLEGAL_MOVE,   /* no such move, an occupied cell or a full column */
    MBX_GAME_OVER,      /* a move after the end */
    MBX_BAD_MARK,       /* a cell's value is none of -1, 0, 1 */
    MBX_BAD_COUNTS,     /* the first side has not as many stones as the second, or one more */
    MBX_FLOATING,       /* under gravity: a stone above an empty cell */
    MBX_TWO_WINNERS,    /* both sides have a line */
    MBX_AFTER_WIN,      /* stones were placed after a line was completed */
    MBX_BAD_GRAPH       /* a graph's columns contradict each other */
} mbx_error;

/* Sides, outcomes and the state of a game.  Outcomes index the last axis of every count array. */
enum { MBX_PLAYING = -1, MBX_FIRST = 0, MBX_SECOND = 1, MBX_DRAW = 2, MBX_OUTCOMES = 3 };
enum { MBX_EMPTY = -1 };

enum { MBX_MAX_CELLS = 255 };

/* A caller in another thread sets the byte to stop a long call; NULL: the call cannot be stopped. */
typedef const volatile unsigned char *mbx_cancel;

static inline bool mbx_cancelled(mbx_cancel flag)
{
    return flag != NULL && *flag != 0;
}

#ifdef MBX_DEBUG
#include <assert.h>
#define MBX_ASSERT(condition) assert(condition)
#else
#define MBX_ASSERT(condition) ((void)0)
#endif

#if defined(__GNUC__) || defined(__clang__)
#define MBX_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define MBX_INLINE static __forceinline
#else
#define MBX_INLINE static inline
#endif

#endif
