/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/cli/atomic_input.h"

#include "support/base/agree.h"
#include "support/io/json.h"
#include "support/io/options.h"
#include "support/io/text_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An object of the file and its path, "molecule." or "". */
struct place {
    const char *file, *path;
    const json_t *object;
};

#define INPUT_KEYS                                                                                 \
    "id,schema_name,schema_version,molecule,driver,model,keywords,protocols,extras,provenance"
/* Without effect on an energy: masses, labels, bonds and names. */
#define MOLECULE_KEYS                                                                              \
    "schema_name,schema_version,symbols,geometry,real,molecular_charge,molecular_multiplicity,"    \
    "fragments,fragment_charges,fragment_multiplicities,masses,mass_numbers,atomic_numbers,"       \
    "atom_labels,connectivity,fix_com,fix_orientation,fix_symmetry,validated,name,comment,"        \
    "identifiers,id,extras,provenance"

/* The value of a key; NULL if it is null or absent. */
static json_t *get_value(const struct place *place, const char *key)
{
    json_t *value = json_object_get(place->object, key);
    return json_is_null(value) ? NULL : value;
}

#define FAIL_AT(place, key, format, ...)                                                           \
    FAIL(STATUS_INPUT, "%s: %s%s: " format, (place)->file, (place)->path, key, ##__VA_ARGS__)

static enum status check_keys(const struct place *place, const char *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)place->object, key, value)
    {
        struct suggestion suggestion = {.typed = word_from_text(key)};
        if (option_choice_index(known, key) >= 0)
            continue;
        suggestion_add(&suggestion, known);
        return FAIL_AT(place, word_show(suggestion.typed).text, "QCSchema has no such key here%s",
                       suggestion.text);
    }
    return STATUS_OK;
}

/* Refuses another schema, such as a result. names: "qcschema_input,qc_schema_input" */
static enum status check_schema(const struct place *place, const char *names, int version)
{
    const json_t *name = get_value(place, "schema_name");
    const json_t *number = get_value(place, "schema_version");
    const char *text = name && json_is_string(name) ? json_string_value(name) : "";
    if (name && option_choice_index(names, text) < 0)
        return FAIL_AT(place, "schema_name", "expected %.*s", (int)strcspn(names, ","), names);
    if (number && json_number_value(number) != version)
        return FAIL_AT(place, "schema_version", "expected %d", version);
    return STATUS_OK;
}

/* --- molecule --- */

/* Leaves the number as it is if there is none. */
static enum status read_whole(const struct place *place, const char *key, int *number)
{
    const json_t *value = get_value(place, key);
    double real = json_number_value(value);
    if (!value)
        return STATUS_OK;
    if (!json_is_number(value) || real != floor(real) || fabs(real) > 1e6)
        return FAIL_AT(place, key, "expected a whole number from -1e6 to 1e6");
    *number = (int)real;
    return STATUS_OK;
}

/* Reads an array of n values, or of any number with n < 0; *array is NULL if it is optional and
 * absent. */
static enum status read_array(const struct place *place, const char *key, int64_t n, bool required,
                              const json_t **array)
{
    *array = get_value(place, key);
    int64_t found = (int64_t)json_array_size(*array);
    if (!*array && !required)
        return STATUS_OK;
    if (!json_is_array(*array) || (n < 0 ? found == 0 : found != n))
        return FAIL_AT(place, key, "expected an array of %lld values, found %lld",
                       (long long)(n < 0 ? 1 : n), (long long)found);
    return STATUS_OK;
}

enum { MAX_PATH = 64 };

static enum status read_symbol(const struct place *place, size_t i, const json_t *symbol,
                               const json_t *real, struct atom *atom)
{
    char key[MAX_PATH];
    bool ghost = json_is_false(real);
    const char *text = json_is_string(symbol) ? json_string_value(symbol) : "";
    int element = strcmp(text, "X") == 0 ? 0 : element_number(text, strlen(text));
    snprintf(key, sizeof key, "symbols[%zu]", i);
    if (element < (ghost ? 0 : 1))
        return FAIL_AT(place, key, "unknown element '%s'", word_show(word_from_text(text)).text);
    snprintf(key, sizeof key, "real[%zu]", i);
    if (real && !json_is_boolean(real))
        return FAIL_AT(place, key, "expected true, or false for a ghost");
    *atom = atom_of_element(element, ghost);
    return STATUS_OK;
}

