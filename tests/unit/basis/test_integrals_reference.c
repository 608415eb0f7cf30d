/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference integrals against closed forms, quadrature, published values
 * and relations between integrals of different angular momentum. */
#include "basis/integrals/boys.h"
#include "tests/check.h"
#include "tests/reference/integrals_reference.h"

#include <string.h>

enum { MAX_PAIR = ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS };

static const double pi = 3.14159265358979323846;
static const double one[1] = {1};

/* One primitive with coefficient 1: the function (l, 0, 0) is x^l exp(-a r^2). */
static struct shell primitive(int l, bool spherical, const double *exponent, double x, double y,
                              double z)
{
    return (struct shell){
        .l = l,
        .spherical = spherical && l >= 2,
        .n_functions = angular_map(l, spherical)->n_functions,
        .n_primitives = 1,
        .exponents = exponent,
        .coefficients = one,
        .center = {x, y, z},
    };
}

TEST(s_integrals_have_their_closed_forms)
{
    const double a = 1.3, b = 0.7, p = a + b, R2 = 1 + 4 + 0.25;
    struct shell A = primitive(0, false, &a, 0, 0, 0), B = primitive(0, false, &b, 1, -2, 0.5);
    double K = exp(-a * b / p * R2), value;
    reference_overlap(&A, &B, &value);
    check_close(value, pow(pi / p, 1.5) * K, 1e-15);
    reference_kinetic(&A, &B, &value);
    check_close(value, a * b / p * (3 - 2 * a * b / p * R2) * pow(pi / p, 1.5) * K, 1e-14);

    double P[3] = {b / p, -2 * b / p, 0.5 * b / p};
    struct atom nucleus = {.element = 6, .charge = 6, .position = {0.3, 0.2, -0.1}};
    double T = 0;
    for (int k = 0; k < 3; k++)
        T += p * (P[k] - nucleus.position[k]) * (P[k] - nucleus.position[k]);
    reference_nuclear(&(struct molecule){.n_atoms = 1, .atoms = &nucleus}, &A, &B, &value);
    check_close(value, -6 * 2 * pi / p * K * boys_reference(0, T), 1e-14);

    /* (AA|BB): two charges at A and B with exponents 2a and 2b. */
    reference_two_electron(&A, &A, &B, &B, &value);
    double alpha = 4 * a * b / (2 * p);
    check_close(value, 2 * pow(pi, 2.5) / (4 * a * b * sqrt(2 * p)) * boys_reference(0, alpha * R2),
                1e-14);
}

/* Hydrogen molecule, R = 1.4, STO-3G with zeta 1.24: Szabo & Ostlund, Modern
 * Quantum Chemistry (1996), eqs. 3.229 to 3.235, printed with four decimals. */
TEST(hydrogen_molecule_has_the_published_integrals)
{
    static const double exponents[3] = {3.42525091, 0.62391373, 0.16885540};
    double c[3] = {0.15432897, 0.53532814, 0.44463454};
    for (int p = 0; p < 3; p++)
        c[p] *= pow(2 * exponents[p] / pi, 0.75);
    struct shell A = {
        .n_functions = 1, .n_primitives = 3, .exponents = exponents, .coefficients = c};
    struct shell B = A;
    B.center[0] = 1.4;
    struct atom nucleus = atom_of_element(1, false);
    const struct molecule left = {.n_atoms = 1, .atoms = &nucleus};
    double value;
    reference_overlap(&A, &B, &value);
    check_close(value, 0.6593, 5.1e-5);
    reference_kinetic(&A, &A, &value);
    check_close(value, 0.7600, 5.1e-5);
    reference_kinetic(&A, &B, &value);
    check_close(value, 0.2365, 5.1e-5);
    reference_nuclear(&left, &A, &A, &value);
    check_close(value, -1.2266, 5.1e-5);
    reference_nuclear(&left, &A, &B, &value);
    check_close(value, -0.5974, 5.1e-5);
    reference_nuclear(&left, &B, &B, &value);
    check_close(value, -0.6538, 5.1e-5);
    reference_two_electron(&A, &A, &A, &A, &value);
    check_close(value, 0.7746, 5.1e-5);
    reference_two_electron(&A, &A, &B, &B, &value);
    check_close(value, 0.5697, 5.1e-5);
    reference_two_electron(&B, &A, &A, &A, &value);
    check_close(value, 0.4441, 5.1e-5);
    reference_two_electron(&B, &A, &B, &A, &value);
    check_close(value, 0.2970, 5.1e-5);
}

