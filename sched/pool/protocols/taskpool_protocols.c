/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocols that taskpool/mode.h offers to modes from outside, whose states hold them in opaque
 * storage. */
#include "sched/pool/protocols/stealing.h"
#include "sched/pool/protocols/termination.h"
#include "taskpool/mode.h"

#include <assert.h>

static_assert(sizeof(struct stealing) <= sizeof(struct taskpool_stealing) &&
                  _Alignof(struct stealing) <= _Alignof(struct taskpool_stealing) &&
                  (int)BALANCER_FIRST_KIND >= (int)TASKPOOL_STEALING_KINDS,
              "room for the protocol and its kinds of messages");
static_assert(sizeof(struct termination) <= sizeof(struct taskpool_termination) &&
                  _Alignof(struct termination) <= _Alignof(struct taskpool_termination),
              "room for the protocol");

/* --- stealing --- */

int taskpool_stealing_init(struct taskpool_stealing *stealing,
                           const struct taskpool_mode_setup *setup, struct taskpool_comm *comm)
{
    return stealing_init((struct stealing *)stealing, setup, comm);
}

void taskpool_stealing_begin(struct taskpool_stealing *stealing)
{
    stealing_begin((struct stealing *)stealing, true);
}

int taskpool_stealing_push(struct taskpool_stealing *stealing, struct taskpool_range range)
{
    const struct task_ranges ranges = {.list = &range, .n = 1};
    return stealing_push((struct stealing *)stealing, &ranges);
}

/* --- termination --- */

void taskpool_termination_init(struct taskpool_termination *termination, struct taskpool_comm *comm,
                               int32_t kind)
{
    termination_init((struct termination *)termination, comm, TERMINATION_TREE, kind, comm->rank,
                     comm->size, NULL, NULL);
}

void taskpool_termination_begin(struct taskpool_termination *termination)
{
    termination_begin((struct termination *)termination);
}

void taskpool_termination_count(struct taskpool_termination *termination,
                                enum taskpool_termination_event event)
{
    static void (*const counts[])(struct termination *) = {
        [TASKPOOL_TERMINATION_SENT_TRANSFER] = termination_sent_transfer,
        [TASKPOOL_TERMINATION_RECEIVED_TRANSFER] = termination_received_transfer,
        [TASKPOOL_TERMINATION_SENT_REQUEST] = termination_sent_request,
        [TASKPOOL_TERMINATION_RECEIVED_REQUEST] = termination_received_request,
        [TASKPOOL_TERMINATION_SENT_REFUSAL] = termination_sent_refusal,
        [TASKPOOL_TERMINATION_RECEIVED_REFUSAL] = termination_received_refusal,
    };
    counts[event]((struct termination *)termination);
}

void taskpool_termination_without_work(struct taskpool_termination *termination)
{
    termination_without_work((struct termination *)termination);
}

void taskpool_termination_receive(struct taskpool_termination *termination, const void *message,
                                  bool without_work)
{
    termination_receive((struct termination *)termination, message, without_work);
}

bool taskpool_termination_is_closed(const struct taskpool_termination *termination)
{
    return ((const struct termination *)termination)->closed;
}

bool taskpool_termination_is_finished(const struct taskpool_termination *termination)
{
    return ((const struct termination *)termination)->finished;
}
