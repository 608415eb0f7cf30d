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

enum { MAX_ATOMS = 80 };

static void add_atom(struct molecule *molecule, int element, double x, double y, double z)
{
    assert_true(molecule->n_atoms < MAX_ATOMS);
    molecule->atoms[molecule->n_atoms++] =
        (struct atom){.element = element, .charge = element, .position = {x, y, z}};
}

/* n atoms on a circle at a height, from an angle on. */
static void add_ring(struct molecule *molecule, int element, int n, double radius, double height,
                     double angle)
{
    for (int i = 0; i < n; i++) {
        double phi = angle + 2 * acos(-1) * i / n;
        add_atom(molecule, element, radius * cos(phi), radius * sin(phi), height);
    }
}

/* (+-x, +-y, +-z) and, of `cyclic`, those with the axes turned. */
static void add_signs(struct molecule *molecule, int element, double x, double y, double z,
                      bool cyclic)
{
    const double r[3] = {x, y, z};
    for (int turn = 0; turn < (cyclic ? 3 : 1); turn++)
        for (int signs = 0; signs < 8; signs++) {
            double s[3];
            bool once = true;
            for (int i = 0; i < 3; i++) {
                bool minus = signs >> i & 1;
                once &= !(minus && r[i] == 0);
                s[i] = minus ? -r[i] : r[i];
            }
            if (once)
                add_atom(molecule, element, s[turn], s[(turn + 1) % 3], s[(turn + 2) % 3]);
        }
}

static void make_dodecahedron(struct molecule *m)
{
    double golden = (1 + sqrt(5)) / 2;
    add_signs(m, 6, 2, 2, 2, false);
    add_signs(m, 6, 0, 2 / golden, 2 * golden, true);
}

static void make_octahedron(struct molecule *m)
{
    add_atom(m, 16, 0, 0, 0);
    add_signs(m, 9, 3, 0, 0, true);
}

static void make_tetrahedron(struct molecule *m)
{
    add_atom(m, 6, 0, 0, 0);
    add_atom(m, 1, 1.2, 1.2, 1.2);
    add_atom(m, 1, 1.2, -1.2, -1.2);
    add_atom(m, 1, -1.2, 1.2, -1.2);
    add_atom(m, 1, -1.2, -1.2, 1.2);
}

/* A cube of atoms, twisted: T_h has its reflections, T none. */
static void make_pyritohedron(struct molecule *m)
{
    add_signs(m, 6, 0, 1, 2.5, true);
}

static void make_benzene(struct molecule *m)
{
    add_ring(m, 6, 6, 2.64, 0, 0);
    add_ring(m, 1, 6, 4.7, 0, 0);
}

static void make_cyclopentadienyl(struct molecule *m)
{
    add_ring(m, 6, 5, 2.3, 0, 0.1);
}

static void make_twisted_rings(struct molecule *m)
{
    add_ring(m, 8, 5, 4.5, 0, 0);
    add_ring(m, 1, 5, 5.5, 1.3, 0.3);
}

static void make_ammonia(struct molecule *m)
{
    add_atom(m, 7, 0, 0, 0.4);
    add_ring(m, 1, 3, 1.8, -0.3, 0);
}

static void make_staggered_ethane(struct molecule *m)
{
    add_ring(m, 1, 3, 1.9, 2.2, 0);
    add_ring(m, 1, 3, 1.9, -2.2, acos(-1));
    add_atom(m, 6, 0, 0, 1.4);
    add_atom(m, 6, 0, 0, -1.4);
}

static void make_twisted_ethane(struct molecule *m)
{
    add_ring(m, 1, 3, 1.9, 2.2, 0.2);
    add_ring(m, 1, 3, 1.9, -2.2, -0.2);
    add_atom(m, 6, 0, 0, 1.4);
    add_atom(m, 6, 0, 0, -1.4);
}

