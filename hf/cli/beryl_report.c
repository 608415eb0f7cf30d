/* SPDX-License-Identifier: BSD-3-Clause */
/* beryl-report with the sections of Hartree-Fock runs. */
#include "hf/result/hf_report.h"
#include "sched/lab/report/report.h"

int main(int argc, char **argv)
{
    return report_program(argc, argv, &hf_report);
}
