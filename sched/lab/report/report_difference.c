/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report.h"

#include "sched/lab/report/report_run.h"
#include "support/base/printable.h"
#include "support/base/rank_statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.98
enum { TESTED_MAX = 50, FIRST_COUNTED = 2 };

/* --- keys --- */

/* Keys of measurements, which differ in any two runs; iterations are compared separately. */
static bool is_measurement(const char *key)
{
    static const char *const keys[] = {"iterations",        "scf_iterations", "comparison",
                                       "timeline",          "ratio",          "memory_peak_bytes",
                                       "memory_part_bytes", "trace"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return strstr(key, "seconds") != NULL;
}

/* A value in a line; NULL: there is none. */
static void write_value(FILE *stream, const json_t *value)
{
    char *text = NULL;
    if (json_is_array(value))
        fprintf(stream, "[%zu values]", json_array_size(value));
    else if (json_is_object(value))
        fprintf(stream, "{%zu keys}", json_object_size(value));
    else
        text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    if (text)
        printable_print(stream, "%.1000s", text);
    else if (!value)
        fputs("absent", stream);
    free(text);
}

/* The keys from the root to the deepest. */
struct key_path {
    const struct key_path *above; /* NULL: the root */
    const char *key;
};

static void write_path(FILE *stream, const struct key_path *path)
{
    if (path->above && path->above->key) {
        write_path(stream, path->above);
        fputs(".", stream);
    }
    printable_print(stream, "%.80s", path->key);
}

static int64_t write_changes(FILE *stream, const json_t *left, const json_t *right,
                             const struct key_path *path);

static int64_t write_change(FILE *stream, const json_t *left, const json_t *right,
                            const struct key_path *path)
{
    if (is_measurement(path->key) || (left && right && json_equal(left, right)))
        return 0;
    if (json_is_object(left) && json_is_object(right))
        return write_changes(stream, left, right, path);
    fputs("  ", stream);
    write_path(stream, path);
    fputs(": ", stream);
    write_value(stream, left);
    fputs(" -> ", stream);
    write_value(stream, right);
    fputs("\n", stream);
    return 1;
}

/* Returns the number of changes. */
static int64_t write_changes(FILE *stream, const json_t *left, const json_t *right,
                             const struct key_path *path)
{
    int64_t n = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)left, key, value) n +=
        write_change(stream, value, json_object_get(right, key), &(struct key_path){path, key});
    json_object_foreach((json_t *)right, key, value) if (!json_object_get(left, key)) n +=
        write_change(stream, NULL, value, &(struct key_path){path, key});
    return n;
}

/* --- seconds --- */

struct timed_run {
    const char *label;      /* of a mode, or the options of a run; borrowed */
    bool has_rounds;        /* of a comparison; else there are iterations of one run */
    int64_t n;              /* counted: rounds, or iterations from the third on */
    double *seconds;        /* n, owned */
    struct interval centre; /* median; without rounds no interval: NAN */
};

static double read_iteration_seconds(const json_t *iteration)
{
    static const char *const keys[] = {"fock_seconds", "seconds"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (json_object_get(iteration, keys[i]))
            return json_number_value(json_object_get(iteration, keys[i]));
    return json_number_value(json_object_get(iteration, "makespan_seconds")) +
           json_number_value(json_object_get(iteration, "balance_seconds"));
}

static enum status read_centre(const json_t *figures, struct timed_run *run)
{
    const json_t *interval = json_object_get(figures, "interval_seconds");
    double *sorted = malloc(((size_t)run->n + 1) * sizeof *sorted);
    TRY(CHECK_MEMORY(sorted, "no memory for %lld times", (long long)run->n));
    memcpy(sorted, run->seconds, (size_t)run->n * sizeof *sorted);
    numbers_sort(sorted, run->n);
    run->centre.value = run->n > 0 ? numbers_quantile(sorted, run->n, 0.5) : NAN;
    run->centre.low = run->centre.high = NAN;
    if (run->has_rounds && json_array_size(interval) == 2) {
        run->centre.low = json_number_value(json_array_get(interval, 0));
        run->centre.high = json_number_value(json_array_get(interval, 1));
    }
    free(sorted);
    return STATUS_OK;
}

/* The rounds, or the iterations that count; the caller frees run->seconds. */
static enum status read_timed_run(const json_t *figures, struct timed_run *run)
{
    const json_t *rounds = json_object_get(figures, "round_seconds");
    const json_t *all = rounds ? rounds : json_object_get(figures, "iterations");
    int64_t n_all = (int64_t)json_array_size(all), skipped = rounds ? 0 : FIRST_COUNTED;
    skipped = n_all > skipped ? skipped : n_all > 0 ? n_all - 1 : 0;
    run->has_rounds = rounds;
    run->n = n_all - skipped;
    run->seconds = malloc(((size_t)run->n + 1) * sizeof *run->seconds);
    TRY(CHECK_MEMORY(run->seconds, "no memory for %lld times", (long long)run->n));
    for (int64_t i = 0; i < run->n; i++) {
        const json_t *entry = json_array_get(all, (size_t)(skipped + i));
        run->seconds[i] = rounds ? json_number_value(entry) : read_iteration_seconds(entry);
    }
    return read_centre(figures, run);
}

/* The measurements of a mode, or of a run of a sweep; NULL if the result has none of that label. */
static const json_t *find_figures(const json_t *result, const char *label)
{
    const json_t *runs = json_object_get(result, "runs");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const char *text = report_text(json_array_get(runs, i), "options_text");
        if (text && strcmp(text, label) == 0)
            return json_array_get(runs, i);
    }
    const json_t *figures = report_figures_of(result);
    const json_t *compared = json_object_get(json_object_get(figures, "compare"), label);
    const char *mode = report_text(figures, "sched");
    return compared ? compared : mode && strcmp(mode, label) == 0 ? figures : NULL;
}

