/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of libecpint that ecp.c needs, for C. Numbers of shells, potentials and terms count from 0 in
 * the order of the calls that add them; all numbers are copied. Errors: STATUS_NO_MEMORY,
 * STATUS_LIBRARY with the library's text. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include "support/base/status.h"

/* The largest angular momentum of shells and of the potential's local part. */
int ecp_library_max_l(void);

struct ecp_library;
enum status ecp_library_create(int max_l_of_shells, int max_l_of_potentials,
                               struct ecp_library **library);
void ecp_library_destroy(struct ecp_library *library);

/* A shell of raw Cartesian functions (shells.h). */
enum status ecp_library_add_shell(struct ecp_library *library, const double center[3], int l,
                                  int n_primitives, const double *exponents,
                                  const double *coefficients);

/* A potential without terms, and a term c r^(power - 2) exp(-exponent r^2) of the last potential: its
 * largest l is the local part's, whose integrals are left out. */
enum status ecp_library_add_potential(struct ecp_library *library, const double center[3]);
enum status ecp_library_add_term(struct ecp_library *library, int l, int power, double exponent,
                                 double c);

/* Adds (bra| U |ket) of a potential to the raw Cartesian block. */
enum status ecp_library_add_block(struct ecp_library *library, int potential, int bra, int ket,
                                  double *cartesian);

#ifdef __cplusplus
}
#endif
