/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report_words.h"

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

/* Whether the run is what no real one can be, by knowledge of all durations. */
static bool is_bound(const struct report_run *run)
{
    return json_is_true(json_object_get(run->figures, "bound"));
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
    return run != best && !is_bound(run) && verdict && strcmp(verdict, "faster") == 0 &&
           !(ratio_bound(run, 0) > ratio_bound(best, 1));
}

/* The mode of the lowest ratio, where rounds do not show what the table suggests: that it is faster
 * than the first mode, or where some are shown to be, than the best of these. NULL: there is
 * none. */
static const struct report_run *find_unproven(const struct report_runs *runs, int64_t first,
                                              int64_t n, const struct report_run *best)
{
    const struct report_run *base = &runs->runs[first], *found = NULL;
    double least = best == base ? LEAST_GAIN : report_ratio(best, base);
    for (int64_t i = first + 1; i < first + n; i++) {
        const struct report_run *run = &runs->runs[i];
        double ratio = report_ratio(run, base), high = ratio_bound(run, 1);
        if (is_bound(run) || !is_alike(run, best) || !(ratio < least) ||
            !(best == base ? high < 1 : isfinite(high)))
            continue;
        least = ratio;
        found = run;
    }
    return found;
}

int64_t report_fastest(const struct report_runs *runs, int64_t first, int64_t n)
{
    int64_t fastest = first;
    for (int64_t i = first; i < first + n; i++) {
        const struct report_run *run = &runs->runs[i], *best = &runs->runs[fastest];
        const char *verdict = report_verdict(run);
        bool proven = !verdict || strcmp(verdict, "faster") == 0;
        if (proven && !is_bound(run) &&
            (isnan(best->seconds.median) ||
             run->seconds.median < LEAST_GAIN * best->seconds.median))
            fastest = i;
    }
    return fastest;
}

/* --- one run --- */

static void write_run_answer(FILE *page, const struct report_run *run)
{
    double seconds = run->seconds.median;
    if (isnan(seconds)) {
        fputs("The result has no time of an iteration.", page);
        return;
    }
    fprintf(page, "%s of <b>", run->has_fock ? "A Fock build" : "An iteration");
    html_text(page, report_mode_name(run));
    fputs("</b> on ", page);
    html_number(page, (double)run->workers, 0);
    fputs(run->workers == 1 ? " worker took " : " workers took ", page);
    html_seconds(page, seconds, seconds);
    if (run->n_iterations > 1 && run->seconds.largest - run->seconds.least < 1e-4 * seconds) {
        fprintf(page, " (all %lld alike)", (long long)run->n_iterations);
    } else if (run->n_iterations > 1) {
        fputs(" (median of ", page);
        html_number(page, (double)run->n_iterations, 0);
        fputs(", from ", page);
        html_seconds(page, run->seconds.least, seconds);
        fputs(" to ", page);
        html_seconds(page, run->seconds.largest, seconds);
        fputs(")", page);
    }
    fputs(".", page);
    report_loss(page, run);
}

/* --- a comparison --- */

/* "1.9 x as fast as static". */
static void write_ratio(FILE *page, const struct report_run *run, const struct report_run *other)
{
    double ratio = 1 / report_ratio(run, other);
    html_number(page, ratio, ratio < 1.095 ? 3 : ratio < 10 ? 2 : 1);
    fputs(" \u00d7 as fast as ", page);
    html_text(page, report_mode_name(other));
}

/* A run and its reference. */
typedef bool (*run_relation)(const struct report_run *run, const struct report_run *best);

static int64_t count_related(const struct report_runs *runs, int64_t first, int64_t n,
                             run_relation relation, const struct report_run *best)
{
    int64_t n_related = 0;
    for (int64_t i = first; i < first + n; i++)
        n_related += relation(&runs->runs[i], best);
    return n_related;
}

/* "a, b and c". */
static void write_related(FILE *page, const struct report_runs *runs, int64_t first, int64_t n,
                          run_relation relation, const struct report_run *best)
{
    int64_t n_related = count_related(runs, first, n, relation, best), k = 0;
    for (int64_t i = first; i < first + n; i++) {
        if (!relation(&runs->runs[i], best))
            continue;
        fputs(k == 0 ? "" : k == n_related - 1 ? " and " : ", ", page);
        html_text(page, report_mode_name(&runs->runs[i]));
        k++;
    }
}

