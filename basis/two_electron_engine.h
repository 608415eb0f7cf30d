/* What the two-electron engines share; private to basis/. */
#ifndef BERYL_BASIS_TWO_ELECTRON_ENGINE_H
#define BERYL_BASIS_TWO_ELECTRON_ENGINE_H

#include "basis/two_electron.h"

/* A quartet of primitives whose |factor product| is below this is left out: the
 * integrals of a contracted quartet are then good to about 1e-14. */
#define PRIMITIVE_QUARTET_CUTOFF 1e-16

/* (ss|ss), vectorised over primitives of many quartets (two_electron_s.c). */
struct two_electron_s;
enum status two_electron_s_create(struct two_electron_s **engine);
void two_electron_s_destroy(struct two_electron_s *engine);
void two_electron_s_compute(struct two_electron_s *engine, const struct quartet_batch *batch,
                            double *integrals);

/* Every class, one quartet at a time, by libint (two_electron_libint.c). */
struct two_electron_libint;
enum status two_electron_libint_create(int max_l, struct two_electron_libint **engine);
void two_electron_libint_destroy(struct two_electron_libint *engine);
void two_electron_libint_compute(struct two_electron_libint *engine,
                                 const struct quartet_batch *batch, double *integrals);

#endif
