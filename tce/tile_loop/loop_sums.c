/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_sums.h"

#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

struct loop_sums {
    int n;
    struct loop_sum *sums;
};

/* A step's factors, indices by C's places and, behind these, in the order in which the factors have them:
 * of steps that do the same, but for their factor, keys are equal. */
struct step_key {
    int tensor[2], n[2];
    int index[2][MAX_RANK];
};

struct numbered_step {
    struct step_key key;
    int step; /* its number in the sum */
};

/* The steps of a sum. */
struct numbered_steps {
    int n, rank; /* rank: of C */
    const struct tile_loop_step *steps;
    /* 2 n, by their keys: as they are, and with their factors exchanged */
    struct numbered_step *sorted;
};

/* factors  in which order they are numbered */
static struct step_key number_factors(const struct tile_loop_step *step,
                                      const enum loop_operand factors[2])
{
    struct step_key key = {{0}, {0}, {{0}}};
    int number[MAX_INDICES], n = step->labels[LOOP_C].rank;
    for (int x = 0; x < MAX_INDICES; x++)
        number[x] = -1;
    for (int d = 0; d < n; d++)
        number[step->index[LOOP_C][d]] = d;
    for (int f = 0; f < 2; f++) {
        key.tensor[f] = step->tensor[factors[f]];
        key.n[f] = step->labels[factors[f]].rank;
        for (int d = 0; d < key.n[f]; d++) {
            int *of_index = &number[step->index[factors[f]][d]];
            if (*of_index < 0)
                *of_index = n++;
            key.index[f][d] = *of_index;
        }
    }
    return key;
}

static struct step_key key_of_step(const struct tile_loop_step *step, bool exchanged)
{
    static const enum loop_operand orders[2][2] = {{LOOP_A, LOOP_B}, {LOOP_B, LOOP_A}};
    return number_factors(step, orders[exchanged]);
}

static int compare_keys(const void *a, const void *b)
{
    const struct numbered_step *left = a, *right = b;
    return memcmp(&left->key, &right->key, sizeof left->key);
}

static enum status number_steps(const struct tile_loop_problem *problem, const struct loop_sum *sum,
                                struct numbered_steps *numbered)
{
    int n = sum->end - sum->first;
    *numbered = (struct numbered_steps){.n = n,
                                        .rank = problem->steps[sum->first].labels[LOOP_C].rank,
                                        .steps = problem->steps + sum->first,
                                        .sorted = calloc(2 * (size_t)n, sizeof *numbered->sorted)};
    TRY(CHECK_MEMORY(numbered->sorted, "no memory for a sum of a loop over tiles"));
    for (int t = 0; t < 2 * n; t++)
        numbered->sorted[t] =
            (struct numbered_step){key_of_step(&numbered->steps[t / 2], t % 2), t / 2};
    qsort(numbered->sorted, 2 * (size_t)n, sizeof *numbered->sorted, compare_keys);
    return STATUS_OK;
}

/* --- permutations --- */

/* The permutation of C's places that takes one step to the other, if there is one. */
static bool find_permutation(int rank, const struct step_key *from, const struct step_key *to,
                             int place[MAX_RANK])
{
    bool taken[MAX_RANK] = {false};
    bool found = from->tensor[0] == to->tensor[0] && from->tensor[1] == to->tensor[1];
    for (int d = 0; d < rank; d++)
        place[d] = -1;
    for (int f = 0; f < 2 && found; f++)
        for (int d = 0; d < from->n[f] && found; d++) {
            int x = from->index[f][d], image = to->index[f][d];
            if (x >= rank || image >= rank) {
                found = x == image;
                continue;
            }
            found = place[x] < 0 ? !taken[image] : place[x] == image;
            place[x] = image;
            taken[image] = true;
        }
    return found;
}

static bool is_identity(int rank, const int place[])
{
    bool is = true;
    for (int d = 0; d < rank; d++)
        is = is && place[d] == d;
    return is;
}

/* Whether places that are exchanged have the same values, or are both of the loop. */
static bool may_exchange_places(const struct tile_loop_tensor *C, const int place[])
{
    bool allowed = true;
    for (int d = 0; d < C->labels.rank; d++) {
        int e = place[d];
        allowed = allowed && e >= 0 && C->labels.space[d] == C->labels.space[e] &&
                  C->labels.sign[d] == C->labels.sign[e] &&
                  (C->loop_index[d] < 0) == (C->loop_index[e] < 0);
    }
    return allowed;
}

