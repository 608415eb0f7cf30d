#include "hf/cli/hf_report.h"

#include "hf/cli/hf_report_molecule.h"
#include "hf/cli/hf_report_orbitals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 1 e Bohr in Debye, CODATA 2018. */
#define E_BOHR_IN_DEBYE 2.541746473

/* --- the formula --- */

static int by_hill(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    const char *const first[] = {"C", "H"};
    for (int i = 0; i < 2; i++)
        if ((strcmp(x, first[i]) == 0) != (strcmp(y, first[i]) == 0))
            return strcmp(x, first[i]) == 0 ? -1 : 1;
    return strcmp(x, y);
}

/* Symbols of the centres with a nucleus. */
static size_t read_symbols(const json_t *molecule, const char **symbols)
{
    const json_t *all = json_object_get(molecule, "symbols");
    const json_t *real = json_object_get(molecule, "real");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const char *symbol = json_string_value(json_array_get(all, i));
        if (symbol && !json_is_false(json_array_get(real, i)))
            symbols[n++] = symbol;
    }
    return n;
}

/* The molecule's formula in Hill's order. */
static bool write_hill_formula(FILE *page, const struct report_run *run)
{
    const json_t *molecule = json_object_get(run->result, "molecule");
    size_t n_centres = json_array_size(json_object_get(molecule, "symbols"));
    const char **symbols = malloc((n_centres + 1) * sizeof *symbols);
    size_t n = symbols ? read_symbols(molecule, symbols) : 0;
    if (n > 0)
        qsort(symbols, n, sizeof *symbols, by_hill);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && strcmp(symbols[next], symbols[i]) == 0;)
            next++;
        html_text(page, symbols[i]);
        if (next - i > 1)
            fprintf(page, "<sub>%zu</sub>", next - i);
    }
    free(symbols);
    return n > 0;
}

/* --- tables --- */

static void molecule_rows(FILE *page, const struct report_run *run)
{
    const json_t *molecule = json_object_get(run->result, "molecule");
    const json_t *model = json_object_get(run->result, "model");
    const json_t *properties = json_object_get(run->result, "properties");
    if (molecule) {
        html_row_start(page, "Molecule");
        write_hill_formula(page, run);
        html_row_end(page);
    }
    html_row_text(page, "Method", report_text(model, "method"));
    html_row_text(page, "Basis set", report_text(model, "basis"));
    html_row_text(page, "Density of the builds", report_text(run->shared, "density"));
    html_row_number(page, "Basis functions", report_real(properties, "calcinfo_nbasis"), 0, "");
    html_row_number(page, "Charge", report_real(molecule, "molecular_charge"), 0, "e");
    html_row_number(page, "Multiplicity", report_real(molecule, "molecular_multiplicity"), 0, "");
}

static void dipole_row(FILE *page, const json_t *dipole)
{
    double d[3];
    for (size_t x = 0; x < 3; x++) {
        if (!json_is_number(json_array_get(dipole, x)))
            return;
        d[x] = json_number_value(json_array_get(dipole, x));
    }
    double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    html_row_start(page, "Dipole");
    html_number(page, size, 6);
    fputs(" e Bohr = ", page);
    html_number(page, size * E_BOHR_IN_DEBYE, 4);
    fputs(" Debye<br><small>x ", page);
    html_number(page, d[0], 6);
    fputs(", y ", page);
    html_number(page, d[1], 6);
    fputs(", z ", page);
    html_number(page, d[2], 6);
    fputs("</small>", page);
    html_row_end(page);
}

/* A row for each space of determinants in which the SCF was tested. */
static void stability_rows(FILE *page, const struct report_run *run)
{
    static const char *const spaces[][2] = {{"real_rhf", "Lowest curvature among real RHF"},
                                            {"real_uhf", "Lowest curvature among real UHF"}};
    const json_t *stability = report_figure(run, "stability");
    for (int i = 0; i < 2; i++) {
        const json_t *entry = json_object_get(stability, spaces[i][0]);
        const json_t *stable = json_object_get(entry, "stable");
        const char *verdict = json_is_true(stable)    ? "hartree: a minimum"
                              : json_is_false(stable) ? "hartree: unstable"
                                                      : "hartree: not settled";
        html_row_number(page, spaces[i][1], report_real(entry, "lowest_curvature"), 6, verdict);
    }
    size_t n_saddles = json_array_size(report_figure(run, "saddle_points_left"));
    if (n_saddles > 0)
        html_row_number(page, "Saddle points left", (double)n_saddles, 0, "");
}

