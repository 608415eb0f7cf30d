/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_parts.h"

#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = FOCK_MAX_MATRICES * POINT_GROUP_MAX_COMMUTING };

/* Part `representation` of n matrices from number first on: one, or all of a Coulomb density. */
struct part {
    int first, n;
    bool coulomb;
    int representation;
    bool whole; /* nothing else is in the matrices, which are built from as they are */
    int pass;
};

/* Parts smaller than NOISE of the largest one are rounding errors, and left out. A build must not contain them:
 * representatives of a matrix of several representations mix these, so that F would have an error of first
 * order in the noise. Parts below CLEAN of the threshold are too small for that. */
#define NOISE 1e-8
#define CLEAN 1e-3

struct fock_parts {
    const struct tile_symmetry *symmetry;
    int n_operations; /* in the build */
    double threshold;
    MPI_Comm comm;
    struct density_kind kind;                  /* of the build */
    const struct darray *D[FOCK_MAX_MATRICES]; /* of the build */
    int n_parts, n_passes;
    struct part parts[MAX_PARTS];               /* those with a Coulomb density first */
    bool is_clean[FOCK_MAX_MATRICES];           /* nothing of D[i] is left out */
    bool is_set[FOCK_MAX_MATRICES];             /* F[i] has its first part */
    struct darray *skeleton[FOCK_MAX_MATRICES]; /* owned, as many as needed so far */
    struct darray *input[FOCK_MAX_MATRICES];    /* likewise, for parts of several */
};

enum status fock_parts_create(const struct tile_symmetry *symmetry, double threshold, MPI_Comm comm,
                              struct fock_parts **parts)
{
    struct fock_parts *made = *parts = agree_calloc(comm, sizeof *made, "parts of densities");
    if (!made)
        return STATUS_NO_MEMORY;
    made->symmetry = symmetry;
    made->threshold = threshold;
    made->comm = comm;
    return STATUS_OK;
}

void fock_parts_destroy(struct fock_parts *parts)
{
    if (!parts)
        return;
    for (int i = 0; i < FOCK_MAX_MATRICES; i++) {
        darray_destroy(parts->skeleton[i]);
        darray_destroy(parts->input[i]);
    }
    free(parts);
}

struct memory_need fock_parts_bytes(const struct tile_symmetry *symmetry, int n_processes)
{
    const struct tiling *tiling = symmetry->tiling;
    struct memory_need need = {.own_bytes = sizeof(struct fock_parts)};
    need.own_bytes += (double)tile_symmetry_bytes(tiling, symmetry->group);
    memory_need_add(&need, INT64_C(2) * FOCK_MAX_MATRICES, tile_matrix_bytes(tiling, n_processes));
    return need;
}

/* Creates the missing ones of the first n matrices. */
static enum status need_matrices(const struct fock_parts *parts, int n, struct darray *matrices[])
{
    static const char *const names[FOCK_MAX_MATRICES] = {"parts", "parts", "parts", "parts"};
    int first = 0;
    while (first < n && matrices[first])
        first++;
    return first == n ? STATUS_OK
                      : tile_matrices_create(parts->symmetry->tiling, n - first, names,
                                             DARRAY_DOUBLE, matrices + first);
}

typedef enum status find_largest(const struct tile_symmetry *symmetry, const struct darray *D,
                                 double largest[]);

/* Sets largest[i] to what find says of D[i], on all processes. */
static enum status find_largest_of_all(const struct fock_parts *parts, find_largest *find,
                                       double largest[FOCK_MAX_MATRICES][POINT_GROUP_MAX_COMMUTING])
{
    enum status status = STATUS_OK;
    memset(largest, 0, sizeof(double[FOCK_MAX_MATRICES][POINT_GROUP_MAX_COMMUTING]));
    for (int i = 0; i < parts->kind.n_matrices && status == STATUS_OK; i++)
        status = find(parts->symmetry, parts->D[i], largest[i]);
    /* The reduction already shows a failure to all processes. */
    if (status != STATUS_OK)
        largest[0][0] = INFINITY;
    MPI_Allreduce(MPI_IN_PLACE, largest, FOCK_MAX_MATRICES * POINT_GROUP_MAX_COMMUTING, MPI_DOUBLE,
                  MPI_MAX, parts->comm);
    return isinf(largest[0][0]) ? status_agree(parts->comm, status) : STATUS_OK;
}

