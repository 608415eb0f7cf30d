/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_trial.h"

#include "hf/checkpoint/checkpoint_file.h"
#include "hf/checkpoint/checkpoint_hdf5.h"
#include "hf/checkpoint/checkpoint_seal.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- data sets --- */

static enum status fail_set(const char *path, const char *name, const char *trouble)
{
    return FAIL(STATUS_INPUT, "%s: damaged: %s %s", path, name, trouble);
}

/* Sizes of a data set of doubles that the file can hold: four bytes at least for each. */
static bool find_sizes(hid_t set, int64_t file_bytes, int *rank,
                       int64_t size[CHECKPOINT_SET_MAX_RANK])
{
    hsize_t found[H5S_MAX_RANK];
    hid_t space = H5Dget_space(set);
    *rank = H5Sget_simple_extent_ndims(space);
    bool fits = *rank >= 1 && *rank <= CHECKPOINT_SET_MAX_RANK &&
                H5Sget_simple_extent_dims(space, found, NULL) == *rank;
    H5Sclose(space);
    int64_t left = file_bytes / 4;
    for (int d = 0; d < *rank && fits; d++) {
        size[d] = (int64_t)found[d];
        fits = size[d] >= 1 && size[d] <= left;
        left = fits ? left / size[d] : 0;
    }
    return fits;
}

/* No coefficient, Fock matrix or amplitude has a number beyond this: kinetic energies of the
 * tightest functions come closest. */
#define LARGEST 1e12

/* Elements that are read at a time, or those of the last index. */
enum { PIECE_ELEMENTS = 1 << 20 };

static enum status read_piece(hid_t set, const char *path, const char *name, int rank,
                              const int64_t first[], const int64_t size[], double *piece)
{
    int64_t n = 1;
    for (int d = 0; d < rank; d++)
        n *= size[d];
    if (!checkpoint_set_move(set, CHECKPOINT_READ, rank, first, size, piece))
        return fail_set(path, name, "cannot be read");
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(piece[i]) < LARGEST))
            return fail_set(path, name, "has numbers that are not finite or far too large");
    return STATUS_OK;
}

/* A walk over the pieces of a data set: each has one value of the indices before `split`, a range
 * of that one, and all values of those after it. */
struct pieces {
    int rank, split;
    int64_t step, n_elements; /* values of the split index in a piece, elements of it */
    int64_t all[CHECKPOINT_SET_MAX_RANK], first[CHECKPOINT_SET_MAX_RANK];
};

static struct pieces pieces_of(int rank, const int64_t size[])
{
    struct pieces pieces = {.rank = rank, .split = rank - 1};
    int64_t n = 1;
    for (int d = 0; d < rank; d++)
        pieces.all[d] = size[d];
    while (pieces.split > 0 && n * size[pieces.split] <= PIECE_ELEMENTS)
        n *= size[pieces.split--];
    int64_t most = n < PIECE_ELEMENTS ? PIECE_ELEMENTS / n : 1, all = size[pieces.split];
    pieces.step = most < all ? most : all;
    pieces.n_elements = pieces.step * n;
    return pieces;
}

static void size_piece(const struct pieces *pieces, int64_t size[])
{
    for (int d = 0; d < pieces->rank; d++)
        size[d] = d < pieces->split ? 1 : pieces->all[d];
    int64_t left = pieces->all[pieces->split] - pieces->first[pieces->split];
    size[pieces->split] = left < pieces->step ? left : pieces->step;
}

/* False after the last piece. */
static bool advance_piece(struct pieces *pieces)
{
    pieces->first[pieces->split] += pieces->step;
    for (int d = pieces->split; d >= 0; d--) {
        if (pieces->first[d] < pieces->all[d])
            return true;
        pieces->first[d] = 0;
        if (d > 0)
            pieces->first[d - 1]++;
    }
    return false;
}

static enum status read_pieces(hid_t set, const char *path, const char *name, int rank,
                               const int64_t all[])
{
    struct pieces pieces = pieces_of(rank, all);
    int64_t size[CHECKPOINT_SET_MAX_RANK];
    double *piece = malloc((size_t)pieces.n_elements * sizeof *piece);
    enum status status = CHECK_MEMORY(piece, "%s: no memory to read %s", path, name);
    bool is_left = true;
    while (is_left && status == STATUS_OK) {
        size_piece(&pieces, size);
        status = read_piece(set, path, name, rank, pieces.first, size, piece);
        is_left = advance_piece(&pieces);
    }
    free(piece);
    return status;
}

static enum status read_set(hid_t location, const char *path, const char *name, int64_t file_bytes)
{
    int rank;
    int64_t size[CHECKPOINT_SET_MAX_RANK];
    hid_t set = H5Dopen2(location, name, H5P_DEFAULT);
    if (set < 0)
        return fail_set(path, name, "is missing");
    enum status status =
        find_sizes(set, file_bytes, &rank, size)
            ? read_pieces(set, path, name, rank, size)
            : fail_set(path, name, "has sizes that no file of its length can have");
    H5Dclose(set);
    return status;
}

/* All data sets of a group, if it is there. */
static enum status read_group(hid_t file, const char *path, const char *name, int64_t file_bytes)
{
    H5G_info_t information;
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return STATUS_OK;
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    if (group < 0 || H5Gget_info(group, &information) < 0)
        return fail_set(path, name, "cannot be opened");
    enum status status = STATUS_OK;
    for (hsize_t i = 0; i < information.nlinks && status == STATUS_OK; i++) {
        char set[256];
        if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, set, sizeof set,
                               H5P_DEFAULT) < 0)
            status = fail_set(path, name, "cannot be listed");
        else
            status = read_set(group, path, set, file_bytes);
    }
    H5Gclose(group);
    return status;
}

