/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard streams for archives whose code cannot name those of the C library in a shared library
 * (cmake/position_independent.py). */
#include <stdio.h>

extern FILE *beryl_archive_stdout, *beryl_archive_stderr;
FILE *beryl_archive_stdout, *beryl_archive_stderr;

__attribute__((constructor)) static void set_archive_streams(void)
{
    beryl_archive_stdout = stdout;
    beryl_archive_stderr = stderr;
}
