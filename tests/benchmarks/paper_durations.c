#include "tests/benchmarks/paper_durations.h"

#include "basis/basis_set.h"
#include "basis/molecule.h"
#include "hf/screening.h"
#include "support/array.h"
#include "support/text_file.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Of Lifflander et al.; the tile was 40 functions. */
#define THRESHOLD 1e-6
enum { TILE = 40 };

/* A pair of tiles I >= J. */
struct tile_pair {
    int64_t n;            /* function pairs */
    double *bounds;       /* n, largest first */
    int64_t orientations; /* (I, J) and (J, I) are tasks' tile pairs both */
};

/* What tasks of one shape do. */
struct work {
    double integrals, tests;
    int64_t n_tasks;
};

struct work_list {
    int64_t n, capacity;
    struct work *entries;
};

static int compare_descending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

static struct work count_work(const struct tile_pair *bra, const struct tile_pair *ket)
{
    double integrals = 0, tests = 0;
    int64_t n_ket = ket->n;
    for (int64_t i = 0; i < bra->n && bra->bounds[i] * ket->bounds[0] >= THRESHOLD; i++) {
        /* The smaller a bound of the bra, the fewer of the ket go with it. */
        while (bra->bounds[i] * ket->bounds[n_ket - 1] < THRESHOLD)
            n_ket--;
        integrals += (double)n_ket;
        tests += (double)ket->n;
    }
    return (struct work){integrals, tests, bra->orientations * ket->orientations};
}

static enum status list_work(const struct tile_pair *pairs, int64_t n_pairs, struct work_list *list)
{
    for (int64_t bra = 0; bra < n_pairs; bra++)
        for (int64_t ket = 0; ket < n_pairs; ket++) {
            if (pairs[bra].bounds[0] * pairs[ket].bounds[0] < THRESHOLD)
                continue;
            TRY(array_reserve(&list->entries, list->n + 1, &list->capacity, sizeof *list->entries));
            list->entries[list->n++] = count_work(&pairs[bra], &pairs[ket]);
        }
    return STATUS_OK;
}

static enum status sort_bounds(const struct screening *screening, struct tile_pair *pairs)
{
    const struct tiling *tiling = screening->tiling;
    for (int64_t index = 0; index < tiling_n_pairs(tiling); index++) {
        int64_t I, J;
        tile_pair_of_index(index, &I, &J);
        struct tile_pair *pair = &pairs[index];
        pair->n = tile_n_shells(tiling, I) * tile_n_shells(tiling, J);
        pair->orientations = I == J ? 1 : 2;
        pair->bounds = malloc((size_t)pair->n * sizeof *pair->bounds);
        if (!pair->bounds)
            return FAIL(STATUS_NO_MEMORY, "no memory for the bounds of a pair of tiles");
        darray_get(screening->shell_bounds, index, pair->bounds);
        qsort(pair->bounds, (size_t)pair->n, sizeof *pair->bounds, compare_descending);
    }
    return STATUS_OK;
}

static enum status list_work_of_tiles(const struct tiling *tiling, struct work_list *list)
{
    struct screening *screening;
    TRY(screening_create(tiling, THRESHOLD, MPI_COMM_WORLD, &screening));
    int64_t n_pairs = tiling_n_pairs(tiling);
    struct tile_pair *pairs = calloc((size_t)n_pairs, sizeof *pairs);
    enum status status =
        pairs ? sort_bounds(screening, pairs) : FAIL(STATUS_NO_MEMORY, "no memory for tile pairs");
    if (status == STATUS_OK)
        status = list_work(pairs, n_pairs, list);
    for (int64_t pair = 0; pairs && pair < n_pairs; pair++)
        free(pairs[pair].bounds);
    free(pairs);
    screening_destroy(screening);
    return status;
}

static enum status list_work_of_molecule(const struct molecule *molecule,
                                         const struct basis_set *set, struct work_list *list)
{
    struct shells *shells;
    struct tiling *tiling = NULL;
    TRY(shells_create(molecule, set, BASIS_FORM_UNSTATED, &shells));
    enum status status = tiling_create(shells, TILE, &tiling);
    if (status == STATUS_OK)
        status = list_work_of_tiles(tiling, list);
    tiling_destroy(tiling);
    shells_destroy(shells);
    return status;
}

