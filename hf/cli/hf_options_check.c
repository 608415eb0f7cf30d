/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/cli/hf_options_check.h"

#include "sched/pool/modes/mode_options.h"

/* Options that contradict --compare. */
static enum status check_compare(const struct hf_options *options)
{
    if (options->count_tasks)
        return FAIL(STATUS_USAGE, "--compare runs Fock builds, --count-tasks none: leave one out");
    if (options->files.profile)
        return FAIL(STATUS_USAGE, "--write-profile is for one mode: leave --compare out");
    if (options->settings.fock.profile_classes)
        return FAIL(STATUS_USAGE, "--profile-classes is for one mode: leave --compare out");
    return STATUS_OK;
}

/* Options that contradict --dry-run. */
static enum status check_dry_run(const struct hf_options *options)
{
    const struct hf_settings *settings = &options->settings;
    if (options->count_tasks || options->compare || options->fock_only)
        return FAIL(STATUS_USAGE, "--dry-run predicts an SCF and one of its Fock builds: leave "
                                  "--count-tasks, --compare and --fock-only out");
    if (options->files.report || options->files.profile || settings->scf.checkpoint ||
        settings->fock.profile_classes || settings->pool.watchdog_s > 0 ||
        settings->pool.trace_folder)
        return FAIL(STATUS_USAGE, "--dry-run runs nothing: leave --report, --write-profile, "
                                  "--checkpoint, --profile-classes, --watchdog and --trace out");
    return STATUS_OK;
}

/* Options of the guess that contradict others. */
static enum status check_guess_options(const struct hf_options *options)
{
    const struct scf_settings *scf = &options->settings.scf;
    if (options->settings.restart && options->settings.guess)
        return FAIL(STATUS_USAGE, "--restart and --guess both name the initial density: leave one "
                                  "out");
    const char *flip = options->settings.guess_flip;
    if (options->settings.restart && (scf->mix || options->swap || flip))
        return FAIL(STATUS_USAGE,
                    "--guess-%s has no effect with --restart, which has no guess: name "
                    "the checkpoint with --guess",
                    scf->mix ? "mix"
                    : flip   ? "flip"
                             : "swap");
    if (scf->mix && flip)
        return FAIL(STATUS_USAGE, "--guess-mix and --guess-flip exclude each other: both make the "
                                  "spins of the guess different");
    if (scf->mix && options->swap)
        return FAIL(STATUS_USAGE, "--guess-mix and --guess-swap exclude each other");
    if (scf->keep_occupation && scf->second_order == SCF_ALWAYS)
        return FAIL(STATUS_USAGE, "--keep-occupation is for DIIS: second-order steps lead down to "
                                  "another state, leave --second-order always out");
    return STATUS_OK;
}

enum status hf_options_check(struct hf_options *options)
{
    if (!options->settings.basis)
        return FAIL(STATUS_USAGE, "--basis is missing: name a basis set, for instance "
                                  "--basis cc-pvdz");
    if (options->settings.spherical && options->settings.cartesian)
        return FAIL(STATUS_USAGE, "--spherical and --cartesian exclude each other");
    if (options->dry_run)
        TRY(check_dry_run(options));
    if (options->count_tasks && (options->files.json || options->files.report ||
                                 options->files.profile || options->settings.scf.checkpoint))
        return FAIL(STATUS_USAGE, "--count-tasks prints one line and writes no file");
    if (options->settings.scf.checkpoint_every != SCF_DEFAULT_CHECKPOINT &&
        !options->settings.scf.checkpoint)
        return FAIL(STATUS_USAGE, "--checkpoint-every has no effect without --checkpoint");
    if (options->settings.scf.stability == SCF_NEVER && options->settings.scf.follow >= 0)
        return FAIL(STATUS_USAGE, "--follow has no effect with --stability never: no saddle point "
                                  "is found");
    TRY(check_guess_options(options));
    TRY(mode_options_choose(&options->settings.pool, options->compare, options->rounds,
                            &options->settings.modes));
    TRY(mode_options_check_real(&options->settings.modes));
    if (options->compare)
        TRY(check_compare(options));
    if (options->settings.scf.checkpoint && options->settings.goal != HF_GOAL_SCF)
        return FAIL(STATUS_USAGE,
                    "--%s computes no orbitals to write to a --checkpoint: add --density converged",
                    options->compare ? "compare" : "fock-only");
    return STATUS_OK;
}
