/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/cli/atomic_input.h"

#include "support/base/agree.h"
#include "support/io/json.h"
#include "support/io/options.h"
#include "support/io/text_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An object of the file and its path: "", "molecule.", ... */
struct place {
    const char *file, *path;
    const json_t *object;
};

/* format begins with a key of the object. */
#define FAIL_AT(place, ...) FAIL_AT_(place, __VA_ARGS__, "")
#define FAIL_AT_(place, format, ...)                                                               \
    FAIL(STATUS_INPUT, "%s: %s" format "%s", (place)->file, (place)->path, __VA_ARGS__)

/* The value of a key; NULL if it is null or absent. */
static json_t *get_value(const struct place *place, const char *key)
{
    json_t *value = json_object_get(place->object, key);
    return json_is_null(value) ? NULL : value;
}

/* The text of a key; "" without one. */
static const char *get_text(const struct place *place, const char *key)
{
    const char *text = json_string_value(json_object_get(place->object, key));
    return text ? text : "";
}

static enum status check_keys(const struct place *place, const char *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)place->object, key, value)
    {
        struct suggestion suggestion = {.typed = word_from_text(key)};
        suggestion_add(&suggestion, known);
        if (option_choice_index(known, key) < 0)
            return FAIL_AT(place, "%s: QCSchema has no such key here%s",
                           word_show(suggestion.typed).text, suggestion.text);
    }
    return STATUS_OK;
}

/* Refuses another schema, such as that of a result. */
static enum status check_schema(const struct place *place, const char *name, int version)
{
    const json_t *number = get_value(place, "schema_version");
    if ((get_value(place, "schema_name") && strcmp(get_text(place, "schema_name"), name) != 0) ||
        (number && json_number_value(number) != version))
        return FAIL_AT(place, "schema_name, schema_version: expected %s, %d", name, version);
    return STATUS_OK;
}

/* --- molecule --- */

/* Masses, labels, bonds and names have no effect on an energy: they are not read. */
static const char molecule_keys[] =
    "schema_name,schema_version,symbols,geometry,real,molecular_charge,molecular_multiplicity,"
    "fragments,fragment_charges,fragment_multiplicities,masses,mass_numbers,atomic_numbers,"
    "atom_labels,connectivity,fix_com,fix_orientation,fix_symmetry,validated,name,comment,"
    "identifiers,id,extras,provenance";

/* Leaves the number as it is if there is none. */
static enum status read_whole(const struct place *place, const char *key, int *number)
{
    const json_t *value = get_value(place, key);
    double real = json_number_value(value);
    if (!value)
        return STATUS_OK;
    if (!json_is_number(value) || real != floor(real) || fabs(real) > 1e6)
        return FAIL_AT(place, "%s: expected a whole number from -1e6 to 1e6", key);
    *number = (int)real;
    return STATUS_OK;
}

/* real  true, false for a ghost, or NULL */
static enum status read_centre(const struct place *place, size_t i, const json_t *real,
                               struct atom *atom)
{
    const char *symbol = json_string_value(json_array_get(get_value(place, "symbols"), i));
    int element = -1;
    if (symbol)
        element = strcmp(symbol, "X") == 0 ? 0 : element_number(symbol, strlen(symbol));
    if (real && !json_is_boolean(real))
        return FAIL_AT(place, "real[%zu]: expected true, or false for a ghost", i);
    if (element < (json_is_false(real) ? 0 : 1))
        return FAIL_AT(place, "symbols[%zu]: unknown element '%s'", i,
                       word_show(word_from_text(symbol ? symbol : "")).text);
    *atom = atom_of_element(element, json_is_false(real));
    for (size_t k = 0; k < 3; k++) {
        const json_t *value = json_array_get(get_value(place, "geometry"), 3 * i + k);
        atom->position[k] = json_number_value(value);
        if (!json_is_number(value) || fabs(atom->position[k]) > 1e9) /* as in XYZ files */
            return FAIL_AT(place, "geometry[%zu]: expected a number from -1e9 to 1e9, in Bohr",
                           3 * i + k);
    }
    return STATUS_OK;
}

