/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores of the possible parents of all variables, and the best Bayesian network made of them; see
 * bnsl_score.h, bnsl_cubes.h and bnsl_search.h. Every iteration has to find the same scores.
 * Simulated tasks score nothing: their durations are estimates, times the time scale. */
#include "sched/lab/workloads/bnsl/bnsl_cubes.h"
#include "sched/lab/workloads/bnsl/bnsl_data.h"
#include "sched/lab/workloads/bnsl/bnsl_graph.h"
#include "sched/lab/workloads/bnsl/bnsl_score.h"
#include "sched/lab/workloads/bnsl/bnsl_search.h"
#include "sched/lab/workloads/workload.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/io/json.h"
#include "support/mpi/gather.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Seconds of the search on a core of 2024, about: for each set of parents, for each cell of its
 * table, and for each sample and column that a table is counted from. */
static const double SET_S = 1e-7, CELL_S = 7e-10, SAMPLE_S = 1.5e-10;

struct workload_bnsl {
    struct workload workload; /* first */
    struct bnsl_data data;
    struct bnsl_candidates candidates;
    struct bnsl_cubes cubes;
    struct bnsl_scorer scorer;
    double *empty;  /* n_variables: scores without parents */
    double *scores; /* scratch of a task */
    double scale;   /* of simulated seconds */
    uint64_t seed;
    int64_t n_kicks;

    struct bnsl_families families; /* of this process, in the iteration in progress */
    struct bnsl_families all;      /* process 0: of all, in the first iteration; sorted */
    struct bnsl_graph network;     /* process 0: found after it */
    double score;                  /* of the network */
    struct bnsl_graph known;       /* the network to compare with, completed; or n is 0 */
    struct bnsl_difference difference;
};

/* --- tasks --- */

static int run_cube(int64_t task, void *context)
{
    struct workload_bnsl *self = context;
    struct bnsl_cube cube = bnsl_cubes_get(&self->cubes, task);
    bnsl_score_cube(&self->scorer, &cube, self->scores);
    return bnsl_families_add_cube(&self->families, &cube, self->empty[cube.variable], self->scores);
}

/* --- durations --- */

/* Estimated seconds of a task. A set of parents costs a part that is the same for all and one for
 * each cell of its table; the sum of the cells over the sets of a cube is a product: of n for a
 * fixed parent of n states, of 1 + n for a free candidate. The first table is counted from the
 * samples, one column after the other; so is each table where that is faster than deriving it. */
static double cube_cost(int64_t task, void *context)
{
    const struct workload_bnsl *self = context;
    struct bnsl_cube cube = bnsl_cubes_get(&self->cubes, task);
    double cells = self->data.n_states[cube.variable], n_sets = 1, n_columns = 1;
    for (int i = 0; i < cube.n_candidates; i++) {
        bool is_free = i >= cube.n_candidates - cube.n_free;
        if (!is_free && !(cube.fixed >> i & 1))
            continue;
        n_columns++;
        n_sets *= is_free ? 2 : 1;
        cells *= self->data.n_states[cube.candidates[i]] + is_free;
    }
    double counting_s = n_columns * self->data.n_samples * SAMPLE_S;
    double scattered_s = counting_s + 2 * self->data.n_samples * CELL_S;
    return counting_s + n_sets * SET_S + fmin(cells * CELL_S, n_sets * scattered_s);
}

static double cube_time(int64_t task, const void *record, const void *context)
{
    (void)record;
    return ((const struct workload_bnsl *)context)->scale * cube_cost(task, (void *)context);
}

/* --- results --- */

static enum status find_network(struct workload_bnsl *self)
{
    bnsl_families_prune(&self->all);
    TRY(bnsl_search(&self->candidates, &self->all, self->n_kicks, self->seed, &self->network,
                    &self->score));
    if (self->known.n == 0)
        return STATUS_OK;
    struct bnsl_graph found;
    TRY(bnsl_graph_init(&found, self->network.n));
    memcpy(found.edge, self->network.edge, (size_t)found.n * (size_t)found.n * sizeof *found.edge);
    enum status status = bnsl_graph_complete(&found);
    self->difference = bnsl_graph_compare(&self->known, &found);
    bnsl_graph_fini(&found);
    return status;
}