static enum status read_position(const struct place *place, size_t i, const json_t *geometry,
                                 struct atom *atom)
{
    for (size_t k = 0; k < 3; k++) {
        char key[MAX_PATH];
        const json_t *value = json_array_get(geometry, 3 * i + k);
        snprintf(key, sizeof key, "geometry[%zu]", 3 * i + k);
        atom->position[k] = json_number_value(value);
        if (!json_is_number(value) || fabs(atom->position[k]) > 1e9) /* as in XYZ files */
            return FAIL_AT(place, key, "expected a number from -1e9 to 1e9, in Bohr");
    }
    return STATUS_OK;
}

static enum status read_centres(const struct place *place, struct atomic_input *input)
{
    const json_t *symbols, *geometry, *real;
    TRY(read_array(place, "symbols", -1, true, &symbols));
    size_t n = json_array_size(symbols);
    TRY(read_array(place, "geometry", 3 * (int64_t)n, true, &geometry));
    TRY(read_array(place, "real", (int64_t)n, false, &real));
    input->atoms = calloc(n, sizeof *input->atoms);
    TRY(CHECK_MEMORY(input->atoms, "%s: no memory for %zu centres", place->file, n));
    input->n_atoms = (int64_t)n;
    for (size_t i = 0; i < n; i++) {
        TRY(read_symbol(place, i, json_array_get(symbols, i), json_array_get(real, i),
                        &input->atoms[i]));
        TRY(read_position(place, i, geometry, &input->atoms[i]));
    }
    return STATUS_OK;
}

static enum status check_fragments(const struct place *place, int charge)
{
    const json_t *charges;
    double sum = 0;
    TRY(read_array(place, "fragment_charges", -1, false, &charges));
    for (size_t i = 0; i < json_array_size(charges); i++)
        sum += json_number_value(json_array_get(charges, i));
    if (charges && fabs(sum - charge) > 1e-6)
        return FAIL_AT(place, "fragment_charges", "their sum is %g, but molecular_charge is %d",
                       sum, charge);
    return STATUS_OK;
}

static enum status read_molecule_object(const struct place *place, struct atomic_input *input)
{
    TRY(check_schema(place, "qcschema_molecule,qc_schema_molecule", 2));
    TRY(check_keys(place, MOLECULE_KEYS));
    TRY(read_whole(place, "molecular_charge", &input->charge));
    TRY(read_whole(place, "molecular_multiplicity", &input->multiplicity));
    TRY(check_fragments(place, input->charge));
    return read_centres(place, input);
}

/* --- model and keywords --- */

const char *atomic_input_method(const struct atomic_input *input)
{
    return json_string_value(json_object_get(json_object_get(input->document, "model"), "method"));
}

/* The names of Hartree-Fock; the first ones say of which kind. */
static const char *const references[] = {"rhf", "uhf", "rohf", "hf", "scf"};
enum { N_KINDS = 3, N_REFERENCES = sizeof references / sizeof references[0] };

/* The position of the model's method among the references; N_REFERENCES: it is another, or none. */
static int find_reference(const struct atomic_input *input)
{
    const char *method = atomic_input_method(input);
    int r = 0;
    while (r < N_REFERENCES && !(method && word_equals(word_from_text(method), references[r])))
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
                       "(hf, rhf, uhf), beryl-tce METHOD for correlation",
                       input->name, command,
                       word_show(word_from_text(atomic_input_method(input))).text);
}

/* Adds the basis set, and RHF or UHF where the model says which. */
static enum status read_model(const struct place *place, struct atomic_input *input)
{
    const json_t *method = get_value(place, "method");
    json_t *basis = get_value(place, "basis");
    TRY(check_keys(place, "method,basis"));
    if (!method || !json_is_string(method))
        return FAIL_AT(place, "method", "expected the name of a method");
    if (basis && !json_is_string(basis))
        return FAIL_AT(place, "basis",
                       "expected the name of a basis set or of its file; the "
                       "functions of a BasisSet are not read from here");
    if (basis)
        json_object_set(input->options, "model.basis", basis);
    int reference = find_reference(input);
    if (reference < N_KINDS)
        json_object_set_new(input->options, "model.method", json_string(references[reference]));
    return STATUS_OK;
}

