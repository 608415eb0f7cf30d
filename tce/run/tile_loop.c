/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/tile_loop.h"

#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/io/progress.h"
#include "support/mpi/long_reduce.h"
#include "support/mpi/wall_time.h"
#include "tce/run/loop_products.h"
#include "tce/run/loop_worker.h"

#include <stdlib.h>
#include <string.h>

struct tile_loop {
    const struct tile_loop_problem *problem;
    struct contraction_settings settings;
    int64_t n_tasks;
    struct loop_step *steps;
    struct tensor **tensors;         /* stored ones */
    struct tile_fill *fills;         /* of local ones */
    struct loop_product_lists lists; /* for costs */
    int n_scalars;
    int *scalars; /* their tensors' numbers */
    bool *adds;   /* whether a scalar keeps what it had before the loop */
    MPI_Comm comm;
    struct taskpool_settings pool_settings;
    struct taskpool *pool;
    int64_t n_left; /* tasks of the pool: tuples that no earlier run finished */
    bool ran;
    struct tuple_parts *parts;
    const struct tuple_store *store; /* NULL: none */
    double *values;                  /* n_scalars, of the task at hand */
    struct loop_worker *worker;
    enum status worker_status;
};

/* --- creation --- */

/* The number of a scalar. It keeps what it had before the loop if every step adds to it. */
static int number_scalar(struct tile_loop *loop, const struct tile_loop_step *step)
{
    int i = 0;
    while (i < loop->n_scalars && loop->scalars[i] != step->tensor[LOOP_C])
        i++;
    if (i == loop->n_scalars) {
        loop->scalars[i] = step->tensor[LOOP_C];
        loop->adds[i] = true;
        loop->n_scalars++;
    }
    loop->adds[i] = loop->adds[i] && step->add;
    return i;
}

static enum status prepare_step(struct tile_loop *loop, int s)
{
    const struct tile_loop_step *from = &loop->problem->steps[s];
    bool is_local = loop->problem->tensors[from->tensor[LOOP_C]].local;
    loop->steps[s].scalar = is_local ? -1 : number_scalar(loop, from);
    return loop_step_init(loop->problem, s, &loop->steps[s]);
}

static enum status allocate_loop(const struct tile_loop_problem *problem, struct tile_loop *loop)
{
    size_t n_tensors = (size_t)problem->n_tensors + 1, n_steps = (size_t)problem->n_steps + 1;
    loop->steps = calloc(n_steps, sizeof *loop->steps);
    loop->tensors = calloc(n_tensors, sizeof(struct tensor *));
    loop->fills = calloc(n_tensors, sizeof *loop->fills);
    loop->scalars = calloc(n_tensors, sizeof *loop->scalars);
    loop->adds = calloc(n_tensors, sizeof *loop->adds);
    loop->values = calloc(n_tensors, sizeof *loop->values);
    bool complete = loop->steps && loop->tensors && loop->fills && loop->scalars && loop->adds;
    return CHECK_MEMORY(complete && loop->values, "no memory for a loop over tiles");
}

enum status tile_loop_create(const struct tile_loop_problem *problem,
                             const struct contraction_settings *settings, struct tile_loop **loop)
{
    struct tile_loop *made = *loop = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a loop over tiles"));
    made->problem = problem;
    made->settings = *settings;
    made->lists.problem = problem;
    TRY(allocate_loop(problem, made));
    double n_tasks = tile_tuples_count(&problem->tuples);
    if (n_tasks > TILE_LOOP_MAX_TASKS)
        return FAIL(STATUS_LIMIT, "a loop over %.3g tuples of tiles: take larger tiles", n_tasks);
    made->n_tasks = (int64_t)n_tasks;
    for (int s = 0; s < problem->n_steps; s++)
        TRY(prepare_step(made, s));
    return STATUS_OK;
}

void tile_loop_destroy(struct tile_loop *loop)
{
    if (!loop)
        return;
    taskpool_destroy(loop->pool);
    tuple_parts_destroy(loop->parts);
    for (int s = 0; loop->steps && s < loop->problem->n_steps; s++)
        loop_step_fini(&loop->steps[s]);
    loop_product_lists_fini(&loop->lists);
    free(loop->steps);
    free(loop->tensors);
    free(loop->fills);
    free(loop->scalars);
    free(loop->adds);
    free(loop->values);
    free(loop);
}

