/* SPDX-License-Identifier: BSD-3-Clause */
/* Molecule files of QCSchema: their values, and refusals that name the path. */
#include "hf/cli/atomic_input.h"
#include "tests/check.h"

#include <string.h>

#define MOLECULE(more) "{\"symbols\":[\"O\",\"h\"],\"geometry\":[0,0,0,0,0,1.8]" more "}"
#define INPUT(molecule, model, more)                                                               \
    "{\"schema_name\":\"qcschema_input\",\"schema_version\":1,\"driver\":\"energy\","              \
    "\"molecule\":" molecule ",\"model\":{" model "}" more "}"
#define HF "\"method\":\"HF\",\"basis\":\"sto-3g\""

static enum status parse(const char *text, struct atomic_input *input)
{
    return atomic_input_parse(text, strlen(text), "in.json", input);
}

static const char *option_at(const struct atomic_input *input, const char *path)
{
    return json_string_value(json_object_get(input->options, path));
}

TEST(values_of_an_atomic_input)
{
    struct atomic_input input;
    check_ok(
        parse(INPUT(MOLECULE(",\"real\":[false,true],\"molecular_charge\":-1.0,\"comment\":null,"
                             "\"molecular_multiplicity\":3,\"mass_numbers\":[18,2],"
                             "\"fragment_charges\":[1,-2]"),
                    HF,
                    ",\"keywords\":{\"max_iter\":3,\"converge\":1e-7,\"guess-mix\":true,"
                    "\"guess\":\"core\"},\"protocols\":{\"wavefunction\":\"none\"}"),
              &input));
    assert_true(input.has_model);
    assert_int_equal(input.n_atoms, 2);
    assert_int_equal(input.charge, -1);
    assert_int_equal(input.multiplicity, 3);
    assert_true(input.atoms[0].ghost && input.atoms[0].element == 8 && input.atoms[0].charge == 0);
    assert_true(!input.atoms[1].ghost && input.atoms[1].charge == 1);
    assert_true(input.atoms[1].position[2] == 1.8);
    assert_true(atomic_input_is_hartree_fock(&input));
    assert_string_equal(option_at(&input, "model.basis"), "sto-3g");
    assert_null(option_at(&input, "model.method"));
    assert_string_equal(option_at(&input, "keywords.max_iter"), "3");
    assert_true(strtod(option_at(&input, "keywords.converge"), NULL) == 1e-7);
    assert_string_equal(option_at(&input, "keywords.guess-mix"), "true");
    assert_string_equal(option_at(&input, "keywords.guess"), "core");
    atomic_input_fini(&input);
}

TEST(molecules_alone_and_methods)
{
    struct atomic_input input;
    check_ok(
        parse(MOLECULE(",\"schema_name\":\"qcschema_molecule\",\"schema_version\":2"), &input));
    assert_true(!input.has_model && atomic_input_is_hartree_fock(&input));
    assert_int_equal(input.multiplicity, 1);
    assert_int_equal(json_object_size(input.options), 0);
    atomic_input_fini(&input);
    check_ok(parse(INPUT(MOLECULE(""), "\"method\":\"Uhf\"", ""), &input));
    assert_string_equal(option_at(&input, "model.method"), "uhf");
    atomic_input_fini(&input);
    check_ok(parse(INPUT(MOLECULE(""), "\"method\":\"ccsd(t)\"", ""), &input));
    assert_false(atomic_input_is_hartree_fock(&input));
    check_status(STATUS_INPUT, atomic_input_check_method(&input, false, "beryl-hf"));
    atomic_input_fini(&input);
}

