/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/guess/guess_atom.h"

#include "hf/guess/guess_atom_channel.h"
#include "support/arrays/diis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ATOM_MAX_L = 3, ATOM_MAX_ITERATIONS = 200, ATOM_DIIS_SIZE = 8, ATOM_DAMPED_ITERATIONS = 4 };
#define ATOM_CONVERGE 1e-9

/* An atom and the state of its SCF. Matrices over the orbitals of a channel
 * are whole, one channel after another: n_matrix numbers. */
struct atom_scf {
    const struct atom *atom;
    int n_channels;
    struct guess_atom_channel channels[ATOM_MAX_L + 1];
    int n_pairs;
    struct guess_atom_pair *pairs;
    double *h;         /* n_pairs: one-electron integrals */
    double *repulsion; /* n_pairs x n_pairs */
    double *P, *F;     /* n_pairs: density, and Fock matrix */
    int n_matrix;
    double *P_orbitals, *F_orbitals, *F_last;
    double *M_orbitals;      /* as P_orbitals, of unpaired electrons */
    double *F_kept, *errors; /* ATOM_DIIS_SIZE x n_matrix, oldest first */
    int n_kept;
    double *work; /* the largest matrix of a channel */
    double *storage;
};

/* Eight electrons that are left for an f shell fill the next s and p shells. */
int guess_atom_core_shells(int n_core, int l)
{
    int count = 0, left = n_core;
    for (int principal = 1; left > 0; principal++)
        for (int shell_l = 0; shell_l < principal && shell_l <= ATOM_MAX_L && left > 0; shell_l++) {
            if (shell_l == 3 && left == 8)
                continue;
            left -= 2 * (2 * shell_l + 1);
            count += shell_l == l;
        }
    return count;
}

int guess_atom_electrons(const struct atom *atom, int l, int n)
{
    int left = atom->charge, n_core = atom_n_core(atom);
    /* Madelung: by n + l of the principal quantum number, then by n. */
    for (int sum = 1; left > 0; sum++) {
        for (int shell_l = (sum - 1) / 2; shell_l >= 0 && left > 0; shell_l--) {
            int capacity = 2 * (2 * shell_l + 1);
            int taken = left < capacity ? left : capacity;
            int shell_n = sum - 2 * shell_l - 1 - guess_atom_core_shells(n_core, shell_l);
            if (shell_n < 0)
                continue;
            if (shell_l == l && shell_n == n)
                return taken;
            left -= taken;
        }
    }
    return 0;
}

int guess_atom_unpaired(const struct atom *atom, int l, int n)
{
    int n_electrons = guess_atom_electrons(atom, l, n), n_functions = 2 * l + 1;
    return n_electrons <= n_functions ? n_electrons : 2 * n_functions - n_electrons;
}

int guess_atom_all_unpaired(const struct atom *atom, int least_l)
{
    int sum = 0;
    for (int l = least_l; l <= ATOM_MAX_L; l++)
        for (int n = 0; guess_atom_electrons(atom, l, n) > 0; n++)
            sum += guess_atom_unpaired(atom, l, n);
    return sum;
}

static void atom_fini(struct atom_scf *atom)
{
    for (int c = 0; c < atom->n_channels; c++)
        guess_atom_channel_fini(&atom->channels[c]);
    free(atom->pairs);
    free(atom->storage);
}

static enum status init_channels(const struct shell *shells, int64_t n_shells,
                                 struct atom_scf *atom)
{
    for (int l = 0; l <= ATOM_MAX_L; l++) {
        if (guess_atom_electrons(atom->atom, l, 0) == 0)
            continue;
        struct guess_atom_channel *channel = &atom->channels[atom->n_channels++];
        TRY(guess_atom_channel_init(l, shells, n_shells, channel));
        channel->first_pair = atom->n_pairs;
        channel->first_block = atom->n_matrix;
        atom->n_pairs += channel->n_primitives * (channel->n_primitives + 1) / 2;
        atom->n_matrix += channel->n_orbitals * channel->n_orbitals;
    }
    return STATUS_OK;
}