int64_t tile_loop_n_tasks(const struct tile_loop *loop)
{
    return loop->n_tasks;
}

void tile_loop_bind(struct tile_loop *loop, int number, struct tensor *tensor)
{
    loop->tensors[number] = tensor;
}

void tile_loop_set_fill(struct tile_loop *loop, int number, const struct tile_fill *fill)
{
    loop->fills[number] = *fill;
}

void tile_loop_set_store(struct tile_loop *loop, const struct tuple_store *store)
{
    loop->store = store;
}

int64_t tile_loop_tuple(const struct tile_loop *loop, int64_t task)
{
    return tuple_parts_tuple(loop->parts, task);
}

double tile_loop_fraction_run(const struct tile_loop *loop)
{
    return loop->n_tasks > 0 ? (double)loop->n_left / (double)loop->n_tasks : 0;
}

/* --- predicted costs --- */

/* Elements of the blocks of C and A, and the extent of what is summed over. */
struct product_size {
    double of_C, of_A, summed;
};

static struct product_size size_product(const struct tile_loop *loop, int s,
                                        const struct loop_product *product, const int32_t tuple[])
{
    const struct tile_loop_step *from = &loop->problem->steps[s];
    const struct contraction_indices *indices = &loop->steps[s].indices;
    struct product_size size = {1, 1, 1};
    for (int x = 0; x < MAX_INDICES; x++) {
        if (!indices->space[x])
            continue;
        double extent = (double)index_space_tile_size(indices->space[x],
                                                      loop_product_tile(from, product, tuple, x));
        enum index_role role = indices->role[x];
        bool in_C = role == ROLE_BATCH || role == ROLE_ROW || role == ROLE_COLUMN;
        size.of_C *= in_C ? extent : 1;
        size.of_A *= role != ROLE_COLUMN && role != ROLE_LONE_B ? extent : 1;
        size.summed *= role == ROLE_SUMMED ? extent : 1;
    }
    return size;
}

static double step_seconds(const struct tile_loop *loop, int s,
                           const struct loop_products *products, const int32_t tuple[])
{
    bool multiplies = loop->problem->steps[s].tensor[LOOP_B] >= 0;
    double seconds = 0;
    for (int t = products->first_target[s]; t < products->first_target[s + 1]; t++)
        for (int p = products->targets[t].first; p < products->targets[t].end; p++) {
            struct product_size size = size_product(loop, s, &products->products[p], tuple);
            seconds += SECONDS_PER_PRODUCT + SECONDS_PER_ELEMENT * (size.of_C + size.of_A);
            seconds += multiplies ? 2 * SECONDS_PER_FLOP * size.of_C * size.summed : 0;
        }
    return seconds;
}

double tile_loop_task_seconds(struct tile_loop *loop, int64_t task)
{
    const struct loop_products *products;
    int32_t tuple[TILE_LOOP_MAX_INDICES];
    double seconds = SECONDS_PER_PRODUCT; /* also where no labels meet: a cost is > 0 */
    tile_tuples_get(&loop->problem->tuples, task, tuple);
    if (loop_product_lists_find(&loop->lists, tuple, &products) != STATUS_OK)
        return seconds; /* the task will report it */
    for (int s = 0; s < loop->problem->n_steps; s++)
        seconds += step_seconds(loop, s, products, tuple);
    return seconds;
}

/* --- runs --- */

static double predict_tuple(int64_t task, void *context)
{
    struct tile_loop *loop = context;
    return tile_loop_task_seconds(loop, tile_loop_tuple(loop, task));
}

/* Shows the fraction of all tuples that are finished; those of an earlier run come first. */
static void show_progress(const struct tile_loop *loop)
{
    double run = tile_loop_fraction_run(loop);
    if (log_progress_visible())
        progress_show(1 - run + run * taskpool_progress(loop->pool));
}

