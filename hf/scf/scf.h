/* SPDX-License-Identifier: BSD-3-Clause */
/* The self-consistent field (SCF): restricted closed (RHF) and open shells (ROHF), and unrestricted (UHF).
 *
 * DIIS first; where that stalls, second-order steps with a check of the energy; at
 * convergence a test that the result is a local minimum, and descent to one if it is not. A saddle point
 * from which no lower energy is found is a result, with its verdict. An RHF
 * solution is also tested among UHF determinants; one that is unstable there is reported and
 * stays, because a run of UHF, started from it, follows it down. */
#pragma once

#include "hf/fock/scf_problem.h"
#include "hf/properties/properties.h"
#include "hf/scf/scf_basis.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/memory.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* AUTO: second order when DIIS stalls; stability checked for UHF, and for RHF up to
 * SCF_STABILITY_SMALL functions, where it costs little. */
enum scf_when { SCF_AUTO, SCF_ALWAYS, SCF_NEVER };

/* Where to go from a saddle point: nowhere; down within the space of the method; and from RHF also
 * into UHF, which the caller of scf_run does. */
enum scf_follow { SCF_FOLLOW_NONE, SCF_FOLLOW_SAME, SCF_FOLLOW_UHF };
enum { SCF_STABILITY_SMALL = 200 };

/* Record of one iteration. */
struct scf_iteration {
    int64_t iteration; /* from 1, the guess density's */
    const char *method;
    double energy;    /* of the guess density too, which is no upper bound */
    double change;    /* of the energy; 0 in the first */
    double gradient;  /* max |F_ia|; of the guess density max |FP - PF| */
    int64_t n_builds; /* Fock builds of the iteration */
    double fock_seconds;
    double algebra_seconds;
};

/* Defaults of the settings, also for option rows; all other fields are 0. */
#define SCF_DEFAULT_CONVERGE       1e-8
#define SCF_ENERGY_ERROR           1e-9  /* hartree */
#define SCF_LEAST_CONVERGE         1e-15 /* sums of numbers near 1 hartree round to this */
#define SCF_DEFAULT_MAX_ITERATIONS 100
#define SCF_CLOSED_DIIS_SIZE       12
#define SCF_OPEN_DIIS_SIZE         8
#define SCF_DEFAULT_DEPENDENCE     1e-6
#define SCF_DEFAULT_CHECKPOINT     1

struct checkpoint_reader;

/* An occupied and a virtual orbital of a spin that exchange their occupations in the guess, by their
 * numbers from 1 in the order of energies; occupied 0: none. */
struct scf_swap {
    int spin;
    int64_t occupied, virtual;
};

struct scf_settings {
    double converge;   /* max |F_ia| between occupied i and virtual a of either spin, hartree; 0:
                          * not given (scf_criterion) */
    bool energy_alone; /* no method beyond the SCF, nor timed builds, take its orbitals */
    int64_t max_iterations;
    int64_t diis_size;      /* Fock matrices kept; 1: plain iterations; 0: scf_diis_size */
    double damping;         /* fraction of the last Fock matrix kept in early iterations; 0: none */
    double level_shift;     /* added to virtual orbital energies, hartree; 0: none */
    double dependence;      /* eigenvalues of S below it are dropped */
    bool mix;               /* UHF: orbitals of alpha and beta are made different in the guess
                                * (scf_state_turn), unless it is restart's */
    struct scf_swap swap;   /* of the guess's orbitals, unless it is restart's */
    bool keep_occupation;   /* occupy by maximum overlap with the guess's orbitals or restart's
                                * (scf_occupation.h), by DIIS alone; most often with
                                * SCF_FOLLOW_NONE: the state can be a saddle point */
    int second_order;       /* enum scf_when */
    int stability;          /* enum scf_when */
    int follow;             /* enum scf_follow */
    const char *checkpoint; /* file to write, or NULL: at the end, and */
    int64_t checkpoint_every;                /* after so many iterations */
    int64_t n_starts;                        /* of the result, unless it is restart's */
    const struct checkpoint_reader *restart; /* resume where its run was; NULL: a new run */
    void (*observe)(const struct scf_iteration *iteration, void *context); /* or NULL */
    void *observe_context;
};

