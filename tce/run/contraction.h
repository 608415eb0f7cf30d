/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary contractions of block-sparse tensors as pools of tasks:
 *
 *     C[c] (+)= factor * sum over what is not in c of A[a] * B[b]
 *
 * a, b, c are lists of index numbers. An index of c occurs in a, in b or in both (then
 * nothing is summed over it); one that is not in c is summed over. An index may occur
 * twice in a or in b: a diagonal, or a trace. Without B: a copy with indices in another
 * order, a trace, a sum.
 *
 * Several of them may run as one pool, if none reads what another one writes. Those that
 * join are a sum: a task is a block of its C (contraction_tasks.h says which number it has).
 * It walks the tuples of summed tiles for which blocks of A and of B exist, contraction by
 * contraction, each in lexicographic order, multiplies with DGEMM and writes its block once:
 * the result depends neither on the mode nor on the number of processes. Where C has few blocks, several tasks make
 * parts of each (contraction_slices.h). A scalar C is a sum over tasks that are the blocks of A, added up in their
 * order.
 *
 * Elements of C whose block does not exist are left out, whatever the factors' labels. */
#pragma once

#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/run/blocks.h"
#include "tce/tensor/block_buffers.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* An operand: to plan, its labels are enough; to run, its tensor is needed. */
struct contraction_operand {
    const struct block_labels *labels; /* borrowed */
    struct tensor *tensor;             /* borrowed; NULL while nothing is allocated */
    int index[MAX_RANK];               /* labels->rank of them: numbers in [0, MAX_INDICES) */
};

/* C's indices differ from each other; no tensor is C and a factor at once. */
struct contraction_problem {
    struct contraction_operand C, A, B;
    bool has_B;
    bool add; /* to what C holds, instead of replacing it */
    /* The contraction before it has the same C, no scalar, in the same order of places, and
     * this one adds to what that one makes. */
    bool joins;
    double factor;
};

struct contraction_settings {
    int64_t cache_bytes; /* of input blocks kept by a process during a run */
    bool prefetch;       /* fetch the next blocks during DGEMM */
    /* Borrowed, shared with other contractions that do not run at the same time; NULL: of
     * its own. */
    struct block_buffers *buffers;
};

/* The predicted work of a task, of all contractions of its sum, from labels alone. */
struct contraction_cost {
    double flops;       /* useful ones: 2 m n k */
    double bytes;       /* of blocks read and written */
    int64_t n_products; /* pairs of blocks */
};

struct contraction;

/* The task list and costs; allocates no tensor. The same on every process; not collective.
 * problems  n >= 1 of them, copied, as settings are; the labels are borrowed until
 *           contraction_destroy
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; contraction_destroy follows then, too. */
enum status contraction_create(int n, const struct contraction_problem problems[],
                               const struct contraction_settings *settings,
                               struct contraction **contraction);
void contraction_destroy(struct contraction *contraction);

int64_t contraction_n_tasks(const struct contraction *contraction);
struct contraction_cost contraction_task_cost(const struct contraction *contraction, int64_t task);

/* Elements of the parts of blocks that contraction_start makes room for (contraction_sums.h). */
double contraction_parts_of(const struct contraction *contraction);

/* Seconds on a processor of the day: of an operation of DGEMM, of an element that is moved, of a product of blocks.
 * Their ratios count: predictions scale them by a measured rate (predicted_tasks.h). */
#define SECONDS_PER_FLOP    2e-11
#define SECONDS_PER_ELEMENT 5e-10
#define SECONDS_PER_PRODUCT 1e-6

/* The time that a task is expected to take, in these seconds. */
double contraction_task_seconds(const struct contraction *contraction, int64_t task);

/* A block that a task reads, or that it writes. */
enum contraction_place { CONTRACTION_A, CONTRACTION_B, CONTRACTION_C };
struct contraction_access {
    int problem; /* one of those whose tensor it is a block of */
    enum contraction_place place;
    bool writes;
    int64_t block;
    int64_t elements;
};

typedef enum status contraction_visitor(const struct contraction_access *access, void *context);

/* Calls visit for each block of a task, the one that is written last; some may be read several
 * times. A task that makes a part of a block or of a scalar writes none. Stops at the first failure and returns it. */
enum status contraction_visit_blocks(const struct contraction *contraction, int64_t task,
                                     contraction_visitor *visit, void *context);

/* Gives the tensors, where the problem did not have them; B is NULL without B. Borrowed. */
void contraction_bind(struct contraction *contraction, int problem, struct tensor *C,
                      struct tensor *A, struct tensor *B);

/* Makes the pool (anew, if there is one: forgets its history). Collective.
 * Errors: as taskpool_create. */
enum status contraction_start(struct contraction *contraction, const struct taskpool_settings *pool,
                              MPI_Comm comm);

/* Runs it once; from the second time on the pool is restored before. Collective; what was
 * written to the tensors must have been synchronised, and what this writes is. Errors: as
 * taskpool_run, STATUS_NO_MEMORY; the same on every process, C is then undefined. */
enum status contraction_run(struct contraction *contraction);

/* Borrowed; NULL before contraction_start. */
const struct taskpool *contraction_pool(const struct contraction *contraction);
