/* SPDX-License-Identifier: BSD-3-Clause */
/* Result files: complete or absent, refused early, and the JSON and the digest
 * that go into them. */
#include "support/base/sha256.h"
#include "support/io/json.h"
#include "support/io/output_file.h"
#include "support/io/text_file.h"
#include "tests/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/test_output_file.XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int count_files(void)
{
    int n = 0;
    DIR *stream = opendir(folder);
    while (readdir(stream))
        n++;
    closedir(stream);
    return n - 2; /* "." and ".." */
}

static void check_content(const char *path, const char *expected)
{
    struct text_file file;
    check_ok(text_file_read(path, &file));
    assert_string_equal(file.bytes, expected);
    text_file_fini(&file);
}

static void remove_files(void)
{
    char command[600];
    snprintf(command, sizeof command, "rm -r %s/*", folder);
    assert_int_equal(system(command), 0);
}

TEST(what_a_killed_process_has_left_is_replaced)
{
    FILE *file = fopen(path_of("whole.part"), "w");
    assert_non_null(file);
    fclose(file);
    check_ok(output_file_check(path_of("whole")));
    assert_int_equal(count_files(), 0);
    file = fopen(path_of("whole.part"), "w");
    assert_non_null(file);
    fclose(file);
    check_ok(output_file_write(path_of("whole"), "whole", 5));
    check_content(path_of("whole"), "whole");
    assert_int_equal(count_files(), 1);
    remove_files();
}

TEST(checking_leaves_nothing_behind)
{
    check_ok(output_file_check(path_of("new")));
    assert_int_equal(count_files(), 0);
    check_ok(output_file_write(path_of("new"), "old text", 8));
    check_ok(output_file_check(path_of("new")));
    assert_int_equal(count_files(), 1);
    check_content(path_of("new"), "old text");
    check_ok(output_file_write(path_of("new"), "text", 4));
    check_content(path_of("new"), "text");
    assert_int_equal(count_files(), 1);
    struct stat information;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path_of("new"), &information), 0);
    assert_int_equal(information.st_mode & 0777, 0666 & ~mask);
    unlink(path_of("new"));
}

TEST(paths_that_cannot_be_written_are_refused)
{
    char too_long[5000];
    memset(too_long, 'x', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    const char *paths[] = {path_of("no/such/folder"), folder, "", "/proc/result.json", too_long};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        check_status(STATUS_IO, output_file_check(paths[i]));
        check_status(STATUS_IO, output_file_write(paths[i], "x", 1));
        if (strlen(paths[i]) < 500)
            assert_non_null(strstr(status_text(), paths[i]));
    }
    assert_int_equal(count_files(), 0);
}

static enum status write_nothing(const char *temporary, void *context)
{
    (void)temporary;
    (void)context;
    return STATUS_OK;
}

TEST(a_file_without_room_is_refused_with_its_size)
{
    int64_t most = 1000000000000036000;
    check_status(STATUS_IO, output_file_replace(path_of("new"), most, write_nothing, NULL));
    assert_non_null(strstr(status_text(), "takes 1000000000000.036 MB"));
    assert_int_equal(count_files(), 0);
}

TEST(links_and_devices_stay_what_they_are)
{
    check_ok(output_file_write("/dev/null", "x", 1));
    struct stat information;
    assert_int_equal(stat("/dev/null", &information), 0);
    assert_true(S_ISCHR(information.st_mode));

    char target[256];
    snprintf(target, sizeof target, "%s", path_of("target"));
    check_ok(output_file_write(target, "a", 1));
    assert_int_equal(symlink(target, path_of("link")), 0);
    check_ok(output_file_write(path_of("link"), "b", 1));
    assert_int_equal(lstat(path_of("link"), &information), 0);
    assert_true(S_ISLNK(information.st_mode));
    check_content(target, "b");
    unlink(target);
    /* One whose file is yet to be written. */
    check_ok(output_file_write(path_of("link"), "c", 1));
    check_content(target, "c");
    unlink(path_of("link"));
    unlink(target);
    /* A file in the link's folder, not in the process's. */
    assert_int_equal(symlink(strrchr(target, '/') + 1, path_of("link")), 0);
    check_ok(output_file_write(path_of("link"), "d", 1));
    check_content(target, "d");
    unlink(path_of("link"));
    unlink(target);
}