/* Rounds of the comparison; 0 where its modes ran once. */
static double rounds_compared(const struct report_runs *runs, int64_t first)
{
    const json_t *comparison = json_object_get(runs->runs[first].shared, "comparison");
    return report_verdict(&runs->runs[first + 1]) ? report_real(comparison, "rounds") : 0;
}

/* Modes that several rounds do not tell from the first. */
static void write_undistinguished(FILE *page, const struct report_runs *runs, int64_t first,
                                  int64_t n, double rounds)
{
    const struct report_run *reference = &runs->runs[first];
    if (count_related(runs, first, n, is_alike, reference) == 0)
        return;
    fputs(" ", page);
    write_related(page, runs, first, n, is_alike, reference);
    fputs(" cannot be told from ", page);
    html_text(page, report_mode_name(reference));
    fputs(" by ", page);
    html_number(page, rounds, 0);
    fputs(" rounds.", page);
}

/* Whether the rounds can tell no two modes apart, with a sentence that says so. */
static bool write_too_few_rounds(FILE *page, const struct report_run *reference, int64_t n,
                                 double rounds)
{
    double needed = report_real(json_object_get(reference->shared, "comparison"), "rounds_needed");
    if (!(rounds < needed))
        return false;
    fputs(" ", page);
    html_number(page, rounds, 0);
    fputs(" rounds are too few to tell ", page);
    html_count(page, n);
    fputs(" modes apart: take ", page);
    html_number(page, needed, 0);
    fputs(".", page);
    return true;
}

/* "auto took 0.786 of the time of static (interval 0.758 to 0.808)". */
static void write_unproven(FILE *page, const struct report_run *run, const struct report_run *base)
{
    fputs("<b>", page);
    html_text(page, report_mode_name(run));
    fputs("</b> took ", page);
    html_number(page, report_ratio(run, base), 3);
    fputs(" of the time of ", page);
    html_text(page, report_mode_name(base));
    fputs(" (interval ", page);
    html_number(page, ratio_bound(run, 0), 3);
    fputs(" to ", page);
    html_number(page, ratio_bound(run, 1), 3);
    fputs(")", page);
}

/* Modes whose times lie within those of the fastest: not told apart by these iterations. Simulated
 * ones repeat exactly. */
static void write_ties(FILE *page, const struct report_runs *runs, int64_t first, int64_t n,
                       const struct report_run *best)
{
    int64_t n_ties = json_object_get(best->shared, "machine")
                         ? 0
                         : count_related(runs, first, n, is_alike, best);
    if (n_ties == 0)
        return;
    if (n_ties == n - 1) {
        fputs(" The times of all overlap, so this may be chance.", page);
        return;
    }
    fputs(" The times of ", page);
    write_related(page, runs, first, n, is_alike, best);
    fputs(" overlap with its own.", page);
}

/* Modes that may be as fast as the one that had the least median. */
static void write_rivals(FILE *page, const struct report_runs *runs, int64_t first, int64_t n,
                         const struct report_run *best)
{
    if (count_related(runs, first, n, is_rival, best) == 0)
        return;
    fputs(" ", page);
    write_related(page, runs, first, n, is_rival, best);
    fputs(" may be as fast: the intervals of their ratios to ", page);
    html_text(page, report_mode_name(&runs->runs[first]));
    fputs(" overlap.", page);
}

static void write_times(FILE *page, const struct report_run *best, const struct report_run *base,
                        double rounds)
{
    html_seconds(page, best->seconds.median, base->seconds.median);
    if (best != base) {
        fputs(" against ", page);
        html_seconds(page, base->seconds.median, base->seconds.median);
    }
    fprintf(page, " in %s", best->has_fock ? "a Fock build" : "an iteration");
    if (rounds > 1 || best->n_iterations > 1) {
        fputs(" (median of ", page);
        html_number(page, rounds > 0 ? rounds : (double)best->n_iterations, 0);
        fputs(rounds > 0 ? " rounds)" : ")", page);
    }
    fputs(".", page);
}