static void energy_rows(FILE *page, const struct report_run *run)
{
    const json_t *properties = json_object_get(run->result, "properties");
    html_row_number(page, "Total energy", report_real(run->result, "return_result"), 10, "hartree");
    html_row_number(page, "One-electron", report_real(properties, "scf_one_electron_energy"), 10,
                    "hartree");
    html_row_number(page, "Two-electron", report_real(properties, "scf_two_electron_energy"), 10,
                    "hartree");
    html_row_number(page, "Nuclear repulsion", report_real(properties, "nuclear_repulsion_energy"),
                    10, "hartree");
    dipole_row(page, json_object_get(properties, "scf_dipole_moment"));
    html_row_number(page, "&lt;S<sup>2</sup>&gt;", report_real(run->shared, "s2"), 6, "");
    stability_rows(page, run);
    hf_report_orbital_gaps(page, run);
}

static bool write_tables(FILE *page, const struct report_run *run)
{
    if (!json_object_get(run->result, "molecule") && !json_object_get(run->result, "model"))
        return false;
    fputs("<table>\n", page);
    molecule_rows(page, run);
    fputs("</table>\n", page);
    if (!isnan(report_real(run->result, "return_result"))) {
        fputs("<table>\n", page);
        energy_rows(page, run);
        fputs("</table>\n", page);
    }
    return true;
}

/* --- charts --- */

/* |change of the energy| and gradient of every k-th iteration, so that there are
 * at most REPORT_MAX_PLACES. */
static enum status draw_convergence(FILE *page, const struct report_run *run)
{
    const json_t *iterations = report_figure(run, "scf_iterations");
    int64_t n = (int64_t)json_array_size(iterations);
    int64_t every = (n + REPORT_MAX_PLACES - 1) / REPORT_MAX_PLACES;
    if (n == 0)
        return STATUS_OK;
    int64_t n_places = (n + every - 1) / every;
    double *change = malloc(2 * (size_t)n_places * sizeof *change), *gradient = change + n_places;
    TRY(CHECK_MEMORY(change, "no memory for the iterations of %s", run->name));
    for (int64_t place = 0; place < n_places; place++) {
        const json_t *now = json_array_get(iterations, (size_t)(place * every));
        const json_t *before = json_array_get(iterations, (size_t)(place * every - 1));
        change[place] = fabs(report_real(now, "energy") - report_real(before, "energy"));
        gradient[place] = report_real(now, "gradient");
    }
    struct svg_chart chart = {
        .id = "convergence",
        .title = "Convergence of the SCF",
        .place_title = "iteration",
        .value_title = "hartree",
        .n_places = n_places,
        .first_label = 1,
        .label_step = every,
        .n_series = 2,
        .series = {{.name = "|change of energy|", .values = change, .colour = 0},
                   {.name = "orbital gradient", .values = gradient, .colour = 3}},
        .logarithmic = true,
    };
    svg_lines(page, &chart);
    free(change);
    return STATUS_OK;
}

static enum status draw_first_charts(FILE *page, const struct report_run *run)
{
    TRY(hf_report_molecule(page, run));
    return draw_convergence(page, run);
}

/* --- the answer --- */

static void write_energy(FILE *page, const struct report_run *run)
{
    double energy = report_real(run->result, "return_result");
    if (isnan(energy))
        return;
    bool failed = json_is_false(json_object_get(run->result, "success"));
    fputs(failed ? "<b>Not converged</b>: the energy of " : "The energy of ", page);
    if (!write_hill_formula(page, run))
        fputs("the molecule", page);
    fputs(failed ? " in the last iteration was <b>" : " is <b>", page);
    html_number(page, energy, 8);
    fputs("</b> hartree (", page);
    html_text(page, report_text(json_object_get(run->result, "model"), "method"));
    fputs(", ", page);
    html_text(page, report_text(json_object_get(run->result, "model"), "basis"));
    fputs("). ", page);
}

const struct report_section hf_report = {.answer = write_energy,
                                         .name = write_hill_formula,
                                         .tables = write_tables,
                                         .first_charts = draw_first_charts,
                                         .last_charts = hf_report_orbital_ladder};
