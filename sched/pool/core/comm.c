/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/comm.h"

#include "sched/pool/core/driver.h"
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

/* The text of a failure that a mode gives none: its name, the function and the status. */
#define MODE_NO_TEXT "mode %s: %s returned %d without a text: call taskpool_fail there"

enum status driver_init_mode(const struct taskpool_mode *mode,
                             const struct taskpool_mode_setup *setup, struct taskpool_comm *comm,
                             void *memory, void **state)
{
    int64_t n_failures = status_n_failures();
    enum status status = (enum status)mode->init(memory, setup, comm);
    TRY(status_explain(status, n_failures, MODE_NO_TEXT, mode->name, "init", (int)status));
    *state = memory;
    if (mode->seed && setup->problem->record_size == 0)
        status = (enum status)mode->seed(memory);
    return status_explain(status, n_failures, MODE_NO_TEXT, mode->name, "seed", (int)status);
}
