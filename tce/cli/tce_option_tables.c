/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/tce_option_tables.h"

#include "hf/scf/scf.h"
#include "sched/lab/comparison/comparison.h"
#include "sched/pool/modes/mode_options.h"

#include <stddef.h>
#include <stdio.h>

#define FIELD(name) offsetof(struct tce_options, name)
static const struct option_row program_rows[] = {
    INTEGER_OPTION("iterations", FIELD(iterations), 1, 1000000, .default_text = "1", .value = "N",
                   .help = "runs of the program; modes keep what they learn from one run to the "
                           "next"),
    TEXT_OPTION("compare", FIELD(compare), .value = "M1,M2,...|all",
                .help = "run the program under each of these modes, one after another, and print "
                        "a table; name a mode twice to see chance differences"),
    COMPARISON_ROUNDS_OPTION(FIELD(rounds)),
    FLAG_OPTION("count-tasks", FIELD(count_tasks),
                .help = "print the number of tasks and their operations, and stop; allocates no "
                        "tensors"),
    FLAG_OPTION("dry-run", FIELD(dry_run),
                .help = "run nothing and allocate no tensors; with --write-profile the predicted "
                        "seconds of every task"),
    FLAG_OPTION("verify", FIELD(verify), .expert = true,
                .help = "compare every result with plain nested loops, which takes very long"),
    TEXT_OPTION("write-profile", FIELD(profile), .value = "FILE.csv|FILE.npy", .expert = true,
                .help = "seconds of every task, those of all stages one after another; for "
                        "X.csv, unless --dry-run, also the blocks that it reads and writes, "
                        "X.blocks.csv and X.sizes.csv"),
};

static const struct option_row contraction_rows[] = {
    FLAG_OPTION("explain", FIELD(explain),
                .help = "print the plan: the contractions of every stage, operations and memory"),
    INTEGER_OPTION("cache", FIELD(cache_megabytes), 0, 1000000, .default_text = "256",
                   .value = "MB", .help = "memory per process for blocks of tensors that are read"),
    FLAG_OPTION("no-prefetch", FIELD(no_prefetch), .expert = true,
                .help = "fetch a block only when it is needed"),
};

static const struct option_row method_run_rows[] = {
    FLAG_OPTION("explain", FIELD(explain), .expert = true,
                .help = "print the plan: the contractions of every stage, operations and memory"),
    FLAG_OPTION("dry-run", FIELD(dry_run),
                .help = "print the memory, tasks and operations of the run, and stop"),
    TEXT_OPTION("compare", FIELD(hf.compare), .value = "M1,M2,...|all", .expert = true,
                .help = "solve the equations under each of these modes, and print a table; name a "
                        "mode twice to see chance differences"),
    COMPARISON_ROUNDS_OPTION(FIELD(hf.rounds)),
};

static const struct option_row output_rows[] = {
    TEXT_OPTION("json", FIELD(json), .value = "FILE",
                .help = "write the result: statistics of every run of the program"),
};

static const struct option_row method_rows[] = {
    FLAG_OPTION("frozen-core", FIELD(settings.frozen_core),
                .help = "leave the orbitals of noble-gas cores uncorrelated"),
    INTEGER_OPTION("orbital-tile", FIELD(settings.orbital_tile), 0, 1000, .default_text = "0",
                   .value = "N", .expert = true,
                   .help = "orbitals in a tile, at most; 0: chosen by their number"),
    REAL_OPTION("converge-amplitudes", FIELD(settings.converge), SCF_LEAST_CONVERGE, 1,
                .default_text = "1e-8", .value = "X",
                .help = "largest change of an amplitude at convergence, and ten times that of the "
                        "energy"),
    INTEGER_OPTION("max-iter-amplitudes", FIELD(settings.max_iterations), 1, 1000000,
                   .default_text = "100", .value = "N",
                   .help = "limit of iterations of the amplitudes"),
    INTEGER_OPTION("diis-amplitudes", FIELD(settings.diis_size), 1, 100, .default_text = "8",
                   .value = "N", .expert = true, .help = "amplitudes that DIIS keeps; 1: no DIIS"),
};

static void list_program_tables(struct tce_options *options, struct tce_option_tables *tables)
{
    tables->table[0] = OPTION_TABLE("Program", program_rows, options);
    tables->table[1] = OPTION_TABLE("Contractions", contraction_rows, options);
    tables->table[2] = mode_options_table_real(&options->pool);
    tables->table[3] = OPTION_TABLE("Output", output_rows, options);
    tables->n = 4;
}

/* A method takes the options of the SCF. The --cache of its Fock build counts for contractions,
 * too. */
static void list_method_tables(struct tce_options *options, struct tce_option_tables *tables)
{
    struct option_table *own = tables->table + HF_OPTION_TABLES;
    hf_options_tables(&options->hf, tables->table);
    own[0] = OPTION_TABLE("Correlation", method_rows, options);
    own[1] = OPTION_TABLE("Run", method_run_rows, options);
    tables->n = HF_OPTION_TABLES + 2;
}

void tce_option_tables_init(struct tce_options *options, struct tce_option_tables *tables)
{
    snprintf(tables->program, sizeof tables->program, "beryl-tce%s%s", options->method ? " " : "",
             options->method ? options->method : "");
    (options->method ? list_method_tables : list_program_tables)(options, tables);
}
