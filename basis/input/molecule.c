/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/molecule.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char element_symbols[MAX_ATOMIC_NUMBER + 1][3] = {
    "Bq", "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si",
    "P",  "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu",
    "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru",
    "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr",
    "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",
    "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra", "Ac",
    "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr", "Rf",
    "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

const char *element_symbol(int element)
{
    assert(element >= 0 && element <= MAX_ATOMIC_NUMBER);
    return element_symbols[element];
}

int element_number(const char *symbol, size_t length)
{
    for (int element = 0; element <= MAX_ATOMIC_NUMBER; element++)
        if (strlen(element_symbols[element]) == length &&
            strncasecmp(element_symbols[element], symbol, length) == 0)
            return element;
    return -1;
}

enum status molecule_copy(const struct molecule *molecule, struct molecule *copy)
{
    size_t size = (size_t)molecule->n_atoms * sizeof *molecule->atoms;
    struct atom *atoms = malloc(size);
    *copy = (struct molecule){0};
    TRY(CHECK_MEMORY(atoms, "no memory for %" PRId64 " centres", molecule->n_atoms));
    memcpy(atoms, molecule->atoms, size);
    *copy = *molecule;
    copy->atoms = atoms;
    return STATUS_OK;
}

void molecule_fini(struct molecule *molecule)
{
    free(molecule->atoms);
    *molecule = (struct molecule){0};
}

int64_t molecule_n_electrons(const struct molecule *molecule)
{
    int64_t n = -(int64_t)molecule->charge;
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        assert(molecule->atoms[a].ghost == (molecule->atoms[a].charge == 0));
        n += molecule->atoms[a].charge;
    }
    return n;
}

static double squared_distance(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

double molecule_nuclear_repulsion(const struct molecule *molecule)
{
    double energy = 0;
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        const struct atom *A = &molecule->atoms[a];
        if (A->charge == 0)
            continue;
        for (int64_t b = 0; b < a; b++) {
            const struct atom *B = &molecule->atoms[b];
            if (B->charge != 0)
                energy += (double)A->charge * B->charge /
                          sqrt(squared_distance(A->position, B->position));
        }
    }
    return energy;
}

static enum status check_electrons(const struct molecule *molecule, const char *name)
{
    int64_t n = molecule_n_electrons(molecule);
    if (n <= 0)
        return FAIL(STATUS_INPUT,
                    "%s: with charge %d there are no electrons (the nuclear charges add up to "
                    "%" PRId64 ")",
                    name, molecule->charge, n + molecule->charge);
    if (molecule->multiplicity < 1)
        return FAIL(STATUS_INPUT, "%s: multiplicity %d, but 2S+1 is at least 1", name,
                    molecule->multiplicity);
    int64_t unpaired = molecule->multiplicity - 1;
    if (unpaired > n)
        return FAIL(STATUS_INPUT,
                    "%s: multiplicity %d needs %" PRId64 " unpaired electrons, there are %" PRId64,
                    name, molecule->multiplicity, unpaired, n);
    if ((n - unpaired) % 2 != 0)
        return FAIL(STATUS_INPUT,
                    "%s: charge %d and multiplicity %d do not fit: %" PRId64
                    " electron%s an %s multiplicity (%s)",
                    name, molecule->charge, molecule->multiplicity, n, n == 1 ? " needs" : "s need",
                    n % 2 ? "even" : "odd", n % 2 ? "2, 4, ..." : "1, 3, ...");
    return STATUS_OK;
}

/* Closer centres than this many Bohr are taken for a mistake. */
static const double min_distance = 1e-3;

/* A centre in a grid of cubes. Centres that are too close lie in the same cube or neighbouring
 * ones: edges of twice the least distance leave room for rounding. */
struct gridded_centre {
    int64_t cell[3];
    int64_t atom;
};

static int compare_cells(const void *a, const void *b)
{
    const struct gridded_centre *left = a, *right = b;
    for (int d = 0; d < 3; d++)
        if (left->cell[d] != right->cell[d])
            return left->cell[d] < right->cell[d] ? -1 : 1;
    return 0;
}

static struct gridded_centre grid_centre(const struct molecule *molecule, int64_t atom)
{
    struct gridded_centre centre = {.atom = atom};
    for (int d = 0; d < 3; d++)
        centre.cell[d] = (int64_t)floor(molecule->atoms[atom].position[d] / (2 * min_distance));
    return centre;
}

