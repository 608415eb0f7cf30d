/* SPDX-License-Identifier: BSD-3-Clause */
/* More processes than cores. */
#ifndef BERYL_SUPPORT_OVERSUBSCRIPTION_H
#define BERYL_SUPPORT_OVERSUBSCRIPTION_H

#include <mpi.h>
#include <stdbool.h>

/* Whether on some node the processes of comm are more than the cores (hardware threads) that they
 * may run on. Other programs on the node are not seen. Collective. */
bool is_oversubscribed(MPI_Comm comm);

#endif
