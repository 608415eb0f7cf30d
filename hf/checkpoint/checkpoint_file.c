/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_file.h"

#include "hf/checkpoint/checkpoint_hdf5.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trexio.h>

void checkpoint_contents_fini(struct checkpoint_contents *contents)
{
    checkpoint_basis_fini(&contents->basis);
    free(contents->energies);
    free(contents->occupations);
    free(contents->spins);
    *contents = (struct checkpoint_contents){0};
}

enum status checkpoint_contents_init_orbitals(struct checkpoint_contents *contents)
{
    size_t n = (size_t)contents->n_orbitals;
    contents->energies = malloc(n * sizeof(double));
    contents->occupations = malloc(n * sizeof(double));
    contents->spins = malloc(n * sizeof(int64_t));
    return CHECK_MEMORY(contents->energies && contents->occupations && contents->spins,
                        "no memory for %lld orbitals of a checkpoint",
                        (long long)contents->n_orbitals);
}

bool checkpoint_contents_equal(const struct checkpoint_contents *a,
                               const struct checkpoint_contents *b)
{
    size_t n = (size_t)a->n_orbitals;
    return a->n_orbitals == b->n_orbitals && a->basis.n_functions == b->basis.n_functions &&
           memcmp(a->energies, b->energies, n * sizeof *a->energies) == 0 && b->occupations &&
           memcmp(a->occupations, b->occupations, n * sizeof *a->occupations) == 0 &&
           memcmp(a->spins, b->spins, n * sizeof *a->spins) == 0;
}

/* Status of a TREXIO call that returned code. failure: STATUS_IO when writing, STATUS_INPUT when
 * reading; what: the item that it concerns. */
static enum status check_trexio(trexio_exit_code code, enum status failure, const char *path,
                                const char *what)
{
    if (code == TREXIO_SUCCESS)
        return STATUS_OK;
    if (code == TREXIO_ALLOCATION_FAILED)
        return FAIL(STATUS_NO_MEMORY, "no memory for %s of %s", what, path);
    if (failure == STATUS_IO)
        return FAIL(failure, "cannot write %s: HDF5 fails at %s: is the disk full?", path, what);
    return FAIL(failure,
                "%s: %s cannot be read: the file is damaged, or the program that wrote it left "
                "that out: use another file",
                path, what);
}

