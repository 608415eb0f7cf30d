/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of its own that has names of the library's inside, and calls the SCF for two molecules:
 *     outside library | own     MPI is started by the library, or by the program
 * C and C++. */
#define OMPI_SKIP_MPICXX 1 /* Open MPI: no bindings of its own for C++ */
#include <beryl/beryl.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(x)    (2 * (x))
#define STATUS_OK 17

struct mode {
    int own;
};

static int n_calls;

#ifdef __cplusplus
extern "C" {
#endif
void die(const char *text);
void log_print(const char *text);
int status_fail(int code);
void fock_build(void);
#ifdef __cplusplus
}
#endif

void die(const char *text)
{
    fprintf(stderr, "%s: %s\n", text, beryl_error_text());
    exit(1);
}

static void die_if(int wrong, const char *text)
{
    if (wrong)
        die(text);
}

void log_print(const char *text)
{
    n_calls++;
    printf("%s\n", text);
}

int status_fail(int code)
{
    n_calls++;
    return code;
}

void fock_build(void)
{
    n_calls++;
}

static const struct beryl_centre helium[] = {{2, 0, {0, 0, 0}}};
static const struct beryl_centre hydride[] = {{3, 0, {0, 0, 0}}, {1, 0, {0, 0, 3.0}}};

static struct beryl_settings in_basis(const char *basis)
{
    struct beryl_settings settings;
    beryl_settings_default(&settings);
    settings.basis = basis;
    return settings;
}

static struct beryl_calculation *solve(int n, const struct beryl_centre *centres,
                                       const struct beryl_settings *settings)
{
    struct beryl_calculation *calculation;
    die_if(beryl_create(n, centres, settings, &calculation) || beryl_solve(calculation), "solve");
    return calculation;
}

/* The calculation is refused, with this in the message. */
static void refuse(int n, const struct beryl_centre *centres, const struct beryl_settings *settings,
                   enum beryl_error error, const char *text)
{
    struct beryl_calculation *none;
    die_if(beryl_create(n, centres, settings, &none) != error || none ||
               !strstr(beryl_error_text(), text),
           text);
}

/* E = nuclear repulsion + trace(D (2 H + F)) / 2 of what the library gives; and D S. */
static void check_matrices(struct beryl_calculation *calculation, double repulsion)
{
    size_t n = (size_t)beryl_n_functions(calculation), size = n * n;
    double *D = (double *)malloc(4 * size * sizeof(double));
    double *F = D + size, *S = F + size, *H = S + size, energy = repulsion, electrons = 0;
    die_if(beryl_density(calculation, 0, D) || beryl_fock(calculation, D, F) ||
               beryl_one_electron(calculation, S, H),
           "matrices");
    for (size_t i = 0; i < size; i++) {
        energy += D[i] * (2 * H[i] + F[i]) / 2;
        electrons += D[i] * S[i];
    }
    die_if(fabs(energy - beryl_energy(calculation)) > 1e-9, "energy of the matrices");
    die_if(fabs(electrons - 2 * (double)beryl_n_electrons(calculation, 0)) > 1e-10, "electrons");
    free(D);
}

/* F of a density, from quartets of shells. */
static void check_quartets(struct beryl_calculation *calculation)
{
    int64_t n = beryl_n_functions(calculation), n_shells = beryl_n_shells(calculation), s[4];
    double *D = (double *)calloc((size_t)(4 * n * n), sizeof(double)), *F = D + n * n,
           *G = F + n * n, block[256];
    for (int64_t i = 0; i < n * n; i++)
        D[i] = cos((double)(i / n + i % n));
    die_if(beryl_fock(calculation, D, F), "Fock matrix");
    for (int64_t q = 0; q < n_shells * n_shells * n_shells * n_shells; q++) {
        int64_t first[4], size[4], rest = q, at = 0;
        for (int i = 0; i < 4; i++, rest /= n_shells) {
            s[i] = rest % n_shells;
            first[i] = beryl_shell_first(calculation, s[i]);
            size[i] = beryl_shell_size(calculation, s[i]);
        }
        die_if(beryl_quartet(calculation, s, block), "quartet");
        for (int64_t a = first[0]; a < first[0] + size[0]; a++)
            for (int64_t b = first[1]; b < first[1] + size[1]; b++)
                for (int64_t c = first[2]; c < first[2] + size[2]; c++)
                    for (int64_t d = first[3]; d < first[3] + size[3]; d++) {
                        G[a * n + b] += D[c * n + d] * block[at];
                        G[a * n + c] -= D[b * n + d] * block[at++] / 2;
                    }
    }
    for (int64_t i = 0; i < n * n; i++)
        die_if(fabs(F[i] - G[i]) > 1e-8, "F of quartets");
    free(D);
}

