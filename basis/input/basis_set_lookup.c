/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_set.h"
#include "support/base/agree.h"
#include "support/io/text_file.h"
#include "support/io/words.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MAX_NAME = 64, MAX_KNOWN = 200, MAX_FOLDERS = 16 };

struct folders {
    int n;
    char path[MAX_FOLDERS][PATH_BYTES];
};

static void add_folder(struct folders *folders, const char *path, size_t length)
{
    if (length > 0 && length < PATH_BYTES && folders->n < MAX_FOLDERS) {
        memcpy(folders->path[folders->n], path, length);
        folders->path[folders->n++][length] = '\0';
    }
}

/* The folder of an installation, from a file in its bin or lib. */
static void add_installed_folder(struct folders *folders, const char *file)
{
    char path[PATH_BYTES + 32];
    const char *end = strrchr(file, '/');
    if (!end)
        return;
    int n = snprintf(path, sizeof path, "%.*s/../share/beryl/basis", (int)(end - file), file);
    add_folder(folders, path, (size_t)n);
}

/* Folders of basis sets in the order of the search: those of the user, then that of the
 * installation, which the program or the shared library is in, then that of the source tree. */
static void find_folders(struct folders *folders)
{
    folders->n = 0;
    const char *list = getenv("BERYL_BASIS_PATH");
    while (list && *list) {
        size_t length = strcspn(list, ":");
        add_folder(folders, list, length);
        list += length + (list[length] == ':');
    }
    char program[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        add_installed_folder(folders, program);
    }
    Dl_info library;
    if (dladdr(BERYL_BASIS_SOURCE_FOLDER, &library))
        add_installed_folder(folders, library.dli_fname);
    add_folder(folders, BERYL_BASIS_SOURCE_FOLDER, strlen(BERYL_BASIS_SOURCE_FOLDER));
}

/* The name of a set's file without .gbs: lower case, a star and the first
 * polarisation functions in brackets spelled s: 6-31G(d,p) is 6-31gss. */
static bool file_stem(const char *name, char *stem)
{
    size_t n = 0;
    while (*name) {
        const char *spelled = NULL;
        char one[2] = {(char)tolower((unsigned char)*name), '\0'};
        size_t taken = 1;
        if (strncasecmp(name, "(d,p)", 5) == 0) {
            spelled = "ss";
            taken = 5;
        } else if (strncasecmp(name, "(d)", 3) == 0) {
            spelled = "s";
            taken = 3;
        } else {
            spelled = *name == '*' ? "s" : one;
        }
        if (n + strlen(spelled) >= MAX_NAME)
            return false;
        memcpy(stem + n, spelled, strlen(spelled));
        n += strlen(spelled);
        name += taken;
    }
    stem[n] = '\0';
    return n > 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Lists the sets of all folders, in words separated by ", ". */
static void list_known(const struct folders *folders, char *list, size_t size)
{
    static const char ending[] = ".gbs";
    char(*names)[MAX_NAME] = malloc(sizeof(char[MAX_KNOWN][MAX_NAME]));
    int n = 0;
    for (int f = 0; names && f < folders->n; f++) {
        DIR *folder = opendir(folders->path[f]);
        if (!folder)
            continue;
        for (struct dirent *entry; n < MAX_KNOWN && (entry = readdir(folder));) {
            size_t length = strlen(entry->d_name);
            size_t stem = length - (sizeof ending - 1);
            if (length < sizeof ending || stem >= MAX_NAME ||
                strcmp(entry->d_name + stem, ending) != 0)
                continue;
            memcpy(names[n], entry->d_name, stem);
            names[n++][stem] = '\0';
        }
        closedir(folder);
    }
    if (n > 0)
        qsort(names, (size_t)n, sizeof *names, compare_names);
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < n && used + MAX_NAME + 2 < size; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "", names[i]);
    if (used == 0)
        snprintf(list, size, "none found; BERYL_BASIS_PATH can name their folder");
    free(names);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), n = strlen(ending);
    return length >= n && strcasecmp(text + length - n, ending) == 0;
}

bool basis_set_is_file(const char *name)
{
    return strchr(name, '/') || ends_with(name, ".gbs") || ends_with(name, ".nw");
}

/* Puts the path of the set's file into path (PATH_BYTES). */
static enum status find_file(const char *name, char *path)
{
    if (basis_set_is_file(name)) {
        if (snprintf(path, PATH_BYTES, "%s", name) >= PATH_BYTES)
            return FAIL(STATUS_INPUT, "the path of the basis set is too long");
        return STATUS_OK;
    }
    struct folders *folders = malloc(sizeof *folders);
    TRY(CHECK_MEMORY(folders, "no memory to look for the basis set"));
    find_folders(folders);
    char stem[MAX_NAME];
    bool found = false;
    if (file_stem(name, stem))
        for (int f = 0; f < folders->n && !found; f++) {
            int length = snprintf(path, PATH_BYTES, "%s/%s.gbs", folders->path[f], stem);
            found = length < PATH_BYTES && access(path, F_OK) == 0;
        }
    enum status status = STATUS_OK;
    if (!found) {
        char known[800];
        struct suggestion suggestion = {.typed = word_from_text(name)};
        list_known(folders, known, sizeof known);
        suggestion_add(&suggestion, known);
        status = FAIL(STATUS_INPUT,
                      "unknown basis set '%.64s'; known are: %s; or give a file (.gbs or .nw)%s",
                      name, known, suggestion.text);
    }
    free(folders);
    return status;
}

enum status basis_set_read_all(const char *name, MPI_Comm comm, struct basis_set *set)
{
    *set = (struct basis_set){0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    char path[PATH_BYTES] = "";
    TRY(status_agree(comm, rank == 0 ? find_file(name, path) : STATUS_OK));
    MPI_Bcast(path, PATH_BYTES, MPI_CHAR, 0, comm);

    struct text_file file;
    TRY(text_file_read_all(path, comm, &file));
    enum status status = status_agree(comm, basis_set_parse(file.bytes, file.length, path, set));
    if (status != STATUS_OK)
        basis_set_fini(set);
    text_file_fini(&file);
    return status;
}