static enum status read_centres(const struct place *place, struct atomic_input *input)
{
    const json_t *real = get_value(place, "real");
    size_t n = json_array_size(get_value(place, "symbols"));
    size_t n_coordinates = json_array_size(get_value(place, "geometry"));
    if (n == 0 || n_coordinates != 3 * n || (real && json_array_size(real) != n))
        return FAIL_AT(place,
                       "symbols, geometry, real: expected arrays of n, 3 n and, unless it is "
                       "absent, n values; found %zu, %zu and %zu",
                       n, n_coordinates, json_array_size(real));
    input->atoms = calloc(n, sizeof *input->atoms);
    TRY(CHECK_MEMORY(input->atoms, "%s: no memory for %zu centres", place->file, n));
    input->n_atoms = (int64_t)n;
    for (size_t i = 0; i < n; i++)
        TRY(read_centre(place, i, json_array_get(real, i), &input->atoms[i]));
    return STATUS_OK;
}

static enum status read_molecule_object(const struct place *place, struct atomic_input *input)
{
    const json_t *charges = get_value(place, "fragment_charges");
    double sum = 0;
    TRY(check_schema(place, "qcschema_molecule", 2));
    TRY(check_keys(place, molecule_keys));
    TRY(read_whole(place, "molecular_charge", &input->charge));
    TRY(read_whole(place, "molecular_multiplicity", &input->multiplicity));
    for (size_t i = 0; i < json_array_size(charges); i++) {
        const json_t *charge = json_array_get(charges, i);
        sum += json_is_number(charge) ? json_number_value(charge) : NAN;
    }
    if (charges && !(json_is_array(charges) && fabs(sum - input->charge) < 1e-6))
        return FAIL_AT(place,
                       "fragment_charges: expected numbers that add up to molecular_charge, %d",
                       input->charge);
    return read_centres(place, input);
}

/* --- model and keywords --- */

/* The names of Hartree-Fock; the first ones say of which kind. */
static const char *const references[] = {"rhf", "uhf", "rohf", "hf", "scf"};
enum { N_KINDS = 3, N_REFERENCES = sizeof references / sizeof references[0] };

const char *atomic_input_method(const struct atomic_input *input)
{
    return json_string_value(json_object_get(json_object_get(input->document, "model"), "method"));
}

/* The position of the model's method among the references; N_REFERENCES: it is another. */
static int find_reference(const struct atomic_input *input)
{
    int r = 0;
    while (r < N_REFERENCES &&
           !word_equals(word_from_text(atomic_input_method(input)), references[r]))
        r++;
    return r;
}

bool atomic_input_is_hartree_fock(const struct atomic_input *input)
{
    return !atomic_input_method(input) || find_reference(input) < N_REFERENCES;
}

enum status atomic_input_check_method(const struct atomic_input *input, bool fits,
                                      const char *command)
{
    return fits ? STATUS_OK
                : FAIL(STATUS_INPUT,
                       "%s: model.method: %s does not compute '%s'; beryl-hf is for Hartree-Fock "
                       "(hf, rhf, uhf, rohf), beryl-tce METHOD for correlation",
                       input->name, command,
                       word_show(word_from_text(atomic_input_method(input))).text);
}

/* Takes the text, which may be NULL for want of memory. */
static enum status add_option(struct atomic_input *input, const char *path, json_t *text)
{
    /* A path that is cut short may not be UTF-8. */
    return json_object_set_new_nocheck(input->options, path, text) == 0
               ? STATUS_OK
               : FAIL(STATUS_NO_MEMORY, "%s: no memory for its options", input->name);
}

/* Adds the basis set, and the kind of Hartree-Fock where the model has it. */
static enum status read_model(const struct place *place, struct atomic_input *input)
{
    json_t *basis = get_value(place, "basis");
    TRY(check_keys(place, "method,basis"));
    if (!atomic_input_method(input))
        return FAIL_AT(place, "method: expected the name of a method");
    if (basis && !json_is_string(basis))
        return FAIL_AT(place, "basis: expected the name of a basis set or of its file; the "
                              "functions of a BasisSet are not read");
    if (basis)
        TRY(add_option(input, "model.basis", json_incref(basis)));
    int reference = find_reference(input);
    return reference < N_KINDS
               ? add_option(input, "model.method", json_string(references[reference]))
               : STATUS_OK;
}

