#include "sched/cli/sweep_file.h"

#include "support/base/agree.h"
#include "support/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\f\v";

enum status sweep_file_fail(const struct sweep_file *file, const struct sweep_run *run,
                            enum status code)
{
    char text[1024];
    snprintf(text, sizeof text, "%s:%lld: %s", file->path, (long long)run->line, status_text());
    status_set_text(text);
    return code;
}

static enum status split_sweep_line(struct sweep_run *run)
{
    int failure = wordexp(run->text, &run->words, WRDE_NOCMD | WRDE_UNDEF);
    if (failure == 0)
        return STATUS_OK;
    run->words = (wordexp_t){0};
    if (failure == WRDE_NOSPACE)
        return FAIL(STATUS_NO_MEMORY, "no memory for the words of a line");
    return FAIL(STATUS_INPUT, "%s",
                failure == WRDE_BADCHAR  ? "one of | & ; < > ( ) { } outside quotes"
                : failure == WRDE_BADVAL ? "an unset variable"
                : failure == WRDE_CMDSUB ? "a command substitution, where only words are allowed"
                                         : "an unclosed quote");
}

static enum status read_run(struct sweep_file *file, const struct beryl_sched_options *common,
                            const char *text, int64_t line)
{
    TRY(array_reserve(&file->runs, file->n_runs + 1, &file->capacity, sizeof *file->runs));
    struct sweep_run *run = &file->runs[file->n_runs++];
    *run = (struct sweep_run){.line = line, .text = text};
    enum status status = split_sweep_line(run);
    if (status == STATUS_OK)
        status = beryl_sched_options_extend(common, run->words.we_wordv, run->words.we_wordc,
                                            &run->options);
    return status == STATUS_OK ? status : sweep_file_fail(file, run, status);
}

static enum status read_lines(struct sweep_file *file, const struct beryl_sched_options *common)
{
    char *rest = file->text.bytes;
    for (int64_t line = 1; rest; line++) {
        char *text = strsep(&rest, "\n");
        text += strspn(text, blanks);
        size_t length = strlen(text);
        while (length > 0 && strchr(blanks, text[length - 1]))
            text[--length] = '\0';
        if (length > 0 && text[0] != '#')
            TRY(read_run(file, common, text, line));
    }
    if (file->n_runs == 0)
        return FAIL(STATUS_INPUT, "%s: no line has the options of a run", file->path);
    return STATUS_OK;
}

enum status sweep_file_read(const struct beryl_sched_options *common, MPI_Comm comm,
                            struct sweep_file *file)
{
    *file = (struct sweep_file){.path = common->sweep};
    TRY(text_file_read_all(file->path, comm, &file->text));
    return status_agree(comm, read_lines(file, common));
}

void sweep_file_fini(struct sweep_file *file)
{
    for (int64_t i = 0; i < file->n_runs; i++)
        wordfree(&file->runs[i].words);
    free(file->runs);
    text_file_fini(&file->text);
}
