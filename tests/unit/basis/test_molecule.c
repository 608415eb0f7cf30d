/* SPDX-License-Identifier: BSD-3-Clause */
/* XYZ files become centres in Bohr with charge and multiplicity. The comment line gives these by keys or
 * by two numbers alone; other text is kept for a warning where it mentions what nothing else gives. Bad
 * lines are refused with their number and a remedy. */
#include "basis/input/molecule.h"
#include "tests/check.h"

#include <string.h>

static const struct molecule_settings defaults = {.unit = LENGTH_ANGSTROM};

static enum status parse(const char *text, const struct molecule_settings *settings,
                         struct molecule *molecule)
{
    return molecule_parse(text, strlen(text), "test.xyz", settings, molecule);
}

static struct molecule parsed(const char *text)
{
    struct molecule molecule;
    check_ok(parse(text, &defaults, &molecule));
    return molecule;
}

TEST(coordinates_are_converted_to_bohr)
{
    struct molecule m = parsed("2\ncarbon monoxide\nC 0 0 0\nO 0 0 1.128\n");
    assert_int_equal(m.n_atoms, 2);
    assert_int_equal(m.atoms[0].element, 6);
    assert_int_equal(m.atoms[1].element, 8);
    check_close(m.atoms[1].position[2], 1.128 / 0.529177210903, 1e-15);
    check_close(molecule_nuclear_repulsion(&m), 48 * 0.529177210903 / 1.128, 1e-13);
    assert_int_equal(molecule_n_electrons(&m), 14);
    assert_false(m.bare_numbers);
    m.atoms[0].charge = 4; /* a potential stands for two of its electrons */
    check_close(molecule_nuclear_repulsion(&m), 32 * 0.529177210903 / 1.128, 1e-13);
    assert_int_equal(molecule_n_electrons(&m), 12);
    molecule_fini(&m);
}

TEST(symbols_name_elements_and_ghosts)
{
    static const struct {
        const char *symbol;
        int element;
        bool ghost;
    } cases[] = {{"H", 1, false},    {"og", 118, false}, {"CL", 17, false}, {"26", 26, false},
                 {"Bq", 0, true},    {"bq", 0, true},    {"BqO", 8, true},  {"Bq-he", 2, true},
                 {"@Cl", 17, true},  {"BQ", 0, true},    {"b", 5, false},   {"Bk", 97, false},
                 {"118", 118, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "1\nc\n%s 1 2 3\n", cases[i].symbol);
        struct molecule m = parsed(text);
        assert_int_equal(m.atoms[0].element, cases[i].element);
        assert_int_equal(m.atoms[0].ghost, cases[i].ghost);
        assert_int_equal(m.atoms[0].charge, cases[i].ghost ? 0 : cases[i].element);
        molecule_fini(&m);
    }
    for (int z = 0; z <= MAX_ATOMIC_NUMBER; z++)
        assert_int_equal(element_number(element_symbol(z), strlen(element_symbol(z))), z);
    assert_int_equal(element_number("Uun", 3), 110);
    assert_int_equal(element_number("UUO", 3), 118);
    assert_int_equal(element_number("Uux", 3), -1);
}

TEST(line_ends_tabs_and_blank_lines_do_not_matter)
{
    struct molecule m = parsed("\xEF\xBB\xBF 2 \r\n\r\nH\t0 0\t0  charge=7\r\n  H 0 1.d0 -.5E1\r\n"
                               "\r\n \t\n\n");
    assert_int_equal(m.n_atoms, 2);
    assert_int_equal(m.charge, 0);
    check_close(m.atoms[1].position[1], 1 / BOHR_IN_ANGSTROM, 1e-15);
    check_close(m.atoms[1].position[2], -5 / BOHR_IN_ANGSTROM, 1e-15);
    molecule_fini(&m);
    m = parsed("1\n\nH 0 0 0");
    assert_int_equal(m.n_atoms, 1);
    molecule_fini(&m);
}

/* One centre at (1, 2, 3), in a line "O 1 2 3" unless columns have another order. */
static enum status parse_comment(const char *comment, const char *row,
                                 const struct molecule_settings *settings,
                                 struct molecule *molecule)
{
    char text[512];
    snprintf(text, sizeof text, "1\n%s\n%s\n", comment, row ? row : "O 1 2 3");
    return parse(text, settings, molecule);
}

