/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that the .tce program of a method may bind its spaces and tensors to. The table in
 * method_bindings.c is the one list of tensors: a row says what a name stands for and how its
 * elements are made. */
#pragma once

#include "support/base/status.h"
#include "tce/execution/program_instance.h"
#include "tce/integrals/orbital_space.h"
#include "tce/methods/methods.h"
#include "tce/tensor/tensor.h"

#include <stdbool.h>
#include <stddef.h>

/* Spaces: the correlated orbitals; of UHF and ROHF alpha spin orbitals, then beta spin orbitals, with these
 * labels. */
#define BINDING_OCCUPIED "occupied"
#define BINDING_VIRTUAL  "virtual"

/* A tensor that programs over ROHF need. */
#define BINDING_FOCK "fock"

enum integral_order { NO_INTEGRALS, CHEMISTS_ORDER, DIRAC_ORDER };

struct tensor_binding {
    const char *name;
    const char *meaning;
    int rank;                      /* that the tensor must have; 0: any */
    enum integral_order integrals; /* two-electron integrals: transformed for all such tensors
                                      together (correlation_integrals.c) */
    tensor_element *element;       /* else: an element; its context is a struct bound_tensor */
    enum status (*fill)(int rank, const int64_t first[], const int64_t extent[], double *block,
                        void *context); /* a block of them (tile_loop.h); the same context */
};

/* NULL for an unknown name or NULL. */
const struct tensor_binding *method_binding_find(const char *name);

/* The symmetries of what the names stand for, of real orbitals. */
enum { METHOD_N_FILLS = 4 };
extern const struct fill_symmetry method_fill_symmetries[METHOD_N_FILLS];

/* Whether a space of the program, by its number, is bound to the name. */
bool method_space_is(const struct program *program, int space, const char *name);

/* Whether all tensors that are bound can be: the names are known, the ranks right, and the indices
 * orbitals. A name may also be a function's (tensor_functions.h).
 * Errors: STATUS_INPUT, with the place and, for an unknown name, the names that there are. */
enum status method_bindings_check(const struct program *program);

/* Whether a tensor is bound to the name. */
bool method_binds(const struct program *program, const char *name);

/* A tensor's indices as orbitals. */
struct bound_tensor {
    const struct orbital_spaces *orbitals; /* borrowed */
    int rank;
    bool is_occupied[MAX_RANK]; /* else virtual */
};
struct bound_tensor method_binding_describe(const struct program *program,
                                            const struct program_tensor *tensor,
                                            const struct orbital_spaces *orbitals);

/* A user's program may take the place of a method's. Refused are:
 * - no space that is bound to the molecule;
 * - more unknowns than CORRELATION_MAX_UNKNOWNS;
 * - a statement that assigns to a bound tensor, which a second solution would need unchanged;
 * - two spaces bound to one name but cut into different tiles;
 * - integrals in blocks that they do not have;
 * - of a closed shell (n_orbital_sets 1), a bar over orbitals, because a program over spin orbitals
 *   would have a wrong result.
 * Errors: STATUS_INPUT, with the place. */
enum status user_program_check(const struct program *program, int n_orbital_sets);

/* Resets tensors that statements assign to: another solution begins as the first one. Not for programs
 * with `iterate`, which compute all of them by `=`. Collective. Errors: as
 * program_instance_fill. */
enum status user_program_reset(struct program_instance *instance);

/* The name under which a checkpoint has amplitudes of a program with this text: USER_PROGRAM_PREFIX and digits
 * of the SHA-256 of the text before `finally`. Not collective. Errors: as sha256_create. */
#define USER_PROGRAM_PREFIX "tce-"
enum status user_program_name(const struct program *program, const char *text, size_t length,
                              char name[TCE_METHOD_NAME_SIZE]);
