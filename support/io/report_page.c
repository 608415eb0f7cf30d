/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/report_page.h"

#include "support/io/output_buffer.h"
#include "support/io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCRIPT "beryl-report"

/* The running script, and our ends of the pipes to and from it. */
struct page_script {
    pid_t process;
    int to, from;
};

static void find_script(char path[PATH_MAX])
{
    char program[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    output_file_folder(program, path);
    strncat(path, SCRIPT, PATH_MAX - 1 - strlen(path));
}

/* quiet  whether its complaints go where the page goes, rather than to standard error
 * Returns 0, or the number of an error. */
static int spawn_script(char *const arguments[], const int to[2], const int from[2], bool quiet,
                        pid_t *process)
{
    char path[PATH_MAX];
    posix_spawn_file_actions_t actions;
    find_script(path);
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    if (quiet)
        posix_spawn_file_actions_adddup2(&actions, from[1], STDERR_FILENO);
    error = posix_spawn(process, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int start_script(char *const arguments[], bool quiet, struct page_script *script)
{
    int to[2], from[2], error;
    if (pipe2(to, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(from, O_CLOEXEC) != 0) {
        error = errno;
        close(to[0]);
        close(to[1]);
        return error;
    }
    error = spawn_script(arguments, to, from, quiet, &script->process);
    close(to[0]);
    close(from[1]);
    script->to = to[1];
    script->from = from[0];
    if (error) {
        close(script->to);
        close(script->from);
    }
    return error;
}

/* Reads the script's output to its end. Returns whether the script succeeded. */
static bool finish_script(const struct page_script *script, FILE *page)
{
    char bytes[1 << 16];
    int outcome = -1;
    ssize_t n;
    while ((n = read(script->from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0 && page)
            fwrite(bytes, 1, (size_t)n, page);
    close(script->from);
    while (waitpid(script->process, &outcome, 0) < 0 && errno == EINTR)
        ;
    return n == 0 && WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0;
}

enum status report_page_check(void)
{
    char *const arguments[] = {SCRIPT, "--version", NULL};
    struct page_script script;
    int error = start_script(arguments, true, &script);
    if (!error)
        close(script.to);
    if (!error && finish_script(&script, NULL))
        return STATUS_OK;
    return FAIL(STATUS_USAGE,
                "--report: the script " SCRIPT
                " beside this program cannot be run (%s): install it "
                "and python3, or give --json FILE and make the page elsewhere, by " SCRIPT
                " FILE -o PAGE.html",
                error ? strerror(error) : "it fails");
}

/* Sends the text that --json writes. A script that fails stops reading. */
static bool send_result(const json_t *result, int to)
{
    FILE *stream = fdopen(to, "w");
    if (!stream) {
        close(to);
        return false;
    }
    bool sent = json_dumpf(result, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0;
    return fclose(stream) == 0 && sent;
}

enum status report_page_write(const json_t *result, const char *path)
{
    char *const arguments[] = {SCRIPT, "/dev/stdin", "-o", "/dev/stdout", NULL};
    struct page_script script;
    struct output_buffer page;
    TRY(output_buffer_init(&page, path));
    int error = start_script(arguments, false, &script);
    bool sent = !error && send_result(result, script.to);
    bool made = !error && finish_script(&script, page.stream) && sent;
    enum status status = made ? output_buffer_write(&page, path)
                              : FAIL(STATUS_IO, "cannot write %s: the script " SCRIPT " failed%s%s",
                                     path, error ? ": " : "", error ? strerror(error) : "");
    output_buffer_fini(&page);
    return status;
}
