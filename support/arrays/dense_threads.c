#include "support/arrays/dense.h"
#include "support/arrays/dense_scalapack.h"

#include <stdlib.h>

void dense_threads_default(void)
{
    if (!getenv("OPENBLAS_NUM_THREADS") && !getenv("OMP_NUM_THREADS"))
        openblas_set_num_threads(1);
}
