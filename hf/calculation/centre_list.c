/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/calculation/centre_list.h"

#include "support/io/words.h"

#include <string.h>

/* "3" or "3-5". */
static bool read_range(struct word field, int64_t *first, int64_t *last)
{
    const char *dash = memchr(field.begin, '-', field.length);
    struct word begin = field, end = field;
    if (dash) {
        begin.length = (size_t)(dash - field.begin);
        end = (struct word){dash + 1, field.length - begin.length - 1};
    }
    return word_to_integer(begin, first) && word_to_integer(end, last) && *first > 0 &&
           *first <= *last;
}

enum status centre_list_parse(const char *option, const char *list, int64_t n_centres, bool named[])
{
    struct word rest = word_from_text(list), field;
    memset(named, 0, (size_t)n_centres * sizeof *named);
    while (take_field(&rest, &field)) {
        int64_t first, last;
        if (!read_range(field, &first, &last))
            return FAIL(STATUS_USAGE,
                        "%s '%.64s': give numbers of centres, counted from 1, such as 2 or 1,4-6",
                        option, list);
        if (last > n_centres)
            return FAIL(STATUS_USAGE, "%s '%.64s': the molecule has %lld centre%s only", option,
                        list, (long long)n_centres, n_centres == 1 ? "" : "s");
        for (int64_t centre = first; centre <= last; centre++)
            named[centre - 1] = true;
    }
    return STATUS_OK;
}
