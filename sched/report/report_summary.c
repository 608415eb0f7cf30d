#include "sched/report/report_summary.h"

#include "sched/report/html_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 1 hartree in eV and 1 e Bohr in Debye, CODATA 2018. */
#define HARTREE_IN_EV   27.211386245988
#define E_BOHR_IN_DEBYE 2.541746473

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

void report_formula(FILE *page, const struct report_run *run)
{
    const json_t *molecule = json_object_get(run->result, "molecule");
    size_t n_centres = json_array_size(json_object_get(molecule, "symbols"));
    const char **symbols = malloc((n_centres + 1) * sizeof *symbols);
    size_t n = symbols ? read_symbols(molecule, symbols) : 0;
    if (n == 0)
        html_text(page, report_text(run->shared, "workload"));
    else
        qsort(symbols, n, sizeof *symbols, by_hill);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && strcmp(symbols[next], symbols[i]) == 0;)
            next++;
        html_text(page, symbols[i]);
        if (next - i > 1)
            fprintf(page, "<sub>%zu</sub>", next - i);
    }
    free(symbols);
}

const json_t *report_orbital_energies(const struct report_run *run, int spin, int64_t *n_occupied)
{
    const json_t *energies = json_array_get(report_figure(run, "orbital_energies"), (size_t)spin);
    double n = report_real(json_object_get(run->result, "properties"),
                           spin == 0 ? "calcinfo_nalpha" : "calcinfo_nbeta");
    if (json_array_size(energies) == 0 || !(n >= 0 && n <= (double)json_array_size(energies)))
        return NULL;
    *n_occupied = (int64_t)n;
    return energies;
}

double report_gap(const struct report_run *run, int spin)
{
    int64_t n;
    const json_t *energies = report_orbital_energies(run, spin, &n);
    if (!energies || n == 0 || n == (int64_t)json_array_size(energies))
        return NAN;
    return json_number_value(json_array_get(energies, (size_t)n)) -
           json_number_value(json_array_get(energies, (size_t)n - 1));
}

static void start_row(FILE *page, const char *heading)
{
    fprintf(page, "<tr><th scope=\"row\">%s</th><td>", heading);
}

static void end_row(FILE *page)
{
    fputs("</td></tr>\n", page);
}

static void text_row(FILE *page, const char *heading, const char *text)
{
    if (!text)
        return;
    start_row(page, heading);
    html_text(page, text);
    end_row(page);
}

static void number_row(FILE *page, const char *heading, double number, int decimals,
                       const char *unit)
{
    if (isnan(number))
        return;
    start_row(page, heading);
    html_number(page, number, decimals);
    fprintf(page, " %s", unit);
    end_row(page);
}

static void molecule_rows(FILE *page, const struct report_run *run)
{
    const json_t *molecule = json_object_get(run->result, "molecule");
    const json_t *model = json_object_get(run->result, "model");
    const json_t *properties = json_object_get(run->result, "properties");
    start_row(page, molecule ? "Molecule" : "Workload");
    report_formula(page, run);
    end_row(page);
    text_row(page, "Method", report_text(model, "method"));
    text_row(page, "Basis set", report_text(model, "basis"));
    number_row(page, "Basis functions", report_real(properties, "calcinfo_nbasis"), 0, "");
    number_row(page, "Charge", report_real(molecule, "molecular_charge"), 0, "e");
    number_row(page, "Multiplicity", report_real(molecule, "molecular_multiplicity"), 0, "");
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
    start_row(page, "Dipole");
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
    end_row(page);
}

static void gap_rows(FILE *page, const struct report_run *run)
{
    bool both = json_array_size(report_figure(run, "orbital_energies")) > 1;
    for (int spin = 0; spin < 2; spin++) {
        double gap = report_gap(run, spin);
        if (isnan(gap))
            continue;
        start_row(page, !both ? "Orbital gap" : spin == 0 ? "Gap, alpha" : "Gap, beta");
        html_number(page, gap, 6);
        fputs(" hartree = ", page);
        html_number(page, gap * HARTREE_IN_EV, 3);
        fputs(" eV", page);
        end_row(page);
    }
}

static void energy_rows(FILE *page, const struct report_run *run)
{
    const json_t *properties = json_object_get(run->result, "properties");
    number_row(page, "Total energy", report_real(run->result, "return_result"), 10, "hartree");
    number_row(page, "One-electron", report_real(properties, "scf_one_electron_energy"), 10,
               "hartree");
    number_row(page, "Two-electron", report_real(properties, "scf_two_electron_energy"), 10,
               "hartree");
    number_row(page, "Nuclear repulsion", report_real(properties, "nuclear_repulsion_energy"), 10,
               "hartree");
    dipole_row(page, json_object_get(properties, "scf_dipole_moment"));
    number_row(page, "&lt;S<sup>2</sup>&gt;", report_real(run->shared, "s2"), 6, "");
    gap_rows(page, run);
}

static void scheduling_rows(FILE *page, const struct report_run *run)
{
    const char *mode = json_string_value(report_figure(run, "sched"));
    text_row(page, "Scheduling mode", mode);
    number_row(page, "Workers", (double)run->workers, 0, "");
    const json_t *tasks = report_figure(run, "tasks"), *non_null = report_figure(run, "non_null");
    if (json_is_number(tasks))
        number_row(page, "Tasks", json_number_value(tasks), 0, "");
    if (json_is_number(non_null))
        number_row(page, "Tasks that are not null", json_number_value(non_null), 0, "");
    number_row(page, run->has_fock ? "Fock builds" : "Iterations", (double)run->n_iterations, 0,
               "");
    number_row(page, "Time of each, mean", run->means[report_seconds_column(run)], 4, "s");
    number_row(page, "Efficiency, mean", run->means[REPORT_EFFICIENCY], 1, "%");
    number_row(page, "Imbalance, mean", run->means[REPORT_IMBALANCE], 1, "%");
    number_row(page, "Peak memory", report_real(run->shared, "memory_peak_bytes") * 1e-6, 0,
               "MB in the largest process");
}

static void outcome(FILE *page, const struct report_run *run)
{
    const json_t *success = json_object_get(run->result, "success");
    const char *message = report_text(json_object_get(run->result, "error"), "error_message");
    if (json_is_false(success)) {
        fputs("<p class=\"failed\"><b>Failed</b>", page);
        fputs(message ? ": " : "", page);
        html_text(page, message);
        fputs("</p>\n", page);
    } else if (json_is_true(success))
        fputs("<p class=\"done\"><b>Completed</b></p>\n", page);
}

void report_summary(FILE *page, const struct report_run *run)
{
    outcome(page, run);
    fputs("<div class=\"cards\"><table>\n", page);
    molecule_rows(page, run);
    fputs("</table>\n", page);
    if (!isnan(report_real(run->result, "return_result"))) {
        fputs("<table>\n", page);
        energy_rows(page, run);
        fputs("</table>\n", page);
    }
    fputs("<table>\n", page);
    scheduling_rows(page, run);
    fputs("</table></div>\n", page);
}
