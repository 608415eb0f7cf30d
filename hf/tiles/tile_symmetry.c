/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/tile_symmetry.h"

#include <math.h>
#include <stdlib.h>

static int n_functions_of(const struct shells *shells, int l)
{
    return angular_map(l, shells->spherical)->n_functions;
}

static int64_t turn_elements(const struct shells *shells)
{
    int64_t sum = 0;
    for (int l = 0; l <= shells->max_l; l++)
        sum += (int64_t)n_functions_of(shells, l) * n_functions_of(shells, l);
    return sum;
}

/* Elements that are integers but for rounding become so: changes of sign and exchanges of coordinates
 * then round nothing. */
static void clear_rounding(int64_t n, double *T)
{
    for (int64_t i = 0; i < n * n; i++)
        T[i] = fabs(T[i] - rint(T[i])) < 1e-13 ? rint(T[i]) : T[i];
}

static void set_turns(struct tile_symmetry *symmetry)
{
    const struct shells *shells = symmetry->tiling->shells;
    double *next = symmetry->turn_storage;
    for (int k = 0; k < symmetry->group->order; k++)
        for (int l = 0; l <= shells->max_l; l++) {
            int64_t n = n_functions_of(shells, l);
            angular_image(l, shells->spherical, symmetry->group->matrix[k], next);
            symmetry->turns[k][l] = next;
            clear_rounding(n, next);
            next += n * n;
        }
}

/* Shells come in the order of atoms, those of alike atoms in one order. */
static void set_shell_images(struct tile_symmetry *symmetry, int64_t *first_shell)
{
    const struct shells *shells = symmetry->tiling->shells;
    for (int64_t s = shells->n_shells - 1; s >= 0; s--)
        first_shell[shells->shells[s].atom] = s;
    for (int k = 0; k < symmetry->group->order; k++)
        for (int64_t s = 0; s < shells->n_shells; s++) {
            int64_t atom = shells->shells[s].atom;
            int64_t image = symmetry->group->images[k * symmetry->group->n_atoms + atom];
            symmetry->shell_images[k * shells->n_shells + s] =
                first_shell[image] + s - first_shell[atom];
        }
}

/* Groups are consecutive shells of one atom. */
static void set_group_images(struct tile_symmetry *symmetry, int64_t *group_of_shell)
{
    const struct shells *shells = symmetry->tiling->shells;
    for (int64_t g = 0; g < shells->n_groups; g++)
        group_of_shell[shells->groups[g].first_shell] = g;
    for (int k = 0; k < symmetry->group->order; k++)
        for (int64_t g = 0; g < shells->n_groups; g++)
            symmetry->group_images[k * shells->n_groups + g] =
                group_of_shell[symmetry->shell_images[k * shells->n_shells +
                                                      shells->groups[g].first_shell]];
}

static void set_shell_tiles(struct tile_symmetry *symmetry)
{
    const struct tiling *tiling = symmetry->tiling;
    for (int64_t I = 0; I < tiling->n_tiles; I++)
        for (int64_t s = tiling->first_shell[I]; s < tiling->first_shell[I + 1]; s++)
            symmetry->shell_tiles[s] = I;
}

static enum status fill_symmetry(struct tile_symmetry *symmetry)
{
    const struct shells *shells = symmetry->tiling->shells;
    size_t order = (size_t)symmetry->group->order, n_shells = (size_t)shells->n_shells;
    size_t n_atoms = (size_t)symmetry->group->n_atoms;
    int64_t *scratch = malloc((n_atoms > n_shells ? n_atoms : n_shells) * sizeof *scratch);
    symmetry->shell_images = malloc(order * n_shells * sizeof(int64_t));
    symmetry->group_images = malloc(order * (size_t)shells->n_groups * sizeof(int64_t));
    symmetry->shell_tiles = malloc(n_shells * sizeof(int64_t));
    symmetry->turn_storage = malloc(order * (size_t)turn_elements(shells) * sizeof(double));
    enum status status = CHECK_MEMORY(scratch && symmetry->shell_images && symmetry->group_images &&
                                          symmetry->shell_tiles && symmetry->turn_storage,
                                      "no memory for the symmetry of %zu shells", n_shells);
    if (status == STATUS_OK) {
        set_shell_images(symmetry, scratch);
        set_group_images(symmetry, scratch);
        set_shell_tiles(symmetry);
        set_turns(symmetry);
    }
    free(scratch);
    return status;
}

enum status tile_symmetry_create(const struct tiling *tiling, const struct point_group *group,
                                 struct tile_symmetry **symmetry)
{
    struct tile_symmetry *made = calloc(1, sizeof *made);
    *symmetry = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the symmetry of the basis"));
    made->tiling = tiling;
    made->group = group;
    enum status status = fill_symmetry(made);
    if (status == STATUS_OK)
        *symmetry = made;
    else
        tile_symmetry_destroy(made);
    return status;
}

void tile_symmetry_destroy(struct tile_symmetry *symmetry)
{
    if (!symmetry)
        return;
    free(symmetry->shell_images);
    free(symmetry->group_images);
    free(symmetry->shell_tiles);
    free(symmetry->turn_storage);
    free(symmetry);
}

int64_t tile_symmetry_bytes(const struct tiling *tiling, const struct point_group *group)
{
    const struct shells *shells = tiling->shells;
    int64_t of_operation = shells->n_shells + shells->n_groups + turn_elements(shells);
    return (int64_t)sizeof(struct tile_symmetry) +
           (shells->n_shells + group->order * of_operation) * 8 +
           tile_symmetry_sums_bytes(tiling, group);
}

uint64_t tile_symmetry_fixing(const struct tile_symmetry *symmetry, int n_operations, int64_t a,
                              int64_t b)
{
    uint64_t fixing = 0;
    for (int k = 0; k < n_operations; k++) {
        const int64_t *images = symmetry->group_images + k * symmetry->tiling->shells->n_groups;
        bool fixed = (images[a] == a && images[b] == b) || (images[a] == b && images[b] == a);
        fixing |= (uint64_t)fixed << k;
    }
    return fixing;
}
