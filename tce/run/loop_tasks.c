/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/loop_tasks.h"

#include "support/base/agree.h"
#include "support/mpi/long_reduce.h"

#include <stdlib.h>
#include <string.h>

/* --- creation --- */

/* Scalars that every step adds to keep what they had before the loop. */
static void find_adds(struct loop_tasks *tasks)
{
    const struct tile_loop *loop = tasks->body.loop;
    for (int i = 0; i < loop->n_scalars; i++)
        tasks->adds[i] = true;
    for (int s = 0; s < loop->n_steps; s++) {
        int scalar = loop->locals[loop->steps[s].local[CONTRACTION_C]].scalar;
        if (scalar >= 0 && !loop->steps[s].problem.add)
            tasks->adds[scalar] = false;
    }
}

enum status loop_tasks_init(const struct tile_loop *loop, struct loop_tasks *tasks)
{
    size_t n_scalars = (size_t)loop->n_scalars + 1;
    *tasks = (struct loop_tasks){.body.loop = loop};
    tasks->scalars = calloc(n_scalars, sizeof(struct tensor *));
    tasks->adds = calloc(n_scalars, sizeof *tasks->adds);
    tasks->values = calloc(n_scalars, sizeof *tasks->values);
    TRY(CHECK_MEMORY(tasks->scalars && tasks->adds && tasks->values,
                     "no memory for a loop over tiles"));
    tasks->n = tasks->n_left = (int64_t)tile_tuples_count(&loop->tuples);
    find_adds(tasks);
    return loop_body_init(loop, &tasks->body);
}

void loop_tasks_fini(struct loop_tasks *tasks)
{
    tuple_parts_destroy(tasks->parts);
    loop_body_fini(&tasks->body);
    free(tasks->scalars);
    free(tasks->adds);
    free(tasks->values);
}

void loop_tasks_bind(struct loop_tasks *tasks, int step, struct tensor *const tensor[])
{
    const struct tile_loop *loop = tasks->body.loop;
    int scalar = loop->locals[loop->steps[step].local[CONTRACTION_C]].scalar;
    tasks->body.problems[step].A.tensor = tensor[CONTRACTION_A];
    tasks->body.problems[step].B.tensor = tensor[CONTRACTION_B];
    if (scalar >= 0)
        tasks->scalars[scalar] = tensor[CONTRACTION_C];
}

enum status loop_tasks_start(struct loop_tasks *tasks, MPI_Comm comm)
{
    tasks->comm = comm;
    tuple_parts_destroy(tasks->parts);
    return tuple_parts_create(comm, tasks->n, tasks->body.loop->n_scalars, &tasks->parts);
}

struct task_cost loop_tasks_cost(const struct loop_tasks *tasks, int64_t tuple)
{
    int32_t tile[TILE_LOOP_MAX_INDICES];
    tile_tuples_get(&tasks->body.loop->tuples, tuple, tile);
    return loop_body_cost(&tasks->body, tile);
}

/* --- what the loop reads --- */

static void add_tuples(const struct tile_loop *loop, struct sha256 *sha256)
{
    const struct tile_tuples *tuples = &loop->tuples;
    sha256_add(sha256, &tuples->n, sizeof tuples->n);
    sha256_add(sha256, &tuples->ordered, sizeof tuples->ordered);
    for (int i = 0; i < tuples->n; i++) {
        const struct index_space *space = loop->space[i];
        sha256_add(sha256, space->first, ((size_t)space->n_tiles + 1) * sizeof *space->first);
    }
}

static enum status digest_sums(const struct tile_loop *loop, int n, const uint64_t sums[],
                               char hex[SHA256_HEX_SIZE])
{
    struct sha256 *sha256;
    TRY(sha256_create(&sha256));
    add_tuples(loop, sha256);
    sha256_add(sha256, sums, (size_t)n * TENSOR_SUMS * sizeof *sums);
    sha256_finish(sha256, hex);
    sha256_destroy(sha256);
    return STATUS_OK;
}

