/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report_parts.h"

#include <math.h>
#include <string.h>

/* A mode whose time is at least this fraction of another's is not called faster. */
#define LEAST_GAIN 0.9995

double report_ratio(const struct report_run *run, const struct report_run *reference)
{
    double ratio = report_real(json_object_get(run->figures, "ratio"), "value");
    return isnan(ratio) ? run->seconds.median / reference->seconds.median : ratio;
}

const char *report_verdict(const struct report_run *run)
{
    return report_text(json_object_get(run->figures, "ratio"), "verdict");
}

/* Whether rounds do not tell the run from the first, or its times overlap with those of best. */
static bool is_alike(const struct report_run *run, const struct report_run *best)
{
    const char *verdict = report_verdict(run);
    if (verdict)
        return strcmp(verdict, "not distinguishable") == 0;
    return run != best && run->seconds.least <= best->seconds.largest;
}

/* Whether the run is what no real one can be, by knowledge of all durations: a bound, or where data
 * or speeds matter that it does not know, a reference. */
static bool is_reference(const struct report_run *run)
{
    return json_is_true(json_object_get(run->figures, "bound")) ||
           json_is_true(json_object_get(run->figures, "reference"));
}

/* An end of the interval of the ratio to the first; NAN: there is none. */
static double ratio_bound(const struct report_run *run, size_t end)
{
    const json_t *interval = json_object_get(json_object_get(run->figures, "ratio"), "interval");
    return json_array_size(interval) == 2 ? json_number_value(json_array_get(interval, end)) : NAN;
}

/* Whether both are faster than the first, and it is not known which is the faster: the intervals of
 * their ratios to the first overlap. */
static bool is_rival(const struct report_run *run, const struct report_run *best)
{
    const char *verdict = report_verdict(run);
    return run != best && !is_reference(run) && verdict && strcmp(verdict, "faster") == 0 &&
           !(ratio_bound(run, 0) > ratio_bound(best, 1));
}

/* The mode of the lowest ratio, where rounds do not show what the table suggests: that it is faster
 * than the first mode, or where some are shown to be, than the best of these. NULL: there is
 * none. */
static const struct report_run *find_unproven(const struct report_run *runs, int64_t n,
                                              const struct report_run *best)
{
    const struct report_run *found = NULL;
    double least = best == runs ? LEAST_GAIN : report_ratio(best, runs);
    for (int64_t i = 1; i < n; i++) {
        double ratio = report_ratio(&runs[i], runs), high = ratio_bound(&runs[i], 1);
        if (is_reference(&runs[i]) || !is_alike(&runs[i], best) || !(ratio < least) ||
            !(best == runs ? high < 1 : isfinite(high)))
            continue;
        least = ratio;
        found = &runs[i];
    }
    return found;
}

const struct report_run *report_fastest(const struct report_run *runs, int64_t n)
{
    const struct report_run *best = runs;
    for (int64_t i = 0; i < n; i++) {
        const struct report_run *run = &runs[i];
        const char *verdict = report_verdict(run);
        bool proven = !verdict || strcmp(verdict, "faster") == 0;
        if (proven && !is_reference(run) &&
            (isnan(best->seconds.median) ||
             run->seconds.median < LEAST_GAIN * best->seconds.median))
            best = run;
    }
    return best;
}

/* --- one run --- */

/* Seconds below which no schedule of any iteration of the n runs can be, if all have a bound. */
static void write_lower_bound(FILE *page, const struct report_run *runs, int64_t n)
{
    const json_t *entry;
    double least = INFINITY;
    size_t i;
    for (int64_t r = 0; r < n; r++)
        json_array_foreach(json_object_get(runs[r].figures, "iterations"), i, entry)
        {
            double bound = report_real(entry, "lower_bound_seconds");
            if (isnan(bound))
                return;
            least = fmin(least, bound);
        }
    if (isfinite(least))
        html_print(page, " No schedule takes less than %s.",
                   html_seconds(least, runs->seconds.median).text);
}

