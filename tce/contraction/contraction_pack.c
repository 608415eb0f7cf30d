#include "tce/contraction/contraction_matrix.h"
#include "tce/tensor/permute.h"

#include <assert.h>

static_assert((int)PERMUTE_MAX_RANK >= (int)MAX_RANK, "every block can be permuted");

/* Steps of `position` through all values of the list's indices, the last one fastest; false
 * when it is back at the first. value counts, from zeros. */
static bool step(const struct index_list *list, const int64_t extent[], const int64_t stride[],
                 int64_t value[MAX_RANK], int64_t *position)
{
    for (int d = list->n - 1; d >= 0; d--) {
        int index = list->index[d];
        *position += stride[index];
        if (++value[d] < extent[index])
            return true;
        *position -= value[d] * stride[index];
        value[d] = 0;
    }
    return false;
}

void contraction_pack(const struct index_list *from, const struct index_list *to,
                      const int64_t extent[MAX_INDICES], double factor, const double *source,
                      bool add, double *destination)
{
    int64_t stride[MAX_INDICES] = {0}, size = 1, position = 0, value[MAX_RANK] = {0};
    for (int d = from->n - 1; d >= 0; d--) {
        /* What occurs twice steps along a diagonal. */
        stride[from->index[d]] += size;
        size *= extent[from->index[d]];
    }
    struct permute_shape shape = {.rank = to->n};
    for (int d = 0; d < to->n; d++) {
        shape.extent[d] = extent[to->index[d]];
        shape.stride[d] = stride[to->index[d]];
    }
    struct index_list lone = {0};
    for (int d = 0; d < from->n; d++)
        if (index_list_count(to, from->index[d]) == 0 &&
            index_list_count(&lone, from->index[d]) == 0)
            index_list_append(&lone, from->index[d]);
    do {
        permute(&shape, factor, source + position, add, destination);
        add = true;
    } while (step(&lone, extent, stride, value, &position));
}
