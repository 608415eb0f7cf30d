/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfer: workers above a limit send their shortest tasks to workers that they know, by gossip,
 * to have little load.
 *
 * Each receiver is chosen with a probability in proportion to what it lacks to the limit, if the
 * task does not lift it above as far as the sender knows. A receiver to which several have sent
 * returns what would lift it above the limit, and the sender tries others. The end is detected by
 * acknowledgements (diffusing.h).
 *
 * Source: Menon and Kale, SC 2013, section 4; receivers that refuse are an addition. */
#ifndef BERYL_SCHED_TRANSFER_H
#define BERYL_SCHED_TRANSFER_H

#include "sched/pool/protocols/diffusing.h"
#include "sched/pool/protocols/gossip.h"
#include "sched/pool/queues/duration_bins.h"
#include "taskpool/mode.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of messages, from the user's first_kind on. */
enum transfer_kind {
    TRANSFER_TASKS,  /* to a worker below the average */
    TRANSFER_RETURN, /* the tasks that it has no room for */
    TRANSFER_END
};

/* Head of the messages, and of the user's own. */
struct transfer_message {
    int32_t kind;
    int32_t unused;
    int64_t n;     /* tasks, which follow */
    double load_s; /* the user's */
};

struct transfer {
    struct taskpool_comm *comm; /* borrowed, as gossip and bins */
    struct gossip *gossip;      /* its known loads count what was sent there */
    struct duration_bins *bins;
    int32_t first_kind;
    double limit_s; /* set by the user before transfer_is_finished */
    bool has_donated;
    struct diffusing end;
};

/* bins  tasks of this worker, which lose and receive some */
void transfer_init(struct transfer *transfer, struct gossip *gossip, struct duration_bins *bins,
                   int32_t first_kind);

/* Begins a phase, before any of its messages arrives. */
void transfer_begin(struct transfer *transfer);

/* Sends what this worker has above the limit; to be called after each event from the end of the
 * gossip on. Whether no task is on its way any more. */
bool transfer_is_finished(struct transfer *transfer);

/* A message of one of its kinds arrived. */
void transfer_receive(struct transfer *transfer, int from, const struct transfer_message *message);

#endif
