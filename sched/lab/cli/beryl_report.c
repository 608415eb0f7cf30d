/* beryl-report where Beryl is built without chemistry. */
#include "sched/lab/report/report_program.h"

int main(int argc, char **argv)
{
    return report_program(argc, argv, NULL);
}