static void compute_integrals(struct atom_scf *atom)
{
    for (int c = 0; c < atom->n_channels; c++) {
        const struct guess_atom_channel *channel = &atom->channels[c];
        int pair = atom->channels[c].first_pair, l = channel->l;
        for (int p = 0; p < channel->n_primitives; p++) {
            for (int q = 0; q <= p; q++, pair++) {
                double a = channel->exponents[p], b = channel->exponents[q];
                atom->pairs[pair] = (struct guess_atom_pair){.l = l, .a = a, .b = b};
                atom->h[pair] = guess_atom_kinetic(l, a, b) -
                                atom->atom->charge * guess_atom_inverse_r(l, a, b) +
                                guess_atom_potential(atom->atom->potential, l, a, b);
            }
        }
    }
    for (int i = 0; i < atom->n_pairs; i++)
        for (int j = 0; j <= i; j++)
            atom->repulsion[i * atom->n_pairs + j] = atom->repulsion[j * atom->n_pairs + i] =
                guess_atom_repulsion(&atom->pairs[i], &atom->pairs[j]);
}

/* Errors: on failure the caller still calls atom_fini. */
static enum status atom_init(const struct atom *of_molecule, const struct shell *shells,
                             int64_t n_shells, struct atom_scf *atom)
{
    *atom = (struct atom_scf){.atom = of_molecule};
    TRY(init_channels(shells, n_shells, atom));
    size_t n = (size_t)atom->n_pairs, m = (size_t)atom->n_matrix;
    size_t n_numbers = n * n + 3 * n + (5 + 2 * ATOM_DIIS_SIZE) * m;
    atom->pairs = malloc((n + 1) * sizeof *atom->pairs);
    atom->storage = calloc(n_numbers + 1, sizeof(double));
    TRY(CHECK_MEMORY(atom->pairs && atom->storage, "no memory for the integrals of an atom"));
    atom->repulsion = atom->storage;
    atom->h = atom->repulsion + n * n;
    atom->P = atom->h + n;
    atom->F = atom->P + n;
    atom->P_orbitals = atom->F + n;
    atom->F_orbitals = atom->P_orbitals + m;
    atom->F_last = atom->F_orbitals + m;
    atom->M_orbitals = atom->F_last + m;
    atom->work = atom->M_orbitals + m;
    atom->F_kept = atom->work + m;
    atom->errors = atom->F_kept + ATOM_DIIS_SIZE * m;
    compute_integrals(atom);
    return STATUS_OK;
}

/* Twice for the pairs a > b that stand for (b, a) too. */
static double pair_weight(const struct guess_atom_pair *pair)
{
    return pair->a == pair->b ? 1 : 2;
}

/* F = h + repulsion P, over pairs; the energy is 1/2 tr[P (h + F)]. */
static double build_atom_fock(struct atom_scf *atom)
{
    double energy = 0;
    for (int i = 0; i < atom->n_pairs; i++) {
        const double *row = atom->repulsion + (size_t)i * (size_t)atom->n_pairs;
        double sum = 0;
        for (int j = 0; j < atom->n_pairs; j++)
            sum += row[j] * pair_weight(&atom->pairs[j]) * atom->P[j];
        atom->F[i] = atom->h[i] + sum;
        energy += 0.5 * pair_weight(&atom->pairs[i]) * atom->P[i] * (atom->h[i] + atom->F[i]);
    }
    return energy;
}

/* F_orbitals = W F W^T. */
static void fock_to_orbitals(struct atom_scf *atom)
{
    for (int c = 0; c < atom->n_channels; c++) {
        const struct guess_atom_channel *channel = &atom->channels[c];
        int64_t n = channel->n_orbitals, m = channel->n_primitives;
        double *F = atom->F_orbitals + atom->channels[c].first_block;
        memset(F, 0, (size_t)(n * n) * sizeof *F);
        const double *pair = atom->F + atom->channels[c].first_pair;
        for (int p = 0; p < m; p++) {
            for (int q = 0; q <= p; q++, pair++) {
                for (int i = 0; i < n; i++) {
                    const double *W_i = channel->W + i * m;
                    for (int j = 0; j < n; j++) {
                        const double *W_j = channel->W + j * m;
                        double both = p == q ? W_i[p] * W_j[q] : W_i[p] * W_j[q] + W_i[q] * W_j[p];
                        F[i * n + j] += *pair * both;
                    }
                }
            }
        }
    }
}

