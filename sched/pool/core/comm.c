/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/comm.h"

#include "support/base/random.h"

void comm_seed_random(struct taskpool_comm *comm, uint64_t seed, uint64_t stream)
{
    struct random_stream random;
    random_stream_init(&random, seed, stream);
    comm->random = random.state;
}

uint64_t taskpool_comm_random_below(struct taskpool_comm *comm, uint64_t bound)
{
    struct random_stream random = {.state = comm->random};
    uint64_t number = random_below(&random, bound);
    comm->random = random.state;
    return number;
}

double taskpool_comm_random_unit(struct taskpool_comm *comm)
{
    struct random_stream random = {.state = comm->random};
    double number = random_unit(&random);
    comm->random = random.state;
    return number;
}