/* The stored tensors that the steps read, each once. */
static int list_read(const struct loop_tasks *tasks, struct tensor *read[])
{
    int n = 0;
    for (int s = 0; s < tasks->body.loop->n_steps; s++) {
        const struct contraction_problem *problem = &tasks->body.problems[s];
        struct tensor *const factors[] = {problem->A.tensor, problem->B.tensor};
        for (int f = 0; f < 2; f++) {
            int i = 0;
            while (i < n && read[i] != factors[f])
                i++;
            if (factors[f] && i == n)
                read[n++] = factors[f];
        }
    }
    return n;
}

static enum status add_tensors(int n, struct tensor *const tensors[], uint64_t sums[])
{
    for (int t = 0; t < n; t++)
        TRY(tensor_add_sums(tensors[t], sums + (size_t)t * TENSOR_SUMS));
    return STATUS_OK;
}

/* The digest of the tuples of tiles and of the elements that the loop reads: parts of an earlier run are taken only
 * if it had this digest. Fills and the steps themselves are left to the store. */
static enum status digest_inputs(struct loop_tasks *tasks)
{
    size_t most = 2 * (size_t)tasks->body.loop->n_steps + 1;
    struct tensor **read = calloc(most, sizeof(struct tensor *));
    uint64_t *sums = calloc(most, TENSOR_SUMS * sizeof *sums);
    enum status status =
        status_agree(tasks->comm, CHECK_MEMORY(read && sums, "no memory for %zu digests", most));
    if (status != STATUS_OK)
        goto done;
    int n = list_read(tasks, read);
    darray_sync();
    status = status_agree(tasks->comm, add_tensors(n, read, sums));
    if (status != STATUS_OK)
        goto done;
    long_reduce(sums, (int64_t)n * TENSOR_SUMS, MPI_UINT64_T, MPI_SUM, tasks->comm);
    status = status_agree(tasks->comm, digest_sums(tasks->body.loop, n, sums, tasks->inputs));
done:
    free(read);
    free(sums);
    return status;
}

/* --- runs --- */

enum status loop_tasks_find_left(struct loop_tasks *tasks)
{
    if (tasks->store)
        TRY(digest_inputs(tasks));
    return tuple_parts_begin(tasks->parts, tasks->store, tasks->inputs, &tasks->n_left);
}

enum status loop_tasks_begin(struct loop_tasks *tasks, const struct contraction_settings *settings,
                             struct taskpool *polled)
{
    return loop_worker_create(&tasks->body, settings, polled, &tasks->worker);
}

enum status loop_tasks_run(struct loop_tasks *tasks, int64_t task)
{
    const struct tile_loop *loop = tasks->body.loop;
    int64_t number = tuple_parts_tuple(tasks->parts, task);
    int32_t tuple[TILE_LOOP_MAX_INDICES];
    tile_tuples_get(&loop->tuples, number, tuple);
    TRY(loop_worker_run(tasks->worker, tuple, tasks->values));
    int weight = tile_tuples_weight(&loop->tuples, tuple);
    for (int i = 0; i < loop->n_scalars; i++)
        tasks->values[i] *= weight;
    tuple_parts_add(tasks->parts, number, tasks->values);
    return STATUS_OK;
}

/* Process 0 writes the scalars. */
static void write_scalars(const struct loop_tasks *tasks)
{
    int rank;
    MPI_Comm_rank(tasks->comm, &rank);
    for (int i = 0; i < tasks->body.loop->n_scalars && rank == 0; i++) {
        struct darray *data = tasks->scalars[i]->data;
        double sum = tuple_parts_sum(tasks->parts, i), old = 0;
        if (tasks->adds[i])
            darray_get(data, 0, &old);
        sum += old;
        darray_put(data, 0, &sum);
    }
    darray_sync();
}

void loop_tasks_end(struct loop_tasks *tasks, enum status status)
{
    tuple_parts_end(tasks->parts);
    if (status == STATUS_OK)
        write_scalars(tasks);
    loop_worker_destroy(tasks->worker);
    tasks->worker = NULL;
}
