/* Blocks of a contraction's two factors as the matrices that DGEMM is given: those of this
 * process where they lie, others fetched ahead; packed where they do not lie so, and what
 * was fetched or packed kept while a budget allows. */
#ifndef BERYL_TCE_OPERAND_BLOCKS_H
#define BERYL_TCE_OPERAND_BLOCKS_H

#include "support/status.h"
#include "tce/contraction.h"
#include "tce/contraction_tasks.h"

#include <stdint.h>

enum operand { OPERAND_A, OPERAND_B, N_OPERANDS };

struct operand_blocks;

/* tasks     borrowed, with its problem, whose tensors exist and are not written meanwhile
 * settings  with buffers
 * Errors: STATUS_NO_MEMORY. */
enum status operand_blocks_create(const struct contraction_tasks *tasks,
                                  const struct contraction_settings *settings,
                                  struct operand_blocks **blocks);
void operand_blocks_destroy(struct operand_blocks *blocks);

/* Begins to fetch a block that will soon be pinned, unless it is here; one of each operand
 * at a time. */
void operand_blocks_announce(struct operand_blocks *blocks, enum operand operand, int64_t block);

/* The block's matrix, in the order of the operand's layout; stays until it is released.
 * Errors: STATUS_NO_MEMORY. */
enum status operand_blocks_pin(struct operand_blocks *blocks, enum operand operand, int64_t block,
                               const double **matrix);
void operand_blocks_release(struct operand_blocks *blocks, enum operand operand, int64_t block);

#endif
