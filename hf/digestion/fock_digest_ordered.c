/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/fock_digest.h"

/* The four shells a, b, c, d of a quartet, in the order of the integrals. */
struct quartet_shells {
    int role[4];
    int64_t x[4]; /* first function, within the tile */
    int n[4];     /* functions */
};

/* A pair's block of density D and of A to add to, with common strides. */
struct block {
    const double *D;
    double *A;
    int64_t stride[2];
};

static struct block coulomb_block(const struct quartet_views *views,
                                  const struct quartet_shells *shells, int density, int p, int q)
{
    const struct tile_view *view = &views->view[shells->role[p]][shells->role[q]];
    int64_t at = shells->x[p] * view->stride[0] + shells->x[q] * view->stride[1];
    return (struct block){view->D->coulomb[density] + at,
                          view->coulomb[density] + at,
                          {view->stride[0], view->stride[1]}};
}

static struct block exchange_block(const struct quartet_views *views,
                                   const struct quartet_shells *shells, int matrix, int p, int q)
{
    const struct tile_view *view = &views->view[shells->role[p]][shells->role[q]];
    int64_t at = shells->x[p] * view->stride[0] + shells->x[q] * view->stride[1];
    return (struct block){view->D->exchange[matrix] + at,
                          view->exchange[matrix] + at,
                          {view->stride[0], view->stride[1]}};
}

/* Roles of a pair's first and second shell, its tiles being roles base, base + 1. */
static void set_shells_of_pair(const struct quartet_views *views, const struct pair_class *class,
                               int32_t pair_index, int base, struct quartet_shells *shells, int at)
{
    const struct shell_pair *pair = &class->pairs[pair_index];
    shells->role[at] = base + pair->swapped;
    shells->role[at + 1] = base + !pair->swapped;
    shells->x[at] = view_function(views, shells->role[at], pair->function[0]);
    shells->x[at + 1] = view_function(views, shells->role[at + 1], pair->function[1]);
    shells->n[at] = class->n_first;
    shells->n[at + 1] = class->n_second;
}

/* A_ij += factor D_kl v where (i, j) and (k, l) are shells (p, p') of the quartet. */
static void add_ordered(const struct block *to, const struct block *from, const int64_t v_stride[4],
                        const int n[4], double factor, const double *v)
{
    for (int i = 0; i < n[0]; i++) {
        for (int j = 0; j < n[1]; j++) {
            double sum = 0;
            for (int k = 0; k < n[2]; k++)
                for (int l = 0; l < n[3]; l++)
                    sum += from->D[k * from->stride[0] + l * from->stride[1]] *
                           v[i * v_stride[0] + j * v_stride[1] + k * v_stride[2] + l * v_stride[3]];
            to->A[i * to->stride[0] + j * to->stride[1]] += factor * sum;
        }
    }
}

void fock_digest_ordered(const struct quartet_views *views, const struct digest_batch *batch)
{
    const struct pair_class *bra = batch->quartets->bra, *ket = batch->quartets->ket;
    int64_t n_integrals = quartet_n_integrals(bra, ket);
    double coulomb_factor = 0.5 * views->kind.coulomb_scale;
    double exchange_factor = 0.5 * views->kind.exchange_scale;
    for (int32_t q = 0; q < batch->quartets->n_quartets; q++) {
        const double *v = batch->integrals + batch_place(n_integrals, q, 0);
        const struct quartet *quartet = &batch->quartets->quartets[q];
        struct quartet_shells shells;
        set_shells_of_pair(views, bra, quartet->bra, batch->bra_role, &shells, 0);
        set_shells_of_pair(views, ket, quartet->ket, batch->ket_role, &shells, 2);
        int at[4]; /* position among the integral's indices of roles I, J, K, L */
        for (int p = 0; p < 4; p++)
            at[shells.role[p]] = p;
        int64_t stride[4] = {(int64_t)shells.n[1] * shells.n[2] * shells.n[3] * QUARTET_LANES,
                             (int64_t)shells.n[2] * shells.n[3] * QUARTET_LANES,
                             (int64_t)shells.n[3] * QUARTET_LANES, QUARTET_LANES};
        const int *n = shells.n;

        for (int c = 0; c < views->kind.n_coulomb; c++) {
            struct block ij = coulomb_block(views, &shells, c, at[0], at[1]);
            struct block kl = coulomb_block(views, &shells, c, at[2], at[3]);
            add_ordered(&ij, &kl,
                        (int64_t[]){stride[at[0]], stride[at[1]], stride[at[2]], stride[at[3]]},
                        (int[]){n[at[0]], n[at[1]], n[at[2]], n[at[3]]}, coulomb_factor, v);
        }
        for (int i = 0; i < views->kind.n_matrices; i++) {
            struct block ik = exchange_block(views, &shells, i, at[0], at[2]);
            struct block jl = exchange_block(views, &shells, i, at[1], at[3]);
            add_ordered(&ik, &jl,
                        (int64_t[]){stride[at[0]], stride[at[2]], stride[at[1]], stride[at[3]]},
                        (int[]){n[at[0]], n[at[2]], n[at[1]], n[at[3]]}, exchange_factor, v);
        }
    }
}
