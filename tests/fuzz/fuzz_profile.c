/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles, whose two formats are targets of their own: FUZZ_FILE has the suffix of one. */
#include "sched/lab/profiles/profile.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>

void fuzz_one(const char *data, size_t size)
{
    enum { N_TASKS = 1000000 };
    const char *path = fuzz_file(FUZZ_FILE, data, size);
    struct profile profile;
    if (profile_read(MPI_COMM_SELF, path, &profile) != STATUS_OK)
        return;
    assert(profile.n > 0 && profile.n_iterations > 0);
    for (int64_t i = 0; i < profile.n; i++) {
        assert(profile.tasks[i] >= 0 && (i == 0 || profile.tasks[i] > profile.tasks[i - 1]));
        assert(!profile.workers || profile.workers[i] >= 0);
        for (int64_t k = 0; k <= profile.n_iterations; k++)
            assert(isfinite(profile_seconds(&profile, k, i)) &&
                   profile_seconds(&profile, k, i) >= 0);
    }
    if (profile_add_null_tasks(&profile, path, N_TASKS, 0.5) == STATUS_OK) {
        assert(!profile_are_null(&profile, 0, N_TASKS));
        assert(profile_seconds(&profile, 0, N_TASKS - 1) >= 0);
        assert(!profile_are_null(&profile, profile.tasks[0], profile.tasks[0] + 1));
    }
    profile_fini(&profile);
}
