#include "sched/report/report_difference.h"

#include "support/base/printable.h"
#include "support/base/rank_statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.98
enum { MOST_NUMBERS = 50, FEWEST_NUMBERS = 10, FIRST_COUNTED = 2 };

/* --- keys --- */

/* What is measured differs in any two runs: those of the iterations are compared below. */
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

/* The keys from the root, of which the last is the deepest. */
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
    const char *label;     /* of a mode, or the options of a run; borrowed */
    const json_t *entries; /* rounds, or iterations, of which the last n_counted count; borrowed */
    bool has_rounds;
    int64_t n_counted, n;
    double seconds[MOST_NUMBERS]; /* n */
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

static void find_entries(const json_t *figures, struct timed_run *run)
{
    const json_t *rounds = json_object_get(figures, "round_seconds");
    run->has_rounds = rounds;
    run->entries = rounds ? rounds : json_object_get(figures, "iterations");
    int64_t n = (int64_t)json_array_size(run->entries), skipped = rounds ? 0 : FIRST_COUNTED;
    run->n_counted = n > skipped ? n - skipped : n > 0;
}

/* The means of groups of so many, the last MOST_NUMBERS, last first. */
static void fill_seconds(struct timed_run *run, int64_t group)
{
    int64_t n_groups = run->n_counted / group;
    run->n = n_groups < MOST_NUMBERS ? n_groups : MOST_NUMBERS;
    size_t next = json_array_size(run->entries);
    for (int64_t i = 0; i < run->n; i++) {
        run->seconds[i] = 0;
        for (int64_t j = 0; j < group; j++) {
            const json_t *entry = json_array_get(run->entries, --next);
            run->seconds[i] +=
                run->has_rounds ? json_number_value(entry) : read_iteration_seconds(entry);
        }
        run->seconds[i] /= (double)group;
    }
}

/* The figures of a mode, or of a run of a sweep; NULL if the result has none of that label. */
static const json_t *find_figures(const json_t *result, const char *label)
{
    const json_t *runs = json_object_get(result, "runs");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const char *text = json_string_value(json_object_get(run, "options_text"));
        if (text && strcmp(text, label) == 0)
            return run;
    }
    const json_t *beryl = json_object_get(json_object_get(result, "extras"), "beryl");
    const json_t *figures = beryl ? beryl : result;
    const json_t *compared = json_object_get(json_object_get(figures, "compare"), label);
    const char *mode = json_string_value(json_object_get(figures, "sched"));
    return compared ? compared : mode && strcmp(mode, label) == 0 ? figures : NULL;
}

/* Appends the label to an array of texts. */
static void append_label(json_t *labels, const char *label)
{
    if (label)
        json_array_append_new(labels, json_string(label));
}

/* The labels of a result in order; the caller's. NULL when out of memory. */
static json_t *list_labels(const json_t *result)
{
    const json_t *runs = json_object_get(result, "runs");
    const json_t *beryl = json_object_get(json_object_get(result, "extras"), "beryl");
    const json_t *figures = beryl ? beryl : result;
    json_t *labels = json_array(), *value;
    const char *mode;
    for (size_t i = 0; i < json_array_size(runs); i++)
        append_label(labels,
                     json_string_value(json_object_get(json_array_get(runs, i), "options_text")));
    json_object_foreach(json_object_get(figures, "compare"), mode, value)
        append_label(labels, mode);
    append_label(labels, json_string_value(json_object_get(figures, "sched")));
    return labels;
}

/* A mode of both results, or the only ones that they have. */
struct timed_pair {
    struct timed_run sides[2];
    struct interval medians[2];
    double p;
};

/* Both in groups of one size, because means vary less than single numbers: of what MOST_NUMBERS
 * leave of the longer side, but so that the shorter one keeps FEWEST_NUMBERS. Whether both have
 * numbers. */
static bool fill_pair(struct timed_pair *pair)
{
    int64_t n[2] = {pair->sides[0].n_counted, pair->sides[1].n_counted};
    int64_t group = ((n[0] > n[1] ? n[0] : n[1]) + MOST_NUMBERS - 1) / MOST_NUMBERS;
    int64_t largest = (n[0] < n[1] ? n[0] : n[1]) / FEWEST_NUMBERS;
    group = group < largest ? group : largest;
    for (int side = 0; side < 2; side++)
        fill_seconds(&pair->sides[side], group > 0 ? group : 1);
    return pair->sides[0].n > 0 && pair->sides[1].n > 0;
}

static enum status compare_timed_pair(struct timed_pair *pair)
{
    for (int side = 0; side < 2; side++)
        TRY(bootstrap_centre(pair->sides[side].seconds, pair->sides[side].n, CENTRE_MEDIAN,
                             CONFIDENCE, 1, &pair->medians[side]));
    pair->p = 1;
    if (pair->sides[0].has_rounds != pair->sides[1].has_rounds)
        return STATUS_OK;
    return rank_sum_test(pair->sides[0].seconds, pair->sides[0].n, pair->sides[1].seconds,
                         pair->sides[1].n, &pair->p);
}

