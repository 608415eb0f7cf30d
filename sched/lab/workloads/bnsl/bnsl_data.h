/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of categorical variables, from which the structure of a Bayesian network is learnt. */
#pragma once

#include "support/base/status.h"
#include "support/io/words.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum { BNSL_MAX_VARIABLES = 1024, BNSL_MAX_STATES = 32, BNSL_NAME_SIZE = 64 };

struct bnsl_data {
    int n_variables;
    int n_samples;
    char (*names)[BNSL_NAME_SIZE]; /* n_variables */
    int *n_states;                 /* n_variables: categories that occur */
    uint8_t *values;               /* [variable][sample], below the variable's n_states */
};

/* The states of a variable in all samples. */
static inline const uint8_t *bnsl_data_column(const struct bnsl_data *data, int variable)
{
    return data->values + (size_t)variable * (size_t)data->n_samples;
}

/* Reads a table: a line with the names of the variables, then a line for each sample; the
 * entries of a column, numbers or words, are the variable's categories, numbered in order of
 * appearance.
 * path  for messages
 * data  out; empty after a failure
 * Errors: STATUS_INPUT, naming path, line and column; STATUS_NO_MEMORY. */
enum status bnsl_data_parse(const char *text, size_t length, const char *path,
                            struct bnsl_data *data);

/* Reads the table from a file. Collective over comm; rank 0 reads.
 * Errors: also those of text_file_read; the same on every process. */
enum status bnsl_data_read(MPI_Comm comm, const char *path, struct bnsl_data *data);

void bnsl_data_fini(struct bnsl_data *data);

/* The variable of this name; -1 if there is none. */
int bnsl_data_find(const struct bnsl_data *data, struct word name);
