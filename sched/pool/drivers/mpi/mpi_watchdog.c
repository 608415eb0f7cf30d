/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_watchdog.h"

#include "sched/pool/core/peek.h"
#include "support/base/clock.h"
#include "support/base/die.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Time between the first report on a node and the end of its process: the others report before
 * mpirun ends them. */
#define REPORT_S 1.0

/* A process without a sample for longer than this does not respond: a machine may be busy. */
#define SILENT_S 2.0

/* Sampling interval: at most MAX_SAMPLE_S, and at least SAMPLES_PER_LIMIT per limit. PULSES messages to
 * other nodes per limit. */
#define MAX_SAMPLE_S 0.2
enum { SAMPLES_PER_LIMIT = 20, PULSES = 10 };

/* A sample of a process. */
struct sample {
    int64_t task, n_finished;
    int activity; /* enum pulse_activity */
};

struct mpi_watchdog {
    struct mpi_comm *comm; /* borrowed */
    double limit_s, sample_s;
    struct mpi_pulse pulse;
    void *state; /* space for a copy of the mode's state: the report must not allocate */

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stop; /* under the lock */

    /* Used by the watchdog's thread alone. */
    struct sample sample; /* the last one of this process */
    double since_s;       /* time at which it last changed */
};

static void init_conditions(struct mpi_watchdog *self)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&self->stopped, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&self->lock, NULL);
}

enum status mpi_watchdog_create(struct mpi_comm *comm, double limit_s,
                                struct mpi_watchdog **watchdog)
{
    struct mpi_watchdog *self = calloc(1, sizeof *self);
    void *state = malloc(comm->mode->state_size);
    if (!self || !state)
        die_no_memory("no memory for the watchdog");
    self->comm = comm;
    self->state = state;
    self->limit_s = limit_s;
    self->sample_s = fmin(limit_s / SAMPLES_PER_LIMIT, MAX_SAMPLE_S);
    init_conditions(self);
    enum status status = mpi_pulse_init(&self->pulse, comm->mpi, comm->base.node_ranks,
                                        comm->base.n_node_ranks, limit_s / PULSES);
    if (status == STATUS_OK) {
        comm->pulse = &self->pulse;
        *watchdog = self;
    } else {
        mpi_watchdog_destroy(self);
    }
    return status;
}

void mpi_watchdog_destroy(struct mpi_watchdog *self)
{
    if (!self)
        return;
    mpi_pulse_fini(&self->pulse);
    pthread_cond_destroy(&self->stopped);
    pthread_mutex_destroy(&self->lock);
    free(self->state);
    free(self);
}

/* --- the report --- */

/* Appends to a text of size bytes, cut off at its end. */
static void append_words(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append_words(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* By write(2), not stdio: the thread that hangs may hold the lock of stdio. */
static void print_line(char *text, size_t size)
{
    size_t length = strlen(text);
    if (length > size - 2)
        length = size - 2;
    text[length++] = '\n';
    while (length > 0) {
        ssize_t n = write(STDERR_FILENO, text, length);
        if (n <= 0)
            break;
        text += n;
        length -= (size_t)n;
    }
}

static struct sample take_sample(const struct pulse_slot *slot)
{
    return (struct sample){.task = atomic_load_explicit(&slot->task, memory_order_relaxed),
                           .n_finished =
                               atomic_load_explicit(&slot->n_finished, memory_order_relaxed),
                           .activity = atomic_load_explicit(&slot->activity, memory_order_relaxed)};
}

static bool is_running_task(const struct sample *sample)
{
    return sample->activity == PULSE_TASK || sample->activity == PULSE_RECORD;
}

/* By the state in /proc: no system call reports it for a process that is not a child. Allocates
 * nothing, like all of the report. */
static bool is_stopped(const struct pulse_slot *slot)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)atomic_load(&slot->pid));
    int file = open(path, O_RDONLY);
    ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && strlen(name_end) > 2 && (name_end[2] == 'T' || name_end[2] == 't');
}

