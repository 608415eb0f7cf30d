/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON out: what jansson leaves to its users. */
#pragma once

#include "support/base/status.h"
#include "support/mpi/wall_time.h"

#include <jansson.h>

/* A string of any bytes; those that are not UTF-8 become '?'. NULL gives null. */
json_t *json_text(const char *text);

/* A number; null if it is not finite, for which JSON has no word. */
json_t *json_real_or_null(double number);

/* An array of n numbers, null for those that are not finite. */
json_t *json_real_array(const double *numbers, size_t n);

/* {"error_type", "error_message"}, the `error` of a result: the words of the status, and the text.
 * NULL when out of memory. */
json_t *json_error(enum status status, const char *text);

/* The value that a text of JSON spells, a byte order mark before it left out; the caller owns it.
 * name   of the text, for messages
 * flags  of jansson
 * Errors: STATUS_INPUT, with the line. */
enum status json_read_text(const char *name, const char *text, size_t length, size_t flags,
                           json_t **value);

/* The seconds by use under the uses' names, and their sum as "total"; NULL when out of memory. */
json_t *json_wall_time(const struct wall_time *time);

/* Writes the value, indented, keys in the order of insertion; the file appears
 * complete or not at all. output_file_check tests the path beforehand.
 * Errors: STATUS_IO, naming the path and the reason; STATUS_NO_MEMORY. */
enum status json_write_file(const json_t *value, const char *path);
