/* SPDX-License-Identifier: BSD-3-Clause */
/* Shells are normalised, ordered as shells.h states, and placed on the centres of the molecule in
 * the order of atoms and basis file; those that share exponents are groups. */
#include "basis/integrals/shells.h"
#include "tests/check.h"
#include "tests/reference/integrals_reference.h"

#include <string.h>

static struct basis_set parse_set(const char *text)
{
    struct basis_set set;
    check_ok(basis_set_parse(text, strlen(text), "test", &set));
    return set;
}

static struct molecule parse_molecule(const char *text)
{
    struct molecule molecule;
    const struct molecule_settings settings = {.unit = LENGTH_BOHR, .unit_given = true};
    check_ok(molecule_parse(text, strlen(text), "test.xyz", &settings, &molecule));
    return molecule;
}

static enum status create(const char *molecule_text, const char *set_text, enum basis_form form,
                          struct shells **shells)
{
    struct molecule molecule = parse_molecule(molecule_text);
    struct basis_set set = parse_set(set_text);
    enum status status = shells_create(&molecule, &set, form, shells);
    basis_set_fini(&set);
    molecule_fini(&molecule);
    return status;
}

/* Contracted shells of every l. */
static const char every_l[] = "Ne 0\nS 2 1\n9 0.3\n0.7 -0.9\nP 2 1\n5 2\n0.3 1\nD 2 1\n3 1\n2 1\n"
                              "F 1 1\n1.7 5\nG 2 1\n4 0.2\n0.9 0.2\nH 1 1\n1.1 1\n****\n";

TEST(every_function_has_self_overlap_one)
{
    const enum basis_form forms[] = {BASIS_FORM_SPHERICAL, BASIS_FORM_CARTESIAN};
    for (int i = 0; i < 2; i++) {
        struct shells *shells;
        check_ok(create("1\n\nNe 1 2 3\n", every_l, forms[i], &shells));
        for (int64_t s = 0; s < shells->n_shells; s++) {
            double block[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS];
            const struct shell *shell = &shells->shells[s];
            reference_overlap(shell, shell, block);
            for (int f = 0; f < shell->n_functions; f++)
                for (int g = 0; g < shell->n_functions; g++)
                    if (f == g || shell->spherical)
                        check_close(block[f * shell->n_functions + g], f == g, 1e-14);
        }
        shells_destroy(shells);
    }
}

/* Value of function f of a map at a point. */
static double angular_value(int l, bool spherical, int f, double x, double y, double z)
{
    const struct angular_map *map = angular_map(l, spherical);
    double sum = 0;
    for (int t = map->first[f]; t < map->first[f + 1]; t++) {
        int power[3];
        cartesian_powers(l, map->index[t], power);
        sum += map->value[t] * pow(x, power[0]) * pow(y, power[1]) * pow(z, power[2]);
    }
    return sum;
}

static double harmonic(int l, int f, double x, double y, double z)
{
    return angular_value(l, true, f, x, y, z);
}

/* The change of every function from r to r + h u x r is the sum of functions that the generator
 * says. */
static void check_rotation(int l, bool spherical, const double u[3])
{
    const double r[3] = {0.3, -0.7, 0.5}, h = 1e-5;
    double A[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS], turned[2][3];
    int n = angular_map(l, spherical)->n_functions;
    for (int side = 0; side < 2; side++)
        for (int x = 0; x < 3; x++) {
            int y = (x + 1) % 3, z = (x + 2) % 3;
            turned[side][x] = r[x] + (side ? h : -h) * (u[y] * r[z] - u[z] * r[y]);
        }
    angular_rotation(l, spherical, u, A);
    for (int f = 0; f < n; f++) {
        double expected[2], sum = 0;
        for (int side = 0; side < 2; side++)
            expected[side] =
                angular_value(l, spherical, f, turned[side][0], turned[side][1], turned[side][2]);
        for (int g = 0; g < n; g++)
            sum += A[g * n + f] * angular_value(l, spherical, g, r[0], r[1], r[2]);
        check_close(sum, (expected[1] - expected[0]) / (2 * h), 1e-8);
    }
}

