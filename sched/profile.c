#include "sched/profile.h"

#include "support/agree.h"
#include "support/gather.h"
#include "support/output_file.h"

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
    struct output_buffer file;
    TRY(output_buffer_init(&file, path));
    qsort(entries, (size_t)n, sizeof *entries, compare_tasks);
    size_t path_length = strlen(path);
    if (path_length >= 4 && strcmp(path + path_length - 4, ".npy") == 0)
        write_npy(file.stream, entries, n);
    else
        write_csv(file.stream, entries, n);
    enum status status = output_buffer_write(&file, path);
    output_buffer_fini(&file);
    return status;
}

/* Copies what is to be kept of the history into kept, which is to be freed with free. */
static enum status select_entries(const struct history *history,
                                  bool (*keep)(int64_t task, void *context), void *context,
                                  struct history_entry **kept, int64_t *n)
{
    *n = 0;
    *kept = malloc(((size_t)history->n_entries + 1) * sizeof **kept);
    if (!*kept)
        return FAIL(STATUS_NO_MEMORY, "no memory for a profile of %lld tasks",
                    (long long)history->n_entries);
    for (int64_t i = 0; i < history->n_entries; i++)
        if (!keep || keep(history->entries[i].task, context))
            (*kept)[(*n)++] = history->entries[i];
    return STATUS_OK;
}

enum status profile_write(MPI_Comm comm, const struct history *history,
                          bool (*keep)(int64_t task, void *context), void *context,
                          const char *path)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    struct history_entry *own;
    struct gather_part part = {.item_size = sizeof *own, .what = "tasks of a profile"};
    void *all = NULL;
    int64_t total;
    enum status status =
        status_agree(comm, select_entries(history, keep, context, &own, &part.n_items));
    part.items = own;
    if (status == STATUS_OK)
        status = gather_to_first(comm, &part, &all, &total);
    if (status == STATUS_OK)
        status = status_agree(comm, rank == 0 ? write_file(all, total, path) : STATUS_OK);
    free(own);
    free(all);
    return status;
}