/* Chooses all operations if all matrices are totally symmetric under them, and sets is_clean[i]. */
static enum status try_all_operations(struct fock_parts *parts)
{
    const struct point_group *group = parts->symmetry->group;
    double largest[FOCK_MAX_MATRICES][POINT_GROUP_MAX_COMMUTING];
    parts->n_operations = group->n_commuting;
    if (group->order == group->n_commuting)
        return STATUS_OK;
    TRY(find_largest_of_all(parts, tile_symmetry_find_rest, largest));
    bool all = true;
    for (int i = 0; i < parts->kind.n_matrices; i++) {
        double symmetric = largest[i][0], rest = largest[i][1];
        all &= rest < fmax(parts->threshold, NOISE * symmetric);
        parts->is_clean[i] = rest < CLEAN * parts->threshold;
    }
    if (all)
        parts->n_operations = group->order;
    return STATUS_OK;
}

/* Sets has[i][r]: whether D[i] has a part of representation r; and is_clean[i]. */
static enum status look_for_parts(struct fock_parts *parts,
                                  bool has[FOCK_MAX_MATRICES][POINT_GROUP_MAX_COMMUTING])
{
    double largest[FOCK_MAX_MATRICES][POINT_GROUP_MAX_COMMUTING];
    TRY(find_largest_of_all(parts, tile_symmetry_find_parts, largest));
    for (int i = 0; i < parts->kind.n_matrices; i++) {
        double most = 0;
        for (int r = 0; r < POINT_GROUP_MAX_COMMUTING; r++)
            most = fmax(most, largest[i][r]);
        parts->is_clean[i] = true;
        for (int r = 0; r < POINT_GROUP_MAX_COMMUTING; r++) {
            has[i][r] = largest[i][r] >= fmax(parts->threshold, NOISE * most);
            parts->is_clean[i] &= has[i][r] || largest[i][r] < CLEAN * parts->threshold;
        }
    }
    return STATUS_OK;
}

/* The number of matrices from first on that share its Coulomb density; 1 if it has none. */
static int count_sharing(const struct density_kind *kind, int first)
{
    int c = density_coulomb(kind, first), end = first + 1;
    while (c >= 0 && end < kind->n_matrices && density_coulomb(kind, end) == c)
        end++;
    return end - first;
}

/* Lists the parts of matrices first to first + n - 1; at least one, so that F is set. */
static void list_parts(struct fock_parts *parts, int first, int n,
                       bool has[FOCK_MAX_MATRICES][POINT_GROUP_MAX_COMMUTING])
{
    int before = parts->n_parts;
    bool coulomb = first < parts->kind.n_coulomb * parts->kind.of_each;
    for (int r = 0; r < POINT_GROUP_MAX_COMMUTING; r++) {
        bool any = false;
        for (int i = first; i < first + n; i++)
            any |= has[i][r];
        if (any)
            parts->parts[parts->n_parts++] =
                (struct part){.first = first, .n = n, .coulomb = coulomb, .representation = r};
    }
    if (parts->n_parts == before)
        parts->parts[parts->n_parts++] = (struct part){.first = first, .n = n, .coulomb = coulomb};
    bool clean = true;
    for (int i = first; i < first + n; i++)
        clean &= parts->is_clean[i];
    for (int p = before; p < parts->n_parts; p++)
        parts->parts[p].whole = clean && parts->n_parts == before + 1;
}

static struct density_kind kind_of_pass(const struct fock_parts *parts, int pass)
{
    struct density_kind kind = parts->kind;
    kind.n_matrices = kind.n_coulomb = 0;
    for (int p = 0; p < parts->n_parts; p++)
        if (parts->parts[p].pass == pass) {
            kind.n_matrices += parts->parts[p].n;
            kind.n_coulomb += parts->parts[p].coulomb;
        }
    return kind;
}