static bool is_silent(const struct pulse_slot *slot)
{
    return is_stopped(slot) || clock_now_s() - atomic_load(&slot->looked_s) > SILENT_S;
}

/* Reports on behalf of a process that does not respond. */
static void report_silent(const struct mpi_watchdog *self, int position)
{
    char text[512] = "", host[256] = "";
    const struct pulse_slot *slot = &self->pulse.node->slots[position];
    struct sample seen = take_sample(slot);
    gethostname(host, sizeof host - 1);
    append_words(text, sizeof text, "%s: watchdog: process %d (%s, pid %lld) ",
                 program_invocation_short_name, self->comm->base.node_ranks[position], host,
                 (long long)atomic_load(&slot->pid));
    if (is_stopped(slot))
        append_words(text, sizeof text, "is stopped, by a signal such as SIGSTOP or by a debugger");
    else
        append_words(text, sizeof text, "has not responded for %.1f s",
                     clock_now_s() - atomic_load(&slot->looked_s));
    append_words(text, sizeof text, "; it finished %lld tasks before%s", (long long)seen.n_finished,
                 is_running_task(&seen) ? ", and began another" : "");
    print_line(text, sizeof text);
}

/* Returns how many processes of the node do not respond. */
static int report_all_silent(const struct mpi_watchdog *self)
{
    int n = 0;
    for (int i = 0; i < self->pulse.n_slots; i++)
        if (is_silent(&self->pulse.node->slots[i])) {
            atomic_store(&self->pulse.node->slots[i].reported, true);
            report_silent(self, i);
            n++;
        }
    return n;
}

/* Once on each node: whether it is a long task, a process that does not respond, or a deadlock. */
static void report_verdict(const struct mpi_watchdog *self)
{
    char text[512] = "";
    int n_running = 0, n_silent = report_all_silent(self);
    for (int i = 0; i < self->pulse.n_slots; i++) {
        struct sample sample = take_sample(&self->pulse.node->slots[i]);
        n_running += is_running_task(&sample);
    }
    append_words(text, sizeof text, "%s: watchdog: no task has finished for %g s. ",
                 program_invocation_short_name, self->limit_s);
    if (n_silent > 0)
        append_words(text, sizeof text,
                     "%d of the %d processes of this node %s not respond: the others may wait for "
                     "%s",
                     n_silent, self->pulse.n_slots, n_silent == 1 ? "does" : "do",
                     n_silent == 1 ? "it" : "them");
    else if (n_running > 0)
        append_words(text, sizeof text,
                     "A task runs on %d of the %d processes of this node, so this is no deadlock: "
                     "it takes longer than --watchdog, or does not end",
                     n_running, self->pulse.n_slots);
    else
        append_words(
            text, sizeof text,
            "No task runs on the %d processes of this node: unless one runs, or is stopped, "
            "on another, this is a deadlock of mode %s or of MPI",
            self->pulse.n_slots, self->comm->mode->name);
    print_line(text, sizeof text);
}

static void append_activity(const struct mpi_watchdog *self, char *text, size_t size)
{
    static const char *const words[] = {
        [PULSE_OUTSIDE] = "is between two iterations",
        [PULSE_SCHEDULES] = "is in a function of the mode",
        [PULSE_MESSAGES] = "sends or receives messages",
        [PULSE_SEARCHES] = "runs no task and waits for tasks that it requested",
        [PULSE_WAITS] = "runs no task and waits for others to finish theirs",
        [PULSE_ENDS] = "has finished and waits for the other processes",
    };
    const struct sample *sample = &self->sample;
    if (sample->activity == PULSE_TASK)
        append_words(text, size, "runs task %lld", (long long)sample->task);
    else
        append_words(text, size, "%s",
                     is_running_task(sample) ? "runs a task" : words[sample->activity]);
    append_words(text, size, ", for %.1f s; it finished %lld tasks before",
                 clock_now_s() - self->since_s, (long long)sample->n_finished);
}

