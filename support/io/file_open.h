/* SPDX-License-Identifier: BSD-3-Clause */
/* Files are opened without waiting. To open a named pipe waits for its other end, perhaps forever,
 * so it is refused; pipes that a shell makes (`... |`, `<(...)`, `>(...)`) are files like others.
 */
#pragma once

#include "support/base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* open(path, access), access O_RDONLY or O_WRONLY. Negative on failure, with errno: ESPIPE where it
 * is a named pipe. */
int file_open(const char *path, int access);

/* The words for errno after file_open. */
const char *file_open_error(void);

/* Whether there is a named pipe. */
bool file_is_named_pipe(const char *path);

/* Opens a file for reading. Errors: STATUS_IO, naming the path and the reason. */
enum status file_open_stream(const char *path, FILE **stream);
