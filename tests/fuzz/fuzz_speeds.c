/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/speeds.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { N_WORKERS = 3 };

void fuzz_one(const char *data, size_t size)
{
    double *speeds;
    int64_t *sums;
    if (speeds_read(MPI_COMM_SELF, fuzz_file("speeds", data, size), N_WORKERS, &speeds) !=
        STATUS_OK)
        return;
    for (int i = 0; i < N_WORKERS; i++)
        assert(isfinite(speeds[i]) && speeds[i] > 0);
    if (speeds_sum(speeds, N_WORKERS, &sums) == STATUS_OK) {
        for (int i = 0; i < N_WORKERS; i++)
            assert(sums[i + 1] > sums[i]);
        free(sums);
    }
    free(speeds);
}
