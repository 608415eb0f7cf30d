/* SPDX-License-Identifier: BSD-3-Clause */
/* Shells are normalised, ordered as shells.h states, and placed on the centres of the molecule in
 * the order of atoms and basis file; those that share exponents are groups. */
#include "basis/integrals/shells.h"
#include "tests/check.h"
#include "tests/reference/integrals_reference.h"
#include "tests/unit/basis/shells_case.h"

/* Contracted shells of every l. */
static const char every_l[] = "Ne 0\nS 2 1\n9 0.3\n0.7 -0.9\nP 2 1\n5 2\n0.3 1\nD 2 1\n3 1\n2 1\n"
                              "F 1 1\n1.7 5\nG 2 1\n4 0.2\n0.9 0.2\nH 1 1\n1.1 1\n****\n";

TEST(every_function_has_self_overlap_one)
{
    for (int form = BASIS_FORM_SPHERICAL; form <= BASIS_FORM_CARTESIAN; form++) {
        struct shells_case c = shells_case_make("1\n\nNe 1 2 3\n", every_l, (enum basis_form)form);
        for (int64_t s = 0; s < c.shells->n_shells; s++) {
            double block[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS];
            const struct shell *shell = &c.shells->shells[s];
            reference_overlap(shell, shell, block);
            for (int f = 0; f < shell->n_functions; f++)
                for (int g = 0; g < shell->n_functions; g++)
                    if (f == g || shell->spherical)
                        check_close(block[f * shell->n_functions + g], f == g, 1e-14);
        }
        shells_case_fini(&c);
    }
}

/* Value of function f of a map at a point. */
static double angular_value(int l, bool spherical, int f, const double r[3])
{
    const struct angular_map *map = angular_map(l, spherical);
    double sum = 0;
    for (int t = map->first[f]; t < map->first[f + 1]; t++) {
        int power[3];
        cartesian_powers(l, map->index[t], power);
        sum += map->value[t] * pow(r[0], power[0]) * pow(r[1], power[1]) * pow(r[2], power[2]);
    }
    return sum;
}

static double harmonic(int l, int f, double x, double y, double z)
{
    return angular_value(l, true, f, (const double[]){x, y, z});
}

/* The change of every function from r to r + h u x r is the sum of functions that the generator of a
 * rotation says; the function at R r is the sum that the image says. R: a rotation about z, one about x,
 * and a reflection. */
static void check_turns(int l, bool spherical, const double u[3])
{
    const double c = cos(0.7), s = sin(0.7), d = cos(1.9), t = sin(1.9), h = 1e-5;
    const double R[3][3] = {{c, -s, 0}, {s * d, c * d, -t}, {-s * t, -c * t, -d}};
    const double r[3] = {0.3, -0.7, 0.5};
    double A[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS];
    double B[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS], turned[3][3];
    int n = angular_map(l, spherical)->n_functions;
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        for (int side = 0; side < 2; side++)
            turned[side][x] = r[x] + (side ? h : -h) * (u[y] * r[z] - u[z] * r[y]);
        turned[2][x] = R[x][0] * r[0] + R[x][1] * r[1] + R[x][2] * r[2];
    }
    angular_rotation(l, spherical, u, A);
    angular_image(l, spherical, R, B);
    for (int f = 0; f < n; f++) {
        double at[3], sum = 0, image = 0;
        for (int i = 0; i < 3; i++)
            at[i] = angular_value(l, spherical, f, turned[i]);
        for (int g = 0; g < n; g++) {
            sum += A[g * n + f] * angular_value(l, spherical, g, r);
            image += B[f * n + g] * angular_value(l, spherical, g, r);
        }
        check_close(sum, (at[1] - at[0]) / (2 * h), 1e-8);
        check_close(image, at[2], 1e-13);
    }
}

TEST(turned_functions_are_sums_of_those_of_their_shell)
{
    static const double axes[][3] = {{0, 0, 1}, {1, 0, 0}, {0.6, -0.3, 0.7}};
    for (int l = 0; l <= BASIS_MAX_L; l++)
        for (int i = 0; i < 6; i++)
            check_turns(l, i % 2, axes[i / 2]);
}

