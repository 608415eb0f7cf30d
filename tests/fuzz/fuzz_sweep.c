/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/beryl_sched_run.h"
#include "sched/lab/cli/sweep_file.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdbool.h>

/* Files are formats, and targets, of their own. */
static bool names_a_file(const struct beryl_sched_options *options)
{
    return options->workload.profile || options->workload.bnsl || options->pool.speeds ||
           options->machine.file || options->machine.noise_trace;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char program[] = "beryl-sched", option[] = "--sweep";
    char *argv[] = {program, option, (char *)fuzz_mpi_file("sweep.txt", data, size), NULL};
    struct beryl_sched_options common;
    enum option_request request;
    struct sweep_file file;
    assert(beryl_sched_options_parse(3, argv, &common, &request) == STATUS_OK);
    if (sweep_file_read(&common, MPI_COMM_SELF, &file) == STATUS_OK) {
        assert(file.n_runs > 0);
        for (int64_t i = 0; i < file.n_runs; i++) {
            const struct beryl_sched_options *options = &file.runs[i].options;
            assert(options->machine.n_workers > 0);
            if (!names_a_file(options))
                beryl_sched_try(options);
        }
    }
    sweep_file_fini(&file);
    return 0;
}
