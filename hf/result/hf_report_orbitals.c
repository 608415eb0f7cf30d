/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_report.h"

#include <math.h>

/* 1 hartree in eV, CODATA 2018. */
#define HARTREE_IN_EV 27.211386245988

enum {
    DIAGRAM_WIDTH = 640,
    DIAGRAM_HEIGHT = 420,
    LEFT = 92,
    TOP = 30,
    BOTTOM = 384,
    MAX_TICKS = 8
};
enum { LEVEL_WIDTH = 120, LEVEL_GAP = 4 };

/* Hartree shown below the highest occupied and above the lowest virtual orbital. */
#define WINDOW_BELOW 1.6
#define WINDOW_ABOVE 0.8

/* Pixels within which levels are drawn side by side. */
#define SAME_LEVEL 2.0

/* The orbital energies of a spin (0 alpha, 1 beta), n_occupied of them occupied; NULL if there are
 * none. */
static const json_t *orbital_energies(const struct report_run *run, int spin, int64_t *n_occupied)
{
    const json_t *energies = json_array_get(report_figure(run, "orbital_energies"), (size_t)spin);
    double n = report_real(json_object_get(run->result, "properties"),
                           spin == 0 ? "calcinfo_nalpha" : "calcinfo_nbeta");
    if (json_array_size(energies) == 0 || !(n >= 0 && n <= (double)json_array_size(energies)))
        return NULL;
    *n_occupied = (int64_t)n;
    return energies;
}

/* --- the gap --- */

/* Energy of the lowest virtual orbital minus that of the highest occupied one,
 * hartree; NAN if not known. */
static double gap_of(const struct report_run *run, int spin)
{
    int64_t n;
    const json_t *energies = orbital_energies(run, spin, &n);
    if (!energies || n == 0 || n == (int64_t)json_array_size(energies))
        return NAN;
    return json_number_value(json_array_get(energies, (size_t)n)) -
           json_number_value(json_array_get(energies, (size_t)n - 1));
}

void hf_report_orbital_gaps(FILE *page, const struct report_run *run)
{
    bool both = json_array_size(report_figure(run, "orbital_energies")) > 1;
    for (int spin = 0; spin < 2; spin++) {
        double gap = gap_of(run, spin);
        if (isnan(gap))
            continue;
        html_row_start(page, !both ? "Orbital gap" : spin == 0 ? "Gap, alpha" : "Gap, beta");
        html_number(page, gap, 6);
        fputs(HTML_NO_BREAK "hartree =" HTML_NO_BREAK, page);
        html_number(page, gap * HARTREE_IN_EV, 3);
        fputs(HTML_NO_BREAK "eV", page);
        html_row_end(page);
    }
}

/* --- the ladder --- */

struct ladder {
    int n_spins;
    const json_t *energies[2];
    int64_t n_occupied[2];
    struct axis axis;
};

static double energy_of(const struct ladder *ladder, int spin, int64_t k)
{
    return json_number_value(json_array_get(ladder->energies[spin], (size_t)k));
}

static int64_t n_orbitals(const struct ladder *ladder, int spin)
{
    return (int64_t)json_array_size(ladder->energies[spin]);
}

/* The window holds HOMO and LUMO of both spins and what is near them. */
static void find_window(const struct ladder *ladder, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int spin = 0; spin < ladder->n_spins; spin++) {
        int64_t n = n_orbitals(ladder, spin), n_occupied = ladder->n_occupied[spin];
        double homo = energy_of(ladder, spin, n_occupied > 0 ? n_occupied - 1 : 0);
        double lumo = energy_of(ladder, spin, n_occupied < n ? n_occupied : n - 1);
        *low = fmin(*low, fmin(homo, lumo) - WINDOW_BELOW);
        *high = fmax(*high, fmax(homo, lumo) + WINDOW_ABOVE);
    }
}

/* An axis no longer than the levels within the window need. */
static void choose_axis(struct ladder *ladder)
{
    double low, high, lowest = INFINITY, highest = -INFINITY;
    find_window(ladder, &low, &high);
    for (int spin = 0; spin < ladder->n_spins; spin++)
        for (int64_t k = 0; k < n_orbitals(ladder, spin); k++) {
            double energy = energy_of(ladder, spin, k);
            if (energy < low || energy > high)
                continue;
            lowest = fmin(lowest, energy);
            highest = fmax(highest, energy);
        }
    ladder->axis = axis_linear(lowest, highest, MAX_TICKS);
    ladder->axis.from = BOTTOM;
    ladder->axis.to = TOP;
}

static bool is_shown(const struct ladder *ladder, double energy)
{
    return energy >= ladder->axis.low && energy <= ladder->axis.high;
}

/* Orbitals k ... last - 1 lie at one height. */
static int64_t end_of_level(const struct ladder *ladder, int spin, int64_t k)
{
    bool occupied = k < ladder->n_occupied[spin];
    int64_t end = occupied ? ladder->n_occupied[spin] : n_orbitals(ladder, spin), last = k + 1;
    double y = axis_place(&ladder->axis, energy_of(ladder, spin, k));
    while (last < end &&
           fabs(axis_place(&ladder->axis, energy_of(ladder, spin, last)) - y) < SAME_LEVEL)
        last++;
    return last;
}

