/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors and matrices of three dimensions; rows are vectors. */
#pragma once

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double squared_distance(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static inline void vector_product(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline double determinant(const double A[3][3])
{
    double c[3];
    vector_product(A[1], A[2], c);
    return dot(A[0], c);
}
