/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/quartet_batches.h"

#include "support/base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_QUARTETS = 1024,          /* of a batch */
    BATCH_INTEGRALS = 32 * 1024,  /* 256 KiB: within a second-level cache */
    BATCH_PRIMITIVES = 64 * 1024, /* quartets: within a millisecond or two */
    MAX_KETS = 1024,              /* of a selection */
};

/* Scratch for sorting the quartets of a batch: the kinds of their pairs, and their numbers in
 * several orders. */
struct quartet_order {
    uint8_t bra[MAX_QUARTETS], ket[MAX_QUARTETS];
    int16_t given[MAX_QUARTETS], by_bra[MAX_QUARTETS], by_both[MAX_QUARTETS];
};

/* Quartets with their numbers among all of the two classes (kept_quartets.h). */
struct numbered_quartets {
    struct quartet quartets[MAX_QUARTETS];
    int64_t numbers[MAX_QUARTETS];
};

struct quartet_batches {
    double threshold;
    struct two_electron *two_electron;
    struct numbered_quartets batch, unsorted, missing;
    double kept_s;           /* in compute_missing */
    struct kept_size before; /* of all classes before those being computed */
    struct quartet_order order;
    int32_t candidates[MAX_KETS]; /* positions of kets that may be computed with a bra */
    int32_t selected[MAX_KETS];   /* those of the candidates that are */
    double *integrals;
    int64_t integral_capacity;
};

static int64_t count_batch_integrals(const struct shells *shells)
{
    int64_t n = shells->max_group_functions, least = batch_size(n * n * n * n, 1);
    return least > BATCH_INTEGRALS ? least : BATCH_INTEGRALS;
}

int64_t quartet_batches_bytes(const struct shells *shells)
{
    return (int64_t)sizeof(struct quartet_batches) + two_electron_bytes(shells) +
           count_batch_integrals(shells) * (int64_t)sizeof(double);
}

enum status quartet_batches_create(const struct shells *shells, double threshold,
                                   struct engine_use *engines, struct quartet_batches **batches)
{
    struct quartet_batches *made = calloc(1, sizeof *made);
    *batches = NULL;
    TRY(CHECK_MEMORY(made, "no memory for batches of integrals"));
    made->threshold = threshold;
    made->integral_capacity = count_batch_integrals(shells);
    made->integrals = aligned_alloc(64, (size_t)made->integral_capacity * sizeof(double));
    enum status status = made->integrals
                             ? two_electron_create(shells, two_electron_cutoff(threshold), engines,
                                                   &made->two_electron)
                             : FAIL(STATUS_NO_MEMORY, "no memory for batches of integrals");
    if (status != STATUS_OK)
        quartet_batches_destroy(made);
    *batches = status == STATUS_OK ? made : NULL;
    return status;
}

void quartet_batches_destroy(struct quartet_batches *batches)
{
    if (!batches)
        return;
    two_electron_destroy(batches->two_electron);
    free(batches->integrals);
    free(batches);
}

double quartet_batches_kept_seconds(const struct quartet_batches *batches)
{
    return batches->kept_s;
}

enum { N_KINDS = 128 }; /* kinds of numbers of primitives: N_KINDS - 1 and more are one kind */

static uint8_t kind_of_pair(const struct shell_pair *pair)
{
    return (uint8_t)(pair->n_primitives < N_KINDS ? pair->n_primitives : N_KINDS - 1);
}

/* Sorts the numbers of n quartets by their kinds, stably. */
static void sort_by_kind(int32_t n, const uint8_t *kinds, const int16_t *from, int16_t *to)
{
    int32_t first[N_KINDS + 1] = {0};
    for (int32_t i = 0; i < n; i++)
        first[kinds[i] + 1]++;
    for (int k = 0; k < N_KINDS; k++)
        first[k + 1] += first[k];
    for (int32_t i = 0; i < n; i++)
        to[first[kinds[from[i]]]++] = from[i];
}

