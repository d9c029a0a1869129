/* kernel_neon.c - the playout kernel for NEON. */
#include "compiler.h"

#include "dispatch.h"

#if defined(MBX_NEON_KERNEL)
#include "vector_neon.h"

typedef uint64_t word __attribute__((vector_size(16)));
#define UNITS 2
#define word_rotate24(x) ((word)vec_rotate24((vec)(x)))

#include "free_body.h"
#include "gravity_body.h"
#include "sweep_body.h"
#include "columns_body.h"
#include "mcts_body.h"
#include "alphabeta_body.h"

const mbx_kernel mbx_kernel_neon = {"neon", play_free, play_under_gravity, sweep_forward,
                                   sweep_backward, search_tree, search_to_depth, column_methods};
#endif
