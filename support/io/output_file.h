/* SPDX-License-Identifier: BSD-3-Clause */
/* Result files: found to be writable before the work, complete or absent after. */
#pragma once

#include "support/base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether output_file_write could write to the path, as far as can be known
 * beforehand. Leaves no new file, and an existing one untouched.
 * Errors: STATUS_IO, naming the path and the reason. */
enum status output_file_check(const char *path);

/* Whether the path names a device, a pipe or an open descriptor, as /dev/stdout: written text
 * cannot be replaced there. */
bool output_file_is_stream(const char *path);

/* A result is written twice, so that a full disk or a killed run leaves one: first, before other
 * outputs, and last where something has changed since. A stream is written to once, last. Whether
 * to write now; path NULL: never. */
bool output_file_is_written_first(const char *path);
bool output_file_is_written_last(const char *path, bool changed);

/* Whether two paths name one file, existing or yet to be written, through any links to it or to its
 * folder. NULL names none, and neither does a character device as /dev/null, which any
 * number of outputs may share. */
bool output_file_same(const char *path, const char *other);

/* The part of a path behind its folders. */
const char *output_file_base_name(const char *path);

/* The folders of a path, with the last slash; "." if it has none. */
void output_file_folder(const char *path, char folder[PATH_MAX]);

/* A file that a program is to write: the option that names it; path: NULL for none. */
struct output {
    const char *option, *path;
};

/* Checks that no two outputs are one file, and that none is an input, which it would destroy.
 * inputs  paths, or NULL for none
 * Errors: STATUS_USAGE. */
enum status outputs_check_distinct(const struct output *outputs, int n_outputs,
                                   const char *const *inputs, int n_inputs);

/* output_file_check of every output. */
enum status outputs_check_writable(const struct output *outputs, int n_outputs);

/* Writes length bytes. A regular file appears, or takes the place of an older
 * one, only when all of it is on the disk; a stream is written to.
 * Errors: STATUS_IO, naming the path and the reason; STATUS_NO_MEMORY. */
enum status output_file_write(const char *path, const char *bytes, size_t length);

/* Has a function write a new regular file at the temporary path, and renames it to path when all of
 * it is on the disk; an older file stays until then, and after a failure. Several runs may do so at a
 * time: the last one's file stays. What a killed process of this host has left, the next one removes.
 * n_bytes  that the file will have at least: refused where the disk has no room for them
 * Errors: STATUS_IO, naming the path and the reason; as write, with path in place of its temporary
 * path in the message. */
enum status output_file_replace(const char *path, int64_t n_bytes,
                                enum status (*write)(const char *temporary, void *context),
                                void *context);

/* Bytes that are free in the folder of a path; 0 if it cannot be known. */
double output_file_room(const char *path);