/* P = W^T P_orbitals W, over pairs. */
static void density_from_orbitals(struct atom_scf *atom)
{
    for (int c = 0; c < atom->n_channels; c++) {
        const struct guess_atom_channel *channel = &atom->channels[c];
        int n = channel->n_orbitals, m = channel->n_primitives;
        const double *P = atom->P_orbitals + atom->channels[c].first_block;
        double *pair = atom->P + atom->channels[c].first_pair;
        for (int p = 0; p < m; p++) {
            for (int q = 0; q <= p; q++, pair++) {
                *pair = 0;
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        *pair += channel->W[i * m + p] * P[i * n + j] * channel->W[j * m + q];
            }
        }
    }
}

/* P += occupation times the projector onto a vector. */
static void add_projector(int n, double occupation, const double *vector, double *P)
{
    for (int i = 0; i < n && occupation > 0; i++)
        for (int j = 0; j < n; j++)
            P[i * n + j] += occupation * vector[i] * vector[j];
}

/* Occupies the eigenvectors of F_orbitals (destroyed); counts the electrons. */
static enum status occupy_orbitals(struct atom_scf *atom, double *n_electrons)
{
    *n_electrons = 0;
    memset(atom->P_orbitals, 0, (size_t)atom->n_matrix * sizeof(double));
    memset(atom->M_orbitals, 0, (size_t)atom->n_matrix * sizeof(double));
    for (int c = 0; c < atom->n_channels; c++) {
        const struct guess_atom_channel *channel = &atom->channels[c];
        int n = channel->n_orbitals, block = atom->channels[c].first_block;
        double *vectors = atom->F_orbitals + block;
        if (n > 0)
            TRY(symmetric_eigen(n, vectors, atom->work));
        for (int k = 0; k < n; k++) {
            double occupation = guess_atom_electrons(atom->atom, channel->l, k);
            double unpaired = guess_atom_unpaired(atom->atom, channel->l, k);
            const double *vector = vectors + (int64_t)k * n;
            *n_electrons += occupation;
            add_projector(n, occupation, vector, atom->P_orbitals + block);
            add_projector(n, unpaired, vector, atom->M_orbitals + block);
        }
    }
    return STATUS_OK;
}

/* error = F P - P F; returns its largest element. */
static double fock_commutator(const struct atom_scf *atom, double *error)
{
    double largest = 0;
    for (int c = 0; c < atom->n_channels; c++) {
        const struct guess_atom_channel *channel = &atom->channels[c];
        int n = channel->n_orbitals;
        const double *F = atom->F_orbitals + atom->channels[c].first_block;
        const double *P = atom->P_orbitals + atom->channels[c].first_block;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++)
                    sum += F[i * n + k] * P[k * n + j] - P[i * n + k] * F[k * n + j];
                error[atom->channels[c].first_block + i * n + j] = sum;
                largest = fmax(largest, fabs(sum));
            }
        }
    }
    return largest;
}

/* Keeps F_orbitals and the error that was written behind the kept ones, and
 * replaces F_orbitals by the extrapolation. */
static enum status extrapolate_atom_fock(struct atom_scf *atom)
{
    int64_t m = atom->n_matrix;
    int n = ++atom->n_kept, n_dropped;
    double B[ATOM_DIIS_SIZE * ATOM_DIIS_SIZE], coefficients[ATOM_DIIS_SIZE];
    memcpy(atom->F_kept + (n - 1) * m, atom->F_orbitals, (size_t)m * sizeof(double));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += atom->errors[i * m + k] * atom->errors[j * m + k];
            B[i * n + j] = sum;
        }
    }
    TRY(diis_coefficients(n, B, n, coefficients, &n_dropped));
    memset(atom->F_orbitals, 0, (size_t)m * sizeof(double));
    for (int i = n_dropped; i < n; i++)
        for (int k = 0; k < m; k++)
            atom->F_orbitals[k] += coefficients[i] * atom->F_kept[i * m + k];
    if (n == ATOM_DIIS_SIZE && n_dropped == 0)
        n_dropped = 1;
    atom->n_kept -= n_dropped;
    size_t kept_bytes = (size_t)(atom->n_kept * m) * sizeof(double);
    memmove(atom->F_kept, atom->F_kept + n_dropped * m, kept_bytes);
    memmove(atom->errors, atom->errors + n_dropped * m, kept_bytes);
    return STATUS_OK;
}

