/* SPDX-License-Identifier: BSD-3-Clause */
/* The superposed atomic densities hold the molecule's electrons, and are the same bits on any
 * number of processes; their spins are reversed at centres; the one-electron matrices agree with
 * slow integrals. */
#include "hf/guess/guess_atom.h"
#include "hf/tiles/one_electron_matrices.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/scf_case.h"
#include "tests/reference/integrals_reference.h"

#include <stdlib.h>

/* Cartesian d functions, a ghost with functions, a charge, a radical; sets by element and centre. */
static const struct scf_case cases[] = {
    {"4\n\nO 0 0 0\nH 0 0.76 0.59\n@H 0 0 3\nH 0 -0.76 0.59\n", 0, 1, "6-31g*", 1, 0},
    {"4\n\nO 0 0 0\nH 0 0.76 0.59\n@H 0 0 3\nH 0 -0.76 0.59\n", 1, 2, "cc-pvdz", 2, 0},
    {"2\n\nFe 0 0 0\nO 0 0.4 1.5\n", 0, 5, "6-31g*", 2, 0},
    {"4\n\nO 0 0 0\nH 0 0.76 0.59\n@H 0 0 3\nH 0 -0.76 0.59\n", 0, 1, "cc-pvdz,4=sto-3g,O=6-31g", 1,
     0},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* trace(D_spin S) */
static double trace_of(const struct scf_setup *setup, int spin)
{
    struct darray *S = tiles_create(setup->tiling, NULL);
    check_ok(overlap_matrix(setup->tiling, S));
    double trace = tile_matrix_dot(setup->tiling, setup->D[spin], S);
    darray_destroy(S);
    return trace;
}

TEST(the_trace_is_the_number_of_electrons)
{
    for (int i = 0; i < N_CASES; i++) {
        struct scf_setup setup;
        scf_setup_init(&setup, &cases[i]);
        check_ok(guess_sad(&setup.problem, false, setup.D));
        for (int s = 0; s < setup.problem.n_densities; s++)
            check_close(trace_of(&setup, s),
                        setup.problem.electrons_per_orbital * (double)setup.problem.n_occupied[s],
                        1e-11);
        scf_setup_fini(&setup);
    }
}

/* Fe with 4 unpaired electrons, O with 2; then reversed at Fe. */
TEST(atoms_have_their_own_spins)
{
    static const bool iron[] = {true, false};
    struct scf_setup setup;
    scf_setup_init(&setup, &cases[2]);
    check_ok(guess_sad(&setup.problem, true, setup.D));
    check_close(trace_of(&setup, 0), 20, 1e-10);
    check_close(trace_of(&setup, 1), 14, 1e-10);
    check_ok(guess_flip(&setup.problem, iron, setup.D));
    check_close(trace_of(&setup, 0), 16, 1e-10);
    check_close(trace_of(&setup, 1), 18, 1e-10);
    scf_setup_fini(&setup);
}

/* Elements as guess.h says. */
TEST(spins_are_reversed_in_blocks_of_centres)
{
    static const bool flipped[] = {true, false, true, false};
    struct scf_setup setup;
    scf_setup_init(&setup, &cases[1]);
    const struct shells *shells = setup.shells;
    int64_t n = shells->n_functions;
    double *D[2], *sign = malloc((size_t)n * sizeof *sign);
    for (int64_t k = 0; k < shells->n_shells; k++)
        for (int f = 0; f < shells->shells[k].n_functions; f++)
            sign[shells->shells[k].first_function + f] = flipped[shells->shells[k].atom] ? -1 : 1;
    for (unsigned s = 0; s < 2; s++) {
        D[s] = whole_matrix_random(n, 3 + s);
        whole_matrix_put(setup.tiling, D[s], setup.D[s]);
    }
    check_ok(guess_flip(&setup.problem, flipped, setup.D));
    for (int s = 0; s < 2; s++) {
        double *found = tiles_whole(setup.tiling, setup.D[s]);
        for (int64_t i = 0; i < n * n; i++) {
            double spin = (D[0][i] - D[1][i]) * (sign[i / n] + sign[i % n]) / 2;
            check_close(found[i], 0.5 * (D[0][i] + D[1][i] + (s == 0 ? spin : -spin)), 1e-14);
        }
        free(found);
    }
    free(D[0]);
    free(D[1]);
    free(sign);
    scf_setup_fini(&setup);
}

/* Shells [first, last) of a centre. */
static void find_shells(const struct shells *shells, int64_t center, int64_t *first, int64_t *last)
{
    *first = 0;
    while (*first < shells->n_shells && shells->shells[*first].atom != center)
        ++*first;
    *last = *first;
    while (*last < shells->n_shells && shells->shells[*last].atom == center)
        ++*last;
}

static void check_bits(const struct scf_case *scf_case)
{
    struct scf_setup setup;
    scf_setup_init(&setup, scf_case);
    int64_t n = setup.shells->n_functions;
    double *expected = calloc((size_t)(n * n), sizeof(double));
    double *block = malloc((size_t)(n * n) * sizeof(double));
    for (int64_t center = 0; center < setup.molecule.n_atoms; center++) {
        int64_t first, last;
        struct guess_atom atom;
        find_shells(setup.shells, center, &first, &last);
        if (setup.molecule.atoms[center].ghost)
            continue;
        check_ok(guess_atom_density(&setup.molecule.atoms[center], setup.shells->shells + first,
                                    last - first, block, NULL, &atom));
        int64_t start = setup.shells->shells[first].first_function;
        int64_t end = last < setup.shells->n_shells ? setup.shells->shells[last].first_function : n;
        for (int64_t i = start; i < end; i++)
            for (int64_t j = start; j < end; j++)
                expected[i * n + j] = block[(i - start) * (end - start) + j - start];
    }
    check_ok(guess_sad(&setup.problem, false, setup.D));
    double *found = tiles_whole(setup.tiling, setup.D[0]);
    assert_memory_equal(found, expected, (size_t)(n * n) * sizeof(double));
    free(expected);
    free(found);
    free(block);
    scf_setup_fini(&setup);
}

TEST(every_process_places_the_same_bits)
{
    check_bits(&cases[0]);
    check_bits(&cases[3]);
}

/* Element (shell i, shell j) of a reference matrix. */
struct reference {
    const struct molecule *molecule;
    int kind; /* 0 overlap, 1 core Hamiltonian, 2 to 4 dipole */
};

static void reference_block(const struct reference *reference, const struct shell *i,
                            const struct shell *j, double *block)
{
    static const double origin[3] = {0, 0, 0};
    int n = i->n_functions * j->n_functions;
    double blocks[3 * 21 * 21];
    if (reference->kind == 0) {
        reference_overlap(i, j, block);
    } else if (reference->kind == 1) {
        reference_kinetic(i, j, block);
        reference_nuclear(reference->molecule, i, j, blocks);
        for (int k = 0; k < n; k++)
            block[k] += blocks[k];
    } else {
        reference_dipole(origin, i, j, blocks);
        memcpy(block, blocks + (reference->kind - 2) * n, (size_t)n * sizeof *block);
    }
}

static void check_matrix(const struct tiling *tiling, const struct reference *reference,
                         const struct darray *tiles)
{
    const struct shells *shells = tiling->shells;
    int64_t n = shells->n_functions;
    double *whole = tiles_whole(tiling, tiles), block[21 * 21];
    for (int64_t i = 0; i < shells->n_shells; i++) {
        for (int64_t j = 0; j < shells->n_shells; j++) {
            const struct shell *a = &shells->shells[i], *b = &shells->shells[j];
            reference_block(reference, a, b, block);
            for (int f = 0; f < a->n_functions; f++)
                for (int g = 0; g < b->n_functions; g++)
                    check_close(whole[(a->first_function + f) * n + b->first_function + g],
                                block[f * b->n_functions + g], 1e-11);
        }
    }
    free(whole);
}

TEST(one_electron_matrices_are_those_of_slow_integrals)
{
    struct hf_system hf;
    struct darray *matrices[5];
    hf_system_init(&hf, hf_system_molecule, hf_system_basis);
    hf_system_tile(&hf, 5, 1e-10);
    for (int kind = 0; kind < 5; kind++)
        matrices[kind] = tiles_create(hf.tiling, NULL);
    check_ok(overlap_matrix(hf.tiling, matrices[0]));
    check_ok(core_hamiltonian_matrix(hf.tiling, &hf.molecule, matrices[1]));
    check_ok(dipole_matrices(hf.tiling, matrices + 2));
    for (int kind = 0; kind < 5; kind++) {
        struct reference reference = {.molecule = &hf.molecule, .kind = kind};
        check_matrix(hf.tiling, &reference, matrices[kind]);
        darray_destroy(matrices[kind]);
    }
    hf_system_fini(&hf);
}

TEST(core_and_superposed_atoms_lead_to_one_energy)
{
    struct scf_setup setup;
    struct scf_result sad, core;
    const struct scf_settings settings = scf_settings_default();
    scf_setup_init(&setup, &cases[0]);
    check_ok(scf_setup_run(&setup, &settings, &sad));
    check_ok(guess_core(scf_setup_basis(&setup), setup.D));
    check_ok(scf_run(scf_setup_basis(&setup), &settings, setup.D, &core));
    check_close(core.energy, sad.energy, 1e-9);
    assert_true(sad.iterations < core.iterations);
    scf_result_fini(&sad);
    scf_result_fini(&core);
    scf_setup_fini(&setup);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
