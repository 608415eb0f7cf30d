/* SPDX-License-Identifier: BSD-3-Clause */
/* Result files: complete or absent, refused early, and the JSON and the digest
 * that go into them. */
#include "support/base/sha256.h"
#include "support/io/json.h"
#include "support/io/output_file.h"
#include "support/io/text_file.h"
#include "tests/unit/support/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Written to the path, found in the file. */
static void check_write(const char *path, const char *file, const char *text)
{
    check_ok(output_file_check(path));
    check_ok(output_file_write(path, text, strlen(text)));
    check_content(file, text);
}

static struct stat status_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status;
}

/* The temporary file of `new` in a process of this host. Valid until the next path_of. */
static const char *part_of(pid_t process)
{
    char host[HOST_NAME_MAX + 1] = "", name[HOST_NAME_MAX + 64];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "new.%s.%lld.part", host, (long long)process);
    return path_of(name);
}

static void leave_part(pid_t process)
{
    FILE *file = fopen(part_of(process), "w");
    assert_non_null(file);
    fclose(file);
}

/* options: WNOWAIT leaves it as a zombie. */
static pid_t ended_process(int options)
{
    siginfo_t how;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)child, &how, WEXITED | options), 0);
    return child;
}

static enum status write_within_another(const char *temporary, void *context)
{
    pid_t child = fork();
    if (child == 0)
        _exit(output_file_write(path_of("new"), "other", 5) == STATUS_OK ? 0 : 1);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    check_content(path_of("new"), "other");
    FILE *file = fopen(temporary, "w");
    assert_non_null(file);
    fputs(context, file);
    fclose(file);
    return STATUS_OK;
}

TEST(two_processes_write_one_file)
{
    check_ok(output_file_replace(path_of("new"), 3, write_within_another, "own"));
    check_content(path_of("new"), "own");
    leave_part(getppid()); /* alive */
    check_ok(output_file_write(path_of("new"), "text", 4));
    assert_int_equal(count_files(), 2);
    unlink(path_of("new"));
    leave_part(getpid());
    check_ok(output_file_check(path_of("new")));
    assert_int_equal(count_files(), 1);
    assert_int_equal(unlink(part_of(getppid())), 0);
}

TEST(checking_leaves_nothing_and_writing_one_file)
{
    mode_t mask = umask(0);
    umask(mask);
    leave_part(ended_process(0));
    check_ok(output_file_check(path_of("new")));
    assert_int_equal(count_files(), 0);
    leave_part(ended_process(WNOWAIT));
    check_ok(output_file_write(path_of("new"), "old text", 8));
    assert_int_equal(count_files(), 1);
    check_ok(output_file_check(path_of("new")));
    check_content(path_of("new"), "old text");
    check_write(path_of("new"), path_of("new"), "text");
    assert_int_equal(count_files(), 1);
    assert_int_equal(status_of(path_of("new")).st_mode & 0777, 0666 & ~mask);
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
    const struct output outputs[] = {{"json", NULL}, {"report", paths[0]}};
    check_ok(outputs_check_writable(outputs, 1));
    check_status(STATUS_IO, outputs_check_writable(outputs, 2));
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
    char target[256], link[256];
    check_ok(output_file_write("/dev/null", "x", 1));
    assert_true(S_ISCHR(status_of("/dev/null").st_mode));
    snprintf(target, sizeof target, "%s", path_of("target"));
    snprintf(link, sizeof link, "%s", path_of("link"));
    /* To a whole path, and to a file in the link's folder, not in the process's. */
    const char *const to[] = {target, "target"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(symlink(to[i], link), 0);
        check_write(link, target, "of a file yet to be written");
        check_write(link, target, "of a file");
        assert_true(S_ISLNK(status_of(link).st_mode));
        unlink(link);
        unlink(target);
    }
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

/* As of --json /dev/stdout > file: the text before and after stays. */
TEST(an_open_descriptor_is_written_to)
{
    char path[64];
    int descriptor = open(path_of("log"), O_WRONLY | O_CREAT, 0600);
    ino_t before = status_of(path_of("log")).st_ino;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    assert_int_equal(write(descriptor, "before ", 7), 7);
    assert_int_equal(symlink(path, path_of("link")), 0);
    assert_true(output_file_is_stream(path));
    assert_true(output_file_is_stream(path_of("link")));
    assert_false(output_file_is_stream(path_of("log")));
    check_ok(output_file_check(path_of("link")));
    check_ok(output_file_write(path_of("link"), "result", 6));
    assert_int_equal(write(descriptor, " after", 6), 6);
    close(descriptor);
    check_content(path_of("log"), "before result after");
    assert_true(before == status_of(path_of("log")).st_ino);
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
    check_ok(json_write_file(object, path_of("run.json")));
    json_decref(object);
    check_content(path_of("run.json"), "{\n  \"z\": [\n    0.10000000000000001,\n    null,\n"
                                       "    0.33333333333333331\n  ],\n"
                                       "  \"a\": \"caf? \\\"x\\\"\",\n  \"n\": null,\n"
                                       "  \"i\": null\n}\n");
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

/* The digests are the examples of FIPS 180-4. */
TEST(sha256_of_pieces_is_that_of_the_whole)
{
    static const struct {
        const char *pieces[3], *digest;
    } rows[] = {
        {{"a", "", "bc"}, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {{"", "", ""}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}};
    for (int i = 0; i < 2; i++) {
        char hex[SHA256_HEX_SIZE];
        struct sha256 *sha256;
        check_ok(sha256_create(&sha256));
        for (int k = 0; k < 3; k++)
            sha256_add(sha256, rows[i].pieces[k], strlen(rows[i].pieces[k]));
        sha256_finish(sha256, hex);
        sha256_destroy(sha256);
        assert_string_equal(hex, rows[i].digest);
    }
    sha256_destroy(NULL);
}
