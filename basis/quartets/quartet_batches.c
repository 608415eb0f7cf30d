/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/quartets/quartet_batches.h"

#include "support/base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_QUARTETS = 1024,         /* of a batch */
    BATCH_INTEGRALS = 32 * 1024, /* 256 KiB: within a second-level cache */
    BATCH_PRIMITIVES = 64 * 1024 /* quartets: within a millisecond or two */
};

/* Quartets with their numbers among all of the two classes (kept_quartets.h). */
struct numbered_quartets {
    struct quartet quartets[MAX_QUARTETS];
    struct kept_number numbers[MAX_QUARTETS];
};

struct quartet_batches {
    double threshold;
    double unit; /* of the source, and least products of bounds of quartets of each width */
    double least_bound[N_KEPT_WIDTHS];
    struct two_electron *two_electron;
    struct numbered_quartets *batch, *sorted; /* in buffers; sorted: scratch of the sort */
    struct numbered_quartets buffers[2];
    struct kept_size before; /* of all classes before those being computed */
    struct kept_run
        runs[N_KEPT_WIDTHS];       /* of the classes being computed, where integrals are kept */
    bool filling;                  /* quartet_batches_fill */
    int16_t places[MAX_QUARTETS];  /* of a batch in the order of primitives */
    struct ket_rows rows;          /* of the classes being computed */
    int16_t selected[KET_ROW_MAX]; /* the computed candidates of a row */
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
    made->batch = &made->buffers[0];
    made->sorted = &made->buffers[1];
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

/* An order of the quartets of a batch in which those with like numbers of primitives are together: they fill
 * the vectors of an engine best. Returns the place of each quartet, in places; NULL: they stay where they
 * are. */
static const int16_t *order_by_primitives(const struct quartet_batch *batch,
                                          int16_t places[MAX_QUARTETS])
{
    int16_t first[PAIR_KINDS_MAX * PAIR_KINDS_MAX + 1]; /* number of the first quartet of each */
    int32_t n = batch->n_quartets, n_kinds = batch->bra->n_kinds * batch->ket->n_kinds;
    if (n_kinds == 1)
        return NULL;
    memset(first, 0, ((size_t)n_kinds + 1) * sizeof *first);
    for (int32_t i = 0; i < n; i++) {
        const struct shell_pair *bra = &batch->bra->pairs[batch->quartets[i].bra];
        const struct shell_pair *ket = &batch->ket->pairs[batch->quartets[i].ket];
        places[i] = (int16_t)(ket->kind * batch->bra->n_kinds + bra->kind);
        first[places[i] + 1]++;
    }
    if (first[places[0] + 1] == n)
        return NULL;
    for (int32_t k = 1; k <= n_kinds; k++)
        first[k] = (int16_t)(first[k] + first[k - 1]);
    for (int32_t i = 0; i < n; i++)
        places[i] = first[places[i]]++;
    return places;
}

/* Brings quartets with like numbers of primitives together. */
static void sort_by_primitives(struct quartet_batch *batch, struct quartet_batches *batches)
{
    const int16_t *places = order_by_primitives(batch, batches->places);
    struct numbered_quartets *from = batches->batch, *to = batches->sorted;
    if (!places)
        return;
    for (int32_t i = 0; i < batch->n_quartets; i++) {
        to->quartets[places[i]] = from->quartets[i];
        to->numbers[places[i]] = from->numbers[i];
    }
    batches->batch = to;
    batches->sorted = from;
    batch->quartets = to->quartets;
}

/* Sets the integrals of the batch. */
static void provide_integrals(struct quartet_batches *batches, struct kept_quartets *kept,
                              const struct quartet_batch *batch)
{
    struct kept_batch by_number = {.numbers = batches->batch->numbers,
                                   .n_quartets = batch->n_quartets,
                                   .n = quartet_n_integrals(batch->bra, batch->ket)};
    if (kept && !batches->filling) {
        kept_quartets_get(&by_number, kept->unit, batches->runs, batches->integrals);
        return;
    }
    two_electron_compute(batches->two_electron, batch, batches->integrals);
    if (batches->unit > 0)
        kept_quartets_round(&by_number, batches->unit, batches->integrals);
    if (kept)
        kept_quartets_put(&by_number, batches->integrals, kept->unit, batches->runs);
}

static void compute_batch(struct quartet_batches *batches, const struct quartet_source *source,
                          struct computed_batch *batch)
{
    if (batch->quartets.n_quartets == 0)
        return;
    batch->quartets.quartets = batches->batch->quartets;
    sort_by_primitives(&batch->quartets, batches);
    struct class_cost *cost = batch->cost;
    double start_s = cost ? clock_now_s() : 0;
    provide_integrals(batches, source->kept, &batch->quartets);
    double computed_s = cost ? clock_now_s() : 0;
    source->use(batch, source->context);
    if (cost) {
        if (!batches->filling) /* reading, which follows, counts them */
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

/* Two classes of a source. */
struct two_classes {
    const struct pair_class *bra, *ket;
    bool triangle; /* bra number i has only kets up to i */
    bool has_rows; /* which the user takes */
};

/* Starts to walk over the rows of two classes. from, to: where their list begins (ket_rows.h), or NULL. */
static void begin_ket_rows(struct quartet_batches *batches, const struct quartet_source *source,
                           const struct two_classes *classes, const int16_t *from, int16_t *to)
{
    struct ket_rows *rows = &batches->rows;
    rows->bra = classes->bra;
    rows->ket = classes->ket;
    rows->triangle = classes->triangle;
    rows->least_bound = batches->least_bound;
    rows->represent = source->represent;
    rows->context = source->context;
    rows->from = from;
    rows->to = to;
    ket_rows_begin(rows);
}

/* Numbers in batches->selected of the candidates to be computed. */
static int32_t select_kets(struct quartet_batches *batches, const struct quartet_source *source,
                           const struct two_classes *classes, const struct ket_row *row)
{
    if (source->select && !batches->filling)
        return source->select(&classes->bra->pairs[row->bra], &classes->ket->pairs[row->first],
                              row->positions, row->n, batches->selected, source->context);
    for (int32_t i = 0; i < row->n; i++)
        batches->selected[i] = (int16_t)i;
    return row->n;
}

/* Whether the engines' bra comes from the ket pairs. It is the side of lower angular momentum or,
 * if they are equal, of fewer functions, as its step is repeated for every primitive quartet. */
static bool is_exchanged(const struct pair_class *bra, const struct pair_class *ket)
{
    int bra_l = bra->l_first + bra->l_second, ket_l = ket->l_first + ket->l_second;
    if (bra_l != ket_l)
        return bra_l > ket_l;
    return bra->n_first * bra->n_second > ket->n_first * ket->n_second;
}

/* The computed candidates of a row with one width. */
struct row_selection {
    int32_t n, most; /* of all widths; of a batch */
    int32_t end;     /* candidates of the width are below it */
    uint64_t width;
    int64_t first_number;       /* of the candidates' numbers, less the candidate's own */
    const struct kept_run *run; /* to be read; NULL: none */
};

/* Adds the selected candidates from number s on that have the selection's width, until the batch has `most`
 * quartets. Returns the next s. */
static int32_t add_quartets(struct quartet_batches *batches, const struct ket_row *row,
                            const struct row_selection *selection, int32_t s,
                            struct computed_batch *batch)
{
    struct quartet *quartets = batches->batch->quartets;
    struct kept_number *numbers = batches->batch->numbers;
    int32_t n = batch->quartets.n_quartets;
    for (; s < selection->n && batches->selected[s] < selection->end && n < selection->most; s++) {
        int32_t at = batches->selected[s];
        int32_t ket = row->first + (row->positions ? row->positions[at] : at);
        quartets[n] =
            batch->exchanged ? (struct quartet){ket, row->bra} : (struct quartet){row->bra, ket};
        numbers[n] = (struct kept_number){selection->first_number + at, selection->width};
        if (selection->run)
            kept_run_prefetch(selection->run, numbers[n].number);
        n++;
    }
    batch->quartets.n_quartets = n;
    return s;
}

/* Computes all quartets of the classes whose rows are walked over; batch: an empty one. Adds the numbers
 * of quartets that may be computed, whether they were or not. */
static void compute_in_batches(struct quartet_batches *batches, const struct quartet_source *source,
                               const struct two_classes *classes, struct computed_batch *batch,
                               int64_t n_quartets[N_KEPT_WIDTHS])
{
    const struct pair_class *bra = classes->bra, *ket = classes->ket;
    int64_t capacity =
        batches->integral_capacity / batch_size(quartet_n_integrals(bra, ket), 1) * QUARTET_LANES;
    struct ket_row row;
    while (ket_rows_next(&batches->rows, &row)) {
        struct row_selection selection = {
            .most = (int32_t)quartets_of_batch(&bra->pairs[row.bra], &ket->pairs[0], capacity),
            .n = select_kets(batches, source, classes, &row)};
        for (int32_t s = 0, before = 0, width = 0; s < selection.n;
             before = selection.end, width++) {
            selection.end = row.ends.end[width];
            selection.width = (uint64_t)width;
            selection.first_number = n_quartets[width] - before;
            selection.run = source->kept && !batches->filling ? &batches->runs[width] : NULL;
            while (s < selection.n && batches->selected[s] < selection.end) {
                s = add_quartets(batches, &row, &selection, s, batch);
                if (batch->quartets.n_quartets >= selection.most)
                    compute_batch(batches, source, batch);
            }
        }
        ket_ends_add(&row.ends, n_quartets);
    }
    compute_batch(batches, source, batch);
}

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

/* A computation of quartets. */
struct batch_call {
    struct quartet_batches *batches;
    const struct quartet_source *source;
    const int16_t *from; /* the rest of the list of rows, to read or to write; or NULL */
    int16_t *to;
};

struct size_call {
    struct quartet_batches *batches;
    const struct quartet_source *source;
    struct kept_size size;
    bool has_any;
};

/* Adds the integrals of two classes. */
static void add_integrals(const struct two_classes *classes,
                          const int64_t n_quartets[N_KEPT_WIDTHS], struct kept_size *size)
{
    int64_t n = quartet_n_integrals(classes->bra, classes->ket);
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        size->n_integrals[width] += n_quartets[width] * n;
}

static void add_size(const struct two_classes *classes, void *context)
{
    struct size_call *call = context;
    int64_t n_quartets[N_KEPT_WIDTHS] = {0};
    struct ket_row row;
    if (classes->has_rows)
        return;
    begin_ket_rows(call->batches, call->source, classes, NULL, NULL);
    while (ket_rows_next(&call->batches->rows, &row)) {
        ket_ends_add(&row.ends, n_quartets);
        call->size.n_listed += call->source->represent ? ket_row_elements(&row) : 0;
    }
    add_integrals(classes, n_quartets, &call->size);
}

static void take_unit(struct quartet_batches *batches, double unit)
{
    batches->unit = unit;
    for (int width = 0; width < N_KEPT_WIDTHS; width++) {
        double least = unit > 0 ? kept_least_bound(unit, (enum kept_width)width) : 0;
        batches->least_bound[width] = least > batches->threshold ? least : batches->threshold;
    }
}

struct kept_size quartet_batches_kept_size(struct quartet_batches *batches,
                                           const struct quartet_source *source)
{
    struct size_call call = {.batches = batches, .source = source};
    take_unit(batches, source->unit);
    visit_classes(batches, source, add_size, &call);
    call.size.n_listed += source->represent ? KET_ROWS_END : 0;
    return call.size;
}

static void find_any(const struct two_classes *classes, void *context)
{
    struct size_call *call = context;
    struct ket_row row;
    if (call->has_any || classes->has_rows)
        return;
    begin_ket_rows(call->batches, call->source, classes, NULL, NULL);
    call->has_any = ket_rows_next(&call->batches->rows, &row);
}

bool quartet_batches_may_keep(struct quartet_batches *batches, const struct quartet_source *source)
{
    struct size_call call = {.batches = batches, .source = source};
    take_unit(batches, source->unit);
    visit_classes(batches, source, find_any, &call);
    return call.has_any;
}

static void compute_classes(const struct two_classes *classes, void *context)
{
    struct batch_call *call = context;
    struct quartet_batches *batches = call->batches;
    const struct quartet_source *source = call->source;
    bool exchanged = is_exchanged(classes->bra, classes->ket);
    struct computed_batch batch = {.quartets = {.bra = exchanged ? classes->ket : classes->bra,
                                                .ket = exchanged ? classes->bra : classes->ket},
                                   .exchanged = exchanged,
                                   .integrals = batches->integrals};
    double start_s = 0;
    if (source->costs) {
        batch.cost = class_costs_of(source->costs, &batch.quartets);
        start_s = clock_now_s();
    }
    if (classes->has_rows && batches->filling)
        return;
    if (classes->has_rows) {
        struct rows_of_classes rows = {batches->two_electron, classes->bra, classes->ket,
                                       classes->triangle, batch.cost};
        source->use_rows(&rows, source->context);
        return;
    }
    int64_t n_quartets[N_KEPT_WIDTHS] = {0};
    if (source->kept)
        kept_quartets_find(source->kept, &batches->before,
                           quartet_n_integrals(classes->bra, classes->ket), batches->runs);
    begin_ket_rows(batches, source, classes, call->from, call->to);
    compute_in_batches(batches, source, classes, &batch, n_quartets);
    call->from = batches->rows.from;
    call->to = batches->rows.to;
    if (batch.cost)
        batch.cost->selection_s += clock_now_s() - start_s;
    add_integrals(classes, n_quartets, &batches->before);
}

/* from, to: the list of rows, to read or to write; or NULL. Returns where writing has come to. */
static int16_t *pass_through(struct quartet_batches *batches, const struct quartet_source *source,
                             const int16_t *from, int16_t *to)
{
    struct batch_call call = {.batches = batches, .source = source, .from = from, .to = to};
    batches->before = (struct kept_size){0};
    take_unit(batches, source->unit);
    visit_classes(batches, source, compute_classes, &call);
    return call.to;
}

void quartet_batches_fill(struct quartet_batches *batches, const struct quartet_source *source)
{
    batches->filling = true;
    int16_t *end = pass_through(batches, source, NULL, source->kept->list);
    if (end)
        ket_rows_end(end);
    batches->filling = false;
}

void quartet_batches_compute(struct quartet_batches *batches, const struct quartet_source *source)
{
    pass_through(batches, source, source->kept ? source->kept->list : NULL, NULL);
}
