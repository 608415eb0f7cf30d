/* SPDX-License-Identifier: BSD-3-Clause */
/* The comment line of an XYZ file: keys with a value, or charge and multiplicity alone, are read; a
 * value that a key does not take is refused with the line and a remedy; other text is kept for a
 * warning where it mentions what nothing else gives. */
#include "basis/input/molecule.h"
#include "tests/check.h"

#include <string.h>

static enum status parse(const char *comment, const struct molecule_settings *settings,
                         struct molecule *molecule)
{
    char text[512];
    snprintf(text, sizeof text, "2\n%s\nO 0 0 0\nO 0 0 1.2\n", comment);
    return molecule_parse(text, strlen(text), "o2.xyz", settings, molecule);
}

struct comment_case {
    const char *comment;
    int charge, multiplicity;
};

static void check_read(const struct comment_case *expected, bool given)
{
    const struct molecule_settings defaults = {.unit = LENGTH_ANGSTROM};
    struct molecule m;
    check_ok(parse(expected->comment, &defaults, &m));
    bool is_given = m.comment.charge_given || m.comment.multiplicity_given;
    if (m.charge != expected->charge || m.multiplicity != expected->multiplicity ||
        is_given != given)
        fail_msg("'%s' gives charge %d and multiplicity %d", expected->comment, m.charge,
                 m.multiplicity);
    if (m.comment.unread.text[0])
        fail_msg("'%s' has '%s' unread", expected->comment, m.comment.unread.text);
    molecule_fini(&m);
}

TEST(keys_and_two_numbers_alone_are_read)
{
    static const struct comment_case cases[] = {
        {"mult=3", 0, 3},
        {"charge=-1 mult=2", -1, 2},
        {"0 3", 0, 3},
        {"  -1\t2 \r", -1, 2},
        {"0,3", 0, 3},
        {"+1, 4", 1, 4},
        {"(0 3)", 0, 3},
        {"# 0 3", 0, 3},
        {"[-1, 2]", -1, 2},
        {"Charge = 2, Multiplicity = 3", 2, 3},
        {"O2 (charge=1, mult=2)", 1, 2},
        {"[charge=1] [mult=2]", 1, 2},
        {"chrg=1 uhf=1", 1, 2},
        {"uhf=2", 0, 3},
        {"2S+1=3", 0, 3},
        {"Properties=species:S:1:pos:R:3 pbc=\"F F F\" charge=0 multiplicity=3", 0, 3},
        {"Lattice=\"9 0 0 0 9 0 0 0 9\" charge=\"1\" mult='4'", 1, 4},
        {"spin=1 multiplicity=3", 0, 3},
        {"mult=3 charge=0 mult=3", 0, 3},
        {"charge transfer; charge=1 mult=2", 1, 2},
        {"charge=0 multiplicity=3 frame 12 7", 0, 3},
        {"charge=1.0", 1, 1},
        {"#charge=1", 1, 1},
        {"singlet at the triplet's geometry: multiplicity=1", 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_read(&cases[i], true);
}

TEST(other_text_is_left_alone)
{
    static const char *const comments[] = {
        "",
        "oxygen",
        "-76.02",
        "-150.123456 0.002",
        "frame 12",
        "frame 12 of 100",
        "12",
        "12 -150.1",
        "i =        1, time =        0.500, E =      -150.1234",
        " energy: -5.070544 gnorm: 0.000 xtb: 6.6.1 (8d0cbdd)",
        "gdb 1\t157.71 157.70 0. 13.21 -0.3877",
        "1500 20 -150.1",
        "2,3-butanediol",
        "UHF/6-31G*",
        "S=45.106 G=-150.2",
        "title=\"ion of charge=3 and mult=2\"",
        "note='0 3'",
        "columns=species:S:1:pos:R:3:spin:R:1 energy=-1.5 pbc=\"T T T\"",
        "time_ms=5 multiplier=2",
        "3/7/2024",
        "singlet oxygen",
        "angstrom",
        "E = -150.1 a.u.",
        "unity",
        "C:6 H:6",
        "Au",
        "step 2 1 3",
    };
    for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++)
        check_read(&(struct comment_case){comments[i], 0, 1}, false);
}

TEST(units_are_read_in_their_spellings)
{
    static const struct {
        const char *comment;
        enum length_unit unit;
    } cases[] = {{"units=A", LENGTH_ANGSTROM},    {"units=angstroms", LENGTH_ANGSTROM},
                 {"unit = Ang", LENGTH_ANGSTROM}, {"unit=au", LENGTH_BOHR},
                 {"units='a.u.'", LENGTH_BOHR},   {"Units=BOHR", LENGTH_BOHR}};
    const struct molecule_settings defaults = {.unit = LENGTH_ANGSTROM};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule m;
        check_ok(parse(cases[i].comment, &defaults, &m));
        assert_true(m.comment.unit_given);
        assert_int_equal(m.comment.unit, cases[i].unit);
        assert_string_equal(m.comment.unread.text, "");
        molecule_fini(&m);
    }
}

