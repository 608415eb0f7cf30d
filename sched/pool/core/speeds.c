/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/speeds.h"

#include "support/base/agree.h"
#include "support/io/text_file.h"

#include <math.h>
#include <stdlib.h>

/* The speeds of a line, after the *n that were read before it. */
static enum status parse_speed_line(const struct line_reader *reader, int n_workers, double *speeds,
                                    int *n)
{
    struct word rest = reader->all, word;
    for (; take_word(&rest, &word); ++*n) {
        if (*n == n_workers)
            return line_reader_fail(reader, "more speeds than the %d workers", n_workers);
        if (!word_to_real(word, &speeds[*n]) || !(speeds[*n] > 0))
            return line_reader_fail(reader, "a speed is a number above 0, not '%s'",
                                    word_show(word).text);
    }
    return STATUS_OK;
}

static enum status parse_speeds(const char *path, const struct text_file *file, int n_workers,
                                double *speeds)
{
    struct line_reader reader;
    int n = 0;
    line_reader_init(&reader, file->bytes, file->length, path, "#");
    while (line_reader_next(&reader))
        TRY(parse_speed_line(&reader, n_workers, speeds, &n));
    if (n < n_workers)
        return line_reader_fail(&reader, "%d speeds for %d workers", n, n_workers);
    return STATUS_OK;
}

enum status speeds_read(MPI_Comm comm, const char *path, int n_workers, double **out)
{
    struct text_file file;
    TRY(text_file_read_all(path, comm, &file));
    double *speeds = malloc((size_t)n_workers * sizeof *speeds);
    enum status status = speeds ? parse_speeds(path, &file, n_workers, speeds)
                                : FAIL(STATUS_NO_MEMORY, "no memory for %d speeds", n_workers);
    text_file_fini(&file);
    status = status_agree(comm, status);
    if (status != STATUS_OK)
        free(speeds);
    else
        *out = speeds;
    return status;
}

enum status speeds_check(MPI_Comm comm, const char *path)
{
    int n_workers;
    double *speeds;
    if (!path || !*path)
        return STATUS_OK;
    MPI_Comm_size(comm, &n_workers);
    TRY(speeds_read(comm, path, n_workers, &speeds));
    free(speeds);
    return STATUS_OK;
}

enum status speeds_sum(const double *speeds, int n_workers, int64_t **out)
{
    int64_t *sums = malloc(((size_t)n_workers + 1) * sizeof *sums);
    if (!sums)
        return FAIL(STATUS_NO_MEMORY, "no memory for %d speeds", n_workers);
    double largest = 0;
    for (int i = 0; i < n_workers; i++)
        largest = fmax(largest, speeds[i]);
    sums[0] = 0;
    for (int i = 0; i < n_workers; i++) {
        int64_t own = (int64_t)(speeds[i] / largest * 0x1p30);
        sums[i + 1] = sums[i] + (own > 0 ? own : 1);
    }
    *out = sums;
    return STATUS_OK;
}
