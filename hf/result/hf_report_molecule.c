/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 300, MARGIN = 8, MAX_ATOMS = 2000 };

/* 1 Angstrom in Bohr, and the longest bond as a multiple of the sum of two covalent radii. */
#define BOHR_OF_ANGSTROM 1.8897261246
#define LONGEST_BOND     1.3

/* Covalent radii in Angstrom (Cordero et al. 2008), and colours. Other elements are as the last. */
static const struct kind {
    const char *symbol;
    double radius;
    int colour;
} kinds[] = {{"H", 0.31, 2},  {"C", 0.76, 6},  {"N", 0.71, 0},  {"O", 0.66, 3},
             {"F", 0.57, 4},  {"Cl", 1.02, 4}, {"S", 1.05, 1},  {"P", 1.07, 1},
             {"B", 0.84, 5},  {"Be", 0.96, 5}, {"Li", 1.28, 5}, {"Na", 1.66, 5},
             {"Mg", 1.41, 5}, {"He", 0.28, 5}, {"Si", 1.11, 5}, {"", 1.40, 5}};

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

struct picture_atom {
    const char *symbol;
    const struct kind *kind;
    double r[3]; /* Bohr, then x and y on the drawing, and towards the reader */
};

struct picture {
    struct picture_atom *atoms; /* n */
    int64_t n;
    double pixels; /* of a Bohr */
    int height;
};

static const struct kind *kind_of_element(const char *symbol)
{
    int k = 0;
    while (k < N_KINDS - 1 && strcmp(kinds[k].symbol, symbol) != 0)
        k++;
    return &kinds[k];
}

/* Atoms with a nucleus and a position. */
static void read_atoms(const json_t *molecule, size_t n, struct picture *picture)
{
    const json_t *symbols = json_object_get(molecule, "symbols");
    const json_t *real = json_object_get(molecule, "real");
    const json_t *geometry = json_object_get(molecule, "geometry");
    for (size_t i = 0; i < n; i++) {
        const char *symbol = json_string_value(json_array_get(symbols, i));
        struct picture_atom atom = {.symbol = symbol};
        bool placed = true;
        for (size_t x = 0; x < 3; x++) {
            const json_t *number = json_array_get(geometry, 3 * i + x);
            atom.r[x] = json_number_value(number);
            placed = placed && json_is_number(number) && fabs(atom.r[x]) < 1e6;
        }
        if (!symbol || !placed || json_is_false(json_array_get(real, i)))
            continue;
        atom.kind = kind_of_element(symbol);
        picture->atoms[picture->n++] = atom;
    }
}

/* --- the direction of view --- */

static double dot_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Makes v orthogonal to the unit vectors and of length 1; false if nothing is left. */
static bool make_orthonormal(double v[3], double axes[][3], int n_axes)
{
    for (int k = 0; k < n_axes; k++) {
        double along = dot_product(v, axes[k]);
        for (int x = 0; x < 3; x++)
            v[x] -= along * axes[k][x];
    }
    double length = sqrt(dot_product(v, v));
    for (int x = 0; x < 3 && length > 1e-6; x++)
        v[x] /= length;
    return length > 1e-6;
}

/* The direction, orthogonal to the axes, from the point to the atom farthest from it. */
static bool find_longest(const struct picture *picture, const double from[3], double axes[][3],
                         int n_axes, double direction[3])
{
    double longest = -1;
    for (int64_t i = 0; i < picture->n; i++) {
        double v[3], left;
        for (int x = 0; x < 3; x++)
            v[x] = picture->atoms[i].r[x] - from[x];
        left = dot_product(v, v);
        for (int k = 0; k < n_axes; k++)
            left -= pow(dot_product(v, axes[k]), 2);
        if (left > longest) {
            longest = left;
            memcpy(direction, v, sizeof v);
        }
    }
    return make_orthonormal(direction, axes, n_axes);
}

/* x across the largest distance, y across the largest that remains. */
static void find_view(const struct picture *picture, double axes[3][3])
{
    static const double units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double centre[3] = {0};
    for (int64_t i = 0; i < picture->n; i++)
        for (int x = 0; x < 3; x++)
            centre[x] += picture->atoms[i].r[x] / (double)picture->n;
    for (int k = 0; k < 3; k++) {
        bool found = k < 2 && find_longest(picture, centre, axes, k, axes[k]);
        for (int u = 0; u < 3 && !found; u++) {
            memcpy(axes[k], units[u], sizeof units[u]);
            found = make_orthonormal(axes[k], axes, k);
        }
    }
}

