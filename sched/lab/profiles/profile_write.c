/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/profile.h"

#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/io/output_buffer.h"
#include "support/mpi/gather.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_csv(FILE *stream, const struct taskpool_history_entry *entries, int64_t n)
{
    fputs("task,seconds\n", stream);
    for (int64_t i = 0; i < n; i++)
        fprintf(stream, "%lld,%.9g\n", (long long)entries[i].task, entries[i].time_s);
}

/* NumPy's format, version 1.0: magic, length of the header, header padded with
 * spaces so that the data begin at a multiple of 64 bytes, data.
 * Source: numpy.org, "NEP 1: a simple file format for NumPy arrays". */
static void write_npy(FILE *stream, const struct taskpool_history_entry *entries, int64_t n)
{
    char header[118];
    memset(header, ' ', sizeof header);
    int length =
        snprintf(header, sizeof header,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%lld,), }", (long long)n);
    header[length] = ' ';
    header[sizeof header - 1] = '\n';
    const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof header, 0};
    fwrite(magic, 1, sizeof magic, stream);
    fwrite(header, 1, sizeof header, stream);
    for (int64_t i = 0; i < n; i++) {
        double seconds = entries[i].time_s;
        fwrite(&seconds, sizeof seconds, 1, stream);
    }
}

bool profile_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), ending_length = strlen(ending);
    return length >= ending_length && strcmp(path + length - ending_length, ending) == 0;
}

static bool is_vt_name(const char *path)
{
    return profile_has_ending(path, ".json") || profile_has_ending(path, ".json.br");
}

enum status profile_check_input(const char *path)
{
    if (path && is_vt_name(path))
        return FAIL(STATUS_USAGE,
                    "--profile %s: JSON of vt is translated first: beryl-vt '%s' load.csv, then "
                    "--profile load.csv",
                    path, path);
    return STATUS_OK;
}

enum status profile_check_name(const char *path)
{
    if (!path || profile_has_ending(path, ".csv") || profile_has_ending(path, ".npy") ||
        strncmp(path, "/dev/", strlen("/dev/")) == 0)
        return STATUS_OK;
    if (is_vt_name(path))
        return FAIL(STATUS_USAGE,
                    "--write-profile %s: JSON of vt is translated afterwards: --write-profile "
                    "run.csv, then beryl-vt run.csv '%s'",
                    path, path);
    return FAIL(STATUS_USAGE, "--write-profile %s: the name must end in .csv or .npy", path);
}

static enum status write_file(const struct taskpool_history_entry *entries, int64_t n,
                              const char *path)
{
    struct output_buffer file;
    TRY(output_buffer_init(&file, path));
    if (profile_has_ending(path, ".npy"))
        write_npy(file.stream, entries, n);
    else
        write_csv(file.stream, entries, n);
    enum status status = output_buffer_write(&file, path);
    output_buffer_fini(&file);
    return status;
}

/* The processes' histories on rank 0, in the order of task IDs. */
static enum status gather_history(MPI_Comm comm, const struct taskpool_history *history,
                                  struct taskpool_history_entry **entries, int64_t *n)
{
    const struct gather_part part = {.items = history->entries,
                                     .n_items = history->n_entries,
                                     .item_size = sizeof *history->entries,
                                     .what = "tasks of a profile"};
    void *all;
    TRY(gather_to_first(comm, &part, &all, n));
    *entries = all;
    if (*n > 0)
        qsort(*entries, (size_t)*n, sizeof **entries, array_ascending);
    return STATUS_OK;
}

enum status profile_write(MPI_Comm comm, const struct taskpool_history *history, const char *path)
{
    int rank;
    struct taskpool_history_entry *all;
    int64_t n;
    MPI_Comm_rank(comm, &rank);
    TRY(gather_history(comm, history, &all, &n));
    enum status status = status_agree(comm, rank == 0 ? write_file(all, n, path) : STATUS_OK);
    free(all);
    return status;
}

enum status profile_print_iteration(MPI_Comm comm, const struct taskpool_history *history,
                                    int64_t iteration, FILE *stream)
{
    struct taskpool_history_entry *all;
    int64_t n;
    TRY(gather_history(comm, history, &all, &n));
    if (iteration == 0 && stream)
        fputs("task,seconds,iteration,worker\n", stream);
    for (int64_t i = 0; i < n; i++)
        fprintf(stream, "%lld,%.9g,%lld,%d\n", (long long)all[i].task, all[i].time_s,
                (long long)iteration, (int)all[i].worker);
    free(all);
    return STATUS_OK;
}
