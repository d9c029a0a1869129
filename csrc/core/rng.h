/* rng.h - randomness as a pure function of (seed, row, block), then a fast stream.
 *
 * Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011)
 * turns the 128-bit seed (its key) and the counter (block, row, 0, 0) into the 256-bit state of a
 * xoshiro256++ generator (Blackman, Vigna: Scrambled linear pseudorandom number generators; 2021).
 * One block of playouts draws from one such state, so blocks may be played in any order.
 */
#ifndef MBX_RNG_H
#define MBX_RNG_H

#include "base.h"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

typedef struct {
    uint64_t low, high;
} mbx_seed;

typedef struct {
    uint64_t state[4];
} mbx_rng;

/* The 128-bit product of a and b: returns its low half, writes its high half. */
MBX_INLINE uint64_t mbx_multiply(uint64_t a, uint64_t b, uint64_t *high)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
#elif defined(_MSC_VER) && defined(_M_X64)
    return _umul128(a, b, high);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32);
    uint64_t carry = a0 * b1 + (uint32_t)middle;
    *high = a1 * b1 + (middle >> 32) + (carry >> 32);
    return carry << 32 | (uint32_t)low;
#endif
}

/* The generator of one block.  (Of the states of a seed's 2^128 rows and blocks at most one is all
 * zero, which xoshiro cannot leave; no one will meet it.) */
static inline mbx_rng mbx_rng_of_block(mbx_seed seed, uint64_t row, uint64_t block)
{
    uint64_t c[4] = {block, row, 0, 0};
    uint64_t key[2] = {seed.low, seed.high};
    for (int round = 0; round < 10; round++) {
        uint64_t high0, high1;
        uint64_t low0 = mbx_multiply(0xD2E7470EE14C6C93u, c[0], &high0);
        uint64_t low1 = mbx_multiply(0xCA5A826395121157u, c[2], &high1);
        c[0] = high1 ^ c[1] ^ key[0];
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ key[1];
        c[3] = low0;
        key[0] += 0x9E3779B97F4A7C15u;
        key[1] += 0xBB67AE8584CAA73Bu;
    }
    return (mbx_rng){{c[0], c[1], c[2], c[3]}};
}

MBX_INLINE uint64_t mbx_rotate_left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

MBX_INLINE uint64_t mbx_rng_next(mbx_rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = mbx_rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = mbx_rotate_left(s[3], 45);
    return result;
}

#endif
