/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of any order, of molecules whose coordinates are rounded, in any orientation: names and orders
 * of textbooks; what is found is a group of permutations, and exact for the centres that were moved. */
#include "basis/input/point_group.h"
#include "tests/check.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static uint64_t random_state = 1;

/* In [-1, 1). */
static double random_number(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) * 0x1p-52 - 1;
}

enum { MAX_ATOMS = 80, MAX_PARTS = 4 };

/* Atoms of one element: a ring about z of n atoms from an angle on (RING, of radius, height, angle), or
 * the images of a point under its inversion (PAIR), under changes of signs of coordinates (SIGNS), also
 * with cyclic turns of the axes (CYCLIC). */
struct part {
    enum { RING, PAIR, SIGNS, CYCLIC } kind;
    int element, n;
    double r[3];
};

struct group_case {
    const char *name;
    int order;       /* of the permutations of centres */
    int n_commuting; /* of the largest set whose operations commute and are their own inverses */
    struct part parts[MAX_PARTS];
};

#define PI     3.14159265358979323846
#define GOLDEN 1.61803398874989484820

static const struct group_case ammonia = {
    "C3v", 6, 2, {{RING, 7, 1, {0, 0.4, 0}}, {RING, 1, 3, {1.8, -0.3, 0}}}};
static const struct group_case twisted_rings = {
    "C5", 5, 1, {{RING, 8, 5, {4.5, 0, 0}}, {RING, 1, 5, {5.5, 1.3, 0.3}}}};

/* Ih has 120 operations: its rotations are used. More than 64 rotations are not. */
static const struct group_case group_cases[] = {
    {"Ih", 60, 4, {{SIGNS, 6, 0, {2, 2, 2}}, {CYCLIC, 6, 0, {0, 2 / GOLDEN, 2 * GOLDEN}}}},
    {"Oh", 48, 8, {{RING, 16, 1, {0}}, {CYCLIC, 9, 0, {3, 0, 0}}}},
    {"Td", 24, 4, {{RING, 1, 1, {0, 2.1, 0}}, {RING, 1, 3, {1.4 * M_SQRT2, -0.7, 0}}}},
    {"Th", 24, 8, {{CYCLIC, 6, 0, {0, 1, 2.5}}}},
    {"D6h", 12, 4, {{RING, 6, 6, {2.64, 0, 0}}, {RING, 1, 6, {4.7, 0, 0}}}},
    {"D5h", 10, 2, {{RING, 6, 5, {2.3, 0, 0.1}}}},
    {"D3d", 12, 4, {{RING, 1, 3, {1.9, 2.2, 0}}, {RING, 1, 3, {1.9, -2.2, PI}}}},
    {"D3", 6, 2, {{RING, 1, 3, {1.9, 2.2, 0.2}}, {RING, 1, 3, {1.9, -2.2, -0.2}}}},
    {"D2d", 8, 4, {{RING, 1, 2, {1.8, 3.5, 0}}, {RING, 1, 2, {1.8, -3.5, PI / 2}}}},
    /* Two rings of two kinds, turned: no reflection, but a rotation with a reflection. */
    {"S4",
     4,
     2,
     {{RING, 6, 2, {1.8, 1.5, 0}},
      {RING, 6, 2, {1.8, -1.5, PI / 2}},
      {RING, 9, 2, {2.8, 2.5, 0.3}},
      {RING, 9, 2, {2.8, -2.5, 0.3 + PI / 2}}}},
    {"C3h", 3, 1, {{RING, 5, 1, {0}}, {RING, 8, 3, {2.6, 0, 0}}, {RING, 1, 3, {3.6, 0, 0.4}}}},
    {"C2v", 2, 2, {{RING, 8, 1, {0}}, {RING, 1, 2, {1.4, 1.1, 0}}}},
    {"Dooh", 2, 2, {{RING, 7, 2, {1, 0, 0}}}},
    {"Coov", 1, 1, {{RING, 6, 1, {0}}, {RING, 8, 1, {0, 2.1, 0}}, {RING, 16, 1, {0, -2.9, 0}}}},
    {"D40h", 4, 4, {{RING, 6, 40, {15, 0, 0}}}},
    {"D31h", 62, 2, {{RING, 1, 31, {12, 1.5, 0}}, {RING, 1, 31, {12, -1.5, 0}}}},
    {"C1", 1, 1, {{PAIR, 1, 0, {1, 0, 1}}, {RING, 9, 1, {2, 1, 1}}, {RING, 17, 1, {2, -1, 3}}}},
    {"C2", 2, 2, {{RING, 8, 2, {0.7, 0, 0.1}}, {RING, 1, 2, {1.1, 0.8, -0.4}}}},
    {"D2h", 4, 4, {{SIGNS, 6, 0, {1.2, 0, 0}}, {SIGNS, 1, 0, {2.3, 1.7, 0}}}},
    {"D2h", 8, 8, {{SIGNS, 2, 0, {1, 2, 3}}}},
    {"Ci", 2, 2, {{PAIR, 1, 0, {1, 2, 3}}, {PAIR, 2, 0, {-2, 3, 1}}, {PAIR, 3, 0, {1, -3, 2}}}},
    {"Kh", 1, 1, {{RING, 10, 1, {0}}}},
};
enum { N_CASES = sizeof group_cases / sizeof *group_cases };