/* Text that titles have, too: not read, not refused, kept for a warning. */
TEST(hints_are_kept_unless_the_command_line_settles_them)
{
    static const struct {
        const char *comment, *unread;
    } cases[] = {
        {"triplet", "triplet"},
        {"O2 (Triplet)", "Triplet"},
        {"Ground state is a triplet.", "triplet."},
        {"O2+, doublet; charge=1", "doublet"},
        {"spin=2", "spin=2"},
        {"high spin", "spin"},
        {"2 unpaired electrons", "unpaired"},
        {"q=-2 S=0", "q=-2"},
        {"Charge: -2", "Charge"},
        {"charge -2", "charge"},
        {"total_charge=-2", "total_charge=-2"},
        {"{\"molecular_multiplicity\": 3}", "molecular_multiplicity"},
        {"charge/multiplicity 0 3", "charge/multiplicity"},
        {"Mulliken charges", "charges"},
        {"-2 peroxide", "-2"},
        {"-2", "-2"},
        {"1 4 dioxane", "1 4"},
        {"(1 2) cation", "1 2"},
        {"0 3 -150.1", "0 3"},
        {"2024 11", "2024 11"},
        {"0 0", "0 0"},
        {"bohr", "bohr"},
        {"coordinates in Bohr", "Bohr"},
        {"units bohr", "units"},
        {"unit: au", "unit"},
    };
    const struct molecule_settings defaults = {.unit = LENGTH_ANGSTROM};
    const struct molecule_settings settled = {
        .unit_given = true, .charge_given = true, .multiplicity_given = true, .multiplicity = 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule m;
        check_ok(parse(cases[i].comment, &defaults, &m));
        if (strcmp(m.comment.unread.text, cases[i].unread) != 0 || m.multiplicity != 1)
            fail_msg("'%s' has '%s' unread", cases[i].comment, m.comment.unread.text);
        molecule_fini(&m);
        check_ok(parse(cases[i].comment, &settled, &m));
        assert_string_equal(m.comment.unread.text, "");
        molecule_fini(&m);
    }
}

TEST(the_rest_is_refused_with_line_and_remedy)
{
    static const struct {
        const char *comment, *message;
    } cases[] = {
        {"units=nm", "units= expects bohr or angstrom, found 'nm'"},
        {"charge=", "charge= expects a whole number, found ''"},
        {"charge=one", "charge= expects a whole number, found 'one'"},
        {"charge=1.5", "charge= expects a whole number, found '1.5'"},
        {"charge=0/3", "charge= expects a whole number, found '0/3'"},
        {"chrg=2+", "chrg= expects a whole number, found '2+'"},
        {"mult=triplet", "mult= expects a whole number, found 'triplet'"},
        {"mult=1e9", "mult= expects a whole number, found '1e9'"},
        {"charge=1 charge=2", "charge=2 differs from what the comment line says before"},
        {"mult=3 uhf=1", "uhf=1 differs"},
        {"units=bohr unit=angstrom", "unit=angstrom differs"},
    };
    const struct molecule_settings defaults = {.unit = LENGTH_ANGSTROM};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule m;
        if (parse(cases[i].comment, &defaults, &m) != STATUS_INPUT)
            fail_msg("'%s' is not refused", cases[i].comment);
        if (!strstr(status_text(), "o2.xyz:2: ") || !strstr(status_text(), cases[i].message))
            fail_msg("\"%s\" lacks \"%s\"", status_text(), cases[i].message);
        assert_null(m.atoms);
    }
}

