/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/calculation/hf_input.h"

#include "basis/integrals/ecp.h"
#include "hf/tiles/tiling.h"
#include "support/base/agree.h"
#include "support/io/text_file.h"
#include "support/io/words.h"

#include <stdlib.h>
#include <string.h>

/* Bohr; Lifflander et al. (2012): the displaced functions of the Be chain. */
#define BE_CHAIN_DISPLACEMENT 1.6

static struct molecule_settings molecule_settings(const struct hf_settings *settings)
{
    bool unit_given = settings->units >= 0;
    bool charge_given = settings->charge != HF_NOT_GIVEN;
    bool multiplicity_given = settings->multiplicity != HF_NOT_GIVEN;
    return (struct molecule_settings){
        .unit = unit_given ? (enum length_unit)settings->units : LENGTH_ANGSTROM,
        .unit_given = unit_given,
        .charge = charge_given ? (int)settings->charge : 0,
        .charge_given = charge_given,
        .multiplicity = multiplicity_given ? (int)settings->multiplicity : 1,
        .multiplicity_given = multiplicity_given,
        .frame = settings->frame,
        .frame_given = settings->frame != HF_NOT_GIVEN,
    };
}

/* The input file of the original Be benchmark: atomic numbers, no comment, Bohr,
 * and centres for displaced functions implied; recognised by a first set that has
 * functions for such centres. */
static bool is_original_benchmark(const struct hf_input *input)
{
    return input->molecule.bare_numbers && basis_set_find(&input->basis.sets[0], 0);
}

static enum status parse_molecule(const struct hf_settings *settings, const struct text_file *text,
                                  struct hf_input *input)
{
    struct molecule_settings given = molecule_settings(settings);
    if (text->bytes[strspn(text->bytes, " \t\r\n")] == '{')
        return FAIL(STATUS_INPUT,
                    "%s:1: JSON, not XYZ: beryl-hf and beryl-tce read QCSchema from a file whose "
                    "name ends in .json",
                    settings->molecule);
    TRY(molecule_parse(text->bytes, text->length, settings->molecule, &given, &input->molecule));
    if (!is_original_benchmark(input))
        return STATUS_OK;
    if (!given.unit_given) {
        molecule_fini(&input->molecule);
        given.unit = LENGTH_BOHR;
        given.unit_given = true;
        TRY(molecule_parse(text->bytes, text->length, settings->molecule, &given,
                           &input->molecule));
    }
    input->original_benchmark = true;
    return molecule_add_displaced_ghosts(&input->molecule, BE_CHAIN_DISPLACEMENT);
}

/* The centres that the caller gives. */
static enum status take_given_atoms(const struct hf_settings *settings, struct molecule *molecule)
{
    struct molecule_settings given = molecule_settings(settings);
    const struct molecule of_caller = {.n_atoms = settings->n_atoms,
                                       .atoms = (struct atom *)settings->atoms,
                                       .charge = given.charge,
                                       .multiplicity = given.multiplicity};
    return molecule_copy(&of_caller, molecule);
}

static enum status read_molecule(const struct hf_settings *settings, MPI_Comm comm,
                                 struct hf_input *input)
{
    struct text_file text;
    TRY(text_file_read_all(settings->molecule, comm, &text));
    enum status status = parse_molecule(settings, &text, input);
    text_file_fini(&text);
    return status;
}

static enum status read_and_check_molecule(const struct hf_settings *settings, MPI_Comm comm,
                                           struct hf_input *input)
{
    TRY(settings->atoms ? take_given_atoms(settings, &input->molecule)
                        : read_molecule(settings, comm, input));
    TRY(basis_choice_assign(&input->basis, &input->molecule));
    TRY(ecp_place(input->basis.sets, &input->molecule));
    return molecule_check(&input->molecule, settings->molecule);
}

/* Refuses options that change the guess of UHF alone. */
static enum status check_guess_of_restricted(const struct hf_settings *settings,
                                             const struct hf_input *input)
{
    if (settings->scf.mix)
        return FAIL(
            STATUS_USAGE,
            "--guess-mix makes the orbitals of alpha and beta different; RHF and ROHF have one set "
            "for both: add --method uhf");
    if (settings->guess_flip)
        return FAIL(
            STATUS_USAGE,
            "--guess-flip makes the orbitals of alpha and beta different; RHF and ROHF have "
            "one set for both: add --method uhf");
    if (settings->scf.swap.spin == 1 && input->method == METHOD_RHF)
        return FAIL(STATUS_USAGE,
                    "--guess-swap of beta orbitals is for open shells: add --method uhf");
    return STATUS_OK;
}

void hf_input_set_method(enum hf_method method, struct hf_input *input)
{
    input->method = (int)method;
    input->n_densities = method == METHOD_RHF ? 1 : 2;
    input->n_orbital_sets = method == METHOD_UHF ? 2 : 1;
}