static int run_tuple(int64_t task, void *context)
{
    struct tile_loop *loop = context;
    int64_t number = tile_loop_tuple(loop, task);
    int32_t tuple[TILE_LOOP_MAX_INDICES];
    TRY(loop->worker_status);
    show_progress(loop);
    tile_tuples_get(&loop->problem->tuples, number, tuple);
    TRY(loop_worker_run(loop->worker, tuple, loop->values));
    int weight = tile_tuples_weight(&loop->problem->tuples, tuple);
    for (int i = 0; i < loop->n_scalars; i++)
        loop->values[i] *= weight;
    tuple_parts_add(loop->parts, number, loop->values);
    return STATUS_OK;
}

/* Called while a process waits for tuples: with --sched share process 0 has none. */
static void attend_to_tuples(void *context)
{
    const struct tile_loop *loop = context;
    show_progress(loop);
    tuple_parts_poll(loop->parts);
}

/* Also the failure of a process without a worker that had no task to fail with. */
static int finish_tuples(void *context)
{
    const struct tile_loop *loop = context;
    darray_complete();
    return loop->worker_status;
}

/* Neighbours, which read much in common, begin on one process. */
static int owner_of_tuple(int64_t task, int n_workers, void *context)
{
    const struct tile_loop *loop = context;
    return (int)((double)task / (double)loop->n_left * n_workers);
}

/* A pool of n_left tasks, anew. */
static enum status create_loop_pool(struct tile_loop *loop, int64_t n_left)
{
    struct taskpool_problem problem = {.n_tasks = n_left,
                                       .run = run_tuple,
                                       .computes = true,
                                       .finish = finish_tuples,
                                       .idle = attend_to_tuples,
                                       .owner = owner_of_tuple,
                                       .cost = predict_tuple,
                                       .context = loop};
    taskpool_destroy(loop->pool);
    loop->pool = NULL;
    loop->ran = false;
    loop->n_left = n_left;
    return taskpool_create(loop->comm, &problem, &loop->pool_settings, &loop->pool);
}

enum status tile_loop_start(struct tile_loop *loop, const struct taskpool_settings *pool,
                            MPI_Comm comm)
{
    loop->comm = comm;
    loop->pool_settings = *pool;
    tuple_parts_destroy(loop->parts);
    TRY(tuple_parts_create(comm, loop->n_tasks, loop->n_scalars, &loop->parts));
    return create_loop_pool(loop, loop->n_tasks);
}

static void add_tuples(const struct tile_loop_problem *problem, struct sha256 *sha256)
{
    const struct tile_tuples *tuples = &problem->tuples;
    sha256_add(sha256, &tuples->n, sizeof tuples->n);
    sha256_add(sha256, &tuples->ordered, sizeof tuples->ordered);
    for (int i = 0; i < tuples->n; i++) {
        const struct index_space *space = problem->space[i];
        sha256_add(sha256, space->first, ((size_t)space->n_tiles + 1) * sizeof *space->first);
    }
}

static enum status digest_sums(const struct tile_loop_problem *problem, const uint64_t sums[],
                               char hex[SHA256_HEX_SIZE])
{
    struct sha256 *sha256;
    TRY(sha256_create(&sha256));
    add_tuples(problem, sha256);
    sha256_add(sha256, sums, (size_t)problem->n_tensors * TENSOR_SUMS * sizeof *sums);
    sha256_finish(sha256, hex);
    sha256_destroy(sha256);
    return STATUS_OK;
}

static enum status add_tensors(int n, struct tensor *const tensors[], uint64_t sums[])
{
    for (int t = 0; t < n; t++)
        if (tensors[t])
            TRY(tensor_add_sums(tensors[t], sums + (size_t)t * TENSOR_SUMS));
    return STATUS_OK;
}

/* The digest of the tuples of tiles and of the elements of stored tensors; NULL: local, or only written. Fills
 * and the steps themselves are left to the caller. */
