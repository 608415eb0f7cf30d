/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/signal_notice.h"

#include "support/base/node.h"
#include "support/mpi/shared_memory.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOTICE_SIZE = 1024 };

/* The handler has no other way to its data. A text is complete before it is made the current one,
 * and two are enough: the next is made an iteration later. */
static char texts[2][NOTICE_SIZE];
static _Atomic(const char *) current;
static atomic_bool written_here;
static atomic_bool *written; /* on this node, in shared memory; NULL: the handler is not set */

void signal_notice_write(void)
{
    const char *text = atomic_load(&current);
    if (text && !atomic_exchange(written, true) && write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody listens */
}

/* Calls async-signal-safe functions only. */
static void end_with_notice(int signal_number)
{
    signal_notice_write();
    raise(signal_number); /* SA_RESETHAND has restored the default action */
}

/* The flag that the processes of a node share, for the rest of the run; where there is no shared
 * memory each has its own, and their notices are repetitions. */
static atomic_bool *share_flag(MPI_Comm comm)
{
    MPI_Comm node = node_comm(comm);
    atomic_bool *flag = shared_memory_map(node, sizeof *flag);
    MPI_Comm_free(&node);
    return flag ? flag : &written_here;
}

static void handle_signal(int signal_number)
{
    const struct sigaction notice = {.sa_handler = end_with_notice,
                                     .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
    struct sigaction before;
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(signal_number, &notice, NULL);
}

void signal_notice_set(MPI_Comm comm, const char *format, ...)
{
    char *text = texts[atomic_load(&current) == texts[0]];
    va_list arguments;
    int length = snprintf(text, NOTICE_SIZE, "%s: ", program_invocation_short_name);
    va_start(arguments, format);
    vsnprintf(text + length, (size_t)(NOTICE_SIZE - 1 - length), format, arguments);
    va_end(arguments);
    strcat(text, "\n");
    bool first = !written;
    if (first)
        written = share_flag(comm);
    atomic_store(&current, text);
    if (first) {
        handle_signal(SIGTERM);
        handle_signal(SIGINT);
    }
}
