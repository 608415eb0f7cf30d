/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/method_files.h"

#include "hf/result/hf_outputs.h"
#include "sched/lab/trace/trace.h"
#include "sched/pool/core/task_data.h"
#include "support/base/agree.h"
#include "support/io/output_file.h"

/* Outputs among each other and with inputs, as far as hf_outputs_check does not know them. */
static enum status check_method_paths(const struct tce_options *options)
{
    char trace[TRACE_PATH];
    const char *path = options->settings.fcidump;
    const struct hf_settings *scf = &options->hf.settings;
    struct task_data_paths paths;
    bool has_blocks = task_data_paths(options->profile, &paths);
    const struct output outputs[] = {{"write-fcidump", path},
                                     {"write-profile", options->profile},
                                     {"write-profile", has_blocks ? paths.blocks : NULL},
                                     {"write-profile", has_blocks ? paths.sizes : NULL},
                                     {"json", options->hf.files.json},
                                     {"report", options->hf.files.report},
                                     {"checkpoint", scf->scf.checkpoint},
                                     {"trace", trace_json_path(&scf->pool, trace)}};
    const char *inputs[] = {scf->molecule, hf_settings_basis_file(scf),
                            hf_settings_guess_file(scf)};
    TRY(outputs_check_distinct(outputs, 8, &options->program, 1));
    TRY(outputs_check_distinct(outputs, 4, inputs, 3));
    if (path && output_file_is_stream(path))
        return FAIL(STATUS_USAGE, "--write-fcidump %s: it is no regular file; name one", path);
    return outputs_check_writable(outputs, 4);
}

enum status method_files_check(const struct tce_options *options, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(hf_outputs_check(&options->hf.settings, &options->hf.files, comm));
    return status_agree(comm, rank == 0 ? check_method_paths(options) : STATUS_OK);
}

enum status method_files_read_program(const struct tce_options *options, MPI_Comm comm,
                                      struct text_file *text, struct method_settings *settings)
{
    if (!options->program)
        return STATUS_OK;
    TRY(text_file_read_all(options->program, comm, text));
    settings->text = text->bytes;
    settings->length = text->length;
    return STATUS_OK;
}
