/* SPDX-License-Identifier: BSD-3-Clause */
/* Random permutations in odd sizes, diagonals and sums, against plain loops. Equal, bit for bit: nothing is
 * rounded but the factor. */
#include "tce/tensor/permute.h"
#include "tests/cases/random_block.h"
#include "tests/check.h"

#include <stdbool.h>
#include <stdlib.h>

static void check_shape(const struct permute_shape *shape, const double *source)
{
    int64_t n = 1, value[MAX_RANK] = {0};
    for (int d = 0; d < shape->rank; d++)
        n *= shape->extent[d];
    /* A margin on both sides shows writes outside of the block. */
    double *actual = random_block(n + 2), *old = malloc((size_t)(n + 2) * sizeof *old);
    for (int add = 0; add < 2; add++) {
        double factor = add ? -0.75 : 1;
        for (int64_t i = 0; i < n + 2; i++)
            old[i] = actual[i];
        permute(shape, factor, source, add, actual + 1);
        assert_true(actual[0] == old[0] && actual[n + 1] == old[n + 1]);
        for (int64_t i = 0; i < n; i++) {
            int64_t position = 0;
            for (int d = 0; d < shape->rank; d++)
                position += value[d] * shape->stride[d];
            double expected = factor * source[position];
            if (add)
                check_close(actual[i + 1], old[i + 1] + expected, 1e-15);
            else
                assert_true(actual[i + 1] == expected);
            for (int d = shape->rank - 1; d >= 0 && ++value[d] == shape->extent[d]; d--)
                value[d] = 0;
        }
    }
    free(actual);
    free(old);
}

/* order[d] is the index of the source that the destination has at d. */
static void check_order(int rank, const int64_t extent[], const int order[])
{
    struct permute_shape shape = {.rank = rank};
    int64_t stride[MAX_RANK], size = 1;
    for (int d = rank - 1; d >= 0; d--) {
        stride[d] = size;
        size *= extent[d];
    }
    for (int d = 0; d < rank; d++) {
        shape.extent[d] = extent[order[d]];
        shape.stride[d] = stride[order[d]];
    }
    double *source = random_block(size);
    check_shape(&shape, source);
    free(source);
}

/* Random orders: all 24 of four indices occur often. */
TEST(random_orders_and_sizes)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 17, 33, 65};
    random_stream_init(&random_numbers, 2, 0);
    for (int i = 0; i < 1000; i++) {
        int rank = below(i % 4 == 0 ? MAX_RANK + 1 : 5), order[MAX_RANK];
        int64_t extent[MAX_RANK], n = 1;
        for (int d = 0; d < rank; d++) {
            extent[d] = n > 5000 ? 1 + below(2) : sizes[below(rank > 4 ? 8 : 12)];
            n *= extent[d];
            int other = below(d + 1);
            order[d] = order[other];
            order[other] = d;
        }
        check_order(rank, extent, order);
    }
}

TEST(any_strides)
{
    double *source = random_block(200000);
    for (int i = 0; i < 300; i++) {
        struct permute_shape shape = {.rank = 1 + below(4)};
        for (int d = 0; d < shape.rank; d++) {
            shape.extent[d] = 1 + below(11);
            shape.stride[d] = below(3) ? below(4000) : below(3);
        }
        check_shape(&shape, source);
    }
    free(source);
}
