/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading whole text files, and what is not one. */
#include "support/io/text_file.h"
#include "tests/unit/support/folder.h"

#include <string.h>
#include <sys/stat.h>

static const char *write_file(const char *bytes, size_t length)
{
    const char *path = path_of("file");
    FILE *stream = fopen(path, "wb");
    fwrite(bytes, 1, length, stream);
    fclose(stream);
    return path;
}

static void check_read(const char *path, size_t length, const char *bytes)
{
    struct text_file file;
    check_ok(text_file_read_all(path, MPI_COMM_WORLD, &file));
    assert_int_equal(file.length, length);
    assert_memory_equal(file.bytes, bytes, length);
    assert_int_equal(file.bytes[length], '\0');
    text_file_fini(&file);
    assert_null(file.bytes);
}

/* Refused with a message that names the file and says this. */
static void check_refused(enum status expected, const char *path, const char *words)
{
    struct text_file file;
    check_status(expected, text_file_read_all(path, MPI_COMM_WORLD, &file));
    assert_null(file.bytes);
    assert_non_null(strstr(status_text(), path));
    assert_non_null(strstr(status_text(), words));
}

TEST(text_is_read_whole_and_nothing_else_is)
{
    check_read(write_file("two\nlines\n", 10), 10, "two\nlines\n");
    check_refused(STATUS_INPUT, write_file("", 0), "empty");
    check_refused(STATUS_INPUT, write_file("\0", 1), ":1:1: a zero byte");
    check_refused(STATUS_INPUT, write_file("a\n\nbc\0\n", 7), ":3:3: a zero byte");
    check_refused(STATUS_IO, path_of("missing"), "No such file");
    check_refused(STATUS_IO, folder, "directory");
    check_refused(STATUS_INPUT, "/dev/zero", "more than");
}

/* Nobody may ever write to one with a name. One of the shell's is read like a file. */
TEST(a_named_pipe_is_refused)
{
    int ends[2];
    char path[64];
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    alarm(10);
    check_refused(STATUS_IO, path_of("pipe"), "is a named pipe");
    alarm(0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "text", 4), 4);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    check_read(path, 4, "text");
    close(ends[0]);
}

/* A larger file is refused before it is read: 200 MB of zeros, without their taking that room. */
TEST(the_limit_on_size_is_exact)
{
    size_t length = TEXT_FILE_MAX_BYTES;
    char *bytes = malloc(length + 1);
    memset(bytes, 'x', length + 1);
    check_read(write_file(bytes, length), length, bytes);
    check_refused(STATUS_INPUT, write_file(bytes, length + 1), "more than");
    free(bytes);
    const char *path = write_file("x", 1);
    assert_int_equal(truncate(path, 200000000), 0);
    check_refused(STATUS_INPUT, path, "200000000 bytes");
}