static void make_allene(struct molecule *m)
{
    add_atom(m, 6, 0, 0, 0);
    add_atom(m, 6, 0, 0, 2.5);
    add_atom(m, 6, 0, 0, -2.5);
    add_ring(m, 1, 2, 1.8, 3.5, 0);
    add_ring(m, 1, 2, 1.8, -3.5, acos(-1) / 2);
}

/* Two rings of two kinds, turned against each other: no reflection, but rotation with reflection. */
static void make_s4(struct molecule *m)
{
    add_ring(m, 6, 2, 1.8, 1.5, 0);
    add_ring(m, 6, 2, 1.8, -1.5, acos(-1) / 2);
    add_ring(m, 9, 2, 2.8, 2.5, 0.3);
    add_ring(m, 9, 2, 2.8, -2.5, 0.3 + acos(-1) / 2);
}

static void make_boric_acid(struct molecule *m)
{
    add_atom(m, 5, 0, 0, 0);
    add_ring(m, 8, 3, 2.6, 0, 0);
    add_ring(m, 1, 3, 3.6, 0, 0.4);
}

static void make_water(struct molecule *m)
{
    add_atom(m, 8, 0, 0, 0);
    add_ring(m, 1, 2, 1.4, 1.1, 0);
}

static void make_line(struct molecule *m)
{
    add_ring(m, 7, 2, 1, 0, 0);
}

static void make_ring_of_40(struct molecule *m)
{
    add_ring(m, 6, 40, 15, 0, 0);
}

/* A prism with 124 operations, 62 of them rotations. */
static void make_prism_of_31(struct molecule *m)
{
    add_ring(m, 1, 31, 12, 1.5, 0);
    add_ring(m, 1, 31, 12, -1.5, 0);
}

static void make_chiral(struct molecule *m)
{
    make_tetrahedron(m);
    m->atoms[2].element = m->atoms[2].charge = 9;
    m->atoms[3].element = m->atoms[3].charge = 17;
    m->atoms[4].element = m->atoms[4].charge = 35;
}

/* Hydrogen peroxide: one rotation, and no plane. */
static void make_peroxide(struct molecule *m)
{
    add_ring(m, 8, 2, 0.7, 0, 0.1);
    add_ring(m, 1, 2, 1.1, 0.8, -0.4);
}

static void make_ethene(struct molecule *m)
{
    add_signs(m, 6, 1.2, 0, 0, false);
    add_signs(m, 1, 2.3, 1.7, 0, false);
}

/* A rectangular prism of eight atoms. */
static void make_brick(struct molecule *m)
{
    add_signs(m, 2, 1, 2, 3, false);
}

/* Pairs of centres opposite of the middle, and nothing else. */
static void make_inverted(struct molecule *m)
{
    const double r[4][3] = {{1, 0.2, 0.1}, {-0.3, 2, 0.7}, {0.9, -1.1, 1.6}, {2, 1, -1}};
    for (int i = 0; i < 4; i++)
        for (int sign = -1; sign <= 1; sign += 2)
            add_atom(m, 1 + i, sign * r[i][0], sign * r[i][1], sign * r[i][2]);
}

static void make_heteronuclear(struct molecule *m)
{
    add_atom(m, 6, 0, 0, 0);
    add_atom(m, 8, 0, 0, 2.1);
    add_atom(m, 16, 0, 0, -2.9);
}

static void make_atom(struct molecule *m)
{
    add_atom(m, 10, 0, 0, 0);
}

struct group_case {
    void (*make)(struct molecule *molecule);
    const char *name;
    int order;       /* of the permutations of centres */
    int n_commuting; /* of the largest set whose operations commute and are their own inverses */
};

