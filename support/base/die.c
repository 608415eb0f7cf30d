/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/die.h"

#include "support/base/printable.h"

#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* remedy  the end of the message */
static _Noreturn void end_all(const char *format, va_list arguments, const char *remedy)
{
    fprintf(stderr, "%s: ", program_invocation_short_name);
    printable_vprint(stderr, false, format, arguments);
    fprintf(stderr, "%s\n", remedy);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end_all(format, arguments, "");
}

_Noreturn void die_no_memory(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end_all(format, arguments, ": use fewer processes on the node, or a smaller problem");
}
