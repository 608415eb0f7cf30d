/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/largest_amplitudes.h"

#include "support/arrays/darray.h"
#include "tce/tensor/odometer.h"

#include <math.h>
#include <string.h>

/* Amplitudes that symmetry makes equal differ by rounding and by what convergence leaves; their
 * order must not depend on that. */
#define AMPLITUDE_QUANTUM 1e-7

/* An amplitude by its numbers in the tensor. */
struct candidate {
    double value;
    int64_t index[AMPLITUDE_MAX_INDICES];
};

/* The largest ones so far, in order. */
struct candidates {
    int64_t n; /* as wide as the others: the list is sent as bytes */
    struct candidate list[LARGEST_AMPLITUDES];
};

static bool precedes(const struct candidate *left, const struct candidate *right)
{
    double difference =
        rint(fabs(left->value) / AMPLITUDE_QUANTUM) - rint(fabs(right->value) / AMPLITUDE_QUANTUM);
    if (difference != 0)
        return difference > 0;
    for (int d = 0; d < AMPLITUDE_MAX_INDICES; d++)
        if (left->index[d] != right->index[d])
            return left->index[d] < right->index[d];
    return false;
}

static void insert_candidate(struct candidates *largest, const struct candidate *new)
{
    int64_t place = largest->n;
    while (place > 0 && precedes(new, &largest->list[place - 1]))
        place--;
    if (place == LARGEST_AMPLITUDES)
        return;
    if (largest->n < LARGEST_AMPLITUDES)
        largest->n++;
    memmove(&largest->list[place + 1], &largest->list[place],
            (size_t)(largest->n - 1 - place) * sizeof *new);
    largest->list[place] = *new;
}

/* Whether it is the one that is listed of those equal by permutation. */
static bool is_listed_of_equals(const int64_t index[], int rank, bool is_closed_shell)
{
    if (rank == 2)
        return true;
    if (is_closed_shell)
        return index[0] < index[1] || (index[0] == index[1] && index[2] <= index[3]);
    return index[0] < index[1] && index[2] < index[3];
}

static void search_block(const struct block_labels *labels, const int32_t tile[],
                         const double *elements, bool is_closed_shell, struct candidates *largest)
{
    struct candidate new = {0};
    int64_t first[MAX_RANK], end[MAX_RANK];
    for (int d = 0; d < labels->rank; d++) {
        new.index[d] = first[d] = labels->space[d]->first[tile[d]];
        end[d] = labels->space[d]->first[tile[d] + 1];
    }
    do {
        /* Most elements are far smaller than those listed: no more is asked of them. */
        double least = AMPLITUDE_QUANTUM;
        if (largest->n == LARGEST_AMPLITUDES)
            least = fmax(fabs(largest->list[LARGEST_AMPLITUDES - 1].value) - least, least);
        new.value = *elements++;
        if (fabs(new.value) >= least &&
            is_listed_of_equals(new.index, labels->rank, is_closed_shell))
            insert_candidate(largest, &new);
    } while (odometer_next(labels->rank, first, end, new.index));
}

/* Searches the blocks of this process. */
static void search_own_blocks(const struct tensor *t, bool is_closed_shell,
                              struct candidates *largest)
{
    *largest = (struct candidates){0};
    for (int64_t block = 0; block < block_index_n(t->blocks); block++) {
        const double *own = darray_local(t->data, block);
        int32_t tile[MAX_RANK];
        if (!own)
            continue;
        block_index_tuple(t->blocks, block, tile);
        search_block(block_index_labels(t->blocks), tile, own, is_closed_shell, largest);
    }
}

static void merge_candidates(void *from, void *into, int *n, MPI_Datatype *type)
{
    const struct candidates *others = from;
    struct candidates *largest = into;
    (void)type;
    for (int i = 0; i < *n; i++)
        for (int64_t k = 0; k < others[i].n; k++)
            insert_candidate(&largest[i], &others[i].list[k]);
}

static void merge_processes(struct candidates *largest)
{
    MPI_Datatype type;
    MPI_Op merge;
    MPI_Type_contiguous(sizeof *largest, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(merge_candidates, 1, &merge);
    MPI_Allreduce(MPI_IN_PLACE, largest, 1, type, merge, darray_comm());
    MPI_Op_free(&merge);
    MPI_Type_free(&type);
}

/* d: the index of the tensor; the first half are occupied. */
static void name_orbital(const struct orbital_spaces *orbitals, int rank, int d, int64_t index,
                         struct large_amplitude *amplitude)
{
    bool is_occupied = d < rank / 2;
    const struct orbital_space *alpha = &orbitals->spin[0];
    int64_t n_alpha = is_occupied ? alpha->n_occupied : alpha->n_virtual;
    bool is_beta = index >= n_alpha;
    const struct orbital_space *space = &orbitals->spin[is_beta];
    amplitude->is_beta[d] = is_beta;
    amplitude->orbital[d] = space->frozen.n_core + (is_occupied ? 0 : space->n_occupied) +
                            (is_beta ? index - n_alpha : index) + 1;
}

void largest_amplitudes_find(const struct tensor *t, const struct orbital_spaces *orbitals,
                             struct largest_amplitudes *largest)
{
    struct candidates found;
    int rank = block_index_labels(t->blocks)->rank;
    search_own_blocks(t, orbitals->n_orbital_sets == 1, &found);
    merge_processes(&found);
    *largest = (struct largest_amplitudes){.n = (int)found.n, .rank = rank};
    for (int k = 0; k < largest->n; k++) {
        largest->list[k].value = found.list[k].value;
        for (int d = 0; d < rank; d++)
            name_orbital(orbitals, rank, d, found.list[k].index[d], &largest->list[k]);
    }
}
