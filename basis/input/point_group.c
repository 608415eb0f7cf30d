/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/point_group.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void point_group_fini(struct point_group *group)
{
    free(group->images);
    *group = (struct point_group){0};
}

static bool moves_centers(const struct point_group *group, int k)
{
    for (int64_t atom = 0; atom < group->n_atoms; atom++)
        if (group->images[k * group->n_atoms + atom] != atom)
            return true;
    return false;
}

static void copy_operation(const struct point_group *group, int k, struct point_group *to)
{
    int place = to->order++;
    to->signs[place] = group->signs[k];
    to->inverse[place] = place;
    memcpy(to->matrix[place], group->matrix[k], sizeof to->matrix[place]);
    memcpy(to->images + place * group->n_atoms, group->images + k * group->n_atoms,
           (size_t)group->n_atoms * sizeof *group->images);
}

/* Signs of products are exclusive ors: sets of signs are bits, those of signs s times all of a set are
 * permuted. */
static unsigned times_signs(unsigned set, int signs)
{
    unsigned product = 0;
    for (int s = 0; s < POINT_GROUP_MAX_ORDER; s++)
        product |= (set >> s & 1u) << (s ^ signs);
    return product;
}

/* Signs, as bits, of a subgroup that with the operations that leave all centres makes up the group. */
static unsigned find_moving(const struct point_group *group)
{
    unsigned covered = 0, kept = 1;
    for (int k = 0; k < group->order; k++)
        if (!moves_centers(group, k))
            covered |= 1u << group->signs[k];
    for (int k = 1; k < group->order; k++)
        if (!(covered >> group->signs[k] & 1u)) {
            kept |= times_signs(kept, group->signs[k]);
            covered |= times_signs(covered, group->signs[k]);
        }
    return kept;
}

enum status point_group_take_moving(const struct point_group *group, struct point_group *moving)
{
    size_t n_images = (size_t)(group->order * group->n_atoms);
    unsigned kept = find_moving(group);
    *moving = *group;
    moving->order = 0;
    moving->images = malloc(n_images * sizeof *moving->images);
    if (!moving->images)
        *moving = (struct point_group){0};
    TRY(CHECK_MEMORY(moving->images, "no memory for the symmetry of %lld centres",
                     (long long)group->n_atoms));
    for (int k = 0; k < group->order; k++)
        if (kept >> group->signs[k] & 1u)
            copy_operation(group, k, moving);
    return STATUS_OK;
}

/* Representations of all eight sign changes are the products of the signs along a set of axes. Those
 * of a subgroup are restrictions of them, numbered by the first set that gives each. */
static int signs_parity(int axes, int signs)
{
    int both = axes & signs;
    return (both ^ both >> 1 ^ both >> 2) & 1;
}

static bool restrict_alike(const struct point_group *group, int axes, int other)
{
    for (int k = 0; k < group->order; k++)
        if (signs_parity(axes, group->signs[k]) != signs_parity(other, group->signs[k]))
            return false;
    return true;
}

static bool is_restricted_before(const struct point_group *group, int axes)
{
    for (int other = 0; other < axes; other++)
        if (restrict_alike(group, axes, other))
            return true;
    return false;
}

int point_group_character(const struct point_group *group, int r, int k)
{
    int axes = 0;
    for (int n = 0; n < r || is_restricted_before(group, axes); axes++)
        n += !is_restricted_before(group, axes);
    return signs_parity(axes, group->signs[k]) ? -1 : 1;
}