/* Charge, multiplicity and unit as the comment gives them, or -; "periodic"; unread text. */
static void describe_comment(const struct molecule_comment *comment, char *text, size_t size)
{
    char charge[16] = "-", multiplicity[16] = "-";
    if (comment->charge_given)
        snprintf(charge, sizeof charge, "%d", comment->charge);
    if (comment->multiplicity_given)
        snprintf(multiplicity, sizeof multiplicity, "%d", comment->multiplicity);
    snprintf(text, size, "%s %s %s%s%s%s", charge, multiplicity,
             !comment->unit_given           ? "-"
             : comment->unit == LENGTH_BOHR ? "bohr"
                                            : "angstrom",
             comment->periodic ? " periodic" : "", *comment->unread.text ? " ? " : "",
             comment->unread.text);
}

static void check_comment(const char *comment, const char *expected)
{
    static const struct molecule_settings settled = {.charge = 5,
                                                     .charge_given = true,
                                                     .multiplicity = 4,
                                                     .multiplicity_given = true,
                                                     .unit = LENGTH_BOHR,
                                                     .unit_given = true};
    char found[300];
    struct molecule m;
    check_ok(parse_comment(comment, NULL, &defaults, &m));
    describe_comment(&m.comment, found, sizeof found);
    if (strcmp(found, expected) != 0)
        fail_msg("'%s' gives '%s', not '%s'", comment, found, expected);
    assert_int_equal(m.charge, m.comment.charge_given ? m.comment.charge : 0);
    assert_int_equal(m.multiplicity, m.comment.multiplicity_given ? m.comment.multiplicity : 1);
    bool bohr = m.comment.unit_given && m.comment.unit == LENGTH_BOHR;
    check_close(m.atoms[0].position[0], bohr ? 1 : 1 / BOHR_IN_ANGSTROM, 1e-15);
    molecule_fini(&m);
    /* The command line wins. What the comment says is kept for the log, without a warning. */
    check_ok(parse_comment(comment, NULL, &settled, &m));
    assert_int_equal(m.charge, 5);
    assert_int_equal(m.multiplicity, 4);
    assert_true(m.atoms[0].position[0] == 1);
    assert_string_equal(m.comment.unread.text, "");
    molecule_fini(&m);
}

