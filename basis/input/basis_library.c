/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_library.h"

#include "basis/input/molecule.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/log.h"
#include "support/io/text_file.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 64 };

/* The normal form of a name (basis_library.h). */
struct normal_name {
    char text[NAME_BYTES]; /* "": the name is too long */
};

struct set_file {
    char *path; /* owned */
    char stem[NAME_BYTES];
    struct normal_name normal;
    int folder;
    int n_edits; /* from a name that was typed */
};

struct library {
    int64_t n, capacity;
    struct set_file *files; /* by folder in the order of the search, then by name */
};

/* --- the folders --- */

/* *folders: the caller frees it. */
static enum status find_folders(char **folders)
{
    const char *own = getenv("BERYL_BASIS_PATH");
    char program[PATH_BYTES] = "";
    Dl_info info;
    /* The literal is part of the program, or of the shared library that another program loads. */
    const char *library = dladdr(BERYL_BASIS_SOURCE_FOLDER, &info) ? info.dli_fname : "";
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        program[0] = '\0';
    const char *program_end = strrchr(program, '/'), *library_end = strrchr(library, '/');
    int n = asprintf(folders, "%s:%.*s/../share/beryl/basis:%.*s/../share/beryl/basis:%s",
                     own ? own : "", program_end ? (int)(program_end - program) : 0, program,
                     library_end ? (int)(library_end - library) : 0, library,
                     BERYL_BASIS_SOURCE_FOLDER);
    return CHECK_MEMORY(n >= 0, "no memory for the folders of basis sets");
}

static struct normal_name normalise(const char *name)
{
    static const char *const spellings[][2] = {{"(d,p)", "ss"}, {"(d)", "s"}, {"*", "s"},
                                               {"-", ""},       {"_", ""},    {" ", ""}};
    struct normal_name normal = {""};
    size_t n = 0;
    while (*name) {
        char letter[] = {(char)tolower((unsigned char)*name), '\0'};
        const char *spelled = letter;
        size_t taken = 1;
        for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
            if (strncasecmp(name, spellings[i][0], strlen(spellings[i][0])) == 0) {
                taken = strlen(spellings[i][0]);
                spelled = spellings[i][1];
                break;
            }
        if (n + strlen(spelled) >= NAME_BYTES)
            return (struct normal_name){""};
        n += (size_t)sprintf(normal.text + n, "%s", spelled);
        name += taken;
    }
    return normal;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), n = strlen(ending);
    return length >= n && strcasecmp(text + length - n, ending) == 0;
}

static int is_set_file(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".gbs") &&
           strlen(entry->d_name) < NAME_BYTES + sizeof ".gbs" - 1;
}

static bool is_hidden(const struct library *library, const struct set_file *file)
{
    for (int64_t i = 0; i < library->n; i++)
        if (library->files[i].folder != file->folder &&
            strcmp(library->files[i].normal.text, file->normal.text) == 0)
            return true;
    return false;
}

static enum status add_file(struct library *library, int number, const char *folder,
                            const char *name)
{
    struct set_file file = {.folder = number};
    snprintf(file.stem, sizeof file.stem, "%.*s", (int)(strlen(name) - strlen(".gbs")), name);
    file.normal = normalise(file.stem);
    if (is_hidden(library, &file))
        return STATUS_OK;
    TRY(array_reserve(&library->files, library->n + 1, &library->capacity, sizeof file));
    file.path = malloc(strlen(folder) + strlen(name) + 2);
    TRY(CHECK_MEMORY(file.path, "no memory for the names of basis sets"));
    sprintf(file.path, "%s/%s", folder, name);
    library->files[library->n++] = file;
    return STATUS_OK;
}

