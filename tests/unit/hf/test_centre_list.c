/* SPDX-License-Identifier: BSD-3-Clause */
/* Centres named by numbers and ranges; other texts are refused. */
#include "hf/calculation/hf_input.h"
#include "tests/check.h"

#include <string.h>

enum { N_CENTRES = 6 };

TEST(numbers_and_ranges_name_centres)
{
    static const struct {
        const char *list, *named; /* 1 for a named centre */
    } cases[] = {{"2", "010000"},         {"1,4", "100100"}, {"3-5", "001110"},
                 {"6, 2-3 ,2", "011001"}, {"1-6", "111111"}, {"4-4", "000100"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool named[N_CENTRES] = {true, true, true, true, true, true};
        char found[N_CENTRES + 1] = "";
        check_ok(centre_list_parse("--centres", cases[i].list, N_CENTRES, named));
        for (int k = 0; k < N_CENTRES; k++)
            found[k] = named[k] ? '1' : '0';
        assert_string_equal(found, cases[i].named);
    }
}

TEST(other_texts_are_refused)
{
    static const char *const lists[] = {
        "",  ",", "2,",   "0",   "-1",  "2-",   "-",  "-3",    "3-2", "a", "1.5",
        "*", "+", "0-99", "1 2", "1:2", "2--3", "1-", "1-2-3", "1,b", "7", "5-9999999999"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        bool named[N_CENTRES], is_beyond = *lists[i] == '7' || *lists[i] == '5';
        check_status(STATUS_USAGE, centre_list_parse("--centres", lists[i], N_CENTRES, named));
        assert_non_null(strstr(status_text(), "--centres"));
        assert_non_null(strstr(status_text(), is_beyond ? "the molecule has 6 centres only"
                                                        : "give numbers of centres"));
    }
}