/* A keyword as a command line has it; NULL: it is neither a boolean nor a number nor a text. */
static json_t *keyword_text(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        return json_string(json_string_value(value));
    case JSON_INTEGER:
        return json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    case JSON_REAL:
        return json_sprintf("%.17g", json_real_value(value));
    case JSON_TRUE:
    case JSON_FALSE:
        return json_string(json_is_true(value) ? "true" : "false");
    default:
        return NULL;
    }
}

/* Refuses keywords that have another place. */
static enum status check_keyword(const struct place *place, const char *keyword)
{
    if (option_choice_index("basis,charge,multiplicity,units", keyword) >= 0)
        return FAIL_AT(place, keyword,
                       "QCSchema has model.basis, molecule.molecular_charge and "
                       "molecule.molecular_multiplicity for it; the geometry is in Bohr");
    if (strcmp(keyword, "progress") == 0)
        return FAIL_AT(place, keyword,
                       "MPI starts before the file is read: give --progress on the command line");
    return STATUS_OK;
}

static enum status read_keywords(const struct place *place, struct atomic_input *input)
{
    const char *keyword;
    json_t *value;
    json_object_foreach((json_t *)place->object, keyword, value)
    {
        char path[MAX_PATH];
        json_t *text = keyword_text(value);
        snprintf(path, sizeof path, "%s%s", place->path, keyword);
        if (!text)
            return FAIL_AT(place, word_show(word_from_text(keyword)).text,
                           "expected true, false, a number or a text");
        json_object_set_new(input->options, path, text);
        TRY(check_keyword(place, keyword));
    }
    return STATUS_OK;
}

/* --- the file --- */

/* The object of a key, which may be optional. */
static enum status find_object(const struct place *place, const char *key, bool required,
                               const json_t **object)
{
    *object = get_value(place, key);
    if ((required || *object) && !json_is_object(*object))
        return FAIL_AT(place, key, "expected an object");
    return STATUS_OK;
}

static enum status check_driver(const struct place *place)
{
    const json_t *driver = get_value(place, "driver");
    const char *text = driver && json_is_string(driver) ? json_string_value(driver) : "";
    if (option_choice_index("gradient,hessian", text) >= 0)
        return FAIL_AT(place, "driver", "Beryl has no %s: use energy or properties", text);
    if (option_choice_index("energy,properties", text) < 0)
        return FAIL_AT(place, "driver", "expected energy or properties");
    return STATUS_OK;
}

static enum status read_atomic_input(const struct place *place, struct atomic_input *input)
{
    struct place molecule = {place->file, "molecule.", NULL}, model = {place->file, "model.", NULL};
    struct place keywords = {place->file, "keywords.", NULL},
                 protocols = {place->file, "protocols.", NULL};
    TRY(check_schema(place, "qcschema_input,qc_schema_input", 1));
    TRY(check_keys(place, INPUT_KEYS));
    TRY(check_driver(place));
    TRY(find_object(place, "molecule", true, &molecule.object));
    TRY(find_object(place, "model", true, &model.object));
    TRY(find_object(place, "keywords", false, &keywords.object));
    TRY(find_object(place, "protocols", false, &protocols.object));
    const json_t *wavefunction = get_value(&protocols, "wavefunction");
    if (wavefunction &&
        strcmp(json_is_string(wavefunction) ? json_string_value(wavefunction) : "", "none") != 0)
        return FAIL_AT(&protocols, "wavefunction",
                       "results have no orbitals: use none, and --checkpoint for a file of them");
    input->has_model = true;
    TRY(read_molecule_object(&molecule, input));
    TRY(read_model(&model, input));
    return read_keywords(&keywords, input);
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
                    "%s: neither an AtomicInput of QCSchema, which has the key molecule, nor a "
                    "molecule of QCSchema, which has symbols",
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
    return status;
}

void atomic_input_fini(struct atomic_input *input)
{
    json_decref(input->document);
    json_decref(input->options);
    free(input->atoms);
    *input = (struct atomic_input){0};
}
