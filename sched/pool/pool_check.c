/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/pool_check.h"

#include "sched/pool/core/task_census.h"
#include "sched/pool/drivers/sim/noise.h"
#include "sched/pool/modes/mode_options.h"
#include "sched/pool/modes/modes.h"
#include "support/base/agree.h"

#include <math.h>

enum status pool_check_comm(MPI_Comm comm)
{
    int begun, ended, is_inter;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended)
        return FAIL(STATUS_USAGE, "MPI does not run: create pools between MPI_Init and "
                                  "MPI_Finalize");
    if (comm == MPI_COMM_NULL)
        return FAIL(STATUS_USAGE, "the communicator is MPI_COMM_NULL: processes that are in no "
                                  "communicator create no pool");
    MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
        return FAIL(STATUS_USAGE, "the communicator is an intercommunicator: merge it by "
                                  "MPI_Intercomm_merge");
    return STATUS_OK;
}

/* --- the problem --- */

static bool are_data_whole(const struct taskpool_data *data)
{
    bool fits = data->n_blocks >= 0 && data->n_tasks >= 0 &&
                (data->n_blocks == 0 || data->blocks) && (data->n_tasks == 0 || data->first);
    for (int64_t i = 0; fits && i < data->n_blocks; i++)
        fits = data->blocks[i].bytes >= 0 && data->blocks[i].owner >= 0;
    for (int64_t i = 0; fits && i < data->n_tasks; i++) {
        fits = data->first[i] >= 0 && data->first[i] <= data->first[i + 1] &&
               (!data->tasks || i == 0 || data->tasks[i - 1] < data->tasks[i]);
        for (int64_t a = data->first[i]; fits && a < data->first[i + 1]; a++)
            fits = data->accesses[a].block >= 0 && data->accesses[a].block < data->n_blocks;
    }
    return fits;
}

static bool is_dynamic(const struct taskpool_mode *mode, const void *context)
{
    (void)context;
    return mode->add || mode->dynamic;
}

static enum status check_dynamic_problem(const struct taskpool_problem *problem,
                                         const struct taskpool_mode *mode)
{
    char names[1024];
    if (problem->n_tasks != 0)
        return FAIL(STATUS_USAGE,
                    "n_tasks is %lld and record_size %zu: a pool has numbered tasks or records; "
                    "set one of them to 0",
                    (long long)problem->n_tasks, problem->record_size);
    if (problem->record_size > TASKPOOL_MAX_RECORD_SIZE)
        return FAIL(STATUS_LIMIT, "records of %zu bytes; at most %zu are possible",
                    problem->record_size, TASKPOOL_MAX_RECORD_SIZE);
    if (!problem->run_record)
        return FAIL(STATUS_USAGE, "run_record is NULL: a pool of records needs it");
    if (!is_dynamic(mode, NULL))
        return FAIL(STATUS_USAGE, "--sched %s cannot run tasks that add tasks: use one of %s",
                    mode->name, mode_names_where(is_dynamic, NULL, names, sizeof names));
    return STATUS_OK;
}

static enum status check_problem(const struct pool_request *request,
                                 const struct taskpool_mode *mode)
{
    const struct taskpool_problem *problem = request->problem;
    if (problem->record_size > 0)
        return check_dynamic_problem(problem, mode);
    if (problem->n_tasks < 0 || problem->n_tasks > TASKPOOL_MAX_TASKS)
        return FAIL(STATUS_LIMIT, "a pool of %lld tasks; 0 to %lld are possible",
                    (long long)problem->n_tasks, (long long)TASKPOOL_MAX_TASKS);
    if (!problem->run && !request->simulated)
        return FAIL(STATUS_USAGE, problem->run_record
                                      ? "run is NULL and record_size 0: set record_size for a pool "
                                        "of records"
                                      : "run is NULL: a pool of numbered tasks needs it");
    return STATUS_OK;
}

/* --- the settings --- */

