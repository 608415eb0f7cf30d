#include "sched/profile.h"

#include "support/agree.h"
#include "support/output_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_tasks(const void *left, const void *right)
{
    int64_t a = ((const struct history_entry *)left)->task;
    int64_t b = ((const struct history_entry *)right)->task;
    return (a > b) - (a < b);
}

static void write_csv(FILE *stream, const struct history_entry *entries, int64_t n)
{
    fputs("task,seconds\n", stream);
    for (int64_t i = 0; i < n; i++)
        fprintf(stream, "%lld,%.9g\n", (long long)entries[i].task, entries[i].time_s);
}

/* NumPy's format, version 1.0: magic, length of the header, header padded with
 * spaces so that the data begin at a multiple of 64 bytes, data.
 * Source: numpy.org, "NEP 1: a simple file format for NumPy arrays". */
static void write_npy(FILE *stream, const struct history_entry *entries, int64_t n)
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

static enum status write_file(struct history_entry *entries, int64_t n, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return FAIL(STATUS_NO_MEMORY, "%s: no memory for its contents", path);
    qsort(entries, (size_t)n, sizeof *entries, compare_tasks);
    size_t path_length = strlen(path);
    if (path_length >= 4 && strcmp(path + path_length - 4, ".npy") == 0)
        write_npy(stream, entries, n);
    else
        write_csv(stream, entries, n);
    enum status status = STATUS_OK;
    if (fclose(stream) != 0)
        status = FAIL(STATUS_NO_MEMORY, "%s: no memory for its contents", path);
    else
        status = output_file_write(path, text, length);
    free(text);
    return status;
}

/* What each process sends to rank 0: counts and offsets there, in entries. */
static enum status count_entries(MPI_Comm comm, int64_t n_own, int *counts, int *offsets,
                                 int64_t *total)
{
    int size;
    MPI_Comm_size(comm, &size);
    *total = n_own;
    MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INT64_T, MPI_SUM, comm);
    if (*total > INT_MAX)
        return FAIL(STATUS_LIMIT, "a profile of %lld tasks; at most %d are possible",
                    (long long)*total, INT_MAX);
    int n = (int)n_own;
    MPI_Allgather(&n, 1, MPI_INT, counts, 1, MPI_INT, comm);
    int offset = 0;
    for (int process = 0; process < size; process++) {
        offsets[process] = offset;
        offset += counts[process];
    }
    return STATUS_OK;
}

static void gather(MPI_Comm comm, const struct history_entry *own, int n_own,
                   struct history_entry *all, const int *counts, const int *offsets)
{
    MPI_Datatype entry;
    MPI_Type_contiguous((int)sizeof *own, MPI_BYTE, &entry);
    MPI_Type_commit(&entry);
    MPI_Gatherv(own, n_own, entry, all, counts, offsets, entry, 0, comm);
    MPI_Type_free(&entry);
}

enum status profile_write(MPI_Comm comm, const struct history *history,
                          bool (*keep)(int64_t task, void *context), void *context,
                          const char *path)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    struct history_entry *own = malloc(((size_t)history->n_entries + 1) * sizeof *own);
    struct history_entry *all = NULL;
    int *counts = malloc(2 * (size_t)size * sizeof *counts);
    enum status status = STATUS_OK;
    if (!own || !counts)
        status = FAIL(STATUS_NO_MEMORY, "%s: no memory for its contents", path);
    status = status_agree(comm, status);
    if (status != STATUS_OK)
        goto done;

    int64_t n_own = 0, total;
    for (int64_t i = 0; i < history->n_entries; i++)
        if (!keep || keep(history->entries[i].task, context))
            own[n_own++] = history->entries[i];
    int *offsets = counts + size;
    status = count_entries(comm, n_own, counts, offsets, &total);
    if (status == STATUS_OK && rank == 0) {
        all = malloc(((size_t)total + 1) * sizeof *all);
        if (!all)
            status = FAIL(STATUS_NO_MEMORY, "%s: no memory for its contents", path);
    }
    status = status_agree(comm, status);
    if (status != STATUS_OK)
        goto done;
    gather(comm, own, (int)n_own, all, counts, offsets);
    if (rank == 0)
        status = write_file(all, total, path);
    status = status_agree(comm, status);
done:
    free(own);
    free(all);
    free(counts);
    return status;
}
