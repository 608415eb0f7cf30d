#include "hf/tiles/one_electron_matrices.h"

#include "basis/integrals/one_electron.h"
#include "support/base/agree.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of all components of an operator between two shells, one after another. */
struct one_electron_operator {
    int n_components;
    void (*compute)(const struct one_electron_operator *what, struct one_electron *engine,
                    const struct shell *bra, const struct shell *ket, double *blocks);
    const struct molecule *molecule;
    double *scratch; /* one block of the largest shells */
};

static void compute_overlap(const struct one_electron_operator *what, struct one_electron *engine,
                            const struct shell *bra, const struct shell *ket, double *blocks)
{
    (void)what;
    one_electron_overlap(engine, bra, ket, blocks);
}

static void compute_core_hamiltonian(const struct one_electron_operator *what,
                                     struct one_electron *engine, const struct shell *bra,
                                     const struct shell *ket, double *blocks)
{
    one_electron_kinetic(engine, bra, ket, what->scratch);
    one_electron_nuclear(engine, what->molecule, bra, ket, blocks);
    for (int i = 0; i < bra->n_functions * ket->n_functions; i++)
        blocks[i] += what->scratch[i];
}

static void compute_dipole(const struct one_electron_operator *what, struct one_electron *engine,
                           const struct shell *bra, const struct shell *ket, double *blocks)
{
    static const double origin[3] = {0, 0, 0};
    (void)what;
    one_electron_dipole(engine, origin, bra, ket, blocks);
}

/* Tile (I, J) of every component; tiles lie tile_size numbers apart. */
static void compute_tile(const struct one_electron_operator *what, struct one_electron *engine,
                         const struct tiling *tiling, int64_t I, int64_t J, double *blocks,
                         double *tiles, size_t tile_size)
{
    const struct shell *shells = tiling->shells->shells;
    int64_t n_J = tile_n_functions(tiling, J);
    for (int64_t i = tiling->first_shell[I]; i < tiling->first_shell[I + 1]; i++) {
        int64_t row = shells[i].first_function - tiling->first_function[I];
        for (int64_t j = tiling->first_shell[J]; j < tiling->first_shell[J + 1]; j++) {
            int64_t column = shells[j].first_function - tiling->first_function[J];
            int n_i = shells[i].n_functions, n_j = shells[j].n_functions;
            what->compute(what, engine, &shells[i], &shells[j], blocks);
            for (int component = 0; component < what->n_components; component++)
                for (int f = 0; f < n_i; f++)
                    memcpy(tiles + (size_t)component * tile_size + (row + f) * n_J + column,
                           blocks + (component * n_i + f) * n_j, (size_t)n_j * sizeof(double));
        }
    }
}

/* Computes the tiles that this process holds. */
static void fill_own_tiles(const struct one_electron_operator *what, struct one_electron *engine,
                           const struct tiling *tiling, double *blocks, double *tiles,
                           struct darray *const matrices[])
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    size_t tile_size = (size_t)(tiling->max_functions * tiling->max_functions);
    for (int64_t I = 0; I < tiling->n_tiles; I++) {
        for (int64_t J = 0; J <= I; J++) {
            int64_t pair = tile_pair_index(I, J);
            if (darray_owner(matrices[0], pair) != rank)
                continue;
            compute_tile(what, engine, tiling, I, J, blocks, tiles, tile_size);
            for (int component = 0; component < what->n_components; component++)
                darray_put(matrices[component], pair, tiles + (size_t)component * tile_size);
        }
    }
}

static enum status fill(struct one_electron_operator *what, const struct tiling *tiling,
                        struct darray *const matrices[])
{
    struct one_electron *engine = NULL;
    size_t tile_size = (size_t)(tiling->max_functions * tiling->max_functions);
    size_t n_components = (size_t)what->n_components;
    size_t block_size =
        (size_t)(n_cartesians(tiling->shells->max_l) * n_cartesians(tiling->shells->max_l));
    double *tiles = malloc(n_components * tile_size * sizeof(double));
    double *blocks = malloc((n_components + 1) * block_size * sizeof(double));
    enum status status = tiles && blocks
                             ? one_electron_create(tiling->shells, &engine)
                             : FAIL(STATUS_NO_MEMORY, "no memory for one-electron integrals");
    status = status_agree(MPI_COMM_WORLD, status);
    if (status == STATUS_OK) {
        what->scratch = blocks + n_components * block_size;
        fill_own_tiles(what, engine, tiling, blocks, tiles, matrices);
        darray_sync();
    }
    one_electron_destroy(engine);
    free(tiles);
    free(blocks);
    return status;
}

enum status overlap_matrix(const struct tiling *tiling, struct darray *S)
{
    struct one_electron_operator what = {.n_components = 1, .compute = compute_overlap};
    return fill(&what, tiling, (struct darray *const[]){S});
}

enum status core_hamiltonian_matrix(const struct tiling *tiling, const struct molecule *molecule,
                                    struct darray *H)
{
    struct one_electron_operator what = {
        .n_components = 1, .compute = compute_core_hamiltonian, .molecule = molecule};
    return fill(&what, tiling, (struct darray *const[]){H});
}

enum status dipole_matrices(const struct tiling *tiling, struct darray *const r[3])
{
    struct one_electron_operator what = {.n_components = 3, .compute = compute_dipole};
    return fill(&what, tiling, r);
}