static int by_depth(const void *left, const void *right)
{
    double a = ((const struct picture_atom *)left)->r[2];
    double b = ((const struct picture_atom *)right)->r[2];
    return (a > b) - (a < b);
}

/* Bohr, on the drawing: half of the covalent one, so that bonds are seen. */
static double radius_of(const struct picture_atom *atom)
{
    return 0.5 * atom->kind->radius * BOHR_OF_ANGSTROM;
}

/* Replaces the positions by those on the drawing. */
static void project_atoms(struct picture *picture)
{
    double axes[3][3], low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    find_view(picture, axes);
    for (int64_t i = 0; i < picture->n; i++) {
        double r[3], radius = radius_of(&picture->atoms[i]);
        for (int k = 0; k < 3; k++)
            r[k] = dot_product(axes[k], picture->atoms[i].r);
        memcpy(picture->atoms[i].r, r, sizeof r);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], r[k] - radius);
            high[k] = fmax(high[k], r[k] + radius);
        }
    }
    const double size[2] = {WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN};
    picture->pixels = 70;
    for (int k = 0; k < 2; k++)
        picture->pixels = fmin(picture->pixels, size[k] / fmax(high[k] - low[k], 1));
    picture->height = 2 * MARGIN + (int)ceil(picture->pixels * (high[1] - low[1]));
    for (int64_t i = 0; i < picture->n; i++) {
        double *r = picture->atoms[i].r;
        r[0] = 0.5 * WIDTH + picture->pixels * (r[0] - (low[0] + high[0]) / 2);
        r[1] = 0.5 * picture->height - picture->pixels * (r[1] - (low[1] + high[1]) / 2);
        r[2] *= picture->pixels;
    }
    qsort(picture->atoms, (size_t)picture->n, sizeof *picture->atoms, by_depth);
}

/* --- drawing --- */

static void draw_bonds(FILE *page, const struct picture *picture)
{
    for (int64_t i = 0; i < picture->n; i++)
        for (int64_t j = 0; j < i; j++) {
            const struct picture_atom *a = &picture->atoms[i], *b = &picture->atoms[j];
            double longest = LONGEST_BOND * BOHR_OF_ANGSTROM * (a->kind->radius + b->kind->radius) *
                             picture->pixels;
            double d[3] = {a->r[0] - b->r[0], a->r[1] - b->r[1], a->r[2] - b->r[2]};
            if (dot_product(d, d) < longest * longest)
                fprintf(page, "<path class=\"bond\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", a->r[0],
                        a->r[1], b->r[0], b->r[1]);
        }
}

static void draw_atoms(FILE *page, const struct picture *picture)
{
    for (int64_t i = 0; i < picture->n; i++) {
        const struct picture_atom *atom = &picture->atoms[i];
        double radius = fmax(radius_of(atom) * picture->pixels, 2);
        fprintf(page, "<circle class=\"atom k%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>",
                atom->kind->colour, atom->r[0], atom->r[1], radius);
        html_text(page, atom->symbol);
        fputs("</title></circle>\n", page);
    }
}

/* A symbol for each colour in use, the first one met. */
static void list_symbols(const struct picture *picture, struct svg_chart *chart)
{
    for (int64_t i = 0; i < picture->n && chart->n_series < SVG_MAX_SERIES; i++) {
        const struct picture_atom *atom = &picture->atoms[i];
        int s = 0;
        while (s < chart->n_series && strcmp(chart->series[s].name, atom->symbol) != 0)
            s++;
        if (s == chart->n_series)
            chart->series[chart->n_series++] =
                (struct svg_series){.name = atom->symbol, .colour = atom->kind->colour};
    }
}

enum status hf_report_molecule(FILE *page, const struct report_run *run)
{
    const json_t *molecule = json_object_get(run->result, "molecule");
    size_t n = json_array_size(json_object_get(molecule, "symbols"));
    if (n == 0 || n > MAX_ATOMS)
        return STATUS_OK;
    struct picture picture = {.atoms = calloc(n, sizeof *picture.atoms)};
    TRY(CHECK_MEMORY(picture.atoms, "no memory for a picture of %zu atoms", n));
    read_atoms(molecule, n, &picture);
    if (picture.n > 0) {
        project_atoms(&picture);
        struct svg_chart chart = {.id = "molecule", .title = "The molecule"};
        list_symbols(&picture, &chart);
        svg_start(page, &chart, WIDTH, picture.height);
        draw_bonds(page, &picture);
        draw_atoms(page, &picture);
        svg_end(page);
    }
    free(picture.atoms);
    return STATUS_OK;
}
