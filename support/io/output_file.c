/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/output_file.h"

#include "support/io/file_open.h"
#include "support/io/words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PART ".part"

/* Where the bytes go first. */
struct target {
    char path[PATH_MAX]; /* the file itself, symbolic links resolved */
    char part[PATH_MAX]; /* the temporary file, in the same folder */
    bool direct;         /* a device, pipe or open descriptor: no temporary file */
};

static enum status fail_path(const char *path)
{
    return FAIL(STATUS_IO, "cannot write %s: %s", path, file_open_error());
}

const char *output_file_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_same_inode(const struct stat *information, const struct stat *other)
{
    return information->st_dev == other->st_dev && information->st_ino == other->st_ino;
}

void output_file_folder(const char *path, char folder[PATH_MAX])
{
    int length = (int)(output_file_base_name(path) - path);
    snprintf(folder, PATH_MAX, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
}

/* Temporary files are called NAME.HOST.PROCESS.part: of several runs that write one file at a time each
 * has its own. */
static enum status name_part(const char *path, char part[PATH_MAX])
{
    char host[HOST_NAME_MAX + 1] = "";
    gethostname(host, sizeof host - 1);
    if (snprintf(part, PATH_MAX, "%s.%s.%lld" PART, path, host, (long long)getpid()) < PATH_MAX)
        return STATUS_OK;
    errno = ENAMETOOLONG;
    return fail_path(path);
}

/* The process of this host that a temporary file of `part`'s target belongs to, by its name; 0: the file is
 * another one. */
static int64_t process_of_part(const char *name, const char *part)
{
    const char *own = output_file_base_name(part);
    size_t length = strlen(own) - strlen(PART), end = strlen(name);
    while (own[length - 1] != '.')
        length--;
    int64_t process;
    if (end <= length + strlen(PART) || strncmp(name, own, length) != 0 ||
        strcmp(name + end - strlen(PART), PART) != 0 ||
        !word_to_integer((struct word){name + length, end - strlen(PART) - length}, &process))
        return 0;
    return process;
}

/* Whether a process of this host runs; one that has ended may be there until its parent asks for it. */
static bool is_running(int64_t process)
{
    char path[64], text[512] = "";
    if (process < 1 || process > INT_MAX || (kill((pid_t)process, 0) != 0 && errno == ESRCH))
        return false;
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *state = strrchr(text, ')'); /* behind the program's name */
    return !state || strncmp(state, ") Z", 3) != 0;
}

/* Removes the temporary files that killed processes have left, also one with this process's number. */
static void remove_left_parts(const char *part)
{
    char folder[PATH_MAX];
    output_file_folder(part, folder);
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        int64_t process = process_of_part(entry->d_name, part);
        if (process > 0 && (process == getpid() || !is_running(process)))
            unlinkat(dirfd(entries), entry->d_name, 0);
    }
    if (entries)
        closedir(entries);
}

/* The number of an open descriptor of this process if its folder in /proc holds the path; else -1.
 */
static int own_descriptor(const char *path)
{
    char folder[PATH_MAX];
    struct stat information, own;
    int64_t number;
    output_file_folder(path, folder);
    return stat(folder, &information) == 0 && stat("/proc/self/fd", &own) == 0 &&
                   is_same_inode(&information, &own) &&
                   word_to_integer(word_from_text(output_file_base_name(path)), &number)
               ? (int)number
               : -1;
}

/* The path, or the file at the end of its symbolic links. *descriptor is set if one of them stands
 * for an open descriptor. */
static bool follow_links(const char *path, char file[PATH_MAX], int *descriptor)
{
    char link[PATH_MAX];
    ssize_t length;
    size_t kept = 0;
    for (const char *next = path; kept + strlen(next) < PATH_MAX; next = link) {
        strcpy(file + kept, next);
        if ((length = readlink(file, link, sizeof link - 1)) < 0)
            return true;
        if (*descriptor < 0)
            *descriptor = own_descriptor(file);
        link[length] = '\0';
        kept = link[0] == '/' ? 0 : (size_t)(output_file_base_name(file) - file);
    }
    errno = ENAMETOOLONG;
    return false;
}

