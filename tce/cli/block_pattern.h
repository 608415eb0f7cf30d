/* Which blocks of a tensor exist, as a picture of bounded size. */
#ifndef BERYL_TCE_BLOCK_PATTERN_H
#define BERYL_TCE_BLOCK_PATTERN_H

#include "support/io/json.h"
#include "tce/execution/program_instance.h"

/* The key `blocks` of a result (RESULTS.md): of the tensor of the program with the most blocks,
 * whose first indices are rows and whose last ones are columns. NULL where no tensor has two
 * indices, or when out of memory. Not collective. */
json_t *block_pattern_to_json(const struct program_instance *instance);

#endif