TEST(rotated_functions_are_sums_of_those_of_their_shell)
{
    static const double axes[][3] = {{0, 0, 1}, {1, 0, 0}, {0.6, -0.3, 0.7}};
    for (int l = 0; l <= BASIS_MAX_L; l++)
        for (int form = 0; form < 2; form++)
            for (int k = 0; k < 3; k++)
                check_rotation(l, form == 1, axes[k]);
}

/* Turned and mirrored coordinates: a rotation about z, one about x, and a reflection. */
TEST(functions_of_turned_coordinates_are_sums_of_those_of_their_shell)
{
    const double c = cos(0.7), s = sin(0.7), d = cos(1.9), t = sin(1.9);
    const double R[3][3] = {{c, -s, 0}, {s * d, c * d, -t}, {-s * t, -c * t, -d}};
    const double r[3] = {0.3, -0.7, 0.5};
    double A[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS], turned[3];
    for (int a = 0; a < 3; a++)
        turned[a] = R[a][0] * r[0] + R[a][1] * r[1] + R[a][2] * r[2];
    for (int l = 0; l <= BASIS_MAX_L; l++)
        for (int form = 0; form < 2; form++) {
            int n = angular_map(l, form == 1)->n_functions;
            angular_image(l, form == 1, R, A);
            for (int f = 0; f < n; f++) {
                double sum = 0;
                for (int g = 0; g < n; g++)
                    sum += A[f * n + g] * angular_value(l, form == 1, g, r[0], r[1], r[2]);
                check_close(sum, angular_value(l, form == 1, f, turned[0], turned[1], turned[2]),
                            1e-13);
            }
        }
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
            if (m >= 0) {
                check_close(turned, here * cos(m * phi), 1e-13);
            } else {
                double partner = harmonic(l, l - m, 1, 0, 0.3);
                check_close(turned, partner * sin(-m * phi), 1e-13);
            }
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
    static const int d[6][3] = {{2, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1}, {0, 0, 2}};
    for (int i = 0; i < 6; i++) {
        int power[3];
        cartesian_powers(2, i, power);
        assert_memory_equal(power, d[i], sizeof power);
    }
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
    struct shells *shells;
    /* A general contraction whose second column skips a primitive, an SP shell,
     * exponents in ascending order. */
    check_ok(create("3\n\nHe 0 0 0\n@O 0 0 2\nHe 0 0 4\n",
                    "basis cartesian\nHe S\n 1 0.5 0\n 8 0.5 1\nHe D\n 2 1\nO SP\n 3 1 1\nend\n",
                    BASIS_FORM_UNSTATED, &shells));
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
        check_close(shell->center[2], 2.0 * atom[s], 0);
        first += shell->n_functions;
    }
    assert_int_equal(shells->shells[0].n_primitives, 2);
    check_close(shells->shells[0].exponents[0], 8, 0);
    check_close(shells->shells[0].exponents[1], 1, 0);
    assert_int_equal(shells->shells[1].n_primitives, 1);
    check_close(shells->shells[1].exponents[0], 8, 0);
    check_close(shells->shells[1].coefficients[0], pow(16 / acos(-1), 0.75), 1e-14);
    shells_destroy(shells);
}

TEST(the_form_asked_for_wins_over_the_sets_own)
{
    struct shells *shells;
    const char *unstated = "Ne 0\nD 1 1\n1 1\n****\n", *own = "cartesian\nNe 0\nD 1 1\n1 1\n****\n";
    check_ok(create("1\n\nNe 0 0 0\n", unstated, BASIS_FORM_UNSTATED, &shells));
    assert_int_equal(shells->n_functions, 5);
    shells_destroy(shells);
    check_ok(create("1\n\nNe 0 0 0\n", own, BASIS_FORM_UNSTATED, &shells));
    assert_int_equal(shells->n_functions, 6);
    shells_destroy(shells);
    check_ok(create("1\n\nNe 0 0 0\n", own, BASIS_FORM_SPHERICAL, &shells));
    assert_int_equal(shells->n_functions, 5);
    shells_destroy(shells);
}

