#include "hf/fock/fock_digest.h"

#include "support/base/vector_clones.h"

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

/* --- the orbits of quartets, QUARTET_LANES at once --- */

typedef double lanes __attribute__((vector_size(QUARTET_LANES * sizeof(double))));

/* The pairs of a quartet's shells a, b, c, d. */
enum shell_choice { AB, CD, AC, AD, BC, BD, N_CHOICES };
static const int chosen[N_CHOICES][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

/* Where pairs of shells are: by whether the bra and the ket pair are swapped. */
struct digest_places {
    struct block base[2][2][N_CHOICES]; /* element (0, 0) of the tile */
    int64_t first[2][4];                /* first functions of the four tiles; by swapped */
    int n[4];                           /* functions of the shells */
};

static void set_places(const struct quartet_views *views, const struct digest_batch *batch,
                       int spin, struct digest_places *places)
{
    const struct pair_class *bra = batch->quartets->bra, *ket = batch->quartets->ket;
    *places =
        (struct digest_places){.n = {bra->n_first, bra->n_second, ket->n_first, ket->n_second}};
    for (int swapped = 0; swapped < 4; swapped++) {
        int role[4] = {batch->bra_role + swapped / 2, batch->bra_role + !(swapped / 2),
                       batch->ket_role + swapped % 2, batch->ket_role + !(swapped % 2)};
        for (int c = 0; c < N_CHOICES; c++) {
            const struct tile_view *view = &views->view[role[chosen[c][0]]][role[chosen[c][1]]];
            bool coulomb = c == AB || c == CD;
            places->base[swapped / 2][swapped % 2][c] =
                (struct block){coulomb ? view->D->coulomb : view->D->exchange[spin],
                               coulomb ? view->coulomb : view->exchange[spin],
                               {view->stride[0], view->stride[1]}};
        }
        for (int k = 0; k < 2; k++) {
            places->first[swapped / 2][k] = views->tiling->first_function[views->tile[role[k]]];
            places->first[swapped % 2][2 + k] =
                views->tiling->first_function[views->tile[role[2 + k]]];
        }
    }
}

/* Up to QUARTET_LANES quartets, unused lanes repeating the first. */
struct digest_lanes {
    struct block block[N_CHOICES][QUARTET_LANES];
    lanes weight; /* of the orbits; 0 in unused lanes */
    int n;        /* lanes in use */
};

static void set_lanes(const struct digest_places *places, const struct digest_batch *batch,
                      int32_t first, struct digest_lanes *set)
{
    const struct quartet_batch *quartets = batch->quartets;
    int32_t left = quartets->n_quartets - first;
    set->n = left < QUARTET_LANES ? left : QUARTET_LANES;
    for (int lane = 0; lane < QUARTET_LANES; lane++) {
        const struct quartet *quartet = &quartets->quartets[first + (lane < set->n ? lane : 0)];
        const struct shell_pair *bra = &quartets->bra->pairs[quartet->bra];
        const struct shell_pair *ket = &quartets->ket->pairs[quartet->ket];
        const struct block *base = places->base[bra->swapped][ket->swapped];
        int64_t x[4] = {bra->function[0] - places->first[bra->swapped][0],
                        bra->function[1] - places->first[bra->swapped][1],
                        ket->function[0] - places->first[ket->swapped][2],
                        ket->function[1] - places->first[ket->swapped][3]};
        for (int c = 0; c < N_CHOICES; c++) {
            int64_t at = x[chosen[c][0]] * base[c].stride[0] + x[chosen[c][1]] * base[c].stride[1];
            set->block[c][lane] = (struct block){
                base[c].D + at, base[c].A + at, {base[c].stride[0], base[c].stride[1]}};
        }
        set->weight[lane] = lane < set->n ? orbit_factor(batch, quartet) : 0;
    }
}

/* Blocks of n x m functions side by side: element (i, j) of every lane is number i * m + j. */
#define INLINE static inline __attribute__((always_inline))

INLINE void copy_density(const struct block block[QUARTET_LANES], int n, int m, double factor,
                         lanes *D, lanes *A)
{
    for (int lane = 0; lane < QUARTET_LANES; lane++) {
        const struct block *from = &block[lane];
        double *to = (double *)D + lane;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++, to += QUARTET_LANES)
                *to = factor * from->D[i * from->stride[0] + j * from->stride[1]];
    }
    for (int i = 0; i < n * m; i++)
        A[i] = (lanes){0};
}

INLINE void add_contributions(const struct block block[QUARTET_LANES], int n, int m, int n_lanes,
                              const lanes *A)
{
    for (int lane = 0; lane < n_lanes; lane++) {
        const struct block *to = &block[lane];
        const double *from = (const double *)A + lane;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++, from += QUARTET_LANES)
                to->A[i * to->stride[0] + j * to->stride[1]] += *from;
    }
}

/* Calls with n and m as constants where they are those of s, p and SP shells and of general
 * contractions of two s, so that the loops over few elements vanish. */
#define SHAPE(n, m, CALL)                                                                          \
    case (n)*8 + (m):                                                                              \
        CALL(n, m);                                                                                \
        break;
