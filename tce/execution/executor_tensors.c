/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/executor_private.h"

#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>

/* Memory that idle intermediates may take beyond the plan's peak: a fraction of the peak, or
 * elements. The allowance in elements lets a small run allocate them once: an allocation takes as
 * long as one of its iterations. */
static const double SPARE_FRACTION = 0.01, SPARE_ELEMENTS = 1e6;

static enum status create_tensor(struct executor *self, int tensor)
{
    const struct plan_tensor *planned = &self->plan->tensors[tensor];
    TRY(tensor_create(planned->name, &planned->labels, self->comm, &self->tensors[tensor]));
    self->elements += planned->elements;
    return STATUS_OK;
}

enum status executor_create_kept_tensors(struct executor *self)
{
    const struct plan *plan = self->plan;
    int n_kept = 0, n = plan->n_tensors;
    struct tensor_shape *shapes = calloc((size_t)n + 1, sizeof *shapes);
    struct tensor **made = calloc((size_t)n + 1, sizeof(struct tensor *));
    enum status status =
        status_agree(self->comm, CHECK_MEMORY(shapes && made, "no memory for %d tensors", n));
    if (status != STATUS_OK)
        goto done;
    for (int i = 0; i < n; i++) {
        if (!plan_keeps_tensor(plan, i))
            continue;
        shapes[n_kept++] = (struct tensor_shape){plan->tensors[i].name, &plan->tensors[i].labels};
        self->elements += plan->tensors[i].elements;
    }
    status = tensor_create_several(n_kept, shapes, self->comm, made);
    n_kept = 0;
    for (int i = 0; i < n && status == STATUS_OK; i++)
        if (plan_keeps_tensor(plan, i))
            self->tensors[i] = made[n_kept++];
done:
    free(shapes);
    free(made);
    return status;
}

static void destroy_tensor(struct executor *self, int tensor)
{
    tensor_destroy(self->tensors[tensor]);
    self->tensors[tensor] = NULL;
    self->idle[tensor] = false;
    self->elements -= self->plan->tensors[tensor].elements;
}

enum status executor_claim_intermediate(struct executor *self, int tensor)
{
    const struct plan *plan = self->plan;
    double spare = fmax(SPARE_FRACTION * plan->peak_elements, SPARE_ELEMENTS);
    double budget = plan->peak_elements + spare - plan->tensors[tensor].elements;
    if (!self->tensors[tensor]) {
        for (int i = plan->n_program_tensors; i < plan->n_tensors && self->elements > budget; i++)
            if (self->idle[i])
                destroy_tensor(self, i);
        TRY(create_tensor(self, tensor));
    }
    self->idle[tensor] = false;
    return STATUS_OK;
}

void executor_reserve_tensors(const struct plan *plan, double more_bytes, MPI_Comm comm)
{
    int n_processes;
    double parts = 0, intermediates = plan->peak_elements;
    MPI_Comm_size(comm, &n_processes);
    for (int i = 0; i < plan->n_tensors; i++) {
        if (!plan_keeps_tensor(plan, i))
            continue;
        parts += tensor_longest_part(&plan->tensors[i].labels, n_processes);
        intermediates -= plan->tensors[i].elements;
    }
    darray_reserve((parts * n_processes + fmax(0, intermediates)) * sizeof(double) + more_bytes);
}
