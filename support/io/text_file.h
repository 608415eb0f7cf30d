/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole text files in memory. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of all input files except profiles of tasks: geometries of 10^5 atoms and basis set
 * libraries stay below. */
enum { TEXT_FILE_MAX_BYTES = 16 * 1024 * 1024 };

struct text_file {
    char *bytes;   /* length bytes and a terminating NUL; owned */
    size_t length; /* without the NUL */
};

/* Reads the file; *file is empty after a failure. Errors, each naming the path: STATUS_IO if it
 * cannot be opened or read, STATUS_INPUT if it is empty, larger than
 * TEXT_FILE_MAX_BYTES or holds a NUL byte (so is not text), STATUS_NO_MEMORY. */
enum status text_file_read(const char *path, struct text_file *file);

/* text_file_read with another limit. */
enum status text_file_read_up_to(const char *path, int64_t max_bytes, struct text_file *file);

/* Reads the file on rank 0 and broadcasts it to all processes of comm; *file is empty after a
 * failure. Collective; all processes return the same status. */
enum status text_file_read_all(const char *path, MPI_Comm comm, struct text_file *file);

void text_file_fini(struct text_file *file);