static enum status read_own_sets(hid_t file, const char *path, int64_t file_bytes)
{
    TRY(read_set(file, path, CHECKPOINT_COEFFICIENTS, file_bytes));
    TRY(read_group(file, path, CHECKPOINT_SCF, file_bytes));
    TRY(read_group(file, path, CHECKPOINT_OCCUPATION, file_bytes));
    return read_group(file, path, CHECKPOINT_AMPLITUDES, file_bytes);
}

static enum status read_all_sets(const char *path, int64_t file_bytes)
{
    struct hdf5_messages messages = hdf5_messages_stop();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    enum status status = file >= 0 ? read_own_sets(file, path, file_bytes)
                                   : FAIL(STATUS_INPUT, "%s: not a checkpoint", path);
    if (file >= 0)
        H5Fclose(file);
    hdf5_messages_resume(&messages);
    return status;
}

/* --- the trial --- */

static enum status find_size(const char *path, int64_t *file_bytes)
{
    struct stat information;
    if (stat(path, &information) != 0)
        return FAIL(STATUS_IO, "cannot read %s: %s", path, strerror(errno));
    /* Nothing may ever come through a pipe. */
    if (!S_ISREG(information.st_mode))
        return FAIL(STATUS_INPUT, "%s: not a checkpoint: it is not a regular file", path);
    *file_bytes = (int64_t)information.st_size;
    return STATUS_OK;
}

enum status checkpoint_trial_read(const char *path)
{
    int64_t file_bytes = 0;
    bool sealed;
    struct checkpoint_contents contents;
    TRY(find_size(path, &file_bytes));
    TRY(checkpoint_seal_verify(path, &sealed));
    TRY(checkpoint_file_read(path, &contents));
    bool lost = !sealed && strstr(contents.description, CHECKPOINT_SEALED);
    checkpoint_contents_fini(&contents);
    if (lost)
        return FAIL(STATUS_INPUT, "%s: damaged: its end with the SHA-256 is missing", path);
    return read_all_sets(path, file_bytes);
}

/* --- the child process --- */

/* Limits of the child: memory in addition to that of this process, and time, with more for large
 * files: a slow disk reads BYTES_IN_SECOND. */
#define TRIAL_BYTES     1000000000
#define TRIAL_SECONDS   20
#define BYTES_IN_SECOND 10000000

/* The outcome, through a pipe. */
struct verdict {
    enum status status;
    char text[1024];
};

static int64_t address_space_bytes(void)
{
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void lower_limit(int resource, int64_t most)
{
    struct rlimit limit;
    getrlimit(resource, &limit);
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (rlim_t)most)
        limit.rlim_cur = (rlim_t)most;
    setrlimit(resource, &limit);
}

/* Handlers of MPI would print pages about a crash. */
static void confine_child(int64_t file_bytes)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
    int64_t size = address_space_bytes();
    if (size > 0)
        lower_limit(RLIMIT_AS, size + TRIAL_BYTES + 2 * file_bytes);
    lower_limit(RLIMIT_CORE, 0);
    alarm((unsigned)(TRIAL_SECONDS + file_bytes / BYTES_IN_SECOND));
}

static void run_child(const char *path, int64_t file_bytes, int out)
{
    struct verdict verdict = {0};
    confine_child(file_bytes);
    verdict.status = checkpoint_trial_read(path);
    snprintf(verdict.text, sizeof verdict.text, "%s", status_text());
    _exit(write(out, &verdict, sizeof verdict) == (ssize_t)sizeof verdict ? 0 : 1);
}

/* It comes in one piece, which is shorter than PIPE_BUF. */
static bool read_verdict(int in, struct verdict *verdict)
{
    ssize_t n;
    do
        n = read(in, verdict, sizeof *verdict);
    while (n < 0 && errno == EINTR);
    verdict->text[sizeof verdict->text - 1] = '\0';
    return n == (ssize_t)sizeof *verdict;
}

/* Outcome of a child that has ended. */
static enum status judge_child(const char *path, int in, pid_t child)
{
    struct verdict verdict;
    int how = 0;
    bool complete = read_verdict(in, &verdict);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    if (complete)
        return verdict.status == STATUS_OK ? STATUS_OK : FAIL(verdict.status, "%s", verdict.text);
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM)
        return FAIL(STATUS_INPUT, "%s: damaged: HDF5 timed out reading it", path);
    return FAIL(STATUS_INPUT, "%s: damaged: HDF5 crashed reading it", path);
}

/* The fork, though MPI may run: HDF5 and TREXIO have no way of reading a damaged file that cannot
 * crash. The child calls neither MPI nor exit handlers. */
enum status checkpoint_trial(const char *path)
{
    int ends[2];
    int64_t file_bytes = 0;
    TRY(find_size(path, &file_bytes));
    if (pipe(ends) != 0)
        return FAIL(STATUS_LIBRARY, "cannot start a process to read %s: %s", path, strerror(errno));
    pid_t child = fork();
    if (child == 0)
        run_child(path, file_bytes, ends[1]);
    close(ends[1]);
    enum status status = child > 0 ? judge_child(path, ends[0], child)
                                   : FAIL(STATUS_LIBRARY, "cannot start a process to read %s: %s",
                                          path, strerror(errno));
    close(ends[0]);
    return status;
}
