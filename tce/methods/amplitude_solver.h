/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves the amplitude equations x = f(x), for some tensors together, by iteration with
 * extrapolation:
 *
 *     x <- sum_i c_i f(x_i),   sum_i c_i = 1,   | sum_i c_i (f(x_i) - x_i) | minimal
 *
 * over the last steps. Source: Scuseria, Lee, Schaefer, Chem. Phys. Lett. 130, 236 (1986),
 * DIIS for the amplitudes of coupled-cluster theory. */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>

struct amplitude_solver;

/* A step of the past: n tensors f(x), and as many f(x) - x. */
struct amplitude_step {
    struct tensor **image, **error;
};

/* Collective, like all that follows.
 * n      tensors
 * x, f   n of each: the unknowns, and what f makes of them; borrowed
 * size   steps kept; 1: plain iteration
 * Errors: STATUS_NO_MEMORY; the same everywhere. amplitude_solver_destroy follows then, too. */
enum status amplitude_solver_create(int n, struct tensor *const x[], struct tensor *const f[],
                                    int size, MPI_Comm comm, struct amplitude_solver **solver);
void amplitude_solver_destroy(struct amplitude_solver *solver);

/* f holds f(x): *change = max |f(x) - x|, *norm = |f(x) - x| over all elements, and x becomes the
 * next guess. The same to the bit for any number of processes.
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC (f(x) is not finite). */
enum status amplitude_solver_step(struct amplitude_solver *solver, double *change, double *norm);

/* The steps that are kept, *n of them and room for as many as `size` says, oldest first; to be
 * written into a file, or read from one before amplitude_solver_resume. Borrowed. Not collective.
 */
const struct amplitude_step *amplitude_solver_steps(const struct amplitude_solver *solver, int *n);

/* The first n_steps steps of a new solver have been filled, oldest first.
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC (they are not finite). */
enum status amplitude_solver_resume(struct amplitude_solver *solver, int n_steps);

/* Elements of all tensors that are kept, of unknowns with n_elements together: for the
 * estimate of memory. */
double amplitude_solver_count_elements(double n_elements, int size);

/* Number of these tensors, for n unknowns. */
int64_t amplitude_solver_count_tensors(int n, int size);