static enum status check_settings(struct taskpool_settings *settings,
                                  const struct taskpool_mode **mode)
{
    char names[1024];
    if (!settings->mode)
        return FAIL(STATUS_USAGE, "the settings name no mode: call taskpool_settings_default");
    *mode = mode_find(settings->mode);
    if (!*mode)
        return FAIL(STATUS_USAGE, "there is no scheduling mode '%s': use one of %s", settings->mode,
                    mode_names_where(NULL, NULL, names, sizeof names));
    if (settings->keep_iterations < 0)
        return FAIL(STATUS_USAGE,
                    "keep_iterations is %lld: set the number of iterations, or 0 for "
                    "all",
                    (long long)settings->keep_iterations);
    TRY(mode_options_check_made(settings, *mode));
    return mode_options_check_values(settings, *mode);
}

/* --- the machine --- */

static enum status check_quantities(const struct taskpool_machine *machine)
{
    const struct {
        const char *name;
        double value;
    } quantities[] = {
        {"latency_s", machine->latency_s},
        {"latency_spread_s", machine->latency_spread_s},
        {"bandwidth", machine->bandwidth},
        {"latency_power", machine->latency_power},
        {"overhead_s", machine->overhead_s},
        {"node_latency_s", machine->node_latency_s},
        {"counter_s", machine->counter_s},
        {"atomic_s", machine->atomic_s},
        {"node_bandwidth", machine->node_bandwidth},
        {"task_s", machine->task_s},
        {"poll_s", machine->poll_s},
        {"n_threads", machine->n_threads},
        {"node_size", machine->node_size},
        {"cache_bytes", (double)machine->cache_bytes},
    };
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (!(quantities[i].value >= 0 && isfinite(quantities[i].value)))
            return FAIL(STATUS_USAGE, "the machine's %s is %g: it must be finite and 0 or more",
                        quantities[i].name, quantities[i].value);
    for (int i = 0; machine->speeds && i < machine->n_workers; i++)
        if (!(machine->speeds[i] > 0 && isfinite(machine->speeds[i])))
            return FAIL(STATUS_USAGE, "the speed of worker %d is %g: it must be finite and above 0",
                        i, machine->speeds[i]);
    return STATUS_OK;
}

static enum status check_noise(const struct taskpool_noise *noise)
{
    bool fits = noise->n > 0 && noise->start_s && noise->free_s &&
                noise->period_s >= NOISE_MIN_PERIOD_S && isfinite(noise->period_s) &&
                noise->free_s[noise->n] >= NOISE_MIN_FREE * noise->period_s;
    for (int64_t i = 0; fits && i < noise->n; i++)
        fits = noise->start_s[i] >= (i > 0 ? noise->start_s[i - 1] : 0) &&
               noise->start_s[i] < noise->period_s && noise->free_s[i] >= 0 &&
               noise->free_s[i] <= noise->free_s[i + 1];
    return fits ? STATUS_OK
                : FAIL(STATUS_USAGE, "the machine's noise must have interruptions in ascending "
                                     "order within its period, and leave time for work: fill it by "
                                     "taskpool_noise_init_periodic or taskpool_noise_read");
}

static enum status check_machine(const struct taskpool_machine *machine)
{
    if (!machine)
        return FAIL(STATUS_USAGE, "the machine is NULL: a simulation needs one");
    if (machine->n_workers < 1)
        return FAIL(STATUS_USAGE, "a machine of %d workers: it must have 1 or more",
                    machine->n_workers);
    if (!machine->time)
        return FAIL(STATUS_USAGE, "the machine's time is NULL: it must return the duration of a "
                                  "task");
    TRY(check_quantities(machine));
    if (machine->noise)
        TRY(check_noise(machine->noise));
    if (machine->data && !are_data_whole(machine->data))
        return FAIL(STATUS_USAGE, "the machine's data must have blocks of 0 bytes or more with "
                                  "owners of 0 or more, tasks and accesses in ascending order, and "
                                  "accesses to these blocks alone");
    return STATUS_OK;
}