static void add_atom(struct molecule *molecule, int element, double x, double y, double z)
{
    assert_true(molecule->n_atoms < MAX_ATOMS);
    molecule->atoms[molecule->n_atoms++] =
        (struct atom){.element = element, .charge = element, .position = {x, y, z}};
}

/* Images of a point under changes of signs: all, or of all signs at once. */
static void add_signs(struct molecule *molecule, const struct part *part, int turn)
{
    for (int signs = 0; signs < 8; signs++) {
        double s[3];
        bool once = part->kind != PAIR || signs % 7 == 0;
        for (int i = 0; i < 3; i++) {
            bool minus = signs >> i & 1;
            once &= part->kind == PAIR || !(minus && part->r[i] == 0);
            s[i] = minus ? -part->r[i] : part->r[i];
        }
        if (once)
            add_atom(molecule, part->element, s[turn], s[(turn + 1) % 3], s[(turn + 2) % 3]);
    }
}

/* A molecule with its atoms in the array. */
static struct molecule make_molecule(const struct group_case *group_case, struct atom *atoms)
{
    struct molecule molecule = {.atoms = atoms};
    for (const struct part *p = group_case->parts; p < group_case->parts + MAX_PARTS; p++) {
        for (int i = 0; i < p->n; i++) {
            double phi = p->r[2] + 2 * PI * i / p->n;
            add_atom(&molecule, p->element, p->r[0] * cos(phi), p->r[0] * sin(phi), p->r[1]);
        }
        for (int turn = 0; p->element && turn < (p->kind == CYCLIC ? 3 : p->kind != RING); turn++)
            add_signs(&molecule, p, turn);
    }
    return molecule;
}

/* Turned and shifted, with coordinates changed by up to `noise`, in place of rounding. */
static void disturb(struct molecule *molecule, double noise)
{
    double phi = 3 * random_number(), theta = random_number();
    double c = cos(phi), s = sin(phi), d = cos(theta), t = sin(theta);
    const double R[3][3] = {{c, -s, 0}, {s * d, c * d, -t}, {s * t, c * t, d}};
    const double shift[3] = {random_number(), random_number(), random_number()};
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        double r[3];
        memcpy(r, molecule->atoms[i].position, sizeof r);
        for (int a = 0; a < 3; a++)
            molecule->atoms[i].position[a] = R[a][0] * r[0] + R[a][1] * r[1] + R[a][2] * r[2] +
                                             shift[a] + noise * random_number();
    }
}

