/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/tiling.h"

#include <math.h>
#include <stdlib.h>

/* As in Lifflander et al. (2012): tiles of 40 x 40 stay in the processor's caches. */
enum { LARGEST_TARGET = 40 };

/* Four tiles make 55 tasks that the eight-fold symmetry leaves different, three 21, two 6, the largest of
 * them 3, 10 and 25 % of a dense build. Where the symmetry of the molecule leaves a part of the shell
 * quartets, fewer tiles keep enough of a class together to fill vectors; builds of a basis of up to one
 * tile of 40 are too short to matter. */
enum { MOST_TILES = 4 };

/* Number of the first group after the tile that begins with one. */
static int64_t end_of_tile(const struct shells *shells, int64_t first, int64_t target)
{
    int64_t n_functions = n_functions_of_group(shells, first), end = first + 1;
    while (end < shells->n_groups && n_functions + n_functions_of_group(shells, end) <= target)
        n_functions += n_functions_of_group(shells, end++);
    return end;
}

static int64_t count_group_tiles(const struct shells *shells, int64_t target)
{
    int64_t n_tiles = 0;
    for (int64_t g = 0; g < shells->n_groups; n_tiles++)
        g = end_of_tile(shells, g, target);
    return n_tiles;
}

int64_t tiling_default_target(const struct shells *shells, int n_commuting)
{
    int64_t target = shells->max_group_functions, n_tiles = MOST_TILES;
    if (n_commuting > 1 && shells->n_functions > LARGEST_TARGET)
        n_tiles = (shells->n_functions + LARGEST_TARGET - 1) / LARGEST_TARGET;
    if (n_tiles > MOST_TILES)
        n_tiles = MOST_TILES;
    while (target < LARGEST_TARGET && count_group_tiles(shells, target) > n_tiles)
        target++;
    return target;
}

enum status tiling_create(const struct shells *shells, int64_t target, struct tiling **tiling)
{
    struct tiling *made = calloc(1, sizeof *made);
    *tiling = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the tiles"));
    made->shells = shells;
    size_t size = (size_t)(shells->n_groups + 1) * sizeof(int64_t);
    made->first_group = malloc(size);
    made->first_shell = malloc(size);
    made->first_function = malloc(size);
    if (!made->first_group || !made->first_shell || !made->first_function) {
        tiling_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for the tiles of %lld shells",
                    (long long)shells->n_shells);
    }
    for (int64_t g = 0; g < shells->n_groups; made->n_tiles++) {
        made->first_group[made->n_tiles] = g;
        made->first_shell[made->n_tiles] = shells->groups[g].first_shell;
        made->first_function[made->n_tiles] = shells->groups[g].first_function;
        g = end_of_tile(shells, g, target);
    }
    made->first_group[made->n_tiles] = shells->n_groups;
    made->first_shell[made->n_tiles] = shells->n_shells;
    made->first_function[made->n_tiles] = shells->n_functions;
    for (int64_t I = 0; I < made->n_tiles; I++) {
        int64_t n_functions = tile_n_functions(made, I), n_groups = tile_n_groups(made, I);
        made->max_functions = n_functions > made->max_functions ? n_functions : made->max_functions;
        made->max_groups = n_groups > made->max_groups ? n_groups : made->max_groups;
    }
    *tiling = made;
    return STATUS_OK;
}

void tiling_destroy(struct tiling *tiling)
{
    if (!tiling)
        return;
    free(tiling->first_group);
    free(tiling->first_shell);
    free(tiling->first_function);
    free(tiling);
}

void tile_pair_of_index(int64_t index, int64_t *I, int64_t *J)
{
    /* The square root of a double may be off by one row for large indices; and twice
     * the number of the next row's first pair may pass 2^63. */
    uint64_t n = (uint64_t)index;
    uint64_t row = (uint64_t)((sqrt(8.0 * (double)index + 1) - 1) / 2);
    while (row * (row + 1) / 2 > n)
        row--;
    while ((row + 1) * (row + 2) / 2 <= n)
        row++;
    *I = (int64_t)row;
    *J = (int64_t)(n - row * (row + 1) / 2);
}
