/* What a member and the leader of a group in mode hybrid have in common, see
 * mode_hybrid.c; and the leader: the member that keeps the queue of the group and
 * hands out its tasklets. */
#ifndef BERYL_SCHED_MODE_HYBRID_PRIVATE_H
#define BERYL_SCHED_MODE_HYBRID_PRIVATE_H

#include "sched/core/mode.h"
#include "sched/queues/task_ranges.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum hybrid_kind {
    HYBRID_RANGES,  /* member to leader: its tasks that are not static */
    HYBRID_REQUEST, /* member to leader */
    HYBRID_GRANT,   /* leader to member: a tasklet; of no ranges: there is none left */
};

struct hybrid_message {
    int32_t kind;   /* enum hybrid_kind */
    int32_t member; /* the sender or, with a grant, who ran the tasklet last */
    int64_t n_ranges;
    struct task_range ranges[];
};

struct hybrid_settings {
    double static_fraction; /* of a worker's tasks */
    int64_t tasklets;       /* of a worker */
    int64_t group;          /* workers that share a queue; 0: those of a node */
    bool skew;              /* larger tasklets first */
    bool no_locality;       /* do not prefer what ran here last */
};

/* Members are numbered from 0, the leader, on. */
struct hybrid_group {
    const struct mode_setup *setup; /* borrowed, as comm and settings */
    const struct hybrid_settings *settings;
    struct comm *comm;
    int first_rank; /* groups of a given size: of the leader */
    int n_members;
    int member; /* this worker */
};

int hybrid_rank_of(const struct hybrid_group *group, int member);

struct hybrid_leader;

/* The leader of a group, which is borrowed. It knows of no tasks yet.
 * Errors: STATUS_NO_MEMORY. */
enum status hybrid_leader_create(const struct hybrid_group *group, struct hybrid_leader **leader);
void hybrid_leader_destroy(struct hybrid_leader *leader); /* NULL is fine */

/* A member's tasks that are not static, copied; once for each member, also one that has
 * none and the leader itself. With the last of them the leader answers who has asked. */
void hybrid_leader_take_part(struct hybrid_leader *leader, int member,
                             const struct task_range *ranges, int64_t n_ranges);

/* Whether it has all parts, and so can hand out tasklets. */
bool hybrid_leader_is_ready(const struct hybrid_leader *leader);

/* Another member's request: is granted a tasklet, when the leader is ready. */
void hybrid_leader_take_request(struct hybrid_leader *leader, int member);

/* Of a leader that is ready: takes a tasklet for a member and appends its ranges to a
 * list, none if nothing is left. Who ran it last. */
int hybrid_leader_take_tasklet(struct hybrid_leader *leader, int member,
                               struct task_ranges *ranges);

/* Whether every other member knows that nothing is left. */
bool hybrid_leader_has_told_all(const struct hybrid_leader *leader);

/* Begins the next iteration, with the same tasklets. */
void hybrid_leader_begin(struct hybrid_leader *leader);

/* Tasks of the group that are not static: all, and those handed out in this iteration; 0
 * unless it is ready. */
int64_t hybrid_leader_n_tasks(const struct hybrid_leader *leader);
int64_t hybrid_leader_n_taken(const struct hybrid_leader *leader);

#endif
