#include "tce/cli/tce_option_tables.h"

#include "sched/modes/mode_options.h"

#include <stddef.h>
#include <stdio.h>

#define FIELD(name)  offsetof(struct tce_options, name)
#define N_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

static const struct option_row program_rows[] = {
    {.name = "iterations",
     .kind = OPTION_INTEGER,
     .offset = FIELD(iterations),
     .default_text = "1",
     .min = 1,
     .max = 1000000,
     .value = "N",
     .help = "runs of the program; what a mode keeps from one run to the next is kept"},
    {.name = "compare",
     .kind = OPTION_TEXT,
     .offset = FIELD(compare),
     .value = "M1,M2,...|all",
     .help = "run it under each of these modes, one after another, and print a table"},
    {.name = "count-tasks",
     .kind = OPTION_FLAG,
     .offset = FIELD(count_tasks),
     .help = "print the number of tasks and their operations, and stop; allocates no tensors"},
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     .offset = FIELD(dry_run),
     .help = "run nothing and allocate no tensors; with --write-profile the predicted seconds "
             "of every task"},
    {.name = "verify",
     .kind = OPTION_FLAG,
     .offset = FIELD(verify),
     .help = "compare every result with plain nested loops, which takes very long"},
    {.name = "write-profile",
     .kind = OPTION_TEXT,
     .offset = FIELD(profile),
     .value = "FILE.csv|FILE.npy",
     .help = "seconds of every task, those of all stages one after another"},
};

static const struct option_row contraction_rows[] = {
    {.name = "explain",
     .kind = OPTION_FLAG,
     .offset = FIELD(explain),
     .help = "print the plan: the contractions of every stage, operations and memory"},
    {.name = "cache",
     .kind = OPTION_INTEGER,
     .offset = FIELD(cache_megabytes),
     .default_text = "256",
     .min = 0,
     .max = 1000000,
     .value = "MB",
     .help = "memory per process for blocks of tensors that are read"},
    {.name = "no-prefetch",
     .expert = true,
     .kind = OPTION_FLAG,
     .offset = FIELD(no_prefetch),
     .help = "fetch a block only when it is needed"},
};

static const struct option_row method_run_rows[] = {
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     .offset = FIELD(dry_run),
     .help = "print the memory, tasks and operations of the run, and stop"},
    {.name = "compare",
     .kind = OPTION_TEXT,
     .offset = FIELD(hf.compare),
     .value = "M1,M2,...|all",
     .help = "solve the equations under each of these modes, one after another, and print a "
             "table; options of a mode go to those that have them"},
};

static const struct option_row output_rows[] = {
    {.name = "json",
     .kind = OPTION_TEXT,
     .offset = FIELD(json),
     .value = "FILE",
     .help = "write the result: statistics of every run of the program"},
};

static const struct option_row method_rows[] = {
    {.name = "frozen-core",
     .kind = OPTION_FLAG,
     .offset = FIELD(frozen_core),
     .help = "leave the orbitals of noble-gas cores uncorrelated"},
    {.name = "orbital-tile",
     .expert = true,
     .kind = OPTION_INTEGER,
     .offset = FIELD(orbital_tile),
     .default_text = "0",
     .min = 0,
     .max = 1000,
     .value = "N",
     .help = "orbitals in a tile, at most; 0: chosen by their number"},
    {.name = "converge-amplitudes",
     .kind = OPTION_REAL,
     .offset = FIELD(converge),
     .default_text = "1e-8",
     .min = 0,
     .max = 1,
     .min_excluded = true,
     .value = "X",
     .help = "largest change of an amplitude at convergence, and ten times that of the energy"},
    {.name = "max-iter-amplitudes",
     .kind = OPTION_INTEGER,
     .offset = FIELD(max_iterations),
     .default_text = "100",
     .min = 1,
     .max = 1000000,
     .value = "N",
     .help = "limit of iterations of the amplitudes"},
    {.name = "diis-amplitudes",
     .expert = true,
     .kind = OPTION_INTEGER,
     .offset = FIELD(diis_size),
     .default_text = "8",
     .min = 1,
     .max = 100,
     .value = "N",
     .help = "amplitudes that DIIS keeps; 1: no DIIS"},
};

static void add_table(struct tce_option_tables *tables, const char *heading,
                      const struct option_row *rows, size_t n_rows, void *fields)
{
    tables->table[tables->n++] = (struct option_table){heading, rows, n_rows, fields};
}

static void add_program(struct tce_options *options, struct tce_option_tables *tables)
{
    add_table(tables, "Program", program_rows, N_ROWS(program_rows), options);
    add_table(tables, "Contractions", contraction_rows, N_ROWS(contraction_rows), options);
    tables->table[tables->n++] = mode_options_table(&options->pool);
    add_table(tables, "Output", output_rows, N_ROWS(output_rows), options);
}

/* A method takes the options of the SCF. Its Fock build has a --cache, which then counts for
 * contractions, too: of their own rows only --explain is left. */
static void add_method(struct tce_options *options, struct tce_option_tables *tables)
{
    hf_options_tables(&options->hf, tables->table);
    tables->n = HF_OPTION_TABLES;
    add_table(tables, "Correlation", method_rows, N_ROWS(method_rows), options);
    add_table(tables, "Contractions", contraction_rows, 1, options);
    add_table(tables, "Run", method_run_rows, N_ROWS(method_run_rows), options);
}

void tce_option_tables_init(struct tce_options *options, struct tce_option_tables *tables)
{
    tables->n = 0;
    snprintf(tables->program, sizeof tables->program, "beryl-tce%s%s", options->method ? " " : "",
             options->method ? options->method : "");
    if (options->method)
        add_method(options, tables);
    else
        add_program(options, tables);
}
