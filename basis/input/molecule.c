/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/molecule.h"

#include "basis/input/vector3.h"

#include <assert.h>
#include <ctype.h>
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
    static const char digits[] = "nubtqphso";
    bool systematic = length == 3 && strncasecmp(symbol, "Uu", 2) == 0;
    const char *digit = systematic ? strchr(digits, tolower((unsigned char)symbol[2])) : NULL;
    return digit && *digit ? 110 + (int)(digit - digits) : -1;
}

/* The marks of NWChem (BqO, XO), psi4 (@O, Gh(O)) and TeraChem (XO). */
bool ghost_mark_take(struct word *name)
{
    static const char *const marks[] = {"@", "Gh(", "Bq-", "Bq", "X"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t n = strlen(marks[i]), closed = marks[i][n - 1] == '(';
        if (name->length <= n + closed || strncasecmp(name->begin, marks[i], n) != 0 ||
            (closed && name->begin[name->length - 1] != ')'))
            continue;
        *name = (struct word){name->begin + n, name->length - n - closed};
        return true;
    }
    return false;
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

int64_t molecule_n_kinds(const struct molecule *molecule)
{
    int n_sets = 1;
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        if (molecule->atoms[a].basis >= n_sets)
            n_sets = molecule->atoms[a].basis + 1;
    return (int64_t)n_sets * (MAX_ATOMIC_NUMBER + 1);
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
    const char *unread = molecule->comment.unread.text;
    int64_t n = molecule_n_electrons(molecule);
    if (n <= 0)
        return FAIL(STATUS_INPUT,
                    "%s: with charge %d there are no electrons (the nuclear charges, less cores "
                    "that potentials replace, add up to %" PRId64 ")",
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
        return FAIL(
            STATUS_INPUT,
            "%s: charge %d and multiplicity %d do not fit: %" PRId64
            " electron%s an %s multiplicity (%s)%s%s%s",
            name, molecule->charge, molecule->multiplicity, n, n == 1 ? " needs" : "s need",
            n % 2 ? "even" : "odd", n % 2 ? "2, 4, ..." : "1, 3, ...", *unread ? "; '" : "", unread,
            *unread ? "' in the comment line is not read: write charge=Q multiplicity=M" : "");
    return STATUS_OK;
}

/* Closer centres than this many Bohr are taken for a mistake. */
static const double min_distance = 1e-3;

/* Compares all pairs of centres, as the nuclear repulsion does; plain ghosts may coincide. */
static enum status check_distances(const struct molecule *molecule, const char *name)
{
    for (int64_t b = 0; b < molecule->n_atoms; b++)
        for (int64_t a = 0; a < b; a++) {
            const struct atom *A = &molecule->atoms[a], *B = &molecule->atoms[b];
            double distance2 = squared_distance(A->position, B->position);
            if (distance2 >= min_distance * min_distance || (A->element == 0 && B->element == 0))
                continue;
            return FAIL(STATUS_INPUT,
                        "%s: centres %" PRId64 " (%s) and %" PRId64 " (%s) are at the same "
                        "place (%.1e Bohr apart, at least %.0e is needed)",
                        name, a + 1, element_symbol(A->element), b + 1, element_symbol(B->element),
                        sqrt(distance2), min_distance);
        }
    return STATUS_OK;
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
