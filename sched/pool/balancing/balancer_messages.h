/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of the balancer (balancer.h), of its pairs (pairs.h) and of speeds (worker_speed.h): a
 * struct for each kind, which begins with a struct balancer_head. */
#pragma once

#include "sched/pool/core/comm.h"

#include <stdbool.h>
#include <stdint.h>

enum balancer_kind {
    BALANCER_SPEED_REPORT = BALANCER_FIRST_KIND, /* receiver of tasks to their giver */
    BALANCER_LOAD,                               /* to the parent, as donation and outcome */
    BALANCER_AVERAGE,                            /* to a child, as grant and verdict */
    BALANCER_DONATION,
    BALANCER_GRANT,
    BALANCER_OUTCOME,
    BALANCER_VERDICT,
    BALANCER_TAKE,      /* receiver to donor */
    BALANCER_GIVE,      /* donor to receiver */
    BALANCER_PAIR_LOAD, /* to the partner of a round, as the following */
    BALANCER_PAIR_OFFER,
    BALANCER_PAIR_MOVE,
};

/* Work is seconds at speed 1; loads and names with _s are seconds of a worker. */
struct balancer_head {
    int32_t kind; /* enum balancer_kind */
    union {
        int32_t to_node; /* from a parent: 1 to the node that the receiver hosts, 0 to its leaf */
        int32_t child;   /* to a parent: index among the children of the receiver's node */
        int32_t round;   /* between partners */
    };
};

enum { SPEED_REPORT_MOST = 8 };

struct balancer_speed_report {
    struct balancer_head head;
    int32_t n;
    float ratio[SPEED_REPORT_MOST]; /* n tasks: work by the receiver over work by the giver */
};

/* A subtree, or a leaf. */
struct balancer_load {
    struct balancer_head head;
    double work, speed; /* of all workers */
    double max_s;       /* the largest load of one */
    double longest;     /* work of a task */
    double fastest;     /* speed of a worker */
    double rate;        /* typical (worker_speed.h); 0: not known */
};

struct balancer_average {
    struct balancer_head head;
    double average_s;    /* load, if all are even */
    double max_s;        /* the largest load */
    double best_s;       /* the least possible largest one: the average, or the longest task on the
                          * fastest worker */
    double typical_rate; /* of all workers; 0: not known */
    bool repeats;        /* workers send their loads again, by speeds of this rate */
    bool may_move;       /* else the phase ends, unless it repeats */
};

/* A task that a donor gives away. */
struct balancer_task {
    float work;
    int32_t donor;  /* worker */
    uint32_t index; /* among the donor's donated tasks */
};

/* Donation and grant; followed by the tasks. */
struct balancer_tasks {
    struct balancer_head head;
    int64_t n;
    double work; /* donation: what the subtree keeps */
};

struct balancer_outcome_message {
    struct balancer_head head;
    double max_s; /* after all grants */
};

struct balancer_verdict {
    struct balancer_head head;
    bool accepted; /* tasks move */
};

/* Take: followed by n uint32_t, indices of the donor's; give: by the n tasks of a take, in its order, int64_t. */
struct balancer_exchange {
    struct balancer_head head;
    int64_t n;
};

struct pairs_load {
    struct balancer_head head;
    float load_s, speed; /* of the sender */
};

/* Offered, or moved. */
struct pairs_task {
    int64_t task;
    int64_t entry; /* offered: of the bins that it was removed from */
    float work;
    bool ran_at_sender; /* in the last iteration */
};

/* Offer and move; followed by the tasks. */
struct pairs_tasks {
    struct balancer_head head;
    int64_t n;
    uint32_t taken; /* move: bit i: the sender keeps task i of the offer */
};
