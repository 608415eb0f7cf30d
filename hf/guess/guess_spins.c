/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/guess/guess.h"

#include "hf/guess/guess_atom.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>

/* A centre and its bond to the tree. */
struct tree_atom {
    int64_t parent; /* -1: the first atom of the tree */
    double length;  /* of the bond, or of the shortest one so far; INFINITY: none yet */
    int n_unpaired;
    bool is_metal, in_tree;
};

bool guess_is_transition_metal(const struct atom *atom)
{
    return guess_atom_all_unpaired(atom, 2) > 0;
}

/* The next atom of the tree: the nearest one, metals first; -1: all are in it. */
static int64_t find_nearest(const struct tree_atom *tree, int64_t n)
{
    int64_t nearest = -1;
    for (int64_t i = 0; i < n; i++) {
        if (tree[i].in_tree || tree[i].n_unpaired == 0)
            continue;
        const struct tree_atom *best = nearest < 0 ? NULL : &tree[nearest];
        if (!best || (tree[i].is_metal && !best->is_metal) ||
            (tree[i].is_metal == best->is_metal && tree[i].length < best->length))
            nearest = i;
    }
    return nearest;
}

/* Offers the bonds of a new atom of the tree to the others. */
static void offer_bonds(const struct molecule *molecule, int64_t from, struct tree_atom *tree)
{
    const double *a = molecule->atoms[from].position;
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        const double *b = molecule->atoms[i].position;
        double length = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        if (!tree[i].in_tree && length < tree[i].length) {
            tree[i].length = length;
            tree[i].parent = from;
        }
    }
}

/* Fills order with the atoms of the tree, parents before their children; their number. */
static int64_t grow_tree(const struct molecule *molecule, struct tree_atom *tree, int64_t *order)
{
    int64_t n = molecule->n_atoms, count = 0, next;
    for (int64_t i = 0; i < n; i++) {
        const struct atom *atom = &molecule->atoms[i];
        tree[i] = (struct tree_atom){.parent = -1,
                                     .length = INFINITY,
                                     .n_unpaired = guess_atom_all_unpaired(atom, 0),
                                     .is_metal = guess_is_transition_metal(atom)};
    }
    while ((next = find_nearest(tree, n)) >= 0) {
        tree[next].in_tree = true;
        order[count++] = next;
        offer_bonds(molecule, next, tree);
    }
    return count;
}

/* The atom whose bond to its parent is the longest one. */
static int64_t find_longest(const struct tree_atom *tree, int64_t count, const int64_t *order)
{
    int64_t longest = order[1];
    for (int64_t k = 2; k < count; k++)
        if (tree[order[k]].length > tree[longest].length)
            longest = order[k];
    return longest;
}

static void set_signs(const struct tree_atom *tree, int64_t count, const int64_t *order,
                      enum guess_spins spins, bool flipped[])
{
    int64_t longest = find_longest(tree, count, order), n_alpha = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = order[k];
        bool reverse = k > 0 && (spins == GUESS_SPINS_ALTERNATE || i == longest);
        flipped[i] = k > 0 && flipped[tree[i].parent] != reverse;
        n_alpha += flipped[i] ? -tree[i].n_unpaired : tree[i].n_unpaired;
    }
    for (int64_t k = 0; k < count && n_alpha < 0; k++)
        flipped[order[k]] = !flipped[order[k]];
}

enum status guess_spins_choose(const struct molecule *molecule, enum guess_spins spins,
                               bool flipped[], int64_t *n_atoms)
{
    size_t n = (size_t)molecule->n_atoms;
    struct tree_atom *tree = calloc(n, sizeof *tree);
    int64_t *order = calloc(n, sizeof *order);
    enum status status = CHECK_MEMORY(tree && order, "no memory for the spins of %zu centres", n);
    for (size_t i = 0; i < n; i++)
        flipped[i] = false;
    if (status == STATUS_OK) {
        *n_atoms = grow_tree(molecule, tree, order);
        if (*n_atoms > 1)
            set_signs(tree, *n_atoms, order, spins, flipped);
    }
    free(tree);
    free(order);
    return status;
}

/* --- reversal --- */

/* Mixes the blocks of a pair of shells: each spin keeps a part of its own and takes the rest. */
static void mix_spins(const struct shell *i, const struct shell *j, double kept, int64_t n_J,
                      double *alpha, double *beta)
{
    for (int f = 0; f < i->n_functions; f++)
        for (int g = 0; g < j->n_functions; g++) {
            double a = alpha[f * n_J + g], b = beta[f * n_J + g];
            alpha[f * n_J + g] = kept * a + (1 - kept) * b;
            beta[f * n_J + g] = kept * b + (1 - kept) * a;
        }
}

static void flip_tile(const struct scf_problem *problem, const bool flipped[],
                      const struct own_tile *own, double *alpha, double *beta)
{
    const struct tiling *tiling = problem->tiling;
    const struct shell *shells = problem->shells->shells;
    int64_t I = own->I, J = own->J, n_J = tile_n_functions(tiling, J);
    for (int64_t i = tiling->first_shell[I]; i < tiling->first_shell[I + 1]; i++)
        for (int64_t j = tiling->first_shell[J]; j < tiling->first_shell[J + 1]; j++) {
            int n_flipped = flipped[shells[i].atom] + flipped[shells[j].atom];
            int64_t first = (shells[i].first_function - tiling->first_function[I]) * n_J +
                            shells[j].first_function - tiling->first_function[J];
            if (n_flipped > 0)
                mix_spins(&shells[i], &shells[j], 1 - 0.5 * n_flipped, n_J, alpha + first,
                          beta + first);
        }
}

enum status guess_flip(const struct scf_problem *problem, const bool flipped[],
                       struct darray *const D[])
{
    const struct tiling *tiling = problem->tiling;
    size_t size = (size_t)(tiling->max_functions * tiling->max_functions);
    double *alpha = agree_calloc(problem->comm, 2 * size * sizeof *alpha, "two tiles");
    if (!alpha)
        return STATUS_NO_MEMORY;
    double *beta = alpha + size;
    struct own_tile own = {0};
    while (own_tile_next(tiling, D[0], &own)) { /* also owns it in D[1] */
        darray_get(D[0], own.pair, alpha);
        darray_get(D[1], own.pair, beta);
        flip_tile(problem, flipped, &own, alpha, beta);
        darray_put(D[0], own.pair, alpha);
        darray_put(D[1], own.pair, beta);
    }
    free(alpha);
    darray_sync();
    return STATUS_OK;
}
