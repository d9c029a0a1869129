/* test_rng.c - published answers of the generators and of the 128-bit product. */
#include "../core/rng.h"
#include "check.h"

void test_rng(void)
{
    /* Random123's known answers of philox4x64-10 for a zero counter and key. */
    const mbx_block_key key = mbx_key_of_block((mbx_seed){0, 0}, 0, 0);
    CHECK(key.word[0] == 0x16554d9eca36314cu);
    CHECK(key.word[1] == 0xdb20fe9d672d0fdcu);
    CHECK(key.word[2] == 0xd7e772cee186176bu);
    CHECK(key.word[3] == 0x7e68b68aec7ba23bu);

    /* SplitMix64's first outputs from the state 0, whose n-th mixes n times its increment. */
    CHECK(mbx_mix(0x9E3779B97F4A7C15u) == 0xE220A8397B1DCDAFu);
    CHECK(mbx_mix(2 * 0x9E3779B97F4A7C15u) == 0x6E789E6AA1B965F4u);

    /* SFC64 as NumPy has it, from the state 1, 2, 3 and the counter 1. */
    mbx_rng rng = {1, 2, 3, 1};
    CHECK(mbx_rng_next(&rng) == 4u);
    CHECK(mbx_rng_next(&rng) == 31u);
    CHECK(mbx_rng_next(&rng) == 452984898u);
    CHECK(mbx_rng_next(&rng) == 7599825428373823u);

    uint64_t high, low = mbx_multiply(UINT64_MAX, UINT64_MAX, &high);
    CHECK(low == 1 && high == UINT64_MAX - 1);
}