/* Nobody may ever read it. A pipe of the shell is written to. */
TEST(a_named_pipe_is_refused)
{
    int ends[2];
    char path[64], text[5] = "";
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    alarm(10);
    check_status(STATUS_IO, output_file_check(path_of("pipe")));
    assert_non_null(strstr(status_text(), "pipe: is a named pipe"));
    check_status(STATUS_IO, output_file_write(path_of("pipe"), "x", 1));
    alarm(0);
    unlink(path_of("pipe"));
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    check_ok(output_file_check(path));
    check_ok(output_file_write(path, "text", 4));
    assert_int_equal(read(ends[0], text, 4), 4);
    assert_string_equal(text, "text");
    close(ends[0]);
    close(ends[1]);
}

/* As of --json /dev/stdout > file: what was printed before and after stays. */
TEST(an_open_descriptor_is_written_to)
{
    char path[64];
    int descriptor = open(path_of("log"), O_WRONLY | O_CREAT, 0600);
    struct stat before, after;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    assert_int_equal(write(descriptor, "before ", 7), 7);
    assert_int_equal(fstat(descriptor, &before), 0);
    assert_int_equal(symlink(path, path_of("link")), 0);
    assert_true(output_file_is_stream(path));
    assert_true(output_file_is_stream(path_of("link")));
    assert_false(output_file_is_stream(path_of("log")));
    check_ok(output_file_check(path_of("link")));
    check_ok(output_file_write(path_of("link"), "result", 6));
    assert_int_equal(write(descriptor, " after", 6), 6);
    close(descriptor);
    check_content(path_of("log"), "before result after");
    assert_int_equal(stat(path_of("log"), &after), 0);
    assert_true(before.st_ino == after.st_ino);
    unlink(path_of("link"));
    unlink(path_of("log"));
}

TEST(a_stream_is_written_once)
{
    assert_false(output_file_is_written_first(NULL) || output_file_is_written_last(NULL, true));
    assert_true(output_file_is_written_first(path_of("new")));
    assert_false(output_file_is_written_last(path_of("new"), false));
    assert_true(output_file_is_written_last(path_of("new"), true));
    assert_false(output_file_is_written_first("/dev/null"));
    assert_true(output_file_is_written_last("/dev/null", false));
}

TEST(json_keeps_order_and_every_bit)
{
    json_t *object = json_object();
    const double numbers[] = {0.1, NAN, 1.0 / 3};
    json_object_set_new(object, "z", json_real_array(numbers, 3));
    json_object_set_new(object, "a", json_text("caf\xe9 \"x\""));
    json_object_set_new(object, "n", json_text(NULL));
    json_object_set_new(object, "i", json_real_or_null(INFINITY));
    check_ok(output_file_check(path_of("run.json")));
    check_ok(json_write_file(object, path_of("run.json")));
    json_decref(object);

    struct text_file file;
    check_ok(text_file_read(path_of("run.json"), &file));
    assert_true(strstr(file.bytes, "\"z\"") < strstr(file.bytes, "\"a\""));
    text_file_fini(&file);
    object = json_load_file(path_of("run.json"), 0, NULL);
    assert_true(json_real_value(json_array_get(json_object_get(object, "z"), 2)) == 1.0 / 3);
    assert_true(json_is_null(json_array_get(json_object_get(object, "z"), 1)));
    assert_string_equal(json_string_value(json_object_get(object, "a")), "caf? \"x\"");
    assert_true(json_is_null(json_object_get(object, "n")));
    assert_true(json_is_null(json_object_get(object, "i")));
    json_decref(object);
    unlink(path_of("run.json"));
}

