/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of molecules are those of textbooks, in any orientation; their operations are a group of
 * permutations of alike centres. */
#include "basis/input/point_group.h"
#include "tests/check.h"

#include <stdbool.h>
#include <string.h>

struct group_case {
    const char *molecule, *name; /* NULL: there are several of this order, and the axes decide */
    int order, moving;           /* of the group, and of the operations that move centres */
};

/* Largest subgroups of D2h: D2 or C2v of Td, D2h of Oh, C2v of C-infinity-v. */
static const struct group_case group_cases[] = {
    {"1\n\nNe 0 0 0\n", "D2h", 8, 1},
    {"2\n\nN 0 0 0.5\nN 0 0 -0.6\n", "D2h", 8, 2},
    {"2\n\nC 0 0 0.5\nO 0 0 -0.6\n", "C2v", 4, 1},
    {"3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n", "C2v", 4, 2},
    {"3\n\nO 0 0 0\nH 0 0.757 0.587\n@H 0 -0.757 0.587\n", "Cs", 2, 1},
    {"3\n\nO 0 0 0\nH 0 0.757 0.587\nF 0 -0.757 0.587\n", "Cs", 2, 1},
    {"4\n\nO 0.7 0.1 0\nO -0.7 -0.1 0\nH 0.9 -0.4 0.8\nH -0.9 0.4 0.8\n", "C2", 2, 2},
    {"6\n\nC 0.7 0.1 0\nC -0.7 -0.1 0\nH 0.9 -0.4 0.8\nH -0.9 0.4 -0.8\nF 1.1 0.9 0.3\nF -1.1 -0.9 "
     "-0.3\n",
     "Ci", 2, 2},
    {"4\n\nO 0.7 0 0\nO -0.7 0 0\nH 0.9 0.8 0\nH -0.9 -0.8 0\n", "C2h", 4, 2},
    {"5\n\nC 0 0 0\nH 1 1 1\nH 1 -1 -1\nH -1 1 -1\nH -1 -1 1\n", NULL, 4, 4},
    {"5\n\nC 0 0 0\nH 1 1 1\nH 1 -1 -1\nF -1 1 -1\nF -1 -1 1\n", "C2v", 4, 4},
    {"5\n\nC 0 0 0\nH 1 1 1\nF 1 -1 -1\nCl -1 1 -1\nBr -1 -1 1\n", "C1", 1, 1},
    {"6\n\nC 0 0 0.66\nC 0 0 -0.66\nH 0 0.92 1.23\nH 0 -0.92 1.23\nH 0 0.92 -1.23\nH 0 -0.92 "
     "-1.23\n",
     "D2h", 8, 4},
    {"7\n\nS 0 0 0\nF 1.5 0 0\nF -1.5 0 0\nF 0 1.5 0\nF 0 -1.5 0\nF 0 0 1.5\nF 0 0 -1.5\n", "D2h",
     8, 8},
    /* No two centres to exchange but those that a mirror plane of two others gives. */
    {"5\n\nC 0 0.1 0\nF 0.9 0.8 0\nCl -1.2 0.9 0\nH 0.1 -0.6 0.9\nH 0.1 -0.6 -0.9\n", "Cs", 2, 2},
    /* Plain ghosts at one place cannot be told apart. */
    {"4\n\nN 0 0 0.5\nN 0 0 -0.5\nBq 0 0 0\nBq 0 0 0\n", "C1", 1, 1},
};

static void parse(const char *text, struct molecule *molecule)
{
    const struct molecule_settings settings = {.unit = LENGTH_ANGSTROM};
    check_ok(molecule_parse(text, strlen(text), "test.xyz", &settings, molecule));
}

/* Euler's rotation by the angles, and a shift. */
static void move(struct molecule *molecule, double phi, double theta, double shift)
{
    double c = cos(phi), s = sin(phi), d = cos(theta), t = sin(theta);
    const double R[3][3] = {{c, -s, 0}, {s * d, c * d, -t}, {s * t, c * t, d}};
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        double *r = molecule->atoms[i].position;
        double moved[3];
        for (int a = 0; a < 3; a++)
            moved[a] = R[a][0] * r[0] + R[a][1] * r[1] + R[a][2] * r[2] + shift * (a + 1);
        memcpy(r, moved, sizeof moved);
    }
}

static void check_operations(const struct molecule *molecule, const struct point_group *group)
{
    int64_t n = molecule->n_atoms;
    assert_int_equal(group->n_atoms, n);
    assert_int_equal(group->signs[0], 0);
    for (int k = 0; k < group->order; k++)
        for (int64_t i = 0; i < n; i++) {
            int64_t image = group->images[k * n + i];
            assert_in_range(image, 0, n - 1);
            assert_int_equal(group->images[k * n + image], i);
            assert_int_equal(molecule->atoms[image].element, molecule->atoms[i].element);
            assert_int_equal(molecule->atoms[image].ghost, molecule->atoms[i].ghost);
        }
    for (int k = 0; k < group->order; k++)
        for (int l = 0; l < group->order; l++) {
            int product = 0;
            while (product < group->order &&
                   group->signs[product] != (group->signs[k] ^ group->signs[l]))
                product++;
            assert_true(product < group->order);
            for (int64_t i = 0; i < n; i++)
                assert_int_equal(group->images[product * n + i],
                                 group->images[k * n + group->images[l * n + i]]);
            for (int r = 0; r < group->order; r++)
                assert_int_equal(point_group_character(group, r, product),
                                 point_group_character(group, r, k) *
                                     point_group_character(group, r, l));
        }
    for (int r = 0; r < group->order; r++)
        for (int q = 0; q <= r; q++) {
            int sum = 0;
            for (int k = 0; k < group->order; k++)
                sum += point_group_character(group, r, k) * point_group_character(group, q, k);
            assert_int_equal(sum, r == q ? group->order : 0);
        }
    for (int k = 0; k < group->order; k++)
        assert_int_equal(point_group_character(group, 0, k), 1);
}

