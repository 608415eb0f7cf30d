#include "sched/report/report_words.h"

#include "sched/report/report_timeline.h"

#include <math.h>
#include <string.h>

/* Below these a loss, or an imbalance in per cent, is not worth a reason. */
#define LEAST_LOSS      0.01
#define LEAST_IMBALANCE 5

double report_ratio(const struct report_run *run, const struct report_run *reference)
{
    double ratio = report_real(json_object_get(run->figures, "ratio"), "value");
    return isnan(ratio) ? run->seconds.median / reference->seconds.median : ratio;
}

const char *report_verdict(const struct report_run *run)
{
    return report_text(json_object_get(run->figures, "ratio"), "verdict");
}

int64_t report_reference(const struct report_runs *runs, int64_t first, int64_t n)
{
    if (n > 1 && report_verdict(&runs->runs[first + 1]))
        return first;
    for (int64_t i = first; i < first + n; i++)
        if (strcmp(report_mode_name(&runs->runs[i]), "static") == 0)
            return i;
    return first;
}

int64_t report_fastest(const struct report_runs *runs, int64_t first, int64_t n)
{
    int64_t fastest = first;
    for (int64_t i = first; i < first + n; i++)
        if (runs->runs[i].seconds.median < runs->runs[fastest].seconds.median ||
            isnan(runs->runs[fastest].seconds.median))
            fastest = i;
    return fastest;
}

/* Numbers up to twelve as words. */
static void write_count(FILE *page, int64_t n)
{
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    if (n >= 0 && n <= 12)
        fputs(words[n], page);
    else
        html_number(page, (double)n, 0);
}

/* 0.523 s, 12.3 ms. */
static void write_seconds(FILE *page, double seconds)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00b5s"}};
    int i = 0;
    while (i < 2 && seconds < units[i].size)
        i++;
    double number = seconds / units[i].size;
    int decimals = number >= 100 ? 1 : number >= 10 ? 2 : 3;
    html_number(page, number, decimals);
    fprintf(page, " %s", units[i].name);
}

static void write_per_cent(FILE *page, double fraction)
{
    html_number(page, 100 * fraction, fraction < 0.095 ? 1 : 0);
    fputs(" %", page);
}

/* --- losses --- */

/* The cause of most idle time: the workers that the others wait for, where they are known. */
static void write_idle_cause(FILE *page, const struct report_run *run)
{
    int64_t n = report_overloaded(run);
    if (!(run->means[REPORT_IMBALANCE] >= LEAST_IMBALANCE)) {
        fputs(" waiting for messages and for the end", page);
    } else if (n > 0 && n <= run->workers / 2) {
        fputs(" to ", page);
        write_count(page, n);
        fputs(n == 1 ? " overloaded worker" : " overloaded workers", page);
    } else {
        fputs(" to uneven loads", page);
    }
}

static void write_cause(FILE *page, const struct report_run *run)
{
    static const struct {
        enum report_column column;
        const char *words;
    } causes[] = {{REPORT_IDLE, NULL},
                  {REPORT_SEARCH, " searching for tasks"},
                  {REPORT_SCHEDULER, " in the scheduler"},
                  {REPORT_COMMUNICATION, " in the scheduler\u2019s messages"}};
    int most = -1;
    for (int i = 0; i < 4; i++)
        if (run->means[causes[i].column] > 0 &&
            (most < 0 || run->means[causes[i].column] > run->means[causes[most].column]))
            most = i;
    if (most < 0)
        return;
    double share =
        run->means[causes[most].column] / (run->means[REPORT_MAKESPAN] - run->means[REPORT_TASK]);
    fputs(share > 0.85 ? "" : ", most of it", page);
    if (causes[most].words)
        fputs(causes[most].words, page);
    else
        write_idle_cause(page, run);
}

/* "lost 47 % of its time to two overloaded workers". Nothing where it is not known. */
static void write_loss(FILE *page, const struct report_run *run)
{
    double lost = 1 - run->means[REPORT_TASK] / run->means[REPORT_MAKESPAN];
    if (!(lost >= 0 && lost <= 1))
        return;
    fputs(" <b>", page);
    html_text(page, report_mode_name(run));
    fputs("</b> ", page);
    if (run->workers == 1 && lost < 0.05) {
        fputs("ran on one worker, which lost ", page);
        write_per_cent(page, lost);
        fputs(" of its time", page);
    } else {
        fputs("lost ", page);
        write_per_cent(page, lost);
        fputs(" of its time", page);
        if (lost >= LEAST_LOSS)
            write_cause(page, run);
    }
    fputs(".", page);
}