/* Brings quartets with like numbers of primitives together, which fill an engine's vectors best. */
static void sort_by_primitives(const struct quartet_batch *batch, struct quartet_batches *batches)
{
    if (batch->bra->single && batch->ket->single)
        return;
    struct quartet_order *order = &batches->order;
    int32_t n = batch->n_quartets;
    for (int32_t i = 0; i < n; i++) {
        order->bra[i] = kind_of_pair(&batch->bra->pairs[batch->quartets[i].bra]);
        order->ket[i] = kind_of_pair(&batch->ket->pairs[batch->quartets[i].ket]);
        order->given[i] = (int16_t)i;
    }
    sort_by_kind(n, order->bra, order->given, order->by_bra);
    sort_by_kind(n, order->ket, order->by_bra, order->by_both);
    struct numbered_quartets *from = &batches->unsorted, *to = &batches->batch;
    memcpy(from->quartets, to->quartets, (size_t)n * sizeof *to->quartets);
    memcpy(from->numbers, to->numbers, (size_t)n * sizeof *to->numbers);
    for (int32_t i = 0; i < n; i++) {
        to->quartets[i] = from->quartets[order->by_both[i]];
        to->numbers[i] = from->numbers[order->by_both[i]];
    }
}

/* Computes and keeps those quartets of the batch that are not kept yet. */
static void compute_missing(struct quartet_batches *batches, struct kept_quartets *kept,
                            struct computed_batch *batch)
{
    struct numbered_quartets *missing = &batches->missing;
    int64_t first = batches->before.n_quartets;
    int32_t n = 0;
    for (int32_t i = 0; i < batch->quartets.n_quartets; i++) {
        missing->quartets[n] = batches->batch.quartets[i];
        missing->numbers[n] = batches->batch.numbers[i];
        n += !kept_quartets_has(kept, first + batches->batch.numbers[i]);
    }
    batch->computed.quartets = missing->quartets;
    batch->computed.n_quartets = n;
    if (n == 0)
        return;
    double start_s = clock_now_s();
    two_electron_compute(batches->two_electron, &batch->computed, batches->integrals);
    kept_quartets_put(batches->integrals, missing->numbers, n,
                      quartet_n_integrals(batch->quartets.bra, batch->quartets.ket),
                      kept->integrals + batches->before.n_integrals);
    for (int32_t i = 0; i < n; i++)
        kept_quartets_note(kept, first + missing->numbers[i]);
    batches->kept_s += clock_now_s() - start_s;
}

/* Sets the integrals of the batch. */
static void provide_integrals(struct quartet_batches *batches, struct kept_quartets *kept,
                              struct computed_batch *batch)
{
    batch->computed = batch->quartets;
    if (!kept) {
        two_electron_compute(batches->two_electron, &batch->quartets, batches->integrals);
        return;
    }
    compute_missing(batches, kept, batch);
    kept_quartets_get(kept->integrals + batches->before.n_integrals, batches->batch.numbers,
                      batch->quartets.n_quartets,
                      quartet_n_integrals(batch->quartets.bra, batch->quartets.ket),
                      batches->integrals);
}

static void compute_batch(struct quartet_batches *batches, const struct quartet_source *source,
                          struct computed_batch *batch)
{
    if (batch->quartets.n_quartets == 0)
        return;
    sort_by_primitives(&batch->quartets, batches);
    struct class_cost *cost = batch->cost;
    double start_s = cost ? clock_now_s() : 0;
    provide_integrals(batches, source->kept, batch);
    double computed_s = cost ? clock_now_s() : 0;
    source->use(batch, source->context);
    if (cost) {
        class_cost_add(cost, &batch->quartets);
        cost->integral_s += computed_s - start_s;
        cost->selection_s -= clock_now_s() - start_s; /* of all the time of compute_classes */
    }
    batch->quartets.n_quartets = 0;
}

/* Number of quartets of a batch that stays within the limits if each is like this one:
 * the pairs of largest bound have about as many primitives as any. */
static int64_t quartets_of_batch(const struct shell_pair *bra, const struct shell_pair *ket,
                                 int64_t capacity)
{
    int64_t most = BATCH_PRIMITIVES / ((int64_t)bra->n_primitives * ket->n_primitives + 1) + 1;
    most = most < MAX_QUARTETS ? most : MAX_QUARTETS;
    return most < capacity ? most : capacity;
}

/* Kets that may be computed with a bra: all n, or those at n positions. */
struct ket_candidates {
    const struct shell_pair *bra, *kets;
    const int32_t *positions; /* NULL: all */
    int32_t n;
};