/* A step's number in the sum; -1: it has none that does this. */
static int find_step_image(const struct numbered_steps *numbered, int step, const int place[])
{
    struct numbered_step image = {.key = key_of_step(&numbered->steps[step], false)};
    for (int f = 0; f < 2; f++)
        for (int d = 0; d < image.key.n[f]; d++) {
            int *x = &image.key.index[f][d];
            *x = *x < numbered->rank ? place[*x] : *x;
        }
    const struct numbered_step *found = bsearch(&image, numbered->sorted, 2 * (size_t)numbered->n,
                                                sizeof *numbered->sorted, compare_keys);
    return found ? found->step : -1;
}

/* Finds the images of all steps, each the image of one; false: a step has none, or not with this sign.
 * taken  false for each step; scratch */
static bool find_images(const struct numbered_steps *numbered, bool taken[],
                        struct sum_permutation *permutation)
{
    bool complete = true;
    permutation->fixes_step = false;
    for (int s = 0; s < numbered->n && complete; s++) {
        int image = find_step_image(numbered, s, permutation->place);
        complete = image >= 0 && !taken[image] &&
                   numbered->steps[image].factor == permutation->sign * numbered->steps[s].factor;
        permutation->image[s] = image;
        permutation->fixes_step = permutation->fixes_step || image == s;
        if (complete)
            taken[image] = true;
    }
    return complete;
}

static bool is_known(const struct loop_sum *sum, int rank, const int place[])
{
    bool known = false;
    for (int p = 0; p < sum->n_permutations; p++)
        known =
            known || memcmp(sum->permutations[p].place, place, (size_t)rank * sizeof place[0]) == 0;
    return known;
}

/* Adds the permutation if it takes the sum to itself. */
static enum status try_permutation(const struct numbered_steps *numbered, const int place[],
                                   double sign, struct loop_sum *sum)
{
    size_t n = (size_t)numbered->n;
    struct sum_permutation tried = {.sign = sign, .image = calloc(n, sizeof *tried.image)};
    bool *taken = calloc(n, sizeof *taken), kept = false;
    enum status status =
        CHECK_MEMORY(tried.image && taken, "no memory for a sum of a loop over tiles");
    memcpy(tried.place, place, sizeof tried.place);
    if (status == STATUS_OK && find_images(numbered, taken, &tried)) {
        status = array_append(&sum->permutations, &sum->n_permutations, sizeof *sum->permutations);
        kept = status == STATUS_OK;
    }
    if (kept)
        sum->permutations[sum->n_permutations - 1] = tried;
    else
        free(tried.image);
    free(taken);
    return status;
}

/* All that take the sum to itself: each takes its first step to one of the others. */
static enum status try_permutations(const struct tile_loop_tensor *C,
                                    const struct numbered_steps *numbered, struct loop_sum *sum)
{
    const struct step_key from = key_of_step(&numbered->steps[0], false);
    double factor = numbered->steps[0].factor;
    for (int t = 0; t < 2 * numbered->n && factor != 0; t++) {
        const struct tile_loop_step *step = &numbered->steps[t / 2];
        const struct step_key to = key_of_step(step, t % 2);
        int place[MAX_RANK];
        if (find_permutation(numbered->rank, &from, &to, place) &&
            !is_identity(numbered->rank, place) && may_exchange_places(C, place) &&
            !is_known(sum, numbered->rank, place))
            TRY(try_permutation(numbered, place, step->factor / factor, sum));
    }
    return STATUS_OK;
}

static enum status find_permutations(const struct tile_loop_problem *problem, struct loop_sum *sum)
{
    int tensor = problem->steps[sum->first].tensor[LOOP_C];
    struct numbered_steps numbered;
    enum status status = number_steps(problem, sum, &numbered);
    if (status == STATUS_OK)
        status = try_permutations(&problem->tensors[tensor], &numbered, sum);
    free(numbered.sorted);
    return status;
}

/* --- order --- */

/* Whether the places of C that one factor has are those of a factor of the other step, too. */
static bool has_same_rows(const struct contraction_indices *a, const struct contraction_indices *b)
{
    bool same = true, exchanged = true;
    for (int d = 0; d < a->C.own.n; d++) {
        int x = a->C.own.index[d], y = b->C.own.index[d];
        bool a_row = index_list_count(&a->A.own, x) > 0, b_row = index_list_count(&b->A.own, y) > 0;
        bool a_column = index_list_count(&a->B.own, x) > 0;
        bool b_column = index_list_count(&b->B.own, y) > 0;
        same = same && a_row == b_row && a_column == b_column;
        exchanged = exchanged && a_row == b_column && a_column == b_row;
    }
    return same || exchanged;
}