static void write_bounds(FILE *page, const struct report_runs *runs, int64_t first, int64_t n)
{
    for (int64_t i = first; i < first + n; i++) {
        const struct report_run *run = &runs->runs[i];
        if (!is_bound(run) || isnan(run->seconds.median))
            continue;
        fputs(" ", page);
        html_text(page, report_mode_name(run));
        fputs(", which knows all durations beforehand, took ", page);
        html_seconds(page, run->seconds.median, run->seconds.median);
        fputs(".", page);
    }
}

/* The mode that is fastest, and one that the table has as faster, but rounds do not show to be. */
struct leaders {
    const struct report_run *best, *unproven; /* unproven: or NULL */
};

static void write_no_faster(FILE *page, const struct leaders *leaders, double rounds)
{
    const struct report_run *base = leaders->best, *unproven = leaders->unproven;
    fputs(rounds > 0 ? "No mode is shown to be faster than <b>" : "No mode was faster than <b>",
          page);
    html_text(page, report_mode_name(base));
    fputs("</b>", page);
    if (unproven) {
        fputs(", but ", page);
        write_unproven(page, unproven, base);
    }
    fputs(": ", page);
    write_times(page, unproven ? unproven : base, base, rounds);
}

static void write_fastest(FILE *page, const struct leaders *leaders, const struct report_run *base,
                          double rounds)
{
    fputs("<b>", page);
    html_text(page, report_mode_name(leaders->best));
    fputs("</b> was fastest", page);
    fputs(leaders->unproven ? " of the modes shown to be faster, " : ", ", page);
    write_ratio(page, leaders->best, base);
    fputs(": ", page);
    write_times(page, leaders->best, base, rounds);
    if (leaders->unproven) {
        fputs(" ", page);
        write_unproven(page, leaders->unproven, base);
        fputs(".", page);
    }
}

static void write_comparison_answer(FILE *page, const struct report_runs *runs, int64_t first,
                                    int64_t n)
{
    const struct report_run *base = &runs->runs[first];
    struct leaders leaders = {.best = &runs->runs[report_fastest(runs, first, n)]};
    double rounds = rounds_compared(runs, first);
    if (isnan(leaders.best->seconds.median)) {
        fputs("The result has no time of an iteration.", page);
        return;
    }
    if (rounds > 0)
        leaders.unproven = find_unproven(runs, first, n, leaders.best);
    if (leaders.best == base)
        write_no_faster(page, &leaders, rounds);
    else
        write_fastest(page, &leaders, base, rounds);
    if (rounds > 0) {
        write_rivals(page, runs, first, n, leaders.best);
        if (!write_too_few_rounds(page, base, n, rounds))
            write_undistinguished(page, runs, first, n, rounds);
    } else {
        write_ties(page, runs, first, n, leaders.best);
    }
    write_bounds(page, runs, first, n);
    report_loss(page, base);
    const struct report_run *other = leaders.best == base ? leaders.unproven : leaders.best;
    if (other)
        report_loss(page, other);
    if (json_is_true(
            json_object_get(json_object_get(base->shared, "comparison"), "oversubscribed")))
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
    fputs("<p class=\"answer\">Of ", page);
    html_number(page, (double)runs->n, 0);
    fputs(" runs <b>", page);
    html_words(page, least->name);
    fputs("</b> was fastest, with ", page);
    html_seconds(page, least->seconds.median, largest->seconds.median);
    fputs(" in an iteration, and <b>", page);
    html_words(page, largest->name);
    fputs("</b> slowest, with ", page);
    html_seconds(page, largest->seconds.median, largest->seconds.median);
    fputs(".</p>\n", page);
}

void report_answer(FILE *page, const struct report_runs *runs, int64_t first, int64_t n,
                   const struct report_section *section)
{
    fputs("<p class=\"answer\">", page);
    if (section && section->answer)
        section->answer(page, &runs->runs[first]);
    if (n > 1)
        write_comparison_answer(page, runs, first, n);
    else
        write_run_answer(page, &runs->runs[first]);
    fputs("</p>\n", page);
}
