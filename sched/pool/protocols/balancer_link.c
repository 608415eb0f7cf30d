/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/balancer_link.h"

#include "support/base/die.h"

#include <stdlib.h>

void balancer_send(struct balancer_link *link, int to, const struct balancer_message *head,
                   const void *items, size_t item_size)
{
    struct taskpool_comm_message message = {
        .head = head, .head_size = sizeof *head, .token = BALANCER_TOKEN};
    if (head->n > 0) {
        message.bulk = items;
        message.bulk_size = (size_t)head->n * item_size;
        link->n_incomplete++;
    }
    taskpool_comm_send_bulk(link->comm, to, &message);
}

void *balancer_allocate(int64_t n, size_t item_size)
{
    void *items = calloc((size_t)n + 1, item_size);
    if (!items)
        die_no_memory("no memory to balance %lld tasks", (long long)n);
    return items;
}