static enum status keep_or_compare(struct workload_bnsl *self, struct bnsl_families *families)
{
    if (families->n == 0)
        return STATUS_OK; /* simulated tasks score nothing */
    bnsl_families_sort(families);
    if (self->network.n == 0) {
        self->all = *families;
        *families = (struct bnsl_families){0};
        return find_network(self);
    }
    bnsl_families_prune(families);
    if (families->n != self->all.n ||
        memcmp(families->list, self->all.list, (size_t)families->n * sizeof *families->list) != 0)
        return FAIL(STATUS_PROTOCOL, "the scores differ from those of the first iteration");
    return STATUS_OK;
}

static enum status gather_scores(struct workload *workload, MPI_Comm comm)
{
    struct workload_bnsl *self = (struct workload_bnsl *)workload;
    const struct gather_part part = {.items = self->families.list,
                                     .n_items = self->families.n,
                                     .item_size = sizeof *self->families.list,
                                     .what = "scored parent sets"};
    struct bnsl_families all = {0};
    void *list;
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(gather_to_first(comm, &part, &list, &all.n));
    all.list = list;
    self->families.n = 0;
    enum status status = status_agree(comm, rank == 0 ? keep_or_compare(self, &all) : STATUS_OK);
    bnsl_families_fini(&all);
    return status;
}

static int count_edges(const struct bnsl_graph *graph)
{
    int n = 0;
    for (int from = 0; from < graph->n; from++)
        for (int to = 0; to < graph->n; to++)
            n += bnsl_graph_has(graph, from, to);
    return n;
}

static int distance(const struct bnsl_difference *difference)
{
    return difference->missing + difference->extra + difference->reversed;
}

static void print_network(const struct workload *workload)
{
    const struct workload_bnsl *self = (const struct workload_bnsl *)workload;
    const struct bnsl_difference *difference = &self->difference;
    if (self->network.n == 0)
        return;
    log_print("\nNetwork    %d variables, %d samples; score %.6f, %d edges\n",
              self->data.n_variables, self->data.n_samples, self->score,
              count_edges(&self->network));
    if (self->known.n > 0)
        log_print("Known one  distance %d: %d edges missing, %d more, %d of another direction\n",
                  distance(difference), difference->missing, difference->extra,
                  difference->reversed);
}

static json_t *edges_to_json(const struct workload_bnsl *self)
{
    json_t *edges = json_array();
    for (int from = 0; from < self->network.n; from++)
        for (int to = 0; to < self->network.n; to++)
            if (bnsl_graph_has(&self->network, from, to)) {
                json_t *edge = json_array();
                json_array_append_new(edge, json_text(self->data.names[from]));
                json_array_append_new(edge, json_text(self->data.names[to]));
                json_array_append_new(edges, edge);
            }
    return edges;
}

static void add_network(const struct workload *workload, json_t *result)
{
    const struct workload_bnsl *self = (const struct workload_bnsl *)workload;
    const struct bnsl_difference *difference = &self->difference;
    json_object_set_new(result, "variables", json_integer(self->data.n_variables));
    json_object_set_new(result, "samples", json_integer(self->data.n_samples));
    if (self->network.n == 0)
        return;
    json_object_set_new(result, "network_score", json_real(self->score));
    json_object_set_new(result, "edges", edges_to_json(self));
    if (self->known.n == 0)
        return;
    json_object_set_new(result, "shd", json_integer(distance(difference)));
    json_object_set_new(result, "skeleton_missing", json_integer(difference->missing));
    json_object_set_new(result, "skeleton_extra", json_integer(difference->extra));
}

/* --- creation --- */

static void destroy_bnsl(struct workload *workload)
{
    struct workload_bnsl *self = (struct workload_bnsl *)workload;
    bnsl_families_fini(&self->families);
    bnsl_families_fini(&self->all);
    bnsl_graph_fini(&self->network);
    bnsl_graph_fini(&self->known);
    bnsl_scorer_fini(&self->scorer);
    bnsl_cubes_fini(&self->cubes);
    bnsl_candidates_fini(&self->candidates);
    bnsl_data_fini(&self->data);
    free(self->empty);
    free(self->scores);
}

