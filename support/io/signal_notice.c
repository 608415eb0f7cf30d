/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* program_invocation_short_name */

#include "support/io/signal_notice.h"

#include "support/base/node.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

/* A page of shared memory; NULL without. */
static void *map_shared_page(const char *name, int flags)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    int file = shm_open(name, O_RDWR | flags, 0600);
    if (file < 0)
        return NULL;
    void *page = MAP_FAILED;
    /* Taken now: where /dev/shm is full, the first write to a hole would end the process. */
    if ((flags & O_CREAT) == 0 || posix_fallocate(file, 0, (off_t)size) == 0)
        page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return page == MAP_FAILED ? NULL : page;
}

/* The flag that the processes of a node share, for the rest of the run; where there is no shared
 * memory each has its own, and their notices are repetitions. */
static atomic_bool *share_flag(MPI_Comm comm)
{
    char name[64];
    int rank;
    long pid = (long)getpid();
    void *page = NULL;
    MPI_Comm node = node_comm(comm);
    MPI_Comm_rank(node, &rank);
    MPI_Bcast(&pid, 1, MPI_LONG, 0, node);
    snprintf(name, sizeof name, "/beryl-notice-%ld", pid);
    if (rank == 0) {
        shm_unlink(name); /* of a process that was killed here, long ago */
        page = map_shared_page(name, O_CREAT | O_EXCL);
        if (!page)
            shm_unlink(name); /* the others would map a file without the page */
    }
    MPI_Barrier(node);
    if (rank > 0)
        page = map_shared_page(name, 0);
    MPI_Barrier(node);
    if (rank == 0)
        shm_unlink(name);
    MPI_Comm_free(&node);
    return page ? page : &written_here;
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