/* The descriptor of this process that a path names, as /dev/stdout does; -1: none. */
static int find_descriptor(const char *path)
{
    char file[PATH_MAX];
    int descriptor = -1;
    return follow_links(path, file, &descriptor) ? descriptor : -1;
}

/* A path that exists: a rename would replace a link by a file, and a read-only file. */
static enum status target_existing(const char *path, mode_t mode, struct target *target)
{
    target->direct = !S_ISREG(mode) || find_descriptor(path) >= 0;
    if (S_ISDIR(mode) || file_is_named_pipe(path)) {
        errno = S_ISDIR(mode) ? EISDIR : ESPIPE;
        return fail_path(path);
    }
    bool found = target->direct || realpath(path, target->path);
    return found && access(path, W_OK) == 0 ? STATUS_OK : fail_path(path);
}

static enum status target_init(struct target *target, const char *path)
{
    *target = (struct target){0};
    struct stat information;
    int descriptor = -1;
    if (stat(path, &information) == 0) {
        TRY(target_existing(path, information.st_mode, target));
    } else if (errno != ENOENT || path[0] == '\0' || !follow_links(path, target->path, &descriptor))
        return fail_path(path);

    return name_part(target->path, target->part);
}

/* A new file. Negative on failure. */
static int open_part(const char *part)
{
    return open(part, O_WRONLY | O_CREAT | O_EXCL, 0666);
}

static bool write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

bool output_file_is_stream(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 &&
           (!S_ISREG(information.st_mode) || find_descriptor(path) >= 0);
}

bool output_file_is_written_first(const char *path)
{
    return path && !output_file_is_stream(path);
}

bool output_file_is_written_last(const char *path, bool changed)
{
    return path && (changed || output_file_is_stream(path));
}

enum status output_file_check(const char *path)
{
    struct target target;
    TRY(target_init(&target, path));
    if (target.direct)
        return STATUS_OK;
    remove_left_parts(target.part);
    int descriptor = open_part(target.part);
    if (descriptor < 0)
        return fail_path(path);
    close(descriptor);
    unlink(target.part);
    return STATUS_OK;
}

static enum status write_direct(const char *path, const char *bytes, size_t length)
{
    int named = find_descriptor(path);
    int descriptor = named >= 0 ? dup(named) : file_open(path, O_WRONLY);
    if (descriptor < 0)
        return fail_path(path);
    fflush(stdout); /* what was printed before comes first */
    enum status status = write_all(descriptor, bytes, length) ? STATUS_OK : fail_path(path);
    close(descriptor);
    return status;
}

static bool find_room(const char *path, double *room)
{
    char folder[PATH_MAX];
    struct statvfs disk;
    output_file_folder(path, folder);
    if (statvfs(folder, &disk) != 0)
        return false;
    *room = (double)disk.f_bavail * (double)disk.f_frsize;
    return true;
}

double output_file_room(const char *path)
{
    double room = 0;
    find_room(path, &room);
    return room;
}

static enum status check_room(const char *path, int64_t n_bytes)
{
    double room;
    if (!find_room(path, &room))
        return fail_path(path);
    if (room >= (double)n_bytes)
        return STATUS_OK;
    return FAIL(STATUS_IO, "cannot write %s: it takes %.3f MB, %.3f MB are left on the disk", path,
                1e-6 * (double)n_bytes, 1e-6 * room);
}

static bool sync_path(const char *path, int flags)
{
    int descriptor = open(path, O_RDONLY | flags);
    bool synced = descriptor >= 0 && fsync(descriptor) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return synced;
}

static bool sync_folder(const char *path)
{
    char folder[PATH_MAX];
    output_file_folder(path, folder);
    return sync_path(folder, O_DIRECTORY);
}

