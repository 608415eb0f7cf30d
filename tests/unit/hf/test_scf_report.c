/* SPDX-License-Identifier: BSD-3-Clause */
/* An SCF is called a local minimum only where it converged and a test of its stability settled that. */
#include "basis/input/molecule.h"
#include "hf/scf/scf_report.h"
#include "support/base/log.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char output_path[] = "test_scf_report.txt";

static char text[4096];

/* Sets the text to the report of such a result of RHF or UHF, for 2 electrons. */
static void report(int n_densities, const struct scf_result *result)
{
    static struct atom helium = {.element = 2, .charge = 2};
    static const struct molecule molecule = {.n_atoms = 1, .atoms = &helium, .multiplicity = 1};
    const struct scf_problem problem = {.molecule = &molecule,
                                        .n_densities = n_densities,
                                        .n_orbital_sets = n_densities,
                                        .n_occupied = {1, 1}};
    int terminal = dup(STDOUT_FILENO);
    fflush(stdout);
    assert_non_null(freopen(output_path, "w", stdout));
    log_enable(true);
    struct scf_result of_method = *result;
    of_method.space = scf_own_space(&problem);
    scf_report_result(&problem, &of_method, false);
    log_enable(false);
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    FILE *file = fopen(output_path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(output_path);
}

static struct scf_result some_result(bool converged)
{
    static double energies[] = {-1, 1}, dipole[3], charge;
    return (struct scf_result){.converged = converged,
                               .follow = SCF_FOLLOW_SAME,
                               .n_orbitals = 2,
                               .orbital_energies = {energies, energies},
                               .properties = {[SCF_DIPOLE] = dipole, [SCF_MULLIKEN] = &charge}};
}

static void check_text(const char *expected, bool contained)
{
    if ((strstr(text, expected) != NULL) != contained)
        fail_msg("%s \"%s\" in:\n%s", contained ? "no" : "a", expected, text);
}

TEST(words_agree_with_verdicts)
{
    const double eigenvalues[] = {-0.5, 0.5};
    for (int bits = 0; bits < 16; bits++) {
        bool converged = bits & 1, settled = bits & 2, positive = bits & 4;
        int n_densities = bits & 8 ? 2 : 1;
        struct scf_result result = some_result(converged);
        for (int space = n_densities - 1; space < SCF_SPACES; space++)
            result.curvature[space] = (struct scf_curvature){
                .eigenvalue = eigenvalues[positive], .error = settled ? 0.1 : 0.6, .n_products = 9};
        report(n_densities, &result);
        check_text(": a local minimum among real UHF", converged && settled && positive);
        check_text(": a local minimum among real RHF",
                   n_densities == 1 && converged && settled && positive);
        check_text("not settled whether a local minimum", positive && !(converged && settled));
        check_text("UNSTABLE, a saddle point that could not be left, among", !positive);
        check_text("UNSTABLE among real UHF", !positive && n_densities == 1);
        check_text("--method uhf", !positive && n_densities == 1);
    }
}

TEST(a_curvature_below_its_error_is_not_settled)
{
    static const struct {
        struct scf_curvature curvature;
        const char *text;
    } cases[] = {
        {{-6.3e-6, 1e-6, 2e-6, 9}, " at most -6.3e-06: UNSTABLE"},
        {{-6.3e-6, 1e-5, 2e-5, 9}, " -6.3e-06 +- 2e-05: not settled"},
        {{6.3e-6, 1e-6, 2e-6, 9}, " 6.3e-06 +- 2e-06: a local minimum"},
        {{6.3e-6, 1e-6, 7e-6, 9}, " 6.3e-06 +- 7e-06: not settled"},
        {{6.3e-6, 1e-6, INFINITY, 9}, " at most 6.3e-06: not settled"},
        {{0.467459, 1e-6, 0.0617, 9}, " 0.4675 +- 0.06: a local minimum"},
        {{0.467459, 1e-6, 4e-4, 9}, " 0.4675 +- 0.0004: a local minimum"},
        {{0.315211, 1e-6, 0.137, 9}, " between 0.18 and 0.32: a local minimum"},
        {{-0.0262, 1e-6, 0.5, 9}, " at most -0.0262: UNSTABLE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scf_result result = some_result(true);
        result.curvature[SCF_REAL_UHF] = cases[i].curvature;
        report(2, &result);
        check_text(cases[i].text, true);
    }
}

/* Without a test; a saddle point that --follow none keeps, which is no reason to advise UHF in its space. */
TEST(what_was_not_tested_or_kept_is_said)
{
    struct scf_result result = some_result(true);
    report(1, &result);
    check_text("minimum", false);
    check_text("Stability not tested", true);
    result.is_rigid = true;
    report(1, &result);
    check_text("no orbitals can be rotated", true);
    result.follow = SCF_FOLLOW_NONE;
    result.curvature[SCF_REAL_UHF] =
        (struct scf_curvature){.eigenvalue = -0.5, .error = 0.1, .n_products = 9};
    report(2, &result);
    check_text("UNSTABLE, a saddle point that --follow none keeps, among real UHF", true);
    assert_string_equal(scf_point_name(scf_result_point(&result, SCF_REAL_UHF)), "saddle");
}

TEST(a_kept_occupation_and_saddle_points_left_are_said)
{
    struct scf_result result = some_result(true);
    report(2, &result);
    check_text("the reference", false);
    check_text("saddle point left", false);
    check_text("having left", false);
    result.keeps_occupation = true;
    result.occupation_overlap = 0.3; /* with a warning */
    report(2, &result);
    check_text("the reference by at least 0.3000", true);
    result.occupation_overlap = 0.97;
    result.n_saddles = 1;
    result.saddles[0] = (struct scf_saddle){-147.5, -0.03};
    report(2, &result);
    check_text("the reference by at least 0.9700", true);
    check_text("having left 1 saddle point\n", true);
    check_text("energy -147.5000000000 hartree (curvature -0.030000)", true);
}