struct scf_settings scf_settings_default(void);

/* The settings for a run that goes on from a density as it is: without restart or changes of a
 * guess, and with the lowest orbitals. Not collective. */
struct scf_settings scf_settings_from_density(const struct scf_settings *settings);

/* Where a run ends: at this gradient, max |F_ia| in hartree, or before it where the energy is right to
 * energy_error (the last change, and what the gradient leaves), hartree; 0: at the gradient only. */
struct scf_criterion {
    double gradient, energy_error;
};

/* The converge that is given; else SCF_DEFAULT_CONVERGE, for the energy alone with SCF_ENERGY_ERROR or the
 * noise that screening at this threshold leaves in changes of the energy. A kept occupation needs the
 * gradient: the curvature, which bounds the error of the energy, need not be positive. */
struct scf_criterion scf_criterion(const struct scf_settings *settings, double threshold);

/* --- the kind of stationary point --- */

/* Spaces of determinants: all orbitals real, either restricted to be alike for both spins or not. Complex
 * and generalised (GHF) orbitals are not tested. UHF's contains the other two.
 * Source: Seeger & Pople, J. Chem. Phys. 66, 3045 (1977). */
enum scf_space { SCF_REAL_RHF, SCF_REAL_UHF, SCF_REAL_ROHF };
enum { SCF_SPACES = 3 };

/* The space of the SCF itself, the first in which a solution is tested; and the last one: a solution of
 * ROHF is not a stationary point of UHF. */
static inline enum scf_space scf_own_space(const struct scf_problem *problem)
{
    return scf_is_rohf(problem)        ? SCF_REAL_ROHF
           : problem->n_densities == 1 ? SCF_REAL_RHF
                                       : SCF_REAL_UHF;
}
static inline enum scf_space scf_widest_space(enum scf_space own)
{
    return own == SCF_REAL_RHF ? SCF_REAL_UHF : own;
}

/* "RHF", "UHF", "ROHF". */
const char *scf_space_name(enum scf_space space);

/* The lowest curvature of the energy at a converged SCF within a space of determinants. */
struct scf_curvature {
    double eigenvalue; /* lowest one found, hartree, but for the zeros of free rotations
                        * (scf_hessian.h); apart from the noise an upper bound */
    double noise;      /* error of that number: of screening, and of a gradient that is not zero */
    double error;      /* how far it may be from the eigenvalue that the search came near to, the
                        * noise included; INFINITY: it came near to none */
    int n_products;    /* with the Hessian that the search took; 0: not tested */
};

/* A number smaller than its error is NOT_SETTLED. UNSTABLE needs no search that has converged, because the
 * lowest eigenvalue lies below any that is found. */
enum scf_verdict {
    SCF_VERDICT_NOT_TESTED,
    SCF_VERDICT_STABLE,
    SCF_VERDICT_UNSTABLE,
    SCF_VERDICT_NOT_SETTLED
};
enum scf_verdict scf_curvature_verdict(const struct scf_curvature *curvature);

/* Kind of stationary point in a space of determinants. */
enum scf_point { SCF_POINT_MINIMUM, SCF_POINT_SADDLE, SCF_POINT_NOT_SETTLED, SCF_POINT_NOT_TESTED };

/* "local minimum", "saddle", "not settled", "not tested". */
const char *scf_point_name(enum scf_point point);

/* A saddle point that the SCF converged to and then left downhill. */
struct scf_saddle {
    double energy;    /* total, hartree */
    double curvature; /* lowest eigenvalue found, hartree */
};
enum { SCF_MAX_SADDLES = 5 };

/* --- a run --- */

