/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks with durations from a profile, or drawn for each task from the seed and the task's number.
 * Real runs wait busily for the duration. */
#include "sched/lab/profiles/profile.h"
#include "sched/lab/workloads/workload.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/base/random.h"
#include "support/io/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct workload_durations {
    struct workload workload; /* first */
    double (*draw)(const struct workload_durations *self, struct random_stream *random);
    double mean, sd;
    struct profile profile; /* n is 0: none */
    int64_t iteration;
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
    const double scale = self->workload.settings.time_scale;
    if (self->profile.n > 0)
        return scale * profile_seconds(&self->profile, self->iteration, task);
    struct random_stream random;
    random_stream_init(&random, (uint64_t)self->workload.settings.seed, (uint64_t)task);
    return scale * self->draw(self, &random);
}

/* The product of a factor for each iteration so far, of mean 1. Null tasks have one duration. */
static double drift_of(const struct workload_durations *self, int64_t task)
{
    const double drift = self->workload.settings.drift;
    if (drift == 0 || self->iteration == 0 || profile_are_null(&self->profile, task, task + 1))
        return 1;
    struct random_stream random;
    /* A stream that neither a duration nor a worker nor the network has. */
    random_stream_init(&random, (uint64_t)self->workload.settings.seed, ~(uint64_t)task - 1);
    double logarithm = 0;
    for (int64_t i = 0; i < self->iteration; i++)
        logarithm += drift * (draw_normal(&random) - drift / 2);
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
    return profile_are_null(&self->profile, first, last);
}

static int wait_busily(int64_t task, void *context)
{
    const struct workload_durations *self = context;
    double end_s = clock_now_s() + duration_time(task, NULL, self) / self->workload.settings.speed;
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

/* Where the task ran in its first iteration on file, modulo the number of workers. */
static int recorded_owner(int64_t task, int n_workers, void *context)
{
    const struct workload_durations *self = context;
    return (int)(self->profile.workers[task] % n_workers);
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
    task_data_destroy(workload->data);
}

static enum status parse_distribution(struct workload_durations *self)
{
    const struct workload_settings *settings = &self->workload.settings;
    const bool has_sd = !settings->exponential;
    const char *text = settings->exponential ? settings->exponential
                       : settings->gauss     ? settings->gauss
                                             : settings->lognormal;
    double values[2] = {0};
    int wrong = text_to_reals(text, has_sd ? 2 : 1, values);
    if (wrong == 0 && !(values[0] > 0 && values[1] >= 0))
        wrong = values[0] > 0 ? 2 : 1;
    if (wrong != 0)
        return FAIL(STATUS_USAGE,
                    "--%s takes the mean, above 0%s, in seconds, such as %s: number %d is wrong",
                    self->workload.name, has_sd ? ", and the standard deviation" : "",
                    has_sd ? "0.5,0.1" : "0.5", wrong);
    self->mean = values[0];
    self->sd = values[1];
    self->draw = settings->exponential ? draw_exponential
                 : settings->gauss     ? draw_gauss
                                       : draw_lognormal;
    return STATUS_OK;
}

/* Tasks are identified by their position in the profile or, among null tasks, by their numbers. */
static enum status read_durations(struct workload_durations *self, MPI_Comm comm)
{
    struct workload *workload = &self->workload;
    const struct workload_settings *settings = &workload->settings;
    struct profile *profile = &self->profile;
    const bool has_null_tasks = settings->n_tasks >= 0;
    TRY(profile_read(comm, settings->profile, profile));
    workload->problem.n_tasks = has_null_tasks ? settings->n_tasks : profile->n;
    if (has_null_tasks) {
        TRY(status_agree(comm, profile_add_null_tasks(profile, settings->profile, settings->n_tasks,
                                                      settings->null_s)));
        workload->are_null = durations_are_null;
    }
    if (profile->workers) {
        workload->problem.owner = recorded_owner;
        workload->n_recorded = profile->n_iterations;
    }
    if (settings->n_simulated == 0 || !task_data_is_beside(settings->profile))
        return STATUS_OK; /* data have an effect on simulated tasks only */
    TRY(task_data_read(settings->profile, profile, &workload->data));
    if (!profile->workers)
        workload->problem.owner = owner_of_data;
    return has_null_tasks ? task_data_number(workload->data, profile->tasks) : STATUS_OK;
}

static enum status create_durations(struct workload *workload, MPI_Comm comm)
{
    struct workload_durations *self = (struct workload_durations *)workload;
    const struct workload_settings *settings = &workload->settings;
    workload->problem.run = wait_busily;
    workload->problem.cost = duration_cost;
    workload->problem.n_tasks = settings->n_tasks;
    workload->time = duration_time;
    workload->end_iteration = count_iteration;
    workload->destroy = destroy_durations;
    return settings->profile ? read_durations(self, comm) : parse_distribution(self);
}

/* --- kinds --- */

static const struct option_row profile_rows[] = {
    TEXT_OPTION("profile", WORKLOAD_FIELD(profile), .value = "FILE.csv|FILE.npy",
                .help = "tasks of the durations on file: rows task,seconds, or "
                        "task,seconds,iteration,worker, or an array of doubles; beryl-vt "
                        "translates JSON of vt"),
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

#define DURATIONS(rows_, n_, is_drawn_)                                                            \
    {                                                                                              \
        .rows = (rows_), .n_rows = (n_), .is_drawn = (is_drawn_),                                  \
        .size = sizeof(struct workload_durations), .create = create_durations                      \
    }

const struct workload_kind workload_profile = DURATIONS(profile_rows, 2, false);
const struct workload_kind workload_gauss = DURATIONS(&gauss_row, 1, true);
const struct workload_kind workload_exponential = DURATIONS(&exponential_row, 1, true);
const struct workload_kind workload_lognormal = DURATIONS(&lognormal_row, 1, true);