/* Oxygen at (1, 2, 3) Bohr. */
TEST(columns_are_read_where_properties_names_them)
{
    static const struct {
        const char *comment, *row;
    } cases[] = {
        {"Properties=species:S:1:pos:R:3", "O 1 2 3"},
        {"Properties=species:S:1:id:I:1:pos:R:3 pbc=\"F F F\"", "O 7 1 2 3"},
        {"Properties=species:S:1:forces:R:3:pos:R:3", "O .1 .2 .3 1 2 3"},
        {"Properties=pos:R:3:species:S:1", "1 2 3 O"},
        {"Properties=id:I:1:species:S:1:pos:R:3:masses:R:1", "7 O 1 2 3 16"},
        {"properties=\"Pos:r:3:fixed:L:1:Species:s:1\"", "1 2 3 T O"},
        {"Lattice=\"9 0 0 0 9 0 0 0 9\" 'Properties' = 'Z:I:1:velo:R:3:pos:R:3'",
         "8 .1 .2 .3 1 2 3"},
        {"Properties=Z:I:1:pos:R:3:species:S:1:move_mask:L:3", "8 1 2 3 O T F T"},
        {"Properties=map_shift:I:40:n:R:40:pos:R:3:species:S:1",
         "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 "
         "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 "
         "1 2 3 O"},
        {"Properties of oxygen; a:b:c", "O 1 2 3"},
        {"title=\"Properties=id:I:1\"", "O 1 2 3 4"},
    };
    const struct molecule_settings bohr = {.unit = LENGTH_BOHR};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        struct molecule m;
        snprintf(text, sizeof text, "1\n%s\n%s\n", cases[i].comment, cases[i].row);
        check_ok(molecule_parse(text, strlen(text), "o.xyz", &bohr, &m));
        assert_int_equal(m.atoms[0].element, 8);
        for (int k = 0; k < 3; k++)
            assert_true(m.atoms[0].position[k] == k + 1);
        molecule_fini(&m);
    }
}

