/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder for the files of a test program, which goes away with them. */
#pragma once

#include "tests/check.h"

#include <ftw.h>
#include <unistd.h>

static char folder[] = "/tmp/beryl_test.XXXXXX";

/* Valid until the next call. */
static inline const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

static void create_folder(void)
{
    check_begin_mpi();
    assert_non_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    check_end_mpi();
}

TEST_SETUP(create_folder)
TEST_TEARDOWN(remove_folder)
