/* wide.h - unsigned integers of 128 bits, with or without the compiler's own, and exact quotients.
 *
 * A mbx_wide is stored as two 64-bit halves, the low one first, on every machine.
 */
#ifndef MBX_WIDE_H
#define MBX_WIDE_H

#include "base.h"

#include <math.h>

typedef struct {
    uint64_t low, high;
} mbx_wide;

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 mbx_native_wide;
#endif

static inline mbx_wide mbx_wide_add(mbx_wide a, mbx_wide b)
{
#if defined(__SIZEOF_INT128__)
    mbx_native_wide sum = ((mbx_native_wide)a.high << 64 | a.low)
                          + ((mbx_native_wide)b.high << 64 | b.low);
    return (mbx_wide){(uint64_t)sum, (uint64_t)(sum >> 64)};
#else
    uint64_t low = a.low + b.low;
    return (mbx_wide){low, a.high + b.high + (low < a.low)};
#endif
}

static inline mbx_wide mbx_wide_subtract(mbx_wide a, mbx_wide b)
{
    return (mbx_wide){a.low - b.low, a.high - b.high - (a.low < b.low)};
}

/* a times a factor below 2^32 */
static inline mbx_wide mbx_wide_times(mbx_wide a, uint32_t factor)
{
    uint64_t lowest = (a.low & UINT32_MAX) * factor;
    uint64_t middle = (a.low >> 32) * factor + (lowest >> 32);
    return (mbx_wide){middle << 32 | (lowest & UINT32_MAX), a.high * factor + (middle >> 32)};
}

static inline bool mbx_wide_less(mbx_wide a, mbx_wide b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

static inline bool mbx_wide_equal(mbx_wide a, mbx_wide b)
{
    return a.high == b.high && a.low == b.low;
}

/* ---- quotients, correctly rounded ------------------------------------------------------------
 *
 * The quotient of two integers is computed with some 100 bits, as the sum of two doubles: the
 * numerator times the reciprocal of the denominator.  Only where a tie between two doubles is so near
 * that 100 bits do not decide does a long division follow.  (Dekker, A floating-point technique for
 * extending the available precision, 1971.)
 */

typedef struct {
    double high, low;           /* their unrounded sum; |low| is at most half an ulp of high */
} mbx_double_double;

typedef struct {
    mbx_wide denominator;       /* from 1 to 2^127 - 1 */
    mbx_double_double reciprocal;
} mbx_divisor;

static inline mbx_double_double mbx_two_sum(double larger, double smaller)
{
    double sum = larger + smaller;
    return (mbx_double_double){sum, smaller - (sum - larger)};
}

/* a * b without any error, by halves of 26 bits */
static inline mbx_double_double mbx_two_product(double a, double b)
{
    const double splitter = 134217729.0; /* 2^27 + 1 */
    double a_high = a * splitter - (a * splitter - a), a_low = a - a_high;
    double b_high = b * splitter - (b * splitter - b), b_low = b - b_high;
    double product = a * b;
    return (mbx_double_double){
        product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

static inline mbx_double_double mbx_wide_as_doubles(mbx_wide a)
{
    double high = (double)(a.high >> 11) * 0x1p75; /* bits 127 to 75, each part exact */
    double middle = (double)((a.high & 0x7FF) << 32 | a.low >> 32) * 0x1p32;
    double low = (double)(a.low & UINT32_MAX);
    mbx_double_double top = mbx_two_sum(high, middle);
    mbx_double_double rest = mbx_two_sum(top.low, low);
    mbx_double_double sum = mbx_two_sum(top.high, rest.high);
    sum.low += rest.low;
    return sum;
}

static inline mbx_divisor mbx_divisor_of(mbx_wide denominator)
{
    mbx_double_double d = mbx_wide_as_doubles(denominator);
    double first = 1.0 / d.high;
    mbx_double_double product = mbx_two_product(first, d.high);
    double rest = ((1.0 - product.high) - product.low) - first * d.low;
    return (mbx_divisor){denominator, mbx_two_sum(first, rest / d.high)};
}

/* numerator / denominator by bits, rounded to nearest, ties to even; 0 < numerator < denominator */
static inline double mbx_long_division(mbx_wide numerator, mbx_wide denominator)
{
    int exponent = 0;
    uint64_t quotient = 0;
    mbx_wide rest = numerator;
    while (quotient < 1ull << 53) { /* 53 bits and one more, to round by */
        rest = mbx_wide_add(rest, rest);
        exponent--;
        bool one = !mbx_wide_less(rest, denominator);
        if (one)
            rest = mbx_wide_subtract(rest, denominator);
        quotient = quotient << 1 | one;
    }
    bool exact = rest.low == 0 && rest.high == 0;
    bool up = (quotient & 1) && (!exact || (quotient & 2));
    return ldexp((double)((quotient >> 1) + up), exponent + 1);
}

/* The double nearest to numerator / denominator, which is at most 1. */
static inline double mbx_quotient(mbx_wide numerator, const mbx_divisor *divisor)
{
    mbx_double_double n = mbx_wide_as_doubles(numerator);
    mbx_double_double r = divisor->reciprocal;
    mbx_double_double product = mbx_two_product(n.high, r.high);
    mbx_double_double q = mbx_two_sum(product.high,
                                      product.low + (n.high * r.low + n.low * r.high));
    double doubt = q.high * 0x1p-95;
    double above = q.high + (q.low + doubt), below = q.high + (q.low - doubt);
    if (above == below)
        return above;
    if (!mbx_wide_less(numerator, divisor->denominator))
        return 1.0;
    return mbx_long_division(numerator, divisor->denominator);
}

#endif