TEST(json_is_read_with_a_byte_order_mark)
{
    static const char text[] = "\xEF\xBB\xBF{\"a\": 1}\n", broken[] = "\xEF\xBB\xBF{\n1}";
    json_t *value;
    check_ok(json_read_text("file", text, sizeof text - 1, 0, &value));
    assert_int_equal(json_integer_value(json_object_get(value, "a")), 1);
    json_decref(value);
    check_status(STATUS_INPUT, json_read_text("file", broken, sizeof broken - 1, 0, &value));
    assert_non_null(strstr(status_text(), "file:2: not JSON"));
    check_status(STATUS_INPUT, json_read_text("file", text, 2, 0, &value));
}

TEST(an_output_is_no_input_and_no_other_output)
{
    const struct output outputs[] = {{"json", "a"}, {"report", NULL}, {"write-profile", "b"}};
    const struct output twice[] = {{"json", "a"}, {"report", NULL}, {"write-profile", "a"}};
    const char *inputs[] = {NULL, "c", "b"};
    check_ok(outputs_check_distinct(outputs, 3, inputs, 2));
    check_status(STATUS_USAGE, outputs_check_distinct(outputs, 3, inputs, 3));
    assert_string_equal(status_text(), "b is both an input and an output: name another file");
    check_status(STATUS_USAGE, outputs_check_distinct(twice, 3, inputs, 2));
    assert_string_equal(status_text(), "--json and --write-profile name the same file");
    const struct output parts[] = {{"json", "a"}, {"checkpoint", "a.part"}};
    const char *part = "b.part";
    check_status(STATUS_USAGE, outputs_check_distinct(parts, 2, NULL, 0));
    check_status(STATUS_USAGE, outputs_check_distinct(outputs, 3, &part, 1));
    assert_string_equal(
        status_text(),
        "b.part would be replaced, as --write-profile b is written there first: rename it");
}

TEST(two_paths_may_name_one_file)
{
    char path[256], detour[512], linked[256];
    snprintf(path, sizeof path, "%s", path_of("new"));
    snprintf(detour, sizeof detour, "%s/./../%s", folder, path + strlen("/tmp/"));
    snprintf(linked, sizeof linked, "%s", path_of("link/new"));
    assert_int_equal(symlink(".", path_of("link")), 0);
    for (int exists = 0; exists < 2; exists++) {
        assert_true(output_file_same(path, path));
        assert_true(output_file_same(path, detour));
        assert_true(output_file_same(path, linked));
        assert_false(output_file_same(path, path_of("other")));
        assert_false(output_file_same(path, "new"));
        assert_false(output_file_same(path, NULL));
        check_ok(output_file_write(path, "x", 1));
    }
    unlink(path);
    unlink(path_of("link"));
    assert_true(output_file_same("new", "./new"));
    assert_true(output_file_same("absent/new", "absent/new"));
    assert_false(output_file_same("absent/new", "new"));
    assert_false(output_file_same("/dev/null", "/dev/null"));
}

TEST(every_output_has_to_be_writable)
{
    const struct output outputs[] = {{"json", NULL}, {"report", path_of("absent/page.html")}};
    check_ok(outputs_check_writable(outputs, 1));
    check_status(STATUS_IO, outputs_check_writable(outputs, 2));
}

/* The digests are the examples of FIPS 180-4. */
TEST(sha256_of_pieces_is_that_of_the_whole)
{
    char hex[SHA256_HEX_SIZE];
    struct sha256 *sha256;
    check_ok(sha256_create(&sha256));
    sha256_add(sha256, "a", 1);
    sha256_add(sha256, "", 0);
    sha256_add(sha256, "bc", 2);
    sha256_finish(sha256, hex);
    sha256_destroy(sha256);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_ok(sha256_create(&sha256));
    sha256_finish(sha256, hex);
    sha256_destroy(sha256);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_destroy(NULL);
}

static void create_folder(void)
{
    assert_non_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    assert_int_equal(rmdir(folder), 0);
}

TEST_SETUP(create_folder)

TEST_TEARDOWN(remove_folder)
