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

void molecule_fini(struct molecule *molecule)
{
    free(molecule->atoms);
    *molecule = (struct molecule){0};
}

int64_t molecule_n_electrons(const struct molecule *molecule)
{
    int64_t n = -(int64_t)molecule->charge;
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        if (!molecule->atoms[a].ghost)
            n += molecule->atoms[a].element;
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
        if (A->ghost)
            continue;
        for (int64_t b = 0; b < a; b++) {
            const struct atom *B = &molecule->atoms[b];
            if (!B->ghost)
                energy += (double)A->element * B->element /
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

struct projection {
    double along; /* Bohr */
    int64_t atom;
};

static int compare_projections(const void *a, const void *b)
{
    double x = ((const struct projection *)a)->along;
    double y = ((const struct projection *)b)->along;
    return (x > y) - (x < y);
}

static bool both_plain_ghosts(const struct atom *a, const struct atom *b)
{
    return a->element == 0 && b->element == 0;
}

static enum status check_distances(const struct molecule *molecule, const char *name)
{
    /* Centres near each other are near in every projection, and in this one,
     * along no direction that a lattice or a plane of a molecule has, few others are. */
    static const double direction[3] = {0.4384, 0.5651, 0.6989};
    int64_t n = molecule->n_atoms;
    struct projection *order = malloc((size_t)n * sizeof *order);
    TRY(CHECK_MEMORY(order, "%s: no memory to compare its centres", name));
    for (int64_t a = 0; a < n; a++) {
        const double *r = molecule->atoms[a].position;
        order[a].along = direction[0] * r[0] + direction[1] * r[1] + direction[2] * r[2];
        order[a].atom = a;
    }
    qsort(order, (size_t)n, sizeof *order, compare_projections);

    enum status status = STATUS_OK;
    for (int64_t i = 0; i < n && status == STATUS_OK; i++)
        for (int64_t j = i + 1; j < n && order[j].along - order[i].along < min_distance; j++) {
            const struct atom *A = &molecule->atoms[order[i].atom];
            const struct atom *B = &molecule->atoms[order[j].atom];
            double r2 = squared_distance(A->position, B->position);
            if (r2 >= min_distance * min_distance || both_plain_ghosts(A, B))
                continue;
            int64_t first = order[i].atom < order[j].atom ? order[i].atom : order[j].atom;
            int64_t second = order[i].atom + order[j].atom - first;
            status =
                FAIL(STATUS_INPUT,
                     "%s: centres %" PRId64 " (%s) and %" PRId64 " (%s) are at the same "
                     "place (%.1e Bohr apart, at least %.0e is needed)",
                     name, first + 1, element_symbol(molecule->atoms[first].element), second + 1,
                     element_symbol(molecule->atoms[second].element), sqrt(r2), min_distance);
            break;
        }
    free(order);
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
            struct atom ghost = {.element = 0, .ghost = true};
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