static enum status read_molecule(const char *name, struct molecule *molecule)
{
    const struct molecule_settings settings = {.unit = LENGTH_BOHR};
    struct text_file text;
    TRY(text_file_read_all(name, MPI_COMM_WORLD, &text));
    enum status status = molecule_parse(text.bytes, text.length, name, &settings, molecule);
    text_file_fini(&text);
    return status;
}

static enum status list_work_of_file(const char *name, struct work_list *list)
{
    struct molecule molecule = {0};
    struct basis_set set = {0};
    enum status status = read_molecule(name, &molecule);
    if (status == STATUS_OK)
        status = basis_set_read_all("be15s", MPI_COMM_WORLD, &set);
    if (status == STATUS_OK)
        status = list_work_of_molecule(&molecule, &set, list);
    basis_set_fini(&set);
    molecule_fini(&molecule);
    return status;
}

static double duration(const struct paper_durations *durations, const struct work *work)
{
    return durations->integral_s * work->integrals + durations->test_s * work->tests;
}

/* Solves the two equations, in which `longest` is taken for the longest task. */
static void solve(const struct work *mean, const struct work *longest, struct paper_durations *out)
{
    double determinant = mean->integrals * longest->tests - mean->tests * longest->integrals;
    out->integral_s = (PAPER_MEAN_S * longest->tests - PAPER_LONGEST_S * mean->tests) / determinant;
    out->test_s =
        (PAPER_LONGEST_S * mean->integrals - PAPER_MEAN_S * longest->integrals) / determinant;
}

/* Which task is the longest depends on the constants, and they on it: begins with the one
 * that has most integrals, and ends because a few kinds of tasks only come into question. */
static void fit(const struct work_list *list, struct paper_durations *out)
{
    struct work mean = {0};
    const struct work *longest = list->entries, *before = NULL;
    for (int64_t i = 0; i < list->n; i++) {
        const struct work *work = &list->entries[i];
        mean.integrals += work->integrals * (double)work->n_tasks;
        mean.tests += work->tests * (double)work->n_tasks;
        out->n_tasks += work->n_tasks;
        longest = work->integrals > longest->integrals ? work : longest;
    }
    out->integrals = mean.integrals;
    mean.integrals /= (double)out->n_tasks;
    mean.tests /= (double)out->n_tasks;
    while (longest != before) {
        solve(&mean, longest, out);
        before = longest;
        for (int64_t i = 0; i < list->n; i++)
            if (duration(out, &list->entries[i]) > duration(out, longest) * (1 + 1e-12))
                longest = &list->entries[i];
    }
}

static enum status write_durations(const struct work_list *list, struct paper_durations *out)
{
    out->time_s = malloc((size_t)out->n_tasks * sizeof *out->time_s);
    if (!out->time_s)
        return FAIL(STATUS_NO_MEMORY, "no memory for %lld durations", (long long)out->n_tasks);
    int64_t task = 0;
    for (int64_t i = 0; i < list->n; i++)
        for (int64_t twin = 0; twin < list->entries[i].n_tasks; twin++)
            out->time_s[task++] = duration(out, &list->entries[i]);
    qsort(out->time_s, (size_t)out->n_tasks, sizeof *out->time_s, compare_descending);
    return STATUS_OK;
}

enum status paper_durations_make(const char *molecule, struct paper_durations *durations)
{
    struct work_list list = {0};
    *durations = (struct paper_durations){0};
    enum status status = list_work_of_file(molecule, &list);
    if (status == STATUS_OK && list.n < 2)
        status = FAIL(STATUS_INPUT, "%s: too few tasks", molecule);
    if (status == STATUS_OK) {
        fit(&list, durations);
        status = write_durations(&list, durations);
    }
    free(list.entries);
    return status;
}

void paper_durations_fini(struct paper_durations *durations)
{
    free(durations->time_s);
    *durations = (struct paper_durations){0};
}
