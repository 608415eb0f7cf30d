/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of the tasks of a load that vt recorded, as blocks that they read (task_data.h). */
#pragma once

#include "sched/lab/profiles/vt_load.h"

/* The blocks that tasks read in their first phases, as vt_load_read says; NULL if there are none. The
 * tasks must be numbered. To be freed with task_data_destroy. Errors: STATUS_NO_MEMORY. */
enum status vt_data_create(const struct vt_load *load, struct taskpool_data **data);