static struct ket_candidates find_candidates(struct quartet_batches *batches,
                                             const struct quartet_source *source,
                                             const struct shell_pair *bra,
                                             const struct shell_pair *kets, int32_t n_kets)
{
    struct ket_candidates candidates = {.bra = bra, .kets = kets, .n = n_kets};
    if (source->represent) {
        candidates.positions = batches->candidates;
        candidates.n = source->represent(bra, kets, n_kets, batches->candidates, source->context);
    }
    return candidates;
}

/* Numbers in batches->selected of the candidates to be computed. */
static int32_t select_kets(struct quartet_batches *batches, const struct quartet_source *source,
                           const struct ket_candidates *candidates)
{
    if (source->select)
        return source->select(candidates->bra, candidates->kets, candidates->positions,
                              candidates->n, batches->selected, source->context);
    for (int32_t i = 0; i < candidates->n; i++)
        batches->selected[i] = i;
    return candidates->n;
}

/* Whether the engines' bra comes from the ket pairs: it is the side of lower angular momentum, of
 * equal ones that of fewer functions, as its step is repeated for every primitive quartet. */
static bool is_exchanged(const struct pair_class *bra, const struct pair_class *ket)
{
    int bra_l = bra->l_first + bra->l_second, ket_l = ket->l_first + ket->l_second;
    if (bra_l != ket_l)
        return bra_l > ket_l;
    return bra->n_first * bra->n_second > ket->n_first * ket->n_second;
}

/* Number of kets of bra number i: those above the threshold, as pairs come by descending bound. n_kets
 * is that of the bra before, at first all. */
static int32_t count_kets(const struct quartet_batches *batches, const struct pair_class *bra,
                          int32_t i, const struct pair_class *ket, bool triangle, int32_t *n_kets)
{
    while (*n_kets > 0 && bra->pairs[i].bound * ket->pairs[*n_kets - 1].bound < batches->threshold)
        --*n_kets;
    return triangle && i + 1 < *n_kets ? i + 1 : *n_kets;
}

static void add_quartet(struct quartet_batches *batches, struct computed_batch *batch,
                        struct quartet quartet, int64_t number)
{
    int32_t n = batch->quartets.n_quartets++;
    batches->batch.quartets[n] = quartet;
    batches->batch.numbers[n] = number;
}

/* Computes all quartets of a bra class with a ket class; batch: an empty one of the two. Returns the
 * number of quartets that may be computed, whether they were or not. */
static int64_t compute_in_batches(struct quartet_batches *batches,
                                  const struct quartet_source *source, const struct pair_class *bra,
                                  const struct pair_class *ket, bool triangle,
                                  struct computed_batch *batch)
{
    int64_t capacity =
        batches->integral_capacity / batch_size(quartet_n_integrals(bra, ket), 1) * QUARTET_LANES;
    int32_t n_kets = ket->n_pairs;
    int64_t number = 0; /* of the first quartet of the row */
    for (int32_t i = 0; i < bra->n_pairs && n_kets > 0; i++) {
        const struct shell_pair *bra_pair = &bra->pairs[i];
        int32_t end = count_kets(batches, bra, i, ket, triangle, &n_kets);
        int64_t most = quartets_of_batch(bra_pair, &ket->pairs[0], capacity);
        for (int32_t first = 0; first < end; first += MAX_KETS) {
            int32_t n = end - first < MAX_KETS ? end - first : MAX_KETS;
            struct ket_candidates row =
                find_candidates(batches, source, bra_pair, &ket->pairs[first], n);
            int32_t n_selected = select_kets(batches, source, &row);
            for (int32_t s = 0; s < n_selected; s++) {
                int32_t at = batches->selected[s];
                int32_t j = first + (row.positions ? row.positions[at] : at);
                struct quartet quartet =
                    batch->exchanged ? (struct quartet){j, i} : (struct quartet){i, j};
                add_quartet(batches, batch, quartet, number + at);
                if (batch->quartets.n_quartets >= most)
                    compute_batch(batches, source, batch);
            }
            number += row.n;
        }
    }
    compute_batch(batches, source, batch);
    return number;
}

/* Two classes of a source. */
struct two_classes {
    const struct pair_class *bra, *ket;
    bool triangle; /* bra number i has only kets up to i */
    bool has_rows; /* which the user takes */
};

