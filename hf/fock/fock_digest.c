#include "hf/fock/fock_digest.h"

/* The four shells a, b, c, d of a quartet, in the order of the integrals. */
struct quartet_shells {
    int role[4];
    int64_t x[4]; /* first function, within the tile */
    int n[4];     /* functions */
};

/* The blocks of a tile pair that two of the shells select: density D, and A to
 * add to, with common strides. */
struct block {
    const double *D;
    double *A;
    int64_t stride[2];
};

static struct block coulomb_block(const struct quartet_views *views,
                                  const struct quartet_shells *shells, int p, int q)
{
    const struct tile_view *view = &views->view[shells->role[p]][shells->role[q]];
    int64_t at = shells->x[p] * view->stride[0] + shells->x[q] * view->stride[1];
    return (struct block){
        view->D->coulomb + at, view->coulomb + at, {view->stride[0], view->stride[1]}};
}

static struct block exchange_block(const struct quartet_views *views,
                                   const struct quartet_shells *shells, int spin, int p, int q)
{
    const struct tile_view *view = &views->view[shells->role[p]][shells->role[q]];
    int64_t at = shells->x[p] * view->stride[0] + shells->x[q] * view->stride[1];
    return (struct block){view->D->exchange[spin] + at,
                          view->exchange[spin] + at,
                          {view->stride[0], view->stride[1]}};
}

/* A_ab += factor D_cd v and A_cd += factor D_ab v */
static void add_coulomb(const struct block *ab, const struct block *cd, const int n[4],
                        double factor, const double *v)
{
    for (int a = 0; a < n[0]; a++) {
        for (int b = 0; b < n[1]; b++) {
            int64_t at_ab = a * ab->stride[0] + b * ab->stride[1];
            double D_ab = factor * ab->D[at_ab], sum = 0;
            for (int c = 0; c < n[2]; c++) {
                const double *D = cd->D + c * cd->stride[0];
                double *A = cd->A + c * cd->stride[0];
                for (int d = 0; d < n[3]; d++, v++) {
                    sum += D[d * cd->stride[1]] * *v;
                    A[d * cd->stride[1]] += D_ab * *v;
                }
            }
            ab->A[at_ab] += factor * sum;
        }
    }
}

/* A_ac += factor D_bd v, A_ad += factor D_bc v, A_bc += factor D_ad v and
 * A_bd += factor D_ac v */
