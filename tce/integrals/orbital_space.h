/* SPDX-License-Identifier: BSD-3-Clause */
/* The correlated orbitals of a converged SCF: its canonical orbitals, of ROHF the semicanonical ones,
 * without those that are frozen, on every process. */
#pragma once

#include "hf/scf/scf.h"
#include "support/base/status.h"
#include "tce/tensor/index_space.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Orbitals of each spin that are left uncorrelated: occupied ones, and the highest virtual ones. */
struct frozen_orbitals {
    int64_t n_core, n_virtual;
};

/* Correlated orbitals of one spin. */
struct orbital_space {
    int64_t n_functions;
    struct frozen_orbitals frozen; /* which are not here */
    const int64_t *core; /* frozen.n_core occupied ones, numbers from 0, ascending; borrowed. NULL:
                          * the lowest */
    int64_t n_occupied;
    int64_t n_virtual;
    int64_t n_orbitals; /* n_occupied + n_virtual */
    double *C;          /* n_functions x n_orbitals, row-major: occupied ones first */
    double *energies;   /* n_orbitals, hartree; occupied ones ascending, virtual ones ascending */
    double *fock_ov;    /* n_occupied x n_virtual: F_ia, hartree; NULL: zeros */
    /* On process 0, of one set of ROHF: n_orbitals x n_orbitals, F of alpha; else NULL. */
    double *fock;
};

/* The number of a correlated orbital in the list of all orbitals of its spin, from 0. */
static inline int64_t orbital_space_number(const struct orbital_space *space, int64_t orbital)
{
    for (int64_t i = 0; i < space->frozen.n_core; i++)
        orbital += (space->core ? space->core[i] : i) <= orbital;
    return orbital;
}

struct orbital_spaces {
    int n_orbital_sets; /* 1: the same for both spins; 2: each */
    int64_t n_open;     /* of one set: the last occupied ones, which alpha electrons occupy alone */
    struct orbital_space spin[2]; /* alpha, beta; as many functions, frozen ones and orbitals */
};

/* Electrons in an occupied orbital: 2 of one set, but in its open ones, else 1. */
static inline int electrons_per_orbital(const struct orbital_spaces *spaces)
{
    return 2 / spaces->n_orbital_sets;
}

/* Numbers of orbitals of all sets together: with two sets, of spin orbitals. */
struct frozen_orbitals orbital_spaces_n_frozen(const struct orbital_spaces *spaces);
int64_t orbital_spaces_n_occupied(const struct orbital_spaces *spaces);
int64_t orbital_spaces_n_virtual(const struct orbital_spaces *spaces);

/* The blocks of an index space over the occupied or the virtual orbitals: of two sets alpha orbitals, then beta
 * ones, with these labels, a spin without orbitals left out. Returns their number. */
int orbital_spaces_blocks(const struct orbital_spaces *spaces, bool is_virtual,
                          struct index_block blocks[2]);

/* The orbital behind a value of such a space. */
struct orbital_place {
    int spin;
    int64_t orbital; /* among all correlated ones of its spin, occupied ones first */
};
struct orbital_place orbital_spaces_find(const struct orbital_spaces *spaces, bool is_virtual,
                                         int64_t value);

/* The orbitals of a spin that methods take: of ROHF the semicanonical ones, with F between occupied and virtual
 * ones, else NULL; otherwise the canonical ones. Borrowed. */
struct scf_orbitals {
    const struct dense *C, *fock_ov;
    const double *energies;
    const struct dense *fock; /* of one set of ROHF: F of alpha */
};
struct scf_orbitals scf_orbitals_of(const struct scf_result *result, int spin);

/* The counts alone, without C and energies, from numbers of functions and orbitals.
 * n_occupied  of each spin, frozen ones included, not fewer of alpha: alpha may then
 *             have no virtual and beta no occupied orbitals
 * Not collective. Errors: STATUS_INPUT (no occupied or no virtual orbital is left; the message says
 * how many can be frozen). */
enum status orbital_spaces_count(int64_t n_functions, int64_t n_orbitals, int n_orbital_sets,
                                 const int64_t n_occupied[], struct frozen_orbitals frozen,
                                 struct orbital_spaces *spaces);

/* The first of the largest elements of each orbital is made positive, elements that differ
 * by a millionth counting as equally large: so signs do not depend on rounding, and thus on
 * the number of processes. The last bits do, and how orbitals of one energy are mixed.
 * result  of n_orbital_sets sets, whose orbitals are canonical within the occupied and within the virtual ones;
 *         or of ROHF, whose semicanonical orbitals are two sets, and its own ones one, with F of alpha
 * core    of each set, as orbital_space.core; borrowed while the spaces exist. NULL: the lowest
 * Collective over comm, the communicator of the orbitals' grid.
 * Errors: as orbital_spaces_count, STATUS_NO_MEMORY; the same everywhere. */
enum status orbital_spaces_create(const struct scf_result *result, int n_orbital_sets,
                                  const int64_t n_occupied[], struct frozen_orbitals frozen,
                                  int64_t *const core[], MPI_Comm comm,
                                  struct orbital_spaces **spaces);
void orbital_spaces_destroy(struct orbital_spaces *spaces);

/* Gives all processes the numbers of process 0, bit for bit. Collective over comm. */
void orbital_space_broadcast(struct orbital_space *space, MPI_Comm comm);

/* Orbitals [first, last) of an orbital space. */
struct orbital_range {
    int64_t first, last;
};

static inline int64_t orbital_range_size(struct orbital_range range)
{
    return range.last - range.first;
}

/* Doubles that a transformation needs for scratch. */
int64_t orbital_transform_work(const struct orbital_space *orbitals);

/* In place, for each of n_matrices symmetric matrices A over the n functions, one after
 * another:
 *     B[r][s] = sum_{lambda sigma} C[lambda][r] A[lambda][sigma] C[sigma][s]
 * for r in rows and s in columns. B is row-major without gaps and begins where A did;
 * matrices are n * n apart before and after. */
void orbital_transform(const struct orbital_space *orbitals, struct orbital_range rows,
                       struct orbital_range columns, int64_t n_matrices, double *matrices,
                       double *work);
