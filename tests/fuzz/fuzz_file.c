/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256], path[512];

/* Functions of the leak sanitizer, where there is one: what is allocated in between is no leak. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void make_folder(void)
{
    const char *within = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/beryl-fuzz-XXXXXX", within ? within : "/dev/shm");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(2);
    }
    atexit(remove_folder);
}

static void stop_mpi(void)
{
    MPI_Finalize();
}

void fuzz_start_mpi(void)
{
    int started;
    MPI_Initialized(&started);
    if (started)
        return;
    make_folder();
    /* One process needs neither a daemon nor other transports. */
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    setenv("OMPI_MCA_btl", "self", 0);
    setenv("HWLOC_COMPONENTS", "-gl", 0);
    /* Such processes have one name for their files, in which they must not meet. */
    setenv("TMPDIR", folder, 1);
    if (__lsan_disable)
        __lsan_disable();
    MPI_Init(NULL, NULL);
    if (__lsan_enable)
        __lsan_enable();
    atexit(stop_mpi);
}

const char *fuzz_file(const char *name, const char *bytes, size_t size)
{
    fuzz_start_mpi();
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path); /* HDF5 knows a file that it has open by its inode */
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size) {
        perror(path);
        exit(2);
    }
    close(file);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    fuzz_one(text, size);
    free(text);
    return 0;
}