static void check_case(const struct group_case *group_case, const struct molecule *molecule)
{
    struct point_group group, moving;
    check_ok(point_group_find(molecule, &group));
    if (group_case->name)
        assert_string_equal(group.name, group_case->name);
    assert_int_equal(group.order, group_case->order);
    check_operations(molecule, &group);
    check_ok(point_group_take_moving(&group, &moving));
    assert_string_equal(moving.name, group.name);
    assert_int_equal(moving.order, group_case->moving);
    check_operations(molecule, &moving);
    for (int k = 1; k < moving.order; k++) {
        int64_t i = 0;
        while (i < moving.n_atoms && moving.images[k * moving.n_atoms + i] == i)
            i++;
        assert_true(i < moving.n_atoms);
    }
    point_group_fini(&moving);
    point_group_fini(&group);
}

static void groups_are_those_of_textbooks(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof group_cases / sizeof *group_cases; c++) {
        struct molecule molecule;
        parse(group_cases[c].molecule, &molecule);
        check_case(&group_cases[c], &molecule);
        move(&molecule, 0.4, 1.1, 0);
        check_case(&group_cases[c], &molecule);
        move(&molecule, -2.3, 0.2, 3.7);
        check_case(&group_cases[c], &molecule);
        molecule_fini(&molecule);
    }
}

/* A centre out of place by more than the tolerance is another molecule. */
static void distortions_above_the_tolerance_count(void **state)
{
    (void)state;
    static const struct group_case water = {"3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n",
                                            "C2v", 4, 2};
    static const struct group_case bent = {"", "Cs", 2, 1};
    struct molecule molecule;
    parse(water.molecule, &molecule);
    molecule.atoms[1].position[1] += 0.2 * POINT_GROUP_TOLERANCE;
    check_case(&water, &molecule);
    molecule.atoms[1].position[1] += 10 * POINT_GROUP_TOLERANCE;
    check_case(&bent, &molecule);
    molecule_fini(&molecule);
}

static uint64_t random_state;

/* In [-1, 1). */
static double random_number(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) * 0x1p-52 - 1;
}

/* Positions off by about the tolerance have some operations and not their products: what is found is a
 * group all the same. */
static void what_is_found_is_a_group(void **state)
{
    (void)state;
    static const char *const molecules[] = {
        "6\n\nC 0 0 0.66\nC 0 0 -0.66\nH 0 0.92 1.23\nH 0 -0.92 1.23\nH 0 0.92 -1.23\n"
        "H 0 -0.92 -1.23\n",
        "8\n\nHe 1 2 3\nHe -1 2 3\nHe 1 -2 3\nHe 1 2 -3\nHe -1 -2 3\nHe -1 2 -3\nHe 1 -2 -3\n"
        "He -1 -2 -3\n"};
    int n_of_order[POINT_GROUP_MAX_ORDER + 1] = {0};
    random_state = 1;
    for (int i = 0; i < 4000; i++) {
        struct molecule molecule;
        struct point_group group, moving;
        parse(molecules[i % 2], &molecule);
        if (i % 3 == 0)
            move(&molecule, 3 * random_number(), random_number(), 0);
        double noise = (0.1 + 0.2 * (i / 2 % 5)) * POINT_GROUP_TOLERANCE;
        for (int64_t a = 0; a < molecule.n_atoms; a++)
            for (int x = 0; x < 3; x++)
                molecule.atoms[a].position[x] += noise * random_number();
        check_ok(point_group_find(&molecule, &group));
        check_operations(&molecule, &group);
        check_ok(point_group_take_moving(&group, &moving));
        check_operations(&molecule, &moving);
        n_of_order[moving.order]++;
        point_group_fini(&moving);
        point_group_fini(&group);
        molecule_fini(&molecule);
    }
    for (int order = 1; order <= POINT_GROUP_MAX_ORDER; order++)
        assert_true((n_of_order[order] > 0) == ((order & (order - 1)) == 0));
}

/* A ring of n carbon atoms about z. */
static void parse_ring(int n, struct molecule *molecule)
{
    char text[8192];
    int length = snprintf(text, sizeof text, "%d\n\n", n);
    for (int i = 0; i < n; i++) {
        double angle = 2 * acos(-1) * i / n + 0.1;
        length += snprintf(text + length, sizeof text - (size_t)length, "C %.17g %.17g 0\n",
                           3 * cos(angle), 3 * sin(angle));
    }
    parse(text, molecule);
}

static void rings_have_the_subgroup_of_their_order(void **state)
{
    (void)state;
    for (int n = 3; n < 60; n++) {
        bool even = n % 2 == 0;
        struct group_case ring = {"", even ? "D2h" : "C2v", even ? 8 : 4, even ? 4 : 2};
        struct molecule molecule;
        parse_ring(n, &molecule);
        check_case(&ring, &molecule);
        move(&molecule, 0.7, -0.3, 1.1);
        check_case(&ring, &molecule);
        molecule_fini(&molecule);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_those_of_textbooks),
        cmocka_unit_test(distortions_above_the_tolerance_count),
        cmocka_unit_test(what_is_found_is_a_group),
        cmocka_unit_test(rings_have_the_subgroup_of_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