static double column_centre(const struct ladder *ladder, int spin)
{
    return LEFT + (DIAGRAM_WIDTH - LEFT) * (spin + 0.38) / ladder->n_spins;
}

static void draw_level(FILE *page, const struct ladder *ladder, int spin, int64_t k, int64_t last)
{
    double n = (double)(last - k), gap = n > 10 ? 0 : LEVEL_GAP;
    double width = (LEVEL_WIDTH - gap * (n - 1)) / n;
    double left = column_centre(ladder, spin) - 0.5 * LEVEL_WIDTH;
    for (int64_t i = k; i < last; i++) {
        double energy = energy_of(ladder, spin, i), y = axis_place(&ladder->axis, energy);
        fprintf(page,
                "<rect class=\"k%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"2.5\">"
                "<title>%lld: %.6f hartree</title></rect>\n",
                i < ladder->n_occupied[spin] ? 0 : 3, left + (double)(i - k) * (width + gap),
                y - 1.25, width, (long long)i + 1, energy);
    }
}

/* The upper label stands above its level, the lower one below, so that they do
 * not meet however small the gap. */
static void draw_edge(FILE *page, const struct ladder *ladder, int spin, int64_t k, bool upper,
                      const char *name)
{
    char text[64];
    double energy = energy_of(ladder, spin, k), y = axis_place(&ladder->axis, energy);
    snprintf(text, sizeof text, "%s %s%.4f", name, energy < 0 ? "\u2212" : "", fabs(energy));
    svg_text(page, column_centre(ladder, spin) + 0.5 * LEVEL_WIDTH + 8, upper ? y - 1 : y + 9,
             "class=\"figure\"", text);
}

static void draw_spin_levels(FILE *page, const struct ladder *ladder, int spin)
{
    int64_t n = n_orbitals(ladder, spin), n_occupied = ladder->n_occupied[spin];
    if (ladder->n_spins == 2)
        svg_text(page, column_centre(ladder, spin), TOP - 14, "text-anchor=\"middle\"",
                 spin == 0 ? "alpha" : "beta");
    for (int64_t k = 0, last; k < n; k = last) {
        last = end_of_level(ladder, spin, k);
        if (is_shown(ladder, energy_of(ladder, spin, k)))
            draw_level(page, ladder, spin, k, last);
    }
    bool crossed = n_occupied > 0 && n_occupied < n &&
                   energy_of(ladder, spin, n_occupied) < energy_of(ladder, spin, n_occupied - 1);
    if (n_occupied > 0)
        draw_edge(page, ladder, spin, n_occupied - 1, crossed, "HOMO");
    if (n_occupied < n)
        draw_edge(page, ladder, spin, n_occupied, !crossed, "LUMO");
}

/* A line with the numbers of levels outside the chart. */
static void draw_note(FILE *page, const struct ladder *ladder)
{
    int64_t n_below = 0, n_above = 0;
    for (int spin = 0; spin < ladder->n_spins; spin++)
        for (int64_t k = 0; k < n_orbitals(ladder, spin); k++) {
            n_below += energy_of(ladder, spin, k) < ladder->axis.low;
            n_above += energy_of(ladder, spin, k) > ladder->axis.high;
        }
    char text[128];
    snprintf(text, sizeof text, "orbitals not shown: %lld below, %lld above", (long long)n_below,
             (long long)n_above);
    if (n_below + n_above > 0)
        svg_text(page, 0.5 * (LEFT + DIAGRAM_WIDTH), DIAGRAM_HEIGHT - 8,
                 "class=\"title\" text-anchor=\"middle\"", text);
}

enum status hf_report_orbital_ladder(FILE *page, const struct report_run *run)
{
    struct ladder ladder = {0};
    for (int spin = 0; spin < 2; spin++) {
        int64_t n_occupied;
        const json_t *energies = orbital_energies(run, spin, &n_occupied);
        if (!energies)
            break;
        ladder.energies[spin] = energies;
        ladder.n_occupied[spin] = n_occupied;
        ladder.n_spins++;
    }
    if (ladder.n_spins == 0)
        return STATUS_OK;
    choose_axis(&ladder);
    struct svg_chart chart = {
        .id = "orbitals",
        .title = "Orbital energies",
        .value_title = "hartree",
        .n_series = 2,
        .series = {{.name = "occupied", .colour = 0}, {.name = "virtual", .colour = 3}},
    };
    svg_start(page, &chart, DIAGRAM_WIDTH, DIAGRAM_HEIGHT);
    svg_vertical_axis(page, &ladder.axis, LEFT, DIAGRAM_WIDTH - 12, chart.value_title);
    for (int spin = 0; spin < ladder.n_spins; spin++)
        draw_spin_levels(page, &ladder, spin);
    draw_note(page, &ladder);
    svg_end(page);
    return STATUS_OK;
}
