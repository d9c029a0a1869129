/* rng.h - randomness as a pure function of (seed, row, block), then fast streams.
 *
 * Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011)
 * turns the 128-bit seed (its key) and the counter (block, row, 0, 0) into the 256-bit key of a
 * block of playouts.  From that the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable
 * pseudorandom number generators; 2014) makes the states of as many SFC64 generators (Doty-Humphrey:
 * PractRand; 2010) as the block needs, so blocks may be played in any order.
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

/* Philox's words for one block. */
typedef struct {
    uint64_t word[4];
} mbx_block_key;

/* SFC64. */
typedef struct {
    uint64_t a, b, c, counter;
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

static inline mbx_block_key mbx_key_of_block(mbx_seed seed, uint64_t row, uint64_t block)
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
    return (mbx_block_key){{c[0], c[1], c[2], c[3]}};
}

MBX_INLINE uint64_t mbx_mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* The generator `number` of a block. */
static inline mbx_rng mbx_rng_of_block(const mbx_block_key *key, int number)
{
    const uint64_t step = (uint64_t)number * 0x9E3779B97F4A7C15u;
    return (mbx_rng){.a = mbx_mix(key->word[0] + step),
                     .b = mbx_mix(key->word[1] + step),
                     .c = mbx_mix(key->word[2] + step),
                     .counter = 1};
}

MBX_INLINE uint64_t mbx_rng_next(mbx_rng *rng)
{
    uint64_t result = rng->a + rng->b + rng->counter++;
    rng->a = rng->b ^ rng->b >> 11;
    rng->b = rng->c + (rng->c << 3);
    rng->c = (rng->c << 24 | rng->c >> 40) + result;
    return result;
}

#endif
