/* vector_portable.h - 16 byte lanes in plain C: what the functions vec_... mean.  Bytes of a mask are 0
 * or 255.
 *
 * With GCC and Clang a vector is a type of their own, for which they choose the instructions.
 */
enum { LANES = 16 };

#if defined(__GNUC__) && !defined(MBX_PLAIN_C)

typedef uint8_t vec __attribute__((vector_size(16)));
typedef uint16_t vec16 __attribute__((vector_size(16)));
typedef uint64_t vec64 __attribute__((vector_size(16)));

MBX_INLINE vec vec_splat(int x) { return (vec){0} + (uint8_t)x; }
MBX_INLINE vec vec_splat16(int x) { return (vec)((vec16){0} + (uint16_t)x); }
MBX_INLINE vec vec_and(vec a, vec b) { return a & b; }
MBX_INLINE vec vec_or(vec a, vec b) { return a | b; }
MBX_INLINE vec vec_xor(vec a, vec b) { return a ^ b; }
MBX_INLINE vec vec_and_not(vec a, vec b) { return a & ~b; }
MBX_INLINE vec vec_add(vec a, vec b) { return a + b; }
MBX_INLINE vec vec_subtract(vec a, vec b) { return a - b; }
MBX_INLINE vec vec_equal(vec a, vec b) { return (vec)(a == b); }
MBX_INLINE vec vec_select(vec mask, vec a, vec b) { return (a & mask) | (b & ~mask); }
MBX_INLINE vec vec_low16(vec a, vec b) { return (vec)((vec16)a * (vec16)b); }
MBX_INLINE vec vec_add64(vec a, vec b) { return (vec)((vec64)a + (vec64)b); }
MBX_INLINE vec vec_next64(vec a) { return (vec)((vec64)a + 1); }
MBX_INLINE vec vec_left3(vec a) { return (vec)((vec64)a << 3); }
MBX_INLINE vec vec_right11(vec a) { return (vec)((vec64)a >> 11); }
MBX_INLINE vec vec_rotate24(vec a) { return (vec)((vec64)a << 24 | (vec64)a >> 40); }

/* t + 1 where t >= r; both are below 128. */
MBX_INLINE vec vec_grow(vec t, vec r)
{
    typedef int8_t signed_vec __attribute__((vector_size(16)));
    return t + 1 + (vec)((signed_vec)r > (signed_vec)t);
}

#if defined(__SSE2__) /* part of every 64-bit x86; GCC does not find these by itself */

#include <emmintrin.h>

MBX_INLINE vec vec_min(vec a, vec b) { return (vec)_mm_min_epu8((__m128i)a, (__m128i)b); }
MBX_INLINE vec vec_max(vec a, vec b) { return (vec)_mm_max_epu8((__m128i)a, (__m128i)b); }
MBX_INLINE vec vec_high16(vec a, vec b) { return (vec)_mm_mulhi_epu16((__m128i)a, (__m128i)b); }
MBX_INLINE vec vec_pack16(vec a, vec b) { return (vec)_mm_packus_epi16((__m128i)a, (__m128i)b); }
MBX_INLINE vec vec_below16(vec a, vec limit) { return (vec)_mm_subs_epu16((__m128i)limit, (__m128i)a); }

#else

MBX_INLINE vec vec_min(vec a, vec b) { return vec_select((vec)(a < b), a, b); }
MBX_INLINE vec vec_max(vec a, vec b) { return vec_select((vec)(a > b), a, b); }
MBX_INLINE vec vec_below16(vec a, vec limit) { return (vec)((vec16)a < (vec16)limit); }

/* The high 16 bits of the products of 16-bit lanes. */
MBX_INLINE vec vec_high16(vec a, vec b)
{
    typedef uint32_t vec32 __attribute__((vector_size(32)));
    const vec32 x = __builtin_convertvector((vec16)a, vec32);
    const vec32 y = __builtin_convertvector((vec16)b, vec32);
    return (vec)__builtin_convertvector(x * y >> 16, vec16);
}

/* The 16-bit lanes, all below 256, of a and then of b as bytes. */
MBX_INLINE vec vec_pack16(vec a, vec b)
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

#endif

#else

typedef union {
    uint8_t lane[16];
    uint16_t lane16[8];
    uint64_t lane64[2];
} vec;

