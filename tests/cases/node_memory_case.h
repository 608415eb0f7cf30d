/* SPDX-License-Identifier: BSD-3-Clause */
/* The workers of a node and their memory, for tests by hand or with a thread for each. */
#pragma once

#include "taskpool/mode.h"
#include "tests/check.h"

enum { NODE_CASE_WORKERS = 6, NODE_CASE_WORDS = 4000 };

struct node_case {
    int64_t words[NODE_CASE_WORDS];
    int64_t first[NODE_CASE_WORKERS + 1];
    struct taskpool_comm comms[NODE_CASE_WORKERS]; /* of workers 8, 9, ... */
};

static inline bool node_case_swap(struct taskpool_comm *comm, int64_t position, int64_t expected,
                                  int64_t desired)
{
    return __atomic_compare_exchange_n(&comm->node_words[position], &expected, desired, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Zeroed before. n_words  NODE_CASE_WORKERS: of each */
static inline void node_case_init(struct node_case *node, const int64_t *n_words)
{
    static const struct taskpool_comm_functions functions = {.word_swap = node_case_swap};
    static const int ranks[NODE_CASE_WORKERS] = {8, 9, 10, 11, 12, 13};
    for (int i = 0; i < NODE_CASE_WORKERS; i++) {
        node->first[i + 1] = node->first[i] + n_words[i];
        node->comms[i] = (struct taskpool_comm){.functions = &functions,
                                                .rank = ranks[i],
                                                .size = 20,
                                                .node_ranks = ranks,
                                                .n_node_ranks = NODE_CASE_WORKERS,
                                                .node_words = node->words,
                                                .node_first = node->first,
                                                .random = (uint64_t)i};
    }
    assert_true(node->first[NODE_CASE_WORKERS] <= NODE_CASE_WORDS);
}
