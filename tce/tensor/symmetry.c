/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/symmetry.h"

#include <stdlib.h>
#include <string.h>

struct signed_permutation symmetry_identity(void)
{
    struct signed_permutation identity = {.sign = 1};
    for (int d = 0; d < MAX_RANK; d++)
        identity.place[d] = (int8_t)d;
    return identity;
}

/* First `first`, then `then`. */
static struct signed_permutation compose_permutations(int rank,
                                                      const struct signed_permutation *first,
                                                      const struct signed_permutation *then)
{
    struct signed_permutation made = symmetry_identity();
    made.sign = (int8_t)(first->sign * then->sign);
    for (int d = 0; d < rank; d++)
        made.place[d] = first->place[then->place[d]];
    return made;
}

int symmetry_sign(const struct symmetry *symmetry, int rank,
                  const struct signed_permutation *permutation)
{
    for (int e = 0; e < symmetry->n; e++)
        if (memcmp(symmetry->elements[e].place, permutation->place, (size_t)rank) == 0)
            return symmetry->elements[e].sign;
    return 0;
}

/* Every element times every generator, until nothing new is made. */
static enum status close_group(int rank, int n, const struct signed_permutation generators[],
                               struct symmetry *symmetry, bool *contradicts)
{
    for (int e = 0; e < symmetry->n; e++)
        for (int g = 0; g < n; g++) {
            const struct signed_permutation made =
                compose_permutations(rank, &symmetry->elements[e], &generators[g]);
            int sign = symmetry_sign(symmetry, rank, &made);
            *contradicts = *contradicts || (sign != 0 && sign != made.sign);
            if (sign != 0)
                continue;
            if (symmetry->n == SYMMETRY_MAX)
                return FAIL(STATUS_LIMIT, "a symmetry of more than %d permutations", SYMMETRY_MAX);
            symmetry->elements[symmetry->n++] = made;
        }
    return STATUS_OK;
}

enum status symmetry_generate(int rank, int n, const struct signed_permutation generators[],
                              struct symmetry *symmetry, bool *contradicts)
{
    *contradicts = false;
    *symmetry = (struct symmetry){.elements = calloc(SYMMETRY_MAX, sizeof *symmetry->elements)};
    TRY(CHECK_MEMORY(symmetry->elements, "no memory for the symmetry of a tensor"));
    symmetry->elements[symmetry->n++] = symmetry_identity();
    enum status status = close_group(rank, n, generators, symmetry, contradicts);
    if (status != STATUS_OK) {
        symmetry_fini(symmetry);
        return status;
    }
    void *less = realloc(symmetry->elements, (size_t)symmetry->n * sizeof *symmetry->elements);
    symmetry->elements = less ? less : symmetry->elements;
    return STATUS_OK;
}

void symmetry_fini(struct symmetry *symmetry)
{
    free(symmetry->elements);
    *symmetry = (struct symmetry){0};
}

void symmetry_restrict(struct symmetry *symmetry, int rank, const int class_of[])
{
    int n = 0;
    for (int e = 0; e < symmetry->n; e++) {
        bool keeps = true;
        for (int d = 0; d < rank; d++)
            keeps = keeps && class_of[symmetry->elements[e].place[d]] == class_of[d];
        if (keeps)
            symmetry->elements[n++] = symmetry->elements[e];
    }
    symmetry->n = n;
}
