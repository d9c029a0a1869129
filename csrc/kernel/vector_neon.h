/* vector_neon.h - 16 byte lanes by NEON. */
#ifndef __aarch64__
#error "for 64-bit ARM"
#endif

#include <arm_neon.h>

typedef uint8x16_t vec;
enum { LANES = 16 };

#define AS16(a) vreinterpretq_u16_u8(a)
#define AS64(a) vreinterpretq_u64_u8(a)
#define FROM16(a) vreinterpretq_u8_u16(a)
#define FROM64(a) vreinterpretq_u8_u64(a)

MBX_INLINE vec vec_splat(int x) { return vdupq_n_u8((uint8_t)x); }
MBX_INLINE vec vec_splat16(int x) { return FROM16(vdupq_n_u16((uint16_t)x)); }
MBX_INLINE vec vec_load(const void *p) { return vld1q_u8(p); }
MBX_INLINE void vec_store(void *p, vec a) { vst1q_u8(p, a); }
MBX_INLINE vec vec_and(vec a, vec b) { return vandq_u8(a, b); }
MBX_INLINE vec vec_or(vec a, vec b) { return vorrq_u8(a, b); }
MBX_INLINE vec vec_xor(vec a, vec b) { return veorq_u8(a, b); }
MBX_INLINE vec vec_and_not(vec a, vec b) { return vbicq_u8(a, b); }
MBX_INLINE vec vec_add(vec a, vec b) { return vaddq_u8(a, b); }
MBX_INLINE vec vec_subtract(vec a, vec b) { return vsubq_u8(a, b); }
MBX_INLINE vec vec_min(vec a, vec b) { return vminq_u8(a, b); }
MBX_INLINE vec vec_max(vec a, vec b) { return vmaxq_u8(a, b); }
MBX_INLINE vec vec_equal(vec a, vec b) { return vceqq_u8(a, b); }
MBX_INLINE vec vec_select(vec mask, vec a, vec b) { return vbslq_u8(mask, a, b); }
MBX_INLINE vec vec_grow(vec t, vec r) { return vsubq_u8(t, vcgeq_u8(t, r)); }
#define VEC_LOOKUP
MBX_INLINE vec vec_lookup(const uint8_t *table, vec index) { return vqtbl1q_u8(vld1q_u8(table), index); }

/* There is no instruction for it: the top bit of each byte goes to its place, then sums of pairs. */
MBX_INLINE uint64_t vec_mask(vec a)
{
    static const int8_t PLACES[16] = {-7, -6, -5, -4, -3, -2, -1, 0, -7, -6, -5, -4, -3, -2, -1, 0};
    const vec top = vandq_u8(a, vdupq_n_u8(128));
    const vec bits = vshlq_u8(top, vld1q_s8(PLACES));
    return vaddv_u8(vget_low_u8(bits)) | (uint64_t)vaddv_u8(vget_high_u8(bits)) << 8;
}

MBX_INLINE vec vec_low16(vec a, vec b) { return FROM16(vmulq_u16(AS16(a), AS16(b))); }

MBX_INLINE vec vec_high16(vec a, vec b)
{
    const uint32x4_t low = vmull_u16(vget_low_u16(AS16(a)), vget_low_u16(AS16(b)));
    const uint32x4_t high = vmull_high_u16(AS16(a), AS16(b));
    return FROM16(vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)));
}

MBX_INLINE vec vec_pack16(vec a, vec b) { return vmovn_high_u16(vmovn_u16(AS16(a)), AS16(b)); }
MBX_INLINE vec vec_below16(vec a, vec limit) { return FROM16(vqsubq_u16(AS16(limit), AS16(a))); }
MBX_INLINE bool vec_is_zero(vec a) { return vmaxvq_u8(a) == 0; }

MBX_INLINE vec vec_add64(vec a, vec b) { return FROM64(vaddq_u64(AS64(a), AS64(b))); }
MBX_INLINE vec vec_next64(vec a) { return FROM64(vaddq_u64(AS64(a), vdupq_n_u64(1))); }
MBX_INLINE vec vec_left3(vec a) { return FROM64(vshlq_n_u64(AS64(a), 3)); }
MBX_INLINE vec vec_right11(vec a) { return FROM64(vshrq_n_u64(AS64(a), 11)); }

MBX_INLINE vec vec_rotate24(vec a)
{
    return FROM64(vsliq_n_u64(vshrq_n_u64(AS64(a), 40), AS64(a), 24));
}

#undef AS16
#undef AS64
#undef FROM16
#undef FROM64
