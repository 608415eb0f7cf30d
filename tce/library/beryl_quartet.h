/* SPDX-License-Identifier: BSD-3-Clause */
/* Electron-repulsion integrals of one quartet of shells. */
#ifndef BERYL_TCE_BERYL_QUARTET_H
#define BERYL_TCE_BERYL_QUARTET_H

#include "basis/integrals/shells.h"
#include "basis/integrals/two_electron.h"
#include "support/base/status.h"

#include <stdint.h>

/* integrals[a][b][c][d] = (ab|cd) over the functions of shells number shell[0] to shell[3];
 * two_electron is one for these shells. Errors: STATUS_NO_MEMORY. */
enum status beryl_quartet_compute(const struct shells *shells, struct two_electron *two_electron,
                                  const int64_t shell[4], double *integrals);

#endif
