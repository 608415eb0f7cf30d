/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of molecules.txt are read as it says, each coordinate to the last bits, or refused with their line. */
#include "basis/input/molecule.h"
#include "support/io/text_file.h"
#include "tests/check.h"

#include <string.h>

enum { MAX_TEXT = 4096, MAX_RESULTS = 8 };

struct file_case {
    char title[MAX_TEXT], text[MAX_TEXT];
    size_t length;
    int64_t frames[MAX_RESULTS]; /* 0 for a message that --frame is needed, or not: see has_frame */
    bool has_frame[MAX_RESULTS];
    char results[MAX_RESULTS][MAX_TEXT];
    int n_results;
};

/* Appends a line of the table, as its head explains. */
static void append_line(struct file_case *file, const char *line)
{
    for (; *line; line++) {
        char c = *line;
        if (c == '\\') {
            c = *++line;
            if (!c)
                return;
            if (c == 'x') {
                char digits[3] = {line[1], line[2], '\0'};
                c = (char)strtol(digits, NULL, 16);
                line += 2;
            } else
                c = c == 't' ? '\t' : c == 'r' ? '\r' : c == 's' ? ' ' : c;
        }
        file->text[file->length++] = c;
    }
    file->text[file->length++] = '\n';
}

/* Appends a double that must be this number, in Bohr. */
static void check_coordinate(const struct file_case *file, double found, double expected, bool bohr)
{
    double position = bohr ? expected : expected / BOHR_IN_ANGSTROM;
    if (fabs(found - position) > 4e-16 * fabs(position))
        fail_msg("%s: %.17g, not %.17g", file->title, found, position);
}

static void show_symbol(const struct atom *atom, char *text, size_t size)
{
    snprintf(text, size, "%s%s", atom->ghost && atom->element > 0 ? "@" : "",
             element_symbol(atom->element));
}

static void check_centres(const struct file_case *file, const char *centres,
                          const struct molecule *m, bool bohr)
{
    int64_t a = 0;
    for (; centres; centres = strchr(centres + 1, '|'), a++) {
        char expected[8], found[8];
        double x[3];
        assert_int_equal(sscanf(centres, "| %7s %lf %lf %lf", expected, &x[0], &x[1], &x[2]), 4);
        if (a == m->n_atoms)
            fail_msg("%s: %lld centres only", file->title, (long long)a);
        show_symbol(&m->atoms[a], found, sizeof found);
        if (strcmp(found, expected) != 0)
            fail_msg("%s: centre %lld is %s, not %s", file->title, (long long)a + 1, found,
                     expected);
        assert_int_equal(m->atoms[a].charge, m->atoms[a].ghost ? 0 : m->atoms[a].element);
        for (int k = 0; k < 3; k++)
            check_coordinate(file, m->atoms[a].position[k], x[k], bohr);
    }
    assert_int_equal(a, m->n_atoms);
}

static void describe_molecule(const struct molecule *m, char *text, size_t size)
{
    const struct molecule_comment *comment = &m->comment;
    char charge[16] = "-", multiplicity[16] = "-", line[32] = "";
    if (comment->charge_given)
        snprintf(charge, sizeof charge, "%d", m->charge);
    if (comment->multiplicity_given)
        snprintf(multiplicity, sizeof multiplicity, "%d", m->multiplicity);
    if (m->unread_line > 0)
        snprintf(line, sizeof line, " unread %lld", (long long)m->unread_line);
    snprintf(text, size, "%s %s%s%s%s%s%s%s ", charge, multiplicity,
             comment->unit_given && comment->unit == LENGTH_BOHR ? " bohr" : "",
             comment->periodic ? " periodic" : "", m->has_isotopes ? " isotopes" : "", line,
             *comment->unread.text ? " ? " : "", comment->unread.text);
}

static void check_molecule(const struct file_case *file, const char *result,
                           const struct molecule *m)
{
    char found[MAX_TEXT];
    const char *centres = strchr(result, '|');
    assert_non_null(centres);
    describe_molecule(m, found, sizeof found);
    if (strlen(found) != (size_t)(centres - result) || strncmp(found, result, strlen(found)) != 0)
        fail_msg("%s gives '%s', not '%s'", file->title, found, result);
    check_centres(file, centres, m, strstr(found, " bohr "));
}

static void check_result(const struct file_case *file, int i)
{
    const struct molecule_settings settings = {.frame = file->frames[i],
                                               .frame_given = file->has_frame[i]};
    const char *result = file->results[i];
    struct molecule m;
    enum status status = molecule_parse(file->text, file->length, "file", &settings, &m);
    if (*result != ':') {
        check_ok(status);
        check_molecule(file, result, &m);
    } else {
        char message[MAX_TEXT];
        snprintf(message, sizeof message, "file%s", result);
        if (status != STATUS_INPUT || strncmp(status_text(), message, strlen(message)) != 0)
            fail_msg("%s: \"%s\", not \"%s\"", file->title,
                     status == STATUS_OK ? "read" : status_text(), message);
    }
    molecule_fini(&m);
}

/* Reads "=> RESULT" or "--frame N => RESULT"; false if it is a line of the file. */
static bool add_result(struct file_case *file, const char *line)
{
    long long frame;
    const char *result = strstr(line, "=> ");
    bool has_frame = sscanf(line, "--frame %lld =>", &frame) == 1;
    if (file->length > 0 || !(has_frame || result == line))
        return false;
    int i = file->n_results++;
    assert_true(i < MAX_RESULTS);
    file->has_frame[i] = has_frame;
    file->frames[i] = has_frame ? frame : 0;
    snprintf(file->results[i], MAX_TEXT, "%s", result + 3);
    return true;
}

static void check_file(const struct file_case *file)
{
    for (int i = 0; i < file->n_results; i++)
        check_result(file, i);
    assert_true(file->n_results > 0);
}

TEST(files_are_read_or_refused_as_the_table_says)
{
    static struct file_case file;
    struct line_reader table;
    int n_files = 0;
    assert_int_equal(check_argc, 2);
    check_ok(line_reader_open(&table, check_argv[1], TEXT_FILE_MAX_BYTES, ""));
    while (line_reader_next(&table)) {
        char line[MAX_TEXT];
        snprintf(line, sizeof line, "%.*s", (int)table.all.length, table.all.begin);
        if (strncmp(line, "== ", 3) == 0) {
            if (n_files++ > 0)
                check_file(&file);
            file = (struct file_case){0};
            snprintf(file.title, sizeof file.title, "%s", line + 3);
        } else if (n_files > 0 && !add_result(&file, line))
            append_line(&file, line);
    }
    check_file(&file);
    assert_true(n_files >= 60);
    line_reader_close(&table);
}