/* Ih has 120 operations: its rotations are used. More than 64 rotations are not. */
static const struct group_case group_cases[] = {
    {make_dodecahedron, "Ih", 60, 4},
    {make_octahedron, "Oh", 48, 8},
    {make_tetrahedron, "Td", 24, 4},
    {make_pyritohedron, "Th", 24, 8},
    {make_benzene, "D6h", 12, 4},
    {make_cyclopentadienyl, "D5h", 10, 2},
    {make_twisted_rings, "C5", 5, 1},
    {make_ammonia, "C3v", 6, 2},
    {make_staggered_ethane, "D3d", 12, 4},
    {make_twisted_ethane, "D3", 6, 2},
    {make_allene, "D2d", 8, 4},
    {make_s4, "S4", 4, 2},
    {make_boric_acid, "C3h", 3, 1},
    {make_water, "C2v", 2, 2},
    {make_line, "Dooh", 2, 2},
    {make_heteronuclear, "Coov", 1, 1},
    {make_ring_of_40, "D40h", 4, 4},
    {make_chiral, "C1", 1, 1},
    {make_prism_of_31, "D31h", 62, 2},
    {make_peroxide, "C2", 2, 2},
    {make_ethene, "D2h", 4, 4},
    {make_brick, "D2h", 8, 8},
    {make_inverted, "Ci", 2, 2},
    {make_atom, "Kh", 1, 1},
};

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

/* The mean of what is permuted stays where it is. */
static void find_middle(const struct molecule *molecule, double middle[3])
{
    double sum = 0;
    memset(middle, 0, 3 * sizeof *middle);
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        double weight = molecule->atoms[i].element + 1;
        sum += weight;
        for (int a = 0; a < 3; a++)
            middle[a] += weight * molecule->atoms[i].position[a];
    }
    for (int a = 0; a < 3; a++)
        middle[a] /= sum;
}

