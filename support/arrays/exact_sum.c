#include "support/arrays/exact_sum.h"

void exact_sum(double *numbers, int64_t n, MPI_Comm comm)
{
    enum { MAX_COUNT = 1 << 30 };
    for (int64_t first = 0; first < n; first += MAX_COUNT)
        MPI_Allreduce(MPI_IN_PLACE, numbers + first,
                      (int)(n - first < MAX_COUNT ? n - first : MAX_COUNT), MPI_DOUBLE, MPI_SUM,
                      comm);
}
