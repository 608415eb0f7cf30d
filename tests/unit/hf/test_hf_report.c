/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a Hartree-Fock run shows its molecule, energies, convergence and orbitals; that of a
 * correlated method also how its energy adds up. */
#include "hf/result/hf_report.h"
#include "sched/lab/report/report.h"
#include "tests/cases/file_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char page_path[] = "test_hf_report.html";

static const char run_text[] =
    "{\"return_result\":-76.0267986974,"
    "\"molecule\":{\"symbols\":[\"O\",\"H\",\"H\",\"He\"],\"real\":[true,true,true,false],"
    "\"molecular_charge\":0,\"molecular_multiplicity\":1},"
    "\"model\":{\"method\":\"rhf\",\"basis\":\"\\\"cc\\\"-pvdz\"},"
    "\"properties\":{\"calcinfo_nbasis\":24,\"calcinfo_nalpha\":2},"
    "\"extras\":{\"beryl\":{\"density\":\"run.h5\","
    "\"wall_seconds\":{\"total\":4,\"start\":1,\"integrals\":2.5,\"files\":0.5},"
    "\"stability\":{\"real_rhf\":{\"lowest_curvature\":0.5,\"stable\":true},"
    "\"real_uhf\":{\"lowest_curvature\":-0.25,\"stable\":false}},"
    "\"orbital_energies\":[[-1.5,-0.5,0.25]],"
    "\"scf_iterations\":[{\"energy\":-75.0,\"gradient\":0.1},"
    "{\"energy\":-76.0,\"gradient\":0.01}],\"iterations\":[]}}}";

static const char ccsd_text[] =
    "{\"success\":true,\"return_result\":-76.2400825415,"
    "\"molecule\":{\"symbols\":[\"O\",\"H\",\"H\"],\"molecular_charge\":0},"
    "\"model\":{\"method\":\"ccsd\",\"basis\":\"cc-pvdz\"},"
    "\"provenance\":{\"routine\":\"beryl-tce\"},"
    "\"properties\":{\"scf_total_energy\":-76.0267986974,\"scf_one_electron_energy\":-123.15,"
    "\"scf_two_electron_energy\":37.93,\"nuclear_repulsion_energy\":9.19,"
    "\"scf_dipole_moment\":[0,0,1],\"ccsd_correlation_energy\":-0.2132838440},"
    "\"extras\":{\"beryl\":{\"workers\":2,\"iterations\":[{\"makespan_seconds\":1}]}}}";

/* The page of a result; the caller frees it. */
static char *write_hf_page(const char *text)
{
    json_t *run = json_loads(text, 0, NULL);
    assert_non_null(run);
    check_ok(report_write((const json_t *const[]){run}, (const char *const[]){"run.json"}, 1,
                          &hf_report, page_path));
    json_decref(run);
    char *page = file_bytes_read(page_path, NULL);
    unlink(page_path);
    return page;
}

/* The texts follow one another in the page. */
static void check_page_has_in_order(const char *page, const char *const expected[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *found = strstr(page, expected[i]);
        if (!found)
            fail_msg("the page lacks %s", expected[i]);
        page = found + strlen(expected[i]);
    }
}

static void test_page_has_molecule_energies_convergence_and_orbitals(void **state)
{
    (void)state;
    const char *const expected[] = {"The RHF energy of H<sub>2</sub>O in &quot;cc&quot;-pvdz is ",
                                    "<b>\u221276.02679870</b> hartree. ",
                                    "H<sub>2</sub>O</td>",
                                    "&quot;cc&quot;-pvdz",
                                    "builds</th><td class=\"text\"><span>run.h5</span></td>",
                                    "\u221276.0267986974",
                                    "0.500000\u00a0hartree: a\u00a0local\u00a0minimum",
                                    "\u22120.250000\u00a0hartree: unstable",
                                    "0.750000\u00a0hartree",
                                    "Wall time</th><td>4.00\u00a0s",
                                    "start</span></th><td>1.00\u00a0s, 25\u00a0%",
                                    "integrals</span></th><td>2.50\u00a0s, 62\u00a0%",
                                    "files</span></th><td>0.50\u00a0s, 12\u00a0%",
                                    "Convergence of the",
                                    "HOMO \u22120.5000"};
    char *page = write_hf_page(run_text);
    check_page_has_in_order(page, expected, sizeof expected / sizeof expected[0]);
    assert_null(strstr(page, "Correlation"));
    free(page);
}

static void test_page_of_a_correlated_method_has_the_parts_of_its_energy(void **state)
{
    (void)state;
    const char *const expected[] = {
        "<p class=\"answer\">The CCSD energy of H<sub>2</sub>O in cc-pvdz is ",
        "<b>\u221276.24008254</b> hartree: Hartree-Fock \u221276.02679870, ",
        "correlation \u22120.21328384. An iteration",
        "Total energy</th><td>\u221276.2400825415",
        "><span class=\"part\">Hartree-Fock</span></th><td>\u221276.0267986974",
        "><span class=\"part\"><span class=\"part\">One-electron</span></span></th><td>",
        "\u2212123.15",
        "><span class=\"part\"><span class=\"part\">Two-electron</span></span></th><td>37.93",
        "><span class=\"part\"><span class=\"part\">Nuclear repulsion</span></span></th><td>9.19",
        "><span class=\"part\">Correlation</span></th><td>\u22120.2132838440",
        ">Hartree-Fock dipole</th>"};
    char *page = write_hf_page(ccsd_text);
    check_page_has_in_order(page, expected, sizeof expected / sizeof expected[0]);
    free(page);
}

static const char failed_text[] =
    "{\"success\":false,\"return_result\":null,\"model\":{\"method\":\"ccsd\",\"basis\":\"cc-"
    "pvdz\"},"
    "\"provenance\":{\"routine\":\"beryl-tce\"},\"properties\":{\"scf_total_energy\":-76.02},"
    "\"extras\":{\"beryl\":{\"workers\":2,\"iterations\":[{\"makespan_seconds\":1}]}}}";

static void test_page_without_an_energy_begins_with_that(void **state)
{
    (void)state;
    const char *const expected[] = {
        "<p class=\"answer\"><b>Failed</b>: no CCSD energy of the "
        "molecule in cc-pvdz: Hartree-Fock "
        "\u221276.02000000. An iteration",
        "><span class=\"part\">Hartree-Fock</span></th><td>\u221276.0200000000"};
    char *page = write_hf_page(failed_text);
    check_page_has_in_order(page, expected, sizeof expected / sizeof expected[0]);
    assert_null(strstr(page, "Total energy"));
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_has_molecule_energies_convergence_and_orbitals),
        cmocka_unit_test(test_page_of_a_correlated_method_has_the_parts_of_its_energy),
        cmocka_unit_test(test_page_without_an_energy_begins_with_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
