/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/method_files.h"

#include "hf/result/hf_outputs.h"
#include "sched/lab/trace/trace.h"
#include "support/base/agree.h"
#include "support/io/output_file.h"

/* The output that only methods have, among the others. */
static enum status check_fcidump_path(const struct tce_options *options)
{
    char trace[TRACE_PATH];
    const char *path = options->settings.fcidump;
    const struct hf_settings *scf = &options->hf.settings;
    const struct output outputs[] = {{"write-fcidump", path},
                                     {"json", options->hf.files.json},
                                     {"report", options->hf.files.report},
                                     {"checkpoint", scf->scf.checkpoint},
                                     {"trace", trace_json_path(&scf->pool, trace)}};
    const char *inputs[] = {scf->molecule, scf->basis, scf->guess, scf->restart};
    if (!path)
        return STATUS_OK;
    TRY(outputs_check_distinct(outputs, 5, NULL, 0));
    TRY(outputs_check_distinct(outputs, 1, inputs, 4));
    if (output_file_is_stream(path))
        return FAIL(STATUS_USAGE, "--write-fcidump %s: it is no regular file; name one", path);
    return outputs_check_writable(outputs, 1);
}

enum status method_files_check(const struct tce_options *options, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(hf_outputs_check(&options->hf.settings, &options->hf.files, comm));
    return status_agree(comm, rank == 0 ? check_fcidump_path(options) : STATUS_OK);
}