/* The labels of a result in order; the caller's. NULL when out of memory. What is no text has none:
 * json_string then gives NULL, which is not appended. */
static json_t *list_labels(const json_t *result)
{
    const json_t *runs = json_object_get(result, "runs");
    const json_t *figures = report_figures_of(result);
    json_t *labels = json_array(), *value;
    const char *mode;
    for (size_t i = 0; i < json_array_size(runs); i++)
        json_array_append_new(labels,
                              json_string(report_text(json_array_get(runs, i), "options_text")));
    json_object_foreach(json_object_get(figures, "compare"), mode, value)
        json_array_append_new(labels, json_string(mode));
    json_array_append_new(labels, json_string(report_text(figures, "sched")));
    return labels;
}

/* A mode of both results, or the only ones that they have. */
struct timed_pair {
    struct timed_run sides[2];
    bool is_tested; /* rounds of the same work on both sides */
    double p;       /* 1 if not tested */
};

static bool are_equal_or_absent(const json_t *left, const json_t *right, const char *key)
{
    const json_t *own = json_object_get(left, key), *other = json_object_get(right, key);
    return own == other || json_equal(own, other);
}

/* Whether the times are of the same tasks. */
static bool is_same_work(const json_t *const results[2])
{
    static const char *const keys[] = {"workload", "program", "molecule", "model", "tasks"};
    bool same = true;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        same &= are_equal_or_absent(results[0], results[1], keys[i]);
    return same;
}

/* Iterations of one run are no independent sample, whatever their number: only rounds are tested.
 * Of more than TESTED_MAX on a side the last. */
static enum status test_pair(const json_t *const results[2], struct timed_pair *pair)
{
    const struct timed_run *left = &pair->sides[0], *right = &pair->sides[1];
    pair->is_tested = left->has_rounds && right->has_rounds && left->n > 1 && right->n > 1 &&
                      is_same_work(results);
    pair->p = 1;
    if (!pair->is_tested)
        return STATUS_OK;
    int64_t n_left = left->n < TESTED_MAX ? left->n : TESTED_MAX;
    int64_t n_right = right->n < TESTED_MAX ? right->n : TESTED_MAX;
    return rank_sum_test(left->seconds + left->n - n_left, n_left,
                         right->seconds + right->n - n_right, n_right, &pair->p);
}

static void write_pair_label(FILE *stream, const struct timed_pair *pair)
{
    char label[166];
    const char *left = pair->sides[0].label, *right = pair->sides[1].label;
    bool same = strcmp(left, right) == 0;
    snprintf(label, sizeof label, "%.80s%s%.80s", left, same ? "" : " -> ", same ? "" : right);
    printable_print(stream, "%-12s", label);
}

/* " -" for what is not known. */
static void write_figure(FILE *stream, double figure, int width, int digits)
{
    if (isnan(figure))
        fprintf(stream, " %*s", width, "-");
    else
        fprintf(stream, " %*.*g", width, digits, figure);
}

static const char *words_of_pair(const struct timed_pair *pair, double ratio, double adjusted_p)
{
    const struct timed_run *left = &pair->sides[0], *right = &pair->sides[1];
    if (pair->is_tested)
        return adjusted_p > 1 - CONFIDENCE || ratio == 1 ? "not distinguishable"
               : ratio < 1                               ? "faster"
                                                         : "slower";
    return !left->has_rounds || !right->has_rounds ? "not tested: no rounds"
           : left->n < 2 || right->n < 2           ? "not tested: one round"
                                                   : "not tested: other work";
}

static void write_timed_pair(FILE *stream, const struct timed_pair *pair, double adjusted_p)
{
    double ratio = 1;
    if (pair->sides[0].centre.value > 0)
        ratio = pair->sides[1].centre.value / pair->sides[0].centre.value;
    write_pair_label(stream, pair);
    for (int side = 0; side < 2; side++) {
        const struct interval *centre = &pair->sides[side].centre;
        write_figure(stream, centre->value, 11, 6);
        write_figure(stream, centre->low, 11, 6);
        write_figure(stream, centre->high, 11, 6);
    }
    fprintf(stream, " %9.4f", ratio);
    write_figure(stream, pair->is_tested ? adjusted_p : NAN, 9, 3);
    fprintf(stream, "   %s\n", words_of_pair(pair, ratio, adjusted_p));
}