TEST(plain_ghosts_take_the_sets_own_entry)
{
    struct shells *shells;
    check_ok(create("2\n\nH 0 0 0\nBq 0 0 2\n", "H 0\nS 1 1\n1 1\n****\nBq 0\nS 1 1\n0.3 1\n****\n",
                    BASIS_FORM_UNSTATED, &shells));
    assert_int_equal(shells->n_shells, 2);
    check_close(shells->shells[1].exponents[0], 0.3, 0);
    shells_destroy(shells);
    check_ok(create("2\n\nH 0 0 0\nBq 0 0 2\n", "H 0\nS 1 1\n1 1\n****\n", BASIS_FORM_UNSTATED,
                    &shells));
    assert_int_equal(shells->n_shells, 1);
    shells_destroy(shells);
}

/* Whether the groups of a set on one helium atom are these, each a string of its shells: "sp". */
static void check_groups(const char *set, enum basis_form form, const char *const *expected)
{
    static const char letters[] = "spdfgh";
    struct shells *shells;
    check_ok(create("1\n\nHe 0 0 0.3\n", set, form, &shells));
    int64_t shell = 0, function = 0;
    for (int64_t g = 0; g < shells->n_groups; g++) {
        const struct shell_group *group = &shells->groups[g];
        const struct group_type *type = &shells->types[group->type];
        assert_int_equal(group->first_shell, shell);
        assert_int_equal(group->first_function, function);
        check_close(group->center[2], 0.3, 0);
        assert_non_null(expected[g]);
        assert_int_equal(strlen(expected[g]), type->n_shells);
        for (int s = 0; s < type->n_shells; s++, shell++) {
            assert_int_equal(letters[type->l[s]], expected[g][s]);
            assert_int_equal(shells->shells[shell].l, type->l[s]);
            function += shells->shells[shell].n_functions;
        }
        assert_int_equal(function - group->first_function, type->n_functions);
        assert_true(type->n_functions <= shells->max_group_functions);
    }
    assert_null(expected[shells->n_groups]);
    assert_int_equal(shell, shells->n_shells);
    for (int t = 1; t < shells->n_types; t++)
        assert_true(shells->types[t].max_l >= shells->types[t - 1].max_l);
    shells_destroy(shells);
}

#define GROUPS(...)                                                                                \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

TEST(shells_with_common_exponents_are_groups)
{
    enum basis_form form = BASIS_FORM_SPHERICAL;
    /* A general contraction and a primitive of it; another that is not. */
    check_groups("He 0\nS 2 1\n8 .5\n1 1\nS 2 1\n8 .5\n1 -1\nS 1 1\n1 1\nS 1 1\n.3 1\n****\n", form,
                 GROUPS("sss", "s"));
    /* The larger list may be the later one; lists that overlap only do not count. */
    check_groups("He 0\nS 1 1\n8 1\nP 2 1\n8 .5\n1 1\nS 2 1\n1 .5\n.3 1\n****\n", form,
                 GROUPS("sp", "s"));
    check_groups("He 0\nSP 2 1\n8 .5 .4\n1 1 1\nSP 1 1\n.3 1 1\nD 1 1\n.3 1\n****\n", form,
                 GROUPS("sp", "spd"));
    check_groups("He 0\nS 1 1\n8 1\nS 1 1\n1 1\nP 1 1\n2 1\n****\n", form, GROUPS("s", "s", "p"));
    /* Not more functions than a group may have, and no shell above f. */
    check_groups("He 0\nD 1 1\n1 1\nD 1 1\n1 1\nD 1 1\n1 1\nF 1 1\n1 1\n****\n", form,
                 GROUPS("dd", "d", "f"));
    check_groups("He 0\nD 1 1\n1 1\nD 1 1\n1 1\n****\n", BASIS_FORM_CARTESIAN, GROUPS("d", "d"));
    check_groups("He 0\nS 1 1\n1 1\nG 1 1\n1 1\nS 1 1\n1 1\n****\n", form, GROUPS("s", "g", "s"));
}

