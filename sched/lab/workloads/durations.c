/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of given durations: those of a profile, those of a load that vt recorded, whose phases are
 * iterations, or drawn for each task from the seed and its number. Run for real they wait, busily. */
#include "sched/lab/profiles/profile_read.h"
#include "sched/lab/profiles/task_data_read.h"
#include "sched/lab/profiles/vt_load.h"
#include "sched/lab/workloads/workload.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/base/random.h"
#include "support/io/words.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct workload_durations {
    struct workload workload; /* first */
    double (*draw)(const struct workload_durations *self, struct random_stream *random);
    double mean, sd;
    struct profile profile;       /* seconds of each task, if there is one */
    struct sparse_profile sparse; /* or of those that are not null */
    struct vt_load recorded;      /* or by iteration */
    double drift;
    int64_t iteration;
    uint64_t seed;
    double scale;
    double speed;
};

/* --- distributions --- */

/* Standard normal.
 * Source: Box, Muller, Ann. Math. Stat. 29 (1958) 610. */
static double draw_normal(struct random_stream *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(2 * M_PI * random_unit(random));
}

/* Replaces negative numbers by 0. */
static double draw_gauss(const struct workload_durations *self, struct random_stream *random)
{
    double x = self->mean + self->sd * draw_normal(random);
    return x > 0 ? x : 0;
}

static double draw_exponential(const struct workload_durations *self, struct random_stream *random)
{
    return -self->mean * log(1 - random_unit(random));
}

/* exp(mu + sigma z) with sigma^2 = log(1 + (sd / mean)^2) and mu = log(mean) -
 * sigma^2 / 2 has this mean and standard deviation. */
static double draw_lognormal(const struct workload_durations *self, struct random_stream *random)
{
    double ratio = self->sd / self->mean;
    double variance = log1p(ratio * ratio);
    return self->mean * exp(sqrt(variance) * draw_normal(random) - variance / 2);
}

/* --- tasks --- */

static double duration_of(const struct workload_durations *self, int64_t task)
{
    if (self->profile.n > 0)
        return self->scale * self->profile.seconds[task];
    if (self->sparse.n_tasks > 0)
        return self->scale * sparse_profile_seconds(&self->sparse, task);
    if (self->recorded.n_tasks > 0)
        return self->scale * vt_load_seconds(&self->recorded, self->iteration, task);
    struct random_stream random;
    random_stream_init(&random, self->seed, (uint64_t)task);
    return self->scale * self->draw(self, &random);
}

/* The product of a factor for each iteration so far, of mean 1. Null tasks have one duration. */
static double drift_of(const struct workload_durations *self, int64_t task)
{
    if (self->drift == 0 || self->iteration == 0 ||
        (self->sparse.n_tasks > 0 && sparse_profile_are_null(&self->sparse, task, task + 1)))
        return 1;
    struct random_stream random;
    /* A stream that neither a duration nor a worker nor the network has. */
    random_stream_init(&random, self->seed, ~(uint64_t)task - 1);
    double logarithm = 0;
    for (int64_t i = 0; i < self->iteration; i++)
        logarithm += self->drift * (draw_normal(&random) - self->drift / 2);
    return exp(logarithm);
}

static double duration_time(int64_t task, const void *record, const void *context)
{
    (void)record;
    return duration_of(context, task) * drift_of(context, task);
}

static bool durations_are_null(int64_t first, int64_t last, const void *context)
{
    const struct workload_durations *self = context;
    return sparse_profile_are_null(&self->sparse, first, last);
}

static int wait_busily(int64_t task, void *context)
{
    const struct workload_durations *self = context;
    double end_s = clock_now_s() + duration_time(task, NULL, self) / self->speed;
    while (clock_now_s() < end_s) {
    }
    return STATUS_OK;
}

/* For --seeding cost, where a cost of 0 has no meaning: what is predicted does not drift. */
static double duration_cost(int64_t task, void *context)
{
    return duration_of(context, task) + 1e-12;
}

static int owner_of_data(int64_t task, int n_workers, void *context)
{
    const struct workload_durations *self = context;
    return task_data_owner(self->workload.data, task, n_workers);
}

static int recorded_owner(int64_t task, int n_workers, void *context)
{
    const struct workload_durations *self = context;
    return (int)(self->recorded.owners[task] % n_workers);
}

static enum status count_iteration(struct workload *workload, MPI_Comm comm)
{
    (void)comm;
    ((struct workload_durations *)workload)->iteration++;
    return STATUS_OK;
}

/* --- creation --- */

static void destroy_durations(struct workload *workload)
{
    struct workload_durations *self = (struct workload_durations *)workload;
    profile_fini(&self->profile);
    sparse_profile_fini(&self->sparse);
    vt_load_fini(&self->recorded);
    task_data_destroy(workload->data);
}

static const struct workload_functions duration_functions = {.end_iteration = count_iteration,
                                                             .destroy = destroy_durations};

static enum status parse_exponential(const char *text, struct workload_durations *self)
{
    if (text_to_reals(text, 1, &self->mean) != 0 || !(self->mean > 0))
        return FAIL(STATUS_USAGE, "--exponential takes the mean, in seconds and above 0, not '%s'",
                    text);
    return STATUS_OK;
}

static enum status parse_mean_sd(const char *option, const char *text,
                                 struct workload_durations *self)
{
    double values[2];
    int wrong = text_to_reals(text, 2, values);
    if (wrong == 0 && !(values[0] > 0 && values[1] >= 0))
        wrong = values[0] > 0 ? 2 : 1;
    if (wrong != 0)
        return FAIL(STATUS_USAGE,
                    "--%s takes the mean, above 0, and the standard deviation, in seconds, such "
                    "as 0.5,0.1: number %d of '%s' is wrong",
                    option, wrong, text);
    self->mean = values[0];
    self->sd = values[1];
    return STATUS_OK;
}