static void check_operation(const struct molecule *molecule, const struct point_group *group, int k)
{
    const int64_t n = molecule->n_atoms, *images = group->images + k * n;
    const int64_t *back = group->images + group->inverse[k] * n;
    double middle[3];
    find_middle(molecule, middle);
    for (int64_t a = 0; a < n; a++) {
        const struct atom *from = &molecule->atoms[a], *to = &molecule->atoms[images[a]];
        assert_int_equal(back[images[a]], a);
        assert_int_equal(from->element, to->element);
        for (int i = 0; i < 3; i++) {
            double image = middle[i];
            for (int j = 0; j < 3; j++)
                image += group->matrix[k][i][j] * (from->position[j] - middle[j]);
            assert_true(fabs(image - to->position[i]) < POINT_GROUP_TOLERANCE);
        }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(fabs(group->matrix[group->inverse[k]][i][j] - group->matrix[k][j][i]) <
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

static void check_case(const struct group_case *group_case, double noise)
{
    struct atom atoms[MAX_ATOMS], before[MAX_ATOMS];
    struct molecule molecule = {.atoms = atoms};
    struct point_group group;
    double moved, largest = 0;
    group_case->make(&molecule);
    disturb(&molecule, noise);
    memcpy(before, atoms, sizeof before);
    check_ok(point_group_find(&molecule, POINT_GROUP_MOST_MOVED, &group, &moved));
    assert_int_equal(group.order, group_case->order);
    assert_int_equal(group.n_commuting, group_case->n_commuting);
    assert_string_equal(group.name, group_case->name);
    for (int64_t a = 0; a < molecule.n_atoms; a++)
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, fabs(atoms[a].position[i] - before[a].position[i]));
    assert_true(fabs(largest - moved) < 1e-14 && moved <= POINT_GROUP_MOST_MOVED);
    assert_true(moved <= 2 * noise);
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

TEST(groups_are_those_of_textbooks)
{
    for (size_t c = 0; c < sizeof group_cases / sizeof *group_cases; c++)
        for (int round = 0; round < 5; round++) {
            check_case(&group_cases[c], 0);
            check_case(&group_cases[c], 5e-9);
            check_case(&group_cases[c], 9.45e-7); /* six digits in angstrom */
        }
}

/* More than what six digits in angstrom round is another molecule, which stays as it is to the last bit. */
TEST(distorted_molecules_stay)
{
    for (size_t c = 0; c < sizeof group_cases / sizeof *group_cases; c++) {
        struct atom atoms[MAX_ATOMS], before[MAX_ATOMS];
        struct molecule molecule = {.atoms = atoms};
        struct point_group group;
        double moved;
        group_cases[c].make(&molecule);
        disturb(&molecule, 0);
        for (int64_t a = 0; a < molecule.n_atoms; a++)
            for (int i = 0; i < 3; i++)
                atoms[a].position[i] += 1e-3 * random_number();
        memcpy(before, atoms, sizeof before);
        check_ok(point_group_find(&molecule, POINT_GROUP_MOST_MOVED, &group, &moved));
        assert_int_equal(group.order, group_cases[c].make == make_line ? 2 : 1);
        assert_true(moved == 0);
        for (int64_t a = 0; a < molecule.n_atoms; a++)
            assert_memory_equal(atoms[a].position, before[a].position, sizeof before[a].position);
        point_group_fini(&group);
    }
}

/* Random errors about the bound: a group or none, never a part of one, and never moved too far. */
TEST(what_is_found_is_a_group)
{
    int n_found = 0, n_not = 0;
    for (int round = 0; round < 600; round++) {
        struct atom atoms[MAX_ATOMS];
        struct molecule molecule = {.atoms = atoms};
        struct point_group group;
        double moved;
        (round % 2 ? make_ammonia : make_twisted_rings)(&molecule);
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

/* If centres may not move, operations must map centres onto centres to rounding. Water with an atom
 * out of place by more keeps the plane alone, whose reflection moves nothing. */
TEST(centres_stay_where_they_may_not_move)
{
    for (size_t c = 0; c < sizeof group_cases / sizeof *group_cases; c++) {
        struct atom atoms[MAX_ATOMS], before[MAX_ATOMS];
        struct molecule molecule = {.atoms = atoms};
        struct point_group group;
        double moved;
        group_cases[c].make(&molecule);
        disturb(&molecule, 0);
        memcpy(before, atoms, sizeof before);
        check_ok(point_group_find(&molecule, 0, &group, &moved));
        assert_int_equal(group.order, group_cases[c].order);
        assert_true(moved == 0);
        assert_memory_equal(atoms, before, (size_t)molecule.n_atoms * sizeof *atoms);
        point_group_fini(&group);
    }
}

/* A molecule that has a larger group roughly has the smaller one exactly: without leave to move centres so
 * far, that is used. */
TEST(exact_operations_are_left_of_rough_ones)
{
    struct atom atoms[MAX_ATOMS];
    struct molecule molecule = {.atoms = atoms};
    struct point_group group;
    double moved;
    make_ammonia(&molecule); /* atoms 2 and 3 are images of each other */
    atoms[2].position[0] += 3e-7;
    atoms[3].position[0] += 3e-7;
    check_ok(point_group_find(&molecule, POINT_GROUP_LEAST_MOVED, &group, &moved));
    assert_int_equal(group.order, 2);
    assert_string_equal(group.name, "Cs");
    assert_true(moved < POINT_GROUP_TOLERANCE);
    point_group_fini(&group);
    check_ok(point_group_find(&molecule, POINT_GROUP_MOST_MOVED, &group, &moved));
    assert_int_equal(group.order, 6);
    point_group_fini(&group);
}

/* Plain ghosts at one place cannot be told apart. */
TEST(centres_at_one_place_have_no_group)
{
    struct atom atoms[MAX_ATOMS];
    struct molecule molecule = {.atoms = atoms};
    struct point_group group;
    double moved;
    make_ammonia(&molecule);
    for (int i = 0; i < 2; i++) {
        add_atom(&molecule, 0, 0, 0, 3);
        atoms[molecule.n_atoms - 1].ghost = true;
    }
    check_ok(point_group_find(&molecule, POINT_GROUP_MOST_MOVED, &group, &moved));
    assert_int_equal(group.order, 1);
    point_group_fini(&group);
}
