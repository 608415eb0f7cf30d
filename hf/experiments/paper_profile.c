/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes durations of the tasks of a chain of Be atoms as Lifflander, Krishnamoorthy, Kale,
 * HPDC 2012, had them on Hopper, as far as they can be known: of HF-Be256 with tiles of 40
 * functions the paper gives the mean (48 s on 2,400 cores) and the longest (its 5.8 % above
 * 3 s).
 *
 *     paper_profile INPUT.xyz TILE PROFILE.csv|PROFILE.npy
 *
 * INPUT is a chain whose functions, of be15s, are all of type s, such as inputs/be512.xyz. A
 * row of PROFILE is the number of a task among all ordered quartets of tiles, as with
 * --symmetry none, and its seconds.
 *
 * A task (IJ|KL) goes through the function pairs of IJ, and for each that reaches the
 * Schwarz threshold with the largest bound of KL through all of KL; what passes the
 * test with both bounds is an integral. So its duration is taken as
 *     a x integrals + b x tests,
 * both counted from the bounds of the very input; the mean and the longest of HF-Be256 are
 * two equations for a and b, which other inputs and tiles share. */
#include "basis/input/basis_set.h"
#include "basis/input/molecule.h"
#include "hf/tiles/screening.h"
#include "sched/lab/profiles/profile.h"
#include "support/arrays/darray.h"
#include "support/base/array.h"
#include "support/io/text_file.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of Lifflander et al.; the tile was 40 functions. */
#define THRESHOLD 1e-6
enum { PAPER_TILE = 40 };
#define PAPER_MEAN_S    (115200.0 / 213144)
#define PAPER_LONGEST_S 3.17

/* The fitted parameters. */
struct costs {
    double integral_s; /* a */
    double test_s;     /* b */
};

/* A pair of tiles I >= J. */
struct tile_pair {
    int64_t index;
    int64_t n;            /* function pairs */
    double *bounds;       /* n, largest first */
    int64_t orientations; /* (I, J) and (J, I) are tasks' tile pairs both */
};

/* Work of the tasks of two pairs of tiles, in any orientation of either. */
struct work {
    int64_t bra, ket; /* numbers of the pairs */
    double integrals, tests;
    int64_t n_tasks;
};

struct work_list {
    int64_t n, capacity;
    struct work *entries;
    int64_t n_tiles;
};

static int compare_tile_pairs(const void *left, const void *right)
{
    const struct tile_pair *a = left, *b = right;
    return (a->bounds[0] < b->bounds[0]) - (a->bounds[0] > b->bounds[0]);
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
    return (struct work){
        .integrals = integrals, .tests = tests, .n_tasks = bra->orientations * ket->orientations};
}

/* pairs: the largest bound first, so that no null task is looked at but the first */
static enum status list_work(const struct tile_pair *pairs, int64_t n_pairs, struct work_list *list)
{
    for (int64_t bra = 0; bra < n_pairs; bra++)
        for (int64_t ket = 0; ket < n_pairs; ket++) {
            if (pairs[bra].bounds[0] * pairs[ket].bounds[0] < THRESHOLD)
                break;
            TRY(array_reserve(&list->entries, list->n + 1, &list->capacity, sizeof *list->entries));
            struct work *work = &list->entries[list->n++];
            *work = count_work(&pairs[bra], &pairs[ket]);
            work->bra = pairs[bra].index;
            work->ket = pairs[ket].index;
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
        pair->index = index;
        pair->n = tile_n_groups(tiling, I) * tile_n_groups(tiling, J);
        pair->orientations = I == J ? 1 : 2;
        pair->bounds = malloc((size_t)pair->n * sizeof *pair->bounds);
        TRY(CHECK_MEMORY(pair->bounds, "no memory for the bounds of a pair of tiles"));
        darray_get(screening->group_bounds, index, pair->bounds);
        qsort(pair->bounds, (size_t)pair->n, sizeof *pair->bounds, array_descending);
    }
    return STATUS_OK;
}

/* A chain of atoms in the basis, cut into tiles. */
struct chain {
    struct molecule molecule;
    struct basis_set set;
    struct shells *shells;
    struct tiling *tiling;
    struct screening *screening;
    struct tile_pair *pairs; /* of the tiling */
};

static void chain_fini(struct chain *chain)
{
    for (int64_t pair = 0; chain->pairs && pair < tiling_n_pairs(chain->tiling); pair++)
        free(chain->pairs[pair].bounds);
    free(chain->pairs);
    screening_destroy(chain->screening);
    tiling_destroy(chain->tiling);
    shells_destroy(chain->shells);
    basis_set_fini(&chain->set);
    molecule_fini(&chain->molecule);
}

static enum status read_chain(const char *name, struct molecule *molecule)
{
    const struct molecule_settings settings = {.unit = LENGTH_BOHR};
    struct text_file text;
    TRY(text_file_read_all(name, MPI_COMM_WORLD, &text));
    enum status status = molecule_parse(text.bytes, text.length, name, &settings, molecule);
    text_file_fini(&text);
    return status;
}

/* Errors: on failure chain_fini still has to be called. */
static enum status chain_init(const char *name, int64_t tile, struct chain *chain)
{
    *chain = (struct chain){0};
    TRY(read_chain(name, &chain->molecule));
    TRY(basis_set_read_all("be15s", MPI_COMM_WORLD, &chain->set));
    TRY(shells_create(&chain->molecule, &chain->set, BASIS_FORM_UNSTATED, &chain->shells));
    TRY(tiling_create(chain->shells, tile, &chain->tiling));
    TRY(screening_create(chain->tiling, THRESHOLD, NULL, MPI_COMM_WORLD, &chain->screening));
    int64_t n_pairs = tiling_n_pairs(chain->tiling);
    chain->pairs = calloc((size_t)n_pairs, sizeof *chain->pairs);
    TRY(CHECK_MEMORY(chain->pairs, "no memory for tile pairs"));
    TRY(sort_bounds(chain->screening, chain->pairs));
    qsort(chain->pairs, (size_t)n_pairs, sizeof *chain->pairs, compare_tile_pairs);
    return STATUS_OK;
}