/* Harmonic: the Laplacian vanishes. Ordered: m counts the turns about z. */
TEST(spherical_functions_are_solid_harmonics_in_order_of_m)
{
    const double x = 0.3, y = -0.7, z = 0.5, h = 1e-3;
    for (int l = 2; l <= BASIS_MAX_L; l++)
        for (int m = -l; m <= l; m++) {
            double laplacian = -6 * harmonic(l, l + m, x, y, z);
            for (int side = -1; side <= 1; side += 2)
                laplacian += harmonic(l, l + m, x + side * h, y, z) +
                             harmonic(l, l + m, x, y + side * h, z) +
                             harmonic(l, l + m, x, y, z + side * h);
            check_close(laplacian / (h * h), 0, 1e-4);

            /* About z, cos(m phi) for m >= 0 and sin(|m| phi) below, positive at first. */
            double phi = 0.4, here = harmonic(l, l + m, 1, 0, 0.3);
            double turned = harmonic(l, l + m, cos(phi), sin(phi), 0.3);
            double partner = harmonic(l, l - m, 1, 0, 0.3);
            check_close(turned, m >= 0 ? here * cos(m * phi) : partner * sin(-m * phi), 1e-13);
        }
    /* The known forms of d: xy, yz, 2zz-xx-yy, xz, xx-yy. */
    check_close(harmonic(2, 0, x, y, z), sqrt(3) * x * y, 1e-15);
    check_close(harmonic(2, 1, x, y, z), sqrt(3) * y * z, 1e-15);
    check_close(harmonic(2, 2, x, y, z), z * z - 0.5 * (x * x + y * y), 1e-15);
    check_close(harmonic(2, 3, x, y, z), sqrt(3) * x * z, 1e-15);
    check_close(harmonic(2, 4, x, y, z), sqrt(0.75) * (x * x - y * y), 1e-15);
}

TEST(cartesians_are_ordered_as_stated)
{
    for (int l = 0; l <= BASIS_MAX_L; l++)
        for (int i = 0; i < n_cartesians(l); i++) {
            int power[3];
            cartesian_powers(l, i, power);
            assert_int_equal(power[0] + power[1] + power[2], l);
            int rest = power[1] + power[2];
            assert_int_equal(rest * (rest + 1) / 2 + power[2], i);
        }
    for (int l = 0; l < 2; l++)
        for (int f = 0; f < 2 * l + 1; f++) {
            assert_true(angular_map(l, true)->identity);
            assert_int_equal(angular_map(l, true)->index[f], f);
            check_close(angular_map(l, true)->value[f], 1, 0);
        }
}

TEST(a_map_applies_to_both_sides)
{
    const struct angular_map *d = angular_map(2, true), *p = angular_map(1, false);
    double cartesian[18], block[15];
    for (int i = 0; i < 18; i++)
        cartesian[i] = sin(i + 1.0);
    angular_map_pair(d, p, cartesian, block);
    for (int f = 0; f < 5; f++)
        for (int g = 0; g < 3; g++) {
            double sum = 0;
            for (int t = d->first[f]; t < d->first[f + 1]; t++)
                sum += d->value[t] * cartesian[d->index[t] * 3 + g];
            check_close(block[f * 3 + g], sum, 1e-15);
        }
}

TEST(shells_follow_atoms_and_file)
{
    /* A general contraction whose second column skips a primitive, an SP shell,
     * exponents in ascending order. */
    struct shells_case c = shells_case_make(
        "3\n\nHe 0 0 0\n@O 0 0 2\nHe 0 0 4\n",
        "basis cartesian\nHe S\n 1 0.5 0\n 8 0.5 1\nHe D\n 2 1\nO SP\n 3 1 1\nend\n",
        BASIS_FORM_UNSTATED);
    const struct shells *shells = c.shells;
    assert_int_equal(shells->n_shells, 8);
    assert_int_equal(shells->n_functions, 2 * 8 + 4);
    assert_int_equal(shells->max_l, 2);
    assert_int_equal(shells->max_primitives, 2);
    assert_false(shells->spherical);
    static const int l[] = {0, 0, 2, 0, 1, 0, 0, 2}, atom[] = {0, 0, 0, 1, 1, 2, 2, 2};
    int64_t first = 0;
    for (int s = 0; s < 8; s++) {
        const struct shell *shell = &shells->shells[s];
        assert_int_equal(shell->l, l[s]);
        assert_int_equal(shell->atom, atom[s]);
        assert_int_equal(shell->first_function, first);
        assert_int_equal(shell->n_primitives, s == 0 || s == 5 ? 2 : 1);
        check_close(shell->center[2], 2.0 * atom[s], 0);
        first += shell->n_functions;
    }
    check_close(shells->shells[0].exponents[0], 8, 0);
    check_close(shells->shells[0].exponents[1], 1, 0);
    check_close(shells->shells[1].exponents[0], 8, 0);
    check_close(shells->shells[1].coefficients[0], pow(16 / acos(-1), 0.75), 1e-14);
    shells_case_fini(&c);
}