/* Puts each part into the first pass that has room for it. */
static void assign_passes(struct fock_parts *parts)
{
    parts->n_passes = 0;
    for (int p = 0; p < parts->n_parts; p++)
        parts->parts[p].pass = -1;
    for (int p = 0; p < parts->n_parts; p++) {
        struct part *part = &parts->parts[p];
        int pass = 0;
        for (; pass < parts->n_passes; pass++) {
            struct density_kind kind = kind_of_pass(parts, pass);
            if (!kind.total && kind.n_matrices + part->n <= FOCK_MAX_MATRICES &&
                kind.n_coulomb + part->coulomb <= FOCK_MAX_COULOMB)
                break;
        }
        part->pass = pass;
        parts->n_passes = pass < parts->n_passes ? parts->n_passes : pass + 1;
    }
}

enum status fock_parts_begin(struct fock_parts *parts, const struct density_kind *kind,
                             const struct darray *const D[], int *n_passes)
{
    bool has[FOCK_MAX_MATRICES][POINT_GROUP_MAX_COMMUTING] = {{false}};
    parts->kind = *kind;
    parts->n_parts = 0;
    for (int i = 0; i < kind->n_matrices; i++) {
        parts->D[i] = D[i];
        parts->is_set[i] = false;
    }
    TRY(try_all_operations(parts));
    if (parts->n_operations == parts->symmetry->group->n_commuting)
        TRY(look_for_parts(parts, has));
    for (int i = 0; i < kind->n_matrices; i += count_sharing(kind, i))
        list_parts(parts, i, count_sharing(kind, i), has);
    assign_passes(parts);
    *n_passes = parts->n_passes;
    bool all_whole = true;
    for (int p = 0; p < parts->n_parts; p++)
        all_whole &= parts->parts[p].whole;
    if (!all_whole)
        TRY(need_matrices(parts, FOCK_MAX_MATRICES, parts->input));
    return need_matrices(parts, all_whole ? kind->n_matrices : FOCK_MAX_MATRICES, parts->skeleton);
}

static void set_factors(const struct fock_parts *parts, const struct part *part, double scale,
                        double factors[POINT_GROUP_MAX_ORDER])
{
    int r = part->representation;
    for (int k = 0; k < parts->n_operations; k++)
        factors[k] = r == 0 ? scale : scale * point_group_character(r, k);
}

enum status fock_parts_input(struct fock_parts *parts, int pass, struct density_kind *kind,
                             const struct darray *input[])
{
    double factors[POINT_GROUP_MAX_ORDER];
    int n = 0;
    *kind = kind_of_pass(parts, pass);
    for (int p = 0; p < parts->n_parts; p++) {
        const struct part *part = &parts->parts[p];
        for (int i = 0; i < part->n && part->pass == pass; i++, n++) {
            const struct darray *D = parts->D[part->first + i];
            input[n] = part->whole ? D : parts->input[n];
            if (part->whole)
                continue;
            set_factors(parts, part, 1.0 / parts->n_operations, factors);
            TRY(tile_symmetry_add(parts->symmetry, parts->n_operations, TILE_DENSITY, factors, D, 0,
                                  parts->input[n]));
        }
    }
    return STATUS_OK;
}

int fock_parts_n_operations(const struct fock_parts *parts)
{
    return parts->n_operations;
}

struct darray *const *fock_parts_skeleton(const struct fock_parts *parts)
{
    return parts->skeleton;
}

enum status fock_parts_add(struct fock_parts *parts, int pass, struct darray *const F[])
{
    double factors[POINT_GROUP_MAX_ORDER];
    int n = 0;
    for (int p = 0; p < parts->n_parts; p++) {
        const struct part *part = &parts->parts[p];
        for (int i = part->first; i < part->first + part->n && part->pass == pass; i++, n++) {
            set_factors(parts, part, 1, factors);
            TRY(tile_symmetry_add(parts->symmetry, parts->n_operations, TILE_OPERATOR, factors,
                                  parts->skeleton[n], parts->is_set[i] ? 1 : 0, F[i]));
            parts->is_set[i] = true;
        }
    }
    return STATUS_OK;
}
