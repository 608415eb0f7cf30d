/* SPDX-License-Identifier: BSD-3-Clause */
/* Beryl as a library: Hartree-Fock, MP2 and coupled cluster for C and C++ programs.
 *
 *     struct beryl_settings settings;
 *     struct beryl_calculation *water;
 *     double correlation;
 *     beryl_start();
 *     beryl_settings_default(&settings);
 *     settings.basis = "cc-pvdz";
 *     beryl_create_from_file("water.xyz", &settings, &water);
 *     beryl_solve(water);
 *     beryl_correlate(water, "ccsd", &correlation);
 *     printf("%.10f\n", beryl_energy(water) + correlation);
 *     beryl_destroy(water);
 *     beryl_end();
 *
 * Units are atomic: hartree, Bohr, e.
 *
 * Processes. The library runs on all processes of MPI_COMM_WORLD, as Global Arrays does. Functions
 * are collective unless their comment says otherwise: every process calls them, in the same order,
 * with the same arguments, and gets the same results. They are called from one thread. MPI and,
 * across nodes, Global Arrays are started by beryl_start and ended by beryl_end unless the program has started
 * them itself; the shared library brings Global Arrays along, apart from any that the program
 * links. OpenBLAS is set to one thread, unless OPENBLAS_NUM_THREADS or OMP_NUM_THREADS says
 * otherwise.
 *
 * Errors. A function that can fail returns a code, the same on every process, and beryl_error_text
 * says what is wrong and what to do; it names a setting by the option of the programs, such as
 * --charge. A calculation whose function failed, other than with BERYL_USAGE, may only be
 * destroyed. A pointer that is NULL is BERYL_USAGE unless it may be; sizes of a NULL calculation are
 * 0. Failures inside MPI and Global Arrays end the program, as theirs do.
 *
 * Output. Nothing is printed unless settings.log asks for it.
 *
 * Arrays are row-major and the caller's; each process gets all of them. */
#ifndef BERYL_H
#define BERYL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum beryl_error {
    BERYL_OK,
    BERYL_USAGE, /* arguments or order of calls; nothing has changed */
    BERYL_INPUT,
    BERYL_IO,
    BERYL_LIMIT,
    BERYL_NO_MEMORY,
    BERYL_NOT_CONVERGED,
    BERYL_NUMERIC,
    BERYL_LIBRARY, /* a library that Beryl uses failed */
    BERYL_INTERNAL
};

/* "0.2.0". Not collective. */
const char *beryl_version(void);

/* Text of the last failure on this process, "" if none; valid until the next call. Not
 * collective. */
const char *beryl_error_text(void);

/* Starts MPI (MPI_THREAD_SINGLE) and, across nodes, Global Arrays unless they run already. Once in a program,
 * before all that follows; not again after beryl_end. Errors: BERYL_USAGE (started before, MPI has
 * ended), BERYL_NO_MEMORY,
 * BERYL_LIBRARY. */
enum beryl_error beryl_start(void);

/* Ends what beryl_start has started, when all calculations are destroyed. Errors: BERYL_USAGE. */
enum beryl_error beryl_end(void);

/* Number of this process in MPI_COMM_WORLD, between the two. Not collective. */
int beryl_rank(void);

enum beryl_reference { BERYL_BY_MULTIPLICITY, BERYL_RHF, BERYL_UHF, BERYL_ROHF };
enum beryl_functions { BERYL_AS_BASIS_SAYS, BERYL_SPHERICAL, BERYL_CARTESIAN };
enum beryl_integrals { BERYL_INTEGRALS_AUTO, BERYL_INTEGRALS_DIRECT, BERYL_INTEGRALS_MEMORY };
/* Where beryl_solve goes from a saddle point: down within its space, or nowhere, to the solution that other
 * programs find, too; --follow. beryl-hf has BERYL_FOLLOW_NONE with ROHF. */
enum beryl_follow { BERYL_FOLLOW_SAME, BERYL_FOLLOW_NONE };
enum { BERYL_NOT_GIVEN = -1000000 };

/* `beryl-hf --help` and `beryl-tce ccsd --help` explain each under the option of its name
 * (--max-iter for max_iter), or under the one named here. Texts are copied by beryl_create. */
struct beryl_settings {
    size_t size;            /* of this structure where the program was compiled; set by defaults */
    const char *basis;      /* as --basis: name or file, also by element and centre */
    int charge;             /* BERYL_NOT_GIVEN: as the file's comment line says, else 0 */
    int multiplicity;       /* likewise, else 1 */
    int reference;          /* enum beryl_reference; --method */
    int functions;          /* enum beryl_functions; --spherical, --cartesian */
    double screen;          /* Schwarz threshold */
    double converge;        /* of the orbital gradient */
    int64_t max_iter;       /* of the SCF */
    const char *guess;      /* "sad", "core" or a checkpoint, also of another geometry or basis */
    const char *checkpoint; /* file to write, or NULL */
    const char *sched;      /* scheduling mode */
    int64_t cache;          /* megabytes per process for tiles and shell pairs */
    int64_t memory;         /* megabytes that a process may use; 0: all that is available */
    int frozen_core;        /* whether beryl_correlate leaves the atoms' noble-gas cores out */
    double converge_amplitudes;
    int64_t max_iter_amplitudes;
    int log; /* whether process 0 prints on standard output what the programs print meanwhile */
    int integrals;          /* enum beryl_integrals; for Fock builds */
    int keep_occupation;    /* whether to occupy the orbitals with the largest overlap with the
                          * occupied ones of the checkpoint that guess names */
    const char *guess_flip; /* UHF: centres whose spins are reversed in the guess, or NULL */
    int64_t freeze; /* lowest occupied orbitals of each spin that beryl_correlate leaves out;
                              * not together with frozen_core */
    int64_t freeze_virtuals; /* highest virtual ones likewise */
    int follow;              /* enum beryl_follow */
    int frame; /* of a file with several: from 1, or from -1, the last, backwards; 0: the only one */
};

