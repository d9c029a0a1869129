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

enum { MBX_MAX_CELLS = 255, MBX_NO_MOVE = 255 };

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

/* MBX_UNROLL: before a loop of constant length, which then leaves no loop behind. */
#if defined(__GNUC__) || defined(__clang__)
#define MBX_INLINE static inline __attribute__((always_inline))
#define MBX_NO_INLINE static __attribute__((noinline))
#if defined(__clang__)
#define MBX_UNROLL _Pragma("clang loop unroll(enable)")
#else
#define MBX_UNROLL _Pragma("GCC unroll 32")
#endif
#elif defined(_MSC_VER)
#define MBX_INLINE static __forceinline
#define MBX_NO_INLINE static __declspec(noinline)
#define MBX_UNROLL
#else
#define MBX_INLINE static inline
#define MBX_NO_INLINE static
#define MBX_UNROLL
#endif

/* MBX_ANEW(pointer): the compiler takes what it points to for something new, so that it carries no
 * loaded values over.  In long unrolled code it would keep them all, and spill them. */
#if defined(__GNUC__) || defined(__clang__)
#define MBX_ANEW(pointer) __asm__("" : "+r"(pointer))
#else
#define MBX_ANEW(pointer) ((void)0)
#endif

#if defined(__GNUC__)
#define MBX_PREFETCH(address) __builtin_prefetch(address)
#else
#define MBX_PREFETCH(address) ((void)(address))
#endif

/* MBX_COUNTS_ONES: counting ones is one instruction. */
#if defined(__POPCNT__) || defined(__aarch64__)
#define MBX_COUNTS_ONES
#endif

static inline int mbx_count_ones(uint64_t x)
{
#if defined(MBX_COUNTS_ONES)
    return __builtin_popcountll(x);
#else
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int)(x * 0x0101010101010101u >> 56);
#endif
}

/* The number of the lowest one of x, which is not 0. */
static inline int mbx_lowest_one(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(x);
#else
    return mbx_count_ones((x & (0 - x)) - 1);
#endif
}

#endif