static void order_by_rows(const struct loop_step_tasks steps[], struct loop_sum *sum)
{
    int n = sum->end - sum->first, n_ordered = 0;
    for (int s = 0; s < n; s++) {
        bool is_listed = false;
        for (int i = 0; i < n_ordered; i++)
            is_listed = is_listed || sum->order[i] == s;
        for (int t = s; t < n && !is_listed; t++)
            if (has_same_rows(&steps[sum->first + s].indices, &steps[sum->first + t].indices))
                sum->order[n_ordered++] = t;
    }
}

/* --- creation --- */

static bool begins_sum(const struct tile_loop_problem *problem, int s)
{
    const struct tile_loop_step *step = &problem->steps[s];
    return s < problem->first_sliced && problem->tensors[step->tensor[LOOP_C]].local &&
           step->labels[LOOP_C].rank > 0 && step->tensor[LOOP_B] >= 0;
}

static bool continues_sum(const struct tile_loop_problem *problem, int first, int s)
{
    return begins_sum(problem, s) && problem->steps[s].add &&
           problem->steps[s].tensor[LOOP_C] == problem->steps[first].tensor[LOOP_C];
}

static enum status add_sum(const struct tile_loop_problem *problem,
                           const struct loop_step_tasks steps[], int first, int end,
                           struct loop_sums *sums)
{
    TRY(array_append(&sums->sums, &sums->n, sizeof *sums->sums));
    struct loop_sum *sum = &sums->sums[sums->n - 1];
    *sum = (struct loop_sum){.first = first, .end = end};
    sum->order = calloc((size_t)(end - first), sizeof *sum->order);
    TRY(CHECK_MEMORY(sum->order, "no memory for a sum of a loop over tiles"));
    order_by_rows(steps, sum);
    /* A sum that is added to something else cannot be replaced by the sum of its images. */
    return problem->steps[first].add ? STATUS_OK : find_permutations(problem, sum);
}

enum status loop_sums_create(const struct tile_loop_problem *problem,
                             const struct loop_step_tasks steps[], struct loop_sums **sums)
{
    struct loop_sums *made = *sums = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a loop over tiles"));
    for (int s = 0, end; s < problem->n_steps; s = end) {
        end = s + 1;
        if (!begins_sum(problem, s))
            continue;
        while (end < problem->n_steps && continues_sum(problem, s, end))
            end++;
        TRY(add_sum(problem, steps, s, end, made));
    }
    return STATUS_OK;
}

void loop_sums_destroy(struct loop_sums *sums)
{
    if (!sums)
        return;
    for (int i = 0; i < sums->n; i++) {
        for (int p = 0; p < sums->sums[i].n_permutations; p++)
            free(sums->sums[i].permutations[p].image);
        free(sums->sums[i].permutations);
        free(sums->sums[i].order);
    }
    free(sums->sums);
    free(sums);
}

const struct loop_sum *loop_sums_find(const struct loop_sums *sums, int first)
{
    int i = 0;
    while (i < sums->n && sums->sums[i].first != first)
        i++;
    return i < sums->n ? &sums->sums[i] : NULL;
}

/* --- choice --- */

static bool keeps_tiles(const struct tile_loop_tensor *C, const struct sum_permutation *permutation,
                        const int32_t tuple[])
{
    bool keeps = true;
    for (int d = 0; d < C->labels.rank; d++)
        if (C->loop_index[d] >= 0)
            keeps = keeps && tuple[C->loop_index[d]] == tuple[C->loop_index[permutation->place[d]]];
    return keeps;
}

void loop_sum_choose(const struct tile_loop_problem *problem, const struct loop_sum *sum,
                     const int32_t tuple[], int *n_kept, int kept[], bool is_image_of[])
{
    const struct tile_loop_tensor *C = &problem->tensors[problem->steps[sum->first].tensor[LOOP_C]];
    int n = sum->end - sum->first;
    bool fixes_step = false;
    memset(is_image_of, 0, (size_t)n * sizeof *is_image_of);
    *n_kept = 0;
    for (int p = 0; p < sum->n_permutations; p++)
        if (keeps_tiles(C, &sum->permutations[p], tuple)) {
            fixes_step = fixes_step || sum->permutations[p].fixes_step;
            kept[(*n_kept)++] = p;
        }
    /* A step that is its own image would count twice. */
    if (fixes_step)
        *n_kept = 0;
    for (int s = 0; s < n; s++)
        for (int p = 0; p < *n_kept && !is_image_of[s]; p++)
            is_image_of[sum->permutations[kept[p]].image[s]] = true;
}