static enum status digest_problem(const struct tile_loop_problem *problem,
                                  struct tensor *const tensors[], MPI_Comm comm,
                                  char hex[SHA256_HEX_SIZE])
{
    int n = problem->n_tensors;
    uint64_t *sums = agree_calloc(comm, (size_t)(n + 1) * TENSOR_SUMS * sizeof *sums, "digests");
    if (!sums)
        return STATUS_NO_MEMORY;
    darray_sync();
    enum status status = status_agree(comm, add_tensors(n, tensors, sums));
    if (status == STATUS_OK) {
        long_reduce(sums, (int64_t)n * TENSOR_SUMS, MPI_UINT64_T, MPI_SUM, comm);
        status = status_agree(comm, digest_sums(problem, sums, hex));
    }
    free(sums);
    return status;
}

/* Digest of the tensors that the loop reads and does not compute itself: parts of an earlier run are taken only
 * if it had this digest. */
static enum status digest_inputs(const struct tile_loop *loop, char inputs[SHA256_HEX_SIZE])
{
    size_t n = (size_t)loop->problem->n_tensors + 1;
    struct tensor **read = calloc(n, sizeof(struct tensor *));
    TRY(status_agree(loop->comm, CHECK_MEMORY(read, "no memory for %zu tensors", n)));
    memcpy(read, loop->tensors, (size_t)loop->problem->n_tensors * sizeof(struct tensor *));
    for (int i = 0; i < loop->n_scalars; i++)
        read[loop->scalars[i]] = NULL;
    enum status status = digest_problem(loop->problem, read, loop->comm, inputs);
    free(read);
    return status;
}

/* Finds the tuples that are left; the pool is of these.
 * inputs  stay for the run */
static enum status begin_tuples(struct tile_loop *loop, char inputs[SHA256_HEX_SIZE])
{
    int64_t n_left;
    if (loop->store)
        TRY(digest_inputs(loop, inputs));
    TRY(tuple_parts_begin(loop->parts, loop->store, inputs, &n_left));
    if (n_left != loop->n_left)
        TRY(create_loop_pool(loop, n_left));
    progress_skip(1 - tile_loop_fraction_run(loop));
    return STATUS_OK;
}

/* Process 0 writes the scalars. */
static void write_scalars(struct tile_loop *loop)
{
    int rank;
    MPI_Comm_rank(loop->comm, &rank);
    for (int i = 0; i < loop->n_scalars && rank == 0; i++) {
        struct darray *data = loop->tensors[loop->scalars[i]]->data;
        double sum = tuple_parts_sum(loop->parts, i), old = 0;
        if (loop->adds[i])
            darray_get(data, 0, &old);
        sum += old;
        darray_put(data, 0, &sum);
    }
    darray_sync();
}

static enum status run_loop_pool(struct tile_loop *loop)
{
    if (loop->ran)
        TRY(taskpool_restore(loop->pool));
    loop->ran = true;
    enum status status = (enum status)taskpool_run(loop->pool);
    tuple_parts_end(loop->parts);
    if (status == STATUS_OK)
        write_scalars(loop);
    return status;
}

static struct loop_body body_of_loop(const struct tile_loop *loop)
{
    return (struct loop_body){.problem = loop->problem,
                              .steps = loop->steps,
                              .tensors = loop->tensors,
                              .fills = loop->fills,
                              .n_scalars = loop->n_scalars,
                              .scalars = loop->scalars};
}

static enum status create_loop_worker(struct tile_loop *loop)
{
    const struct loop_body body = body_of_loop(loop);
    int n_workers;
    MPI_Comm_size(loop->comm, &n_workers);
    return loop_worker_create(&body, &loop->settings, n_workers > 1 ? loop->pool : NULL,
                              &loop->worker);
}

static void destroy_loop_worker(struct tile_loop *loop)
{
    loop_worker_destroy(loop->worker);
    loop->worker = NULL;
}

enum status tile_loop_run(struct tile_loop *loop)
{
    char inputs[SHA256_HEX_SIZE];
    TRY(begin_tuples(loop, inputs));
    loop->worker_status = create_loop_worker(loop);
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    enum status status = run_loop_pool(loop);
    wall_time_end(use);
    destroy_loop_worker(loop);
    return status;
}

const struct taskpool *tile_loop_pool(const struct tile_loop *loop)
{
    return loop->pool;
}
