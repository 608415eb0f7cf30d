/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_report.h"

#include "support/mpi/wall_time.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
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

/* --- energies --- */

/* Correlation energy of the method; NAN for Hartree-Fock. */
static double correlation_energy_of(const struct report_run *run)
{
    const char *method = report_text(json_object_get(run->result, "model"), "method");
    char key[64];
    snprintf(key, sizeof key, "%.32s_correlation_energy", method ? method : "");
    return report_real(json_object_get(run->result, "properties"), key);
}

static double scf_energy_of(const struct report_run *run)
{
    return report_real(json_object_get(run->result, "properties"), "scf_total_energy");
}

static bool is_correlated(const struct report_run *run)
{
    const char *routine = report_text(json_object_get(run->result, "provenance"), "routine");
    return routine && strcmp(routine, "beryl-tce") == 0;
}

static double total_energy_of(const struct report_run *run)
{
    return report_real(run->result, "return_result");
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

static void dipole_row(FILE *page, const char *heading, const json_t *dipole)
{
    double d[3];
    for (size_t x = 0; x < 3; x++) {
        if (!json_is_number(json_array_get(dipole, x)))
            return;
        d[x] = json_number_value(json_array_get(dipole, x));
    }
    double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    html_row_start(page, heading);
    html_number(page, size, 6);
    fputs(HTML_NO_BREAK "e" HTML_NO_BREAK "Bohr =" HTML_NO_BREAK, page);
    html_number(page, size * E_BOHR_IN_DEBYE, 4);
    fputs(HTML_NO_BREAK "Debye<br><small>x" HTML_NO_BREAK, page);
    html_number(page, d[0], 6);
    fputs(", y" HTML_NO_BREAK, page);
    html_number(page, d[1], 6);
    fputs(", z" HTML_NO_BREAK, page);
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
        const char *verdict = json_is_true(stable) ? "hartree: a" HTML_NO_BREAK
                                                     "local" HTML_NO_BREAK "minimum"
                              : json_is_false(stable) ? "hartree: unstable"
                                                      : "hartree: not" HTML_NO_BREAK "settled";
        html_row_number(page, spaces[i][1], report_real(entry, "lowest_curvature"), 6, verdict);
    }
    size_t n_saddles = json_array_size(report_figure(run, "saddle_points_left"));
    if (n_saddles > 0)
        html_row_number(page, "Saddle points left", (double)n_saddles, 0, "");
}

/* Contributions are indented, and add up to the energy above them. */
static void energy_row(FILE *page, int depth, const char *name, double energy)
{
    static const char *const starts[] = {"", "<span class=\"part\">",
                                         "<span class=\"part\"><span class=\"part\">"};
    static const char *const ends[] = {"", "</span>", "</span></span>"};
    char heading[96];
    snprintf(heading, sizeof heading, "%s%s%s", starts[depth], name, ends[depth]);
    html_row_number(page, heading, energy, 10, "hartree");
}

static void scf_part_rows(FILE *page, const struct report_run *run, int depth)
{
    const json_t *properties = json_object_get(run->result, "properties");
    energy_row(page, depth, "One-electron", report_real(properties, "scf_one_electron_energy"));
    energy_row(page, depth, "Two-electron", report_real(properties, "scf_two_electron_energy"));
    energy_row(page, depth, "Nuclear repulsion",
               report_real(properties, "nuclear_repulsion_energy"));
}

static void energy_rows(FILE *page, const struct report_run *run)
{
    const json_t *properties = json_object_get(run->result, "properties");
    bool correlated = is_correlated(run);
    energy_row(page, 0, "Total energy", total_energy_of(run));
    if (correlated)
        energy_row(page, 1, "Hartree-Fock", scf_energy_of(run));
    scf_part_rows(page, run, correlated ? 2 : 1);
    energy_row(page, 1, "Correlation", correlation_energy_of(run));
    dipole_row(page, correlated ? "Hartree-Fock dipole" : "Dipole",
               json_object_get(properties, "scf_dipole_moment"));
    html_row_number(page,
                    correlated ? "Hartree-Fock &lt;S<sup>2</sup>&gt;" : "&lt;S<sup>2</sup>&gt;",
                    report_real(run->shared, "s2"), 6, "");
    stability_rows(page, run);
    hf_report_orbital_gaps(page, run);
}