static enum status list_work_of_file(const char *name, int64_t tile, struct work_list *list)
{
    struct chain chain;
    enum status status = chain_init(name, tile, &chain);
    if (status != STATUS_OK)
        goto done;
    list->n_tiles = chain.tiling->n_tiles;
    status = list_work(chain.pairs, tiling_n_pairs(chain.tiling), list);
done:
    chain_fini(&chain);
    return status;
}

static double duration(const struct costs *costs, const struct work *work)
{
    return costs->integral_s * work->integrals + costs->test_s * work->tests;
}

/* Solves the two equations, in which `longest` is taken for the longest task. */
static struct costs fit_costs(const struct work *mean, const struct work *longest)
{
    double determinant = mean->integrals * longest->tests - mean->tests * longest->integrals;
    return (struct costs){
        (PAPER_MEAN_S * longest->tests - PAPER_LONGEST_S * mean->tests) / determinant,
        (PAPER_LONGEST_S * mean->integrals - PAPER_MEAN_S * longest->integrals) / determinant};
}

/* The longest task depends on the costs, and they on it: iterates from the task with most
 * integrals. Ends because only a few kinds of tasks can be the longest. */
static struct costs fit(const struct work_list *list)
{
    struct work mean = {0};
    struct costs costs = {0};
    const struct work *longest = list->entries, *before = NULL;
    for (int64_t i = 0; i < list->n; i++) {
        const struct work *work = &list->entries[i];
        mean.integrals += work->integrals * (double)work->n_tasks;
        mean.tests += work->tests * (double)work->n_tasks;
        mean.n_tasks += work->n_tasks;
        longest = work->integrals > longest->integrals ? work : longest;
    }
    mean.integrals /= (double)mean.n_tasks;
    mean.tests /= (double)mean.n_tasks;
    while (longest != before) {
        costs = fit_costs(&mean, longest);
        before = longest;
        for (int64_t i = 0; i < list->n; i++)
            if (duration(&costs, &list->entries[i]) > duration(&costs, longest) * (1 + 1e-12))
                longest = &list->entries[i];
    }
    return costs;
}

/* --- output --- */

/* Numbers of the ordered pairs of a pair of tiles; returns how many. */
static int list_ordered(int64_t pair, int64_t n_tiles, int64_t ordered[2])
{
    int64_t I, J;
    tile_pair_of_index(pair, &I, &J);
    ordered[0] = I * n_tiles + J;
    ordered[1] = J * n_tiles + I;
    return I == J ? 1 : 2;
}

static enum status list_tasks(const struct work_list *list, const struct costs *costs,
                              struct taskpool_history *tasks)
{
    int64_t n_pairs = list->n_tiles * list->n_tiles;
    for (int64_t i = 0; i < list->n; i++) {
        const struct work *work = &list->entries[i];
        int64_t bras[2], kets[2];
        int n_bras = list_ordered(work->bra, list->n_tiles, bras);
        int n_kets = list_ordered(work->ket, list->n_tiles, kets);
        for (int bra = 0; bra < n_bras; bra++)
            for (int ket = 0; ket < n_kets; ket++)
                TRY(history_add(tasks, bras[bra] * n_pairs + kets[ket], duration(costs, work), 0));
    }
    return STATUS_OK;
}

static void print_summary(const struct taskpool_history *tasks, const struct costs *costs)
{
    double sum_s = 0, longest_s = 0;
    for (int64_t i = 0; i < tasks->n_entries; i++) {
        sum_s += tasks->entries[i].time_s;
        longest_s = fmax(longest_s, tasks->entries[i].time_s);
    }
    printf("%lld tasks, integrals of %.2f us, tests of %.2f us: mean %.4f s, longest %.3f s\n",
           (long long)tasks->n_entries, 1e6 * costs->integral_s, 1e6 * costs->test_s,
           sum_s / (double)tasks->n_entries, longest_s);
}

static enum status find_costs(struct costs *costs)
{
    struct work_list list = {0};
    enum status status = list_work_of_file(BERYL_INPUTS "/be256.xyz", PAPER_TILE, &list);
    if (status != STATUS_OK)
        goto done;
    *costs = fit(&list);
done:
    free(list.entries);
    return status;
}

static enum status write_paper_profile(const char *molecule, int64_t tile, const char *path)
{
    struct costs costs;
    struct work_list list = {0};
    struct taskpool_history tasks = {0};
    TRY(find_costs(&costs));
    enum status status = list_work_of_file(molecule, tile, &list);
    if (status != STATUS_OK)
        goto done;
    status = list_tasks(&list, &costs, &tasks);
    if (status != STATUS_OK)
        goto done;
    status = profile_write(MPI_COMM_WORLD, &tasks, path);
    if (status != STATUS_OK)
        goto done;
    print_summary(&tasks, &costs);
done:
    history_fini(&tasks);
    free(list.entries);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    enum status status = STATUS_USAGE;
    if (argc != 4 || atoll(argv[2]) < 1) {
        fprintf(stderr, "Usage: paper_profile INPUT.xyz TILE PROFILE.csv|PROFILE.npy\n");
    } else if ((status = darray_start()) == STATUS_OK) {
        status = write_paper_profile(argv[1], atoll(argv[2]), argv[3]);
        if (status != STATUS_OK)
            status_print("paper_profile");
        darray_stop();
    }
    MPI_Finalize();
    return status_exit_code(status);
}
