/* emulated_avx512.h - AVX-512 by SIMDe (Debian's libsimde-dev), so that its kernel is tested on machines
 * that lack it.
 */
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

/* What version 0.7.4 of SIMDe lacks. */
#if !defined(_mm512_mulhi_epu16)
static inline __m512i emulated_mulhi_epu16(__m512i a, __m512i b)
{
    uint16_t x[32], y[32];
    _mm512_storeu_si512(x, a);
    _mm512_storeu_si512(y, b);
    for (int i = 0; i < 32; i++)
        x[i] = (uint16_t)((uint32_t)x[i] * y[i] >> 16);
    return _mm512_loadu_si512(x);
}
#define _mm512_mulhi_epu16(a, b) emulated_mulhi_epu16(a, b)
#endif
