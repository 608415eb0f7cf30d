#include "hf/tiles/tiling.h"

#include <math.h>
#include <stdlib.h>

/* That of the papers: tiles of 40 x 40 stay in the caches. */
enum { LARGEST_TARGET = 40 };

/* Four tiles make 55 tasks that symmetry leaves different, the largest 3 % of a dense build, from
 * shell quartets of a class in numbers that still fill vectors. */
enum { WANTED_TILES = 4 };

/* Number of the first shell after the tile that begins with one. */
static int64_t end_of_tile(const struct shells *shells, int64_t first, int64_t target)
{
    int64_t n_functions = shells->shells[first].n_functions, end = first + 1;
    while (end < shells->n_shells && n_functions + shells->shells[end].n_functions <= target)
        n_functions += shells->shells[end++].n_functions;
    return end;
}

static int64_t count_shell_tiles(const struct shells *shells, int64_t target)
{
    int64_t n_tiles = 0;
    for (int64_t s = 0; s < shells->n_shells; n_tiles++)
        s = end_of_tile(shells, s, target);
    return n_tiles;
}

int64_t tiling_default_target(const struct shells *shells)
{
    int64_t target = 1;
    for (int64_t s = 0; s < shells->n_shells; s++)
        target = shells->shells[s].n_functions > target ? shells->shells[s].n_functions : target;
    while (target < LARGEST_TARGET && count_shell_tiles(shells, target) > WANTED_TILES)
        target++;
    return target;
}

enum status tiling_create(const struct shells *shells, int64_t target, struct tiling **tiling)
{
    struct tiling *made = calloc(1, sizeof *made);
    *tiling = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the tiles"));
    made->shells = shells;
    made->first_shell = malloc((size_t)(shells->n_shells + 1) * sizeof(int64_t));
    made->first_function = malloc((size_t)(shells->n_shells + 1) * sizeof(int64_t));
    if (!made->first_shell || !made->first_function) {
        tiling_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for the tiles of %lld shells",
                    (long long)shells->n_shells);
    }
    for (int64_t s = 0; s < shells->n_shells; made->n_tiles++) {
        made->first_shell[made->n_tiles] = s;
        made->first_function[made->n_tiles] = shells->shells[s].first_function;
        s = end_of_tile(shells, s, target);
    }
    made->first_shell[made->n_tiles] = shells->n_shells;
    made->first_function[made->n_tiles] = shells->n_functions;
    for (int64_t I = 0; I < made->n_tiles; I++) {
        int64_t n_functions = tile_n_functions(made, I), n_shells = tile_n_shells(made, I);
        made->max_functions = n_functions > made->max_functions ? n_functions : made->max_functions;
        made->max_shells = n_shells > made->max_shells ? n_shells : made->max_shells;
    }
    *tiling = made;
    return STATUS_OK;
}

void tiling_destroy(struct tiling *tiling)
{
    if (!tiling)
        return;
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
