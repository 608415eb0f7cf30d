/* SPDX-License-Identifier: BSD-3-Clause */
/* SCF runs from a line of a table, shared by their tests. */
#pragma once

#include "basis/input/basis_choice.h"
#include "basis/input/point_group.h"
#include "basis/integrals/ecp.h"
#include "basis/integrals/shells.h"
#include "hf/fock/fock_build.h"
#include "hf/guess/guess.h"
#include "hf/scf/scf.h"
#include "hf/tiles/tile_matrix.h"
#include "hf/tiles/tile_symmetry.h"
#include "tests/check.h"

#include <string.h>

struct scf_case {
    const char *molecule; /* text of an XYZ file, Angstrom */
    int charge, multiplicity;
    const char *basis; /* as --basis */
    int method;        /* 1: RHF, 2: UHF, 3: ROHF */
    double energy;     /* hartree */
};

/* A case that is set up to run. */
struct scf_setup {
    struct molecule molecule;
    struct basis_choice choice;
    struct shells *shells;
    struct tiling *tiling;
    struct point_group group;
    struct tile_symmetry *symmetry; /* of the latter; NULL: none */
    struct screening *screening;
    struct fock *fock;
    struct dense_grid *grid;
    struct darray *D[2];
    struct scf_problem problem;
    struct scf_basis *basis; /* NULL: not needed yet */
};

/* Small tiles, so that there are several of them. Collective. */
static inline void scf_setup_init(struct scf_setup *setup, const struct scf_case *scf_case)
{
    static const struct fock_settings fock_settings = {.cache_bytes = 64000000};
    static const struct taskpool_settings pool_settings = {
        .mode = "static", .poll_every = 8, .seed = 1};
    const struct molecule_settings molecule_settings = {.charge = scf_case->charge,
                                                        .charge_given = true,
                                                        .multiplicity = scf_case->multiplicity,
                                                        .multiplicity_given = true};
    *setup = (struct scf_setup){0};
    check_ok(molecule_parse(scf_case->molecule, strlen(scf_case->molecule), "test.xyz",
                            &molecule_settings, &setup->molecule));
    check_ok(basis_choice_read_all(scf_case->basis, MPI_COMM_WORLD, &setup->choice));
    check_ok(basis_choice_assign(&setup->choice, &setup->molecule));
    check_ok(ecp_place(setup->choice.sets, &setup->molecule));
    check_ok(
        shells_create(&setup->molecule, setup->choice.sets, BASIS_FORM_UNSTATED, &setup->shells));
    check_ok(tiling_create(setup->shells, 12, &setup->tiling));
    check_ok(screening_create(setup->tiling, 1e-10, NULL, MPI_COMM_WORLD, &setup->screening));
    check_ok(fock_create(setup->screening, &fock_settings, &pool_settings, MPI_COMM_WORLD,
                         &setup->fock));
    check_ok(dense_grid_create(MPI_COMM_WORLD, &setup->grid));
    int n_densities = scf_case->method == 1 ? 1 : 2;
    for (int s = 0; s < n_densities; s++)
        check_ok(tile_matrix_create(setup->tiling, "D", DARRAY_DOUBLE, &setup->D[s]));
    int64_t n = molecule_n_electrons(&setup->molecule), unpaired = scf_case->multiplicity - 1;
    setup->problem = (struct scf_problem){
        .molecule = &setup->molecule,
        .given = &setup->molecule,
        .shells = setup->shells,
        .tiling = setup->tiling,
        .fock = setup->fock,
        .grid = setup->grid,
        .comm = MPI_COMM_WORLD,
        .n_densities = n_densities,
        .n_orbital_sets = scf_case->method == 2 ? 2 : 1,
        .electrons_per_orbital = 2 / n_densities,
        .n_occupied = {(n + unpaired) / 2, (n - unpaired) / 2},
    };
}

/* Destroys the matrices of a result, whose grid is the setup's. */
static inline void scf_case_forget_orbitals(struct scf_result *result)
{
    dense_destroy(result->fock_alpha);
    result->fock_alpha = NULL;
    for (int s = 0; s < 2; s++) {
        dense_destroy(result->orbitals[s]);
        dense_destroy(result->semicanonical[s]);
        dense_destroy(result->fock_ov[s]);
        result->orbitals[s] = result->semicanonical[s] = result->fock_ov[s] = NULL;
    }
}

/* Lets Fock builds use the molecule's symmetry, if an operation moves a centre. Collective. */
static inline void scf_setup_use_symmetry(struct scf_setup *setup)
{
    double moved;
    check_ok(point_group_find(&setup->molecule, 0, &setup->group, &moved));
    if (setup->group.order == 1)
        return;
    check_ok(tile_symmetry_create(setup->tiling, &setup->group, &setup->symmetry));
    check_ok(fock_use_symmetry(setup->fock, setup->symmetry));
    setup->problem.symmetry = setup->symmetry;
}

/* S, H and X. Collective. */
static inline const struct scf_basis *scf_setup_basis(struct scf_setup *setup)
{
    if (!setup->basis)
        check_ok(scf_basis_create(&setup->problem, SCF_DEFAULT_DEPENDENCE, &setup->basis));
    return setup->basis;
}

static inline void scf_setup_fini(struct scf_setup *setup)
{
    scf_basis_destroy(setup->basis);
    darray_destroy(setup->D[0]);
    darray_destroy(setup->D[1]);
    fock_destroy(setup->fock);
    tile_symmetry_destroy(setup->symmetry);
    point_group_fini(&setup->group);
    screening_destroy(setup->screening);
    dense_grid_destroy(setup->grid);
    tiling_destroy(setup->tiling);
    shells_destroy(setup->shells);
    basis_choice_fini(&setup->choice);
    molecule_fini(&setup->molecule);
}

/* From superposed atoms. The result is the caller's to finish. */
static inline enum status scf_setup_run(struct scf_setup *setup,
                                        const struct scf_settings *settings,
                                        struct scf_result *result)
{
    check_ok(guess_sad(&setup->problem, false, setup->D));
    return scf_run(scf_setup_basis(setup), settings, setup->D, result);
}

static inline void scf_start(void)
{
    check_ok(darray_start());
}

static inline void scf_stop(void)
{
    darray_stop();
}
