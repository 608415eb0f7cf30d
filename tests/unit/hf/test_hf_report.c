/* The page of a Hartree-Fock run shows its molecule, energies, convergence and orbitals. */
#include "hf/cli/hf_report.h"
#include "sched/report/report.h"
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
    "\"stability\":{\"real_rhf\":{\"lowest_curvature\":0.5,\"stable\":true},"
    "\"real_uhf\":{\"lowest_curvature\":-0.25,\"stable\":false}},"
    "\"orbital_energies\":[[-1.5,-0.5,0.25]],"
    "\"scf_iterations\":[{\"energy\":-75.0,\"gradient\":0.1},"
    "{\"energy\":-76.0,\"gradient\":0.01}],\"iterations\":[]}}}";

static void test_page_has_molecule_energies_convergence_and_orbitals(void **state)
{
    (void)state;
    json_t *run = json_loads(run_text, 0, NULL);
    assert_non_null(run);
    check_ok(report_write((const json_t *const[]){run}, (const char *const[]){"run.json"}, 1,
                          &hf_report, page_path));
    json_decref(run);
    char *page = file_bytes_read(page_path, NULL);
    unlink(page_path);
    const char *const expected[] = {"H<sub>2</sub>O</td>",
                                    "\u221276.0267986974",
                                    "&quot;cc&quot;-pvdz",
                                    "0.750000 hartree",
                                    "Convergence of the",
                                    "HOMO \u22120.5000",
                                    "builds</th><td class=\"text\"><span>run.h5</span></td>",
                                    "0.500000 hartree: a minimum",
                                    "\u22120.250000 hartree: unstable"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (!strstr(page, expected[i]))
            fail_msg("the page lacks %s", expected[i]);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_has_molecule_energies_convergence_and_orbitals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
