/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of seconds per task of a Fock build, and the tiles that each task reads and writes. */
#pragma once

#include "hf/fock/fock_build.h"
#include "support/base/status.h"

/* Writes the seconds of every non-null task, by fock_tasks_id (sched/lab/profiles/profile.h), and next
 * to a CSV the tiles that each reads and writes (task_data.h there). Collective. Errors: STATUS_IO,
 * STATUS_NO_MEMORY. */
enum status hf_profile_write(const struct fock_profile *profile, const char *path);
