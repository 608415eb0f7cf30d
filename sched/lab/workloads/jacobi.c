/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/jacobi.h"

#include "support/io/words.h"
#include "support/vectors/vector_clones.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Points along an edge; with them neither tasks nor doubles overflow 64 bits. */
enum { MAX_POINTS = 1000000 };

enum status jacobi_parse(const char *text, struct jacobi_size *size)
{
    struct word fields[3];
    int64_t n[3];
    bool fits = split_fields(word_from_text(text), 3, fields);
    for (int i = 0; fits && i < 3; i++)
        fits = word_to_whole(fields[i], &n[i]) && n[i] >= 1 && n[i] <= MAX_POINTS;
    if (!fits)
        return FAIL(STATUS_USAGE,
                    "--jacobi takes the points along x, y and z, each from 1 to %d, such as "
                    "64,512,64, not '%s'",
                    MAX_POINTS, text);
    *size = (struct jacobi_size){.nx = n[0], .ny = n[1], .nz = n[2]};
    return STATUS_OK;
}

/* s_d, NULL when out of memory. */
static double *tabulate_sine(int64_t n)
{
    double *sine = malloc((size_t)(n + 2) * sizeof *sine);
    for (int64_t i = 0; sine && i < n + 2; i++)
        sine[i] = sin(M_PI * (double)i / (double)(n + 1));
    return sine;
}

static double eigenvalue(int64_t n)
{
    return 2 - 2 * cos(M_PI / (double)(n + 1));
}

enum status jacobi_init(const struct jacobi_size *size, struct jacobi *jacobi)
{
    *jacobi = (struct jacobi){
        .size = *size,
        .eigenvalue = eigenvalue(size->nx) + eigenvalue(size->ny) + eigenvalue(size->nz),
        .sine_x = tabulate_sine(size->nx),
        .sine_y = tabulate_sine(size->ny),
        .sine_z = tabulate_sine(size->nz),
    };
    if (jacobi->sine_x && jacobi->sine_y && jacobi->sine_z)
        return STATUS_OK;
    jacobi_fini(jacobi);
    return FAIL(STATUS_NO_MEMORY, "no memory for the right-hand side of Poisson's equation");
}

void jacobi_fini(struct jacobi *jacobi)
{
    free(jacobi->sine_x);
    free(jacobi->sine_y);
    free(jacobi->sine_z);
    *jacobi = (struct jacobi){0};
}

int64_t jacobi_plane_size(const struct jacobi_size *size)
{
    return (size->nx + 2) * (size->nz + 2);
}

void jacobi_fill_plane(const struct jacobi *jacobi, int64_t y, double *mesh)
{
    const struct jacobi_size *size = &jacobi->size;
    double *row = mesh + y * jacobi_plane_size(size);
    for (int64_t x = 0; x < size->nx + 2; x++, row += size->nz + 2)
        for (int64_t z = 0; z < size->nz + 2; z++)
            row[z] = (double)x / (double)(size->nx + 1) + 2 * (double)y / (double)(size->ny + 1) +
                     3 * (double)z / (double)(size->nz + 1);
}

/* Largest changes are kept per lane of a vector: max does not depend on the order. */
VECTOR_CLONES double jacobi_update_plane(const struct jacobi *jacobi, int64_t y, const double *old,
                                         double *new)
{
    const int64_t nx = jacobi->size.nx, nz = jacobi->size.nz;
    const int64_t row = nz + 2, plane = row * (nx + 2);
    const double *restrict sine_z = jacobi->sine_z;
    double change = 0;
    for (int64_t x = 1; x <= nx; x++) {
        const double *restrict u = old + y * plane + x * row;
        double *restrict v = new + y *plane + x *row;
        const double source = jacobi->eigenvalue * jacobi->sine_y[y] * jacobi->sine_x[x];
#pragma omp simd reduction(max : change)
        for (int64_t z = 1; z <= nz; z++) {
            v[z] = (u[z - plane] + u[z + plane] + u[z - row] + u[z + row] + u[z - 1] + u[z + 1] +
                    source * sine_z[z]) *
                   (1.0 / 6);
            double difference = fabs(v[z] - u[z]);
            change = difference > change ? difference : change;
        }
    }
    return change;
}