#define EACH(type, n, lanes, expression)              \
    vec result;                                       \
    for (int i = 0; i < n; i++)                       \
        result.lanes[i] = (type)(expression);         \
    return result

MBX_INLINE vec vec_splat(int x) { EACH(uint8_t, 16, lane, x); }
MBX_INLINE vec vec_splat16(int x) { EACH(uint16_t, 8, lane16, x); }
MBX_INLINE vec vec_and(vec a, vec b) { EACH(uint64_t, 2, lane64, a.lane64[i] & b.lane64[i]); }
MBX_INLINE vec vec_or(vec a, vec b) { EACH(uint64_t, 2, lane64, a.lane64[i] | b.lane64[i]); }
MBX_INLINE vec vec_xor(vec a, vec b) { EACH(uint64_t, 2, lane64, a.lane64[i] ^ b.lane64[i]); }
MBX_INLINE vec vec_and_not(vec a, vec b) { EACH(uint64_t, 2, lane64, a.lane64[i] & ~b.lane64[i]); }
MBX_INLINE vec vec_add(vec a, vec b) { EACH(uint8_t, 16, lane, a.lane[i] + b.lane[i]); }
MBX_INLINE vec vec_subtract(vec a, vec b) { EACH(uint8_t, 16, lane, a.lane[i] - b.lane[i]); }
MBX_INLINE vec vec_min(vec a, vec b) { EACH(uint8_t, 16, lane, a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]); }
MBX_INLINE vec vec_max(vec a, vec b) { EACH(uint8_t, 16, lane, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]); }
MBX_INLINE vec vec_equal(vec a, vec b) { EACH(uint8_t, 16, lane, a.lane[i] == b.lane[i] ? 255 : 0); }
MBX_INLINE vec vec_select(vec mask, vec a, vec b) { EACH(uint8_t, 16, lane, mask.lane[i] ? a.lane[i] : b.lane[i]); }
MBX_INLINE vec vec_low16(vec a, vec b) { EACH(uint16_t, 8, lane16, (uint32_t)a.lane16[i] * b.lane16[i]); }
MBX_INLINE vec vec_add64(vec a, vec b) { EACH(uint64_t, 2, lane64, a.lane64[i] + b.lane64[i]); }
MBX_INLINE vec vec_next64(vec a) { EACH(uint64_t, 2, lane64, a.lane64[i] + 1); }
MBX_INLINE vec vec_left3(vec a) { EACH(uint64_t, 2, lane64, a.lane64[i] << 3); }
MBX_INLINE vec vec_right11(vec a) { EACH(uint64_t, 2, lane64, a.lane64[i] >> 11); }
MBX_INLINE vec vec_rotate24(vec a) { EACH(uint64_t, 2, lane64, a.lane64[i] << 24 | a.lane64[i] >> 40); }

/* t + 1 where t >= r; both are below 128. */
MBX_INLINE vec vec_grow(vec t, vec r) { EACH(uint8_t, 16, lane, t.lane[i] + (t.lane[i] >= r.lane[i])); }

MBX_INLINE vec vec_high16(vec a, vec b) { EACH(uint16_t, 8, lane16, (uint32_t)a.lane16[i] * b.lane16[i] >> 16); }
MBX_INLINE vec vec_pack16(vec a, vec b) { EACH(uint8_t, 16, lane, i < 8 ? a.lane16[i] : b.lane16[i - 8]); }
MBX_INLINE vec vec_below16(vec a, vec limit) { EACH(uint16_t, 8, lane16, a.lane16[i] < limit.lane16[i]); }

#undef EACH
#endif

MBX_INLINE vec vec_load(const void *p)
{
    vec a;
    memcpy(&a, p, sizeof a);
    return a;
}

MBX_INLINE void vec_store(void *p, vec a)
{
    memcpy(p, &a, sizeof a);
}

/* The top bits of the bytes, the first one lowest. */
MBX_INLINE uint64_t vec_mask(vec a)
{
    uint64_t half[2];
    vec_store(half, a);
    for (int i = 0; i < 2; i++)
        half[i] = (half[i] >> 7 & 0x0101010101010101u) * 0x0102040810204080u >> 56;
    return half[0] | half[1] << 8;
}

MBX_INLINE bool vec_is_zero(vec a)
{
    uint64_t half[2];
    vec_store(half, a);
    return (half[0] | half[1]) == 0;
}
