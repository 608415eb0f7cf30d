/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps of Jacobi's relaxation, see jacobi.h, an iteration each.
 *
 * For real a task is the plane y = task + 1. The two meshes lie in memory that the processes
 * share; each touches its block of the planes first, for --seeding owner. The result is the same
 * to the last bit for any distribution of the planes.
 *
 * On a simulated machine nothing is computed. X is cut into a block for each node, and a task is a
 * plane of a block: of block b the plane y = task - b ny + 1. The owner of a task is a worker of
 * the block's node; the workers of a node own contiguous parts. Where node_size divides both ny and
 * the number of workers, seeding by blocks gives every worker what it owns. A task takes
 * JACOBI_POINT_S times its points times the time scale. The end of an iteration, for which all
 * workers wait, stands for the exchange of borders, for which a node would wait for its neighbours
 * only. */
#include "sched/lab/workloads/jacobi.h"
#include "sched/lab/workloads/workload.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/base/node.h"
#include "support/base/sha256.h"
#include "support/mpi/window.h"
#include "taskpool/mode.h"

#include <stddef.h>
#include <stdlib.h>

/* A mesh; each process allocates the planes that it touches first. */
struct shared_mesh {
    MPI_Win window; /* MPI_WIN_NULL: none yet */
    double *values; /* all planes, at this process's address */
};

struct workload_jacobi {
    struct workload workload; /* first */
    struct jacobi jacobi;
    struct shared_mesh meshes[2];
    int current; /* which mesh holds the last sweep's values */
    int64_t n_sweeps, n_done;
    double change;   /* largest of this process in the sweep in progress */
    double residual; /* largest of all in the last one */
    char sha256[SHA256_HEX_SIZE];
};

/* --- tasks --- */

static int sweep_plane(int64_t task, void *context)
{
    struct workload_jacobi *self = context;
    double change = jacobi_update_plane(&self->jacobi, task + 1, self->meshes[self->current].values,
                                        self->meshes[!self->current].values);
    self->change = change > self->change ? change : self->change;
    return STATUS_OK;
}

static int first_toucher(int64_t task, int n_workers, void *context)
{
    const struct workload_jacobi *self = context;
    return (int)taskpool_range_block_of(self->jacobi.size.ny, n_workers, task);
}

static double plane_points(int64_t task, void *context)
{
    const struct jacobi_size *size = &((const struct workload_jacobi *)context)->jacobi.size;
    (void)task;
    return (double)(size->nx * size->nz);
}

/* --- sweeps --- */

/* The inside of the box, as an array [nx][ny][nz]. */
static enum status find_digest(struct workload_jacobi *self)
{
    const struct jacobi_size *size = &self->jacobi.size;
    const double *values = self->meshes[self->current].values;
    struct sha256 *sha256;
    TRY(sha256_create(&sha256));
    for (int64_t x = 1; x <= size->nx; x++)
        for (int64_t y = 1; y <= size->ny; y++)
            sha256_add(sha256, values + y * jacobi_plane_size(size) + x * (size->nz + 2) + 1,
                       (size_t)size->nz * sizeof *values);
    sha256_finish(sha256, self->sha256);
    sha256_destroy(sha256);
    return STATUS_OK;
}

/* Makes the stores of all processes visible to every process. */
static void synchronise(struct workload_jacobi *self, MPI_Comm comm)
{
    for (int i = 0; i < 2; i++)
        MPI_Win_sync(self->meshes[i].window);
    MPI_Barrier(comm);
    for (int i = 0; i < 2; i++)
        MPI_Win_sync(self->meshes[i].window);
}

static enum status end_sweep(struct workload *workload, MPI_Comm comm)
{
    struct workload_jacobi *self = (struct workload_jacobi *)workload;
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&self->change, &self->residual, 1, MPI_DOUBLE, MPI_MAX, comm);
    synchronise(self, comm);
    self->change = 0;
    self->current = !self->current;
    self->n_done++;
    if (self->n_done < self->n_sweeps)
        return STATUS_OK;
    return status_agree(comm, rank == 0 ? find_digest(self) : STATUS_OK);
}

static void print_mesh(const struct workload *workload)
{
    const struct workload_jacobi *self = (const struct workload_jacobi *)workload;
    log_print("\nLargest change in the last sweep  %.3e\nSHA-256 of the mesh  %s\n", self->residual,
              self->sha256);
}