static void write_run_answer(FILE *page, const struct report_run *run)
{
    const struct report_spread *seconds = &run->seconds;
    html_print(page, "%s of <b>%s</b> on %.0f %s took %s",
               run->has_fock ? "A Fock build" : "An iteration", report_mode_name(run),
               (double)run->workers, run->workers == 1 ? "worker" : "workers",
               html_seconds(seconds->median, seconds->median).text);
    if (run->n_iterations > 1 && seconds->largest - seconds->least < 1e-4 * seconds->median)
        html_print(page, " (all %lld alike)", (long long)run->n_iterations);
    else if (run->n_iterations > 1)
        html_print(page, " (median of %.0f, from %s to %s)", (double)run->n_iterations,
                   html_seconds(seconds->least, seconds->median).text,
                   html_seconds(seconds->largest, seconds->median).text);
    fputs(".", page);
    write_lower_bound(page, run, 1);
    report_loss(page, run);
}

/* --- a comparison --- */

/* The modes of a comparison, the first of them its reference; the fastest; and one that the table
 * has as faster, but rounds do not show to be. */
struct compared {
    const struct report_run *runs;
    int64_t n;
    double rounds;                            /* 0 where the modes ran once */
    const struct report_run *best, *unproven; /* unproven: or NULL */
};

/* A run and its reference. */
typedef bool (*run_relation)(const struct report_run *run, const struct report_run *best);

static int64_t count_related(const struct compared *compared, run_relation relation,
                             const struct report_run *best)
{
    int64_t n_related = 0;
    for (int64_t i = 0; i < compared->n; i++)
        n_related += relation(&compared->runs[i], best);
    return n_related;
}

/* "a, b and c" after a text; nothing if there are none. Returns whether there are any. */
static bool write_related(FILE *page, const struct compared *compared, run_relation relation,
                          const struct report_run *best, const char *before)
{
    int64_t n_related = count_related(compared, relation, best), k = 0;
    fputs(n_related > 0 ? before : "", page);
    for (int64_t i = 0; i < compared->n; i++)
        if (relation(&compared->runs[i], best)) {
            html_print(page, "%s%s",
                       k == 0               ? ""
                       : k == n_related - 1 ? " and "
                                            : ", ",
                       report_mode_name(&compared->runs[i]));
            k++;
        }
    return n_related > 0;
}

/* Whether the rounds can tell no two modes apart, with a sentence that says so. */
static bool write_too_few_rounds(FILE *page, const struct compared *compared)
{
    const json_t *comparison = json_object_get(compared->runs->shared, "comparison");
    double needed = report_real(comparison, "rounds_needed");
    if (!(compared->rounds < needed))
        return false;
    html_print(page, " %.0f rounds are too few to tell %s modes apart: take %.0f.",
               compared->rounds, html_count(compared->n).text, needed);
    return true;
}

/* "auto took 0.786 of the time of static (interval 0.758 to 0.808)". */
static void write_unproven(FILE *page, const struct compared *compared)
{
    const struct report_run *run = compared->unproven;
    html_print(page, "<b>%s</b> took %.3f of the time of %s (interval %.3f to %.3f)",
               report_mode_name(run), report_ratio(run, compared->runs),
               report_mode_name(compared->runs), ratio_bound(run, 0), ratio_bound(run, 1));
}

/* Modes whose times lie within those of the fastest: not distinguishable by these iterations.
 * Simulated ones repeat exactly. */
static void write_ties(FILE *page, const struct compared *compared)
{
    if (json_object_get(compared->best->shared, "machine"))
        return;
    if (count_related(compared, is_alike, compared->best) == compared->n - 1)
        fputs(" The times of all overlap, so this may be chance.", page);
    else if (write_related(page, compared, is_alike, compared->best, " The times of "))
        fputs(" overlap with its own.", page);
}

static void write_times(FILE *page, const struct compared *compared, const struct report_run *run)
{
    double scale = compared->runs->seconds.median, rounds = compared->rounds;
    fputs(html_seconds(run->seconds.median, scale).text, page);
    if (run != compared->runs)
        html_print(page, " against %s", html_seconds(scale, scale).text);
    html_print(page, " in %s", run->has_fock ? "a Fock build" : "an iteration");
    if (rounds > 1 || run->n_counted > 1)
        html_print(page, " (median of %.0f%s)", rounds > 0 ? rounds : (double)run->n_counted,
                   rounds > 0 ? " rounds" : "");
    fputs(".", page);
}

static void write_references(FILE *page, const struct compared *compared)
{
    for (int64_t i = 0; i < compared->n; i++) {
        const struct report_run *run = &compared->runs[i];
        double median = run->seconds.median;
        if (is_reference(run) && !isnan(median))
            html_print(page, " %s, which knows all durations beforehand, took %s.",
                       report_mode_name(run), html_seconds(median, median).text);
    }
}

