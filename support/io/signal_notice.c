#define _GNU_SOURCE /* program_invocation_short_name */

#include "support/io/signal_notice.h"

#include "support/base/die.h"
#include "support/base/node.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NOTICE_SIZE = 1024 };

/* How long the process that wrote the notice lives on, so that others see it: mpirun sends SIGKILL
 * after a second. */
#define SEEN_NS 300000000

/* The handler has no other way to its data. A text is complete before it is made the current one,
 * and two are enough: the next is made an iteration later. */
static char texts[2][NOTICE_SIZE];
static _Atomic(const char *) current;
static long *pids; /* of this node's processes: n_before before this one, n_node in all */
static int n_before, n_node;

void signal_notice_write(void)
{
    const char *text = atomic_load(&current);
    if (text && write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody listens */
}

static bool is_lowest(void)
{
    for (int i = 0; i < n_before; i++)
        if (kill((pid_t)pids[i], 0) == 0 || errno != ESRCH)
            return false;
    return true;
}

/* Calls async-signal-safe functions only. */
static void end_with_notice(int signal_number)
{
    const struct timespec seen = {.tv_nsec = SEEN_NS};
    if (is_lowest()) {
        signal_notice_write();
        if (n_node > 1)
            nanosleep(&seen, NULL);
    }
    raise(signal_number); /* SA_RESETHAND has restored the default action */
}

/* The processes of this node, in the order of their ranks. */
static void list_pids(MPI_Comm comm)
{
    long own = (long)getpid();
    MPI_Comm node = node_comm(comm);
    MPI_Comm_rank(node, &n_before);
    MPI_Comm_size(node, &n_node);
    pids = malloc((size_t)n_node * sizeof *pids);
    if (!pids)
        die_no_memory("no memory for the processes of a node");
    MPI_Allgather(&own, 1, MPI_LONG, pids, 1, MPI_LONG, node);
    MPI_Comm_free(&node);
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
    atomic_store(&current, text);
    if (!pids) {
        list_pids(comm);
        handle_signal(SIGTERM);
        handle_signal(SIGINT);
    }
}
