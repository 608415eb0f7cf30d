/* The two-electron engines behind two_electron.h; private to basis/. `cutoff` is
 * that of two_electron_create. */
#ifndef BERYL_BASIS_TWO_ELECTRON_ENGINE_H
#define BERYL_BASIS_TWO_ELECTRON_ENGINE_H

#include "basis/integrals/two_electron.h"

/* (ss|ss), vectorised over primitives of many quartets (two_electron_s.c). */
struct two_electron_s;
enum status two_electron_s_create(double cutoff, struct two_electron_s **engine);
void two_electron_s_destroy(struct two_electron_s *engine);
void two_electron_s_compute(struct two_electron_s *engine, const struct quartet_batch *batch,
                            double *integrals);

/* Every class, one quartet at a time, by libint (two_electron_libint.c). */
struct two_electron_libint;
enum status two_electron_libint_create(int max_l, double cutoff,
                                       struct two_electron_libint **engine);
void two_electron_libint_destroy(struct two_electron_libint *engine);
void two_electron_libint_compute(struct two_electron_libint *engine,
                                 const struct quartet_batch *batch, double *integrals);

#endif
