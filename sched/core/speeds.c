#include "sched/core/speeds.h"

#include "support/base/agree.h"
#include "support/io/text_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The end of the blank or commented text that begins here. */
static const char *skip_blank(const char *text, int *line)
{
    for (;; text++) {
        if (*text == '#')
            text += strcspn(text, "\n");
        if (*text == '\n')
            (*line)++;
        else if (*text == '\0' || !strchr(" \t\r", *text))
            return text;
    }
}

static enum status parse_speeds(const char *path, const char *text, int n_workers, double *speeds)
{
    int line = 1;
    for (int i = 0; i < n_workers; i++) {
        char *end;
        text = skip_blank(text, &line);
        if (*text == '\0')
            return FAIL(STATUS_INPUT, "%s:%d: %d speeds for %d workers", path, line, i, n_workers);
        speeds[i] = strtod(text, &end);
        if (end == text || !(speeds[i] > 0) || !isfinite(speeds[i]))
            return FAIL(STATUS_INPUT, "%s:%d: a speed is a number above 0, not '%.*s'", path, line,
                        (int)strcspn(text, " \t\r\n"), text);
        text = end;
    }
    if (*skip_blank(text, &line) != '\0')
        return FAIL(STATUS_INPUT, "%s:%d: more speeds than the %d workers", path, line, n_workers);
    return STATUS_OK;
}

enum status speeds_read(MPI_Comm comm, const char *path, int n_workers, double **out)
{
    struct text_file file;
    TRY(text_file_read_all(path, comm, &file));
    double *speeds = malloc((size_t)n_workers * sizeof *speeds);
    enum status status = speeds ? parse_speeds(path, file.bytes, n_workers, speeds)
                                : FAIL(STATUS_NO_MEMORY, "no memory for %d speeds", n_workers);
    text_file_fini(&file);
    status = status_agree(comm, status);
    if (status != STATUS_OK)
        free(speeds);
    else
        *out = speeds;
    return status;
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