/* --- one run --- */

static void write_run_answer(FILE *page, const struct report_run *run)
{
    double seconds = run->seconds.median;
    if (isnan(seconds))
        return;
    fprintf(page, "%s of <b>", run->has_fock ? "A Fock build" : "An iteration");
    html_text(page, report_mode_name(run));
    fputs("</b> on ", page);
    html_number(page, (double)run->workers, 0);
    fputs(run->workers == 1 ? " worker took " : " workers took ", page);
    write_seconds(page, seconds);
    if (run->n_iterations > 1) {
        fputs(" (median of ", page);
        html_number(page, (double)run->n_iterations, 0);
        fputs(", from ", page);
        write_seconds(page, run->seconds.least);
        fputs(" to ", page);
        write_seconds(page, run->seconds.largest);
        fputs(")", page);
    }
    fputs(".", page);
    write_loss(page, run);
}

/* --- a comparison --- */

/* "1.9 x static". */
static void write_ratio(FILE *page, const struct report_run *run, const struct report_run *other)
{
    double ratio = 1 / report_ratio(run, other);
    html_number(page, ratio, ratio < 1.095 ? 3 : ratio < 10 ? 2 : 1);
    fputs(" \u00d7 as fast as ", page);
    html_text(page, report_mode_name(other));
}

/* Modes that several rounds do not tell from the first. */
static void write_undistinguished(FILE *page, const struct report_runs *runs, int64_t first,
                                  int64_t n)
{
    const struct report_run *reference = &runs->runs[first];
    int64_t n_alike = 0;
    for (int64_t i = first + 1; i < first + n; i++) {
        const char *verdict = report_verdict(&runs->runs[i]);
        if (!verdict || strcmp(verdict, "not distinguishable") != 0)
            continue;
        if (n_alike++ == 0) {
            html_number(page,
                        report_real(json_object_get(reference->shared, "comparison"), "rounds"), 0);
            fputs(" rounds do not tell from ", page);
            html_text(page, report_mode_name(reference));
            fputs(": ", page);
        } else {
            fputs(", ", page);
        }
        html_text(page, report_mode_name(&runs->runs[i]));
    }
    fputs(n_alike > 0 ? "." : "", page);
}

/* Modes whose times lie within those of the fastest: not told apart by these iterations. */
static void write_ties(FILE *page, const struct report_runs *runs, int64_t first, int64_t n,
                       int64_t fastest)
{
    int64_t n_ties = 0;
    for (int64_t i = first; i < first + n; i++) {
        if (i == fastest || !(runs->runs[i].seconds.least <= runs->runs[fastest].seconds.largest))
            continue;
        fputs(n_ties++ == 0 ? " Their times overlap with its own: " : ", ", page);
        html_text(page, report_mode_name(&runs->runs[i]));
    }
    fputs(n_ties > 0 ? "." : "", page);
}

static void write_comparison_answer(FILE *page, const struct report_runs *runs, int64_t first,
                                    int64_t n)
{
    int64_t fastest = report_fastest(runs, first, n), reference = report_reference(runs, first, n);
    const struct report_run *best = &runs->runs[fastest], *base = &runs->runs[reference];
    if (isnan(best->seconds.median))
        return;
    fputs("<b>", page);
    html_text(page, report_mode_name(best));
    fputs("</b> was fastest", page);
    if (fastest != reference && best->seconds.median > 0) {
        fputs(", ", page);
        write_ratio(page, best, base);
    }
    fputs(": ", page);
    write_seconds(page, best->seconds.median);
    if (fastest != reference) {
        fputs(" against ", page);
        write_seconds(page, base->seconds.median);
    }
    fprintf(page, " in %s (median of ", best->has_fock ? "a Fock build" : "an iteration");
    bool rounds = report_verdict(&runs->runs[first + 1]) != NULL;
    html_number(page,
                rounds ? report_real(json_object_get(base->shared, "comparison"), "rounds")
                       : (double)best->n_iterations,
                0);
    fputs(rounds ? " rounds). " : ").", page);
    if (rounds)
        write_undistinguished(page, runs, first, n);
    else
        write_ties(page, runs, first, n, fastest);
    write_loss(page, base);
    if (fastest != reference)
        write_loss(page, best);
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
