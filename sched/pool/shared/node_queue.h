/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue that a group of workers of a node shares in mode hybrid, in the memory of the node: a
 * member takes tasklets from it by atomic accesses, without an answer of anybody.
 *
 * Each member contributes tasks once for all iterations. There are two kinds of queues:
 * lists  Each member's tasks are cut by themselves, and each member has a list: of its own tasklets
 *        at first, then of those that it ran in the last iteration. It takes from the front of its
 *        list; when that is empty, from the back of the longest one of the group.
 * line   The tasks of all members together are cut into one line of tasklets, larger ones first
 *        with skew, from whose front all take. A line has no memory of who ran what: with larger
 *        tasklets first a member that is late would be left with its own large one.
 *
 * In memory each member has its tasks; the number of tasklets that it has taken in this iteration
 * and in the last one, which is the length of its list; a window, the part of the list that is not
 * taken; and room for as many entries of lists as it contributed tasklets. The lists follow each
 * other in the room of all members. A line has a position, in place of the first member's window.
 */
#pragma once

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"
#include "taskpool/mode.h"

struct node_queue_rules {
    int64_t tasklets; /* of a member, on average; at most NODE_QUEUE_MAX_TASKLETS */
    bool line;        /* else lists */
    bool skew;        /* of a line */
};

/* So that the positions of a group of 4,000 members fit into half a word. */
#define NODE_QUEUE_MAX_TASKLETS 1000000

/* A member's end of the queue. */
struct node_queue {
    struct taskpool_comm *comm; /* borrowed */
    struct node_queue_rules rules;
    int first;                   /* member 0, by its position among the workers of the node */
    int n_members;               /* consecutive ones */
    int member;                  /* this worker */
    int parity;                  /* of the iteration */
    int64_t n_tasks, n_tasklets; /* line: of all members; 0 before the first take */
    struct node_queue_list {
        int64_t *entries; /* n; owned */
        int64_t n, capacity;
    } own, taken; /* lists: this member's in this iteration and in the next one */
};

/* The number of words of a member that contributes these numbers of tasks and ranges. */
int64_t node_queue_n_words(const struct node_queue_rules *rules, int64_t n_tasks, int64_t n_ranges);

/* comm     borrowed; it has memory, with node_queue_n_words of each member
 * ranges   this member's tasks, copied
 * Other members' tasks can be taken when the iteration has begun. Errors: STATUS_NO_MEMORY;
 * node_queue_fini may follow. */
enum status node_queue_init(struct node_queue *queue, struct taskpool_comm *comm,
                            const struct node_queue_rules *rules, int first, int n_members,
                            const struct task_ranges *ranges);
void node_queue_fini(struct node_queue *queue);

/* Takes a tasklet and appends its tasks to a list. An empty queue appends nothing.
 * n_moved  out: of these tasks, those that another member ran last or, in a line, contributed
 * Errors: STATUS_NO_MEMORY. */
enum status node_queue_take(struct node_queue *queue, struct task_ranges *tasks, int64_t *n_moved);

/* Begins the next iteration, when no member takes tasklets of the last one any more. */
void node_queue_begin(struct node_queue *queue);

/* The group's tasks, when the iteration has begun, and the taken fraction of its tasklets. */
int64_t node_queue_n_tasks(const struct node_queue *queue);
double node_queue_fraction_taken(const struct node_queue *queue);