static enum status add_folder(struct library *library, int number, const char *folder)
{
    struct dirent **entries;
    enum status status = STATUS_OK;
    int n = scandir(folder, &entries, is_set_file, alphasort);
    for (int i = 0; i < n; i++) {
        if (status == STATUS_OK)
            status = add_file(library, number, folder, entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return status;
}

static void library_fini(struct library *library)
{
    for (int64_t i = 0; i < library->n; i++)
        free(library->files[i].path);
    free(library->files);
}

/* Errors: STATUS_NO_MEMORY; the caller still calls library_fini. */
static enum status library_init(struct library *library)
{
    char *folders, *rest = NULL;
    int number = 0;
    *library = (struct library){0};
    TRY(find_folders(&folders));
    enum status status = STATUS_OK;
    for (char *folder = strtok_r(folders, ":", &rest); folder && status == STATUS_OK;
         folder = strtok_r(NULL, ":", &rest))
        status = add_folder(library, number++, folder);
    free(folders);
    return status;
}

/* --- names --- */

static int by_edits(const void *left, const void *right)
{
    const struct set_file *a = left, *b = right;
    return a->n_edits != b->n_edits ? (a->n_edits > b->n_edits) - (a->n_edits < b->n_edits)
                                    : strcmp(a->stem, b->stem);
}

/* Fails with the sets that are nearest to the name. */
static enum status fail_unknown(struct library *library, const char *name)
{
    char known[600] = "";
    size_t used = 0;
    struct normal_name typed = normalise(name);
    struct suggestion suggestion = {.typed = word_from_text(name)};
    for (int64_t i = 0; i < library->n; i++)
        library->files[i].n_edits =
            word_edits(word_from_text(typed.text), word_from_text(library->files[i].normal.text));
    qsort(library->files, (size_t)library->n, sizeof *library->files, by_edits);
    for (int64_t i = 0; i < library->n; i++) {
        const char *stem = library->files[i].stem;
        bool fits = used + strlen(stem) + sizeof ", ..." < sizeof known;
        used += (size_t)sprintf(known + used, "%s%s", i > 0 ? ", " : "", fits ? stem : "...");
        if (!fits)
            break;
        suggestion_add(&suggestion, stem);
    }
    return FAIL(STATUS_INPUT,
                "unknown basis set '%.64s'; known are: %s; --list-basis shows their elements; or "
                "give a file (.gbs or .nw)%s",
                name, used ? known : "none found; BERYL_BASIS_PATH can name their folder",
                suggestion.text);
}

/* Puts the path of the set into path (PATH_BYTES). */
static enum status find_by_name(struct library *library, const char *name, char *path)
{
    const struct set_file *found = NULL, *other = NULL;
    struct normal_name normal = normalise(name);
    TRY(library_init(library));
    for (int64_t i = 0; i < library->n && *normal.text; i++) {
        const struct set_file *file = &library->files[i];
        bool is_very_name = strcmp(file->stem, name) == 0;
        if (strcmp(file->normal.text, normal.text) != 0)
            continue;
        other = is_very_name ? NULL : found;
        found = file;
        if (is_very_name)
            break;
    }
    if (!found)
        return fail_unknown(library, name);
    if (other)
        return FAIL(STATUS_INPUT,
                    "basis set '%.64s' can be %s or %s: give the name of the file as it is", name,
                    other->path, found->path);
    snprintf(path, PATH_BYTES, "%s", found->path);
    return STATUS_OK;
}

bool basis_set_is_file(const char *name)
{
    return strchr(name, '/') || ends_with(name, ".gbs") || ends_with(name, ".nw");
}

static enum status find_file(const char *name, char *path)
{
    struct library library = {0};
    if (basis_set_is_file(name)) {
        if (snprintf(path, PATH_BYTES, "%s", name) >= PATH_BYTES)
            return FAIL(STATUS_INPUT, "the path of the basis set is too long");
        return STATUS_OK;
    }
    enum status status = find_by_name(&library, name, path);
    library_fini(&library);
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

/* --- the list --- */

static enum status parse_element(const char *text, int *element)
{
    int64_t number = element_number(text, strlen(text));
    if (word_to_integer(word_from_text(text), &number) &&
        (number < 1 || number > MAX_ATOMIC_NUMBER))
        number = -1;
    *element = (int)number;
    return number >= 0 ? STATUS_OK
                       : FAIL(STATUS_USAGE,
                              "--list-basis '%.40s': give an element by symbol or number, such "
                              "as O or 8",
                              text);
}

static bool has_functions(const struct basis_set *set, int element, bool needs_ecp)
{
    const struct basis_element *entry = basis_set_find(set, element);
    return entry && entry->n_groups > 0 && !entry->defect && entry->needs_ecp == needs_ecp;
}

/* Writes elements such as "H-Ar, Ca, Bq". */
static void list_elements(const struct basis_set *set, bool needs_ecp, char *list, size_t size)
{
    size_t n = 0;
    *list = '\0';
    for (int i = 1; i <= MAX_ATOMIC_NUMBER + 1; i++) {
        int z = i % (MAX_ATOMIC_NUMBER + 1), last = i; /* Bq is the last one */
        if (!has_functions(set, z, needs_ecp))
            continue;
        while (z > 0 && last < MAX_ATOMIC_NUMBER && has_functions(set, last + 1, needs_ecp))
            last++;
        n += (size_t)snprintf(list + n, size - n, "%s%s%s%s", n > 0 ? ", " : "", element_symbol(z),
                              last > i ? "-" : "", last > i ? element_symbol(last) : "");
        i = last;
    }
}

/* Prints a line, after the folder if it is the first one of it; a set that cannot be read has its
 * error.
 * element   -1: any
 * *printed  the number of the folder of the last line */
static enum status print_set(const struct set_file *file, int element, int *printed)
{
    char all[1024], with_potential[1024] = "";
    struct text_file text;
    struct basis_set set = {0};
    enum status status = text_file_read(file->path, &text);
    if (status == STATUS_OK)
        status = basis_set_parse(text.bytes, text.length, file->path, &set);
    text_file_fini(&text);
    if (status == STATUS_NO_MEMORY)
        return status;
    if (status != STATUS_OK)
        snprintf(all, sizeof all, "%s", status_text());
    else {
        list_elements(&set, false, all, sizeof all);
        list_elements(&set, true, with_potential, sizeof with_potential);
    }
    bool wanted =
        element < 0 || has_functions(&set, element, false) || has_functions(&set, element, true);
    if (wanted && *printed != file->folder)
        log_print("%.*s\n", (int)(strrchr(file->path, '/') - file->path), file->path);
    if (wanted) {
        *printed = file->folder;
        log_print("  %-14s %s%s%s\n", file->stem, all,
                  !*with_potential ? ""
                  : *all           ? "; with core potentials "
                                   : "with core potentials ",
                  with_potential);
    }
    basis_set_fini(&set);
    return STATUS_OK;
}

enum status basis_library_print(const char *element)
{
    struct library library;
    int number = -1, printed = -1;
    if (*element)
        TRY(parse_element(element, &number));
    enum status status = library_init(&library);
    for (int64_t i = 0; i < library.n && status == STATUS_OK; i++)
        status = print_set(&library.files[i], number, &printed);
    if (status == STATUS_OK && printed < 0)
        log_print("No basis set%s%s; BERYL_BASIS_PATH can name a folder with others\n",
                  number >= 0 ? " has functions for " : " is found",
                  number >= 0 ? element_symbol(number) : "");
    library_fini(&library);
    return status;
}
