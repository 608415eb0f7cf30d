/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of --write-profile, whatever its form: of profile.h the last iteration, of vt_write.h
 * all of them. */
#pragma once

#include "sched/lab/profiles/vt_write.h"

struct profile_writer {
    const char *path; /* borrowed; NULL: nothing is written */
    MPI_Comm comm;
    struct vt_writer *vt; /* on process 0, if the form is vt's; else NULL */
};

/* Before the first iteration; load, data and n_workers are those of vt_writer_create. Collective, as the
 * functions below. Errors: STATUS_NO_MEMORY; the same on every process. */
enum status profile_writer_init(struct profile_writer *writer, MPI_Comm comm, const char *path,
                                const struct vt_load *load, const struct taskpool_data *data,
                                int n_workers);
void profile_writer_fini(struct profile_writer *writer);

/* After each iteration. Errors: those of vt_writer_add. */
enum status profile_writer_add(struct profile_writer *writer,
                               const struct taskpool_history *history);

/* Writes the file or files, and removes what an earlier run has left beside them.
 * history  of the last iteration
 * Errors: those of profile_write and vt_writer_write, the same on every process. */
enum status profile_writer_write(const struct profile_writer *writer,
                                 const struct taskpool_history *history);
