/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints with a checksum made anew after each change, so that HDF5 and the readers of its
 * contents see the changes. HDF5 crashes on some files that the checksum would refuse. Here each
 * file is read in a process of its own, and only a crash outside of HDF5 is a finding. */
#include "hf/checkpoint/checkpoint_contents.h"
#include "hf/checkpoint/checkpoint_seal.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char seal[] = "\nBeryl checkpoint, SHA-256 ";
enum { SEAL_BYTES = sizeof seal - 1 + 64 };

/* In the environment of a process that is to crash if it must. */
static const char unguarded[] = "BERYL_FUZZ_UNGUARDED";

static long n_crashes;

static void print_crashes(void)
{
    printf("HDF5 crashed on %ld inputs, in a process of its own\n", n_crashes);
}

static bool is_sealed(const char *data, size_t size)
{
    return size >= SEAL_BYTES && memcmp(data + size - SEAL_BYTES, seal, sizeof seal - 1) == 0;
}

/* In this process: all that is read without a molecule. Ends HDF5 where it could not close the file, so
 * that files do not accumulate. */
static void read_here(const char *path)
{
    struct checkpoint_stream stream;
    struct checkpoint_contents contents;
    struct shells *shells = NULL;
    bool sealed;
    H5dont_atexit();
    if (checkpoint_seal_verify(path, &sealed) != STATUS_OK ||
        checkpoint_stream_open(path, CHECKPOINT_READ, MPI_COMM_SELF, &stream) != STATUS_OK)
        return;
    if (checkpoint_contents_read(&stream, &contents) == STATUS_OK)
        checkpoint_shells_create(path, &contents, &shells);
    shells_destroy(shells);
    checkpoint_contents_fini(&contents);
    checkpoint_stream_close(&stream);
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) > 0)
        H5close();
}

/* Reads the file in a new process whose standard error is the other file; returns whether it
 * crashed. */
static bool crashes(const char *path, const char *report)
{
    int how;
    pid_t child = fork();
    if (child == 0) {
        char *argv[] = {(char *)"fuzz_checkpoint", (char *)path, NULL};
        int file = open(report, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        setenv(unguarded, "1", 1);
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    assert(child > 0 && waitpid(child, &how, 0) == child);
    return !WIFEXITED(how) || WEXITSTATUS(how) != 0;
}

/* Judges the stack of a crash by a sanitizer's report: without where memory came from. */
static void judge_crash(const char *path)
{
    static char text[100000];
    char report[600];
    snprintf(report, sizeof report, "%s.report", path);
    bool crashed = crashes(path, report);
    FILE *file = fopen(report, "r");
    assert(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    unlink(report);
    text[n] = '\0';
    char *memory = strstr(text, "is located");
    if (memory)
        *memory = '\0';
    /* Undefined behaviour is reported without a stack, and only where the sanitizer compiled. */
    bool is_ours = strstr(text, "#0 ") || strstr(text, "runtime error: ");
    if (crashed && is_ours && !strstr(text, "libhdf5")) {
        fputs(text, stderr);
        abort();
    }
    if (crashed && n_crashes++ == 0)
        atexit(print_crashes);
}

void fuzz_one(const char *data, size_t size)
{
    bool mended = is_sealed(data, size);
    const char *path = fuzz_file("c.h5", data, mended ? size - SEAL_BYTES : size);
    if (mended && checkpoint_seal(path) != STATUS_OK)
        return;
    if (getenv(unguarded))
        read_here(path);
    else
        judge_crash(path);
}
