/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/schoenflies.h"

#include "basis/input/vector3.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Tolerance of traces and components: matrices are orthogonal but for rounding. */
#define CLOSE 1e-6

/* Features that tell point groups apart. */
struct features {
    int n_rotations;  /* the identity among them */
    int n_of_order_3; /* rotations */
    int highest;      /* order of a rotation */
    double axis[3];   /* of one of that order */
    bool improper;    /* not rotations alone */
    bool inversion, reflections;
    bool horizontal; /* a reflection along that axis */
};

static double trace_of(const double A[3][3])
{
    return A[0][0] + A[1][1] + A[2][2];
}

/* The least m with A^m = 1 for a rotation by 1/m of a turn; 0 for a multiple of one. */
static int order_of_rotation(const double A[3][3])
{
    double cosine = fmin(1, fmax(-1, (trace_of(A) - 1) / 2));
    double angle = acos(cosine), turns = angle > CLOSE ? 2 * acos(-1) / angle : 1;
    return fabs(turns - round(turns)) < 1e-4 * turns ? (int)round(turns) : 0;
}

/* A direction that A keeps: the longest column of A + A^T + 1 - trace A, which vanishes off the axis. */
static void find_axis(const double A[3][3], double axis[3])
{
    double longest = 0;
    for (int j = 0; j < 3; j++) {
        double column[3], length = 0;
        for (int i = 0; i < 3; i++) {
            column[i] = A[i][j] + A[j][i] + (i == j ? 1 - trace_of(A) : 0);
            length += column[i] * column[i];
        }
        if (length <= longest)
            continue;
        longest = length;
        for (int i = 0; i < 3; i++)
            axis[i] = column[i] / sqrt(length);
    }
}

static void note_rotation(const double A[3][3], struct features *features)
{
    int order = order_of_rotation(A);
    features->n_rotations++;
    features->n_of_order_3 += order == 3;
    if (order > features->highest) {
        features->highest = order;
        find_axis(A, features->axis);
    }
}

static bool reverses(const double A[3][3], const double axis[3])
{
    double off = 0;
    for (int i = 0; i < 3; i++) {
        double image = A[i][0] * axis[0] + A[i][1] * axis[1] + A[i][2] * axis[2];
        off = fmax(off, fabs(image + axis[i]));
    }
    return off < CLOSE;
}

static void note_improper(const double A[3][3], struct features *features)
{
    bool reflection = fabs(trace_of(A) - 1) < CLOSE;
    features->improper = true;
    features->inversion |= fabs(trace_of(A) + 3) < CLOSE;
    features->reflections |= reflection;
    features->horizontal |= reflection && features->highest > 1 && reverses(A, features->axis);
}

static void name_cubic(const struct features *features, char name[SCHOENFLIES_SIZE])
{
    const char *rotations = features->n_rotations == 12   ? "T"
                            : features->n_rotations == 24 ? "O"
                                                          : "I";
    const char *rest = !features->improper ? "" : features->inversion ? "h" : "d";
    snprintf(name, SCHOENFLIES_SIZE, "%s%s", rotations, rest);
}

static void name_axial(const struct features *features, char name[SCHOENFLIES_SIZE])
{
    int n = features->highest;
    if (n == 1)
        snprintf(name, SCHOENFLIES_SIZE,
                 !features->improper   ? "C1"
                 : features->inversion ? "Ci"
                                       : "Cs");
    else if (features->n_rotations > n)
        snprintf(name, SCHOENFLIES_SIZE, "D%d%s", n,
                 !features->improper    ? ""
                 : features->horizontal ? "h"
                                        : "d");
    else if (features->improper && !features->reflections)
        snprintf(name, SCHOENFLIES_SIZE, "S%d", 2 * n);
    else
        snprintf(name, SCHOENFLIES_SIZE, "C%d%s", n,
                 !features->improper    ? ""
                 : features->horizontal ? "h"
                                        : "v");
}

void schoenflies_name(int n, const double (*matrices)[3][3], char name[SCHOENFLIES_SIZE])
{
    struct features features = {.highest = 0};
    for (int k = 0; k < n; k++)
        if (determinant(matrices[k]) > 0)
            note_rotation(matrices[k], &features);
    for (int k = 0; k < n; k++)
        if (determinant(matrices[k]) < 0)
            note_improper(matrices[k], &features);
    bool cubic = features.n_of_order_3 >= 8;
    (cubic ? name_cubic : name_axial)(&features, name);
}
