/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps of Jacobi's relaxation, see jacobi.h, an iteration each. X is cut into blocks, and a task
 * is a plane of a block: of block b the plane y = task - b ny + 1.
 *
 * For real there is one block. The two meshes lie in memory that the processes share; each touches
 * its block of the planes first, for --seeding owner. The result is the same to the last bit for
 * any distribution of the planes.
 *
 * On a simulated machine nothing is computed, and there is a block for each node. The owner of a
 * task is a worker of the block's node; the workers of a node own contiguous parts. Where node_size
 * divides both ny and the number of workers, seeding by blocks gives every worker the tasks that it
 * owns. A task takes JACOBI_POINT_S times its points times the time scale. The end of an iteration,
 * for which all workers wait, stands for the exchange of borders, for which a node would wait for
 * its neighbours only. */
#include "sched/lab/workloads/jacobi.h"

#include "sched/lab/workloads/workload.h"
#include "support/base/agree.h"
#include "support/base/memory.h"
#include "support/base/node.h"
#include "support/base/sha256.h"
#include "support/io/words.h"
#include "support/mpi/window.h"
#include "support/vectors/vector_clones.h"
#include "taskpool/mode.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Points along an edge; with them neither tasks nor doubles overflow 64 bits. */
enum { MAX_POINTS = 1000000 };

/* --- the equation --- */

static enum status parse_points(const char *text, int64_t n[3])
{
    struct word fields[3];
    bool fits = split_fields(word_from_text(text), 3, fields);
    for (int d = 0; fits && d < 3; d++)
        fits = word_to_whole(fields[d], &n[d]) && n[d] >= 1 && n[d] <= MAX_POINTS;
    return fits ? STATUS_OK
                : FAIL(STATUS_USAGE,
                       "--jacobi takes the points along x, y and z, each from 1 to %d, such as "
                       "64,512,64, not '%s'",
                       MAX_POINTS, text);
}

enum status jacobi_init(const char *points, struct jacobi *jacobi)
{
    *jacobi = (struct jacobi){.eigenvalue = 0};
    TRY(parse_points(points, jacobi->n));
    for (int d = 0; d < 3; d++) {
        int64_t n = jacobi->n[d];
        double *sine = jacobi->sine[d] = malloc((size_t)(n + 2) * sizeof *sine);
        TRY(CHECK_MEMORY(sine, "no memory for the right-hand side of Poisson's equation"));
        for (int64_t i = 0; i < n + 2; i++)
            sine[i] = sin(M_PI * (double)i / (double)(n + 1));
        jacobi->eigenvalue += 2 - 2 * cos(M_PI / (double)(n + 1));
    }
    return STATUS_OK;
}

void jacobi_fini(struct jacobi *jacobi)
{
    for (int d = 0; d < 3; d++)
        free(jacobi->sine[d]);
}

int64_t jacobi_plane_size(const struct jacobi *jacobi)
{
    return (jacobi->n[0] + 2) * (jacobi->n[2] + 2);
}

void jacobi_fill_plane(const struct jacobi *jacobi, int64_t y, double *plane)
{
    const int64_t nx = jacobi->n[0], ny = jacobi->n[1], nz = jacobi->n[2];
    for (int64_t x = 0; x < nx + 2; x++, plane += nz + 2)
        for (int64_t z = 0; z < nz + 2; z++)
            plane[z] = (double)x / (double)(nx + 1) + 2 * (double)y / (double)(ny + 1) +
                       3 * (double)z / (double)(nz + 1);
}

/* Largest changes are kept per lane of a vector: max does not depend on the order. */
VECTOR_CLONES double jacobi_update_plane(const struct jacobi *jacobi, int64_t y, const double *old,
                                         int64_t distance, double *new)
{
    const int64_t nx = jacobi->n[0], nz = jacobi->n[2], row = nz + 2;
    const double *restrict sine_z = jacobi->sine[2];
    double change = 0;
    for (int64_t x = 1; x <= nx; x++) {
        const double *restrict u = old + x * row;
        double *restrict v = new + x *row;
        const double source = jacobi->eigenvalue * jacobi->sine[1][y] * jacobi->sine[0][x];
#pragma omp simd reduction(max : change)
        for (int64_t z = 1; z <= nz; z++) {
            v[z] = (u[z - distance] + u[z + distance] + u[z - row] + u[z + row] + u[z - 1] +
                    u[z + 1] + source * sine_z[z]) *
                   (1.0 / 6);
            double difference = fabs(v[z] - u[z]);
            change = difference > change ? difference : change;
        }
    }
    return change;
}

