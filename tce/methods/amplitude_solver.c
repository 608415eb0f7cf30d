/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/amplitude_solver.h"

#include "support/arrays/diis.h"
#include "support/base/agree.h"
#include "tce/tensor/tensor_algebra.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct amplitude_solver {
    int n, size, n_steps;
    MPI_Comm comm;
    struct tensor *const *x, *const *f; /* n */
    struct tensor **tensors;            /* of all steps, n_step_tensors */
    struct amplitude_step *steps; /* size; [0, n_steps) from the oldest on; borrowed tensors */
    double *B;                    /* size x size: scalar products of errors, as steps */
    /* size of each, for the step at hand */
    double *row; /* of B, or the coefficients */
    const struct tensor **images;
    struct tensor_vector *errors;
    double *lines; /* scratch of tensor_dots */
};

enum { STEP_TENSORS = 2 }; /* image and error of an unknown */

int64_t amplitude_solver_count_tensors(int n, int size)
{
    return (int64_t)STEP_TENSORS * size * n;
}

static int n_step_tensors(const struct amplitude_solver *self)
{
    return (int)amplitude_solver_count_tensors(self->n, self->size);
}

/* The tensors of all steps. */
static enum status create_steps(struct amplitude_solver *self)
{
    int n = self->n, n_tensors = n_step_tensors(self);
    struct tensor_shape *shapes = calloc((size_t)n_tensors, sizeof *shapes);
    enum status status =
        status_agree(self->comm, CHECK_MEMORY(shapes, "no memory for the steps of DIIS"));
    if (status != STATUS_OK)
        goto done;
    for (int i = 0; i < n_tensors; i++)
        shapes[i] = (struct tensor_shape){i / n % 2 == 0 ? "DIIS amplitudes" : "DIIS errors",
                                          block_index_labels(self->x[i % n]->blocks)};
    status = tensor_create_several(n_tensors, shapes, self->comm, self->tensors);
    for (int s = 0; s < self->size; s++) {
        struct tensor **image = self->tensors + (ptrdiff_t)STEP_TENSORS * s * n;
        self->steps[s] = (struct amplitude_step){.image = image, .error = image + n};
    }
done:
    free(shapes);
    return status;
}

static double *create_lines(const struct amplitude_solver *self)
{
    const struct tensor_vector x = {self->n, (const struct tensor *const *)self->x};
    int64_t n_blocks = tensor_vector_n_blocks(&x);
    return malloc((size_t)(n_blocks * (self->size + 1) + 1) * sizeof(double));
}

enum status amplitude_solver_create(int n, struct tensor *const x[], struct tensor *const f[],
                                    int size, MPI_Comm comm, struct amplitude_solver **solver)
{
    struct amplitude_solver *made = calloc(1, sizeof *made);
    if (made) {
        *made = (struct amplitude_solver){.n = n, .size = size, .comm = comm, .x = x, .f = f};
        made->steps = calloc((size_t)size, sizeof *made->steps);
        made->tensors = calloc((size_t)n_step_tensors(made), sizeof(struct tensor *));
        made->B = calloc((size_t)size * (size_t)size, sizeof *made->B);
        made->row = calloc((size_t)size, sizeof *made->row);
        made->images = calloc((size_t)size, sizeof *made->images);
        made->errors = calloc((size_t)size, sizeof *made->errors);
        made->lines = create_lines(made);
    }
    bool complete = made && made->steps && made->tensors && made->B && made->row && made->images &&
                    made->errors && made->lines;
    double n_elements = 0;
    for (int i = 0; i < n; i++)
        n_elements += amplitude_solver_count_elements((double)x[i]->n_elements, size);
    *solver = made;
    TRY(status_agree(comm, CHECK_MEMORY(complete, "no memory for DIIS")));
    darray_reserve(n_elements * sizeof(double));
    return create_steps(made);
}

