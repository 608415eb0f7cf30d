/* Sweeps of Jacobi's relaxation, for real: the planes are tasks, the meshes lie in memory
 * that the processes share. */
#include "sched/queues/task_ranges.h"
#include "sched/workloads/jacobi.h"
#include "sched/workloads/workload.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/base/sha256.h"

#include <stdio.h>
#include <stdlib.h>

/* A mesh, of which each process has allocated the planes that it touches first. */
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

static enum status sweep_plane(int64_t task, void *context)
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
    return (int)task_range_block_of(self->jacobi.size.ny, n_workers, task);
}

static double points_of(int64_t task, void *context)
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

/* What any process stored before, every process loads afterwards. */
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

static void print(const struct workload *workload)
{
    const struct workload_jacobi *self = (const struct workload_jacobi *)workload;
    log_print("\nLargest change in the last sweep  %.3e\nSHA-256 of the mesh  %s\n", self->residual,
              self->sha256);
}

static void add_result(const struct workload *workload, json_t *result)
{
    const struct workload_jacobi *self = (const struct workload_jacobi *)workload;
    json_object_set_new(result, "residual", json_real(self->residual));
    json_object_set_new(result, "jacobi_sha256", json_string(self->sha256));
}

/* --- creation --- */

static void destroy(struct workload *workload)
{
    struct workload_jacobi *self = (struct workload_jacobi *)workload;
    for (int i = 0; i < 2; i++) {
        if (self->meshes[i].window == MPI_WIN_NULL)
            continue;
        MPI_Win_unlock_all(self->meshes[i].window);
        MPI_Win_free(&self->meshes[i].window);
    }
    jacobi_fini(&self->jacobi);
    free(self);
}

static const struct workload_functions functions = {
    .end_iteration = end_sweep, .print = print, .add_result = add_result, .destroy = destroy};

static enum status check_node(MPI_Comm comm)
{
    MPI_Comm node;
    int n_processes, n_sharing;
    MPI_Comm_size(comm, &n_processes);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n_sharing);
    MPI_Comm_free(&node);
    enum status status = STATUS_OK;
    if (n_sharing < n_processes)
        status = FAIL(STATUS_USAGE,
                      "--jacobi keeps its meshes in memory that the processes share: start all %d "
                      "on one node, or simulate nodes with --simulate",
                      n_processes);
    return status_agree(comm, status);
}

static enum status check_memory(const struct jacobi_size *size, MPI_Comm comm)
{
    int n_processes;
    MPI_Comm_size(comm, &n_processes);
    double needed = 2.0 * (double)jacobi_plane_size(size) * (double)(size->ny + 2) * sizeof(double);
    double available = 0.95 * (double)(n_processes > 1 ? memory_shared_available_bytes()
                                                       : memory_available_bytes());
    enum status status = STATUS_OK;
    if (needed > available)
        status = FAIL(STATUS_LIMIT, "--jacobi: two meshes take %.3f GB; %.3f GB are left",
                      1e-9 * needed, 1e-9 * available);
    return status_agree(comm, status);
}

/* The planes that the process touches first: its block of the inner ones, and their
 * neighbours at both ends of the box. */
static struct task_range own_planes(int64_t ny, int rank, int n_processes)
{
    struct task_range planes = task_range_block(ny, n_processes, rank);
    planes.first += rank > 0;
    planes.last += rank == n_processes - 1 ? 2 : 1;
    return planes;
}

/* Windows lie one process after the other, so that they are one mesh. */
static enum status create_mesh(const struct jacobi *jacobi, MPI_Comm comm, struct shared_mesh *mesh)
{
    int rank, n_processes, unit;
    MPI_Aint first_bytes;
    double *own;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_processes);
    struct task_range planes = own_planes(jacobi->size.ny, rank, n_processes);
    MPI_Aint bytes = (MPI_Aint)(task_range_count(&planes) * jacobi_plane_size(&jacobi->size) *
                                (int64_t)sizeof *own);
    if (MPI_Win_allocate_shared(bytes, sizeof *own, MPI_INFO_NULL, comm, &own, &mesh->window) !=
        MPI_SUCCESS) {
        mesh->window = MPI_WIN_NULL;
        return FAIL(STATUS_NO_MEMORY, "no memory that processes share for a mesh");
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, mesh->window);
    MPI_Win_shared_query(mesh->window, 0, &first_bytes, &unit, &mesh->values);
    for (int64_t y = planes.first; y < planes.last; y++)
        jacobi_fill_plane(jacobi, y, mesh->values);
    return STATUS_OK;
}

/* A failure to allocate comes back instead of ending the program. */
static enum status create_meshes(struct workload_jacobi *self, MPI_Comm comm)
{
    MPI_Comm own;
    MPI_Comm_dup(comm, &own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        status = status_agree(comm, create_mesh(&self->jacobi, own, &self->meshes[i]));
    MPI_Comm_free(&own);
    if (status == STATUS_OK)
        synchronise(self, comm);
    return status;
}

static enum status allocate(const struct workload_settings *settings,
                            const struct jacobi_size *size, struct workload_jacobi **out)
{
    struct workload_jacobi *self = calloc(1, sizeof *self);
    if (!self)
        return FAIL(STATUS_NO_MEMORY, "no memory for a workload");
    enum status status = jacobi_init(size, &self->jacobi);
    if (status != STATUS_OK) {
        free(self);
        return status;
    }
    self->workload.functions = &functions;
    self->workload.problem = (struct taskpool_problem){.n_tasks = size->ny,
                                                       .run = sweep_plane,
                                                       .owner = first_toucher,
                                                       .cost = points_of,
                                                       .context = self};
    snprintf(self->workload.name, sizeof self->workload.name, "jacobi %s", settings->jacobi);
    self->meshes[0].window = self->meshes[1].window = MPI_WIN_NULL;
    self->n_sweeps = settings->n_sweeps;
    *out = self;
    return STATUS_OK;
}

enum status workload_jacobi_create(const struct workload_settings *settings, MPI_Comm comm,
                                   struct workload **workload)
{
    struct jacobi_size size;
    struct workload_jacobi *self = NULL;
    TRY(jacobi_parse(settings->jacobi, &size));
    TRY(check_node(comm));
    TRY(check_memory(&size, comm));
    enum status status = status_agree(comm, allocate(settings, &size, &self));
    if (status == STATUS_OK)
        status = create_meshes(self, comm);
    if (status != STATUS_OK) {
        if (self)
            destroy(&self->workload);
        return status;
    }
    *workload = &self->workload;
    return STATUS_OK;
}