TEST(keys_and_two_numbers_alone_are_read)
{
    static const struct {
        const char *comment, *expected;
    } cases[] = {
        {"", "- - -"},
        {"charge=-1 multiplicity=2 units=bohr", "-1 2 bohr"},
        {"Units=BOHR, Charge=+2; water", "2 - bohr"},
        {"charge=\"1\" multiplicity='3' units=\"angstrom\"", "1 3 angstrom"},
        {"\"charge=1 multiplicity=2\"", "1 2 -"},
        {"title=\"ion of charge=3 and units=bohr\" charge=1", "1 - -"},
        {"energy=-1.5 charge = 1.0 pbc=\"F F F\"", "1 - -"},
        {"xcharge=4 =6", "- - -"},
        {"total_charge=-2 spin_multiplicity=2", "-2 2 -"},
        {"net_charge=1 \"molecular_multiplicity\"=3", "1 3 -"},
        {"note=\"of \\\"charge=1\\\" mult=2\" charge=3", "3 - -"},
        {"chrg=1 uhf=1", "1 2 -"},
        {"2S+1=3", "- 3 -"},
        {"charge=-1000000 mult=1000000", "-1000000 1000000 -"},
        {"[charge=1] [mult=2]", "1 2 -"},
        {"O2 (charge=1, mult=2)", "1 2 -"},
        {"mult=3 charge=0 mult=3", "0 3 -"},
        {"spin=1 multiplicity=3 charge transfer", "- 3 -"},
        {"charge=0 multiplicity=3 frame 12 7", "0 3 -"},
        {"singlet at the triplet's geometry: multiplicity=1", "- 1 -"},
        {"0 3", "0 3 -"},
        {"  -1\t2 \r", "-1 2 -"},
        {"+1, 4", "1 4 -"},
        {"(0 3)", "0 3 -"},
        {"# 0 3", "0 3 -"},
        {"-9 9", "-9 9 -"},
        {"units=A", "- - angstrom"},
        {"units=angstroms", "- - angstrom"},
        {"unit = Ang", "- - angstrom"},
        {"unit=au", "- - bohr"},
        {"units='a.u.'", "- - bohr"},
        /* Titles without a hint. */
        {"-76.02", "- - -"},
        {"frame 12 of 100", "- - -"},
        {"12", "- - -"},
        {"12 -150.1", "- - -"},
        {"1500 20 -150.1", "- - -"},
        {"2,3-butanediol", "- - -"},
        {"note='0 3'", "- - -"},
        {"columns=species:S:1:pos:R:3:spin:R:1 energy=-1.5", "- - -"},
        {"time_ms=5 multiplier=2", "- - -"},
        {"3/7/2024", "- - -"},
        {"singlet oxygen, angstrom, unity", "- - -"},
        {"C:6 H:6", "- - -"},
        {"step 2 1 3", "- - -"},
        {" energy: -5.070544351072 gnorm: 0.000185026510 xtb: 6.5.1 (unknown)", "- - -"},
        {"gdb 1\t157.7118\t0.\t13.21\t-0.3877", "- - -"},
        {"Coordinates from ORCA-job water E -76.026765", "- - -"},
        {" i =        2, time =        1.000, E =       -17.1643447508", "- - -"},
        {"Generated by Q-Chem 5, UHF/6-31++G** or C++; S=45.2 q=0.31 DFT+U", "- - -"},
        {"charge transfer complex, Mulliken charges, charged", "- - -"},
        {"spin=0 charge: 0 q=0 S=0 mult 1 2S+1=1 uhf 0 magmom=0.0", "- 1 -"},
        {"0 1 water", "- - -"},
        {"unit cell of spinel: location, companion, radicals", "- - -"},
        {"units: angstrom", "- - -"},
        {"uhf 0, S=45, mult: 2/2, cl- and na+", "- - -"},
        {"charge transfer, state 0", "- - -"},
        {"Charge 0, spin multiplicity 1", "- - -"},
        {"- 5+ cis- PBE0+ 2-butene", "- - - ? 5+"},
        {"cis- PBE0+ + -", "- - -"},
        /* Hints. */
        {"O2 (Triplet)", "- - - ? Triplet"},
        {"Ground state is a triplet.", "- - - ? triplet."},
        {"O2+, doublet; charge=1", "1 - - ? doublet"},
        {"spin=2", "- - - ? spin=2"},
        {"2 unpaired electrons", "- - - ? unpaired"},
        {"q=-2 S=0", "- - - ? q=-2"},
        {"Charge: -2", "- - - ? Charge: -2"},
        {"final_charge=-2", "- - - ? final_charge=-2"},
        {"{\"molecular_multiplicity\": 3}", "- - - ? molecular_multiplicity\": 3"},
        {"charge/multiplicity 0 3", "- - - ? charge/multiplicity 0"},
        {"charge +1", "- - - ? charge +1"},
        {"charge of -1", "- - - ? charge"},
        {"+1 charge", "- - - ? +1"},
        {"q=1", "- - - ? q=1"},
        {"Q: 1+", "- - - ? Q: 1+"},
        {"chrg 1", "- - - ? chrg 1"},
        {"spin=1", "- - - ? spin=1"},
        {"S=1/2", "- - - ? S=1/2"},
        {"ms = 0.5", "- - - ? ms = 0.5"},
        {"mult 3", "- - - ? mult 3"},
        {"2S+1: 3", "- - - ? 2S+1: 3"},
        {"uhf 2", "- - - ? uhf 2"},
        {"uhf 1", "- - - ? uhf 1"},
        {"spin multiplicity 3", "- - - ? multiplicity 3"},
        {"magmom=2.0", "- - - ? magmom=2.0"},
        {"high-spin iron", "- - - ? high-spin"},
        {"radical cation", "- - - ? cation"},
        {"a radical.", "- - - ? radical."},
        {"acetate anion", "- - - ? anion"},
        {"open-shell", "- - - ? open-shell"},
        {"NO3-", "- - - ? NO3-"},
        {"hydronium +1", "- - - ? +1"},
        {"[Fe(H2O)6]2+", "- - - ? 2+"},
        {"Zn2+ in water", "- - - ? Zn2+"},
        {"-2 peroxide", "- - - ? -2"},
        {"-2", "- - - ? -2"},
        {"1 4 dioxane", "- - - ? 1 4"},
        {"0 3 -150.1", "- - - ? 0 3"},
        {"2024 11", "- - - ? 2024 11"},
        {"-10 1", "- - - ? -10 1"},
        {"0 10", "- - - ? 0 10"},
        {"0 0", "- - - ? 0 0"},
        {"coordinates in Bohr", "- - - ? Bohr"},
        {"units bohr", "- - - ? units bohr"},
        /* Periodic systems. */
        {"Lattice=\"9 0 0 0 9 0 0 0 9\" pbc=\"F F F\"", "- - -"},
        {"pbc='F F T'", "- - - periodic"},
        {"Lattice=\"9 0 0 0 9 0 0 0 9\"", "- - - periodic"},
        {"a lattice; pbc", "- - -"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_comment(cases[i].comment, cases[i].expected);
}

TEST(columns_are_read_where_properties_names_them)
{
    static const struct {
        const char *comment, *row;
    } cases[] = {
        {"Properties=species:S:1:id:I:1:pos:R:3 pbc=\"F F F\"", "O 7 1 2 3"},
        {"Properties=species:S:1:forces:R:3:pos:R:3", "O .1 .2 .3 1 2 3"},
        {"properties=\"Pos:r:3:fixed:L:1:Species:s:1\"", "1 2 3 T O"},
        {"Lattice=\"9 0 0 0 9 0 0 0 9\" 'Properties' = 'Z:I:1:velo:R:3:pos:R:3'",
         "8 .1 .2 .3 1 2 3"},
        {"Properties=Z:I:1:pos:R:3:species:S:1:move_mask:L:3", "8 1 2 3 O T F T"},
        {"Properties=map_shift:I:40:pos:R:3:species:S:1",
         "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 O"},
        {"Properties of oxygen; a:b:c", "O 1 2 3"},
        {"title=\"Properties=id:I:1\"", "O 1 2 3 4"},
    };
    const struct molecule_settings bohr = {.unit = LENGTH_BOHR};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule m;
        check_ok(parse_comment(cases[i].comment, cases[i].row, &bohr, &m));
        assert_int_equal(m.atoms[0].element, 8);
        for (int k = 0; k < 3; k++)
            assert_true(m.atoms[0].position[k] == k + 1);
        molecule_fini(&m);
    }
}

static void check_refused(enum status status, const char *text, const char *message)
{
    if (status != STATUS_INPUT || !strstr(status_text(), message))
        fail_msg("\"%s\" for '%s' lacks \"%s\"", status_text(), text, message);
}

#define LACKS_POSITION "Properties= lacks pos:R:3"

TEST(bad_comments_are_refused)
{
    static const struct {
        const char *comment, *message, *row;
    } cases[] = {
        {"units=nm", ":2: units= expects bohr or angstrom, found 'nm'", NULL},
        {"charge=", ":2: charge= expects a whole number, found ''", NULL},
        {"charge=1.5", ":2: charge= expects a whole number, found '1.5'", NULL},
        {"charge=0/3", ":2: charge= expects a whole number, found '0/3'", NULL},
        {"chrg=2+", ":2: chrg= expects a whole number, found '2+'", NULL},
        {"mult=1e9", ":2: mult= expects a whole number, found '1e9'", NULL},
        {"charge=1000001", ":2: charge= expects a whole number", NULL},
        {"charge=1 charge=2", ":2: charge=2 differs from what the file says before", NULL},
        {"mult=3 uhf=1", ":2: uhf=1 differs", NULL},
        {"units=bohr unit=angstrom", ":2: unit=angstrom differs", NULL},
        {"Properties=species:S:1", ":2: " LACKS_POSITION, "O"},
        {"Properties=species:S:1:pos:R:2", ":2: " LACKS_POSITION, "O 1 2"},
        {"Properties=species:S:1:pos:S:3", ":2: " LACKS_POSITION, NULL},
        {"Properties=pos:R:3:tags:I:1", ":2: Properties= lacks species:S:1 and Z:I:1: name",
         "1 2 3 8"},
        {"Properties=Z:R:1:pos:R:3", ":2: Properties= lacks species:S:1 and Z:I:1", "8 1 2 3"},
        {"Properties=", ":2: Properties= expects name:type:count", NULL},
        {"Properties=species:S:1:pos:R", "found 'pos:R'", NULL},
        {"Properties=species:S:1:pos:R:3:", "found ''", NULL},
        {"Properties=species:S:1::R:3", "found ':R:3'", NULL},
        {"Properties=species:S:1:pos:X:3", ":2: " LACKS_POSITION, NULL},
        {"Properties=species:S:1:pos:RR:3", ":2: " LACKS_POSITION, NULL},
        {"Properties=species:S:1:pos::3", "found 'pos::3'", NULL},
        {"Properties=species:S:0:pos:R:3", "found 'species:S:0'", NULL},
        {"Properties=species:S:1:pos:R:-3", "found 'pos:R:-3'", NULL},
        {"Properties=species:S:1:pos:R:3:a:R:1000001", "found 'a:R:1000001'", NULL},
        {"Properties=pos:R:3:species:S:1:pos:R:3", ":2: Properties= has pos:R:3 twice",
         "1 2 3 O 1 2 3"},
        {"Properties=species:S:1:pos:R:3 Properties=pos:R:3:species:S:1",
         ":2: Properties= stands twice", NULL},
        {"Properties=species:S:1:pos:R:3",
         ":3: expected the 4 columns that Properties= in line 2 names, found 5: 'O 1 2 3 4'",
         "O 1 2 3 4"},
        {"Properties=species:S:1:pos:R:3", ":3: expected the 4 columns", "O 1 2"},
        {"Properties=pos:R:3:species:S:1", ":3: the z coordinate 'a'", "1 2 a O"},
    };
    const struct molecule_settings given = {
        .charge_given = true, .multiplicity_given = true, .unit_given = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule m;
        check_refused(parse_comment(cases[i].comment, cases[i].row, &defaults, &m),
                      cases[i].comment, cases[i].message);
        assert_null(m.atoms);
        /* A key that the command line settles may have any value. */
        enum status status = parse_comment(cases[i].comment, cases[i].row, &given, &m);
        assert_int_equal(status == STATUS_OK, *cases[i].comment != 'P');
        molecule_fini(&m);
    }
}

TEST(bad_files_are_refused_with_their_line)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", ":1: expected the number"},
        {"\n\n\n", ":1: expected the number"},
        {"H 0 0 0\n", ":1: expected the number of centres alone, found 'H 0 0 0'"},
        {"2 atoms\n", ":1: expected the number"},
        {"0\n\n", ":1: 0 centres"},
        {"1000001\n\n", ":1: 1000001 centres"},
        {"99999999999999999999\n\n", ":1: expected the number"},
        {"1000000\ncomment\nH 0 0 0\n", "announces 1000000 centres, but 1 follow"},
        {"3", "announces 3 centres, but 0 follow"},
        {"2 atoms\nc\nH 0 0 0\nH 0 0 1\n", ":1: expected the number"},
        {"2 bohr angstrom\n", ":1: expected the number"},
        {"2\nc\nH 0 0 0\n\n\n", "announces 2 centres, but 1 follow"},
        {"1\nc\nH 0 0 0\nH 0 0 1\n", ":4: line 1 announces 1 centres, but more follow"},
        {"1\nc\nH 0 0\n", ":3: expected a symbol and x y z"},
        {"1\nc\nH 0 0 nan\n", ":3: the z coordinate 'nan' is not a finite number"},
        {"1\nc\nH 1e400 0 0\n", ":3: the x coordinate '1e400'"},
        {"1\nc\nH 0 0x10 0\n", ":3: the y coordinate '0x10'"},
        {"1\nc\nH 0 1e12 0\n", ":3: the y coordinate 1e12 is beyond"},
        {"1\nc\nXq 0 0 0\n", ":3: unknown element 'Xq'"},
        {"1\nc\n0 0 0 0\n", ":3: unknown element '0'"},
        {"1\nc\n119 0 0 0\n", ":3: unknown element '119'"},
        {"1\nc\nBq- 0 0 0\n", ":3: unknown element 'Bq-'"},
        {"1\nc\nBq-Bq 0 0 0\n", ":3: unknown element 'Bq-Bq'"},
        {"1\nc\nH1- 0 0 0\n", ":3: unknown element 'H1-'"},
        {"1\nc\nO: 0 0 0\n", ":3: unknown element 'O:'"},
        {"1\nc\nH- 0 0 0\n", ":3: unknown element 'H-'"},
        {"1\nc\nXo_1- 0 0 0\n", ":3: unknown element 'Xo_1-'"},
        {"1\nc\nGh() 0 0 0\n", ":3: unknown element 'Gh()'"},
        {"1\nc\nGh(O)1 0 0 0\n", ":3: unknown element 'Gh(O)1'"},
        {"1\nc\n@X 0 0 0\n", ":3: unknown element '@X'"},
        {"1\nc\nX_ 0 0 0\n", ":3: unknown element 'X_'"},
        {"1\nc\n_O 0 0 0\n", ":3: unknown element '_O'"},
        {"1\nc\n@ 0 0 0\n", ":3: unknown element '@'"},
        {"1\nc\n\x01\xff 0 0 0\n", ":3: unknown element '\?\?'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule m;
        check_refused(parse(cases[i].text, &defaults, &m), cases[i].text, cases[i].message);
        assert_null(m.atoms);
    }
}

