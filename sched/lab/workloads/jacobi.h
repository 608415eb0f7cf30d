/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi's relaxation of Poisson's equation on a regular mesh.
 *
 * nx x ny x nz points (x, y, z), counted from 1, lie inside a box; those with a
 * coordinate 0 or n + 1 are its boundary. With distances in spacings of the mesh,
 *     -(laplace u)(x,y,z) = 6 u - (sum of the six neighbours) = f
 * and a sweep computes from the values u of the last one
 *     v(x,y,z) = (u(x,y-1,z) + u(x,y+1,z) + u(x-1,y,z) + u(x+1,y,z)
 *                 + u(x,y,z-1) + u(x,y,z+1) + f(x,y,z)) * (1 / 6)
 * added from the left to the right, with
 *     f = ((e s_y(y)) s_x(x)) s_z(z),   s_d(i) = sin(pi i / (n_d + 1)),
 *     e = (w(nx) + w(ny)) + w(nz),      w(n) = 2 - 2 cos(pi / (n + 1)).
 * Boundary and first approximation are linear,
 *     g = x / (nx + 1) + 2 y / (ny + 1) + 3 z / (nz + 1),
 * and s_x s_y s_z is an eigenfunction of the mesh's Laplacian, of the eigenvalue e.
 * So the result of k sweeps is known, except for rounding:
 *     u = g + (1 - (1 - e / 6)^k) s_x s_y s_z.
 *
 * A mesh with its boundary is (ny + 2) planes of (nx + 2) rows of (nz + 2) doubles. */
#pragma once

#include "support/base/status.h"

#include <stdint.h>

/* Seconds of a simulated update of a point: a sweep over 64 x 512 x 64 points takes 2.2 ms on a
 * core of an EPYC 9004 (2022) with the meshes in its third-level cache. */
#define JACOBI_POINT_S 1.05e-9

struct jacobi {
    int64_t n[3]; /* nx, ny, nz: points inside the box */
    double eigenvalue;
    double *sine[3]; /* s_d(0) ... s_d(n_d + 1) of each direction */
};

/* points  "NX,NY,NZ"
 * Errors: STATUS_USAGE, STATUS_NO_MEMORY; jacobi_fini is fine then too. */
enum status jacobi_init(const char *points, struct jacobi *jacobi);
void jacobi_fini(struct jacobi *jacobi);

/* Doubles in a plane; a mesh has ny + 2 of them. */
int64_t jacobi_plane_size(const struct jacobi *jacobi);

/* Sets plane y, 0 <= y <= ny + 1, to the first approximation, its boundary included. */
void jacobi_fill_plane(const struct jacobi *jacobi, int64_t y, double *plane);

/* A sweep over plane y, 1 <= y <= ny: writes the inside of that plane of the new mesh. The largest
 * |v - u| in it. The result is the same to the last bit on every processor.
 * old       plane y of the old mesh
 * distance  doubles from a plane of that to the next */
double jacobi_update_plane(const struct jacobi *jacobi, int64_t y, const double *old,
                           int64_t distance, double *new);