#define SHAPES(n, CALL) SHAPE(n, 1, CALL) SHAPE(n, 2, CALL) SHAPE(n, 3, CALL) SHAPE(n, 4, CALL)
#define WITH_SHAPE(n, m, CALL)                                                                     \
    switch ((n) <= 4 && (m) <= 4 ? (n)*8 + (m) : 0) {                                              \
        SHAPES(1, CALL)                                                                            \
        SHAPES(2, CALL)                                                                            \
        SHAPES(3, CALL)                                                                            \
        SHAPES(4, CALL)                                                                            \
    default:                                                                                       \
        CALL(n, m);                                                                                \
    }

static void copy_densities(const struct digest_lanes *set, const int n[4], int first, int last,
                           double factor, lanes *D, lanes *A, int64_t size)
{
    for (int c = first; c <= last; c++, D += size, A += size) {
        int n_p = n[chosen[c][0]], n_q = n[chosen[c][1]];
#define COPY(rows, columns) copy_density(set->block[c], rows, columns, factor, D, A)
        WITH_SHAPE(n_p, n_q, COPY)
    }
}

static void add_all_contributions(const struct digest_lanes *set, const int n[4], int first,
                                  int last, const lanes *A, int64_t size)
{
    for (int c = first; c <= last; c++, A += size) {
        int n_p = n[chosen[c][0]], n_q = n[chosen[c][1]];
#define ADD(rows, columns) add_contributions(set->block[c], rows, columns, set->n, A)
        WITH_SHAPE(n_p, n_q, ADD)
    }
}

/* A_ab += D_cd v and A_cd += D_ab v */
VECTOR_CLONES
static void add_coulomb(int n_ab, int n_cd, const lanes *weight, const lanes *D_ab,
                        const lanes *D_cd, const lanes *v, lanes *A_ab, lanes *A_cd)
{
    for (int i = 0; i < n_ab; i++) {
        lanes D = D_ab[i] * *weight, sum = {0};
        for (int j = 0; j < n_cd; j++, v++) {
            sum += D_cd[j] * *v;
            A_cd[j] += D * *v;
        }
        A_ab[i] += sum * *weight;
    }
}

/* A_ac += D_bd v, A_ad += D_bc v, A_bc += D_ad v and A_bd += D_ac v; of D and A the four blocks
 * one after another. */
VECTOR_CLONES
static void add_exchange(const int n[4], const lanes *weight, const lanes *D, const lanes *v,
                         lanes *A, int64_t size)
{
    const lanes *D_ac = D, *D_ad = D + size, *D_bc = D + 2 * size, *D_bd = D + 3 * size;
    lanes *A_ac = A, *A_ad = A + size, *A_bc = A + 2 * size, *A_bd = A + 3 * size;
    for (int64_t a = 0; a < n[0]; a++) {
        for (int64_t b = 0; b < n[1]; b++) {
            const lanes *from_ad = D_ad + a * n[3], *from_bd = D_bd + b * n[3];
            lanes *to_ad = A_ad + a * n[3], *to_bd = A_bd + b * n[3];
            for (int c = 0; c < n[2]; c++) {
                lanes ac = D_ac[a * n[2] + c] * *weight, bc = D_bc[b * n[2] + c] * *weight;
                lanes sum_ac = {0}, sum_bc = {0};
                for (int d = 0; d < n[3]; d++, v++) {
                    sum_ac += from_bd[d] * *v;
                    sum_bc += from_ad[d] * *v;
                    to_ad[d] += bc * *v;
                    to_bd[d] += ac * *v;
                }
                A_ac[a * n[2] + c] += sum_ac * *weight;
                A_bc[b * n[2] + c] += sum_bc * *weight;
            }
        }
    }
}

/* Coulomb terms if spin is 0, and the exchange terms of that spin. */
static void digest_spin(const struct quartet_views *views, const struct digest_batch *batch,
                        int spin)
{
    struct digest_places places;
    set_places(views, batch, spin, &places);
    const int *n = places.n;
    int64_t n_integrals = quartet_n_integrals(batch->quartets->bra, batch->quartets->ket);
    int64_t size = views->max_block;
    lanes *D = (lanes *)views->lanes, *A = D + N_CHOICES * size;
    double exchange_factor = views->n_spins == 1 ? -0.5 : -1;
    for (int32_t i = 0; i < batch->quartets->n_quartets; i += QUARTET_LANES) {
        struct digest_lanes set;
        set_lanes(&places, batch, i, &set);
        const lanes *v = (const lanes *)(batch->integrals + batch_place(n_integrals, i, 0));
        if (spin == 0) {
            copy_densities(&set, n, AB, CD, 2, D, A, size);
            add_coulomb(n[0] * n[1], n[2] * n[3], &set.weight, D, D + size, v, A, A + size);
            add_all_contributions(&set, n, AB, CD, A, size);
        }
        copy_densities(&set, n, AC, BD, exchange_factor, D, A, size);
        add_exchange(n, &set.weight, D, v, A, size);
        add_all_contributions(&set, n, AC, BD, A, size);
    }
}

void fock_digest_symmetric(const struct quartet_views *views, const struct digest_batch *batch)
{
    if (views->n_spins == 1 &&
        quartet_n_integrals(batch->quartets->bra, batch->quartets->ket) == 1) {
        digest_symmetric_s(views, batch);
        return;
    }
    for (int spin = 0; spin < views->n_spins; spin++)
        digest_spin(views, batch, spin);
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