/* --- tasks --- */

struct workload_jacobi {
    struct workload workload; /* first */
    struct jacobi jacobi;
    int64_t n_blocks;  /* of X: simulated, one for each node */
    int64_t node_size; /* workers that share a block */

    MPI_Win window;  /* of the meshes; MPI_WIN_NULL: simulated, or none yet */
    double *planes;  /* of both: mesh 0 and mesh 1 in turn */
    bool current;    /* which mesh has the values of the last sweep */
    int64_t n_done;  /* sweeps */
    double change;   /* largest of this process in the sweep in progress */
    double residual; /* largest of all in the last one */
    char sha256[SHA256_HEX_SIZE];
};

static double *plane_at(const struct workload_jacobi *self, int64_t y, bool mesh)
{
    return self->planes + (2 * y + mesh) * jacobi_plane_size(&self->jacobi);
}

static int sweep_plane(int64_t task, void *context)
{
    struct workload_jacobi *self = context;
    double change = jacobi_update_plane(
        &self->jacobi, task + 1, plane_at(self, task + 1, self->current),
        2 * jacobi_plane_size(&self->jacobi), plane_at(self, task + 1, !self->current));
    self->change = change > self->change ? change : self->change;
    return STATUS_OK;
}

/* The planes of a block are divided evenly among the workers of its node. */
static int plane_owner(int64_t task, int n_workers, void *context)
{
    const struct workload_jacobi *self = context;
    int64_t ny = self->jacobi.n[1], first = task / ny * self->node_size;
    int64_t n = n_workers - first;
    n = n < self->node_size ? n : self->node_size;
    return (int)(first + taskpool_range_block_of(ny, n, task % ny));
}

static double plane_points(int64_t task, void *context)
{
    const struct workload_jacobi *self = context;
    const int64_t *n = self->jacobi.n;
    struct taskpool_range block = taskpool_range_block(n[0], self->n_blocks, task / n[1]);
    return (double)(taskpool_range_count(&block) * n[2]);
}

static double plane_time(int64_t task, const void *record, const void *context)
{
    (void)record;
    return plane_points(task, (void *)context) *
           (JACOBI_POINT_S * ((const struct workload *)context)->settings.time_scale);
}

/* --- sweeps --- */

/* The inside of the box, as an array [nx][ny][nz]. */
static enum status find_digest(struct workload_jacobi *self)
{
    const int64_t *n = self->jacobi.n;
    struct sha256 *sha256;
    TRY(sha256_create(&sha256));
    for (int64_t x = 1; x <= n[0]; x++)
        for (int64_t y = 1; y <= n[1]; y++)
            sha256_add(sha256, plane_at(self, y, self->current) + x * (n[2] + 2) + 1,
                       (size_t)n[2] * sizeof(double));
    sha256_finish(sha256, self->sha256);
    sha256_destroy(sha256);
    return STATUS_OK;
}

/* Makes the stores of all processes visible to every process. */
static void synchronise(struct workload_jacobi *self, MPI_Comm comm)
{
    MPI_Win_sync(self->window);
    MPI_Barrier(comm);
    MPI_Win_sync(self->window);
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
    if (self->n_done < workload->settings.n_sweeps)
        return STATUS_OK;
    return status_agree(comm, rank == 0 ? find_digest(self) : STATUS_OK);
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
    if (self->window != MPI_WIN_NULL) {
        MPI_Win_unlock_all(self->window);
        MPI_Win_free(&self->window);
    }
    jacobi_fini(&self->jacobi);
}

/* Collective. */
static enum status check_meshes(const struct jacobi *jacobi, MPI_Comm comm)
{
    int n_processes, n_sharing = node_count(comm);
    MPI_Comm_size(comm, &n_processes);
    enum status status = STATUS_OK;
    if (n_sharing < n_processes)
        status = FAIL(STATUS_USAGE,
                      "--jacobi keeps its meshes in memory that the processes share: start all %d "
                      "on one node, or simulate nodes with --simulate",
                      n_processes);
    TRY(status_agree(comm, status));
    double bytes =
        2.0 * (double)jacobi_plane_size(jacobi) * (double)(jacobi->n[1] + 2) * sizeof(double);
    struct memory_need need = {.shared_bytes = bytes / n_processes};
    struct memory_budget budget = memory_budget(0, comm);
    return memory_check("--jacobi with two meshes", &need, &budget, "choose a smaller mesh");
}

