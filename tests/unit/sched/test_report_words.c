/* SPDX-License-Identifier: BSD-3-Clause */
/* The sentences that a page begins with are true of hard cases too: one mode, modes that rounds do
 * not tell apart, too few rounds, one worker, tasks longer than the mean load. */
#include "sched/lab/report/report.h"
#include "tests/cases/file_bytes.h"
#include "tests/cases/quoted_json.h"

#include <stdlib.h>
#include <string.h>

static const char page_path[] = "test_report_words.html";

/* The text of the answer, without markup; the caller frees it. */
static char *read_answer(void)
{
    char *page = file_bytes_read(page_path, NULL);
    char *from = strstr(page, "<p class=\"answer\">");
    assert_non_null(from);
    char *end = strstr(from, "</p>"), *to = page;
    assert_non_null(end);
    for (bool tag = false; from < end; from++) {
        tag = *from == '<' || (tag && *from != '>');
        if (!tag && *from != '>')
            *to++ = *from;
    }
    *to = '\0';
    return page;
}

static const struct answer_case {
    const char *result, *answer;
} cases[] = {
    {"{'iterations':[]}", "The result has no time of an iteration."},
    {"{'compare':{'a':{'iterations':[]},'b':{'iterations':[]}}}",
     "The result has no time of an iteration."},
    /* one run; the most loaded of four workers has 1.9 times the mean load */
    {"{'sched':'static','workers':4,'iterations':[{'makespan_seconds':2,'task_seconds':4.24,"
     "'search_seconds':3.76,'imbalance':0.8868}],'timeline':{'loads':{'overloaded':2}}}",
     "An iteration of static on 4 workers took 2.000 s. static lost 47 % of its time to two "
     "overloaded workers."},
    /* a class of the histogram begins at 1.5 s, the mean load is 1.06 s */
    {"{'sched':'static','workers':4,'iterations':[{'makespan_seconds':2,'task_seconds':4.24,"
     "'idle_seconds':3.76,'imbalance':0.8868}],'timeline':{'makespan_seconds':2,'durations':"
     "{'edges_seconds':[1,1.5,2],'tasks':[3,1]}}}",
     "An iteration of static on 4 workers took 2.000 s. static lost 47 % of its time to uneven "
     "loads; one task alone takes 1.500 s or more, which no schedule can beat."},
    {"{'sched':'static','workers':1,'iterations':[{'makespan_seconds':0.02,"
     "'task_seconds':0.0199},{'makespan_seconds':0.02,'task_seconds':0.0199}]}",
     "An iteration of static on 1 worker took 20.00 ms (all 2 alike). static ran on one worker, "
     "which lost 0.5 % of its time."},
    /* the balancing before an iteration is part of its time */
    {"{'workers':2,'compare':{'static':{'iterations':[{'makespan_seconds':1}]},"
     "'persist':{'iterations':[{'makespan_seconds':0.75,'balance_seconds':0.5}]}}}",
     "No mode was faster than static: 1.000 s in an iteration."},
    {"{'workers':2,'compare':{'static':{'iterations':[{'makespan_seconds':2},"
     "{'makespan_seconds':2.5}]},'steal':{'iterations':[{'makespan_seconds':1},"
     "{'makespan_seconds':1.25}]},'auto':{'iterations':[{'makespan_seconds':1.25},"
     "{'makespan_seconds':1.3}]}}}",
     "steal was fastest, 2.00 \u00d7 as fast as static: 1.125 s against 2.250 s in an iteration "
     "(median of 2). The times of auto overlap with its own."},
    {"{'workers':2,'compare':{'static':{'iterations':[{'makespan_seconds':1},"
     "{'makespan_seconds':2}]},'steal':{'iterations':[{'makespan_seconds':1},"
     "{'makespan_seconds':1.5}]}}}",
     "steal was fastest, 1.20 \u00d7 as fast as static: 1.250 s against 1.500 s in an iteration "
     "(median of 2). The times of all overlap, so this may be chance."},
    /* simulated times repeat exactly: those of a mode that learns overlap with all others */
    {"{'workers':2,'machine':{},'compare':{'static':{'iterations':[{'makespan_seconds':2},"
     "{'makespan_seconds':2}]},'auto':{'iterations':[{'makespan_seconds':2},"
     "{'makespan_seconds':1}]}}}",
     "auto was fastest, 1.33 \u00d7 as fast as static: 1.500 s against 2.000 s in an iteration "
     "(median of 2)."},
    /* the first named is what others are compared with, as in the table that programs print */
    {"{'workers':2,'compare':{'steal':{'iterations':[{'makespan_seconds':1}]},"
     "'static':{'iterations':[{'makespan_seconds':2}]}}}",
     "No mode was faster than steal: 1.000 s in an iteration."},
    /* rounds tell which differences are not chance: b has the lowest median, but a is proven */
    {"{'workers':2,'comparison':{'rounds':10,'confidence':0.98},'compare':{"
     "'static':{'median_seconds':2,'iterations':[{'makespan_seconds':2}]},"
     "'a':{'median_seconds':1,'ratio':{'value':0.5,'verdict':'faster'},"
     "'iterations':[{'makespan_seconds':1}]},"
     "'b':{'median_seconds':0.9,'ratio':{'value':0.8,'verdict':'not distinguishable'},"
     "'iterations':[{'makespan_seconds':1}]}}}",
     "a was fastest, 2.00 \u00d7 as fast as static: 1.000 s against 2.000 s in an iteration "
     "(median of 10 rounds). b cannot be told from static by 10 rounds."},
    /* a and b differ from static, but not from each other */
    {"{'workers':2,'comparison':{'rounds':10,'confidence':0.98},'compare':{"
     "'static':{'median_seconds':2,'iterations':[{'makespan_seconds':2}]},"
     "'a':{'median_seconds':1,'ratio':{'value':0.5,'interval':[0.4,0.55],'verdict':'faster'},"
     "'iterations':[{'makespan_seconds':1}]},"
     "'b':{'median_seconds':1.1,'ratio':{'value':0.55,'interval':[0.5,0.6],'verdict':'faster'},"
     "'iterations':[{'makespan_seconds':1.1}]},"
     "'c':{'median_seconds':1.6,'ratio':{'value':0.8,'interval':[0.7,0.9],'verdict':'faster'},"
     "'iterations':[{'makespan_seconds':1.6}]}}}",
     "a was fastest, 2.00 \u00d7 as fast as static: 1.000 s against 2.000 s in an iteration "
     "(median of 10 rounds). b may be as fast: the intervals of their ratios to static overlap."},
    /* a bound is not a mode that one could choose */
    {"{'workers':2,'machine':{},'compare':{'static':{'iterations':[{'makespan_seconds':2}]},"
     "'auto':{'iterations':[{'makespan_seconds':1.25}]},"
     "'lpt':{'bound':true,'iterations':[{'makespan_seconds':1}]}}}",
     "auto was fastest, 1.60 \u00d7 as fast as static: 1.250 s against 2.000 s in an iteration. "
     "lpt, which knows all durations beforehand, took 1.000 s."},
    {"{'workers':2,'comparison':{'rounds':3,'rounds_needed':8,'confidence':0.98,'oversubscribed':"
     "true},'compare':{"
     "'a':{'median_seconds':2,'iterations':[{'makespan_seconds':2}]},"
     "'b':{'median_seconds':1,'ratio':{'value':0.5,'verdict':'not distinguishable'},"
     "'iterations':[{'makespan_seconds':1}]},"
     "'c':{'median_seconds':1,'ratio':{'value':0.5,'verdict':'not distinguishable'},"
     "'iterations':[{'makespan_seconds':1}]}}}",
     "No mode is shown to be faster than a: 2.000 s in an iteration (median of 3 rounds). 3 rounds "
     "are too few to tell three modes apart: take 8. There were more processes than cores: the "
     "times are the operating system\u2019s, too."},
    /* the intervals in the table exclude 1, the verdicts do not */
    {"{'workers':2,'comparison':{'rounds':7,'rounds_needed':8,'confidence':0.98},'compare':{"
     "'static':{'median_seconds':2,'iterations':[{'makespan_seconds':2}]},"
     "'steal':{'median_seconds':1.8,'ratio':{'value':0.9,'interval':[0.85,0.95],"
     "'verdict':'not distinguishable'},'iterations':[{'makespan_seconds':1.8}]},"
     "'auto':{'median_seconds':1.5,'ratio':{'value':0.786,'interval':[0.758,0.808],"
     "'verdict':'not distinguishable'},'iterations':[{'makespan_seconds':1.5}]},"
     "'lpt':{'bound':true,'median_seconds':1,'ratio':{'value':0.5,'interval':[0.4,0.6],"
     "'verdict':'not distinguishable'},'iterations':[{'makespan_seconds':1}]}}}",
     "No mode is shown to be faster than static, but auto took 0.786 of the time of static "
     "(interval 0.758 to 0.808): 1.500 s against 2.000 s in an iteration (median of 7 rounds). 7 "
     "rounds are too few to tell four modes apart: take 8. lpt, which knows all durations "
     "beforehand, took 1.000 s."},
    /* the interval of b may be chance, that of c includes 1 */
    {"{'workers':2,'comparison':{'rounds':9,'rounds_needed':8,'confidence':0.98},'compare':{"
     "'static':{'median_seconds':2,'iterations':[{'makespan_seconds':2}]},"
     "'b':{'median_seconds':1.9,'ratio':{'value':0.95,'interval':[0.9,0.99],"
     "'verdict':'not distinguishable'},'iterations':[{'makespan_seconds':1.9}]},"
     "'c':{'median_seconds':1.6,'ratio':{'value':0.8,'interval':[0.7,1.1],"
     "'verdict':'not distinguishable'},'iterations':[{'makespan_seconds':1.6}]}}}",
     "No mode is shown to be faster than static, but b took 0.950 of the time of static (interval "
     "0.900 to 0.990): 1.900 s against 2.000 s in an iteration (median of 9 rounds). b and c "
     "cannot be told from static by 9 rounds."},
    /* a is shown to be faster, b may be faster still */
    {"{'workers':2,'comparison':{'rounds':9,'rounds_needed':8,'confidence':0.98},'compare':{"
     "'static':{'median_seconds':2,'iterations':[{'makespan_seconds':2}]},"
     "'a':{'median_seconds':1,'ratio':{'value':0.5,'interval':[0.4,0.6],'verdict':'faster'},"
     "'iterations':[{'makespan_seconds':1}]},"
     "'b':{'median_seconds':0.8,'ratio':{'value':0.4,'interval':[0.3,1.1],"
     "'verdict':'not distinguishable'},'iterations':[{'makespan_seconds':0.8}]}}}",
     "a was fastest of the modes shown to be faster, 2.00 \u00d7 as fast as static: 1.000 s "
     "against 2.000 s in an iteration (median of 9 rounds). b took 0.400 of the time of static "
     "(interval 0.300 to 1.100). b cannot be told from static by 9 rounds."},
    /* the bound is that of no iteration alone, and unknown where one is without; the first iteration
     * is warm-up of its round */
    {"{'workers':2,'comparison':{'rounds':2,'counted_from':1,'confidence':0.98},'compare':{"
     "'a':{'median_seconds':2,'iterations':["
     "{'iteration':0,'makespan_seconds':9,'task_seconds':2,'lower_bound_seconds':1.5},"
     "{'iteration':1,'makespan_seconds':2,'task_seconds':3,'lower_bound_seconds':1.25},"
     "{'iteration':0,'makespan_seconds':9,'task_seconds':2,'lower_bound_seconds':1.75},"
     "{'iteration':1,'makespan_seconds':2,'task_seconds':3,'lower_bound_seconds':1.75}]},"
     "'b':{'median_seconds':2,'ratio':{'value':1,'verdict':'not distinguishable'},'iterations':["
     "{'iteration':0,'makespan_seconds':2,'lower_bound_seconds':1.5}]}}}",
     "No mode is shown to be faster than a: 2.000 s in an iteration (median of 2 rounds). b cannot "
     "be told from a by 2 rounds. No schedule takes less than 1.250 s. a lost 25 % of its time."},
    {"{'sched':'static','workers':1,'iterations':[{'makespan_seconds':2,'lower_bound_seconds':1},"
     "{'makespan_seconds':2,'lower_bound_seconds':1.5}]}",
     "An iteration of static on 1 worker took 2.000 s (all 2 alike). No schedule takes less than "
     "1.000 s."},
    {"{'sched':'static','workers':1,'iterations':[{'makespan_seconds':2},"
     "{'makespan_seconds':2,'lower_bound_seconds':1.5}]}",
     "An iteration of static on 1 worker took 2.000 s (all 2 alike)."},
    {"{'runs':[{'options_text':'a','iterations':[{'makespan_seconds':2}]},"
     "{'options_text':'b','iterations':[{'makespan_seconds':1}]},"
     "{'options_text':'c','iterations':[]},{'options_text':'d','iterations':[]},"
     "{'options_text':'e','iterations':[]},{'options_text':'f','iterations':[]},"
     "{'options_text':'g','iterations':[{'makespan_seconds':0.5}]}]}",
     "Of 7 runs r.json: g was fastest, with 0.5000 s in an iteration, and r.json: a slowest, with "
     "2.000 s."},
};

static void test_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *result = parse_quoted(cases[i].result);
        check_ok(report_write((const json_t *const[]){result}, (const char *const[]){"r.json"}, 1,
                              NULL, page_path));
        char *answer = read_answer();
        assert_string_equal(answer, cases[i].answer);
        free(answer);
        json_decref(result);
        remove(page_path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