/* A keyword as a command line has it. */
static enum status read_keyword(const struct place *place, const char *keyword, json_t *value,
                                struct atomic_input *input)
{
    char path[64];
    struct word_text shown = word_show(word_from_text(keyword));
    snprintf(path, sizeof path, "%s%s", place->path, keyword);
    if (option_choice_index("basis,charge,multiplicity,units,progress", keyword) >= 0)
        return FAIL_AT(place,
                       "%s: no keyword: model has the basis set, molecule has charge and "
                       "multiplicity, in Bohr; --progress is for the command line, as MPI "
                       "starts before the file is read",
                       keyword);
    if (json_is_object(value) || json_is_array(value) || json_is_null(value))
        return FAIL_AT(place, "%s: expected true, false, a number or a text", shown.text);
    if (json_is_string(value))
        return add_option(input, path, json_incref(value));
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    enum status status = add_option(input, path, json_string(text));
    free(text);
    return status;
}

/* --- the file --- */

static enum status check_request(const struct place *place)
{
    const struct place protocols = {place->file, "protocols.", get_value(place, "protocols")};
    const char *driver = get_text(place, "driver");
    if (get_value(place, "id") && !json_is_string(get_value(place, "id")))
        return FAIL_AT(place, "id: expected a text");
    if (get_value(place, "extras") && !json_is_object(get_value(place, "extras")))
        return FAIL_AT(place, "extras: expected an object");
    if (strcmp(driver, "energy") != 0 && strcmp(driver, "properties") != 0)
        return FAIL_AT(place,
                       "driver: expected energy or properties, which is all that Beryl computes");
    if (get_value(&protocols, "wavefunction") &&
        strcmp(get_text(&protocols, "wavefunction"), "none") != 0)
        return FAIL_AT(&protocols, "wavefunction: results have no orbitals: use none, and "
                                   "--checkpoint for a file of them");
    return STATUS_OK;
}

static enum status read_atomic_input(const struct place *place, struct atomic_input *input)
{
    const struct place molecule = {place->file, "molecule.", get_value(place, "molecule")};
    const struct place model = {place->file, "model.", get_value(place, "model")};
    const struct place keywords = {place->file, "keywords.", get_value(place, "keywords")};
    const char *keyword;
    json_t *value;
    TRY(check_schema(place, "qcschema_input", 1));
    TRY(check_keys(place, "id,schema_name,schema_version,molecule,driver,model,keywords,protocols,"
                          "extras,provenance"));
    TRY(check_request(place));
    if (!json_is_object(molecule.object) || !json_is_object(model.object) ||
        (keywords.object && !json_is_object(keywords.object)))
        return FAIL_AT(place, "molecule, model, keywords: expected objects");
    input->has_model = true;
    TRY(read_molecule_object(&molecule, input));
    TRY(read_model(&model, input));
    json_object_foreach((json_t *)keywords.object, keyword, value)
        TRY(read_keyword(&keywords, keyword, value, input));
    return STATUS_OK;
}

static enum status read_document(const char *text, size_t length, struct atomic_input *input)
{
    struct place place = {input->name, "", NULL};
    TRY(json_read_text(input->name, text, length, JSON_REJECT_DUPLICATES, &input->document));
    input->options = json_object();
    TRY(CHECK_MEMORY(input->options, "%s: no memory for its options", input->name));
    place.object = input->document;
    if (get_value(&place, "molecule"))
        return read_atomic_input(&place, input);
    if (!get_value(&place, "symbols"))
        return FAIL(STATUS_INPUT,
                    "%s: expected an AtomicInput of QCSchema, which has the key molecule, or a "
                    "molecule, which has symbols",
                    input->name);
    return read_molecule_object(&place, input);
}

bool atomic_input_has_name(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

enum status atomic_input_parse(const char *text, size_t length, const char *name,
                               struct atomic_input *input)
{
    *input = (struct atomic_input){.name = name, .multiplicity = 1};
    enum status status = read_document(text, length, input);
    if (status != STATUS_OK)
        atomic_input_fini(input);
    return status;
}

enum status atomic_input_read(const char *name, MPI_Comm comm, struct atomic_input *input)
{
    struct text_file text;
    TRY(text_file_read_all(name, comm, &text));
    enum status status =
        status_agree(comm, atomic_input_parse(text.bytes, text.length, name, input));
    text_file_fini(&text);
    if (status != STATUS_OK)
        atomic_input_fini(input);
    return status;
}

void atomic_input_fini(struct atomic_input *input)
{
    json_decref(input->document);
    json_decref(input->options);
    free(input->atoms);
    *input = (struct atomic_input){0};
}
