/* vector_avx512.h - 64 byte lanes by AVX-512 (F, BW, DQ, VL).
 *
 * MBX_EMULATED: the tests compile it with a header that emulates these instructions, for machines
 * that lack them.
 */
#if defined(MBX_EMULATED)
#include "../test/emulated_avx512.h"
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#include <immintrin.h>
#else
#error "compile with -mavx512f -mavx512bw -mavx512dq"
#endif

typedef __m512i vec;
enum { LANES = 64 };

MBX_INLINE vec vec_splat(int x) { return _mm512_set1_epi8((char)x); }

/* The compiler is not to know the factor: it would multiply by shifts and sums, which are slower. */
MBX_INLINE vec vec_splat16(int x)
{
    vec a = _mm512_set1_epi16((short)x);
#if !defined(MBX_EMULATED)
    __asm__("" : "+v"(a));
#endif
    return a;
}

MBX_INLINE vec vec_load(const void *p) { return _mm512_loadu_si512(p); }
MBX_INLINE void vec_store(void *p, vec a) { _mm512_storeu_si512(p, a); }
MBX_INLINE vec vec_and(vec a, vec b) { return _mm512_and_si512(a, b); }
MBX_INLINE vec vec_or(vec a, vec b) { return _mm512_or_si512(a, b); }
MBX_INLINE vec vec_xor(vec a, vec b) { return _mm512_xor_si512(a, b); }
MBX_INLINE vec vec_and_not(vec a, vec b) { return _mm512_andnot_si512(b, a); }
MBX_INLINE vec vec_add(vec a, vec b) { return _mm512_add_epi8(a, b); }
MBX_INLINE vec vec_subtract(vec a, vec b) { return _mm512_sub_epi8(a, b); }
MBX_INLINE vec vec_min(vec a, vec b) { return _mm512_min_epu8(a, b); }
MBX_INLINE vec vec_max(vec a, vec b) { return _mm512_max_epu8(a, b); }

MBX_INLINE vec vec_equal(vec a, vec b)
{
    return _mm512_movm_epi8(_mm512_cmpeq_epi8_mask(a, b));
}

MBX_INLINE vec vec_select(vec mask, vec a, vec b)
{
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(mask), b, a);
}

MBX_INLINE vec vec_grow(vec t, vec r)
{
    return _mm512_mask_add_epi8(t, _mm512_cmpge_epu8_mask(t, r), t, _mm512_set1_epi8(1));
}

#define VEC_LOOKUP
MBX_INLINE vec vec_lookup(const uint8_t *table, vec index)
{
    const __m128i quarter = _mm_loadu_si128((const void *)table);
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(quarter), index);
}

MBX_INLINE uint64_t vec_mask(vec a) { return _mm512_movepi8_mask(a); }

MBX_INLINE vec vec_low16(vec a, vec b) { return _mm512_mullo_epi16(a, b); }
MBX_INLINE vec vec_high16(vec a, vec b) { return _mm512_mulhi_epu16(a, b); }
MBX_INLINE vec vec_pack16(vec a, vec b) { return _mm512_packus_epi16(a, b); }
MBX_INLINE vec vec_below16(vec a, vec limit) { return _mm512_subs_epu16(limit, a); }
MBX_INLINE bool vec_is_zero(vec a) { return _mm512_test_epi8_mask(a, a) == 0; }

MBX_INLINE vec vec_add64(vec a, vec b) { return _mm512_add_epi64(a, b); }
MBX_INLINE vec vec_next64(vec a) { return _mm512_sub_epi64(a, _mm512_set1_epi64(-1)); }
MBX_INLINE vec vec_left3(vec a) { return _mm512_slli_epi64(a, 3); }
MBX_INLINE vec vec_right11(vec a) { return _mm512_srli_epi64(a, 11); }
MBX_INLINE vec vec_rotate24(vec a) { return _mm512_rol_epi64(a, 24); }