TEST(a_group_has_all_primitives_of_its_shells)
{
    struct shells *shells;
    check_ok(create("2\n\nHe 0 0 0\nHe 0 0 2\n",
                    "He 0\nS 1 1\n1 1\nS 3 1\n1 .2\n8 .5\n.4 1\nP 2 1\n.4 1\n8 -1\n****\n",
                    BASIS_FORM_SPHERICAL, &shells));
    assert_int_equal(shells->n_groups, 2); /* atoms apart */
    for (int64_t g = 0; g < 2; g++) {
        const struct shell_group *group = &shells->groups[g];
        static const double exponents[] = {8, 1, 0.4};
        static const int place[3][3] = {{-1, 0, -1}, {0, 1, 2}, {0, -1, 1}};
        assert_int_equal(group->n_primitives, 3);
        for (int p = 0; p < 3; p++) {
            check_close(group->exponents[p], exponents[p], 0);
            for (int s = 0; s < 3; s++) {
                const double *c = shells->shells[group->first_shell + s].coefficients;
                check_close(group->coefficients[3 * s + p], place[s][p] < 0 ? 0 : c[place[s][p]],
                            0);
            }
        }
    }
    shells_destroy(shells);
}

/* Two primitives of one exponent are one of both coefficients, in a group, too. */
TEST(equal_exponents_of_a_shell_are_one_primitive)
{
    const char *sets[] = {"H 0\nS 2 1\n5 .5\n1 .5\nS 3 1\n5 .3\n1 .2\n.3 .5\n****\n",
                          "H 0\nS 3 1\n5 .3\n1 .5\n5 .2\nS 5 1\n5 .4\n1 .2\n5 -.1\n.3 .5\n2 0\n"
                          "****\n"};
    struct shells *shells[2];
    for (int i = 0; i < 2; i++)
        check_ok(create("1\n\nH 0 0 0\n", sets[i], BASIS_FORM_SPHERICAL, &shells[i]));
    for (int64_t s = 0; s < 2; s++) {
        const struct shell *expected = &shells[0]->shells[s], *shell = &shells[1]->shells[s];
        assert_int_equal(shell->n_primitives, expected->n_primitives);
        for (int p = 0; p < shell->n_primitives; p++) {
            check_close(shell->exponents[p], expected->exponents[p], 0);
            check_close(shell->coefficients[p], expected->coefficients[p], 1e-15);
        }
    }
    assert_int_equal(shells[1]->n_groups, 1);
    for (int p = 0; p < 6; p++)
        check_close(shells[1]->groups->coefficients[p], shells[0]->groups->coefficients[p], 1e-15);
    for (int i = 0; i < 2; i++)
        shells_destroy(shells[i]);
}

static void check_refused(const char *molecule, const char *set, const char *message)
{
    struct shells *shells;
    check_status(STATUS_INPUT, create(molecule, set, BASIS_FORM_UNSTATED, &shells));
    if (!strstr(status_text(), message))
        fail_msg("\"%s\" lacks \"%s\"", status_text(), message);
    assert_null(shells);
}

TEST(unusable_sets_are_refused)
{
    const char *potential = "basis\nI S\n1 1\nH S\n1 1\nend\necp\nI nelec 28\nXe nelec 28\nend\n";
    check_refused("1\n\nLi 0 0 0\n", potential, "It has those of I, H");
    check_refused("1\n\nO 0 0 0\n", "H 0\nS 1 1\n1 1\n****\nOx 0\nS 1 1\n1 1\n****\n",
                  "no functions for O: correct it or choose another. The first line");
    check_refused("1\n\nO 0 0 0\n", "basis\nH S\n1 1\nend\n", "for O: correct it");
    check_refused("2\n\nH 0 0 0\nI 0 0 2\n", potential, "I needs an effective core potential");
    check_refused("1\n\nXe 0 0 0\n", potential, "Xe needs an effective core potential");
    check_refused("2\n\nH 0 0 0\n@Xe 0 0 2\n", potential, "has no functions for Xe");
    check_refused("1\n\nBq 0 0 0\n", potential, "puts no function on any centre");
    check_refused("1\n\nH 0 0 0\n", "H 0\nS 2 1\n1 1\n1 -1\n****\n", "cannot be normalised");
    check_refused("1\n\nH 0 0 0\n", "H 0\nS 1 1\n1 1e300\n****\n", "cannot be normalised");
}