TEST(refusals_name_the_place)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{\n\"symbols\": [\"O\"\n", "in.json:3: not JSON"},
        {"{\"symbols\":[],\"symbols\":[]}", "in.json:1: not JSON: duplicate object key"},
        {"[]", "in.json: expected an AtomicInput"},
        {"{}", "in.json: expected an AtomicInput"},
        {"{\"schema_name\":\"qcschema_output\",\"molecule\":{}}",
         "in.json: schema_name, schema_version: expected qcschema_input, 1"},
        {"{\"schema_version\":2,\"molecule\":{}}",
         "in.json: schema_name, schema_version: expected qcschema_input, 1"},
        {"{\"molecule\":{}}", "in.json: driver: expected energy or properties"},
        {"{\"driver\":\"gradient\",\"molecule\":{}}",
         "in.json: driver: expected energy or properties"},
        {"{\"driver\":\"energy\",\"molecule\":[]}",
         "in.json: molecule, model, keywords: expected objects"},
        {"{\"driver\":\"energy\",\"molecule\":{}}",
         "in.json: molecule, model, keywords: expected objects"},
        {INPUT("{}", HF, ""), "in.json: molecule.symbols, geometry, real: expected arrays"},
        {INPUT("{\"symbols\":[\"H\"]}", HF, ""),
         "in.json: molecule.symbols, geometry, real: expected arrays"},
        {INPUT(MOLECULE(",\"real\":[true]"), HF, ""),
         "in.json: molecule.symbols, geometry, real: expected arrays"},
        {INPUT(MOLECULE(",\"real\":[true,1]"), HF, ""), "in.json: molecule.real[1]: expected true"},
        {INPUT(MOLECULE(",\"molecular_charge\":0.5"), HF, ""),
         "in.json: molecule.molecular_charge: expected a whole"},
        {INPUT(MOLECULE(",\"molecular_multiplicity\":\"2\""), HF, ""),
         "in.json: molecule.molecular_multiplicity: "},
        {INPUT(MOLECULE(",\"fragment_charges\":[1,0]"), HF, ""),
         "in.json: molecule.fragment_charges: expected numbers"},
        {INPUT(MOLECULE(",\"fragment_charges\":[0,\"0\"]"), HF, ""),
         "in.json: molecule.fragment_charges: expected numbers"},
        {INPUT(MOLECULE(",\"fragment_charges\":\"0\""), HF, ""),
         "in.json: molecule.fragment_charges: expected numbers"},
        {INPUT(MOLECULE(",\"symbol\":[]"), HF, ""),
         "in.json: molecule.symbol: QCSchema has no such key here: did you mean symbols?"},
        {INPUT(MOLECULE(""), HF, ",\"id\":7"), "in.json: id: expected a text"},
        {INPUT(MOLECULE(""), HF, ",\"extras\":[]"), "in.json: extras: expected an object"},
        {INPUT(MOLECULE(""), HF, ",\"keyword\":{}"), "in.json: keyword: QCSchema has no such key"},
        {INPUT(MOLECULE(""), "\"basis\":\"sto-3g\"", ""), "in.json: model.method: expected"},
        {INPUT(MOLECULE(""), "\"method\":\"hf\",\"basis\":{}", ""),
         "in.json: model.basis: expected"},
        {INPUT(MOLECULE(""), HF, ",\"keywords\":{\"screen\":[1]}"),
         "in.json: keywords.screen: expected true"},
        {INPUT(MOLECULE(""), HF, ",\"keywords\":{\"charge\":1}"),
         "in.json: keywords.charge: no keyword: model has"},
        {INPUT(MOLECULE(""), HF, ",\"keywords\":{\"progress\":\"thread\"}"),
         "in.json: keywords.progress: no keyword: "},
        {INPUT(MOLECULE(""), HF, ",\"protocols\":{\"wavefunction\":\"all\"}"),
         "in.json: protocols.wavefunction: "},
        {"{\"symbols\":[\"Qq\"],\"geometry\":[0,0,0]}",
         "in.json: symbols[0]: unknown element 'Qq'"},
        {"{\"symbols\":[\"X\"],\"geometry\":[0,0,0]}", "in.json: symbols[0]: unknown element 'X'"},
        {"{\"symbols\":[\"H\"],\"geometry\":[0,2e9,0]}", "in.json: geometry[1]: expected a number"},
        {"{\"symbols\":[\"H\"],\"geometry\":[0,0,\"1\"]}",
         "in.json: geometry[2]: expected a number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct atomic_input input;
        check_status(STATUS_INPUT, parse(rows[i].text, &input));
        if (strncmp(status_text(), rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("%s\n%s", rows[i].message, status_text());
        assert_true(!input.document && !input.atoms && !input.options);
    }
}

static int n_left; /* allocations until one fails; negative: none does */

static void *allocate(size_t size)
{
    return n_left-- == 0 ? NULL : malloc(size);
}

static const char with_options[] =
    INPUT(MOLECULE(""), "\"method\":\"uhf\",\"basis\":\"sto-3g\"",
          ",\"keywords\":{\"max_iter\":3,\"converge\":1e-7,\"guess\":\"core\"}");

/* Allocations for the text itself, in which jansson crashes if they fail. */
static int n_of_text(void)
{
    json_set_alloc_funcs(allocate, free);
    n_left = -1;
    json_decref(json_loads(with_options, JSON_REJECT_DUPLICATES, NULL));
    return -1 - n_left;
}

/* A process without memory for an option must not go on with others. */
TEST(no_option_is_lost_without_memory)
{
    struct atomic_input input;
    int n_text = n_of_text(), n_failed = 0;
    for (bool failed = true; failed; n_failed += failed) {
        n_left = n_text + n_failed;
        enum status status = parse(with_options, &input);
        failed = n_left < 0;
        if (status == STATUS_OK) {
            assert_int_equal(json_object_size(input.options), 5);
            assert_false(failed);
        } else
            assert_true(!input.document && !input.atoms && !input.options);
        atomic_input_fini(&input);
    }
    assert_true(n_failed > 10);
}

TEST(no_process_keeps_what_another_has_no_memory_for)
{
    static const char name[] = "test_atomic_input.json";
    struct atomic_input input;
    int rank, n_text = n_of_text();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        FILE *file = fopen(name, "w");
        assert_true(file && fputs(with_options, file) >= 0 && fclose(file) == 0);
    }
    n_left = rank == 1 ? n_text : -1;
    check_status(STATUS_NO_MEMORY, atomic_input_read(name, MPI_COMM_WORLD, &input));
    assert_true(!input.document && !input.atoms && !input.options);
    if (rank == 0)
        assert_int_equal(remove(name), 0);
}
