/* sweep_body.h - the passes of sweep.h, block by block; compiled once for each instruction set.
 *
 * A block works column by column: for each, all its positions and their children (parents) at once, by
 * one mapping of ranks.  The loops over a run of the mapping are plain and become vector code.
 */
#include "sweep_numbers.h"

#include "sweep_forward.h"

#include "sweep_backward.h"
