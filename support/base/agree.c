/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status status_agree(MPI_Comm comm, enum status own)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int failed_rank = own == STATUS_OK ? size : rank;
    int first;
    MPI_Allreduce(&failed_rank, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size)
        return STATUS_OK;

    struct {
        int code;
        char text[1024], origin[256];
    } failure = {.code = (int)own};
    snprintf(failure.text, sizeof failure.text, "%s", status_text());
    snprintf(failure.origin, sizeof failure.origin, "%s", status_origin());
    MPI_Bcast(&failure, (int)sizeof failure, MPI_BYTE, first, comm);
    FAIL((enum status)failure.code, "%s", failure.text);
    status_set_origin(failure.origin);
    return (enum status)failure.code;
}

void *agree_calloc(MPI_Comm comm, size_t size, const char *what)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    if (status_agree(comm, CHECK_MEMORY(memory, "no memory for %s", what)) == STATUS_OK)
        return memory;
    free(memory);
    return NULL;
}
