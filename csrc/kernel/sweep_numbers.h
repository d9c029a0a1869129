/* sweep_numbers.h - following a mapping of ranks, and the loops over ways for each kind of numbers. */
#include "sweep.h"

/* Does BODY for every rank r of the mapped patterns and the rank i it is mapped to. */
#define FOLLOW(map, n, BODY)                                                       \
    do {                                                                           \
        if ((map)->indices) {                                                      \
            const uint32_t *restrict indices_ = (map)->indices;                    \
            for (size_t r = 0; r < (n); r++) {                                     \
                const size_t i = indices_[r];                                      \
                BODY                                                               \
            }                                                                      \
        } else {                                                                   \
            const mbx_run *run_ = (map)->runs, *end_ = run_ + (map)->n_runs;       \
            for (size_t base_ = 0; run_ < end_; base_ += run_++->length) {         \
                const size_t start_ = run_->start, length_ = run_->length;         \
                for (size_t j_ = 0; j_ < length_; j_++) {                          \
                    const size_t r = base_ + j_, i = start_ + j_;                  \
                    BODY                                                           \
                }                                                                  \
            }                                                                      \
        }                                                                          \
    } while (0)

/* ---- numbers ---------------------------------------------------------------------------------
 *
 * The loops over ways, for each kind of numbers.  NEAR: equal, for doubles within what rounding can do.
 */
#define PASSES(name, type, ZERO, ADD, SUBTRACT, TIMES, LESS, NEAR)                               \
    static void add_##name(const mbx_map *map, size_t n, type *restrict sums,                    \
                           const type *restrict below)                                           \
    {                                                                                            \
        FOLLOW(map, n, sums[r] = ADD(sums[r], below[i]););                                       \
    }                                                                                            \
                                                                                                 \
    static void scale_##name(size_t n, type *sums, uint32_t multiple, int n_open)                \
    {                                                                                            \
        for (size_t r = 0; r < n; r++)                                                           \
            sums[r] = TIMES(sums[r], multiple, n_open);                                          \
    }                                                                                            \
                                                                                                 \
    /* The sums of the parents in play, handed down. */                                          \
    static void hand_down_##name(const mbx_map *map, size_t n, const uint8_t *restrict states,   \
                                 type *restrict sums, const type *restrict above,                \
                                 uint32_t multiple, int n_open)                                  \
    {                                                                                            \
        FOLLOW(map, n, if (states[r] == MBX_IN_PLAY)                                             \
                   sums[i] = ADD(sums[i], TIMES(above[r], multiple, n_open)););                  \
    }                                                                                            \
                                                                                                 \
    static void total_##name(size_t n, const uint8_t *states, const type *sums, type *totals)    \
    {                                                                                            \
        for (int outcome = 0; outcome < MBX_OUTCOMES; outcome++)                                 \
            totals[outcome] = ZERO;                                                              \
        for (size_t r = 0; r < n; r++)                                                           \
            if (states[r] >= MBX_STATE_OVER)                                                     \
                totals[states[r] - MBX_STATE_OVER] =                                             \
                    ADD(totals[states[r] - MBX_STATE_OVER], sums[r]);                            \
    }                                                                                            \
                                                                                                 \
    /* The most wins of any move; then the fewest losses among those moves; then the moves. */   \
    static void most_##name(const mbx_map *map, size_t n, const type *restrict wins,             \
                            type *restrict most)                                                 \
    {                                                                                            \
        FOLLOW(map, n, most[r] = LESS(most[r], wins[i]) ? wins[i] : most[r];);                   \
    }                                                                                            \
    static void fewest_##name(const mbx_map *map, size_t n, const type *restrict wins,           \
                              const type *restrict losses, const type *restrict most,            \
                              type *restrict fewest)                                             \
    {                                                                                            \
        FOLLOW(map, n, if (NEAR(wins[i], most[r]) && LESS(losses[i], fewest[r]))                 \
                   fewest[r] = losses[i];);                                                      \
    }                                                                                            \
    static void choose_##name(const mbx_map *map, size_t n, const type *restrict wins,           \
                              const type *restrict losses, const type *restrict most,            \
                              const type *restrict fewest, double *restrict weights)             \
    {                                                                                            \
        FOLLOW(map, n, weights[r] = NEAR(wins[i], most[r]) && NEAR(losses[i], fewest[r]););      \
    }                                                                                            \
                                                                                                 \
    /* The same for wins - losses, kept above zero by the weight. */                             \
    static void most_score_##name(const mbx_map *map, size_t n, type weight,                     \
                                  const type *restrict wins, const type *restrict losses,        \
                                  type *restrict most)                                           \
    {                                                                                            \
        FOLLOW(map, n, const type score = ADD(wins[i], SUBTRACT(weight, losses[i]));             \
               most[r] = LESS(most[r], score) ? score : most[r];);                               \
    }                                                                                            \
    static void choose_score_##name(const mbx_map *map, size_t n, type weight,                   \
                                    const type *restrict wins, const type *restrict losses,      \
                                    const type *restrict most, double *restrict weights)         \
    {                                                                                            \
        FOLLOW(map, n, const type score = ADD(wins[i], SUBTRACT(weight, losses[i]));             \
               weights[r] = NEAR(score, most[r]););                                              \
    }                                                                                            \
                                                                                                 \
    /* Finished positions give their weight to their outcome: of a side's wins, or of draws. */  \
    static void end_##name(size_t n, const uint8_t *wins, uint8_t mark, type weight,             \
                           type *restrict sums)                                                  \
    {                                                                                            \
        for (size_t r = 0; r < n; r++)                                                           \
            sums[r] = wins[r] == 0 ? sums[r] : wins[r] == mark ? weight : ZERO;                  \
    }                                                                                            \
                                                                                                 \
    static void fill_##name(size_t n, type *sums, type value)                                    \
    {                                                                                            \
        for (size_t r = 0; r < n; r++)                                                           \
            sums[r] = value;                                                                     \
    }

