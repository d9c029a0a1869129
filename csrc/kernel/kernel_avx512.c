/* kernel_avx512.c - the playout kernel for AVX-512.
 * flags: -mavx512f -mavx512bw -mavx512dq -mavx512vl -mpopcnt -mprefer-vector-width=512
 */
#include "compiler.h"

#include "dispatch.h"

#if defined(MBX_X86_KERNELS)
#include "vector_avx512.h"

typedef uint64_t word __attribute__((vector_size(64)));
#define UNITS 8
#define word_rotate24(x) ((word)vec_rotate24((vec)(x)))

#include "free_body.h"
#include "gravity_body.h"
#include "sweep_body.h"
#include "columns_body.h"
#include "mcts_body.h"
#include "alphabeta_body.h"

const mbx_kernel mbx_kernel_avx512 = {"avx512", play_free, play_under_gravity, sweep_forward,
                                   sweep_backward, search_tree, search_to_depth, column_methods};
#endif
