/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of mode hybrid (mode_hybrid.c), its groups, and the leader of a group: the member
 * that keeps the queue and hands out the tasklets. */
#pragma once

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"
#include "taskpool/mode.h"

enum hybrid_kind {
    HYBRID_RANGES,  /* member to leader: its tasks that are not static */
    HYBRID_REQUEST, /* member to leader */
    HYBRID_GRANT,   /* leader to member: a tasklet; one of no ranges: none is left */
};

struct hybrid_message {
    int32_t kind;   /* enum hybrid_kind */
    int32_t member; /* the sender; in a grant the member that ran the tasklet last */
    int64_t n_ranges;
    struct taskpool_range ranges[];
};

struct hybrid_settings {
    double static_fraction; /* of a worker's tasks */
    int64_t tasklets;       /* of a worker */
    int64_t group;          /* workers that share a queue; 0: those of a node */
    bool skew;              /* larger tasklets first */
    bool no_locality;       /* do not prefer tasklets that ran here last */
};

/* Members are numbered from 0, the leader, on. */
struct hybrid_group {
    const struct taskpool_mode_setup *setup; /* borrowed, as comm and settings */
    const struct hybrid_settings *settings;
    struct taskpool_comm *comm;
    int first_rank; /* of the leader; for groups of a given size only */
    int n_members;
    int member; /* this worker */
};

int hybrid_rank_of(const struct hybrid_group *group, int member);

struct hybrid_leader;

/* Creates the leader of a group, without tasks. The group is borrowed.
 * Errors: STATUS_NO_MEMORY. */
enum status hybrid_leader_create(const struct hybrid_group *group, struct hybrid_leader **leader);
void hybrid_leader_destroy(struct hybrid_leader *leader); /* NULL is fine */

/* Takes a member's tasks that are not static, copied; once for each member, also without tasks
 * and for the leader itself. After the last the leader answers the waiting requests. */
void hybrid_leader_take_part(struct hybrid_leader *leader, int member,
                             const struct taskpool_range *ranges, int64_t n_ranges);

/* Whether the leader has the tasks of all members, and so can hand out tasklets. */
bool hybrid_leader_is_ready(const struct hybrid_leader *leader);

/* Takes another member's request: grants it a tasklet, as soon as the leader is ready. */
void hybrid_leader_take_request(struct hybrid_leader *leader, int member);

/* Takes a tasklet for a member, when the leader is ready, and appends its ranges to a
 * list, none if no tasklet is left. Returns the member that ran it last. */
int hybrid_leader_take_tasklet(struct hybrid_leader *leader, int member,
                               struct task_ranges *ranges);

/* Whether every other member has been notified that no tasklet is left. */
bool hybrid_leader_has_notified_all(const struct hybrid_leader *leader);

/* Begins the next iteration, with the same tasklets. */
void hybrid_leader_begin(struct hybrid_leader *leader);

/* Numbers of the group's tasks that are not static: all, and those handed out in this
 * iteration; 0 unless the leader is ready. */
int64_t hybrid_leader_n_tasks(const struct hybrid_leader *leader);
int64_t hybrid_leader_n_taken(const struct hybrid_leader *leader);

/* The leader's text in struct taskpool_mode's describe; another thread may be changing the
 * leader. */
void hybrid_leader_describe(const struct hybrid_leader *leader, char *text, size_t size);