/* Distances of centres from the first one are those of their images, turned. */
static void check_operation(const struct molecule *molecule, const struct point_group *group, int k)
{
    const int64_t n = molecule->n_atoms, *images = group->images + k * n;
    const int64_t *back = group->images + group->inverse[k] * n;
    const struct atom *atoms = molecule->atoms;
    for (int64_t a = 0; a < n; a++) {
        assert_int_equal(back[images[a]], a);
        assert_int_equal(atoms[a].element, atoms[images[a]].element);
        for (int i = 0; i < 3; i++) {
            double image = atoms[images[0]].position[i];
            for (int j = 0; j < 3; j++)
                image += group->matrix[k][i][j] * (atoms[a].position[j] - atoms[0].position[j]);
            assert_true(fabs(image - atoms[images[a]].position[i]) < 2 * POINT_GROUP_TOLERANCE);
        }
    }
    for (int i = 0; i < 9; i++)
        check_close(group->matrix[group->inverse[k]][i / 3][i % 3], group->matrix[k][i % 3][i / 3],
                    1e-12);
}

/* The number of operations that permute centres as k after l does; *which is the last of them. */
static int find_products(const struct point_group *group, int k, int l, int *which)
{
    int64_t n = group->n_atoms;
    int n_same = 0;
    for (int m = 0; m < group->order; m++) {
        bool same = true;
        for (int64_t a = 0; a < n; a++)
            same &= group->images[m * n + a] == group->images[k * n + group->images[l * n + a]];
        n_same += same;
        *which = same ? m : *which;
    }
    return n_same;
}

/* Any two operations in a row are one of them, and no two are the same. Characters of the commuting ones
 * multiply like these and are orthogonal. */
static void check_closed(const struct point_group *group)
{
    int n = group->n_commuting, product = 0;
    for (int k = 0; k < group->order; k++)
        for (int l = 0; l < group->order; l++) {
            assert_int_equal(find_products(group, k, l, &product), 1);
            for (int r = 0; r < n && k < n && l < n; r++)
                assert_int_equal(point_group_character(r, product),
                                 point_group_character(r, k) * point_group_character(r, l));
        }
    for (int r = 0; r < n; r++)
        for (int q = 0; q < n; q++) {
            int sum = 0;
            for (int k = 0; k < n; k++)
                sum += point_group_character(r, k) * point_group_character(q, k);
            assert_int_equal(sum, r == q ? n : 0);
        }
}

static void check_case(const struct group_case *group_case, double noise, double most_moved)
{
    struct atom atoms[MAX_ATOMS], before[MAX_ATOMS];
    struct molecule molecule = make_molecule(group_case, atoms);
    struct point_group group;
    double moved, largest = 0;
    disturb(&molecule, noise);
    memcpy(before, atoms, sizeof before);
    check_ok(point_group_find(&molecule, most_moved, &group, &moved));
    assert_int_equal(group.order, group_case->order);
    assert_int_equal(group.n_commuting, group_case->n_commuting);
    assert_string_equal(group.name, group_case->name);
    for (int64_t a = 0; a < molecule.n_atoms; a++)
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, fabs(atoms[a].position[i] - before[a].position[i]));
    assert_true(fabs(largest - moved) < 1e-14 && moved <= most_moved && moved <= 2 * noise);
    for (int k = 0; k < group.order; k++)
        check_operation(&molecule, &group, k);
    check_closed(&group);
    /* Moved atoms have the symmetry but for rounding: none is moved again. */
    point_group_fini(&group);
    check_ok(point_group_find(&molecule, POINT_GROUP_MOST_MOVED, &group, &moved));
    assert_int_equal(group.order, group_case->order);
    assert_true(moved == 0);
    point_group_fini(&group);
}

