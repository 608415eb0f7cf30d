/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/cases/program_case.h"

#include "tce/language/parser.h"
#include "tests/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int below(struct program_case *one, int bound)
{
    return (int)random_below(&one->random, (uint64_t)bound);
}

/* With probability 1 / n. */
static bool seldom(struct program_case *one, int n)
{
    return below(one, n) == 0;
}

static void print(struct program_case *one, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print(struct program_case *one, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    one->length +=
        (size_t)vsnprintf(one->text + one->length, CASE_TEXT - one->length, format, arguments);
    va_end(arguments);
    assert_true(one->length < CASE_TEXT);
}

/* ---- Loops. */

bool program_case_exists(const struct program_case *one, const struct case_factor *factor,
                         const int value[CASE_INDICES])
{
    const struct case_tensor *tensor = &one->tensors[factor->tensor];
    int irrep = tensor->irrep, spin = tensor->spin;
    for (int d = 0; d < tensor->rank; d++) {
        const struct case_space *space = &one->spaces[tensor->space[d]];
        irrep ^= space->irrep[value[factor->index[d]]];
        spin -= tensor->sign[d] * space->spin[value[factor->index[d]]];
    }
    return irrep == 0 && spin == 0;
}

void case_loops_add(const struct program_case *one, const struct case_factor *factor,
                    struct case_loops *loops)
{
    for (int d = 0; d < one->tensors[factor->tensor].rank; d++) {
        int i = 0;
        while (i < loops->n && loops->index[i] != factor->index[d])
            i++;
        if (i == loops->n)
            loops->index[loops->n++] = factor->index[d];
    }
}

bool case_loops_next(const struct program_case *one, struct case_loops *loops)
{
    for (int i = loops->n - 1; i >= 0; i--) {
        int *value = &loops->value[loops->index[i]];
        if (++*value < one->spaces[one->space[loops->index[i]]].size)
            return true;
        *value = 0;
    }
    return false;
}

static struct case_loops loops_of(const struct program_case *one, const struct case_factor *target,
                                  const struct case_term *term)
{
    struct case_loops loops = {0};
    case_loops_add(one, target, &loops);
    for (int f = 0; f < term->n_factors; f++)
        case_loops_add(one, &term->factors[f], &loops);
    return loops;
}

static int n_tuples(const struct program_case *one, const struct case_loops *loops)
{
    int n = 1;
    for (int i = 0; i < loops->n && n <= CASE_TUPLES; i++)
        n *= one->spaces[one->space[loops->index[i]]].size;
    return n;
}

/* ---- Spaces and indices. */

static const char *const index_names[CASE_INDICES] = {"i",     "j",  "T0", "b_2",
                                                      "alpha", "S1", "_",  "X"};

static void make_space(struct program_case *one, struct case_space *space)
{
    static const int sizes[] = {1, 1, 2, 3, 4, 5, 7, 11, 13};
    space->bound = seldom(one, 6);
    space->tile = below(one, 2) ? 0 : 1 + below(one, 5);
    space->n_blocks = 1 + below(one, CASE_BLOCKS);
    for (int b = 0; b < space->n_blocks; b++) {
        struct index_block *block = &space->blocks[b];
        *block = (struct index_block){.size = sizes[below(one, space->n_blocks > 1 ? 6 : 9)],
                                      .irrep = below(one, one->n_irreps),
                                      .spin = one->spins ? below(one, 5) % 3 - 1 : 0};
        for (int64_t v = 0; v < block->size; v++) {
            space->irrep[space->size] = (int8_t)block->irrep;
            space->spin[space->size++] = (int8_t)block->spin;
        }
    }
}

static void print_space(struct program_case *one, int number)
{
    const struct case_space *space = &one->spaces[number];
    print(one, "space S%d = ", number);
    if (space->bound)
        print(one, "binding%d", number);
    for (int b = 0; b < space->n_blocks && !space->bound; b++) {
        const struct index_block *block = &space->blocks[b];
        print(one, "%s%d", b > 0 ? ", " : "", (int)block->size);
        if (block->irrep > 0 || seldom(one, 4))
            print(one, " irrep %d", block->irrep);
        if (block->spin != 0)
            print(one, block->spin > 0 ? " alpha" : " beta");
    }
    if (space->tile > 0)
        print(one, " tile %d", space->tile);
    print(one, seldom(one, 4) ? "  # a comment\n" : "\n");
}

static void make_spaces(struct program_case *one)
{
    one->n_irreps = 1 << below(one, 4);
    one->spins = seldom(one, 4);
    one->n_spaces = 1 + below(one, CASE_SPACES);
    one->tile = below(one, 2) ? 40 : 1 + below(one, 4);
    if (one->tile != 40)
        print(one, "tile %d\n", one->tile);
    for (int s = 0; s < one->n_spaces; s++) {
        make_space(one, &one->spaces[s]);
        print_space(one, s);
    }
    for (int i = 0; i < CASE_INDICES; i++) {
        one->space[i] = below(one, one->n_spaces);
        print(one, "index %s : S%d\n", index_names[i], one->space[i]);
    }
}

int program_case_bindings(const struct program_case *one,
                          struct space_binding bindings[CASE_SPACES])
{
    static const char *const names[CASE_SPACES] = {"binding0", "binding1", "binding2"};
    int n = 0;
    for (int s = 0; s < one->n_spaces; s++)
        if (one->spaces[s].bound)
            bindings[n++] = (struct space_binding){names[s], one->spaces[s].n_blocks,
                                                   one->spaces[s].blocks, one->tile};
    return n;
}

/* ---- Tensors. */

struct case_name case_tensor_name(int tensor)
{
    struct case_name name;
    snprintf(name.text, sizeof name.text, "T%d", tensor);
    return name;
}

static void choose_fill(struct program_case *one, struct case_tensor *tensor, bool target)
{
    static const char *const fills[] = {"random", "random", "random", "wave", "constant", "delta"};
    if (target ? !seldom(one, 4) : seldom(one, 20))
        return;
    tensor->fill = fills[below(one, 6)];
    if (strcmp(tensor->fill, "delta") == 0 || seldom(one, 3))
        return;
    tensor->n_arguments = 1;
    tensor->argument = below(one, 16) - 8;
    if (strcmp(tensor->fill, "random") != 0)
        tensor->argument /= 4;
}

/* Adds a tensor with these indices, the upper ones first where there is a bar. sign: of each index,
 * as far as spins are concerned. */
static struct case_factor add_tensor(struct program_case *one, int n, const int index[],
                                     const int sign[], bool target)
{
    struct case_factor factor = {.tensor = one->n_tensors++};
    assert_true(one->n_tensors <= CASE_TENSORS);
    struct case_tensor *tensor = &one->tensors[factor.tensor];
    *tensor =
        (struct case_tensor){.scalar = n == 0, .bar = n > 0 && (one->spins || seldom(one, 8))};
    for (int upper = 1; upper >= (tensor->bar ? 0 : 1); upper--)
        for (int i = 0; i < n; i++) {
            if (tensor->bar && (sign[i] > 0) != (upper == 1))
                continue;
            factor.index[tensor->rank] = index[i];
            tensor->sign[tensor->rank] = tensor->bar ? sign[i] : 1;
            tensor->space[tensor->rank++] = one->space[index[i]];
        }
    choose_fill(one, tensor, target);
    if (n > 0 && !target && seldom(one, 4))
        tensor->irrep = below(one, one->n_irreps);
    if (n > 0 && !target && one->spins && (n % 2 || seldom(one, 6)))
        tensor->spin = below(one, 3) - 1;
    return factor;
}

/* An index of the space, to name a position of a declaration. */
static const char *name_of_space(struct program_case *one, int space)
{
    int i = below(one, CASE_INDICES);
    while (one->space[i] != space)
        i = (i + 1) % CASE_INDICES;
    return index_names[i];
}

static void print_declaration(struct program_case *one, int number)
{
    const struct case_tensor *tensor = &one->tensors[number];
    bool bar = tensor->bar;
    print(one, "%s %s%s", tensor->scalar ? "scalar" : "tensor", case_tensor_name(number).text,
          tensor->scalar ? "" : "[");
    for (int d = 0; d < tensor->rank; d++) {
        bool bar_here = bar && tensor->sign[d] < 0;
        print(one, "%s%s", bar_here ? "|" : d > 0 ? "," : "", name_of_space(one, tensor->space[d]));
        bar = bar && !bar_here;
    }
    print(one, "%s%s", bar ? "|" : "", tensor->scalar ? "" : "]");
    if (tensor->irrep != 0)
        print(one, " irrep %d", tensor->irrep);
    if (tensor->spin != 0)
        print(one, " spin %d", tensor->spin);
    if (tensor->fill)
        print(one, " = %s", tensor->fill);
    if (tensor->n_arguments > 0)
        print(one, "(%g)", tensor->argument);
    print(one, "\n");
}

/* ---- Products. */

/* How often each index occurs so far, and its sign where it did last. */
struct case_usage {
    bool in_target[CASE_INDICES];
    int count[CASE_INDICES], sign[CASE_INDICES];
};

static void note_factor(const struct program_case *one, const struct case_factor *factor,
                        struct case_usage *usage)
{
    for (int d = 0; d < one->tensors[factor->tensor].rank; d++) {
        usage->count[factor->index[d]]++;
        usage->sign[factor->index[d]] = one->tensors[factor->tensor].sign[d];
    }
}

/* Whether the index looks for a second place: of the target but not yet there, or once only. */
static bool is_open(const struct case_usage *usage, int index)
{
    return usage->count[index] == (usage->in_target[index] ? 0 : 1);
}

/* An index, of the space unless that is -1, mostly one that is open. */
static int choose_index(struct program_case *one, const struct case_usage *usage, int space)
{
    int index = below(one, CASE_INDICES);
    bool open = below(one, 4) > 0;
    for (int round = 0; round < 2 * CASE_INDICES; round++) {
        bool fits = space < 0 || one->space[index] == space;
        if (fits && (!open || round >= CASE_INDICES || is_open(usage, index)))
            return index;
        index = (index + 1) % CASE_INDICES;
    }
    return -1;
}

/* The sign of an index in a new factor: so that upper ones meet lower ones. */
static int sign_of(struct program_case *one, const struct case_usage *usage, int index)
{
    if (usage->count[index] > 0)
        return -usage->sign[index];
    return usage->in_target[index] ? usage->sign[index] : 2 * below(one, 2) - 1;
}

static struct case_factor new_factor(struct program_case *one, struct case_usage *usage, int rank,
                                     bool complete)
{
    int n = 0, index[CASE_RANK], sign[CASE_RANK];
    for (int i = 0; i < CASE_INDICES && complete; i++)
        if (usage->in_target[i] && usage->count[i] == 0)
            index[n++] = i;
    /* In any order. */
    for (int i = n - 1; i > 0; i--) {
        int other = below(one, i + 1), kept = index[i];
        index[i] = index[other];
        index[other] = kept;
    }
    while (n < rank)
        index[n++] = choose_index(one, usage, -1);
    for (int elements = CASE_ELEMENTS + 1; elements > CASE_ELEMENTS;) {
        elements = 1;
        for (int i = 0; i < n; i++)
            elements *= one->spaces[one->space[index[i]]].size;
        n -= elements > CASE_ELEMENTS;
    }
    for (int i = 0; i < n; i++) {
        sign[i] = sign_of(one, usage, index[i]);
        for (int k = 0; k < i; k++)
            if (index[k] == index[i])
                sign[i] = -sign[k];
    }
    return add_tensor(one, n, index, sign, false);
}

/* A tensor that is there, with indices that fit. */
static struct case_factor old_factor(struct program_case *one, const struct case_usage *usage,
                                     int target)
{
    struct case_factor factor;
    do
        factor.tensor = below(one, one->n_tensors);
    while (factor.tensor == target);
    for (int d = 0; d < one->tensors[factor.tensor].rank; d++)
        factor.index[d] = choose_index(one, usage, one->tensors[factor.tensor].space[d]);
    return factor;
}

static bool is_complete(const struct case_usage *usage)
{
    for (int i = 0; i < CASE_INDICES; i++)
        if (usage->in_target[i] && usage->count[i] == 0)
            return false;
    return true;
}

static struct case_usage begin_usage(const struct program_case *one,
                                     const struct case_factor *target)
{
    struct case_usage usage = {0};
    note_factor(one, target, &usage);
    for (int i = 0; i < CASE_INDICES; i++) {
        usage.in_target[i] = usage.count[i] > 0;
        usage.count[i] = 0;
    }
    return usage;
}

/* The last factor has the indices of the target that are missing, if need be a new one. */
static void make_factors(struct program_case *one, const struct case_factor *target,
                         struct case_term *term)
{
    static const int numbers[] = {1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 6};
    struct case_usage usage = begin_usage(one, target);
    term->n_factors = numbers[below(one, sizeof numbers / sizeof numbers[0])];
    for (int f = 0; f < term->n_factors; f++) {
        bool last = f == term->n_factors - 1;
        struct case_usage before = usage;
        struct case_factor *factor = &term->factors[f];
        for (int attempt = 0;; attempt++) {
            /* The target is a tensor, too. */
            bool old = one->n_tensors > 1 && attempt < 4 && below(one, 3) > 0;
            *factor = old ? old_factor(one, &usage, target->tensor)
                          : new_factor(one, &usage, below(one, 4) + !seldom(one, 4), last);
            usage = before;
            note_factor(one, factor, &usage);
            if (!last || !old || is_complete(&usage))
                break;
            usage = before;
        }
    }
}

/* Smaller ones if it has too many values, or if the last factor had no room for the indices
 * of the target. */
static void make_term(struct program_case *one, const struct case_factor *target,
                      struct case_term *term)
{
    int n_tensors = one->n_tensors;
    for (;;) {
        make_factors(one, target, term);
        struct case_loops loops = loops_of(one, target, term);
        struct case_usage usage = begin_usage(one, target);
        for (int f = 0; f < term->n_factors; f++)
            note_factor(one, &term->factors[f], &usage);
        if (n_tuples(one, &loops) <= CASE_TUPLES && is_complete(&usage))
            return;
        one->n_tensors = n_tensors;
    }
}

/* A term of an earlier statement, its factors in another order and its indices renamed. */
static void copy_term(struct program_case *one, const struct case_term *from,
                      const int renamed[CASE_INDICES], struct case_term *term)
{
    int first = below(one, from->n_factors);
    term->n_factors = from->n_factors;
    for (int f = 0; f < from->n_factors; f++) {
        struct case_factor *factor = &term->factors[f];
        *factor = from->factors[(first + f) % from->n_factors];
        for (int d = 0; d < one->tensors[factor->tensor].rank; d++)
            factor->index[d] = renamed[factor->index[d]];
    }
}

/* ---- Statements. */

static struct case_factor new_target(struct program_case *one)
{
    static const int ranks[] = {0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4};
    int n = ranks[below(one, sizeof ranks / sizeof ranks[0])];
    int index[CASE_RANK], sign[CASE_RANK], elements = 1, rank = 0, first = below(one, CASE_INDICES);
    int step = 1 + 2 * below(one, CASE_INDICES / 2);
    for (int i = 0; i < CASE_INDICES && rank < n; i++) {
        /* An odd step comes by every index. */
        int x = (first + i * step) % CASE_INDICES;
        elements *= one->spaces[one->space[x]].size;
        if (elements > CASE_ELEMENTS)
            break;
        index[rank] = x;
        sign[rank++] = 2 * below(one, 2) - 1;
    }
    return add_tensor(one, rank, index, sign, true);
}

/* A tensor that is there, every index once; a new one if that fails. */
static struct case_factor old_target(struct program_case *one)
{
    struct case_factor target = {.tensor = below(one, one->n_tensors)};
    const struct case_tensor *tensor = &one->tensors[target.tensor];
    bool used[CASE_INDICES] = {false};
    for (int d = 0; d < tensor->rank; d++) {
        int n_tried = 0, i = below(one, CASE_INDICES);
        while (n_tried < CASE_INDICES && (used[i] || one->space[i] != tensor->space[d])) {
            i = (i + 1) % CASE_INDICES;
            n_tried++;
        }
        if (n_tried == CASE_INDICES)
            return new_target(one);
        used[i] = true;
        target.index[d] = i;
    }
    return target;
}

/* Mostly the labels that the first term's factors combine to. */
static void choose_labels(struct program_case *one, const struct case_statement *statement)
{
    struct case_tensor *target = &one->tensors[statement->target.tensor];
    if (target->rank == 0)
        return;
    const struct case_term *term = &statement->terms[0];
    for (int f = 0; f < term->n_factors; f++) {
        target->irrep ^= one->tensors[term->factors[f].tensor].irrep;
        target->spin += one->tensors[term->factors[f].tensor].spin;
    }
    if (seldom(one, 12))
        target->irrep = below(one, one->n_irreps);
    if (abs(target->spin) > target->rank)
        target->spin = 0;
}

static bool is_factor(const struct case_statement *statement)
{
    for (int t = 0; t < statement->n_terms; t++)
        for (int f = 0; f < statement->terms[t].n_factors; f++)
            if (statement->terms[t].factors[f].tensor == statement->target.tensor)
                return true;
    return false;
}

/* Indices exchanged for others of the same space. */
static void rename_indices(struct program_case *one, int renamed[CASE_INDICES])
{
    for (int i = 0; i < CASE_INDICES; i++)
        renamed[i] = i;
    for (int i = 0; i < CASE_INDICES; i++) {
        int k = below(one, CASE_INDICES), kept = renamed[i];
        if (one->space[k] != one->space[i])
            continue;
        renamed[i] = renamed[k];
        renamed[k] = kept;
    }
}

/* A new tensor with the indices of an earlier target in another order. */
static void copy_statement(struct program_case *one, const struct case_statement *from,
                           struct case_statement *statement)
{
    int renamed[CASE_INDICES], index[CASE_RANK], sign[CASE_RANK];
    const struct case_tensor old = one->tensors[from->target.tensor];
    int first = old.rank > 0 ? below(one, old.rank) : 0;
    rename_indices(one, renamed);
    for (int d = 0; d < old.rank; d++) {
        index[d] = renamed[from->target.index[(first + d) % old.rank]];
        sign[d] = old.sign[(first + d) % old.rank];
    }
    statement->target = add_tensor(one, old.rank, index, sign, true);
    statement->n_terms = 1 + below(one, CASE_TERMS);
    for (int t = 0; t < statement->n_terms; t++)
        if (t < from->n_terms && !seldom(one, 4))
            copy_term(one, &from->terms[t], renamed, &statement->terms[t]);
        else
            make_term(one, &statement->target, &statement->terms[t]);
    choose_labels(one, statement);
}

static void make_statement(struct program_case *one, struct case_statement *statement)
{
    *statement = (struct case_statement){0};
    if (one->n_statements > 0 && seldom(one, 3)) {
        copy_statement(one, &one->statements[below(one, one->n_statements)], statement);
        return;
    }
    bool new = one->n_tensors == 0 || !seldom(one, 4);
    int n_tensors = one->n_tensors;
    statement->target = new ? new_target(one) : old_target(one);
    statement->n_terms = seldom(one, 2) ? 1 : 1 + below(one, CASE_TERMS);
    for (int t = 0; t < statement->n_terms; t++)
        make_term(one, &statement->target, &statement->terms[t]);
    if (statement->target.tensor >= n_tensors)
        choose_labels(one, statement);
}

/* ---- Text of statements. */

static void print_factor(struct program_case *one, const struct case_factor *factor)
{
    const struct case_tensor *tensor = &one->tensors[factor->tensor];
    bool bar = tensor->bar && below(one, 2);
    print(one, "%s%s", case_tensor_name(factor->tensor).text, tensor->rank > 0 ? "[" : "");
    for (int d = 0; d < tensor->rank; d++) {
        bool bar_here = bar && tensor->sign[d] < 0;
        print(one, "%s%s", bar_here ? "|" : d > 0 ? "," : "", index_names[factor->index[d]]);
        bar = bar && !bar_here;
    }
    print(one, "%s%s", bar ? "|" : "", tensor->rank > 0 ? "]" : "");
}

/* A number before one of the factors, of the size that the text gives. */
static void print_term(struct program_case *one, struct case_term *term)
{
    static const struct {
        const char *text;
        double value;
    } numbers[] = {{"", 1},
                   {"", 1},
                   {"2", 2},
                   {"1/2", 0.5},
                   {"0.25", 0.25},
                   {"1e-1", 0.1},
                   {"3/4", 0.75},
                   {".5", 0.5},
                   {"1/3", 1. / 3},
                   {"1.", 1},
                   {"2/3/4", 2. / 3 / 4}};
    int number = below(one, sizeof numbers / sizeof numbers[0]);
    int place = seldom(one, 4) ? below(one, term->n_factors) : 0;
    term->coefficient *= numbers[number].value;
    for (int f = 0; f < term->n_factors; f++) {
        if (f > 0)
            print(one, seldom(one, 8) ? " *\n  " : " * ");
        if (f == place && numbers[number].text[0])
            print(one, "%s * ", numbers[number].text);
        print_factor(one, &term->factors[f]);
    }
}

static void print_statement(struct program_case *one, struct case_statement *statement)
{
    static const char *const assignments[] = {"=", "+=", "-="};
    int chosen = below(one, 3);
    statement->add = chosen > 0;
    print_factor(one, &statement->target);
    print(one, " %s", assignments[chosen]);
    for (int t = 0; t < statement->n_terms; t++) {
        bool minus = below(one, 2);
        statement->terms[t].coefficient = (minus ? -1 : 1) * (chosen == 2 ? -1 : 1);
        print(one, "%s", minus ? " - " : t > 0 ? " + " : " ");
        print_term(one, &statement->terms[t]);
    }
    print(one, seldom(one, 6) ? " # done\n" : "\n");
}

/* ---- Programs. */

/* Whether some values of the indices have an element of each of the factors. */
static bool is_possible(const struct program_case *one, int n, const struct case_factor factors[])
{
    struct case_loops loops = {0};
    for (int f = 0; f < n; f++)
        case_loops_add(one, &factors[f], &loops);
    do {
        bool all = true;
        for (int f = 0; f < n && all; f++)
            all = program_case_exists(one, &factors[f], loops.value);
        if (all)
            return true;
    } while (case_loops_next(one, &loops));
    return false;
}

static bool is_statement_possible(const struct program_case *one,
                                  const struct case_statement *statement)
{
    for (int t = 0; t < statement->n_terms; t++) {
        const struct case_term *term = &statement->terms[t];
        struct case_factor factors[CASE_FACTORS + 1] = {statement->target};
        memcpy(factors + 1, term->factors, sizeof term->factors);
        if (!is_possible(one, term->n_factors + 1, factors))
            return false;
    }
    return true;
}

static bool has_bound_space(const struct program_case *one)
{
    for (int s = 0; s < one->n_spaces; s++)
        if (one->spaces[s].bound)
            return true;
    return false;
}

/* The parser refuses a statement that no labels can meet, and, if all labels are known, no
 * other. */
static bool is_accepted(const struct program_case *one, const struct case_statement *statement)
{
    struct program program;
    bool possible = is_statement_possible(one, statement);
    enum status status = program_parse(one->text, one->length, "random.tce", &program);
    if (status == STATUS_OK)
        program_fini(&program);
    else if (!strstr(status_text(), "can never be met") && !strstr(status_text(), "has no block"))
        possible = true;
    if (status == STATUS_OK ? !possible && !has_bound_space(one) : possible)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)one->seed,
                 status == STATUS_OK ? "no labels meet the last statement" : status_text(),
                 one->text);
    return status == STATUS_OK;
}

/* One more statement with the tensors that it needs, unless it is refused. */
static void add_statement(struct program_case *one)
{
    int n_tensors = one->n_tensors;
    size_t length = one->length;
    struct case_statement *statement = &one->statements[one->n_statements];
    make_statement(one, statement);
    if (is_factor(statement)) {
        one->n_tensors = n_tensors;
        return;
    }
    for (int t = n_tensors; t < one->n_tensors; t++)
        print_declaration(one, t);
    print_statement(one, statement);
    if (is_accepted(one, statement)) {
        one->n_statements++;
        return;
    }
    one->n_tensors = n_tensors;
    one->length = length;
    one->text[length] = '\0';
    one->n_refused++;
}

void program_case_init(struct program_case *one, uint64_t seed)
{
    *one = (struct program_case){.seed = seed};
    random_stream_init(&one->random, seed, 0);
    int n;
    do {
        n = 1 + below(one, CASE_STATEMENTS);
        one->n_spaces = one->n_tensors = 0;
        one->length = 0;
        memset(one->spaces, 0, sizeof one->spaces);
        make_spaces(one);
        for (int attempt = 0; attempt < 4 * n && one->n_statements < n; attempt++)
            add_statement(one);
    } while (one->n_statements == 0);
}
