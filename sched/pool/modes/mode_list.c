/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/modes/mode_list.h"

#include "sched/pool/modes/modes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static enum status add_mode(const char *option, const char *name, struct mode_list *list)
{
    const struct taskpool_mode *mode = mode_find(name);
    char names[1024];
    if (!mode)
        return FAIL(STATUS_USAGE, "--%s: '%s' %s; give 'all' alone, or some of %s", option, name,
                    strcmp(name, "all") == 0 ? "stands alone" : "is not a mode",
                    mode_names_where(NULL, NULL, names, sizeof names));
    if (list->n == MODES_MAX)
        return FAIL(STATUS_USAGE, "--%s names more than %d modes", option, (int)MODES_MAX);
    list->modes[list->n++] = mode->name;
    return STATUS_OK;
}

enum status mode_list_parse(const char *option, const char *text, struct mode_list *list)
{
    const char *names = strcmp(text, "all") == 0 ? mode_names() : text;
    *list = (struct mode_list){0};
    for (bool more = true; more;) {
        size_t length = strcspn(names, ",");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name),
                 names);
        TRY(add_mode(option, name, list));
        more = names[length] == ',';
        names += length + more;
    }
    return STATUS_OK;
}
