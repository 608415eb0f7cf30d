/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/profile_writer.h"

#include "sched/lab/profiles/profile.h"
#include "sched/lab/profiles/task_data_write.h"
#include "support/base/agree.h"

static bool writes_here(const struct profile_writer *writer)
{
    int rank;
    MPI_Comm_rank(writer->comm, &rank);
    return rank == 0;
}

enum status profile_writer_init(struct profile_writer *self, MPI_Comm comm, const char *path,
                                const struct vt_load *load, const struct taskpool_data *data,
                                int n_workers)
{
    *self = (struct profile_writer){.path = path, .comm = comm};
    if (!vt_is_name(path))
        return STATUS_OK;
    return status_agree(comm, writes_here(self) ? vt_writer_create(load, data, n_workers, &self->vt)
                                                : STATUS_OK);
}

void profile_writer_fini(struct profile_writer *self)
{
    vt_writer_destroy(self->vt);
}

enum status profile_writer_add(struct profile_writer *self, const struct taskpool_history *history)
{
    return vt_is_name(self->path) ? vt_writer_add(self->vt, self->comm, history) : STATUS_OK;
}

enum status profile_writer_write(const struct profile_writer *self,
                                 const struct taskpool_history *history)
{
    if (!self->path)
        return STATUS_OK;
    if (vt_is_name(self->path))
        return status_agree(self->comm,
                            writes_here(self) ? vt_writer_write(self->vt, self->path) : STATUS_OK);
    if (writes_here(self))
        task_data_remove(self->path);
    return profile_write(self->comm, history, self->path);
}