/* Seconds of the run by their use, and what fraction of the wall time they are. */
static void wall_rows(FILE *page, const struct report_run *run)
{
    const json_t *wall = report_figure(run, "wall_seconds");
    double total = report_real(wall, "total");
    html_row_number(page, "Wall time", total, 2, "s");
    for (int use = 0; use < WALL_USES; use++) {
        double seconds = report_real(wall, wall_use_name(use));
        char heading[64], unit[32];
        snprintf(heading, sizeof heading, "<span class=\"part\">%s</span>", wall_use_name(use));
        snprintf(unit, sizeof unit, "s, %.0f" HTML_NO_BREAK "%%",
                 total > 0 ? 100 * seconds / total : 0.0);
        html_row_number(page, heading, seconds, 2, unit);
    }
}

static bool write_tables(FILE *page, const struct report_run *run)
{
    if (!json_object_get(run->result, "molecule") && !json_object_get(run->result, "model"))
        return false;
    fputs("<table>\n", page);
    molecule_rows(page, run);
    fputs("</table>\n", page);
    if (!isnan(total_energy_of(run)) || !isnan(scf_energy_of(run))) {
        fputs("<table>\n", page);
        energy_rows(page, run);
        fputs("</table>\n", page);
    }
    if (report_figure(run, "wall_seconds")) {
        fputs("<table>\n", page);
        wall_rows(page, run);
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

/* In capitals, but that of a user's program as it is: the name of a file. */
static void write_method_name(FILE *page, const char *method)
{
    if (strpbrk(method, ".<>&\"'")) {
        html_text(page, method);
        return;
    }
    for (const char *letter = method; *letter != '\0'; letter++)
        fputc(toupper((unsigned char)*letter), page);
}

/* "The CCSD energy of H2O in cc-pvdz", where the words are "The ". */
static void write_energy_subject(FILE *page, const struct report_run *run, const char *words)
{
    const json_t *model = json_object_get(run->result, "model");
    const char *method = report_text(model, "method"), *basis = report_text(model, "basis");
    fputs(words, page);
    if (method)
        write_method_name(page, method);
    fputs(method ? " energy of " : "energy of ", page);
    if (!write_hill_formula(page, run))
        fputs("the molecule", page);
    fputs(basis ? " in " : "", page);
    html_text(page, basis);
}

/* ": Hartree-Fock -76.0, correlation -0.2", where the method is correlated. */
static void write_energy_parts(FILE *page, const struct report_run *run)
{
    if (!is_correlated(run) || isnan(scf_energy_of(run)))
        return;
    fputs(": Hartree-Fock ", page);
    html_number(page, scf_energy_of(run), 8);
    if (!isnan(correlation_energy_of(run))) {
        fputs(", correlation ", page);
        html_number(page, correlation_energy_of(run), 8);
    }
}

static void write_energy(FILE *page, const struct report_run *run)
{
    double energy = total_energy_of(run);
    bool failed = json_is_false(json_object_get(run->result, "success"));
    if (isnan(energy) && !failed)
        return; /* none was asked for */
    if (isnan(energy)) {
        write_energy_subject(page, run, "<b>Failed</b>: no ");
    } else {
        write_energy_subject(page, run, failed ? "<b>Not converged</b>: the " : "The ");
        fputs(failed ? " was <b>" : " is <b>", page);
        html_number(page, energy, 8);
        fputs(failed ? "</b> hartree in the last iteration" : "</b> hartree", page);
    }
    write_energy_parts(page, run);
    fputs(". ", page);
}

const struct report_section hf_report = {.answer = write_energy,
                                         .name = write_hill_formula,
                                         .tables = write_tables,
                                         .first_charts = draw_first_charts,
                                         .last_charts = hf_report_orbital_ladder};
