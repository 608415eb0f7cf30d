#include "hf/tiles/tiling.h"

#include <math.h>
#include <stdlib.h>

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
    int64_t tile = -1;
    for (int64_t s = 0; s < shells->n_shells; s++) {
        const struct shell *shell = &shells->shells[s];
        int64_t end = shell->first_function + shell->n_functions;
        if (tile < 0 || end - made->first_function[tile] > target) {
            tile++;
            made->first_shell[tile] = s;
            made->first_function[tile] = shell->first_function;
        }
    }
    made->n_tiles = tile + 1;
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
