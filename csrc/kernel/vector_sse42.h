/* vector_sse42.h - 16 byte lanes by SSE4.2. */
#ifndef __SSE4_2__
#error "compile with -msse4.2"
#endif

#include <immintrin.h>

typedef __m128i vec;
enum { LANES = 16 };

MBX_INLINE vec vec_splat(int x) { return _mm_set1_epi8((char)x); }

/* The compiler is not to know the factor: it would multiply by shifts and sums, which are slower. */
MBX_INLINE vec vec_splat16(int x)
{
    vec a = _mm_set1_epi16((short)x);
    __asm__("" : "+x"(a));
    return a;
}

MBX_INLINE vec vec_load(const void *p) { return _mm_loadu_si128(p); }
MBX_INLINE void vec_store(void *p, vec a) { _mm_storeu_si128(p, a); }
MBX_INLINE vec vec_and(vec a, vec b) { return _mm_and_si128(a, b); }
MBX_INLINE vec vec_or(vec a, vec b) { return _mm_or_si128(a, b); }
MBX_INLINE vec vec_xor(vec a, vec b) { return _mm_xor_si128(a, b); }
MBX_INLINE vec vec_and_not(vec a, vec b) { return _mm_andnot_si128(b, a); }
MBX_INLINE vec vec_add(vec a, vec b) { return _mm_add_epi8(a, b); }
MBX_INLINE vec vec_subtract(vec a, vec b) { return _mm_sub_epi8(a, b); }
MBX_INLINE vec vec_min(vec a, vec b) { return _mm_min_epu8(a, b); }
MBX_INLINE vec vec_max(vec a, vec b) { return _mm_max_epu8(a, b); }
MBX_INLINE vec vec_equal(vec a, vec b) { return _mm_cmpeq_epi8(a, b); }
MBX_INLINE vec vec_select(vec mask, vec a, vec b) { return _mm_blendv_epi8(b, a, mask); }

MBX_INLINE vec vec_grow(vec t, vec r)
{
    return _mm_sub_epi8(t, _mm_cmpgt_epi8(t, _mm_add_epi8(r, _mm_set1_epi8(-1))));
}

#define VEC_LOOKUP
MBX_INLINE vec vec_lookup(const uint8_t *table, vec index)
{
    return _mm_shuffle_epi8(_mm_loadu_si128((const void *)table), index);
}

MBX_INLINE uint64_t vec_mask(vec a) { return (uint32_t)_mm_movemask_epi8(a); }

MBX_INLINE vec vec_low16(vec a, vec b) { return _mm_mullo_epi16(a, b); }
MBX_INLINE vec vec_high16(vec a, vec b) { return _mm_mulhi_epu16(a, b); }
MBX_INLINE vec vec_pack16(vec a, vec b) { return _mm_packus_epi16(a, b); }
MBX_INLINE vec vec_below16(vec a, vec limit) { return _mm_subs_epu16(limit, a); }
MBX_INLINE bool vec_is_zero(vec a) { return _mm_testz_si128(a, a); }

MBX_INLINE vec vec_add64(vec a, vec b) { return _mm_add_epi64(a, b); }
MBX_INLINE vec vec_next64(vec a) { return _mm_sub_epi64(a, _mm_set1_epi64x(-1)); }
MBX_INLINE vec vec_left3(vec a) { return _mm_slli_epi64(a, 3); }
MBX_INLINE vec vec_right11(vec a) { return _mm_srli_epi64(a, 11); }

MBX_INLINE vec vec_rotate24(vec a)
{
    return _mm_shuffle_epi8(a, _mm_setr_epi8(5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12));
}
