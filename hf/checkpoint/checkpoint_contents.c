/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_contents.h"

#include "support/base/agree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trexio.h>

/* Tolerance, in electrons, of the sum of occupations, which other programs may have rounded. */
#define OCCUPATION_NOISE 1e-4

/* TREXIO's names of the counts; the sizes of arrays are at least 1. */
#define SIZES(X)                                                                                   \
    X(nucleus_num, n_centers)                                                                      \
    X(basis_shell_num, n_shells)                                                                   \
    X(basis_prim_num, n_primitives)                                                                \
    X(ao_num, n_functions)                                                                         \
    X(mo_num, n_orbitals)
#define OTHER_COUNTS(X)                                                                            \
    X(ao_cartesian, cartesian)                                                                     \
    X(electron_up_num, n_electrons[0])                                                             \
    X(electron_dn_num, n_electrons[1])

/* TREXIO's names of the arrays, and their sizes. */
#define REALS(X)                                                                                   \
    X(nucleus_charge, charge, n_centers)                                                           \
    X(nucleus_coord, coordinates, n_centers * 3)                                                   \
    X(basis_shell_factor, shell_factor, n_shells)                                                  \
    X(basis_exponent, exponent, n_primitives)                                                      \
    X(basis_coefficient, coefficient, n_primitives)                                                \
    X(basis_prim_factor, primitive_factor, n_primitives)                                           \
    X(ao_normalization, normalisation, n_functions)
/* Other programs may leave these out. */
#define OPTIONAL_REALS(X)                                                                          \
    X(mo_energy, energies, n_orbitals)                                                             \
    X(mo_occupation, occupations, n_orbitals)
#define INTEGERS(X)                                                                                \
    X(basis_nucleus_index, shell_center, n_shells)                                                 \
    X(basis_shell_ang_mom, shell_l, n_shells)                                                      \
    X(basis_shell_index, primitive_shell, n_primitives)                                            \
    X(ao_shell, function_shell, n_functions)
#define OPTIONAL_INTEGERS(X) X(mo_spin, spins, n_orbitals)
#define NUMBERS(X)           X(, function, n_functions)
/* There if there are core potentials. */
#define ECP_REALS(X)                                                                               \
    X(ecp_exponent, term_exponent, n_terms)                                                        \
    X(ecp_coefficient, term_coefficient, n_terms)
#define ECP_INTEGERS(X)                                                                            \
    X(ecp_z_core, n_core, n_centers)                                                               \
    X(ecp_max_ang_mom_plus_1, local_l, n_centers)                                                  \
    X(ecp_nucleus_index, term_center, n_terms)                                                     \
    X(ecp_ang_mom, term_l, n_terms)                                                                \
    X(ecp_power, term_power, n_terms)

/* --- memory --- */

#define ADD_SIZE(name, field, size) +n->size
#define SET_POINTER(name, field, size)                                                             \
    contents->field = at;                                                                          \
    at += contents->n.size;

static size_t count_reals(const struct checkpoint_counts *n)
{
    return (size_t)(0 REALS(ADD_SIZE) OPTIONAL_REALS(ADD_SIZE) ECP_REALS(ADD_SIZE));
}

static size_t count_integers(const struct checkpoint_counts *n)
{
    return (size_t)(0 INTEGERS(ADD_SIZE) OPTIONAL_INTEGERS(ADD_SIZE) NUMBERS(ADD_SIZE)
                        ECP_INTEGERS(ADD_SIZE));
}

enum status checkpoint_contents_init(struct checkpoint_contents *contents)
{
    double *reals = calloc(count_reals(&contents->n), sizeof *reals);
    int64_t *integers = calloc(count_integers(&contents->n), sizeof *integers);
    contents->charge = reals;
    contents->shell_center = integers;
    TRY(CHECK_MEMORY(reals && integers, "no memory for the basis of a checkpoint"));
    {
        double *at = reals;
        REALS(SET_POINTER)
        OPTIONAL_REALS(SET_POINTER)
        ECP_REALS(SET_POINTER)
    }
    {
        int64_t *at = integers;
        INTEGERS(SET_POINTER)
        OPTIONAL_INTEGERS(SET_POINTER)
        NUMBERS(SET_POINTER)
        ECP_INTEGERS(SET_POINTER)
    }
    return STATUS_OK;
}

void checkpoint_contents_fini(struct checkpoint_contents *contents)
{
    free(contents->charge);
    free(contents->shell_center);
    *contents = (struct checkpoint_contents){0};
}

/* --- writing --- */

static enum status check_trexio(trexio_exit_code code, const char *path, const char *what)
{
    return code == TREXIO_SUCCESS
               ? STATUS_OK
               : FAIL(STATUS_IO, "cannot write %s: HDF5 fails at %s: is the disk full?", path,
                      what);
}