/* Electrons must fit charge and multiplicity; centres must not coincide. */
TEST(molecules_are_checked)
{
    static const struct {
        const char *text, *message; /* NULL: accepted */
    } cases[] = {
        {"1\n\nHe 0 0 0\n", NULL},
        {"1\ncharge=1 multiplicity=2\nHe 0 0 0\n", NULL},
        {"1\nmultiplicity=3\nHe 0 0 0\n", NULL},
        {"1\n\nH 0 0 0\n", "1 electron needs an even multiplicity"},
        {"2\n0 2 radical\nO 0 0 0\nH 0 0 1\n",
         "(2, 4, ...); '0 2' in the comment line is not read: write charge=Q multiplicity=M"},
        {"1\nmultiplicity=2\nHe 0 0 0\n", "2 electrons need an odd multiplicity"},
        {"1\nmultiplicity=5\nHe 0 0 0\n", "needs 4 unpaired electrons, there are 2"},
        {"1\nmultiplicity=0\nHe 0 0 0\n", "2S+1 is at least 1"},
        {"1\ncharge=2\nHe 0 0 0\n", "there are no electrons"},
        {"1\ncharge=3\nHe 0 0 0\n", "there are no electrons"},
        {"1\n\n@He 0 0 0\n", "there are no electrons"},
        {"3\n\nO 0 0 0\nH 0 0 1\nH 0 0 1\n", "centres 2 (H) and 3 (H)"},
        {"2\nunits=bohr\nHe 5 5 5\n@He 5 5.0009 5\n", "centres 1 (He) and 2 (He)"},
        {"3\n\nHe 9 9 9\nBqO 1 1 1\nBq 1 1 1\n", "centres 2 (O) and 3 (Bq)"},
        {"2\nunits=bohr\nHe 0 0 0\nHe 0.0011 0 0\n", NULL},
        {"3\n\nHe 9 9 9\nBq 1 1 1\nBq 1 1 1\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule m = parsed(cases[i].text);
        enum status status = molecule_check(&m, "test.xyz");
        if (cases[i].message)
            check_refused(status, cases[i].text, cases[i].message);
        else
            check_ok(status);
        molecule_fini(&m);
    }
}

TEST(the_original_beryllium_file_is_recognised)
{
    struct molecule m = parsed("2\n\n4 0.0 0.0 0.0\n4 4.0 0.0 0.0\n");
    assert_true(m.bare_numbers);
    check_ok(molecule_add_displaced_ghosts(&m, 1.6));
    assert_int_equal(m.n_atoms, 14);
    assert_int_equal(molecule_n_electrons(&m), 8);
    for (int side = 0; side < 6; side++) {
        const struct atom *ghost = &m.atoms[8 + side];
        assert_true(ghost->ghost && ghost->element == 0 && ghost->charge == 0);
        for (int k = 0; k < 3; k++) {
            double shift = k == side / 2 ? (side % 2 == 0 ? 1.6 : -1.6) : 0;
            check_close(ghost->position[k], m.atoms[7].position[k] + shift, 1e-15);
        }
    }
    molecule_fini(&m);

    static const char *const others[] = {"1\ncomment\n4 0 0 0\n", "2\n\n4 0 0 0\nBe 0 0 1\n"};
    for (int i = 0; i < 2; i++) {
        m = parsed(others[i]);
        assert_false(m.bare_numbers);
        molecule_fini(&m);
    }
}
