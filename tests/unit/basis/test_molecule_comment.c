/* The comment line of an XYZ file: what has one meaning is read in all its spellings, what may have
 * several is refused with the line and a remedy, ordinary text is neither. */
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

static void test_statements_with_one_meaning_are_read(void **state)
{
    (void)state;
    static const struct comment_case cases[] = {
        {"mult=3", 0, 3},
        {"charge=-1 mult=2", -1, 2},
        {"0 3", 0, 3},
        {"  -1\t2 \r", -1, 2},
        {"0,3", 0, 3},
        {"+1, 4", 1, 4},
        {"Charge: 0  Multiplicity: 3", 0, 3},
        {"Charge = 2, Multiplicity = 3", 2, 3},
        {"oxygen, charge -1 multiplicity 2", -1, 2},
        {"beryl-hf --charge 1 --multiplicity 4", 1, 4},
        {"O2 (charge=1, mult=2)", 1, 2},
        {"[charge=1] [mult=2]", 1, 2},
        {"{\"charge\": 0, \"multiplicity\": 3}", 0, 3},
        {"{\"molecular_charge\": -2.0, \"molecular_multiplicity\": 3}", -2, 3},
        {"total_charge=1 spin_multiplicity=2", 1, 2},
        {"net charge 1 spin multiplicity 4", 1, 4},
        {"total-charge=1 Spin-Multiplicity=2", 1, 2},
        {"2S+1=3", 0, 3},
        {"uhf=2", 0, 3},
        {"chrg=1 uhf=1", 1, 2},
        {"xtb o2.xyz --chrg 0 --uhf 2", 0, 3},
        {"nopen=2 energy=-150.1", 0, 3},
        {"unpaired_electrons=2", 0, 3},
        {"Properties=species:S:1:pos:R:3 pbc=\"F F F\" charge=0 multiplicity=3", 0, 3},
        {"Lattice=\"9 0 0 0 9 0 0 0 9\" charge=\"1\" mult='4'", 1, 4},
        {"CSD_code = WIXKOE | q = -1 | S = 0 | MND = 7", -1, 1},
        {"spin=0", 0, 1},
        {"spin=1 multiplicity=3", 0, 3},
        {"multiplicity=3 spin=2", 0, 3},
        {"mult=3 charge=0 2S=2 mult=3", 0, 3},
        {"charge transfer; charge=1 mult=2", 1, 2},
        {"charge=0 multiplicity=3 frame 12 7", 0, 3},
        {"charge=1.0", 1, 1},
        {"#charge=1", 1, 1},
        {"# charge=0 mult. 3", 0, 3},
        {"(0 3)", 0, 3},
        {"# 0 3", 0, 3},
        {"[-1, 2]", -1, 2},
        {"multiplicity(2S+1)=3", 0, 3},
        {"singlet at the triplet's geometry: the triplet, multiplicity=1", 0, 1},
        {"charge=1 M=2 mult=2", 1, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_read(&cases[i], true);
}

static void test_other_text_is_left_alone(void **state)
{
    (void)state;
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
        "E = -150.1",
        " energy: -5.070544 gnorm: 0.000 xtb: 6.6.1 (8d0cbdd)",
        "Coordinates from ORCA-job o2 E -149.626",
        "gdb 1\t157.71 157.70 0. 13.21 -0.3877",
        "1500 20 -150.1",
        "1,2 dichloroethane",
        "2,3-butanediol",
        "E(UHF)=-149.6 E(RHF) = -149.5",
        "UHF/6-31G* UHF=-149.62 RHF=-149.5",
        "UHF 6-31G*",
        "S=45.106 G=-150.2",
        "q=0.417 on each hydrogen",
        "spin density, high-spin complex",
        "Mulliken charge of O -0.8",
        "charge transfer complex",
        "water, charge is nothing",
        "xcharge=4 charges=5 =6 charge",
        "title=\"ion of charge=3 and mult=2\"",
        "note='0 3'",
        "/home/charge/1/o2.xyz",
        "Properties=species:S:1:pos:R:3:spin:R:1 energy=-1.5 pbc=\"T T T\"",
        "time_ms=5 multiplier=2",
        "3/7/2024",
        "1/100",
        "singlet oxygen",
        "angstrom",
        "E = -150.1 a.u.",
        "atomic charges",
        "unit cell",
        "Mulliken charge: 0.123",
        "S=300",
        "M=32.0 C=1.5 M: 1 C=0",
        "C:6 H:6",
        "O=2, C=6",
        "Au",
        "O2 0 1",
        "frame 3 7",
        "step 2 1 3",
        "energy in au -150.1",
        "Coordinates from ORCA-job o2 E -149.626 a.u.",
    };
    for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++)
        check_read(&(struct comment_case){comments[i], 0, 1}, false);
}