#define PLAIN_ADD(a, b) ((a) + (b))
#define PLAIN_SUBTRACT(a, b) ((a) - (b))
#define PLAIN_LESS(a, b) ((a) < (b))
#define SAME(a, b) ((a) == (b))
#define NARROW_TIMES(a, multiple, n_open) ((a) * ((multiple) ? (multiple) / (uint32_t)(n_open) : 1))
#define WIDE_ZERO ((mbx_wide){0, 0})
#define WIDE_TIMES(a, multiple, n_open)                                                          \
    mbx_wide_times(a, (multiple) ? (multiple) / (uint32_t)(n_open) : 1)
#define DOUBLE_TIMES(a, multiple, n_open) ((multiple) ? (a) / (n_open) : (a))
/* Some 40 additions and divisions, each off by half an ulp at most, are far less than this. */
#define DOUBLE_NEAR(a, b) ((a) - (b) < 0x1p-40 && (b) - (a) < 0x1p-40)

PASSES(narrow, uint64_t, 0, PLAIN_ADD, PLAIN_SUBTRACT, NARROW_TIMES, PLAIN_LESS, SAME)
PASSES(wide, mbx_wide, WIDE_ZERO, mbx_wide_add, mbx_wide_subtract, WIDE_TIMES, mbx_wide_less,
       mbx_wide_equal)
PASSES(double, double, 0.0, PLAIN_ADD, PLAIN_SUBTRACT, DOUBLE_TIMES, PLAIN_LESS, DOUBLE_NEAR)

#define SIZE_OF_NUMBER(number) ((number) == MBX_WIDE ? sizeof(mbx_wide) : sizeof(uint64_t))

#define WITH_NUMBER(number, NARROW_CALL, WIDE_CALL, DOUBLE_CALL)                                 \
    do {                                                                                         \
        if ((number) == MBX_NARROW)                                                              \
            NARROW_CALL;                                                                         \
        else if ((number) == MBX_WIDE)                                                           \
            WIDE_CALL;                                                                           \
        else                                                                                     \
            DOUBLE_CALL;                                                                         \
    } while (0)

static void *entry_of(const void *numbers, mbx_number number, int64_t index)
{
    return (char *)numbers + (size_t)index * SIZE_OF_NUMBER(number);
}
