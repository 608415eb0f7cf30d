/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard streams for archives in a shared library, whose code cannot name stdin, stdout and
 * stderr of the C library (cmake/position_independent.py). */
#include <stdio.h>

extern FILE *beryl_archive_stdout, *beryl_archive_stderr;
FILE *beryl_archive_stdout, *beryl_archive_stderr;

__attribute__((constructor)) static void set_archive_streams(void)
{
    beryl_archive_stdout = stdout;
    beryl_archive_stderr = stderr;
}