/* A failed calculation may only be destroyed, and others go on. */
static void check_failure(void)
{
    struct beryl_settings settings = in_basis("6-31g");
    struct beryl_calculation *failed;
    double number;
    settings.max_iter = 1;
    die_if(beryl_create(2, hydride, &settings, &failed) ||
               beryl_solve(failed) != BERYL_NOT_CONVERGED || beryl_solve(failed) != BERYL_USAGE ||
               beryl_correlate(failed, "mp2", &number) != BERYL_USAGE ||
               !isnan(beryl_energy(failed)),
           "failure");
    beryl_destroy(failed);
}

/* Settings of one change, and a part of the message. Positions that are no numbers, settings of another version of
 * the header, and without defaults. */
static void check_refusals(struct beryl_calculation *calculation)
{
    static const double bad[] = {(double)NAN, (double)INFINITY, -1e300};
    struct beryl_settings settings;
    int64_t shells[4] = {0, 0, 0, 1000};
    double number;
#define BAD(change, error, text)                                                                   \
    (settings = in_basis("6-31g"), (change), refuse(1, helium, &settings, error, text))
    BAD(settings.basis = NULL, BERYL_USAGE, "basis");
    BAD(settings.basis = "nonsense", BERYL_INPUT, "nonsense");
    BAD(settings.basis = "6-31g,2=sto-3g", BERYL_USAGE, "the molecule has 1 centre only");
    BAD(settings.sched = "nonsense", BERYL_USAGE, "nonsense");
    BAD(settings.frame = 2000000, BERYL_USAGE, "settings.frame");
    BAD(settings.keep_occupation = 1, BERYL_USAGE, "--keep-occupation");
    BAD((settings.guess_flip = "2", settings.reference = BERYL_UHF), BERYL_USAGE,
        "--guess-flip '2': the molecule has 1 centre only");
    BAD((memset(&settings, 0, sizeof settings), settings.basis = "6-31g"), BERYL_USAGE,
        "beryl_settings_default");
    BAD((memset(&settings, 0, sizeof settings),
         beryl_settings_init(&settings, sizeof settings - 8)),
        BERYL_USAGE, "this beryl.h");
    die_if(settings.max_iter != 0, "defaults written where an older structure may end");
    settings = in_basis("6-31g");
    for (int i = 0; i < 3; i++) {
        struct beryl_centre centres[2] = {hydride[0], hydride[1]};
        centres[1].position[i] = bad[i];
        refuse(2, centres, &settings, BERYL_USAGE, "centres[1]");
    }
    die_if(beryl_solve(calculation) != BERYL_USAGE || beryl_start() != BERYL_USAGE ||
               beryl_end() != BERYL_USAGE,
           "order of calls");
    die_if(beryl_quartet(calculation, shells, &number) != BERYL_USAGE ||
               beryl_correlate(calculation, "cc9", &number) != BERYL_USAGE ||
               beryl_orbitals(calculation, 2, &number) != BERYL_USAGE,
           "arguments");
}