static void write_no_faster(FILE *page, const struct compared *compared)
{
    html_print(page, "No mode %s faster than <b>%s</b>",
               compared->rounds > 0 ? "is shown to be" : "was", report_mode_name(compared->runs));
    if (compared->unproven) {
        fputs(", but ", page);
        write_unproven(page, compared);
    }
    fputs(": ", page);
    write_times(page, compared, compared->unproven ? compared->unproven : compared->runs);
}

static void write_fastest(FILE *page, const struct compared *compared)
{
    double ratio = 1 / report_ratio(compared->best, compared->runs);
    html_print(page, "<b>%s</b> was fastest%s, %.*f \u00d7 as fast as %s: ",
               report_mode_name(compared->best),
               compared->unproven ? " of the modes shown to be faster" : "",
               ratio < 1.095 ? 3
               : ratio < 10  ? 2
                             : 1,
               ratio, report_mode_name(compared->runs));
    write_times(page, compared, compared->best);
    if (compared->unproven) {
        fputs(" ", page);
        write_unproven(page, compared);
        fputs(".", page);
    }
}

/* How sure it is which modes are faster. */
static void write_certainty(FILE *page, const struct compared *compared)
{
    if (compared->rounds == 0) {
        write_ties(page, compared);
        return;
    }
    const char *base = report_mode_name(compared->runs);
    if (write_related(page, compared, is_rival, compared->best, " "))
        html_print(page, " may be as fast: the intervals of their ratios to %s overlap.", base);
    if (!write_too_few_rounds(page, compared) &&
        write_related(page, compared, is_alike, compared->runs, " "))
        html_print(page, " cannot be told from %s by %.0f rounds.", base, compared->rounds);
}

static void write_comparison_answer(FILE *page, const struct report_run *runs, int64_t n)
{
    const json_t *comparison = json_object_get(runs->shared, "comparison");
    struct compared compared = {
        .runs = runs,
        .n = n,
        .rounds = report_verdict(&runs[1]) ? report_real(comparison, "rounds") : 0,
        .best = report_fastest(runs, n)};
    if (compared.rounds > 0)
        compared.unproven = find_unproven(runs, n, compared.best);
    (compared.best == runs ? write_no_faster : write_fastest)(page, &compared);
    write_certainty(page, &compared);
    write_references(page, &compared);
    write_lower_bound(page, runs, compared.n);
    report_loss(page, runs);
    const struct report_run *other = compared.best == runs ? compared.unproven : compared.best;
    if (other)
        report_loss(page, other);
    if (json_is_true(json_object_get(comparison, "oversubscribed")))
        fputs(" There were more processes than cores: the times are the operating system\u2019s, "
              "too.",
              page);
}

/* Where there are too many runs for a sentence on each: the fastest and the slowest. */
void report_range(FILE *page, const struct report_runs *runs)
{
    const struct report_run *least = NULL, *largest = NULL;
    for (int64_t i = 0; i < runs->n; i++) {
        const struct report_run *run = &runs->runs[i];
        if (isnan(run->seconds.median))
            continue;
        least = least && least->seconds.median <= run->seconds.median ? least : run;
        largest = largest && largest->seconds.median >= run->seconds.median ? largest : run;
    }
    if (!least)
        return;
    double scale = largest->seconds.median;
    html_print(page, "<p class=\"answer\">Of %.0f runs <b>", (double)runs->n);
    html_words(page, least->name);
    html_print(page, "</b> was fastest, with %s in an iteration, and <b>",
               html_seconds(least->seconds.median, scale).text);
    html_words(page, largest->name);
    html_print(page, "</b> slowest, with %s.</p>\n", html_seconds(scale, scale).text);
}

void report_answer(FILE *page, const struct report_run *runs, int64_t n,
                   const struct report_section *section)
{
    fputs("<p class=\"answer\">", page);
    if (section && section->answer)
        section->answer(page, runs);
    if (isnan(report_fastest(runs, n)->seconds.median))
        fputs("The result has no time of an iteration.", page);
    else if (n > 1)
        write_comparison_answer(page, runs, n);
    else
        write_run_answer(page, runs);
    fputs("</p>\n", page);
}
