#define _GNU_SOURCE /* program_invocation_short_name */

#include "support/mpi/link_watch.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Seconds: between two looks; without an answer until a link is lost; of an idle connection until
 * the first probe, and between probes. So many probes that TCP itself does not give up first: Open
 * MPI would close the connection and wait for ever. */
enum { LOOK_S = 2, LOST_S = 30, IDLE_S = 10, PROBE_S = 5, N_PROBES = 100 };

/* Probes or repeated packets without an answer: none after a machine was suspended. */
enum { LEAST_UNANSWERED = 3 };

static void nap(double seconds)
{
    struct timespec rest = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        continue;
}

/* The address, without the port, as text; whether there is one of the Internet. */
static bool write_host(const struct sockaddr_storage *address, socklen_t size, char *text)
{
    return (address->ss_family == AF_INET || address->ss_family == AF_INET6) &&
           getnameinfo((const struct sockaddr *)address, size, text, INET6_ADDRSTRLEN, NULL, 0,
                       NI_NUMERICHOST) == 0;
}

/* Whether the descriptor is a connection to another host, whose address it writes. */
static bool leads_to_host(int descriptor, char *host)
{
    struct sockaddr_storage own, peer;
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    char own_host[INET6_ADDRSTRLEN];
    return getpeername(descriptor, (struct sockaddr *)&peer, &peer_size) == 0 &&
           getsockname(descriptor, (struct sockaddr *)&own, &own_size) == 0 &&
           write_host(&peer, peer_size, host) && write_host(&own, own_size, own_host) &&
           strcmp(host, own_host) != 0;
}

static void let_probe(int descriptor)
{
    const int yes = 1, idle_s = IDLE_S, probe_s = PROBE_S, n_probes = N_PROBES;
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &probe_s, sizeof probe_s);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &n_probes, sizeof n_probes);
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
}

static bool is_lost(int descriptor)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
           info.tcpi_state == TCP_ESTABLISHED && info.tcpi_last_ack_recv > LOST_S * 1000 &&
           info.tcpi_probes + info.tcpi_retransmits >= LEAST_UNANSWERED;
}

/* Looks at all connections; whether one is lost, and then to which host. */
static bool find_lost_link(char *host)
{
    DIR *descriptors = opendir("/proc/self/fd");
    bool lost = false;
    for (struct dirent *entry; !lost && descriptors && (entry = readdir(descriptors));) {
        int descriptor = (int)strtol(entry->d_name, NULL, 10);
        if (!leads_to_host(descriptor, host))
            continue;
        let_probe(descriptor);
        lost = is_lost(descriptor);
    }
    if (descriptors)
        closedir(descriptors);
    return lost;
}

/* Whether the process is Open MPI's launcher. */
static bool is_launcher(pid_t process)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "orted"};
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)process);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(name, sizeof name, file))
        name[0] = '\0';
    if (file)
        fclose(file);
    name[strcspn(name, "\n")] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* At SIGTERM the launcher ends its own processes and then waits for the lost host: no longer than
 * this. Runs in a process of its own, which the launcher does not know. */
static void end_launcher(pid_t launcher)
{
    pid_t caller = getppid();
    setsid();
    nap(3); /* the message reaches the terminal, of a busy machine, too */
    if (is_launcher(launcher) && kill(launcher, SIGTERM) == 0)
        nap(3);
    if (is_launcher(launcher))
        kill(launcher, SIGKILL);
    if (getppid() == caller)
        kill(caller, SIGTERM);
    _exit(0);
}

/* The process that the launcher ends prints what can be saved of the run (signal_notice.h). */
static void end_this_run(void)
{
    pid_t launcher = getppid();
    pid_t helper = is_launcher(launcher) ? fork() : -1;
    if (helper == 0)
        end_launcher(launcher);
    if (helper < 0)
        kill(getpid(), SIGTERM);
}

static void *watch_links(void *argument)
{
    const char *local_rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    char host[INET6_ADDRSTRLEN];
    (void)argument;
    while (!find_lost_link(host))
        nap(LOOK_S);
    /* One message of a node: its first process, where it too noticed, ends the others meanwhile. */
    if (local_rank && strcmp(local_rank, "0") != 0)
        nap(10);
    fprintf(stderr, "%s: no answer from host %s for %d s: the link is lost, and the run ends\n",
            program_invocation_short_name, host, LOST_S);
    end_this_run();
    return NULL;
}

void link_watch_start(void)
{
    pthread_t thread;
    sigset_t all, before;
    /* Signals are for the other threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch_links, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
