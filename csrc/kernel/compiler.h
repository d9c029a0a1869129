/* compiler.h - what the kernels ask of the compiler; the first thing that a stub includes. */
#if defined(__GNUC__) && !defined(__clang__)
/* GCC would regroup the ORs over all lines of a board, and spill what it then holds at once. */
#pragma GCC optimize("no-tree-reassoc")
#endif

#include "../core/base.h"
