#include "sched/core/profile_read.h"
#include "sched/workloads/sparse_profile.h"
#include "sched/workloads/workload.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct workload_durations {
    struct workload workload; /* first */
    double (*draw)(const struct workload_durations *self, struct random_stream *random);
    double mean, sd;
    struct profile profile;       /* seconds of each task, if there is one */
    struct sparse_profile sparse; /* or of those that are not null */
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
    return radius * cos(2 * 3.141592653589793 * random_unit(random));
}

/* What would be below 0 is 0. */
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

static double seconds_of(const struct workload_durations *self, int64_t task)
{
    if (self->profile.n > 0)
        return self->scale * self->profile.seconds[task];
    if (self->sparse.n_tasks > 0)
        return self->scale * sparse_profile_seconds(&self->sparse, task);
    struct random_stream random;
    random_stream_init(&random, self->seed, (uint64_t)task);
    return self->scale * self->draw(self, &random);
}

static double simulated_seconds(int64_t task, const void *record, const void *context)
{
    (void)record;
    return seconds_of(context, task);
}

static bool are_null(int64_t first, int64_t last, const void *context)
{
    const struct workload_durations *self = context;
    return sparse_profile_are_null(&self->sparse, first, last);
}

static enum status wait_busily(int64_t task, void *context)
{
    const struct workload_durations *self = context;
    double end_s = clock_now_s() + seconds_of(self, task) / self->speed;
    while (clock_now_s() < end_s) {
    }
    return STATUS_OK;
}

/* For --seeding cost, where a cost of 0 has no meaning. */
static double known_cost(int64_t task, void *context)
{
    return seconds_of(context, task) + 1e-12;
}

/* --- creation --- */

static void destroy(struct workload *workload)
{
    struct workload_durations *self = (struct workload_durations *)workload;
    profile_fini(&self->profile);
    sparse_profile_fini(&self->sparse);
    free(self);
}

static const struct workload_functions functions = {.destroy = destroy};

static enum status parse_exponential(const char *text, struct workload_durations *self)
{
    char after;
    if (sscanf(text, "%lf %c", &self->mean, &after) != 1 || !isfinite(self->mean) ||
        !(self->mean > 0))
        return FAIL(STATUS_USAGE, "--exponential takes the mean, in seconds and above 0, not '%s'",
                    text);
    return STATUS_OK;
}

static enum status parse_mean_sd(const char *option, const char *text,
                                 struct workload_durations *self)
{
    char after;
    if (sscanf(text, "%lf ,%lf %c", &self->mean, &self->sd, &after) != 2 || !isfinite(self->mean) ||
        !isfinite(self->sd) || !(self->mean > 0) || !(self->sd >= 0))
        return FAIL(STATUS_USAGE,
                    "--%s takes the mean, above 0, and the standard deviation, in seconds, such "
                    "as 0.5,0.1, not '%s'",
                    option, text);
    return STATUS_OK;
}

static enum status read(const struct workload_settings *settings, MPI_Comm comm,
                        struct workload_durations *self)
{
    struct workload *workload = &self->workload;
    if (settings->n_tasks < 0) {
        TRY(profile_read(comm, settings->profile, false, &self->profile));
        workload->problem.n_tasks = self->profile.n;
        return STATUS_OK;
    }
    workload->are_null = are_null;
    return sparse_profile_init(&self->sparse, comm, settings->profile, settings->n_tasks,
                               settings->null_s);
}

static enum status choose(const struct workload_settings *settings, MPI_Comm comm,
                          struct workload_durations *self)
{
    struct taskpool_problem *problem = &self->workload.problem;
    const char *kind = "profile", *text = settings->profile;
    problem->n_tasks = settings->n_tasks;
    if (settings->profile) {
        TRY(read(settings, comm, self));
    } else if (settings->exponential) {
        kind = "exponential", text = settings->exponential;
        self->draw = draw_exponential;
        TRY(parse_exponential(text, self));
    } else {
        self->draw = settings->gauss ? draw_gauss : draw_lognormal;
        kind = settings->gauss ? "gauss" : "lognormal";
        text = settings->gauss ? settings->gauss : settings->lognormal;
        TRY(parse_mean_sd(kind, text, self));
    }
    snprintf(self->workload.name, sizeof self->workload.name, "%s %s", kind, text);
    return STATUS_OK;
}

enum status workload_durations_create(const struct workload_settings *settings, int64_t seed,
                                      double speed, MPI_Comm comm, struct workload **workload)
{
    struct workload_durations *self = calloc(1, sizeof *self);
    TRY(status_agree(comm, self ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for a workload")));
    self->workload.functions = &functions;
    self->workload.problem =
        (struct taskpool_problem){.run = wait_busily, .cost = known_cost, .context = self};
    self->workload.time = simulated_seconds;
    self->seed = (uint64_t)seed;
    self->scale = settings->time_scale;
    self->speed = speed;
    enum status status = choose(settings, comm, self);
    if (status != STATUS_OK) {
        destroy(&self->workload);
        return status;
    }
    *workload = &self->workload;
    return STATUS_OK;
}
