/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/data/data_costs.h"

bool data_costs_are_near(const struct taskpool_data_costs *costs, int a, int b)
{
    return costs->node_size == 0 || a / costs->node_size == b / costs->node_size;
}

double data_costs_of_move(const struct taskpool_data_costs *costs, int64_t bytes, bool near)
{
    double latency_s = near ? costs->node_latency_s : costs->latency_s;
    double bandwidth = near ? costs->node_bandwidth : costs->bandwidth;
    return 2 * (costs->overhead_s + latency_s) + (bandwidth > 0 ? (double)bytes / bandwidth : 0);
}

double data_costs_of_access(const struct taskpool_data_costs *costs,
                            const struct taskpool_data_access *access, int worker, int n_workers)
{
    const struct taskpool_data_block *block = &costs->data->blocks[access->block];
    int owner = data_block_owner(block, n_workers);
    if (owner == worker)
        return 0;
    return data_costs_of_move(costs, block->bytes, data_costs_are_near(costs, owner, worker));
}

void data_costs_of_machine(const struct taskpool_machine *machine,
                           struct taskpool_data_costs *costs)
{
    bool levels = machine->has_levels;
    *costs = (struct taskpool_data_costs){
        .data = machine->data,
        .node_size = machine->node_size,
        .latency_s = machine->latency_s,
        .bandwidth = machine->bandwidth,
        .node_latency_s = levels ? machine->node_latency_s : machine->latency_s,
        .node_bandwidth = levels ? machine->node_bandwidth : machine->bandwidth,
        .overhead_s = machine->overhead_s,
        .cache_bytes = machine->cache_bytes,
    };
}
