/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the blocks of data that tasks read and write (task_data.h). */
#pragma once

#include "sched/lab/profiles/profile_read.h"
#include "sched/pool/core/task_data.h"
#include "support/base/status.h"

#include <stdbool.h>

/* The table of blocks, as task data without tasks. Not collective, as all here.
 * Errors: STATUS_IO, STATUS_INPUT (names the line), STATUS_NO_MEMORY; *data is then NULL. */
enum status task_data_read_sizes(const char *path, struct taskpool_data **data);

/* Adds the table of accesses.
 * data     with its blocks
 * profile  numbered: its tasks are those that may occur; data counts them as the profile does, from
 *          0 on in the order of its rows
 * Errors: as above; data has then blocks alone. */
enum status task_data_read_accesses(const char *path, const struct profile *profile,
                                    struct taskpool_data *data);

/* Whether the profile has a table of accesses, X.blocks.csv next to X.csv. */
bool task_data_is_beside(const char *path);

/* Reads both tables of a profile. Errors: as above; *data is then NULL. */
enum status task_data_read(const char *path, const struct profile *profile,
                           struct taskpool_data **data);