static void report_process(const struct mpi_watchdog *self)
{
    char text[1024] = "", host[256] = "";
    const struct taskpool_mode *mode = self->comm->mode;
    int64_t n_sent, n_received;
    gethostname(host, sizeof host - 1);
    append_words(text, sizeof text, "%s: watchdog: process %d (%s, pid %ld) ",
                 program_invocation_short_name, self->comm->base.rank, host, (long)getpid());
    append_activity(self, text, sizeof text);
    peek_bytes(&n_sent, &self->comm->n_sent, sizeof n_sent);
    peek_bytes(&n_received, &self->comm->n_received, sizeof n_received);
    append_words(text, sizeof text,
                 ". Messages: %lld sent, %lld received. Mode %s: ", (long long)n_sent,
                 (long long)n_received, mode->name);
    peek_bytes(self->state, self->comm->state, mode->state_size);
    size_t length = strlen(text);
    if (mode->describe)
        mode->describe(self->state, text + length, sizeof text - length);
    else
        append_words(text, sizeof text, "it does not describe its state");
    print_line(text, sizeof text);
}

static _Noreturn void end_process(void)
{
    /* Lines that were printed before, unless the thread that hangs holds the lock. */
    if (ftrylockfile(stdout) == 0)
        fflush(stdout);
    _exit(1);
}

static _Noreturn void raise_alarm(struct mpi_watchdog *self)
{
    struct timespec pause = {.tv_sec = (time_t)REPORT_S};
    double others_s = self->pulse.n_others > 0 ? self->pulse.interval_s : 0;
    pause.tv_sec += (time_t)ceil(others_s);
    if (!atomic_exchange(&self->pulse.node->alarm, true))
        report_verdict(self);
    if (!atomic_load(&self->pulse.own->reported)) /* mpirun continues a stopped process to end it */
        report_process(self);
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR) {
    }
    end_process();
}

/* --- the thread --- */

static void note_sample(struct mpi_watchdog *self, double now_s)
{
    struct sample sample = take_sample(self->pulse.own);
    const struct sample *before = &self->sample;
    if (sample.activity != before->activity || sample.n_finished != before->n_finished ||
        (sample.activity == PULSE_TASK && sample.task != before->task))
        self->since_s = now_s;
    self->sample = sample;
}

/* Waits for the time of the next sample. Returns false when the watchdog is to stop. */
static bool wait_for_sample(struct mpi_watchdog *self)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += (long)(self->sample_s * 1e9);
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    int error = 0;
    pthread_mutex_lock(&self->lock);
    while (!self->stop && error == 0)
        error = pthread_cond_timedwait(&self->stopped, &self->lock, &at);
    bool stop = self->stop;
    pthread_mutex_unlock(&self->lock);
    return !stop;
}

static void *watch_run(void *argument)
{
    struct mpi_watchdog *self = argument;
    double before_s = clock_now_s(), last_s = before_s, excused_s = 0;
    self->since_s = before_s;
    while (wait_for_sample(self)) {
        double now_s = clock_now_s(), seen_s = mpi_pulse_last_s(&self->pulse);
        pulse_set_look(self->pulse.own, now_s);
        note_sample(self, now_s);
        if (seen_s > last_s)
            excused_s = 0;
        else if (now_s - before_s > 2 * self->sample_s)
            excused_s += now_s - before_s; /* the process was stopped, or the machine */
        last_s = seen_s;
        before_s = now_s;
        if (now_s - last_s - excused_s >= self->limit_s || atomic_load(&self->pulse.node->alarm))
            raise_alarm(self);
    }
    return NULL;
}

void mpi_watchdog_begin(struct mpi_watchdog *self)
{
    sigset_t all, before;
    self->stop = false;
    mpi_pulse_begin(&self->pulse);
    /* Signals are for the thread that runs tasks. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&self->thread, NULL, watch_run, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        die("cannot start the thread of --watchdog");
}

void mpi_watchdog_end(struct mpi_watchdog *self)
{
    mpi_pulse_end(&self->pulse);
    pthread_mutex_lock(&self->lock);
    self->stop = true;
    pthread_cond_signal(&self->stopped);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
}