/* Data have an effect on simulated tasks only. */
static bool wants_data(const struct workload_settings *settings)
{
    return settings->n_simulated > 0 && task_data_is_beside(settings->profile);
}

/* The tasks' numbers are read for their data's sake, too. */
static enum status read_task_durations(const struct workload_settings *settings, MPI_Comm comm,
                                       struct workload_durations *self)
{
    struct workload *workload = &self->workload;
    if (settings->n_tasks < 0) {
        TRY(profile_read(comm, settings->profile, wants_data(settings), &self->profile));
        workload->problem.n_tasks = self->profile.n;
        return STATUS_OK;
    }
    workload->are_null = durations_are_null;
    return sparse_profile_init(&self->sparse, comm, settings->profile, settings->n_tasks,
                               settings->null_s);
}

/* Tasks are identified by their position in the profile or, among null tasks, by their numbers. */
static enum status read_durations(const struct workload_settings *settings, MPI_Comm comm,
                                  struct workload_durations *self)
{
    struct workload *workload = &self->workload;
    bool sparse = settings->n_tasks >= 0;
    TRY(read_task_durations(settings, comm, self));
    if (!wants_data(settings))
        return STATUS_OK;
    const struct profile *profile = sparse ? &self->sparse.profile : &self->profile;
    TRY(task_data_read(settings->profile, profile, &workload->data));
    workload->problem.owner = owner_of_data;
    return sparse ? task_data_number(workload->data, profile->tasks) : STATUS_OK;
}

/* Owners are the ranks of the recorded placement, modulo the number of workers. */
static enum status read_recorded(const struct workload_settings *settings, MPI_Comm comm,
                                 struct workload_durations *self)
{
    struct workload *workload = &self->workload;
    if (settings->null_s >= 0)
        return FAIL(STATUS_USAGE, "--null-time has no effect with --profile %s, a load of vt",
                    settings->profile);
    TRY(vt_check_name("profile", settings->profile));
    TRY(vt_load_read(comm, settings->profile, &self->recorded));
    workload->recorded = &self->recorded;
    workload->problem.n_tasks = self->recorded.n_tasks;
    workload->problem.owner = recorded_owner;
    if (settings->n_simulated > 0) {
        workload->data = self->recorded.data;
        self->recorded.data = NULL;
    }
    return STATUS_OK;
}

static enum status choose_durations(const struct workload_settings *settings, MPI_Comm comm,
                                    struct workload_durations *self)
{
    self->workload.problem.n_tasks = settings->n_tasks;
    if (settings->profile)
        return vt_is_name(settings->profile) ? read_recorded(settings, comm, self)
                                             : read_durations(settings, comm, self);
    if (settings->exponential) {
        self->draw = draw_exponential;
        return parse_exponential(settings->exponential, self);
    }
    self->draw = settings->gauss ? draw_gauss : draw_lognormal;
    return settings->gauss ? parse_mean_sd("gauss", settings->gauss, self)
                           : parse_mean_sd("lognormal", settings->lognormal, self);
}

static enum status create_durations(const struct workload_settings *settings, MPI_Comm comm,
                                    struct workload **workload)
{
    struct workload_durations *self = agree_calloc(comm, sizeof *self, "a workload");
    if (!self)
        return STATUS_NO_MEMORY;
    self->workload.functions = &duration_functions;
    self->workload.problem =
        (struct taskpool_problem){.run = wait_busily, .cost = duration_cost, .context = self};
    self->workload.time = duration_time;
    self->seed = (uint64_t)settings->seed;
    self->scale = settings->time_scale;
    self->drift = settings->drift;
    self->speed = settings->speed;
    *workload = &self->workload;
    return choose_durations(settings, comm, self);
}

/* --- kinds --- */

static const struct option_row profile_rows[] = {
    TEXT_OPTION("profile", WORKLOAD_FIELD(profile), .value = "FILE.csv|FILE.npy|FILE.%p.json",
                .help = "tasks of the durations on file: rows task,seconds, an array of doubles, "
                        "or JSON of vt: %p stands for the rank, a phase is an iteration"),
    REAL_OPTION("null-time", WORKLOAD_FIELD(null_s), 0, 1e6, .value = "SECONDS",
                .help = "--profile: duration of null tasks, i.e. tasks that are missing from the "
                        "file, up to --tasks T in all; the others keep their numbers"),
};

static const struct option_row gauss_row =
    TEXT_OPTION("gauss", WORKLOAD_FIELD(gauss), .value = "MEAN,SD",
                .help = "normally distributed durations, seconds; negative ones become 0");

static const struct option_row exponential_row =
    TEXT_OPTION("exponential", WORKLOAD_FIELD(exponential), .value = "MEAN",
                .help = "exponentially distributed durations, seconds");

static const struct option_row lognormal_row =
    TEXT_OPTION("lognormal", WORKLOAD_FIELD(lognormal), .value = "MEAN,SD",
                .help = "log-normally distributed durations with this mean and standard "
                        "deviation, seconds");

const struct workload_kind workload_profile = {
    .rows = profile_rows, .n_rows = 2, .create = create_durations};
const struct workload_kind workload_gauss = {
    .rows = &gauss_row, .n_rows = 1, .is_drawn = true, .create = create_durations};
const struct workload_kind workload_exponential = {
    .rows = &exponential_row, .n_rows = 1, .is_drawn = true, .create = create_durations};
const struct workload_kind workload_lognormal = {
    .rows = &lognormal_row, .n_rows = 1, .is_drawn = true, .create = create_durations};