static void add_mesh(const struct workload *workload, json_t *result)
{
    const struct workload_jacobi *self = (const struct workload_jacobi *)workload;
    json_object_set_new(result, "residual", json_real(self->residual));
    json_object_set_new(result, "jacobi_sha256", json_string(self->sha256));
}

/* --- creation --- */

static void destroy_meshes(struct workload *workload)
{
    struct workload_jacobi *self = (struct workload_jacobi *)workload;
    for (int i = 0; i < 2; i++) {
        if (self->meshes[i].window == MPI_WIN_NULL)
            continue;
        MPI_Win_unlock_all(self->meshes[i].window);
        MPI_Win_free(&self->meshes[i].window);
    }
    jacobi_fini(&self->jacobi);
}

static const struct workload_functions mesh_functions = {.end_iteration = end_sweep,
                                                         .print = print_mesh,
                                                         .add_result = add_mesh,
                                                         .destroy = destroy_meshes};

static enum status check_node(MPI_Comm comm)
{
    int n_processes, n_sharing = node_count(comm);
    MPI_Comm_size(comm, &n_processes);
    enum status status = STATUS_OK;
    if (n_sharing < n_processes)
        status = FAIL(STATUS_USAGE,
                      "--jacobi keeps its meshes in memory that the processes share: start all %d "
                      "on one node, or simulate nodes with --simulate",
                      n_processes);
    return status_agree(comm, status);
}

static enum status check_mesh_memory(const struct jacobi_size *size, MPI_Comm comm)
{
    int n_processes;
    MPI_Comm_size(comm, &n_processes);
    double bytes = 2.0 * (double)jacobi_plane_size(size) * (double)(size->ny + 2) * sizeof(double);
    struct memory_need need = {.shared_bytes = bytes / n_processes};
    struct memory_budget budget = memory_budget(0, comm);
    return memory_check("--jacobi with two meshes", &need, &budget, "choose a smaller mesh");
}

/* The planes that the process touches first: its block of the inner ones, and their
 * neighbours at both ends of the box. */
static struct taskpool_range own_planes(int64_t ny, int rank, int n_processes)
{
    struct taskpool_range planes = taskpool_range_block(ny, n_processes, rank);
    planes.first += rank > 0;
    planes.last += rank == n_processes - 1 ? 2 : 1;
    return planes;
}

/* Windows lie one process after the other, so that they are one mesh. */
static enum status create_mesh(const struct jacobi *jacobi, MPI_Comm comm, struct shared_mesh *mesh)
{
    int rank, n_processes, unit;
    MPI_Aint first_bytes;
    void *own;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_processes);
    struct taskpool_range planes = own_planes(jacobi->size.ny, rank, n_processes);
    MPI_Aint bytes = (MPI_Aint)(taskpool_range_count(&planes) * jacobi_plane_size(&jacobi->size) *
                                (int64_t)sizeof *mesh->values);
    TRY(window_allocate_shared(comm, bytes, &own, &mesh->window));
    MPI_Win_lock_all(MPI_MODE_NOCHECK, mesh->window);
    MPI_Win_shared_query(mesh->window, 0, &first_bytes, &unit, &mesh->values);
    for (int64_t y = planes.first; y < planes.last; y++)
        jacobi_fill_plane(jacobi, y, mesh->values);
    return STATUS_OK;
}

static enum status create_meshes(struct workload_jacobi *self, MPI_Comm comm)
{
    for (int i = 0; i < 2; i++)
        TRY(create_mesh(&self->jacobi, comm, &self->meshes[i]));
    synchronise(self, comm);
    return STATUS_OK;
}

static enum status allocate_meshes(const struct workload_settings *settings,
                                   const struct jacobi_size *size, struct workload **workload)
{
    struct workload_jacobi *self = calloc(1, sizeof *self);
    TRY(CHECK_MEMORY(self, "no memory for a workload"));
    self->workload.functions = &mesh_functions;
    self->workload.problem = (struct taskpool_problem){.n_tasks = size->ny,
                                                       .run = sweep_plane,
                                                       .owner = first_toucher,
                                                       .cost = plane_points,
                                                       .context = self};
    self->meshes[0].window = self->meshes[1].window = MPI_WIN_NULL;
    self->n_sweeps = settings->n_sweeps;
    *workload = &self->workload;
    return jacobi_init(size, &self->jacobi);
}