static void write_pair_label(FILE *stream, const struct timed_pair *pair)
{
    char label[166];
    const char *left = pair->sides[0].label, *right = pair->sides[1].label;
    bool same = strcmp(left, right) == 0;
    snprintf(label, sizeof label, "%.80s%s%.80s", left, same ? "" : " -> ", same ? "" : right);
    printable_print(stream, "%-12s", label);
}

static void write_timed_pair(FILE *stream, const struct timed_pair *pair, double adjusted_p)
{
    const struct interval *left = &pair->medians[0], *right = &pair->medians[1];
    double ratio = left->value > 0 ? right->value / left->value : 1;
    const char *words = adjusted_p > 1 - CONFIDENCE ? "not distinguishable"
                        : ratio < 1                 ? "faster"
                        : ratio > 1                 ? "slower"
                                                    : "not distinguishable";
    if (pair->sides[0].n < 2 || pair->sides[1].n < 2)
        words = "one number shows no spread";
    if (pair->sides[0].has_rounds != pair->sides[1].has_rounds)
        words = "not compared: only one has rounds";
    write_pair_label(stream, pair);
    fprintf(stream, " %11.6g %11.6g %11.6g %11.6g %11.6g %11.6g %9.4f %9.3g   %s\n", left->value,
            left->low, left->high, right->value, right->low, right->high, ratio, adjusted_p, words);
}

/* pairs: n; p: room for 2 n; rank: for n */
static enum status write_timed_pairs(FILE *stream, struct timed_pair *pairs, int n, double *p,
                                     int *rank)
{
    fprintf(stream,
            "\nSeconds of an iteration: medians with intervals of %.0f %%, ratio of the "
            "second to the first, p for all\ntogether (rank-sum test, Holm). The runs "
            "were not made in rounds: what else the machine did differs, too\n\n",
            100 * CONFIDENCE);
    fprintf(stream, "%-12s %11s %11s %11s %11s %11s %11s %9s %9s   %s\n", "mode", "first", "from",
            "to", "second", "from", "to", "ratio", "p", "the second is");
    for (int i = 0; i < n; i++) {
        TRY(compare_timed_pair(&pairs[i]));
        p[i] = pairs[i].p;
    }
    holm_adjust(p, n, p + n, rank);
    for (int i = 0; i < n; i++)
        write_timed_pair(stream, &pairs[i], p[n + i]);
    return STATUS_OK;
}

/* The modes that both results have, and the only modes of two results whatever these are. */
static enum status write_common_modes(FILE *stream, const json_t *const results[2],
                                      json_t *const labels[2])
{
    size_t n_labels = json_array_size(labels[0]);
    bool one_each = n_labels == 1 && json_array_size(labels[1]) == 1;
    struct timed_pair *pairs = calloc(n_labels + 1, sizeof *pairs);
    double *p = calloc(2 * n_labels + 1, sizeof *p);
    int *rank = calloc(n_labels + 1, sizeof *rank), n = 0;
    enum status status = CHECK_MEMORY(pairs && p && rank, "no memory for %zu modes", n_labels);
    for (size_t i = 0; status == STATUS_OK && i < n_labels; i++) {
        struct timed_pair *pair = &pairs[n];
        for (int side = 0; side < 2; side++) {
            struct timed_run *run = &pair->sides[side];
            run->label = json_string_value(json_array_get(labels[one_each ? side : 0], i));
            find_entries(find_figures(results[side], run->label), run);
        }
        n += fill_pair(pair);
    }
    if (status == STATUS_OK && n > 0)
        status = write_timed_pairs(stream, pairs, n, p, rank);
    else if (status == STATUS_OK)
        fputs("\nThere are no times of a mode in both: none are compared\n", stream);
    free(pairs);
    free(p);
    free(rank);
    return status;
}

enum status report_difference(const json_t *const results[2], const char *const names[2],
                              FILE *stream)
{
    json_t *labels[2] = {list_labels(results[0]), list_labels(results[1])};
    enum status status = CHECK_MEMORY(labels[0] && labels[1], "no memory for the labels");
    for (int side = 0; side < 2 && status == STATUS_OK; side++)
        if (json_array_size(labels[side]) == 0)
            status = FAIL(STATUS_INPUT,
                          "%s: not a result of a Beryl program, as it names no scheduling mode: "
                          "name a file that --json wrote",
                          names[side]);
    if (status == STATUS_OK) {
        printable_print(stream, "From %s to %s", names[0], names[1]);
        fputs(":\n", stream);
        if (write_changes(stream, results[0], results[1], &(struct key_path){0}) == 0)
            fputs("  nothing but times differs\n", stream);
        status = write_common_modes(stream, results, labels);
    }
    json_decref(labels[0]);
    json_decref(labels[1]);
    return status;
}