/* Both use the caller's `file`, the TREXIO handle, and its `path`. */
#define WRITE(name, value) TRY(check_trexio(trexio_write_##name##_64(file, value), path, #name));
#define WRITE_TEXT(name, text)                                                                     \
    TRY(check_trexio(trexio_write_##name(file, text, (int)strlen(text) + 1), path, #name));

#define WRITE_COUNT(name, field)       WRITE(name, contents->n.field)
#define WRITE_ARRAY(name, field, size) WRITE(name, contents->field)

static enum status write_labels(trexio_t *file, const char *path, const struct molecule *molecule)
{
    const char **labels = malloc((size_t)molecule->n_atoms * sizeof *labels);
    TRY(CHECK_MEMORY(labels, "%s: no memory for the labels of atoms", path));
    for (int64_t i = 0; i < molecule->n_atoms; i++)
        labels[i] = molecule->atoms[i].ghost ? "Bq" : element_symbol(molecule->atoms[i].element);
    trexio_exit_code code = trexio_write_nucleus_label(file, labels, 4);
    free(labels);
    return check_trexio(code, path, "nucleus_label");
}

static enum status write_trexio_contents(trexio_t *file, const char *path, const char *description,
                                         const struct molecule *molecule,
                                         const struct checkpoint_contents *contents)
{
    WRITE_TEXT(metadata_description, description)
    SIZES(WRITE_COUNT)
    OTHER_COUNTS(WRITE_COUNT)
    WRITE(electron_num, contents->n.n_electrons[0] + contents->n.n_electrons[1])
    WRITE_TEXT(basis_type, "Gaussian")
    WRITE_TEXT(mo_type, "HF")
    REALS(WRITE_ARRAY)
    OPTIONAL_REALS(WRITE_ARRAY)
    INTEGERS(WRITE_ARRAY)
    OPTIONAL_INTEGERS(WRITE_ARRAY)
    if (contents->n.n_terms > 0) {
        WRITE_COUNT(ecp_num, n_terms)
        ECP_REALS(WRITE_ARRAY)
        ECP_INTEGERS(WRITE_ARRAY)
    }
    return write_labels(file, path, molecule);
}

enum status checkpoint_contents_write(const char *path, const char *description,
                                      const struct molecule *molecule,
                                      const struct checkpoint_contents *contents)
{
    trexio_exit_code code;
    struct hdf5_messages messages = hdf5_messages_stop();
    trexio_t *file = trexio_open(path, 'w', TREXIO_HDF5, &code);
    enum status status = check_trexio(file ? TREXIO_SUCCESS : code, path, "its creation");
    if (file) {
        status = write_trexio_contents(file, path, description, molecule, contents);
        code = trexio_close(file);
        if (status == STATUS_OK)
            status = check_trexio(code, path, "its end");
    }
    hdf5_messages_resume(&messages);
    return status;
}

/* --- reading --- */

static enum status fail_part(const struct checkpoint_stream *stream, const char *name)
{
    return FAIL(STATUS_INPUT,
                "%s: %s cannot be read: the file is damaged, or the program that wrote it left "
                "that out: use another file",
                stream->path, name);
}

/* The path of an item, its name prefixed with its group's. */
struct item_path {
    char text[64];
};

static struct item_path path_of_item(const char *name)
{
    struct item_path path;
    snprintf(path.text, sizeof path.text, "%.*s/%s", (int)strcspn(name, "_"), name, name);
    return path;
}

/* A count from least to most. */
static enum status read_count(const struct checkpoint_stream *stream, const char *name,
                              int64_t least, int64_t most, int64_t *count)
{
    struct item_path path = path_of_item(name);
    path.text[strcspn(path.text, "/")] = '\0';
    hid_t group = H5Gopen2(stream->file, path.text, H5P_DEFAULT);
    bool done = group >= 0 &&
                checkpoint_attribute_move(group, name, H5T_NATIVE_INT64, CHECKPOINT_READ, count);
    if (group >= 0)
        H5Gclose(group);
    if (!done)
        return fail_part(stream, name);
    if (*count < least || *count > most)
        return FAIL(STATUS_INPUT, "%s: %s: %lld is not a size that a file of its length can have",
                    stream->path, name, (long long)*count);
    return STATUS_OK;
}

static enum status read_array(const struct checkpoint_stream *stream, const char *name, hid_t type,
                              int64_t n, void *array)
{
    hid_t set = H5Dopen2(stream->file, path_of_item(name).text, H5P_DEFAULT);
    if (set < 0)
        return fail_part(stream, name);
    hid_t space = H5Dget_space(set);
    bool done = H5Sget_simple_extent_npoints(space) == n &&
                H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array) >= 0;
    H5Sclose(space);
    H5Dclose(set);
    return done ? STATUS_OK : fail_part(stream, name);
}

#define READ_SIZE(name, field)  TRY(read_count(stream, #name, 1, most, &n->field));
#define READ_COUNT(name, field) TRY(read_count(stream, #name, 0, most, &n->field));
#define READ_REALS(name, field, size)                                                              \
    TRY(read_array(stream, #name, H5T_NATIVE_DOUBLE, contents->n.size, contents->field));
#define READ_INTEGERS(name, field, size)                                                           \
    TRY(read_array(stream, #name, H5T_NATIVE_INT64, contents->n.size, contents->field));

/* Zeros stand for an array that the file lacks. */
static bool has_array(const struct checkpoint_stream *stream, const char *name)
{
    return H5Lexists(stream->file, path_of_item(name).text, H5P_DEFAULT) > 0;
}

#define READ_OPTIONAL_REALS(name, field, size)                                                     \
    if (has_array(stream, #name))                                                                  \
    READ_REALS(name, field, size)
#define READ_OPTIONAL_INTEGERS(name, field, size)                                                  \
    if (has_array(stream, #name))                                                                  \
    READ_INTEGERS(name, field, size)

/* The coefficients are opened to have their sizes checked. */
static enum status read_counts(const struct checkpoint_stream *stream, struct checkpoint_counts *n)
{
    hsize_t n_bytes = 0;
    H5Fget_filesize(stream->file, &n_bytes);
    int64_t most = (int64_t)n_bytes / 4; /* TREXIO's numbers have four bytes or more */
    SIZES(READ_SIZE)
    OTHER_COUNTS(READ_COUNT)
    n->has_occupations = has_array(stream, "mo_occupation");
    if (H5Lexists(stream->file, "ecp", H5P_DEFAULT) > 0 &&
        H5Aexists_by_name(stream->file, "ecp", "ecp_num", H5P_DEFAULT) > 0)
        READ_SIZE(ecp_num, n_terms)
    hid_t set = checkpoint_set_open(stream->file, CHECKPOINT_COEFFICIENTS, CHECKPOINT_READ, 2,
                                    (int64_t[]){n->n_orbitals, n->n_functions});
    if (set >= 0)
        H5Dclose(set);
    return set < 0 || n->n_orbitals > most / n->n_functions ? fail_part(stream, "mo_coefficient")
                                                            : STATUS_OK;
}

static enum status read_arrays(const struct checkpoint_stream *stream,
                               struct checkpoint_contents *contents)
{
    TRY(checkpoint_contents_init(contents));
    REALS(READ_REALS)
    INTEGERS(READ_INTEGERS)
    OPTIONAL_REALS(READ_OPTIONAL_REALS)
    OPTIONAL_INTEGERS(READ_OPTIONAL_INTEGERS)
    if (contents->n.n_terms > 0) {
        ECP_REALS(READ_REALS)
        ECP_INTEGERS(READ_INTEGERS)
    }
    return STATUS_OK;
}

static enum status check_orbitals(const char *path, const struct checkpoint_contents *contents)
{
    const struct checkpoint_counts *n = &contents->n;
    double sum = 0, expected = (double)n->n_electrons[0] + (double)n->n_electrons[1];
    for (int64_t k = 0; k < n->n_orbitals; k++) {
        int64_t spin = contents->spins[k], before = k > 0 ? contents->spins[k - 1] : 0;
        if (spin < before || spin > 1)
            return FAIL(STATUS_INPUT,
                        "%s: orbital %lld has the spin %lld: alpha ones (0) come first, then "
                        "beta ones (1)",
                        path, (long long)k + 1, (long long)spin);
        sum += contents->occupations[k];
    }
    if (n->has_occupations && !(fabs(sum - expected) < OCCUPATION_NOISE))
        return FAIL(STATUS_INPUT,
                    "%s: damaged: its occupations add up to %.6g electrons, but it has %.0f: use "
                    "another file",
                    path, sum, expected);
    return STATUS_OK;
}

/* Counts and, once they are known, arrays are read by process 0 and given to the others. */
enum status checkpoint_contents_read(const struct checkpoint_stream *stream,
                                     struct checkpoint_contents *contents)
{
    *contents = (struct checkpoint_contents){0};
    TRY(status_agree(stream->comm,
                     stream->is_root ? read_counts(stream, &contents->n) : STATUS_OK));
    MPI_Bcast(&contents->n, sizeof contents->n, MPI_BYTE, 0, stream->comm);
    TRY(status_agree(stream->comm, stream->is_root ? read_arrays(stream, contents)
                                                   : checkpoint_contents_init(contents)));
    MPI_Bcast(contents->charge, (int)count_reals(&contents->n), MPI_DOUBLE, 0, stream->comm);
    MPI_Bcast(contents->shell_center, (int)count_integers(&contents->n), MPI_INT64_T, 0,
              stream->comm);
    return check_orbitals(stream->path, contents);
}
