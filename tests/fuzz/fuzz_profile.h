/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles, whose two formats are targets of their own. */
#pragma once

#include "sched/lab/profiles/profile_read.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>

static inline void fuzz_check_profile(const char *path, bool numbered)
{
    struct profile profile;
    if (profile_read(MPI_COMM_SELF, path, numbered, &profile) != STATUS_OK)
        return;
    assert(profile.n > 0 && (profile.tasks != NULL) == numbered);
    for (int64_t i = 0; i < profile.n; i++) {
        assert(isfinite(profile.seconds[i]) && profile.seconds[i] >= 0);
        if (numbered)
            assert(profile.tasks[i] >= 0 && (i == 0 || profile.tasks[i] > profile.tasks[i - 1]));
    }
    profile_fini(&profile);
}

static inline void fuzz_profile(const char *path)
{
    enum { N_TASKS = 1000000 };
    struct sparse_profile sparse;
    fuzz_check_profile(path, false);
    fuzz_check_profile(path, true);
    if (sparse_profile_init(&sparse, MPI_COMM_SELF, path, N_TASKS, 0.5) != STATUS_OK)
        return;
    assert(!sparse_profile_are_null(&sparse, 0, N_TASKS));
    assert(sparse_profile_seconds(&sparse, N_TASKS - 1) >= 0);
    sparse_profile_fini(&sparse);
}