static void test_units_are_read_in_their_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *comment;
        enum length_unit unit;
    } cases[] = {{"units=A", LENGTH_ANGSTROM},         {"units=angstroms", LENGTH_ANGSTROM},
                 {"unit: Ang.", LENGTH_ANGSTROM},      {"unit=au", LENGTH_BOHR},
                 {"units=a.u.", LENGTH_BOHR},          {"units=atomic", LENGTH_BOHR},
                 {"units='atomic units'", LENGTH_BOHR}};
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
static void test_hints_are_kept_unless_the_command_line_settles_them(void **state)
{
    (void)state;
    static const struct {
        const char *comment, *unread;
    } cases[] = {
        {"triplet", "triplet"},
        {"O2 (Triplet)", "Triplet"},
        {"E(triplet)=-150.1", "triplet"},
        {"Ground state is a triplet.", "triplet."},
        {"O2+, doublet; charge=1", "doublet"},
        {"q=0 M=3", "M=3"},
        {"C:0 M:3", "M:3"},
        {"C:-2 M:1", "C:-2"},
        {"0/3", "0/3"},
        {"0 / 3", "0 / 3"},
        {"-2 peroxide", "-2"},
        {"1 4 dioxane", "1 4"},
        {"(1 2) cation", "1 2"},
        {"bohr", "bohr"},
        {"coordinates in Bohr", "Bohr"},
        {"units bohr", "bohr"},
        {"au", "au"},
        {"(a.u.)", "a.u."},
        {"coordinates in atomic units", "atomic"},
        {"coordinates in au", "au"},
        {"oxygen, coordinates (a.u.)", "a.u."},
        {"Geometry given in AU", "AU"},
        {"units Au", "Au"},
        {"C=2 dication", "C=2"},
        {"O2 0 3", "0 3"},
        {"superoxide (-1 2)", "-1 2"},
        {"oxygen, B3LYP/def2-SVP -2 1", "-2 1"},
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

static void test_the_rest_is_refused_with_line_and_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *comment, *message;
    } cases[] = {
        {"spin=2", "o2.xyz:2: 'spin=2' may mean S, 2S or 2S+1: write multiplicity=M instead"},
        {"spin=1", "'spin=1' may mean"},
        {"total_spin: 2", "'total_spin: 2' may mean"},
        {"high spin 2", "'spin 2' may mean"},
        {"S=1", "'S=1' may mean"},
        {"Ms=0.5", "'Ms=0.5' may mean"},
        {"spin=triplet", "'spin=triplet' may mean"},
        {"q=0 S=2", "'S=2' may mean"},
        {"S=30", "'S=30' may mean"},
        {"spin=300", "'spin=300' may mean"},
        {"units=nm", "units= expects bohr or angstrom, found 'nm'"},
        {"charge: none", "charge= expects a whole number, found 'none'"},
        {"spin=3 multiplicity=5", "'spin=3' may mean"},
        {"0 3 oxygen", "begins with two whole numbers"},
        {"(0 3) oxygen", "begins with two whole numbers"},
        {"0,3 oxygen", "begins with two whole numbers"},
        {"0 3 -150.1", "write charge=Q multiplicity=M, or begin with a word"},
        {"2024 11", "begins with two whole numbers"},
        {"0 0", "begins with two whole numbers"},
        {"-1", "may be a charge: write charge=-1, or begin with a word"},
        {"(+1)", "'(+1)' may be a charge: write charge=+1, or begin with a word"},
        {"charge=1 charge=2", "two values of the charge, 1 and 2"},
        {"mult=3 uhf=1", "two values of the multiplicity, 3 and 2"},
        {"multiplicity=3 spin=0", "two values of the multiplicity, 3 and 1"},
        {"units=bohr unit=angstrom", "two units"},
        {"charge=one", "charge= expects a whole number, found 'one'"},
        {"charge=1.5", "charge= expects a whole number, found '1.5'"},
        {"charge=0/3", "charge= expects a whole number, found '0/3'"},
        {"chrg=2+", "chrg= expects a whole number, found '2+'"},
        {"mult=triplet", "mult= expects a whole number, found 'triplet'"},
        {"nopen=-2", "nopen= expects a whole number of unpaired electrons"},
        {"charge/multiplicity 0 3", "names charge and multiplicity before their numbers"},
        {"charge, multiplicity: 1 2", "names charge and multiplicity before their numbers"},
        {"charge and multiplicity = 1, 2", "names charge and multiplicity before their numbers"},
        {"charge 1, multiplicity unknown", "names a multiplicity without a number"},
        {"2 unpaired electrons", "names a multiplicity without a number"},
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

/* The command line settles what the comment leaves unclear, and wins where they differ; what the
 * comment says is kept for the log. */
static void test_the_command_line_wins(void **state)
{
    (void)state;
    static const char *const comments[] = {
        "spin=2",  "0 3 oxygen", "-1", "charge=x mult=x", "mult=3 uhf=1", "charge/multiplicity 0 3",
        "nopen=-2"};
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
    check_status(STATUS_INPUT, parse("spin=2", &settings, &m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements_with_one_meaning_are_read),
        cmocka_unit_test(test_other_text_is_left_alone),
        cmocka_unit_test(test_units_are_read_in_their_spellings),
        cmocka_unit_test(test_hints_are_kept_unless_the_command_line_settles_them),
        cmocka_unit_test(test_the_rest_is_refused_with_line_and_remedy),
        cmocka_unit_test(test_the_command_line_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