/* --- agreement --- */

/* Arguments that must be equal on all processes, and their names in messages. */
enum { N_TASKS, RECORD_SIZE, MODE, SETTINGS, FUNCTIONS, COSTS, N_AGREED };
static const char *const agreed_names[N_AGREED] = {
    "n_tasks",
    "record_size",
    "the mode",
    "the settings",
    "tasks_keep_data, or which of owner, cost, finish and idle are NULL",
    "what problem.cost returns for the same task"};

/* Where tasks are more, each process predicts the costs of some alone (seeding_cost.c). */
enum { MOST_COSTS_COMPARED = 4096 };

static uint64_t hash_costs(const struct taskpool_problem *problem)
{
    struct task_census census = {0};
    for (int64_t task = 0; problem->cost && task < problem->n_tasks; task++) {
        if (problem->n_tasks > MOST_COSTS_COMPARED)
            break;
        const double both[2] = {(double)task, problem->cost(task, problem->context)};
        task_census_add_record(&census, both, sizeof both);
    }
    return census.sum;
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 5381;
    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

static void list_agreed(const struct pool_request *request, const struct taskpool_mode *mode,
                        int64_t values[N_AGREED])
{
    const struct taskpool_problem *problem = request->problem;
    const struct taskpool_settings *settings = request->settings;
    values[N_TASKS] = problem->n_tasks;
    values[RECORD_SIZE] = (int64_t)problem->record_size;
    values[MODE] = (int64_t)hash_name(mode->name);
    values[SETTINGS] =
        (int64_t)(mode_options_hash(settings, mode) + settings->keep_history +
                  2 * (uint64_t)settings->keep_timeline + 4 * (uint64_t)(settings->trace != NULL) +
                  8 * (uint64_t)settings->keep_iterations);
    values[FUNCTIONS] = (problem->owner != NULL) + 2 * (problem->cost != NULL) +
                        4 * (problem->finish != NULL) + 8 * (problem->idle != NULL) +
                        16 * problem->tasks_keep_data;
    values[COSTS] = (int64_t)hash_costs(problem);
}

/* mode  NULL: the request is refused by this process */
static enum status agree_on_request(const struct pool_request *request,
                                    const struct taskpool_mode *mode, enum status own)
{
    /* The least of each value and of its complement; the second gives the largest value. */
    struct {
        int64_t no_failure, least[N_AGREED], most[N_AGREED];
    } all = {.no_failure = own == STATUS_OK};
    if (own == STATUS_OK)
        list_agreed(request, mode, all.least);
    for (int i = 0; i < N_AGREED; i++)
        all.most[i] = ~all.least[i];
    MPI_Allreduce(MPI_IN_PLACE, &all, 1 + 2 * N_AGREED, MPI_INT64_T, MPI_MIN, request->comm);
    if (!all.no_failure)
        return status_agree(request->comm, own);
    for (int i = 0; i < N_AGREED; i++)
        if (all.least[i] != ~all.most[i])
            return FAIL(STATUS_USAGE,
                        "processes disagree on %s: give all the same problem and "
                        "settings",
                        agreed_names[i]);
    return STATUS_OK;
}

static enum status check_own_request(const struct pool_request *request,
                                     const struct taskpool_mode **mode)
{
    if (!request->problem || !request->settings)
        return FAIL(STATUS_USAGE, "%s NULL: a pool needs a problem and settings",
                    request->problem ? "the settings are" : "the problem is");
    if (!request->has_room)
        return FAIL(STATUS_USAGE, "the address for the pool is NULL");
    TRY(check_settings(request->settings, mode));
    if (!request->simulated)
        TRY(mode_check_real(*mode));
    TRY(check_problem(request, *mode));
    return request->simulated ? check_machine(request->machine) : STATUS_OK;
}

enum status pool_check_request(const struct pool_request *request)
{
    const struct taskpool_mode *mode = NULL;
    enum status own = check_own_request(request, &mode);
    return agree_on_request(request, mode, own);
}
