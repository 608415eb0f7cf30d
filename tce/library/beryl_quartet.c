/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/library/beryl_quartet.h"

#include "basis/integrals/shell_pairs.h"

#include <stdlib.h>
#include <string.h>

/* Shells, and the integrals of the groups that they belong to, as the engine leaves them. */
struct group_quartet {
    const struct shells *shells;
    const struct shell *shell[4];
    int64_t group[4];
    double *values;
    int64_t stride[4];
};

static int64_t find_shell_group(const struct shells *shells, int64_t shell)
{
    int64_t group = shells->n_groups - 1;
    while (shells->groups[group].first_shell > shell)
        group--;
    return group;
}

static enum status create_pair(const struct group_quartet *quartet, int side,
                               struct shell_pairs **pair)
{
    const int64_t *group = quartet->group + (ptrdiff_t)2 * side;
    struct shell_rectangle one = {.first = {group[0], group[1]},
                                  .last = {group[0] + 1, group[1] + 1}};
    return shell_pairs_create(quartet->shells, &one, NULL, 0, pair);
}

/* The engine takes as bra the side of lower angular momentum, and as first group of a pair the one
 * of higher type: sets the distance in memory of neighbours in each of the four indices. */
static void find_index_strides(const struct pair_class *const class[2], bool exchanged,
                               int64_t stride[4])
{
    const struct pair_class *ket = class[!exchanged];
    for (int side = 0; side < 2; side++) {
        bool is_bra = (side == 0) != exchanged;
        int64_t unit = QUARTET_LANES * (is_bra ? (int64_t)ket->n_first * ket->n_second : 1);
        bool swapped = class[side]->pairs[0].swapped;
        stride[2 * side + swapped] = unit * class[side]->n_second;
        stride[2 * side + !swapped] = unit;
    }
}

/* pair: of bra and ket; a pair without significant products has no class. */
static enum status compute_groups(struct group_quartet *quartet, struct two_electron *two_electron,
                                  struct shell_pairs *const pair[2])
{
    if (pair[0]->n_classes == 0 || pair[1]->n_classes == 0)
        return STATUS_OK;
    const struct pair_class *class[2] = {pair[0]->classes, pair[1]->classes};
    bool exchanged =
        class[0]->l_first + class[0]->l_second > class[1]->l_first + class[1]->l_second;
    struct quartet first = {0, 0};
    struct quartet_batch batch = {class[exchanged], class[!exchanged], 1, &first};
    size_t size = (size_t)batch_size(quartet_n_integrals(class[0], class[1]), 1);
    quartet->values = aligned_alloc(QUARTET_LANES * sizeof(double), size * sizeof(double));
    TRY(CHECK_MEMORY(quartet->values, "no memory for the integrals of a quartet of shells"));
    two_electron_compute(two_electron, &batch, quartet->values);
    find_index_strides(class, exchanged, quartet->stride);
    return STATUS_OK;
}

static void copy_shells(const struct group_quartet *quartet, double *integrals)
{
    const int64_t *stride = quartet->stride;
    const double *from = quartet->values;
    for (int i = 0; i < 4; i++)
        from += stride[i] * (quartet->shell[i]->first_function -
                             quartet->shells->groups[quartet->group[i]].first_function);
    for (int a = 0; a < quartet->shell[0]->n_functions; a++)
        for (int b = 0; b < quartet->shell[1]->n_functions; b++)
            for (int c = 0; c < quartet->shell[2]->n_functions; c++)
                for (int d = 0; d < quartet->shell[3]->n_functions; d++)
                    *integrals++ =
                        from[a * stride[0] + b * stride[1] + c * stride[2] + d * stride[3]];
}

enum status beryl_quartet_compute(const struct shells *shells, struct two_electron *two_electron,
                                  const int64_t shell[4], double *integrals)
{
    struct group_quartet quartet = {.shells = shells};
    struct shell_pairs *pair[2] = {NULL, NULL};
    size_t n = 1;
    for (int i = 0; i < 4; i++) {
        quartet.shell[i] = &shells->shells[shell[i]];
        quartet.group[i] = find_shell_group(shells, shell[i]);
        n *= (size_t)quartet.shell[i]->n_functions;
    }
    enum status status = create_pair(&quartet, 0, &pair[0]);
    if (status == STATUS_OK)
        status = create_pair(&quartet, 1, &pair[1]);
    if (status == STATUS_OK)
        status = compute_groups(&quartet, two_electron, pair);
    if (quartet.values)
        copy_shells(&quartet, integrals);
    else if (status == STATUS_OK)
        memset(integrals, 0, n * sizeof *integrals);
    free(quartet.values);
    shell_pairs_destroy(pair[0]);
    shell_pairs_destroy(pair[1]);
    return status;
}
