/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that describe a simulated machine. */
#pragma once

#include "support/base/status.h"
#include "support/io/options.h"
#include "taskpool/simulation.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether moving the data that a profile's tasks need takes time, and modes know of them. */
enum machine_data { MACHINE_DATA_ON, MACHINE_DATA_OFF };

/* As given on the command line; see struct taskpool_machine. Numbers that were not given are
 * below 0, texts are NULL. */
struct machine_settings {
    int64_t n_workers; /* 0: the run is real */
    int64_t n_threads;
    int64_t node_size;
    /* Times, rates, node_server and cache_bytes; the rest is set by machine_options_apply. */
    struct taskpool_machine times;
    double contention_factor; /* of the workers of a full node, relative to one alone */
    int data;                 /* enum machine_data */
    const char *file;         /* with values for what was not given */
    const char *noise;        /* "PERIOD,LENGTH" */
    const char *noise_trace;  /* file */

    /* File of the workers' speeds as the modes know them, or "none"; NULL: the true speeds
     * (--speeds). */
    const char *known_speeds;
};

/* Settings before parsing: nothing given. */
extern const struct machine_settings machine_settings_unknown;

extern const struct option_row machine_option_rows[];
extern const size_t machine_n_option_rows;

/* Checks that options of the machine come with --simulate and do not contradict each other.
 * Errors: STATUS_USAGE. */
enum status machine_options_check(const struct machine_settings *settings);

/* Sets the settings that were not given by a file, as --calibrate writes it: a JSON object of
 * numbers under the names of the machine's options; "node-size", "overhead" and one of "latency"
 * and "node-latency" are required, "measured" is ignored. Collective over comm; rank 0 reads.
 * Errors: STATUS_IO, STATUS_INPUT (names the file and the line or the key), STATUS_NO_MEMORY;
 * the same on every process. */
enum status machine_file_read(const char *path, MPI_Comm comm, struct machine_settings *settings);

/* Sets what was not given to its default. */
void machine_options_set_defaults(struct machine_settings *settings);

/* The machine that the settings describe, without speeds and tasks.
 * noise  out: the storage behind machine->noise, if any; to be freed with taskpool_noise_fini
 * Errors: STATUS_USAGE, and as taskpool_noise_read. */
enum status machine_options_apply(const struct machine_settings *settings,
                                  struct taskpool_machine *machine, struct taskpool_noise *noise);

/* Multiplies speeds by the fraction that contention leaves of them while all workers of a node
 * compute: contention_factor, in (0, 1], in a full node, and a loss in proportion to the number of
 * other workers in one that is not full.
 * node_size  workers of a full node, consecutive ones, >= 1
 * speeds     n_workers */
void machine_apply_contention(double contention_factor, int node_size, int n_workers,
                              double *speeds);
