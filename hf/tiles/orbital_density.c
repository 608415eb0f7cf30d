/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/orbital_density.h"

#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <stdlib.h>

/* Orbitals that every process has at a time. */
enum { PANEL_ORBITALS = 32 };

/* Some orbitals, the same on every process. */
struct orbital_panel {
    int n_orbitals;
    int64_t n_functions;
    double *rows; /* n_orbitals x n_functions, row-major */
    double *full; /* n_functions x n_orbitals; process 0 only */
};

static void orbital_panel_fini(struct orbital_panel *panel)
{
    free(panel->rows);
    free(panel->full);
}

static enum status orbital_panel_init(const struct dense *C, struct orbital_panel *panel)
{
    size_t n = (size_t)C->n_rows * PANEL_ORBITALS;
    bool is_root = C->grid->row == 0 && C->grid->column == 0;
    *panel =
        (struct orbital_panel){.n_functions = C->n_rows, .rows = malloc((n + 1) * sizeof(double))};
    if (is_root)
        panel->full = malloc((n + 1) * sizeof(double));
    enum status status = CHECK_MEMORY(panel->rows && (panel->full || !is_root),
                                      "no memory for %d orbitals", PANEL_ORBITALS);
    return status_agree(C->grid->comm, status);
}

/* Sets the panel to the columns of C from first on. */
static enum status share_orbitals(const struct dense *C, int first, int n,
                                  struct orbital_panel *panel)
{
    struct dense *columns;
    TRY(dense_create(C->grid, C->n_rows, n, &columns));
    dense_copy_columns(C, first, columns);
    enum status status = dense_gather(columns, panel->full);
    dense_destroy(columns);
    TRY(status);
    panel->n_orbitals = n;
    if (panel->full)
        for (int64_t m = 0; m < panel->n_functions; m++)
            for (int k = 0; k < n; k++)
                panel->rows[k * panel->n_functions + m] = panel->full[m * n + k];
    MPI_Bcast(panel->rows, (int)(panel->n_functions * n), MPI_DOUBLE, 0, C->grid->comm);
    return STATUS_OK;
}

/* Adds the panel's orbitals, one after another, to a tile. */
static void add_orbitals_to_tile(const struct orbital_panel *panel, double occupation,
                                 const struct tiling *tiling, const struct own_tile *own,
                                 double *restrict tile)
{
    int64_t n_I = tile_n_functions(tiling, own->I), n_J = tile_n_functions(tiling, own->J);
    for (int64_t i = 0; i < n_I; i++)
        for (int k = 0; k < panel->n_orbitals; k++) {
            const double *orbital = panel->rows + k * panel->n_functions;
            const double *of_J = orbital + tiling->first_function[own->J];
            double c = occupation * orbital[tiling->first_function[own->I] + i];
            for (int64_t j = 0; j < n_J; j++)
                tile[i * n_J + j] += c * of_J[j];
        }
}

/* Errors: on failure orbital_panel_fini still has to be called. */
static enum status add_orbitals(const struct tiling *tiling, double occupation,
                                const struct dense *C, int64_t n_occupied,
                                struct orbital_panel *panel, struct darray *D)
{
    TRY(orbital_panel_init(C, panel));
    for (int first = 0; first < n_occupied; first += PANEL_ORBITALS) {
        int left = (int)n_occupied - first;
        TRY(share_orbitals(C, first, left < PANEL_ORBITALS ? left : PANEL_ORBITALS, panel));
        struct own_tile own = {0};
        while (own_tile_next(tiling, D, &own))
            add_orbitals_to_tile(panel, occupation, tiling, &own, darray_local(D, own.pair));
    }
    return STATUS_OK;
}

enum status orbital_density(const struct tiling *tiling, double occupation, const struct dense *C,
                            int64_t n_occupied, struct darray *D)
{
    struct orbital_panel panel;
    darray_zero(D);
    darray_sync();
    enum status status = add_orbitals(tiling, occupation, C, n_occupied, &panel, D);
    darray_sync();
    orbital_panel_fini(&panel);
    return status;
}
