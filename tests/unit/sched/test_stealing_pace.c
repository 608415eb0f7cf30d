/* SPDX-License-Identifier: BSD-3-Clause */
/* Which worker of a node is slow, by costs and times, and when it leaves its tasks to the others. */
#include "sched/pool/protocols/stealing_pace.h"
#include "tests/cases/node_memory_case.h"

#include <stdlib.h>

enum { OWN = 2 };

struct paces {
    struct node_case node;
    struct steal_window windows[NODE_CASE_WORKERS];
    struct stealing_pace own;
};

/* The others have run 0.02 s of cost in these times. */
static struct paces *make_paces(const double *times_s)
{
    struct paces *paces = calloc(1, sizeof *paces);
    struct taskpool_problem problem = {.n_tasks = 1};
    const struct taskpool_mode_setup setup = {.problem = &problem};
    int64_t n_words[NODE_CASE_WORKERS];
    for (int i = 0; i < NODE_CASE_WORKERS; i++)
        n_words[i] = steal_window_n_words(&setup, NULL);
    node_case_init(&paces->node, n_words);
    for (int i = 0; i < NODE_CASE_WORKERS; i++) {
        steal_window_init(&paces->windows[i], &paces->node.comms[i]);
        if (i != OWN)
            steal_window_set_pace(&paces->windows[i], 0.02, times_s[i], 1);
    }
    paces->own.load = 0.06;
    return paces;
}

static bool leaves(const struct paces *paces, double cost, double now_s)
{
    return stealing_pace_leaves(&paces->own, &paces->windows[OWN], cost, now_s);
}

static const double even_times[] = {0.02, 0.02, 0, 0.02, 0.02, 0.02};

/* The others are free 0.06 s after 7; here the task takes 0.05 s, elsewhere 0.01. */
static void test_a_slow_worker_waits_while_that_may_be_earlier(void **state)
{
    (void)state;
    struct paces *paces = make_paces(even_times);
    double speed = stealing_pace_note(&paces->own, &paces->windows[OWN], 0.005, 0.025, 7.025);
    check_close(speed, 0.2, 1e-12);
    assert_true(paces->own.is_slow);
    assert_false(leaves(paces, 0.01, 7.019)); /* ends before another would begin */
    assert_true(leaves(paces, 0.01, 7.021));
    assert_true(leaves(paces, 0.01, 7.099));
    assert_false(leaves(paces, 0.01, 7.101)); /* nobody came */
    assert_false(leaves(paces, 0.001, 7.025));
    free(paces);
}

static void test_an_even_worker_leaves_nothing(void **state)
{
    (void)state;
    struct paces *paces = make_paces(even_times);
    check_close(stealing_pace_note(&paces->own, &paces->windows[OWN], 0.005, 0.007, 7), 1, 0);
    assert_false(leaves(paces, 0.01, 7.05));
    free(paces);
}

/* The others' times scatter by 0.01 s, of which a short task interrupted for 0.02 s is no more than two
 * deviations; and the pace over several tasks counts. */
static void test_interruptions_do_not_make_a_worker_slow(void **state)
{
    (void)state;
    const double times[] = {0.02, 0.04, 0, 0.02, 0.04, 0.02};
    struct paces *paces = make_paces(times);
    stealing_pace_note(&paces->own, &paces->windows[OWN], 0.005, 0.025, 7);
    assert_true(paces->own.is_slow);
    assert_false(leaves(paces, 0.01, 7.05));
    stealing_pace_note(&paces->own, &paces->windows[OWN], 0.03, 0.03, 7.03);
    assert_false(paces->own.is_slow);
    free(paces);
}

static void test_two_others_at_least_are_to_be_known(void **state)
{
    (void)state;
    const double times[] = {0, 0, 0, 0.02, 0, 0};
    struct paces *paces = make_paces(times);
    stealing_pace_note(&paces->own, &paces->windows[OWN], 0.005, 0.025, 7);
    assert_true(paces->own.is_slow);
    assert_false(leaves(paces, 0.01, 7.05));
    steal_window_set_pace(&paces->windows[0], 0.02, 0.02, 1);
    assert_true(leaves(paces, 0.01, 7.05));
    free(paces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slow_worker_waits_while_that_may_be_earlier),
        cmocka_unit_test(test_an_even_worker_leaves_nothing),
        cmocka_unit_test(test_interruptions_do_not_make_a_worker_slow),
        cmocka_unit_test(test_two_others_at_least_are_to_be_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
