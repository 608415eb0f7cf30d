#include "support/arrays/dense.h"
#include "support/arrays/dense_scalapack.h"

#include <assert.h>

static const int one = 1;

void dense_add_transposed(double alpha, const struct dense *A, double beta, struct dense *B)
{
    assert(A->grid == B->grid && A->n_rows == B->n_columns && A->n_columns == B->n_rows);
    assert(A != B);
    pdgeadd_("T", &B->n_rows, &B->n_columns, &alpha, A->local, &one, &one, A->descriptor, &beta,
             B->local, &one, &one, B->descriptor);
}

void dense_multiply(char op_A, char op_B, double alpha, const struct dense *A,
                    const struct dense *B, double beta, struct dense *C)
{
    int inner = op_A == 'N' ? A->n_columns : A->n_rows;
    assert((op_A == 'N' || op_A == 'T') && (op_B == 'N' || op_B == 'T'));
    assert(A->grid == C->grid && B->grid == C->grid && A != C && B != C);
    assert(C->n_rows == (op_A == 'N' ? A->n_rows : A->n_columns));
    assert(C->n_columns == (op_B == 'N' ? B->n_columns : B->n_rows));
    assert(inner == (op_B == 'N' ? B->n_rows : B->n_columns));
    pdgemm_(&op_A, &op_B, &C->n_rows, &C->n_columns, &inner, &alpha, A->local, &one, &one,
            A->descriptor, B->local, &one, &one, B->descriptor, &beta, C->local, &one, &one,
            C->descriptor);
}

void dense_multiply_columns(double alpha, const struct dense *A, const struct dense *B, int first,
                            int last, double beta, struct dense *C)
{
    assert(A->grid == C->grid && B->grid == C->grid && A != C && B != C);
    assert(0 <= first && first <= last && last <= A->n_columns && last <= B->n_columns);
    assert(C->n_rows == A->n_rows && C->n_columns == B->n_rows);
    int inner = last - first;
    int column = first + 1;
    pdgemm_("N", "T", &C->n_rows, &C->n_columns, &inner, &alpha, A->local, &one, &column,
            A->descriptor, B->local, &one, &column, B->descriptor, &beta, C->local, &one, &one,
            C->descriptor);
}

void dense_copy_columns(const struct dense *A, int first, struct dense *B)
{
    assert(A->grid == B->grid && A->n_rows == B->n_rows && A != B);
    assert(0 <= first && first + B->n_columns <= A->n_columns);
    const double copied = 1, kept = 0;
    int column = first + 1;
    pdgeadd_("N", &B->n_rows, &B->n_columns, &copied, A->local, &one, &column, A->descriptor, &kept,
             B->local, &one, &one, B->descriptor);
}
