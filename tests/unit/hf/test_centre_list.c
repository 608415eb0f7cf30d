/* SPDX-License-Identifier: BSD-3-Clause */
/* Centres named by numbers and ranges; other texts are refused. */
#include "hf/calculation/hf_input.h"
#include "tests/check.h"

#include <string.h>

enum { N_CENTRES = 6 };

/* The named centres as "010000". */
static void check_list(const char *list, const char *expected)
{
    bool named[N_CENTRES] = {true, true, true, true, true, true};
    char found[N_CENTRES + 1] = "";
    check_ok(centre_list_parse("--centres", list, N_CENTRES, named));
    for (int i = 0; i < N_CENTRES; i++)
        found[i] = named[i] ? '1' : '0';
    assert_string_equal(found, expected);
}

TEST(numbers_and_ranges_name_centres)
{
    check_list("2", "010000");
    check_list("1,4", "100100");
    check_list("3-5", "001110");
    check_list("6, 2-3 ,2", "011001");
    check_list("1-6", "111111");
    check_list("4-4", "000100");
}

static void check_refused(const char *list, const char *text)
{
    bool named[N_CENTRES];
    check_status(STATUS_USAGE, centre_list_parse("--centres", list, N_CENTRES, named));
    assert_non_null(strstr(status_text(), "--centres"));
    assert_non_null(strstr(status_text(), text));
}

TEST(other_texts_are_refused)
{
    static const char *const lists[] = {"",   ",",     "2,", "0",   "-1",   "2-",  "-",
                                        "-3", "3-2",   "a",  "1.5", "1 2",  "1:2", "2--3",
                                        "1-", "1-2-3", "*",  "+",   "0-99", "1,b"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        check_refused(lists[i], "give numbers of centres");
    check_refused("7", "the molecule has 6 centres only");
    check_refused("5-9999999999", "the molecule has 6 centres only");
}