/* Both use the caller's `file`, the TREXIO handle, and its `path`. */
#define WRITE(name, value)                                                                         \
    TRY(check_trexio(trexio_write_##name##_64(file, value), STATUS_IO, path, #name))
#define READ(name, value)                                                                          \
    TRY(check_trexio(trexio_read_##name##_64(file, value), STATUS_INPUT, path, #name))

/* The file that is read. */
struct source {
    const char *path;
    int64_t most; /* numbers that it can hold */
};

/* Refuses sizes that the file cannot have, before memory is allocated for them. */
static enum status check_size(int64_t size, const struct source *source, const char *what)
{
    if (size < 1 || size > source->most)
        return FAIL(STATUS_INPUT, "%s: %s: %lld is not a size that a file of its length can have",
                    source->path, what, (long long)size);
    return STATUS_OK;
}

/* TREXIO's names of the fields of a checkpoint_basis: first the sizes of the arrays. */
#define BASIS_SIZES(X)                                                                             \
    X(nucleus_num, n_centers)                                                                      \
    X(basis_shell_num, n_shells)                                                                   \
    X(basis_prim_num, n_primitives)                                                                \
    X(ao_num, n_functions)
#define BASIS_ARRAYS(X)                                                                            \
    X(nucleus_charge, charge)                                                                      \
    X(nucleus_coord, coordinates)                                                                  \
    X(basis_nucleus_index, shell_center)                                                           \
    X(basis_shell_ang_mom, shell_l)                                                                \
    X(basis_shell_factor, shell_factor)                                                            \
    X(basis_shell_index, primitive_shell)                                                          \
    X(basis_exponent, exponent)                                                                    \
    X(basis_coefficient, coefficient)                                                              \
    X(basis_prim_factor, primitive_factor)                                                         \
    X(ao_shell, function_shell)                                                                    \
    X(ao_normalization, normalisation)

#define CHECK_SIZE(name, field)  TRY(check_size(basis->field, source, #name));
#define WRITE_FIELD(name, field) WRITE(name, basis->field);
#define READ_SIZE(name, field)   READ(name, &basis->field);
#define READ_ARRAY(name, field)  READ(name, basis->field);

static enum status write_trexio_basis(trexio_t *file, const char *path,
                                      const struct checkpoint_basis *basis)
{
    static const char type[] = "Gaussian";
    BASIS_SIZES(WRITE_FIELD)
    WRITE(ao_cartesian, basis->cartesian);
    TRY(check_trexio(trexio_write_basis_type(file, type, sizeof type), STATUS_IO, path,
                     "basis_type"));
    TRY(check_trexio(trexio_write_nucleus_label(file, basis->label, 4), STATUS_IO, path,
                     "nucleus_label"));
    BASIS_ARRAYS(WRITE_FIELD)
    return STATUS_OK;
}

static enum status write_trexio_contents(trexio_t *file, const char *path,
                                         const struct checkpoint_contents *contents)
{
    static const char type[] = "HF";
    TRY(check_trexio(trexio_write_metadata_description(file, contents->description,
                                                       sizeof contents->description),
                     STATUS_IO, path, "metadata_description"));
    TRY(write_trexio_basis(file, path, &contents->basis));
    WRITE(electron_num, contents->n_electrons[0] + contents->n_electrons[1]);
    WRITE(electron_up_num, contents->n_electrons[0]);
    WRITE(electron_dn_num, contents->n_electrons[1]);
    TRY(check_trexio(trexio_write_mo_type(file, type, sizeof type), STATUS_IO, path, "mo_type"));
    WRITE(mo_num, contents->n_orbitals);
    WRITE(mo_energy, contents->energies);
    WRITE(mo_occupation, contents->occupations);
    WRITE(mo_spin, contents->spins);
    return STATUS_OK;
}

static enum status write_trexio_file(const char *path, const struct checkpoint_contents *contents)
{
    trexio_exit_code code;
    trexio_t *file = trexio_open(path, 'w', TREXIO_HDF5, &code);
    if (!file)
        return check_trexio(code, STATUS_IO, path, "its creation");
    enum status status = write_trexio_contents(file, path, contents);
    code = trexio_close(file);
    return status != STATUS_OK ? status : check_trexio(code, STATUS_IO, path, "its end");
}

enum status checkpoint_file_write(const char *path, const struct checkpoint_contents *contents)
{
    struct hdf5_messages messages = hdf5_messages_stop();
    enum status status = write_trexio_file(path, contents);
    hdf5_messages_resume(&messages);
    return status;
}

static enum status read_trexio_basis(trexio_t *file, const struct source *source,
                                     struct checkpoint_basis *basis)
{
    const char *path = source->path;
    int64_t cartesian;
    BASIS_SIZES(READ_SIZE)
    BASIS_SIZES(CHECK_SIZE)
    READ(ao_cartesian, &cartesian);
    basis->cartesian = cartesian != 0;
    TRY(checkpoint_basis_init_empty(basis));
    BASIS_ARRAYS(READ_ARRAY)
    for (int64_t p = 0; p < basis->n_primitives; p++)
        if (basis->primitive_shell[p] < 0 || basis->primitive_shell[p] >= basis->n_shells)
            return FAIL(STATUS_INPUT, "%s: primitive %lld belongs to no shell", path,
                        (long long)p + 1);
    return STATUS_OK;
}

/* Tolerance, in electrons, of the sum of occupations, which other programs may have rounded. */
#define OCCUPATION_NOISE 1e-4

/* Frees occupations of a file that has none. */
static enum status read_occupations(trexio_t *file, const char *path,
                                    struct checkpoint_contents *contents)
{
    if (trexio_has_mo_occupation(file) != TREXIO_SUCCESS) {
        free(contents->occupations);
        contents->occupations = NULL;
        return STATUS_OK;
    }
    READ(mo_occupation, contents->occupations);
    double sum = 0, expected = (double)contents->n_electrons[0] + (double)contents->n_electrons[1];
    for (int64_t k = 0; k < contents->n_orbitals; k++)
        sum += contents->occupations[k];
    if (!(fabs(sum - expected) < OCCUPATION_NOISE))
        return FAIL(STATUS_INPUT,
                    "%s: damaged: its occupations add up to %.6g electrons, but it has %.0f", path,
                    sum, expected);
    return STATUS_OK;
}

/* Orbitals of each spin are consecutive, alpha first. */
static enum status check_orbitals(const char *path, const struct checkpoint_contents *contents)
{
    for (int64_t k = 0; k < contents->n_orbitals; k++) {
        if (!isfinite(contents->energies[k]))
            return FAIL(STATUS_INPUT, "%s: damaged: the energy of orbital %lld is not finite", path,
                        (long long)k + 1);
        int64_t spin = contents->spins[k], before = k > 0 ? contents->spins[k - 1] : 0;
        if (spin < before || spin > 1)
            return FAIL(STATUS_INPUT,
                        "%s: orbital %lld has the spin %lld: alpha ones (0) come first, then "
                        "beta ones (1)",
                        path, (long long)k + 1, (long long)spin);
    }
    return STATUS_OK;
}

static enum status read_trexio_contents(trexio_t *file, const struct source *source,
                                        struct checkpoint_contents *contents)
{
    const char *path = source->path;
    TRY(read_trexio_basis(file, source, &contents->basis));
    READ(electron_up_num, &contents->n_electrons[0]);
    READ(electron_dn_num, &contents->n_electrons[1]);
    READ(mo_num, &contents->n_orbitals);
    TRY(check_size(contents->n_orbitals, source, "mo_num"));
    TRY(checkpoint_contents_init_orbitals(contents));
    READ(mo_energy, contents->energies);
    READ(mo_spin, contents->spins);
    TRY(read_occupations(file, path, contents));
    return check_orbitals(path, contents);
}

/* Refuses files of another kind, with a plainer message than TREXIO's. TREXIO's numbers have four
 * bytes or more. */
static enum status check_signature(struct source *source)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char bytes[sizeof signature];
    struct stat information;
    FILE *file = fopen(source->path, "rb");
    if (!file)
        return FAIL(STATUS_IO, "cannot read %s: %s", source->path, strerror(errno));
    size_t n = fread(bytes, 1, sizeof bytes, file);
    if (fstat(fileno(file), &information) == 0)
        source->most = information.st_size / 4;
    fclose(file);
    if (n < sizeof bytes || memcmp(bytes, signature, sizeof bytes) != 0)
        return FAIL(STATUS_INPUT, "%s: not a checkpoint (a TREXIO file of the HDF5 kind)",
                    source->path);
    return STATUS_OK;
}

static enum status read_trexio_file(const struct source *source,
                                    struct checkpoint_contents *contents)
{
    trexio_exit_code code;
    trexio_t *file = trexio_open(source->path, 'r', TREXIO_HDF5, &code);
    if (!file)
        return check_trexio(code, STATUS_INPUT, source->path, "its head");
    char *text = contents->description;
    if (trexio_read_metadata_description(file, text, sizeof contents->description) !=
        TREXIO_SUCCESS)
        text[0] = '\0';
    text[sizeof contents->description - 1] = '\0';
    enum status status = read_trexio_contents(file, source, contents);
    trexio_close(file);
    return status;
}

enum status checkpoint_file_read(const char *path, struct checkpoint_contents *contents)
{
    struct source source = {.path = path};
    *contents = (struct checkpoint_contents){0};
    TRY(check_signature(&source));
    struct hdf5_messages messages = hdf5_messages_stop();
    enum status status = read_trexio_file(&source, contents);
    hdf5_messages_resume(&messages);
    if (status != STATUS_OK)
        checkpoint_contents_fini(contents);
    return status;
}
