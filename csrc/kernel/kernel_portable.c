/* kernel_portable.c - the playout kernel for any machine. */
#include "compiler.h"

#include <string.h>

#include "vector_portable.h"

#if defined(__GNUC__) && !defined(MBX_PLAIN_C)
typedef uint64_t word __attribute__((vector_size(16)));
#define UNITS 2
#else
typedef uint64_t word;
#define UNITS 1
#endif
#define word_rotate24(x) ((x) << 24 | (x) >> 40)

#include "free_body.h"
#include "gravity_body.h"
#include "sweep_body.h"
#include "columns_body.h"
#include "mcts_body.h"
#include "alphabeta_body.h"

const mbx_kernel mbx_kernel_portable = {"portable", play_free, play_under_gravity, sweep_forward,
                                   sweep_backward, search_tree, search_to_depth, column_methods};