/* pairs: n; p: room for 2 n; rank: for n */
static enum status write_timed_pairs(FILE *stream, const json_t *const results[2],
                                     struct timed_pair *pairs, int n, double *p, int *rank)
{
    int n_tested = 0;
    fprintf(stream,
            "\nSeconds of an iteration: medians, of rounds with intervals of %.0f %%; ratio of the "
            "second to the first.\nRounds are tested (rank-sum test, p by Holm for all together); "
            "those of two files were not made in turn:\nwhat else the machine did differs, too. "
            "Iterations of one run are no evidence: compare modes with --rounds\n\n",
            100 * CONFIDENCE);
    fprintf(stream, "%-12s %11s %11s %11s %11s %11s %11s %9s %9s   %s\n", "mode", "first", "from",
            "to", "second", "from", "to", "ratio", "p", "the second is");
    for (int i = 0; i < n; i++) {
        TRY(test_pair(results, &pairs[i]));
        if (pairs[i].is_tested)
            p[n_tested++] = pairs[i].p;
    }
    holm_adjust(p, n_tested, p + n, rank);
    for (int i = 0, tested = 0; i < n; i++)
        write_timed_pair(stream, &pairs[i], pairs[i].is_tested ? p[n + tested++] : 1);
    return STATUS_OK;
}

static void free_pair(struct timed_pair *pair)
{
    free(pair->sides[0].seconds);
    free(pair->sides[1].seconds);
    *pair = (struct timed_pair){0};
}

/* The modes that both results have, and the only modes of two results whatever these are.
 * pairs  out, room for all labels; n: out, how many have times on both sides */
static enum status read_pairs(const json_t *const results[2], json_t *const labels[2],
                              struct timed_pair *pairs, int *n)
{
    size_t n_labels = json_array_size(labels[0]);
    bool one_each = n_labels == 1 && json_array_size(labels[1]) == 1;
    for (size_t i = 0; i < n_labels; i++) {
        struct timed_pair *pair = &pairs[*n];
        for (int side = 0; side < 2; side++) {
            struct timed_run *run = &pair->sides[side];
            run->label = json_string_value(json_array_get(labels[one_each ? side : 0], i));
            TRY(read_timed_run(find_figures(results[side], run->label), run));
        }
        if (pair->sides[0].n > 0 && pair->sides[1].n > 0)
            ++*n;
        else
            free_pair(pair);
    }
    return STATUS_OK;
}

static enum status write_common_modes(FILE *stream, const json_t *const results[2],
                                      json_t *const labels[2])
{
    size_t n_labels = json_array_size(labels[0]);
    struct timed_pair *pairs = calloc(n_labels + 1, sizeof *pairs);
    double *p = calloc(2 * n_labels + 1, sizeof *p);
    int *rank = calloc(n_labels + 1, sizeof *rank), n = 0;
    enum status status = CHECK_MEMORY(pairs && p && rank, "no memory for %zu modes", n_labels);
    if (status != STATUS_OK)
        goto done;
    status = read_pairs(results, labels, pairs, &n);
    if (status != STATUS_OK)
        goto done;
    if (n > 0)
        status = write_timed_pairs(stream, results, pairs, n, p, rank);
    else
        fputs("\nThere are no times of a mode in both: none are compared\n", stream);
done:
    for (size_t i = 0; pairs && i < n_labels; i++)
        free_pair(&pairs[i]);
    free(pairs);
    free(p);
    free(rank);
    return status;
}

static enum status write_difference(FILE *stream, const json_t *const results[2],
                                    const char *const names[2], json_t *const labels[2])
{
    TRY(CHECK_MEMORY(labels[0] && labels[1], "no memory for the labels"));
    for (int side = 0; side < 2; side++)
        if (json_array_size(labels[side]) == 0)
            return FAIL(STATUS_INPUT,
                        "%s: not a result of a Beryl program, as it names no scheduling mode: "
                        "name a file that --json wrote",
                        names[side]);
    printable_print(stream, "From %s to %s", names[0], names[1]);
    fputs(":\n", stream);
    if (write_changes(stream, results[0], results[1], &(struct key_path){0}) == 0)
        fputs("  nothing but times differs\n", stream);
    return write_common_modes(stream, results, labels);
}

enum status report_difference(const json_t *const results[2], const char *const names[2],
                              FILE *stream)
{
    json_t *labels[2] = {list_labels(results[0]), list_labels(results[1])};
    enum status status = write_difference(stream, results, names, labels);
    json_decref(labels[0]);
    json_decref(labels[1]);
    return status;
}