/* The form asked for wins over the set's own; plain ghosts take the set's own entry. */
TEST(forms_and_ghosts)
{
    static const struct {
        const char *molecule, *set;
        enum basis_form form;
        int n_functions;
    } cases[] = {
        {"1\n\nNe 0 0 0\n", "Ne 0\nD 1 1\n1 1\n****\n", BASIS_FORM_UNSTATED, 5},
        {"1\n\nNe 0 0 0\n", "cartesian\nNe 0\nD 1 1\n1 1\n****\n", BASIS_FORM_UNSTATED, 6},
        {"1\n\nNe 0 0 0\n", "cartesian\nNe 0\nD 1 1\n1 1\n****\n", BASIS_FORM_SPHERICAL, 5},
        {"2\n\nH 0 0 0\nBq 0 0 2\n", "H 0\nS 1 1\n1 1\n****\nBq 0\nP 1 1\n.3 1\n****\n",
         BASIS_FORM_UNSTATED, 4},
        {"2\n\nH 0 0 0\nBq 0 0 2\n", "H 0\nS 1 1\n1 1\n****\n", BASIS_FORM_UNSTATED, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct shells_case c = shells_case_make(cases[i].molecule, cases[i].set, cases[i].form);
        assert_int_equal(c.shells->n_functions, cases[i].n_functions);
        shells_case_fini(&c);
    }
}

/* Whether the groups of a set on one helium atom are these, each by letters of its shells. */
static void check_groups(const char *set, enum basis_form form, const char *expected)
{
    struct shells_case c = shells_case_make("1\n\nHe 0 0 0.3\n", set, form);
    const struct shells *shells = c.shells;
    char found[80] = "";
    int64_t shell = 0, function = 0;
    for (int64_t g = 0; g < shells->n_groups; g++) {
        const struct shell_group *group = &shells->groups[g];
        const struct group_type *type = &shells->types[group->type];
        assert_int_equal(group->first_shell, shell);
        assert_int_equal(group->first_function, function);
        check_close(group->center[2], 0.3, 0);
        for (int s = 0; s < type->n_shells; s++, shell++) {
            snprintf(found + strlen(found), 3, "%s%c", g > 0 && s == 0 ? " " : "",
                     "spdfgh"[type->l[s]]);
            assert_int_equal(shells->shells[shell].l, type->l[s]);
            function += shells->shells[shell].n_functions;
        }
        assert_int_equal(function - group->first_function, type->n_functions);
        assert_true(type->n_functions <= shells->max_group_functions);
    }
    assert_string_equal(found, expected);
    assert_int_equal(shell, shells->n_shells);
    for (int t = 1; t < shells->n_types; t++)
        assert_true(shells->types[t].max_l >= shells->types[t - 1].max_l);
    shells_case_fini(&c);
}

TEST(shells_with_common_exponents_are_groups)
{
    enum basis_form form = BASIS_FORM_SPHERICAL;
    /* A general contraction and a primitive of it; another that is not. */
    check_groups("He 0\nS 2 1\n8 .5\n1 1\nS 2 1\n8 .5\n1 -1\nS 1 1\n1 1\nS 1 1\n.3 1\n****\n", form,
                 "sss s");
    /* The larger list may be the later one; lists that overlap only do not count. */
    check_groups("He 0\nS 1 1\n8 1\nP 2 1\n8 .5\n1 1\nS 2 1\n1 .5\n.3 1\n****\n", form, "sp s");
    check_groups("He 0\nSP 2 1\n8 .5 .4\n1 1 1\nSP 1 1\n.3 1 1\nD 1 1\n.3 1\n****\n", form,
                 "sp spd");
    check_groups("He 0\nS 1 1\n8 1\nS 1 1\n1 1\nP 1 1\n2 1\n****\n", form, "s s p");
    /* Not more functions than a group may have, and no shell above f. */
    check_groups("He 0\nD 1 1\n1 1\nD 1 1\n1 1\nD 1 1\n1 1\nF 1 1\n1 1\n****\n", form, "dd d f");
    check_groups("He 0\nD 1 1\n1 1\nD 1 1\n1 1\n****\n", BASIS_FORM_CARTESIAN, "d d");
    check_groups("He 0\nS 1 1\n1 1\nG 1 1\n1 1\nS 1 1\n1 1\n****\n", form, "s g s");
}

TEST(a_group_has_all_primitives_of_its_shells)
{
    struct shells_case c =
        shells_case_make("2\n\nHe 0 0 0\nHe 0 0 2\n",
                         "He 0\nS 1 1\n1 1\nS 3 1\n1 .2\n8 .5\n.4 1\nP 2 1\n.4 1\n8 -1\n****\n",
                         BASIS_FORM_SPHERICAL);
    assert_int_equal(c.shells->n_groups, 2); /* atoms apart */
    for (int64_t g = 0; g < 2; g++) {
        const struct shell_group *group = &c.shells->groups[g];
        static const double exponents[] = {8, 1, 0.4};
        static const int place[3][3] = {{-1, 0, -1}, {0, 1, 2}, {0, -1, 1}};
        assert_int_equal(group->n_primitives, 3);
        assert_memory_equal(group->exponents, exponents, sizeof exponents);
        for (int i = 0; i < 9; i++) {
            const double *of_shell = c.shells->shells[group->first_shell + i / 3].coefficients;
            int at = place[i / 3][i % 3];
            check_close(group->coefficients[i], at < 0 ? 0 : of_shell[at], 0);
        }
    }
    shells_case_fini(&c);
}

/* Two primitives of one exponent are one of both coefficients, in a group, too. */
TEST(equal_exponents_of_a_shell_are_one_primitive)
{
    struct shells_case once = shells_case_make(
        "1\n\nH 0 0 0\n", "H 0\nS 2 1\n5 .5\n1 .5\nS 3 1\n5 .3\n1 .2\n.3 .5\n****\n",
        BASIS_FORM_SPHERICAL);
    struct shells_case twice = shells_case_make(
        "1\n\nH 0 0 0\n",
        "H 0\nS 3 1\n5 .3\n1 .5\n5 .2\nS 5 1\n5 .4\n1 .2\n5 -.1\n.3 .5\n2 0\n****\n",
        BASIS_FORM_SPHERICAL);
    for (int64_t s = 0; s < 2; s++) {
        const struct shell *expected = &once.shells->shells[s], *shell = &twice.shells->shells[s];
        assert_int_equal(shell->n_primitives, expected->n_primitives);
        for (int p = 0; p < shell->n_primitives; p++) {
            check_close(shell->exponents[p], expected->exponents[p], 0);
            check_close(shell->coefficients[p], expected->coefficients[p], 1e-15);
        }
    }
    assert_int_equal(twice.shells->n_groups, 1);
    for (int p = 0; p < 6; p++)
        check_close(twice.shells->groups->coefficients[p], once.shells->groups->coefficients[p],
                    1e-15);
    shells_case_fini(&once);
    shells_case_fini(&twice);
}

TEST(unusable_sets_are_refused)
{
    static const char potential[] = "basis\nI S\n1 1\nH S\n1 1\nend\nASSOCIATED_ECP "
                                    "\"def2-ecp\"\necp\nXe nelec 28\nXe ul\n2 1 1\nend\n";
    static const struct {
        const char *molecule, *set, *message;
    } cases[] = {
        {"1\n\nLi 0 0 0\n", potential, "It has those of I, H"},
        {"1\n\nO 0 0 0\n", "H 0\nS 1 1\n1 1\n****\nOx 0\nS 1 1\n1 1\n****\n",
         "no functions for O: correct it or choose another. The first line"},
        {"1\n\nO 0 0 0\n", "basis\nH S\n1 1\nend\n", "for O: correct it"},
        {"2\n\nH 0 0 0\nI 0 0 2\n", potential, "I needs an effective core potential"},
        {"1\n\nXe 0 0 0\n", potential, "has no functions for Xe"},
        {"2\n\nH 0 0 0\n@Xe 0 0 2\n", potential, "has no functions for Xe"},
        {"1\n\nBq 0 0 0\n", potential, "no centre of the molecule has basis functions"},
        {"1\n\nH 0 0 0\n", "H 0\nS 2 1\n1 1\n1 -1\n****\n", "cannot be normalised"},
        {"1\n\nH 0 0 0\n", "H 0\nS 1 1\n1 1e300\n****\n", "cannot be normalised"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct shells_case c;
        check_status(STATUS_INPUT,
                     shells_case_try(cases[i].molecule, cases[i].set, BASIS_FORM_UNSTATED, &c));
        if (!strstr(status_text(), cases[i].message))
            fail_msg("\"%s\" lacks \"%s\"", status_text(), cases[i].message);
        assert_null(c.shells);
        shells_case_fini(&c);
    }
}