/* Also if centres may not move, where their positions are not rounded; up to six digits in angstrom. */
TEST(groups_are_those_of_textbooks)
{
    static const double noises[] = {0, 5e-9, 9.45e-7};
    for (int i = 0; i < (N_CASES + 2) * 15; i++) {
        const struct group_case *c = i / 15 < N_CASES    ? &group_cases[i / 15]
                                     : i / 15 == N_CASES ? &ammonia
                                                         : &twisted_rings;
        check_case(c, noises[i % 3], i % 3 == 0 && i % 2 ? 0 : POINT_GROUP_MOST_MOVED);
    }
}

/* More than what six digits in angstrom round is another molecule, which stays as it is to the last bit. */
TEST(distorted_molecules_stay)
{
    for (int c = 0; c < N_CASES; c++) {
        struct atom atoms[MAX_ATOMS], before[MAX_ATOMS];
        struct molecule molecule = make_molecule(&group_cases[c], atoms);
        struct point_group group;
        double moved;
        disturb(&molecule, 0);
        for (int64_t i = 0; i < 3 * molecule.n_atoms; i++)
            atoms[i / 3].position[i % 3] += 1e-3 * random_number();
        memcpy(before, atoms, sizeof before);
        check_ok(point_group_find(&molecule, POINT_GROUP_MOST_MOVED, &group, &moved));
        assert_int_equal(group.order, strcmp(group_cases[c].name, "Dooh") == 0 ? 2 : 1);
        assert_true(moved == 0);
        assert_memory_equal(atoms, before, (size_t)molecule.n_atoms * sizeof *atoms);
        point_group_fini(&group);
    }
}

/* Random errors about the bound: a group or none, never a part of one, and never moved too far. */
TEST(what_is_found_is_a_group)
{
    int n_found = 0, n_not = 0;
    for (int round = 0; round < 600; round++) {
        struct atom atoms[MAX_ATOMS];
        struct molecule molecule = make_molecule(round % 2 ? &ammonia : &twisted_rings, atoms);
        struct point_group group;
        double moved;
        disturb(&molecule, 1e-6 * pow(10, random_number()));
        check_ok(point_group_find(&molecule, POINT_GROUP_MOST_MOVED, &group, &moved));
        assert_true(moved <= POINT_GROUP_MOST_MOVED);
        for (int k = 0; k < group.order; k++)
            check_operation(&molecule, &group, k);
        check_closed(&group);
        n_found += group.order > 1;
        n_not += group.order == 1;
        point_group_fini(&group);
    }
    assert_true(n_found > 100 && n_not > 100);
}

/* A molecule that has a larger group roughly has the smaller one exactly: without leave to move centres so
 * far, that is used. Plain ghosts at one place cannot be told apart: no group. */
TEST(exact_operations_are_left_of_rough_ones)
{
    static const struct {
        double shift, most_moved;
        int n_ghosts, order;
        const char *name;
    } cases[] = {{3e-7, POINT_GROUP_LEAST_MOVED, 0, 2, "Cs"},
                 {3e-7, POINT_GROUP_MOST_MOVED, 0, 6, "C3v"},
                 {0, POINT_GROUP_MOST_MOVED, 2, 1, "C1"}};
    for (int i = 0; i < 3; i++) {
        struct atom atoms[MAX_ATOMS];
        struct molecule molecule = make_molecule(&ammonia, atoms);
        struct point_group group;
        double moved;
        atoms[2].position[0] += cases[i].shift; /* atoms 2 and 3 are images of each other */
        atoms[3].position[0] += cases[i].shift;
        for (int ghost = 0; ghost < cases[i].n_ghosts; ghost++) {
            add_atom(&molecule, 0, 0, 0, 3);
            atoms[molecule.n_atoms - 1].ghost = true;
        }
        check_ok(point_group_find(&molecule, cases[i].most_moved, &group, &moved));
        assert_int_equal(group.order, cases[i].order);
        assert_string_equal(group.name, cases[i].name);
        assert_true(moved < POINT_GROUP_TOLERANCE || moved > POINT_GROUP_LEAST_MOVED);
        point_group_fini(&group);
    }
}
