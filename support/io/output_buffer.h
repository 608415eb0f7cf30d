/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of a file while they are printed, kept in memory. */
#pragma once

#include "support/base/status.h"

#include <stddef.h>
#include <stdio.h>

struct output_buffer {
    FILE *stream; /* to print to; NULL before init and after write */
    char *bytes;
    size_t length;
};

/* Errors: STATUS_NO_MEMORY, naming the path. */
enum status output_buffer_init(struct output_buffer *buffer, const char *path);

/* Writes what has been printed, as output_file_write does. Ends the printing. */
enum status output_buffer_write(struct output_buffer *buffer, const char *path);

/* After init, whether or not it has been written. */
void output_buffer_fini(struct output_buffer *buffer);