/* The failure of a writer, which knows the temporary path only. */
static enum status fail_part(enum status status, const char *path, const char *part)
{
    const char *found = strstr(status_text(), part);
    if (found)
        status_set_text("%.*s%s%s", (int)(found - status_text()), status_text(), path,
                        found + strlen(part));
    return status;
}

static enum status write_and_rename(const char *path, const char *target, const char *part,
                                    enum status (*write)(const char *temporary, void *context),
                                    void *context)
{
    enum status status = write(part, context);
    if (status != STATUS_OK)
        return fail_part(status, path, part);
    if (!sync_path(part, 0) || rename(part, target) != 0 || !sync_folder(target))
        return fail_path(path);
    return STATUS_OK;
}

static enum status replace_target(const char *path, const struct target *target, int64_t n_bytes,
                                  enum status (*write)(const char *temporary, void *context),
                                  void *context)
{
    remove_left_parts(target->part);
    TRY(check_room(target->path, n_bytes));
    enum status status = write_and_rename(path, target->path, target->part, write, context);
    if (status != STATUS_OK)
        unlink(target->part);
    return status;
}

enum status output_file_replace(const char *path, int64_t n_bytes,
                                enum status (*write)(const char *temporary, void *context),
                                void *context)
{
    struct target target;
    TRY(target_init(&target, path));
    if (target.direct)
        return FAIL(STATUS_IO, "cannot write %s: it is not a regular file", path);
    return replace_target(path, &target, n_bytes, write, context);
}

struct contents {
    const char *bytes;
    size_t length;
};

static enum status write_contents(const char *part, void *context)
{
    const struct contents *contents = context;
    int descriptor = open_part(part);
    if (descriptor < 0)
        return fail_path(part);
    bool written = write_all(descriptor, contents->bytes, contents->length);
    enum status status = written ? STATUS_OK : fail_path(part);
    if (close(descriptor) != 0 && status == STATUS_OK)
        status = fail_path(part);
    return status;
}

enum status output_file_write(const char *path, const char *bytes, size_t length)
{
    struct target target;
    struct contents contents = {.bytes = bytes, .length = length};
    TRY(target_init(&target, path));
    if (target.direct)
        return write_direct(path, bytes, length);
    return replace_target(path, &target, (int64_t)length, write_contents, &contents);
}

static bool stat_folder(const char *path, struct stat *information)
{
    char folder[PATH_MAX];
    output_file_folder(path, folder);
    return stat(folder, information) == 0;
}

bool output_file_same(const char *path, const char *other)
{
    struct stat information, other_information;
    if (!path || !other)
        return false;
    bool exists = stat(path, &information) == 0;
    if (exists != (stat(other, &other_information) == 0))
        return false;
    if (exists)
        return !S_ISCHR(information.st_mode) && is_same_inode(&information, &other_information);
    if (!stat_folder(path, &information) || !stat_folder(other, &other_information))
        return strcmp(path, other) == 0;
    return is_same_inode(&information, &other_information) &&
           strcmp(output_file_base_name(path), output_file_base_name(other)) == 0;
}

static enum status check_distinct_from(const struct output *output, const char *input)
{
    if (output_file_same(output->path, input))
        return FAIL(STATUS_USAGE, "%s is both an input and an output: name another file",
                    output->path);
    return STATUS_OK;
}

enum status outputs_check_distinct(const struct output *outputs, int n_outputs,
                                   const char *const *inputs, int n_inputs)
{
    for (int i = 0; i < n_outputs; i++) {
        for (int k = 0; k < i; k++)
            if (output_file_same(outputs[i].path, outputs[k].path))
                return FAIL(STATUS_USAGE, "--%s and --%s name the same file", outputs[k].option,
                            outputs[i].option);
        for (int k = 0; k < n_inputs; k++)
            TRY(check_distinct_from(&outputs[i], inputs[k]));
    }
    return STATUS_OK;
}

enum status outputs_check_writable(const struct output *outputs, int n_outputs)
{
    for (int i = 0; i < n_outputs; i++)
        if (outputs[i].path)
            TRY(output_file_check(outputs[i].path));
    return STATUS_OK;
}
