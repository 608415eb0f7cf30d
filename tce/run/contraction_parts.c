/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/contraction_parts.h"

#include "support/base/agree.h"

#include <stdlib.h>
#include <string.h>

/* Elements of the block that task number n of a sum makes, or of a part of it. */
static int64_t block_elements(const struct contraction_sum *sum, int64_t n)
{
    int32_t at[MAX_RANK];
    contraction_tasks_block(sum->lead, n % sum->n_blocks, at);
    return block_index_size(sum->lead->C, at);
}

static void list_part_sizes(const struct contraction_sums *sums, int64_t size[])
{
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        for (int64_t n = 0; sum->n_slices > 1 && n < sum->n_blocks * sum->n_slices; n++)
            size[sum->first_part + n] = block_elements(sum, n);
    }
}

enum status contraction_parts_create(const struct contraction_sums *sums, struct darray **parts)
{
    *parts = NULL;
    if (sums->n_block_parts == 0)
        return STATUS_OK;
    int64_t *size = calloc((size_t)sums->n_block_parts, sizeof *size);
    enum status status =
        status_agree(darray_comm(), CHECK_MEMORY(size, "no memory for the parts of a contraction"));
    if (status != STATUS_OK)
        goto done;
    list_part_sizes(sums, size);
    status =
        darray_create("parts of a contraction", DARRAY_DOUBLE, sums->n_block_parts, size, parts);
done:
    free(size);
    return status;
}

double contraction_parts_elements(const struct contraction_sums *sums)
{
    double elements = 0;
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        for (int64_t n = 0; sum->n_slices > 1 && n < sum->n_blocks; n++)
            elements += (double)sum->n_slices * (double)block_elements(sum, n);
    }
    return elements;
}

static void add_block_part(int64_t n, const double *restrict part, double *restrict block)
{
    for (int64_t i = 0; i < n; i++)
        block[i] += part[i];
}

/* The slices of the block that task number n of the first slice makes a part of. */
static void add_up_block(const struct contraction_sum *sum, int64_t n, bool add,
                         const struct darray *parts, double *scratch, double *block)
{
    for (int64_t slice = 0; slice < sum->n_slices; slice++) {
        int64_t number = sum->first_part + slice * sum->n_blocks + n;
        int64_t size = darray_block_size(parts, number);
        const double *part = darray_near(parts, number);
        if (!part) {
            darray_get(parts, number, scratch);
            part = scratch;
        }
        if (add)
            add_block_part(size, part, block);
        else
            memcpy(block, part, (size_t)size * sizeof *block);
        add = true;
    }
}

void contraction_parts_add_up(const struct contraction_sums *sums, const struct darray *parts,
                              double *scratch)
{
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        const struct contraction_problem *first = &sums->problems[sum->first_term];
        for (int64_t n = 0; sum->n_slices > 1 && n < sum->n_blocks; n++) {
            int32_t at[MAX_RANK];
            double *block =
                darray_local(first->C.tensor->data, contraction_tasks_block(sum->lead, n, at));
            if (block)
                add_up_block(sum, n, first->add, parts, scratch, block);
        }
    }
}
