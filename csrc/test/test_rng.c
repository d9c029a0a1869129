/* test_rng.c - published answers of the two generators and of the 128-bit product. */
#include "../core/rng.h"
#include "check.h"

void test_rng(void)
{
    /* Random123's known answers of philox4x64-10 for a zero counter and key. */
    mbx_rng rng = mbx_rng_of_block((mbx_seed){0, 0}, 0, 0);
    CHECK(rng.state[0] == 0x16554d9eca36314cu);
    CHECK(rng.state[1] == 0xdb20fe9d672d0fdcu);
    CHECK(rng.state[2] == 0xd7e772cee186176bu);
    CHECK(rng.state[3] == 0x7e68b68aec7ba23bu);

    /* The first words of xoshiro256++ from the state 1, 2, 3, 4. */
    rng = (mbx_rng){{1, 2, 3, 4}};
    CHECK(mbx_rng_next(&rng) == 41943041u);
    CHECK(mbx_rng_next(&rng) == 58720359u);
    CHECK(mbx_rng_next(&rng) == 3588806011781223u);
    CHECK(mbx_rng_next(&rng) == 3591011842654386u);

    uint64_t high, low = mbx_multiply(UINT64_MAX, UINT64_MAX, &high);
    CHECK(low == 1 && high == UINT64_MAX - 1);
}