TEST(columns_that_are_missing_or_unclear_are_refused)
{
    static const struct {
        const char *comment, *row, *message;
    } cases[] = {
        {"Properties=species:S:1", "O", ":2: Properties= lacks pos:R:3"},
        {"Properties=species:S:1:pos:R:2", "O 1 2", ":2: Properties= lacks pos:R:3"},
        {"Properties=species:S:1:pos:S:3", "O 1 2 3", ":2: Properties= lacks pos:R:3"},
        {"Properties=species:S:1:forces:R:3", "O 1 2 3", ":2: Properties= lacks pos:R:3"},
        {"Properties=pos:R:3:tags:I:1", "1 2 3 8",
         ":2: Properties= lacks species:S:1 and Z:I:1: name"},
        {"Properties=Z:R:1:pos:R:3", "8 1 2 3", ":2: Properties= lacks species:S:1 and Z:I:1"},
        {"Properties=", "O 1 2 3", ":2: Properties= expects name:type:count"},
        {"Properties=species:S:1:pos:R", "O 1 2 3", "found 'pos:R'"},
        {"Properties=species:S:1:pos:R:3:", "O 1 2 3", "found ''"},
        {"Properties=species:S:1::R:3", "O 1 2 3", "found ':R:3'"},
        {"Properties=species:S:1:pos:X:3", "O 1 2 3", "found 'pos:X:3'"},
        {"Properties=species:S:1:pos:RR:3", "O 1 2 3", "found 'pos:RR:3'"},
        {"Properties=species:S:0:pos:R:3", "O 1 2 3", "found 'species:S:0'"},
        {"Properties=species:S:1:pos:R:-3", "O 1 2 3", "found 'pos:R:-3'"},
        {"Properties=species:S:1:pos:R:3:a:R:99999999999", "O 1 2 3", "found 'a:R:99999999999'"},
        {"Properties=pos:R:3:species:S:1:pos:R:3", "1 2 3 O 1 2 3",
         ":2: Properties= has pos:R:3 "
         "twice"},
        {"Properties=species:S:1:pos:R:3 Properties=pos:R:3:species:S:1", "O 1 2 3",
         ":2: Properties= stands twice"},
        {"Properties=species:S:1:pos:R:3", "O 1 2 3 4",
         ":3: expected the 4 columns that Properties= in line 2 names, found 5: 'O 1 2 3 4'"},
        {"Properties=species:S:1:pos:R:3:id:I:1", "O 1 2 3", ":3: expected the 5 columns"},
        {"Properties=species:S:1:pos:R:3", "O 1 2", ":3: expected the 4 columns"},
        {"Properties=pos:R:3:species:S:1", "1 2 3 X", ":3: unknown element 'X'"},
        {"Properties=pos:R:3:species:S:1", "1 2 a O", ":3: the z coordinate 'a'"},
    };
    const struct molecule_settings settings = {.unit = LENGTH_ANGSTROM};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        struct molecule m;
        snprintf(text, sizeof text, "1\n%s\n%s\n", cases[i].comment, cases[i].row);
        if (molecule_parse(text, strlen(text), "o.xyz", &settings, &m) != STATUS_INPUT)
            fail_msg("'%s' with '%s' is not refused", cases[i].comment, cases[i].row);
        if (!strstr(status_text(), cases[i].message))
            fail_msg("\"%s\" lacks \"%s\"", status_text(), cases[i].message);
        assert_null(m.atoms);
    }
}

TEST(periodic_systems_are_noticed)
{
    static const struct {
        const char *comment;
        bool periodic;
    } cases[] = {
        {"", false},
        {"pbc=\"F F F\"", false},
        {"Lattice=\"9 0 0 0 9 0 0 0 9\" pbc=\"F F F\"", false},
        {"pbc=\"T T T\"", true},
        {"pbc='F F T'", true},
        {"Lattice=\"9 0 0 0 9 0 0 0 9\"", true},
        {"a lattice; pbc", false},
    };
    const struct molecule_settings settings = {.unit = LENGTH_ANGSTROM};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule m;
        check_ok(parse(cases[i].comment, &settings, &m));
        assert_int_equal(m.comment.periodic, cases[i].periodic);
        molecule_fini(&m);
    }
}

/* The command line settles what the comment leaves unclear, and wins where they differ; what the
 * comment says is kept for the log. */
TEST(the_command_line_wins)
{
    static const char *const comments[] = {"spin=2",          "0 3 oxygen",   "-1",
                                           "charge=x mult=x", "mult=3 uhf=1", "charge=1 charge=2"};
    struct molecule_settings settings = {
        .charge = 1, .charge_given = true, .multiplicity = 4, .multiplicity_given = true};
    struct molecule m;
    for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++) {
        check_ok(parse(comments[i], &settings, &m));
        assert_int_equal(m.charge, 1);
        assert_int_equal(m.multiplicity, 4);
        molecule_fini(&m);
    }
    check_ok(parse("charge=-1 multiplicity=2 units=bohr", &settings, &m));
    assert_int_equal(m.charge, 1);
    assert_true(m.comment.charge_given && m.comment.multiplicity_given && m.comment.unit_given);
    assert_int_equal(m.comment.charge, -1);
    assert_int_equal(m.comment.multiplicity, 2);
    assert_int_equal(m.comment.unit, LENGTH_BOHR);
    molecule_fini(&m);
    settings.multiplicity_given = false;
    check_status(STATUS_INPUT, parse("charge=x mult=x", &settings, &m));
}
