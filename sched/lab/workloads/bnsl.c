/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores of the possible parents of all variables, and the best Bayesian network made of them
 * (bnsl.h). Every iteration has to find the same scores.
 * Simulated tasks score nothing: their durations are estimates, times the time scale. */
#include "sched/lab/workloads/bnsl.h"

#include "sched/lab/workloads/workload.h"
#include "support/base/agree.h"
#include "support/io/json.h"
#include "support/io/text_file.h"
#include "support/mpi/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds of the search on a core of 2024, about: for each set of parents, for each cell of its
 * table, and for each sample and column that a table is counted from. */
static const double SET_S = 1e-7, CELL_S = 7e-10, SAMPLE_S = 1.5e-10;

struct workload_bnsl {
    struct workload workload; /* first */
    struct bnsl_data data;
    struct bnsl_candidates candidates;
    struct bnsl_scorer scorer;
    double empty[BNSL_MAX_VARIABLES]; /* scores without parents */
    double *scores;                   /* scratch of a task */

    struct bnsl_families families; /* of this process, in the iteration in progress */
    struct bnsl_families all;      /* process 0: of all, in the first iteration; sorted */
    struct bnsl_graph network;     /* process 0: found after it */
    double score;                  /* of the network */
    struct bnsl_graph known;       /* the network to compare with, completed; or n is 0 */
    struct bnsl_difference difference;
};

static int64_t or_default(int64_t given, int64_t value)
{
    return given >= 0 ? given : value;
}

/* --- tasks --- */

static int run_cube(int64_t task, void *context)
{
    struct workload_bnsl *self = context;
    struct bnsl_cube cube = bnsl_cube_of(&self->candidates, task);
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
    struct bnsl_cube cube = bnsl_cube_of(&self->candidates, task);
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
    return ((const struct workload *)context)->settings.time_scale *
           cube_cost(task, (void *)context);
}

/* --- results --- */

static enum status find_network(struct workload_bnsl *self)
{
    struct bnsl_graph found;
    const struct workload_settings *settings = &self->workload.settings;
    TRY(bnsl_search(&self->candidates, &self->all, or_default(settings->bnsl_kicks, 2000),
                    (uint64_t)settings->seed, &self->network, &self->score));
    if (self->known.n == 0)
        return STATUS_OK;
    TRY(bnsl_graph_complete(&self->network, &found));
    self->difference = bnsl_graph_compare(&self->known, &found);
    bnsl_graph_fini(&found);
    return STATUS_OK;
}

static enum status keep_or_compare(struct workload_bnsl *self, struct bnsl_families *families)
{
    if (families->n == 0)
        return STATUS_OK; /* simulated tasks score nothing */
    bnsl_families_prune(families);
    if (self->network.n == 0) {
        self->all = *families;
        families->list = NULL;
        return find_network(self);
    }
    if (families->n != self->all.n ||
        memcmp(families->list, self->all.list, (size_t)families->n * sizeof *families->list) != 0)
        return FAIL(STATUS_PROTOCOL, "the scores differ from the first iteration's");
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
    free(all.list);
    return status;
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
    json_object_set_new(
        result, "shd",
        json_integer(difference->missing + difference->extra + difference->reversed));
    json_object_set_new(result, "skeleton_missing", json_integer(difference->missing));
    json_object_set_new(result, "skeleton_extra", json_integer(difference->extra));
}

/* --- creation --- */

static void destroy_bnsl(struct workload *workload)
{
    struct workload_bnsl *self = (struct workload_bnsl *)workload;
    free(self->families.list);
    free(self->all.list);
    bnsl_graph_fini(&self->network);
    bnsl_graph_fini(&self->known);
    bnsl_scorer_fini(&self->scorer);
    free(self->data.values);
    free(self->scores);
}

static enum status prepare_scores(struct workload_bnsl *self)
{
    const struct workload_settings *settings = &self->workload.settings;
    int dimension = (int)or_default(settings->bnsl_hypercube, 6);
    int n_candidates = (int)or_default(settings->bnsl_candidates, 16);
    TRY(bnsl_scorer_init(&self->scorer, &self->data));
    self->scores = malloc(((size_t)1 << dimension) * sizeof *self->scores);
    TRY(CHECK_MEMORY(self->scores, "no memory for the scores of a task"));
    bnsl_candidates_choose(&self->candidates, &self->scorer, n_candidates);
    bnsl_candidates_cut(&self->candidates, dimension);
    for (int i = 0; i < self->data.n_variables; i++)
        self->empty[i] = bnsl_score(&self->scorer, i, NULL, 0);
    self->workload.problem.n_tasks = bnsl_n_tasks(&self->candidates);
    return STATUS_OK;
}

/* The class of the network. */
static enum status parse_known(struct workload_bnsl *self, const struct text_file *file,
                               const char *path)
{
    struct bnsl_graph network;
    enum status status = bnsl_network_parse(file->bytes, file->length, path, &self->data, &network);
    if (status == STATUS_OK)
        status = bnsl_graph_complete(&network, &self->known);
    bnsl_graph_fini(&network);
    return status;
}

static enum status read_bnsl_files(struct workload_bnsl *self, MPI_Comm comm)
{
    const struct workload_settings *settings = &self->workload.settings;
    struct text_file file;
    TRY(text_file_read_all(settings->bnsl, comm, &file));
    enum status status = bnsl_data_parse(file.bytes, file.length, settings->bnsl, &self->data);
    text_file_fini(&file);
    TRY(status_agree(comm, status));
    if (!settings->bnsl_network)
        return STATUS_OK;
    TRY(text_file_read_all(settings->bnsl_network, comm, &file));
    status = parse_known(self, &file, settings->bnsl_network);
    text_file_fini(&file);
    return status_agree(comm, status);
}

static enum status create_bnsl(struct workload *workload, MPI_Comm comm)
{
    struct workload_bnsl *self = (struct workload_bnsl *)workload;
    workload->problem.run = run_cube;
    workload->problem.cost = cube_cost;
    workload->time = cube_time;
    workload->end_iteration = gather_scores;
    workload->add_result = add_network;
    workload->destroy = destroy_bnsl;
    TRY(read_bnsl_files(self, comm));
    return status_agree(comm, prepare_scores(self));
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

const struct workload_kind workload_bnsl = {.rows = bnsl_rows,
                                            .n_rows = sizeof bnsl_rows / sizeof bnsl_rows[0],
                                            .size = sizeof(struct workload_bnsl),
                                            .create = create_bnsl};