/* One-dimensional integral of x^n (x - A)^i (x - B)^j exp(-a (x-A)^2 - b (x-B)^2) by the
 * trapezoidal rule, which converges faster than any power of the step here. */
static double quadrature(int n, int i, double a, double A, int j, double b, double B)
{
    const double step = 1.0 / 64;
    double sum = 0;
    for (int k = -1280; k <= 1280; k++) {
        double x = k * step;
        sum += pow(x, n) * pow(x - A, i) * pow(x - B, j) *
               exp(-a * (x - A) * (x - A) - b * (x - B) * (x - B));
    }
    return sum * step;
}

TEST(overlap_and_dipole_agree_with_quadrature)
{
    static const double origin[3] = {0};
    static double overlap[MAX_PAIR], dipole[3 * MAX_PAIR];
    const double a = 0.9, b = 0.6, A[3] = {0.2, -0.4, 0.6}, B[3] = {-0.5, 0.3, 0.1};
    for (int la = 0; la <= BASIS_MAX_L; la++)
        for (int lb = 0; lb <= BASIS_MAX_L; lb++) {
            struct shell bra = primitive(la, false, &a, A[0], A[1], A[2]);
            struct shell ket = primitive(lb, false, &b, B[0], B[1], B[2]);
            reference_overlap(&bra, &ket, overlap);
            reference_dipole(origin, &bra, &ket, dipole);
            for (int f = 0; f < bra.n_functions; f++)
                for (int g = 0; g < ket.n_functions; g++) {
                    int i[3], j[3], at = f * ket.n_functions + g;
                    cartesian_powers(la, f, i);
                    cartesian_powers(lb, g, j);
                    double value =
                        angular_map(la, false)->value[f] * angular_map(lb, false)->value[g];
                    double moment = value;
                    for (int k = 0; k < 3; k++) {
                        value *= quadrature(0, i[k], a, A[k], j[k], b, B[k]);
                        moment *= quadrature(k == 1, i[k], a, A[k], j[k], b, B[k]);
                    }
                    check_close(overlap[at], value, 1e-12 * fmax(1, fabs(value)));
                    check_close(dipole[bra.n_functions * ket.n_functions + at], moment,
                                1e-12 * fmax(1, fabs(moment)));
                }
        }
}

/* The kinetic energy is half the overlap of gradients:
 * d/dx (x-A)^i exp = i (x-A)^(i-1) exp - 2a (x-A)^(i+1) exp. */
TEST(kinetic_energy_is_half_the_overlap_of_gradients)
{
    static double kinetic[MAX_PAIR];
    const double a = 0.9, b = 0.6, A = 0.4, B = -0.3;
    for (int la = 0; la <= BASIS_MAX_L; la++)
        for (int lb = 0; lb <= BASIS_MAX_L; lb++) {
            struct shell bra = primitive(la, false, &a, A, 0, 0);
            struct shell ket = primitive(lb, false, &b, B, 0, 0);
            reference_kinetic(&bra, &ket, kinetic);
            double gradients = 4 * a * b * quadrature(0, la + 1, a, A, lb + 1, b, B);
            if (la > 0)
                gradients -= la * 2 * b * quadrature(0, la - 1, a, A, lb + 1, b, B);
            if (lb > 0)
                gradients -= lb * 2 * a * quadrature(0, la + 1, a, A, lb - 1, b, B);
            if (la > 0 && lb > 0)
                gradients += la * lb * quadrature(0, la - 1, a, A, lb - 1, b, B);
            /* In y and z both are s functions on the same centre. */
            double s = quadrature(0, 0, a, 0, 0, b, 0);
            double across = 4 * a * b * quadrature(0, 1, a, 0, 1, b, 0);
            double expected =
                0.5 * (gradients * s * s + 2 * quadrature(0, la, a, A, lb, b, B) * across * s);
            check_close(kinetic[0], expected, 1e-12 * fmax(1, fabs(expected)));
        }
}

/* Function (l, 0, 0) of one shell in a Coulomb integral with three others. */
struct place {
    int position;  /* of the shell in the integral, 0 to 3; 4: nuclear attraction */
    int others[3]; /* angular momenta of the other shells */
};

static const struct atom light = {.element = 3, .charge = 3, .position = {0.5, -0.8, 0.3}};