/* Each process allocates the planes that it touches first: its block of the inner ones, and their
 * neighbours at both ends of the box. Windows lie one process after the other. */
static enum status create_meshes(struct workload_jacobi *self, MPI_Comm comm)
{
    int rank, n_processes, unit;
    MPI_Aint first_bytes;
    void *own;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_processes);
    struct taskpool_range own_planes = taskpool_range_block(self->jacobi.n[1], n_processes, rank);
    own_planes.first += rank > 0;
    own_planes.last += rank == n_processes - 1 ? 2 : 1;
    MPI_Aint bytes = (MPI_Aint)(2 * taskpool_range_count(&own_planes) *
                                jacobi_plane_size(&self->jacobi) * (int64_t)sizeof(double));
    TRY(window_allocate_shared(comm, bytes, &own, &self->window));
    MPI_Win_lock_all(MPI_MODE_NOCHECK, self->window);
    MPI_Win_shared_query(self->window, 0, &first_bytes, &unit, &self->planes);
    for (int64_t y = own_planes.first; y < own_planes.last; y++)
        for (int mesh = 0; mesh < 2; mesh++)
            jacobi_fill_plane(&self->jacobi, y, plane_at(self, y, mesh));
    synchronise(self, comm);
    return STATUS_OK;
}

/* A simulation has one process, so that there is nothing to agree on. */
static enum status divide_among_nodes(struct workload_jacobi *self)
{
    const struct workload_settings *settings = &self->workload.settings;
    self->node_size = settings->node_size;
    self->n_blocks = (settings->n_simulated + self->node_size - 1) / self->node_size;
    if (self->jacobi.n[0] < self->n_blocks)
        return FAIL(STATUS_USAGE,
                    "--jacobi %s: %lld points along x are fewer than the %lld nodes that share "
                    "them",
                    settings->jacobi, (long long)self->jacobi.n[0], (long long)self->n_blocks);
    self->workload.problem.n_tasks = self->n_blocks * self->jacobi.n[1];
    return STATUS_OK;
}

static enum status create_jacobi(struct workload *workload, MPI_Comm comm)
{
    const struct workload_settings *settings = &workload->settings;
    struct workload_jacobi *self = (struct workload_jacobi *)workload;
    if (settings->n_sweeps == 0)
        return FAIL(STATUS_USAGE, "--sweeps is missing: the number of iterations of --jacobi");
    workload->problem.owner = plane_owner;
    workload->problem.cost = plane_points;
    workload->time = plane_time;
    workload->destroy = destroy_meshes;
    self->window = MPI_WIN_NULL;
    TRY(status_agree(comm, jacobi_init(settings->jacobi, &self->jacobi)));
    if (settings->n_simulated > 0)
        return divide_among_nodes(self);

    workload->problem.n_tasks = self->jacobi.n[1];
    workload->problem.run = sweep_plane;
    workload->end_iteration = end_sweep;
    workload->add_result = add_mesh;
    self->n_blocks = 1;
    self->node_size = INT_MAX;
    TRY(check_meshes(&self->jacobi, comm));
    return create_meshes(self, comm);
}

static const struct option_row jacobi_rows[] = {
    TEXT_OPTION("jacobi", WORKLOAD_FIELD(jacobi), .value = "NX,NY,NZ",
                .help = "Jacobi's relaxation on a mesh of NX x NY x NZ points, a task being a "
                        "plane of y; simulated, X is cut into a block for each node"),
    INTEGER_OPTION("sweeps", WORKLOAD_FIELD(n_sweeps), 1, 1e6, .value = "N",
                   .help = "--jacobi: number of sweeps, an iteration each"),
};

const struct workload_kind workload_jacobi = {.rows = jacobi_rows,
                                              .n_rows = 2,
                                              .size = sizeof(struct workload_jacobi),
                                              .create = create_jacobi};
