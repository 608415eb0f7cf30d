/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_choice.h"

#include "basis/input/basis_library.h"
#include "support/base/agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the text --- */

bool basis_choice_take(struct word *rest, struct word *selector, struct word *name)
{
    if (!rest->begin)
        return false;
    const char *begin = rest->begin, *end = begin + rest->length, *at = begin, *equals = NULL;
    bool in_path = false;
    for (int depth = 0; at < end && (*at != ',' || depth > 0); at++) {
        depth += (*at == '(') - (*at == ')' && depth > 0);
        in_path = in_path || *at == '/';
        if (*at == '=' && !equals && !in_path)
            equals = at;
    }
    const char *first = equals ? equals + 1 : begin;
    *selector = trim_word((struct word){begin, equals ? (size_t)(equals - begin) : 0});
    *name = trim_word((struct word){first, (size_t)(at - first)});
    *rest = at < end ? (struct word){at + 1, (size_t)(end - at - 1)} : (struct word){NULL, 0};
    if (equals && selector->length == 0) /* "=name" is a name, and an unknown one */
        *name = trim_word((struct word){begin, (size_t)(at - begin)});
    return true;
}

static enum status parse_selector(struct basis_rule *rule)
{
    struct word word = rule->selector;
    rule->element = -1;
    if (word.length == 0 || word_to_range(word, &rule->first, &rule->last))
        return STATUS_OK;
    rule->element = element_number(word.begin, word.length);
    rule->ghosts = rule->element < 0 && ghost_mark_take(&word);
    if (rule->ghosts)
        rule->element = element_number(word.begin, word.length);
    return rule->element >= 0
               ? STATUS_OK
               : FAIL(STATUS_USAGE,
                      "--basis '%s=...': give an element or the number of a centre before the =, "
                      "such as cc-pvdz,O=aug-cc-pvdz,3=sto-3g",
                      word_show(rule->selector).text);
}

/* Finds the set of a rule among those that are read, or reads it.
 * name  scratch for it */
static enum status read_set(MPI_Comm comm, struct basis_choice *choice, char *name,
                            struct basis_rule *rule)
{
    struct basis_set *set = &choice->sets[choice->n_sets];
    sprintf(name, "%.*s", (int)rule->name.length, rule->name.begin);
    TRY(basis_set_read_all(name, comm, set));
    for (rule->set = 0; rule->set < choice->n_sets; rule->set++)
        if (strcmp(choice->sets[rule->set].name, set->name) == 0) {
            basis_set_fini(set);
            return STATUS_OK;
        }
    choice->n_sets++;
    return STATUS_OK;
}

static enum status read_rules(const char *text, MPI_Comm comm, struct basis_choice *choice,
                              char *name)
{
    struct word rest = word_from_text(text);
    while (basis_choice_take(&rest, &choice->rules[choice->n_rules].selector,
                             &choice->rules[choice->n_rules].name)) {
        struct basis_rule *rule = &choice->rules[choice->n_rules++];
        TRY(parse_selector(rule));
        TRY(read_set(comm, choice, name, rule));
    }
    return STATUS_OK;
}

enum status basis_choice_read_all(const char *text, MPI_Comm comm, struct basis_choice *choice)
{
    size_t most = strlen(text) + 2; /* more than rules, and one to be taken */
    char *name = malloc(most);
    *choice = (struct basis_choice){.sets = calloc(most, sizeof *choice->sets),
                                    .rules = calloc(most, sizeof *choice->rules)};
    enum status status = status_agree(
        comm, CHECK_MEMORY(name && choice->sets && choice->rules, "no memory for the basis set"));
    if (status == STATUS_OK)
        status = read_rules(text, comm, choice, name);
    free(name);
    if (status != STATUS_OK)
        basis_choice_fini(choice);
    return status;
}

void basis_choice_fini(struct basis_choice *choice)
{
    for (int s = 0; s < choice->n_sets; s++)
        basis_set_fini(&choice->sets[s]);
    free(choice->sets);
    free(choice->rules);
    *choice = (struct basis_choice){0};
}

/* --- centres --- */

/* Which rules go before others: the larger number. */
static int precedence(const struct basis_rule *rule)
{
    return rule->first > 0 ? 4 : rule->element < 0 ? 1 : rule->ghosts ? 3 : 2;
}

static bool selects(const struct basis_rule *rule, const struct atom *atom, int64_t number)
{
    if (rule->first > 0)
        return number >= rule->first && number <= rule->last;
    return rule->element < 0 || (rule->element == atom->element && (atom->ghost || !rule->ghosts));
}

/* Gives a rule to the centres that it selects, unless another rule goes before it: atom.basis is
 * the rule of each centre here, -1 without. */
static enum status apply_rule(const struct basis_choice *choice, int r, struct molecule *molecule)
{
    const struct basis_rule *rule = &choice->rules[r];
    const struct word_text selector = word_show(rule->selector);
    bool selected = rule->selector.length == 0;
    if (rule->last > molecule->n_atoms)
        return FAIL(STATUS_USAGE, "--basis '%s=...': the molecule has %lld centre%s only",
                    selector.text, (long long)molecule->n_atoms, molecule->n_atoms == 1 ? "" : "s");
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        struct atom *atom = &molecule->atoms[a];
        if (!selects(rule, atom, a + 1))
            continue;
        selected = true;
        int before = atom->basis < 0 ? 0 : precedence(&choice->rules[atom->basis]);
        if (before == precedence(rule))
            return FAIL(STATUS_USAGE,
                        "--basis: '%s' is a second set for centre %lld: leave one out",
                        word_show(rule->name).text, (long long)a + 1);
        if (before < precedence(rule))
            atom->basis = r;
    }
    return selected ? STATUS_OK
                    : FAIL(STATUS_USAGE, "--basis '%s=...': the molecule has no such centre",
                           selector.text);
}

enum status basis_choice_assign(const struct basis_choice *choice, struct molecule *molecule)
{
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        molecule->atoms[a].basis = -1;
    for (int r = 0; r < choice->n_rules; r++)
        TRY(apply_rule(choice, r, molecule));
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        struct atom *atom = &molecule->atoms[a];
        if (atom->basis < 0)
            return FAIL(STATUS_USAGE,
                        "--basis names no set for centre %lld, %s: begin with one for all others, "
                        "such as cc-pvdz,O=aug-cc-pvdz",
                        (long long)a + 1, element_symbol(atom->element));
        atom->basis = choice->rules[atom->basis].set;
    }
    return STATUS_OK;
}

struct word basis_choice_name(const struct basis_choice *choice, int set)
{
    int r = 0;
    while (choice->rules[r].set != set)
        r++;
    return choice->rules[r].name;
}
