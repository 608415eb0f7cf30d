/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/machine_options.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>

static void use(struct machine_settings *settings)
{
    struct taskpool_machine machine;
    struct taskpool_noise noise = {0};
    machine_options_set_defaults(settings);
    assert(machine_options_apply(settings, &machine, &noise) == STATUS_OK);
    assert(machine.n_workers == 2 && machine.node_size >= 1 && machine.n_threads >= 1);
    assert(machine.latency_s >= 0 && machine.overhead_s >= 0 && machine.counter_s >= 0);
    assert(machine.atomic_s >= 0);
    assert(machine.bandwidth > 0 && isfinite(machine.bandwidth));
}

void fuzz_one(const char *data, size_t size)
{
    struct machine_settings settings = machine_settings_unknown;
    settings.n_workers = 2;
    if (machine_file_read(fuzz_file("machine.json", data, size), MPI_COMM_SELF, &settings) ==
        STATUS_OK)
        use(&settings);
}