static void add_exchange(const struct block *ac, const struct block *ad, const struct block *bc,
                         const struct block *bd, const int n[4], double factor, const double *v)
{
    for (int a = 0; a < n[0]; a++) {
        for (int b = 0; b < n[1]; b++) {
            const double *D_ad = ad->D + a * ad->stride[0], *D_bd = bd->D + b * bd->stride[0];
            double *A_ad = ad->A + a * ad->stride[0], *A_bd = bd->A + b * bd->stride[0];
            for (int c = 0; c < n[2]; c++) {
                int64_t at_ac = a * ac->stride[0] + c * ac->stride[1];
                int64_t at_bc = b * bc->stride[0] + c * bc->stride[1];
                double D_ac = factor * ac->D[at_ac], D_bc = factor * bc->D[at_bc];
                double sum_ac = 0, sum_bc = 0;
                for (int d = 0; d < n[3]; d++, v++) {
                    sum_ac += D_bd[d * bd->stride[1]] * *v;
                    sum_bc += D_ad[d * ad->stride[1]] * *v;
                    A_ad[d * ad->stride[1]] += D_bc * *v;
                    A_bd[d * bd->stride[1]] += D_ac * *v;
                }
                ac->A[at_ac] += factor * sum_ac;
                bc->A[at_bc] += factor * sum_bc;
            }
        }
    }
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

/* 1, halved for every symmetry that maps the quartet on itself. */
static double orbit_factor(const struct digest_batch *batch, const struct quartet *quartet)
{
    const struct shell_pair *bra = &batch->quartets->bra->pairs[quartet->bra];
    const struct shell_pair *ket = &batch->quartets->ket->pairs[quartet->ket];
    double factor = 1;
    if (bra->first == bra->second)
        factor /= 2;
    if (ket->first == ket->second)
        factor /= 2;
    if (batch->same_tile_pair && bra == ket)
        factor /= 2;
    return factor;
}

/* All shells s, closed shell: one integral a quartet, and the bra changes
 * seldom. Pairs of equal angular momenta are never swapped. */
static void digest_symmetric_s(const struct quartet_views *views, const struct digest_batch *batch)
{
    const struct quartet_batch *quartets = batch->quartets;
    int A = batch->bra_role, B = A + 1, C = batch->ket_role, D = C + 1;
    const struct tile_view *ab = &views->view[A][B], *cd = &views->view[C][D];
    const struct tile_view *ac = &views->view[A][C], *ad = &views->view[A][D];
    const struct tile_view *bc = &views->view[B][C], *bd = &views->view[B][D];
    int32_t i = 0;
    while (i < quartets->n_quartets) {
        int32_t bra_index = quartets->quartets[i].bra;
        const struct shell_pair *bra = &quartets->bra->pairs[bra_index];
        int64_t a = view_function(views, A, bra->function[0]);
        int64_t b = view_function(views, B, bra->function[1]);
        int64_t at_ab = a * ab->stride[0] + b * ab->stride[1];
        double D_ab = ab->D->coulomb[at_ab], sum_ab = 0;
        for (; i < quartets->n_quartets && quartets->quartets[i].bra == bra_index; i++) {
            const struct shell_pair *ket = &quartets->ket->pairs[quartets->quartets[i].ket];
            int64_t c = view_function(views, C, ket->function[0]);
            int64_t d = view_function(views, D, ket->function[1]);
            int64_t at_cd = c * cd->stride[0] + d * cd->stride[1];
            int64_t at_ac = a * ac->stride[0] + c * ac->stride[1];
            int64_t at_ad = a * ad->stride[0] + d * ad->stride[1];
            int64_t at_bc = b * bc->stride[0] + c * bc->stride[1];
            int64_t at_bd = b * bd->stride[0] + d * bd->stride[1];
            double v = orbit_factor(batch, &quartets->quartets[i]) * batch->integrals[i];
            sum_ab += 2 * v * cd->D->coulomb[at_cd];
            cd->coulomb[at_cd] += 2 * v * D_ab;
            v *= -0.5;
            double D_ac = ac->D->coulomb[at_ac], D_ad = ad->D->coulomb[at_ad];
            ac->coulomb[at_ac] += v * bd->D->coulomb[at_bd];
            ad->coulomb[at_ad] += v * bc->D->coulomb[at_bc];
            bc->coulomb[at_bc] += v * D_ad;
            bd->coulomb[at_bd] += v * D_ac;
        }
        ab->coulomb[at_ab] += sum_ab;
    }
}

void fock_digest_symmetric(const struct quartet_views *views, const struct digest_batch *batch)
{
    const struct pair_class *bra = batch->quartets->bra, *ket = batch->quartets->ket;
    int64_t n_integrals = quartet_n_integrals(bra, ket);
    if (n_integrals == 1 && views->n_spins == 1) {
        digest_symmetric_s(views, batch);
        return;
    }
    double exchange_factor = views->n_spins == 1 ? -0.5 : -1;
    const double *v = batch->integrals;
    for (int32_t i = 0; i < batch->quartets->n_quartets; i++, v += n_integrals) {
        const struct quartet *quartet = &batch->quartets->quartets[i];
        struct quartet_shells shells;
        set_shells_of_pair(views, bra, quartet->bra, batch->bra_role, &shells, 0);
        set_shells_of_pair(views, ket, quartet->ket, batch->ket_role, &shells, 2);
        double factor = orbit_factor(batch, quartet);
        struct block ab = coulomb_block(views, &shells, 0, 1);
        struct block cd = coulomb_block(views, &shells, 2, 3);
        add_coulomb(&ab, &cd, shells.n, 2 * factor, v);
        for (int spin = 0; spin < views->n_spins; spin++) {
            struct block ac = exchange_block(views, &shells, spin, 0, 2);
            struct block ad = exchange_block(views, &shells, spin, 0, 3);
            struct block bc = exchange_block(views, &shells, spin, 1, 2);
            struct block bd = exchange_block(views, &shells, spin, 1, 3);
            add_exchange(&ac, &ad, &bc, &bd, shells.n, exchange_factor * factor, v);
        }
    }
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
    double exchange_factor = views->n_spins == 1 ? -0.25 : -0.5;
    const double *v = batch->integrals;
    for (int32_t q = 0; q < batch->quartets->n_quartets; q++, v += n_integrals) {
        const struct quartet *quartet = &batch->quartets->quartets[q];
        struct quartet_shells shells;
        set_shells_of_pair(views, bra, quartet->bra, batch->bra_role, &shells, 0);
        set_shells_of_pair(views, ket, quartet->ket, batch->ket_role, &shells, 2);
        int at[4]; /* position among the integral's indices of roles I, J, K, L */
        for (int p = 0; p < 4; p++)
            at[shells.role[p]] = p;
        int64_t stride[4] = {(int64_t)shells.n[1] * shells.n[2] * shells.n[3],
                             (int64_t)shells.n[2] * shells.n[3], shells.n[3], 1};
        const int *n = shells.n;

        struct block ij = coulomb_block(views, &shells, at[0], at[1]);
        struct block kl = coulomb_block(views, &shells, at[2], at[3]);
        add_ordered(&ij, &kl,
                    (int64_t[]){stride[at[0]], stride[at[1]], stride[at[2]], stride[at[3]]},
                    (int[]){n[at[0]], n[at[1]], n[at[2]], n[at[3]]}, 0.5, v);
        for (int spin = 0; spin < views->n_spins; spin++) {
            struct block ik = exchange_block(views, &shells, spin, at[0], at[2]);
            struct block jl = exchange_block(views, &shells, spin, at[1], at[3]);
            add_ordered(&ik, &jl,
                        (int64_t[]){stride[at[0]], stride[at[2]], stride[at[1]], stride[at[3]]},
                        (int[]){n[at[0]], n[at[2]], n[at[1]], n[at[3]]}, exchange_factor, v);
        }
    }
}