/* The integral with x^l at place and the other functions of largest index. */
static double coulomb(const struct place *place, int l, double shift)
{
    static const double a = 0.8, others[3] = {0.5, 1.1, 0.6};
    static double block[MAX_PAIR * MAX_PAIR];
    struct shell moving = primitive(l, false, &a, 0.1 + shift, 0.2, -0.3);
    struct shell rest[3];
    for (int k = 0; k < 3; k++)
        rest[k] = primitive(place->others[k], false, &others[k], 0.4 * k - 0.5, 0.3 - 0.2 * k * k,
                            0.1 + 0.3 * k);
    if (place->position == 4) {
        struct atom nucleus = light;
        reference_nuclear(&(struct molecule){.n_atoms = 1, .atoms = &nucleus}, &moving, &rest[0],
                          block);
        return block[rest[0].n_functions - 1];
    }
    const struct shell *shells[4];
    size_t index = 0;
    for (int k = 0, next = 0; k < 4; k++) {
        shells[k] = k == place->position ? &moving : &rest[next++];
        index = index * (size_t)shells[k]->n_functions +
                (k == place->position ? 0 : (size_t)shells[k]->n_functions - 1);
    }
    reference_two_electron(shells[0], shells[1], shells[2], shells[3], block);
    return block[index];
}

/* d/dA x_A^l exp(-a x_A^2) = 2a x_A^(l+1) exp - l x_A^(l-1) exp, the derivative by
 * central differences of sixth order: ties every l to lower ones. */
TEST(coulomb_integrals_obey_the_derivative_relation)
{
    static const struct place places[] = {
        {0, {0, 0, 0}}, {1, {2, 1, 0}}, {2, {1, 0, 2}}, {3, {0, 1, 1}},
        {4, {3, 0, 0}}, {4, {5, 0, 0}}, {0, {3, 0, 2}}, {2, {0, 3, 1}},
    };
    const double a = 0.8, h = 0.02;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        for (int l = 0; l < BASIS_MAX_L; l++) {
            const struct place *place = &places[i];
            double d1 = coulomb(place, l, h) - coulomb(place, l, -h);
            double d2 = coulomb(place, l, 2 * h) - coulomb(place, l, -2 * h);
            double d3 = coulomb(place, l, 3 * h) - coulomb(place, l, -3 * h);
            double derivative = (45 * d1 - 9 * d2 + d3) / (60 * h);
            double expected = 2 * a * coulomb(place, l + 1, 0);
            if (l > 0)
                expected -= l * coulomb(place, l - 1, 0);
            check_close(derivative, expected, 3e-9 * fmax(1, fabs(expected)));
        }
}

TEST(two_electron_integrals_have_eightfold_symmetry)
{
    static double block[9 * 100], other[9 * 100];
    const double e[4] = {0.9, 0.5, 1.2, 0.3};
    struct shell A = primitive(2, true, &e[0], 0, 0, 0), B = primitive(1, true, &e[1], 1, 0, 0.5);
    struct shell C = primitive(3, true, &e[2], 0, 1, 0), D = primitive(0, true, &e[3], -1, 1, 1);
    reference_two_electron(&A, &B, &C, &D, block);
    for (int form = 1; form < 8; form++) {
        bool swap_bra = form & 1, swap_ket = form & 2, swap_pairs = form & 4;
        const struct shell *s[4] = {swap_bra ? &B : &A, swap_bra ? &A : &B, swap_ket ? &D : &C,
                                    swap_ket ? &C : &D};
        if (swap_pairs)
            reference_two_electron(s[2], s[3], s[0], s[1], other);
        else
            reference_two_electron(s[0], s[1], s[2], s[3], other);
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 3; b++)
                for (int c = 0; c < 7; c++) {
                    int bra = swap_bra ? b * 5 + a : a * 3 + b;
                    int at = swap_pairs ? c * 15 + bra : bra * 7 + c;
                    check_close(other[at], block[(a * 3 + b) * 7 + c], 1e-13);
                }
    }
}

/* Two distant unit charges of any shape: 1 / R, and the shapes'
 * multipoles of order l + l' enter with R^-(l+l'+1). */
TEST(distant_charges_repel_as_points)
{
    const double a = 0.8, R = 1e4;
    for (int l = 0; l <= BASIS_MAX_L; l++) {
        static double block[121 * 121], overlap[121];
        struct shell A = primitive(l, true, &a, 0, 0, 0), B = primitive(l, true, &a, 0, R, 0);
        int n = A.n_functions;
        reference_overlap(&A, &A, overlap);
        reference_two_electron(&A, &A, &B, &B, block);
        double norm = overlap[0] * overlap[0];
        for (int f = 0; f < n; f++)
            check_close(block[((f * n + f) * n + f) * n + f] / norm, 1 / R, 1e-10);
    }
}
