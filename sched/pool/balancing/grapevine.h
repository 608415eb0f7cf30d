/* SPDX-License-Identifier: BSD-3-Clause */
/* The two steps of GrapeVine, the distributed balancer of mode diffusion: workers hear of others
 * with little load, and send tasks there. */
#pragma once

#include "sched/pool/protocols/diffusing.h"
#include "sched/pool/queues/duration_bins.h"
#include "taskpool/mode.h"

/* Gossip: workers tell random others of workers with little load, over several rounds.
 *
 * A worker that has little load sends it to GOSSIP_FAN_OUT random workers, or to all others if they
 * are not more. The receiver of a message of
 * one round adds the loads in it to those that it knows, and sends these to as many workers in the
 * next round, once in each round. The end of all rounds is detected by acknowledgements
 * (diffusing.h).
 *
 * Source: Menon and Kale, SC 2013, section 4 (inform), with two differences. Rounds are not
 * synchronised. A worker remembers the loads of GOSSIP_MAX workers at most, chosen at random from
 * those it receives, because the sets would grow with the number of workers. */

enum { GOSSIP_MAX = 64, GOSSIP_FAN_OUT = 2 };

struct gossip_load {
    int32_t worker;
    float load_s;
};

struct gossip_message {
    int32_t kind;  /* the user's: distinguishes these messages from its own */
    int32_t round; /* from 1 */
    int64_t n;
    struct gossip_load loads[GOSSIP_MAX]; /* n, by worker; the others are not sent */
};

struct gossip {
    struct taskpool_comm *comm; /* borrowed */
    int32_t kind;
    int64_t
        n_rounds; /* twice as many as would reach all workers if none were reached twice, because
                       * the messages of one round know little of each other */
    int32_t last_round; /* that this worker has sent */
    int n_known;
    struct gossip_load known[GOSSIP_MAX]; /* n_known, by worker */
    struct diffusing end;                 /* finished: no message is on its way or will be */
};

/* kind, end_kind  of this user's messages of struct gossip_message and struct diffusing_message */
void gossip_init(struct gossip *gossip, struct taskpool_comm *comm, int32_t kind, int32_t end_kind);

/* Begins a phase, in which nothing is known. */
void gossip_begin(struct gossip *gossip);

/* This worker has little load, and says so; at most once in a phase, before
 * diffusing_without_work of `end`. */
void gossip_tell(struct gossip *gossip, double load_s);

/* A message arrived. */
void gossip_receive(struct gossip *gossip, int from, const struct gossip_message *message);

/* Transfer: workers above a limit send their shortest tasks to workers that they know, by gossip,
 * to have little load.
 *
 * A receiver is chosen with a probability in proportion to its known gap to the limit, if the task
 * fits into the gap. Several senders may choose one receiver: it returns tasks that would lift
 * it above the limit, and the sender tries others. The end is detected by
 * acknowledgements (diffusing.h).
 *
 * Source: Menon and Kale, SC 2013, section 4; receivers that refuse are an addition. */

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

/* bins  tasks of this worker, which loses and receives some */
void transfer_init(struct transfer *transfer, struct gossip *gossip, struct duration_bins *bins,
                   int32_t first_kind);

/* Begins a phase, before any of its messages arrives. */
void transfer_begin(struct transfer *transfer);

/* Sends what this worker has above the limit; to be called after each event from the end of the
 * gossip on. Whether no task is on its way any more. */
bool transfer_is_finished(struct transfer *transfer);

/* A message of one of its kinds arrived. */
void transfer_receive(struct transfer *transfer, int from, const struct transfer_message *message);