static bool is_plain_ghost(const struct atom *atom)
{
    return atom->element == 0;
}

/* The first of n sorted centres whose cell is not before this one. */
static int64_t find_cell(int64_t n, const struct gridded_centre centres[],
                         const struct gridded_centre *wanted)
{
    int64_t first = 0;
    while (n > 0) {
        int64_t half = n / 2;
        bool before = compare_cells(&centres[first + half], wanted) < 0;
        first += before ? half + 1 : 0;
        n = before ? n - half - 1 : half;
    }
    return first;
}

/* A centre among n sorted ones that is too close to this one; -1: none. */
static int64_t find_close_centre(const struct molecule *molecule, int64_t n,
                                 const struct gridded_centre centres[], int64_t atom)
{
    const struct gridded_centre own = grid_centre(molecule, atom);
    const double *r = molecule->atoms[atom].position;
    for (int column = 0; column < 9; column++) {
        int64_t x = own.cell[0] + column / 3 - 1, y = own.cell[1] + column % 3 - 1;
        const struct gridded_centre lowest = {.cell = {x, y, own.cell[2] - 1}};
        const struct gridded_centre highest = {.cell = {x, y, own.cell[2] + 1}};
        for (int64_t i = find_cell(n, centres, &lowest);
             i < n && compare_cells(&centres[i], &highest) <= 0; i++) {
            int64_t other = centres[i].atom;
            if (other != atom &&
                squared_distance(r, molecule->atoms[other].position) < min_distance * min_distance)
                return other;
        }
    }
    return -1;
}

static enum status fail_close(const struct molecule *molecule, const char *name, int64_t a,
                              int64_t b)
{
    int64_t first = a < b ? a : b, second = a < b ? b : a;
    const struct atom *A = &molecule->atoms[first], *B = &molecule->atoms[second];
    return FAIL(STATUS_INPUT,
                "%s: centres %" PRId64 " (%s) and %" PRId64 " (%s) are at the same "
                "place (%.1e Bohr apart, at least %.0e is needed)",
                name, first + 1, element_symbol(A->element), second + 1, element_symbol(B->element),
                sqrt(squared_distance(A->position, B->position)), min_distance);
}

/* Checks all centres but plain ghosts first, so that cells hold few; plain ghosts may coincide with
 * each other and are compared with the others alone. */
static enum status check_distances(const struct molecule *molecule, const char *name)
{
    int64_t n = 0, close = -1;
    struct gridded_centre *centres = malloc((size_t)molecule->n_atoms * sizeof *centres);
    TRY(CHECK_MEMORY(centres, "%s: no memory to compare its centres", name));
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        if (!is_plain_ghost(&molecule->atoms[a]))
            centres[n++] = grid_centre(molecule, a);
    qsort(centres, (size_t)n, sizeof *centres, compare_cells);
    enum status status = STATUS_OK;
    for (int ghosts = 0; ghosts <= 1; ghosts++)
        for (int64_t a = 0; a < molecule->n_atoms && status == STATUS_OK; a++) {
            if (is_plain_ghost(&molecule->atoms[a]) == (ghosts == 1))
                close = find_close_centre(molecule, n, centres, a);
            if (close >= 0)
                status = fail_close(molecule, name, a, close);
        }
    free(centres);
    return status;
}

enum status molecule_check(const struct molecule *molecule, const char *name)
{
    TRY(check_electrons(molecule, name));
    return check_distances(molecule, name);
}

enum status molecule_add_displaced_ghosts(struct molecule *molecule, double distance)
{
    int64_t n_nuclei = 0;
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        n_nuclei += !molecule->atoms[a].ghost;
    int64_t n = molecule->n_atoms + 6 * n_nuclei;
    struct atom *atoms = malloc((size_t)n * sizeof *atoms);
    TRY(CHECK_MEMORY(atoms, "no memory for %" PRId64 " centres", n));

    struct atom *next = atoms;
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        const struct atom *nucleus = &molecule->atoms[a];
        *next++ = *nucleus;
        for (int side = 0; side < 6 && !nucleus->ghost; side++) {
            struct atom ghost = atom_of_element(0, true);
            memcpy(ghost.position, nucleus->position, sizeof ghost.position);
            ghost.position[side / 2] += side % 2 == 0 ? distance : -distance;
            *next++ = ghost;
        }
    }
    free(molecule->atoms);
    molecule->atoms = atoms;
    molecule->n_atoms = n;
    return STATUS_OK;
}
