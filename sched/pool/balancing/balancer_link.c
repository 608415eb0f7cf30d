/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/balancer_link.h"

#include "support/base/die.h"

#include <stdlib.h>

void balancer_send(struct balancer_link *link, int to, const void *message, size_t size,
                   const void *bulk, size_t bulk_size)
{
    link->n_incomplete += bulk_size > 0;
    taskpool_comm_send_bulk(link->comm, to,
                            &(struct taskpool_comm_message){.head = message,
                                                            .head_size = size,
                                                            .bulk = bulk_size > 0 ? bulk : NULL,
                                                            .bulk_size = bulk_size,
                                                            .token = BALANCER_TOKEN});
}

void balancer_add_task(struct balancer_link *link, int64_t task, double work, int from,
                       bool ran_there)
{
    int64_t entry = link->bins->n_entries;
    enum status status = duration_bins_add(link->bins, task, work / balancer_speed(link));
    if (status == STATUS_OK && link->own_speed)
        status = worker_speed_note(link->own_speed, task, entry, work, ran_there ? from : -1);
    taskpool_comm_report(link->comm, status);
    link->comm->counts.tasks_moved++;
}

void balancer_note_gave(struct balancer_link *link)
{
    if (link->own_speed)
        worker_speed_gave(link->own_speed);
}

void balancer_note_got(struct balancer_link *link, int from)
{
    if (link->own_speed)
        worker_speed_got(link->own_speed, from);
}

void *balancer_allocate(int64_t n, size_t item_size)
{
    void *items = calloc((size_t)n + 1, item_size);
    if (!items)
        die_no_memory("no memory to balance %lld tasks", (long long)n);
    return items;
}
