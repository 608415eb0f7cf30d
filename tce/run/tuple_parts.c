/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/tuple_parts.h"

#include "support/arrays/darray.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/mpi/long_reduce.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Parts are stored no more often, and no more often than takes this fraction of the time. */
static const double STORED_EVERY_S = 1, STORING_FRACTION = 0.005;

struct tuple_parts {
    MPI_Comm comm;
    int rank;
    int64_t n_tuples;
    int n_scalars;
    struct darray
        *parts; /* a block for each tuple; NaN until it is finished; NULL without scalars */
    struct tuple_table
        table;     /* on process 0, with those that it has read so far; else parts is NULL */
    int64_t *left; /* tuples that are left; NULL: all */

    const struct tuple_store *store;
    const char *inputs;
    double next_store_s;
};

static enum status create_parts(struct tuple_parts *self)
{
    size_t n = (size_t)self->n_tuples;
    int64_t *size = malloc((n + 1) * sizeof *size);
    if (self->rank == 0)
        self->table.parts = malloc((n * (size_t)self->n_scalars + 1) * sizeof(double));
    enum status status =
        status_agree(self->comm, CHECK_MEMORY(size && (self->rank > 0 || self->table.parts),
                                              "no memory for the parts of %lld tuples of tiles",
                                              (long long)self->n_tuples));
    for (size_t i = 0; i < n && status == STATUS_OK; i++)
        size[i] = self->n_scalars;
    if (status == STATUS_OK && self->n_scalars > 0)
        status =
            darray_create("parts of tuples", DARRAY_DOUBLE, self->n_tuples, size, &self->parts);
    free(size);
    return status;
}

enum status tuple_parts_create(MPI_Comm comm, int64_t n_tuples, int n_scalars,
                               struct tuple_parts **parts)
{
    struct tuple_parts *made = *parts = agree_calloc(comm, sizeof *made, "parts of tuples");
    if (!made)
        return STATUS_NO_MEMORY;
    *made = (struct tuple_parts){.comm = comm,
                                 .n_tuples = n_tuples,
                                 .n_scalars = n_scalars,
                                 .table = {n_tuples, n_scalars, NULL}};
    MPI_Comm_rank(comm, &made->rank);
    enum status status = create_parts(made);
    if (status != STATUS_OK) {
        tuple_parts_destroy(made);
        *parts = NULL;
    }
    return status;
}

void tuple_parts_destroy(struct tuple_parts *self)
{
    if (!self)
        return;
    darray_destroy(self->parts);
    free(self->table.parts);
    free(self->left);
    free(self);
}

/* --- tuples that are left --- */

bool tuple_table_is_finished(const struct tuple_table *table, int64_t tuple)
{
    for (int i = 0; i < table->n_scalars; i++)
        if (isnan(table->parts[tuple * table->n_scalars + i]))
            return false;
    return true;
}

/* Lists them, from a flag of each that the tuple is finished. */
static void list_left(struct tuple_parts *self, const bool finished[], int64_t *n_left)
{
    *n_left = 0;
    for (int64_t tuple = 0; tuple < self->n_tuples; tuple++)
        if (!finished[tuple])
            self->left[(*n_left)++] = tuple;
}

static enum status find_left(struct tuple_parts *self, int64_t *n_left)
{
    size_t n = (size_t)self->n_tuples + 1;
    bool *finished = calloc(n, sizeof *finished);
    self->left = malloc(n * sizeof *self->left);
    enum status status =
        status_agree(self->comm, CHECK_MEMORY(finished && self->left,
                                              "no memory for a list of %lld tuples of tiles",
                                              (long long)self->n_tuples));
    if (status != STATUS_OK)
        goto done;
    for (int64_t tuple = 0; self->rank == 0 && tuple < self->n_tuples; tuple++)
        finished[tuple] = tuple_table_is_finished(&self->table, tuple);
    long_reduce(finished, self->n_tuples, MPI_C_BOOL, MPI_LOR, self->comm);
    list_left(self, finished, n_left);
done:
    free(finished);
    return status;
}

/* Sets all parts of this process, and the table on process 0, to NaN. */
static void clear_parts(const struct tuple_parts *self)
{
    for (int64_t tuple = 0; self->parts && tuple < self->n_tuples; tuple++) {
        double *part = darray_local(self->parts, tuple);
        for (int i = 0; part && i < self->n_scalars; i++)
            part[i] = NAN;
    }
    for (int64_t i = 0; self->rank == 0 && i < self->n_tuples * self->n_scalars; i++)
        self->table.parts[i] = NAN;
    darray_sync();
}

enum status tuple_parts_begin(struct tuple_parts *self, const struct tuple_store *store,
                              const char inputs[SHA256_HEX_SIZE], int64_t *n_left)
{
    self->store = self->n_scalars > 0 ? store : NULL;
    self->inputs = inputs;
    self->next_store_s = clock_now_s() + STORED_EVERY_S;
    free(self->left);
    self->left = NULL;
    *n_left = self->n_tuples;
    clear_parts(self);
    if (!self->store || !store->read)
        return STATUS_OK;
    if (self->rank == 0)
        store->read(&self->table, inputs, store->context);
    return find_left(self, n_left);
}

int64_t tuple_parts_tuple(const struct tuple_parts *self, int64_t number)
{
    return self->left ? self->left[number] : number;
}

/* --- tuples that are finished --- */

/* Reads the tuples that the table lacks; whether any is finished by now. */
static bool read_parts(struct tuple_parts *self)
{
    bool is_new = false;
    for (int64_t tuple = 0; self->parts && tuple < self->n_tuples; tuple++) {
        if (tuple_table_is_finished(&self->table, tuple))
            continue;
        darray_get(self->parts, tuple, self->table.parts + tuple * self->n_scalars);
        is_new = is_new || tuple_table_is_finished(&self->table, tuple);
    }
    return is_new;
}

static void store_parts(struct tuple_parts *self)
{
    double start_s = clock_now_s();
    if (read_parts(self) && self->store)
        self->store->write(&self->table, self->inputs, self->store->context);
    double now_s = clock_now_s();
    self->next_store_s = now_s + fmax(STORED_EVERY_S, (now_s - start_s) / STORING_FRACTION);
}

void tuple_parts_add(struct tuple_parts *self, int64_t tuple, const double values[])
{
    if (self->parts)
        darray_put(self->parts, tuple, values);
    tuple_parts_poll(self);
}

void tuple_parts_poll(struct tuple_parts *self)
{
    if (self->rank == 0 && self->store && clock_now_s() >= self->next_store_s)
        store_parts(self);
}

void tuple_parts_end(struct tuple_parts *self)
{
    darray_sync();
    if (self->rank == 0)
        store_parts(self);
}

double tuple_parts_sum(const struct tuple_parts *self, int scalar)
{
    double sum = 0;
    for (int64_t tuple = 0; tuple < self->n_tuples; tuple++)
        sum += self->table.parts[tuple * self->n_scalars + scalar];
    return sum;
}
