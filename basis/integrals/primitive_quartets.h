/* Quantities of many primitive quartets at once; private to the engines.
 *
 * For products of Gaussians of exponents zeta at P and eta at Q:
 *   rho = zeta eta / (zeta + eta)    W = (zeta P + eta Q) / (zeta + eta)
 *   F[m] = factor F_m(T),  T = rho |P - Q|^2,  factor = factor_bra factor_ket / sqrt(zeta + eta)
 * They are evaluated PRIMITIVE_LANES at a time with vector instructions, of the
 * best set that the processor has, chosen at program start. Lists are padded
 * to whole blocks, so that a value never depends on its place in a list. */
#ifndef BERYL_BASIS_PRIMITIVE_QUARTETS_H
#define BERYL_BASIS_PRIMITIVE_QUARTETS_H

#include "basis/integrals/boys.h"
#include "basis/integrals/shell_pairs.h"

#include <stdint.h>

enum {
    PRIMITIVE_LANES = 8,
    PRIMITIVE_CHUNK = 32 * PRIMITIVE_LANES, /* entries of a list */
};

/* The caller fills bra, ket (indices of products) and n. To be allocated at a
 * multiple of PRIMITIVE_ALIGNMENT bytes. */
enum { PRIMITIVE_ALIGNMENT = 64 };
struct primitive_quartets {
    _Alignas(PRIMITIVE_ALIGNMENT) double inverse[PRIMITIVE_CHUNK]; /* 1 / (zeta + eta) */
    double bra_weight[PRIMITIVE_CHUNK];                            /* zeta / (zeta + eta) */
    double ket_weight[PRIMITIVE_CHUNK];                            /* eta / (zeta + eta) */
    double WP[3][PRIMITIVE_CHUNK];                                 /* W - P */
    double WQ[3][PRIMITIVE_CHUNK];                                 /* W - Q */
    double F[BOYS_MAX_M + 1][PRIMITIVE_CHUNK];
    int32_t bra[PRIMITIVE_CHUNK], ket[PRIMITIVE_CHUNK];
    int n; /* <= PRIMITIVE_CHUNK */
};

/* Tables; call once before the other functions, idempotent. */
void primitive_quartets_prepare(void);

/* Fills F[0] to F[max_m], max_m < BOYS_MAX_M, and, if max_m > 0, the rest. */
void primitive_quartets_evaluate(struct primitive_quartets *list,
                                 const struct primitive_products *bra,
                                 const struct primitive_products *ket, int max_m);

#endif
