/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/sweep_file.h"

#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/io/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\f\v";

enum status sweep_file_fail(const struct sweep_file *file, const struct sweep_run *run,
                            enum status code)
{
    status_set_text("%s:%lld: %s", file->path, (long long)run->line, status_text());
    return code;
}

/* Takes a word of a line that continues at *from: quotes are removed, nothing is expanded.
 * to  room for the letters and a NUL */
static enum status take_sweep_word(const char **from, char *to)
{
    char quote = '\0';
    for (; **from && (quote || !strchr(blanks, **from)); ++*from) {
        char c = **from;
        if (c == quote && quote)
            quote = '\0';
        else if (!quote && (c == '\'' || c == '"'))
            quote = c;
        else if (strchr(quote == '\'' ? "" : quote ? "$`" : "|&;<>(){}$`*?[~", c))
            return FAIL(STATUS_INPUT, "%c outside %s quotes: nothing is expanded, quote it", c,
                        quote ? "single" : "its");
        else if (c != '\\' || quote == '\'')
            *to++ = c;
        else if ((*to++ = *++*from) == '\0')
            return FAIL(STATUS_INPUT, "a backslash ends the line");
    }
    *to = '\0';
    return quote ? FAIL(STATUS_INPUT, "an unclosed quote") : STATUS_OK;
}

static enum status split_sweep_line(struct sweep_run *run)
{
    size_t length = strlen(run->text);
    run->words = malloc((length / 2 + 1) * sizeof *run->words);
    run->letters = malloc(length + 1);
    if (!run->words || !run->letters)
        return FAIL(STATUS_NO_MEMORY, "no memory for the words of a line");
    char *to = run->letters;
    for (const char *from = run->text; *from; from += strspn(from, blanks)) {
        run->words[run->n_words++] = to;
        TRY(take_sweep_word(&from, to));
        to += strlen(to) + 1;
    }
    return STATUS_OK;
}

static enum status read_words(const struct beryl_sched_options *common, struct sweep_run *run)
{
    TRY(split_sweep_line(run));
    return beryl_sched_options_extend(common, run->words, run->n_words, &run->options);
}

static enum status read_run(struct sweep_file *file, const struct beryl_sched_options *common,
                            const char *text, int64_t line)
{
    TRY(array_reserve(&file->runs, file->n_runs + 1, &file->capacity, sizeof *file->runs));
    struct sweep_run *run = &file->runs[file->n_runs++];
    *run = (struct sweep_run){.line = line, .text = text};
    enum status status = read_words(common, run);
    return status == STATUS_OK ? status : sweep_file_fail(file, run, status);
}

static enum status read_lines(struct sweep_file *file, const struct beryl_sched_options *common)
{
    char *rest = file->text.bytes + text_mark_length(file->text.bytes, file->text.length);
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
    for (int64_t i = 0; i < file->n_runs; i++) {
        free(file->runs[i].words);
        free(file->runs[i].letters);
    }
    free(file->runs);
    text_file_fini(&file->text);
}
