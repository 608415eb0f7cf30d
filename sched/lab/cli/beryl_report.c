/* SPDX-License-Identifier: BSD-3-Clause */
/* beryl-report where Beryl is built without chemistry. */
#include "sched/lab/report/report.h"

int main(int argc, char **argv)
{
    return report_program(argc, argv, NULL);
}