void amplitude_solver_destroy(struct amplitude_solver *self)
{
    if (!self)
        return;
    for (int i = 0; self->tensors && i < n_step_tensors(self); i++)
        tensor_destroy(self->tensors[i]);
    free(self->tensors);
    free(self->steps);
    free(self->B);
    free(self->row);
    free(self->images);
    free(self->errors);
    free(self->lines);
    free(self);
}

double amplitude_solver_count_elements(double n_elements, int size)
{
    return (double)amplitude_solver_count_tensors(1, size) * n_elements;
}

/* Forgets the n oldest steps, whose tensors become free ones at the end. */
static void drop_oldest_steps(struct amplitude_solver *self, int n)
{
    for (; n > 0; n--) {
        struct amplitude_step oldest = self->steps[0];
        size_t left = (size_t)--self->n_steps;
        memmove(self->steps, self->steps + 1, left * sizeof *self->steps);
        self->steps[left] = oldest;
        for (size_t i = 0; i < left; i++)
            memmove(self->B + i * (size_t)self->size, self->B + (i + 1) * (size_t)self->size + 1,
                    left * sizeof *self->B);
    }
}

/* f(x) and f(x) - x, where the step is to keep them. */
static void fill_step(const struct amplitude_solver *self, const struct amplitude_step *step)
{
    static const double difference[] = {1, -1};
    for (int i = 0; i < self->n; i++) {
        const struct tensor *terms[] = {self->f[i], self->x[i]};
        tensor_combine(1, difference, terms, step->image[i]);
        tensor_combine(2, difference, terms, step->error[i]);
    }
}

/* The scalar products of the newest error with all of them. */
static enum status extend_B(struct amplitude_solver *self, double *change)
{
    int newest = self->n_steps - 1;
    for (int s = 0; s <= newest; s++)
        self->errors[s] =
            (struct tensor_vector){self->n, (const struct tensor *const *)self->steps[s].error};
    tensor_dots(&self->errors[newest], newest + 1, self->errors, self->lines, self->row, change);
    for (int s = 0; s <= newest; s++)
        self->B[newest * self->size + s] = self->B[s * self->size + newest] = self->row[s];
    if (!isfinite(self->row[newest]))
        return FAIL(STATUS_NUMERIC, "the iteration has left the range of numbers");
    return STATUS_OK;
}

/* Keeps x and f(x) as the newest step: on each process its own blocks. */
static enum status push_step(struct amplitude_solver *self, double *change)
{
    if (self->n_steps == self->size)
        drop_oldest_steps(self, 1);
    fill_step(self, &self->steps[self->n_steps++]);
    return extend_B(self, change);
}

/* x from the steps [first, n_steps) with the coefficients in `row`. */
static void combine_images(const struct amplitude_solver *self, int first)
{
    for (int i = 0; i < self->n; i++) {
        for (int s = first; s < self->n_steps; s++)
            self->images[s] = self->steps[s].image[i];
        tensor_combine(self->n_steps - first, self->row + first, self->images + first, self->x[i]);
    }
}

static enum status extrapolate_amplitudes(struct amplitude_solver *self)
{
    int n_dropped;
    enum status status =
        diis_coefficients(self->n_steps, self->B, self->size, self->row, &n_dropped);
    if (status == STATUS_OK)
        combine_images(self, n_dropped);
    TRY(darray_sync_and_agree(status));
    drop_oldest_steps(self, n_dropped);
    return STATUS_OK;
}

const struct amplitude_step *amplitude_solver_steps(const struct amplitude_solver *self, int *n)
{
    *n = self->n_steps;
    return self->steps;
}

enum status amplitude_solver_resume(struct amplitude_solver *self, int n_steps)
{
    double change;
    assert(self->n_steps == 0 && n_steps <= self->size);
    while (self->n_steps < n_steps) {
        self->n_steps++;
        TRY(extend_B(self, &change));
    }
    return STATUS_OK;
}

enum status amplitude_solver_step(struct amplitude_solver *self, double *change, double *norm)
{
    TRY(push_step(self, change));
    *norm = sqrt(self->row[self->n_steps - 1]); /* where extend_B has left it */
    return extrapolate_amplitudes(self);
}
