/* alphabeta_body.h - the alpha-beta searches: one source for every instruction set.
 *
 * Start reading at search_node in alphabeta_search.h.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "alphabeta_search.h"
#include "alphabeta_root.h"