static enum status set_method(const struct hf_settings *settings, struct hf_input *input)
{
    int multiplicity = input->molecule.multiplicity;
    int method = settings->method >= 0 ? settings->method
                 : multiplicity == 1   ? METHOD_RHF
                                       : METHOD_UHF;
    if (method == METHOD_ROHF && multiplicity == 1)
        method = METHOD_RHF; /* the same determinants */
    hf_input_set_method((enum hf_method)method, input);
    if (method == METHOD_RHF && multiplicity != 1)
        return FAIL(STATUS_USAGE,
                    "--method rhf is for closed shells, but the multiplicity is %d: use uhf or "
                    "rohf",
                    multiplicity);
    return method == METHOD_UHF ? STATUS_OK : check_guess_of_restricted(settings, input);
}

static enum status find_point_group(const struct hf_settings *settings, struct hf_input *input)
{
    bool closed = input->method == METHOD_RHF;
    double most_moved = closed ? POINT_GROUP_MOST_MOVED : POINT_GROUP_LEAST_MOVED;
    return point_group_find(&input->placed, hf_settings_use_symmetry(settings) ? most_moved : 0,
                            &input->group, &input->moved);
}

static enum status count_electrons(const struct hf_settings *settings, struct hf_input *input)
{
    int64_t n_electrons = molecule_n_electrons(&input->molecule);
    int unpaired = input->molecule.multiplicity - 1;
    input->n_occupied[0] = (n_electrons + unpaired) / 2;
    input->n_occupied[1] = (n_electrons - unpaired) / 2;
    if (input->n_occupied[0] > input->shells->n_functions)
        return FAIL(STATUS_INPUT, "%s: %lld electrons, but %s has only %lld functions for them",
                    settings->molecule, (long long)n_electrons, settings->basis,
                    (long long)input->shells->n_functions);
    return STATUS_OK;
}

enum status centre_list_parse(const char *option, const char *list, int64_t n_centres, bool named[])
{
    struct word rest = word_from_text(list), field;
    memset(named, 0, (size_t)n_centres * sizeof *named);
    while (take_field(&rest, &field)) {
        int64_t first, last;
        if (!word_to_range(field, &first, &last))
            return FAIL(STATUS_USAGE,
                        "%s '%.64s': give numbers of centres, counted from 1, such as 2 or 1,4-6",
                        option, list);
        if (last > n_centres)
            return FAIL(STATUS_USAGE, "%s '%.64s': the molecule has %lld centre%s only", option,
                        list, (long long)n_centres, n_centres == 1 ? "" : "s");
        for (int64_t centre = first; centre <= last; centre++)
            named[centre - 1] = true;
    }
    return STATUS_OK;
}

static enum status find_flipped(const struct hf_settings *settings, struct hf_input *input)
{
    int64_t n = input->molecule.n_atoms;
    if (!settings->guess_flip)
        return STATUS_OK;
    input->flipped = calloc((size_t)n, sizeof *input->flipped);
    TRY(CHECK_MEMORY(input->flipped, "no memory for %lld centres", (long long)n));
    return centre_list_parse("--guess-flip", settings->guess_flip, n, input->flipped);
}

/* All that follows the files. Not collective. */
static enum status place_input(const struct hf_settings *settings, struct hf_input *input)
{
    enum basis_form form = settings->spherical   ? BASIS_FORM_SPHERICAL
                           : settings->cartesian ? BASIS_FORM_CARTESIAN
                                                 : BASIS_FORM_UNSTATED;
    TRY(set_method(settings, input));
    TRY(molecule_copy(&input->molecule, &input->placed));
    TRY(find_point_group(settings, input));
    TRY(shells_create(&input->placed, input->basis.sets, form, &input->shells));
    TRY(count_electrons(settings, input));
    TRY(find_flipped(settings, input));
    input->tile = settings->tile > 0
                      ? settings->tile
                      : tiling_default_target(input->shells, input->group.n_commuting);
    return STATUS_OK;
}

static enum status read_molecule_and_basis(const struct hf_settings *settings, MPI_Comm comm,
                                           struct hf_input *input)
{
    TRY(basis_choice_read_all(settings->basis, comm, &input->basis));
    TRY(status_agree(comm, read_and_check_molecule(settings, comm, input)));
    return status_agree(comm, place_input(settings, input));
}

enum status hf_input_read(const struct hf_settings *settings, MPI_Comm comm, struct hf_input *input)
{
    *input = (struct hf_input){0};
    enum status status = read_molecule_and_basis(settings, comm, input);
    if (status != STATUS_OK)
        hf_input_fini(input);
    return status;
}

void hf_input_fini(struct hf_input *input)
{
    shells_destroy(input->shells);
    point_group_fini(&input->group);
    molecule_fini(&input->placed);
    molecule_fini(&input->molecule);
    basis_choice_fini(&input->basis);
    free(input->flipped);
    *input = (struct hf_input){0};
}
