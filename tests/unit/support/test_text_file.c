/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading whole text files, and what is not one. */
#include "support/io/text_file.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_text_file.XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *bytes, size_t length)
{
    const char *path = path_of("file");
    FILE *stream = fopen(path, "wb");
    fwrite(bytes, 1, length, stream);
    fclose(stream);
    return path;
}

/* Refused with a message that names the file and says this. */
static void check_refused(enum status expected, const char *path, const char *words)
{
    struct text_file file;
    check_status(expected, text_file_read(path, &file));
    assert_null(file.bytes);
    assert_non_null(strstr(status_text(), path));
    assert_non_null(strstr(status_text(), words));
}

TEST(text_is_read_whole)
{
    struct text_file file;
    check_ok(text_file_read(write_file("two\nlines\n", 10), &file));
    assert_int_equal(file.length, 10);
    assert_string_equal(file.bytes, "two\nlines\n");
    text_file_fini(&file);
    assert_null(file.bytes);
}

TEST(what_is_not_text_is_refused)
{
    check_refused(STATUS_INPUT, write_file("", 0), "empty");
    check_refused(STATUS_INPUT, write_file("\0", 1), ":1:1: a zero byte");
    check_refused(STATUS_INPUT, write_file("a\0b", 3), ":1:2: a zero byte");
    check_refused(STATUS_INPUT, write_file("a\n\nbc\0\n", 7), ":3:3: a zero byte");
    check_refused(STATUS_IO, path_of("missing"), "No such file");
    check_refused(STATUS_IO, folder, "directory");
    check_refused(STATUS_INPUT, "/dev/zero", "more than");
}

/* That has a name: nobody may ever write to it. One of the shell's is read like a file. */
TEST(a_named_pipe_is_refused)
{
    int ends[2];
    char path[64];
    struct text_file file;
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    alarm(10);
    check_refused(STATUS_IO, path_of("pipe"), "is a named pipe");
    alarm(0);
    unlink(path_of("pipe"));
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "text", 4), 4);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    check_ok(text_file_read(path, &file));
    assert_string_equal(file.bytes, "text");
    text_file_fini(&file);
    close(ends[0]);
}

TEST(the_limit_on_size_is_exact)
{
    char *bytes = malloc((size_t)TEXT_FILE_MAX_BYTES + 1);
    memset(bytes, 'x', (size_t)TEXT_FILE_MAX_BYTES + 1);
    struct text_file file;
    check_ok(text_file_read(write_file(bytes, TEXT_FILE_MAX_BYTES), &file));
    assert_int_equal(file.length, TEXT_FILE_MAX_BYTES);
    text_file_fini(&file);
    check_refused(STATUS_INPUT, write_file(bytes, (size_t)TEXT_FILE_MAX_BYTES + 1), "more than");
    free(bytes);
}

/* 200 MB of zeros, without their taking that room. */
TEST(a_huge_file_is_refused_before_it_is_read)
{
    const char *path = write_file("x", 1);
    assert_int_equal(truncate(path, 200000000), 0);
    check_refused(STATUS_INPUT, path, "200000000 bytes");
}

TEST(all_processes_read_the_same)
{
    struct text_file file;
    check_ok(text_file_read_all(write_file("text", 4), MPI_COMM_WORLD, &file));
    assert_string_equal(file.bytes, "text");
    text_file_fini(&file);
    check_status(STATUS_IO, text_file_read_all(path_of("missing"), MPI_COMM_WORLD, &file));
}

static void create_folder(void)
{
    check_begin_mpi();
    assert_non_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    unlink(path_of("file"));
    assert_int_equal(rmdir(folder), 0);
    check_end_mpi();
}

TEST_SETUP(create_folder)

TEST_TEARDOWN(remove_folder)