#define REFUSED(call)                                                                              \
    ((call) == BERYL_USAGE && strstr(beryl_error_text(), "NULL") ? (void)0 : die(#call))
/* A function of a calculation and two more arguments, with each pointer NULL in turn. */
#define REFUSED_NULL(function, a, b)                                                               \
    (REFUSED(function(NULL, a, b)), REFUSED(function(calculation, a, NULL)))

/* Every pointer argument of every function, once. */
static void check_null_arguments(struct beryl_calculation *calculation)
{
    struct beryl_settings settings = in_basis("6-31g");
    struct beryl_calculation *none;
    int64_t shells[4] = {0, 0, 0, 0};
    double *array = (double *)calloc((size_t)beryl_n_functions(calculation), sizeof(double));
    beryl_settings_default(NULL);
    REFUSED(beryl_create(1, NULL, &settings, &none));
    REFUSED(beryl_create(1, helium, NULL, &none));
    REFUSED(beryl_create(1, helium, &settings, NULL));
    REFUSED(beryl_create_from_file(NULL, &settings, &none));
    REFUSED(beryl_create_from_file("water.xyz", NULL, &none));
    REFUSED(beryl_create_from_file("water.xyz", &settings, NULL));
    REFUSED(beryl_solve(NULL));
    REFUSED_NULL(beryl_quartet, shells, array);
    REFUSED_NULL(beryl_one_electron, array, array);
    REFUSED_NULL(beryl_fock, array, array);
    REFUSED_NULL(beryl_orbital_energies, 0, array);
    REFUSED_NULL(beryl_orbitals, 0, array);
    REFUSED_NULL(beryl_density, 0, array);
    REFUSED_NULL(beryl_correlate, "mp2", array);
    REFUSED(beryl_quartet(calculation, NULL, array));
    REFUSED(beryl_one_electron(calculation, NULL, array));
    REFUSED(beryl_fock(calculation, NULL, array));
    REFUSED(beryl_correlate(calculation, NULL, array));
    die_if(!isnan(beryl_energy(NULL)) || beryl_n_orbitals(NULL) || beryl_n_spins(NULL) ||
               beryl_n_electrons(NULL, 0) || beryl_n_functions(NULL) || beryl_n_shells(NULL) ||
               beryl_shell_first(NULL, 0) != -1 || beryl_shell_size(NULL, 0),
           "sizes of NULL");
    beryl_destroy(NULL);
    free(array);
}

/* C2, whose RHF of all symmetry is 0.1 hartree above one of less. */
static void check_follow(void)
{
    static const struct beryl_centre carbons[] = {{6, 0, {0, 0, 0}}, {6, 0, {0, 0, 2.3478}}};
    double energy[2];
    for (int follow = BERYL_FOLLOW_SAME; follow <= BERYL_FOLLOW_NONE; follow++) {
        struct beryl_settings settings = in_basis("6-31g");
        settings.follow = follow;
        struct beryl_calculation *calculation = solve(2, carbons, &settings);
        energy[follow] = beryl_energy(calculation);
        beryl_destroy(calculation);
    }
    die_if(energy[BERYL_FOLLOW_SAME] > energy[BERYL_FOLLOW_NONE] - 0.01, "follow");
}

/* Li by ROHF: matrices of two spins, and one set of orbitals. Source: Psi4 1.3.2. */
static void check_rohf(void)
{
    static const struct beryl_centre lithium[] = {{3, 0, {0, 0, 0}}};
    struct beryl_settings settings = in_basis("6-31g*");
    settings.functions = BERYL_CARTESIAN;
    settings.multiplicity = 2;
    settings.reference = BERYL_ROHF;
    struct beryl_calculation *calculation = solve(1, lithium, &settings);
    size_t n = (size_t)beryl_n_functions(calculation), size = n * n;
    double *D = (double *)malloc(8 * size * sizeof(double));
    double *F = D + 2 * size, *S = F + 2 * size, *H = S + size, *C = H + size;
    double energy = 0, ccsd;
    die_if(beryl_n_spins(calculation) != 2 || beryl_density(calculation, 0, D) ||
               beryl_density(calculation, 1, D + size) || beryl_fock(calculation, D, F) ||
               beryl_one_electron(calculation, S, H) || beryl_orbitals(calculation, 0, C) ||
               beryl_orbitals(calculation, 1, S) ||
               memcmp(C, S, n * (size_t)beryl_n_orbitals(calculation) * sizeof *C) != 0,
           "ROHF");
    for (size_t i = 0; i < 2 * size; i++)
        energy += D[i] * (H[i % size] + F[i] / 2);
    die_if(fabs(energy - beryl_energy(calculation)) > 1e-9, "energy of ROHF's matrices");
    die_if(beryl_correlate(calculation, "ccsd", &ccsd) || fabs(energy + 7.431368776) > 1e-7 ||
               fabs(energy + ccsd + 7.431880780) > 1e-7,
           "energies of ROHF");
    free(D);
    beryl_destroy(calculation);
}

int main(int argc, char **argv)
{
    int own_mpi = argc > 1 && strcmp(argv[1], "own") == 0, rank, ended;
    struct mode mode = {TRY(4)};
    if (own_mpi)
        MPI_Init(&argc, &argv);
    die_if(beryl_start(), "beryl_start");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct beryl_settings settings = in_basis("6-31g");
    struct beryl_calculation *first = solve(2, hydride, &settings);
    settings.charge = 1;
    settings.multiplicity = 2;
    struct beryl_calculation *second = solve(1, helium, &settings);
    check_matrices(first, 1.0);
    check_quartets(first);
    check_refusals(first);
    check_null_arguments(first);
    check_follow();
    check_rohf();
    check_failure();
    if (rank == 0) {
        printf("%.12f %.12f\n", beryl_energy(first), beryl_energy(second));
        log_print("own");
    }
    beryl_destroy(second);
    beryl_destroy(first);
    die_if(beryl_end(), "beryl_end");
    MPI_Finalized(&ended);
    die_if(ended == own_mpi || mode.own != 8 || status_fail(STATUS_OK) != 17, "own names");
    fock_build();
    if (own_mpi)
        MPI_Finalize();
    return n_calls == (rank == 0 ? 3 : 2) ? 0 : 1;
}
