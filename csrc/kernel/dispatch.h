/* dispatch.h - which kernels there are, and which of them this machine runs. */
#ifndef MBX_DISPATCH_H
#define MBX_DISPATCH_H

#include "kernel.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define MBX_X86_KERNELS
#elif defined(__GNUC__) && defined(__aarch64__)
#define MBX_NEON_KERNEL
#endif

enum { MBX_MAX_KERNELS = 4 };

/* Writes the kernels that this machine runs, slowest first, "portable" always the first of them;
 * returns their number. */
int mbx_list_kernels(const mbx_kernel *kernels[MBX_MAX_KERNELS]);

/* Writes the names of the machine's instruction sets that matter to kernels; returns their number. */
enum { MBX_MAX_INSTRUCTION_SETS = 12 };
int mbx_list_instruction_sets(const char *names[MBX_MAX_INSTRUCTION_SETS]);

#endif