/* The defaults of the programs; the basis is to be set. beryl_create refuses settings without them.
 * A program compiled with the beryl.h of another version gets nothing but `size` set, and
 * beryl_create refuses its settings, too. NULL is fine. Not collective. Other languages call
 * beryl_settings_init with the size of their structure. */
void beryl_settings_init(struct beryl_settings *settings, size_t size);
static inline void beryl_settings_default(struct beryl_settings *settings)
{
    beryl_settings_init(settings, sizeof *settings);
}

struct beryl_centre {
    int element;        /* atomic number; 0: a ghost without element ("Bq" of the basis set) */
    int ghost;          /* whether it has basis functions alone, no nucleus and no electrons */
    double position[3]; /* Bohr, at most 1e9 either way */
};

struct beryl_calculation;

/* Creates a calculation of a molecule in a basis, from centres or from an XYZ file (in Angstrom,
 * unless its comment line says otherwise). Several may exist at a time. *calculation is NULL after
 * a failure.
 * Errors: BERYL_USAGE, BERYL_INPUT, BERYL_IO, BERYL_LIMIT, BERYL_NO_MEMORY. */
enum beryl_error beryl_create(int64_t n_centres, const struct beryl_centre *centres,
                              const struct beryl_settings *settings,
                              struct beryl_calculation **calculation);
enum beryl_error beryl_create_from_file(const char *path, const struct beryl_settings *settings,
                                        struct beryl_calculation **calculation);

/* NULL is fine. */
void beryl_destroy(struct beryl_calculation *calculation);

/* Sizes; n_spins is 1 for closed shells (RHF), else 2, of ROHF with the same orbitals. Of a shell that does
 * not exist: -1 for its first function, 0 for its size. Not collective. */
int beryl_n_spins(const struct beryl_calculation *calculation);
int64_t beryl_n_electrons(const struct beryl_calculation *calculation, int spin);
int64_t beryl_n_functions(const struct beryl_calculation *calculation);
int64_t beryl_n_shells(const struct beryl_calculation *calculation);
int64_t beryl_shell_first(const struct beryl_calculation *calculation, int64_t shell);
int64_t beryl_shell_size(const struct beryl_calculation *calculation, int64_t shell);

/* integrals[a][b][c][d] = (ab|cd), chemists' notation, over the functions of four shells. Spherical
 * functions go from m = -l to l, Cartesian ones xx, xy, xz, yy, yz, zz; all are normalised.
 * Not collective. Errors: BERYL_USAGE, BERYL_NO_MEMORY. */
enum beryl_error beryl_quartet(struct beryl_calculation *calculation, const int64_t shells[4],
                               double *integrals);

/* Overlap, and kinetic energy plus nuclear attraction; n_functions x n_functions each.
 * Errors: BERYL_NO_MEMORY. */
enum beryl_error beryl_one_electron(struct beryl_calculation *calculation, double *S, double *H);

/* Two-electron part of the Fock matrix, for any symmetric density:
 *   closed shell   F[m][n]  = sum_ls D[l][s]  ( (mn|ls) - (ml|ns) / 2 )
 *   open shell     Fs[m][n] = sum_ls (Da + Db)[l][s] (mn|ls) - Ds[l][s] (ml|ns)
 * D, F: n_spins matrices one after another. Of a D the lower triangle is read. F has the same bits
 * on any number of processes. Errors: BERYL_NO_MEMORY, BERYL_NUMERIC. */
enum beryl_error beryl_fock(struct beryl_calculation *calculation, const double *D, double *F);

/* Solves the SCF. Once for a calculation. Errors: BERYL_USAGE, BERYL_NOT_CONVERGED, BERYL_NUMERIC,
 * BERYL_INPUT (fewer independent functions than occupied orbitals), BERYL_NO_MEMORY, BERYL_IO. */
enum beryl_error beryl_solve(struct beryl_calculation *calculation);

/* Total energy of the SCF; not a number before it. Not collective. */
double beryl_energy(const struct beryl_calculation *calculation);

/* After beryl_solve, of spin 0 or 1 below n_spins:
 *   n_orbitals          0 before it; functions less those that depend on others. Not collective
 *   orbital_energies    n_orbitals: occupied ones ascending, then virtual ones; of ROHF closed, open and
 *                       virtual ones. Not collective
 *   orbitals            C[function][orbital]
 *   density             n_functions x n_functions: tr(DS) is the number of electrons of the spin,
 *                       of both where n_spins is 1
 * Errors: BERYL_USAGE, BERYL_NO_MEMORY. */
int64_t beryl_n_orbitals(const struct beryl_calculation *calculation);
enum beryl_error beryl_orbital_energies(const struct beryl_calculation *calculation, int spin,
                                        double *energies);
enum beryl_error beryl_orbitals(struct beryl_calculation *calculation, int spin, double *C);
enum beryl_error beryl_density(struct beryl_calculation *calculation, int spin, double *D);

/* Correlation energy of "mp2", "ccd", "ccsd", "ccsd_t" or "ccsdt" over the orbitals of beryl_solve,
 * over spin orbitals where these are unrestricted or, semicanonical, of ROHF. beryl-tce has the reference
 * of BERYL_FOLLOW_NONE. May be repeated.
 * Errors: BERYL_USAGE, BERYL_NOT_CONVERGED, BERYL_NUMERIC, BERYL_INPUT (no occupied or no virtual
 * orbital is left), BERYL_NO_MEMORY. */
enum beryl_error beryl_correlate(struct beryl_calculation *calculation, const char *method,
                                 double *energy);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