/* Calls function for every two classes of the source, in an order that depends on it alone. */
static void visit_classes(const struct quartet_batches *batches,
                          const struct quartet_source *source,
                          void (*function)(const struct two_classes *classes, void *context),
                          void *context)
{
    for (int b = 0; b < source->bra->n_classes; b++) {
        const struct pair_class *bra = &source->bra->classes[b];
        int n_ket_classes = source->unique ? b + 1 : source->ket->n_classes;
        if (bra->pairs[0].bound * source->ket->max_bound < batches->threshold)
            continue;
        for (int k = 0; k < n_ket_classes; k++) {
            const struct pair_class *ket = &source->ket->classes[k];
            struct two_classes classes = {
                .bra = bra,
                .ket = ket,
                .triangle = source->unique && b == k,
                .has_rows =
                    source->use_rows && two_electron_has_rows(batches->two_electron, bra, ket)};
            function(&classes, context);
        }
    }
}

/* A computation or a count of quartets. */
struct batch_call {
    struct quartet_batches *batches;
    const struct quartet_source *source;
};

struct size_call {
    struct quartet_batches *batches;
    const struct quartet_source *source;
    struct kept_size size;
};

static int64_t count_candidates(struct quartet_batches *batches,
                                const struct quartet_source *source, const struct shell_pair *bra,
                                const struct shell_pair *kets, int32_t n_kets)
{
    int64_t sum = 0;
    if (!source->represent)
        return n_kets;
    for (int32_t first = 0; first < n_kets; first += MAX_KETS) {
        int32_t n = n_kets - first < MAX_KETS ? n_kets - first : MAX_KETS;
        sum += find_candidates(batches, source, bra, kets + first, n).n;
    }
    return sum;
}

static void add_size(const struct two_classes *classes, void *context)
{
    struct size_call *call = context;
    int32_t n_kets = classes->ket->n_pairs;
    int64_t n = 0;
    if (classes->has_rows)
        return;
    for (int32_t i = 0; i < classes->bra->n_pairs && n_kets > 0; i++) {
        int32_t end =
            count_kets(call->batches, classes->bra, i, classes->ket, classes->triangle, &n_kets);
        n += count_candidates(call->batches, call->source, &classes->bra->pairs[i],
                              classes->ket->pairs, end);
    }
    call->size.n_quartets += n;
    call->size.n_integrals += n * quartet_n_integrals(classes->bra, classes->ket);
}

struct kept_size quartet_batches_kept_size(struct quartet_batches *batches,
                                           const struct quartet_source *source)
{
    struct size_call call = {.batches = batches, .source = source};
    visit_classes(batches, source, add_size, &call);
    return call.size;
}

static void compute_classes(const struct two_classes *classes, void *context)
{
    struct batch_call *call = context;
    struct quartet_batches *batches = call->batches;
    const struct quartet_source *source = call->source;
    bool exchanged = is_exchanged(classes->bra, classes->ket);
    struct computed_batch batch = {.quartets = {.bra = exchanged ? classes->ket : classes->bra,
                                                .ket = exchanged ? classes->bra : classes->ket,
                                                .quartets = batches->batch.quartets},
                                   .exchanged = exchanged,
                                   .integrals = batches->integrals};
    double start_s = 0;
    if (source->costs) {
        batch.cost = class_costs_of(source->costs, &batch.quartets);
        start_s = clock_now_s();
    }
    if (classes->has_rows) {
        struct rows_of_classes rows = {batches->two_electron, classes->bra, classes->ket,
                                       classes->triangle, batch.cost};
        source->use_rows(&rows, source->context);
        return;
    }
    int64_t n =
        compute_in_batches(batches, source, classes->bra, classes->ket, classes->triangle, &batch);
    if (batch.cost)
        batch.cost->selection_s += clock_now_s() - start_s;
    batches->before.n_quartets += n;
    batches->before.n_integrals += n * quartet_n_integrals(classes->bra, classes->ket);
}

void quartet_batches_compute(struct quartet_batches *batches, const struct quartet_source *source)
{
    struct batch_call call = {batches, source};
    batches->before = (struct kept_size){0};
    visit_classes(batches, source, compute_classes, &call);
}