/* The result of a run. Owned by the caller through scf_result_fini. */
struct scf_result {
    bool converged;
    bool is_rigid;          /* no orbitals can be rotated: the only determinant of its space */
    enum scf_follow follow; /* of the settings */
    int64_t iterations;
    int64_t fock_builds;
    double energy; /* total, hartree */
    double one_electron_energy;
    double two_electron_energy;
    double nuclear_repulsion;
    double gradient;             /* last max |F_ia| */
    int64_t n_orbitals;          /* functions minus dropped combinations */
    double *orbital_energies[2]; /* n_orbitals, hartree, on every process: occupied ones
                                  * ascending, then virtual ones ascending; of ROHF closed, open and
                                  * virtual ones, by the mean of both Fock matrices */
    struct dense *orbitals[2];   /* n_functions x n_orbitals, columns in that order */
    /* Of ROHF, unless energy_alone: its semicanonical orbitals of each spin, in which F_oo and F_vv are
     * diagonal, and F between them; else NULL. */
    struct dense *semicanonical[2]; /* n_functions x n_orbitals, occupied ones of the spin first */
    double *semicanonical_energies[2]; /* n_orbitals: of F_oo, ascending, then of F_vv, ascending */
    struct dense *fock_ov[2]; /* n_occupied of the spin x n_virtual: F_ia over them, hartree */
    struct dense *fock_alpha; /* likewise; n_orbitals x n_orbitals: F of alpha over `orbitals` */
    enum scf_space space;     /* of its determinants */
    struct scf_curvature curvature[SCF_SPACES]; /* at the result, by enum scf_space */
    double lowering;  /* at least this much lower is another solution than a saddle point that
                      * SCF_FOLLOW_NONE keeps, hartree; 0: not known */
    int64_t n_starts; /* of the search that it is the end of; 1: none is wanted; 0: none yet */
    int n_saddles;    /* left on the way: all have higher energies */
    struct scf_saddle saddles[SCF_MAX_SADDLES];
    double *properties[SCF_N_PROPERTIES]; /* values of each */
    double s2;                            /* <S^2> */
    bool keeps_occupation;                /* of the settings */
    double occupation_overlap;            /* then: scf_occupation_overlap */
};

/* Runs to convergence, from D or, with settings->restart, whose density D is, from the state of
 * that run; printing a line per iteration. Collective.
 * D  n_densities tile matrices, borrowed: the initial density, then scratch of the Fock builds,
 *    on return the final density; undefined after an error but STATUS_NOT_CONVERGED
 * Errors: STATUS_NOT_CONVERGED (result filled with the last iteration's state),
 * STATUS_INPUT (no such orbitals to swap),
 * STATUS_NO_MEMORY, STATUS_NUMERIC, STATUS_IO (checkpoint); the same everywhere. */
enum status scf_run(const struct scf_basis *basis, const struct scf_settings *settings,
                    struct darray *const D[], struct scf_result *result);
void scf_result_fini(struct scf_result *result);

/* Adds what an earlier run took, and the last of the saddle points that both left. Not collective. */
void scf_result_add_run(const struct scf_result *earlier, struct scf_result *result);

/* The stationary point that a result is in a space of determinants, its own or a wider one. A result
 * that has not converged is no local minimum. Not collective. */
enum scf_point scf_result_point(const struct scf_result *result, enum scf_space space);

/* Whether a run with these settings tests the stability of a solution, if it has rotations. */
bool scf_tests_stability(const struct scf_settings *settings, const struct scf_problem *problem);

/* Steps that DIIS keeps: as the settings say, by default SCF_CLOSED_DIIS_SIZE, or
 * SCF_OPEN_DIIS_SIZE where each step has two matrices. More steps do not help open shells that
 * converge slowly. Not collective. */
int64_t scf_diis_size(const struct scf_settings *settings, const struct scf_problem *problem);

/* Matrices that one pass over the integrals takes in such a run, at most: several where stability is
 * tested, in second-order steps, too. */
int scf_matrices_at_once(const struct scf_settings *settings, const struct scf_problem *problem);

/* Memory of scf_run on each of n_processes, at most, in addition to D, the Fock build and a few
 * columns on the process that writes checkpoints. The problem's molecule and fock are not looked
 * at. Not collective. */
struct memory_need scf_bytes(const struct scf_problem *problem, const struct scf_settings *settings,
                             int n_processes);