static const struct workload_functions bnsl_functions = {.end_iteration = gather_scores,
                                                         .print = print_network,
                                                         .add_result = add_network,
                                                         .destroy = destroy_bnsl};

static int64_t or_default(int64_t given, int64_t value)
{
    return given >= 0 ? given : value;
}

static enum status prepare_bnsl(struct workload_bnsl *self,
                                const struct workload_settings *settings)
{
    const struct bnsl_data *data = &self->data;
    int dimension = (int)or_default(settings->bnsl_hypercube, 6);
    int n_candidates = (int)or_default(settings->bnsl_candidates, 16);
    TRY(bnsl_candidates_init(&self->candidates, data, n_candidates));
    TRY(bnsl_cubes_init(&self->cubes, &self->candidates, dimension));
    TRY(bnsl_scorer_init(&self->scorer, data));
    self->empty = malloc((size_t)data->n_variables * sizeof *self->empty);
    self->scores = malloc(((size_t)1 << dimension) * sizeof *self->scores);
    TRY(CHECK_MEMORY(self->empty && self->scores, "no memory for the scores of a task"));
    for (int i = 0; i < data->n_variables; i++)
        self->empty[i] = bnsl_score(&self->scorer, &(struct bnsl_family_of){.variable = i});
    self->workload.problem.n_tasks = bnsl_cubes_n_tasks(&self->cubes);
    return self->known.n > 0 ? bnsl_graph_complete(&self->known) : STATUS_OK;
}

static enum status read_bnsl_files(struct workload_bnsl *self,
                                   const struct workload_settings *settings, MPI_Comm comm)
{
    TRY(bnsl_data_read(comm, settings->bnsl, &self->data));
    if (!settings->bnsl_network)
        return STATUS_OK;
    return bnsl_network_read(comm, settings->bnsl_network, &self->data, &self->known);
}

static enum status create_bnsl(const struct workload_settings *settings, MPI_Comm comm,
                               struct workload **workload)
{
    struct workload_bnsl *self = agree_calloc(comm, sizeof *self, "a workload");
    if (!self)
        return STATUS_NO_MEMORY;
    self->workload.functions = &bnsl_functions;
    self->workload.problem =
        (struct taskpool_problem){.run = run_cube, .cost = cube_cost, .context = self};
    self->workload.time = cube_time;
    self->scale = settings->time_scale;
    self->seed = (uint64_t)settings->seed;
    self->n_kicks = or_default(settings->bnsl_kicks, 2000);
    *workload = &self->workload;
    TRY(read_bnsl_files(self, settings, comm));
    return status_agree(comm, prepare_bnsl(self, settings));
}

static const struct option_row bnsl_rows[] = {
    TEXT_OPTION("bnsl", WORKLOAD_FIELD(bnsl), .value = "DATA.csv",
                .help = "the search for the Bayesian network behind samples: a row of names, then "
                        "a row of categories for each sample"),
    INTEGER_OPTION("candidates", WORKLOAD_FIELD(bnsl_candidates), 1, BNSL_MAX_CANDIDATES,
                   .value = "N", .expert = true,
                   .help =
                       "--bnsl: upper bound on the possible parents of a variable (default: 16)"),
    INTEGER_OPTION("hypercube", WORKLOAD_FIELD(bnsl_hypercube), 0, 20, .value = "N",
                   .help = "--bnsl: a task scores up to 2^N sets of parents (default: 6)"),
    INTEGER_OPTION("kicks", WORKLOAD_FIELD(bnsl_kicks), 0, 1e6, .value = "N", .expert = true,
                   .help = "--bnsl: random changes from which the search for the network resumes "
                           "(default: 2000)"),
    TEXT_OPTION("network", WORKLOAD_FIELD(bnsl_network), .value = "FILE.csv",
                .help = "--bnsl: compare with this network: rows parent,child"),
};

const struct workload_kind workload_bnsl = {
    .rows = bnsl_rows, .n_rows = sizeof bnsl_rows / sizeof bnsl_rows[0], .create = create_bnsl};
