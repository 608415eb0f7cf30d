/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_sums.h"

#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

struct loop_sums {
    int n;
    struct loop_sum *sums;
};

/* A step whose indices are numbered by C's places, and behind these in the order in which its factors have
 * them: steps that do the same are equal. */
struct numbered_step {
    int tensor[2], n[2];
    int index[2][MAX_RANK];
    double factor;
};

/* factors  in which order they are numbered */
static struct numbered_step number_step(const struct tile_loop_step *step,
                                        const enum loop_operand factors[2])
{
    struct numbered_step numbered = {.factor = step->factor};
    int number[MAX_INDICES], n = step->labels[LOOP_C].rank;
    for (int x = 0; x < MAX_INDICES; x++)
        number[x] = -1;
    for (int d = 0; d < n; d++)
        number[step->index[LOOP_C][d]] = d;
    for (int f = 0; f < 2; f++) {
        numbered.tensor[f] = step->tensor[factors[f]];
        numbered.n[f] = step->labels[factors[f]].rank;
        for (int d = 0; d < numbered.n[f]; d++) {
            int *of_index = &number[step->index[factors[f]][d]];
            if (*of_index < 0)
                *of_index = n++;
            numbered.index[f][d] = *of_index;
        }
    }
    return numbered;
}

static struct numbered_step number_factors(const struct tile_loop_step *step, bool exchanged)
{
    static const enum loop_operand orders[2][2] = {{LOOP_A, LOOP_B}, {LOOP_B, LOOP_A}};
    return number_step(step, orders[exchanged]);
}

/* --- permutations --- */

static bool have_same_tensors(const struct numbered_step *a, const struct numbered_step *b)
{
    return a->tensor[0] == b->tensor[0] && a->tensor[1] == b->tensor[1];
}

/* The permutation of rank places that takes one step to the other, if there is one. */
static bool find_permutation(int rank, const struct numbered_step *from,
                             const struct numbered_step *to, int place[MAX_RANK])
{
    bool taken[MAX_RANK] = {false}, found = have_same_tensors(from, to);
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

static bool is_image(int rank, const struct numbered_step *step, const int place[],
                     const struct numbered_step *of)
{
    bool is = have_same_tensors(of, step);
    for (int f = 0; f < 2 && is; f++)
        for (int d = 0; d < of->n[f] && is; d++) {
            int x = of->index[f][d];
            is = step->index[f][d] == (x < rank ? place[x] : x);
        }
    return is;
}

/* Finds the images of all steps, each the image of one; false: a step has none, or not with this sign. */
static bool find_images(const struct tile_loop_problem *problem, const struct loop_sum *sum,
                        struct sum_permutation *permutation)
{
    int n = sum->end - sum->first, rank = problem->steps[sum->first].labels[LOOP_C].rank;
    bool complete = true;
    for (int s = 0; s < n && complete; s++) {
        const struct numbered_step of = number_factors(&problem->steps[sum->first + s], false);
        int image = -1;
        for (int t = 0; t < 2 * n && image < 0; t++) {
            const struct numbered_step step =
                number_factors(&problem->steps[sum->first + t / 2], t % 2);
            if (is_image(rank, &step, permutation->place, &of) &&
                step.factor == permutation->sign * of.factor)
                image = t / 2;
        }
        for (int t = 0; t < s; t++)
            complete = complete && permutation->image[t] != image;
        complete = complete && image >= 0;
        permutation->image[s] = image;
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
static enum status try_permutation(const struct tile_loop_problem *problem, const int place[],
                                   double sign, struct loop_sum *sum)
{
    size_t n = (size_t)(sum->end - sum->first);
    struct sum_permutation tried = {.sign = sign, .image = calloc(n, sizeof *tried.image)};
    enum status status = CHECK_MEMORY(tried.image, "no memory for a sum of a loop over tiles");
    memcpy(tried.place, place, sizeof tried.place);
    if (status == STATUS_OK && find_images(problem, sum, &tried))
        status = array_append(&sum->permutations, &sum->n_permutations, sizeof *sum->permutations);
    else
        goto fail;
    if (status != STATUS_OK)
        goto fail;
    sum->permutations[sum->n_permutations - 1] = tried;
    return STATUS_OK;
fail:
    free(tried.image);
    return status;
}

/* All that take the sum to itself: each takes its first step to one of the others. */
static enum status find_permutations(const struct tile_loop_problem *problem, struct loop_sum *sum)
{
    const struct tile_loop_step *first = &problem->steps[sum->first];
    const struct tile_loop_tensor *C = &problem->tensors[first->tensor[LOOP_C]];
    const struct numbered_step from = number_factors(first, false);
    int rank = C->labels.rank;
    for (int t = 0; t < 2 * (sum->end - sum->first); t++) {
        const struct numbered_step to = number_factors(&problem->steps[sum->first + t / 2], t % 2);
        int place[MAX_RANK];
        if (find_permutation(rank, &from, &to, place) && !is_identity(rank, place) &&
            may_exchange_places(C, place) && !is_known(sum, rank, place) && from.factor != 0)
            TRY(try_permutation(problem, place, to.factor / from.factor, sum));
    }
    return STATUS_OK;
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
    /* What is added to something else cannot be replaced by the sum of its images. */
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

/* Whether the images of a step under the kept permutations differ from it and from each other. */
static bool has_own_images(const struct loop_sum *sum, int n_kept, const int kept[], int step)
{
    bool own = true;
    for (int p = 0; p < n_kept; p++) {
        int image = sum->permutations[kept[p]].image[step];
        own = own && image != step;
        for (int q = 0; q < p; q++)
            own = own && sum->permutations[kept[q]].image[step] != image;
    }
    return own;
}

void loop_sum_choose(const struct tile_loop_problem *problem, const struct loop_sum *sum,
                     const int32_t tuple[], int *n_kept, int kept[], bool is_image_of[])
{
    const struct tile_loop_tensor *C = &problem->tensors[problem->steps[sum->first].tensor[LOOP_C]];
    int n = sum->end - sum->first;
    memset(is_image_of, 0, (size_t)n * sizeof *is_image_of);
    *n_kept = 0;
    for (int p = 0; p < sum->n_permutations; p++)
        if (keeps_tiles(C, &sum->permutations[p], tuple))
            kept[(*n_kept)++] = p;
    for (int s = 0; s < n; s++)
        if (!has_own_images(sum, *n_kept, kept, s))
            *n_kept = 0;
    for (int s = 0; s < n; s++)
        for (int p = 0; p < *n_kept && !is_image_of[s]; p++)
            is_image_of[sum->permutations[kept[p]].image[s]] = true;
}
