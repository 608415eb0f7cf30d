/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of a Hartree-Fock calculation: plain data. Error messages name a setting by the option
 * of the programs, such as --charge. */
#pragma once

#include "basis/input/molecule.h"
#include "hf/fock/fock_build.h"
#include "hf/scf/scf.h"
#include "sched/pool/modes/modes.h"
#include "taskpool/taskpool.h"

#include <stdbool.h>
#include <stdint.h>

enum hf_method { METHOD_RHF, METHOD_UHF, METHOD_ROHF };

/* Purpose of a calculation, by which its memory is estimated: an SCF, perhaps followed by Fock
 * builds; Fock builds of a density at hand; the number of tasks. */
enum hf_goal { HF_GOAL_SCF, HF_GOAL_BUILDS, HF_GOAL_TASKS };

/* Whether an SCF's Fock builds keep integrals for those that follow: as many as take half of the
 * memory that is left, none, or as many as fit. */
enum hf_integrals { HF_INTEGRALS_AUTO, HF_INTEGRALS_DIRECT, HF_INTEGRALS_MEMORY };

/* Whether an SCF uses the symmetry of the molecule in its Fock builds: all of it, or none. */
enum hf_point_group { HF_POINT_GROUP_AUTO, HF_POINT_GROUP_C1 };

/* Texts and atoms are borrowed. */
struct hf_settings {
    enum hf_goal goal;
    const char *molecule;     /* file, or a name for messages where there are atoms */
    const struct atom *atoms; /* the centres; NULL: read from the file */
    int64_t n_atoms;
    const char *basis;            /* set or sets, as basis_choice.h says */
    int method;                   /* enum hf_method, or -1: by the multiplicity */
    int64_t charge, multiplicity; /* HF_NOT_GIVEN: as the file says, else 0 and 1 */
    int units;                    /* enum length_unit, or -1: as the file says, else angstrom */
    int64_t frame; /* of the file (struct molecule_settings); HF_NOT_GIVEN: the only one */
    bool spherical, cartesian;
    int64_t tile; /* 0: by the basis */
    double screen;
    int engine;               /* number of the integral engine to try first */
    int64_t memory_megabytes; /* 0: all that is available */
    int integrals;            /* enum hf_integrals; instead of fock.kept_bytes */
    int point_group;          /* enum hf_point_group */
    const char *guess;        /* "sad", "core" or a checkpoint, also of another geometry or basis;
                                   * NULL with one of the next */
    const char *guess_flip;   /* UHF: list of centres (centre_list_parse) whose spins are reversed
                                   * in this guess, "sad" or a checkpoint; or NULL */
    int search;               /* enum scf_when: for a lower solution from other guesses;
                                   * AUTO: where the first solution of UHF, of guess "sad", asks for
                                   * it, but for SCF_FOLLOW_NONE */
    const char *restart;      /* checkpoint of the run to resume, or NULL */
    const char *density;      /* checkpoint of the density of HF_GOAL_BUILDS, or NULL */
    struct fock_settings fock;
    struct scf_settings scf;
    struct taskpool_settings pool;
    struct mode_list modes; /* of all pools, one after another */
};

#define HF_NOT_GIVEN INT64_MIN

/* Defaults, also for option rows. */
#define HF_DEFAULT_SCREEN 1e-10
#define HF_DEFAULT_CACHE  256 /* megabytes */

/* Defaults of all but molecule and basis. */
void hf_settings_default(struct hf_settings *settings);

/* The file of the initial density: of restart, density or guess. NULL for guesses with names. */
const char *hf_settings_density_file(const struct hf_settings *settings);

/* Whether there is an SCF whose Fock builds use the symmetry of the molecule. */
bool hf_settings_use_symmetry(const struct hf_settings *settings);
