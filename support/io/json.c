/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/json.h"

#include "support/io/output_file.h"
#include "support/io/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    if (value)
        return value;
    char *ascii = strdup(text);
    if (!ascii)
        return NULL;
    for (char *c = ascii; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = json_string(ascii);
    free(ascii);
    return value;
}

json_t *json_real_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *json_real_array(const double *numbers, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < n; i++)
        if (json_array_append_new(array, json_real_or_null(numbers[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

json_t *json_error(enum status status, const char *text)
{
    return json_pack("{s:s, s:o}", "error_type", status_words(status), "error_message",
                     json_text(text));
}

enum status json_read_text(const char *name, const char *text, size_t length, size_t flags,
                           json_t **value)
{
    json_error_t error;
    size_t mark = text_mark_length(text, length);
    *value = json_loadb(text + mark, length - mark, flags, &error);
    return *value ? STATUS_OK
                  : FAIL(STATUS_INPUT, "%s:%d: not JSON: %s", name, error.line, error.text);
}

json_t *json_wall_time(const struct wall_time *time)
{
    json_t *json = json_pack("{s:f}", "total", wall_time_total(time));
    for (int use = 0; json && use < WALL_USES; use++)
        json_object_set_new(json, wall_use_name(use), json_real(time->seconds[use]));
    return json;
}

enum status json_write_file(const json_t *value, const char *path)
{
    char *text = value ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    TRY(CHECK_MEMORY(text, "no memory for the text of %s", path));
    size_t length = strlen(text);
    text[length++] = '\n'; /* takes the place of the final NUL */
    enum status status = output_file_write(path, text, length);
    free(text);
    return status;
}
