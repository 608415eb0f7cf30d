/* Whether a method fits into memory, checked before the SCF starts. */
#ifndef BERYL_TCE_CORRELATION_MEMORY_H
#define BERYL_TCE_CORRELATION_MEMORY_H

#include "support/base/status.h"
#include "tce/methods/correlation.h"

/* Prints what each process takes and what it may have: the problem's memory_bytes, or an
 * equal share of what its node has. correlation is only planned; orbitals that will turn out
 * dependent are counted. Collective.
 * Errors: STATUS_NO_MEMORY (with these numbers, what is missing, and with how many processes
 * it would fit); the same everywhere. */
enum status correlation_memory_check(const struct correlation *correlation, int diis_size);

#endif