static enum status create_real(const struct workload_settings *settings,
                               const struct jacobi_size *size, MPI_Comm comm,
                               struct workload **workload)
{
    TRY(check_node(comm));
    TRY(check_mesh_memory(size, comm));
    TRY(status_agree(comm, allocate_meshes(settings, size, workload)));
    return create_meshes((struct workload_jacobi *)*workload, comm);
}

/* --- simulated --- */

struct simulated_jacobi {
    struct workload workload; /* first */
    struct jacobi_size size;
    int64_t n_blocks; /* of X, one for each node */
    int64_t node_size;
    double point_s;
};

/* The points of a plane of a block. */
static double block_plane_points(int64_t task, void *context)
{
    const struct simulated_jacobi *self = context;
    struct taskpool_range block =
        taskpool_range_block(self->size.nx, self->n_blocks, task / self->size.ny);
    return (double)(taskpool_range_count(&block) * self->size.nz);
}

static double block_plane_time(int64_t task, const void *record, const void *context)
{
    (void)record;
    return block_plane_points(task, (void *)context) *
           ((const struct simulated_jacobi *)context)->point_s;
}

/* The planes of a block are divided evenly among the workers of its node. */
static int block_plane_owner(int64_t task, int n_workers, void *context)
{
    const struct simulated_jacobi *self = context;
    int64_t ny = self->size.ny, first = task / ny * self->node_size;
    int64_t n = n_workers - first;
    n = n < self->node_size ? n : self->node_size;
    return (int)(first + taskpool_range_block_of(ny, n, task % ny));
}

static const struct workload_functions simulated_functions = {0};

static enum status create_simulated(const struct workload_settings *settings,
                                    const struct jacobi_size *size, struct workload **workload)
{
    int64_t node_size = settings->node_size;
    int64_t n_blocks = (settings->n_simulated + node_size - 1) / node_size;
    if (size->nx < n_blocks)
        return FAIL(STATUS_USAGE,
                    "--jacobi %s: %lld points along x are fewer than the %lld nodes that share "
                    "them",
                    settings->jacobi, (long long)size->nx, (long long)n_blocks);
    struct simulated_jacobi *self = calloc(1, sizeof *self);
    TRY(CHECK_MEMORY(self, "no memory for a workload"));
    self->workload.functions = &simulated_functions;
    self->workload.problem = (struct taskpool_problem){.n_tasks = n_blocks * size->ny,
                                                       .owner = block_plane_owner,
                                                       .cost = block_plane_points,
                                                       .context = self};
    self->workload.time = block_plane_time;
    self->size = *size;
    self->n_blocks = n_blocks;
    self->node_size = node_size;
    self->point_s = JACOBI_POINT_S * settings->time_scale;
    *workload = &self->workload;
    return STATUS_OK;
}

/* --- the kind --- */

/* A simulation has one process, so that there is nothing to agree on. */
static enum status create_jacobi(const struct workload_settings *settings, MPI_Comm comm,
                                 struct workload **workload)
{
    struct jacobi_size size;
    if (settings->n_sweeps == 0)
        return FAIL(STATUS_USAGE, "--sweeps is missing: the number of iterations of --jacobi");
    TRY(jacobi_parse(settings->jacobi, &size));
    return settings->n_simulated > 0 ? create_simulated(settings, &size, workload)
                                     : create_real(settings, &size, comm, workload);
}

static const struct option_row jacobi_rows[] = {
    TEXT_OPTION("jacobi", WORKLOAD_FIELD(jacobi), .value = "NX,NY,NZ",
                .help = "Jacobi's relaxation on a mesh of NX x NY x NZ points, a task being a "
                        "plane of y; simulated, X is cut into a block for each node"),
    INTEGER_OPTION("sweeps", WORKLOAD_FIELD(n_sweeps), 1, 1e6, .value = "N",
                   .help = "--jacobi: number of sweeps, an iteration each"),
};

const struct workload_kind workload_jacobi = {
    .rows = jacobi_rows, .n_rows = 2, .create = create_jacobi};