static enum status solve_atom(struct atom_scf *atom, struct guess_atom *result)
{
    size_t matrix_bytes = (size_t)atom->n_matrix * sizeof(double);
    for (int iteration = 0; iteration < ATOM_MAX_ITERATIONS; iteration++) {
        result->energy = build_atom_fock(atom);
        fock_to_orbitals(atom);
        double error = fock_commutator(atom, atom->errors + (int64_t)atom->n_kept * atom->n_matrix);
        result->converged = iteration > 0 && error < ATOM_CONVERGE;
        if (result->converged)
            break;
        /* From the bare nucleus the first densities are far too compact. */
        if (iteration > 0 && iteration <= ATOM_DAMPED_ITERATIONS)
            for (int i = 0; i < atom->n_matrix; i++)
                atom->F_orbitals[i] = 0.5 * (atom->F_orbitals[i] + atom->F_last[i]);
        else if (iteration > 0)
            TRY(extrapolate_atom_fock(atom));
        memcpy(atom->F_last, atom->F_orbitals, matrix_bytes);
        TRY(occupy_orbitals(atom, &result->n_electrons));
        density_from_orbitals(atom);
    }
    return STATUS_OK;
}

/* D over the functions of shells, from P over the orbitals of the channels. */
static void place_density(const struct atom_scf *atom, const double *P, const struct shell *shells,
                          int64_t n_shells, double *D)
{
    int n = 0;
    for (int64_t i = 0; i < n_shells; i++)
        n += shells[i].n_functions;
    memset(D, 0, (size_t)n * (size_t)n * sizeof *D);
    for (int c = 0; c < atom->n_channels; c++)
        guess_atom_channel_place_density(&atom->channels[c], P + atom->channels[c].first_block,
                                         shells, n_shells, D);
}

enum status guess_atom_density(const struct atom *atom, const struct shell *shells,
                               int64_t n_shells, double *D, double *M, struct guess_atom *result)
{
    struct atom_scf scf;
    *result = (struct guess_atom){0};
    enum status status = atom_init(atom, shells, n_shells, &scf);
    if (status != STATUS_OK)
        goto done;
    status = solve_atom(&scf, result);
    if (status != STATUS_OK)
        goto done;
    place_density(&scf, scf.P_orbitals, shells, n_shells, D);
    if (M)
        place_density(&scf, scf.M_orbitals, shells, n_shells, M);
done:
    atom_fini(&scf);
    return status;
}

/* Occupies the first eigenvectors of F_orbitals (destroyed) of each channel. */
static enum status occupy_core(struct atom_scf *atom, const int n_core[])
{
    memset(atom->P_orbitals, 0, (size_t)atom->n_matrix * sizeof(double));
    for (int c = 0; c < atom->n_channels; c++) {
        int n = atom->channels[c].n_orbitals, l = atom->channels[c].l;
        double *vectors = atom->F_orbitals + atom->channels[c].first_block;
        if (n > 0)
            TRY(symmetric_eigen(n, vectors, atom->work));
        for (int k = 0; k < n && k < n_core[l]; k++)
            add_projector(n, 2 * (2 * l + 1), vectors + (int64_t)k * n,
                          atom->P_orbitals + atom->channels[c].first_block);
    }
    return STATUS_OK;
}

enum status guess_atom_core_density(const struct atom *atom, const int n_core[4],
                                    const struct shell *shells, int64_t n_shells, double *D)
{
    struct atom_scf scf;
    struct guess_atom result = {0};
    enum status status = atom_init(atom, shells, n_shells, &scf);
    if (status != STATUS_OK)
        goto done;
    status = solve_atom(&scf, &result);
    if (status != STATUS_OK)
        goto done;
    fock_to_orbitals(&scf);
    status = occupy_core(&scf, n_core);
    if (status == STATUS_OK)
        place_density(&scf, scf.P_orbitals, shells, n_shells, D);
done:
    atom_fini(&scf);
    return status;
}
