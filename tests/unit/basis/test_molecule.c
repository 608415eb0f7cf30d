/* SPDX-License-Identifier: BSD-3-Clause */
/* XYZ files become centres in Bohr with charge and multiplicity; bad ones are refused with the
 * line at fault. */
#include "basis/input/molecule.h"
#include "tests/check.h"

#include <stdlib.h>
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

struct symbol_case {
    const char *symbol;
    int element;
    bool ghost;
};

TEST(symbols_name_elements_and_ghosts)
{
    static const struct symbol_case cases[] = {
        {"H", 1, false}, {"og", 118, false}, {"CL", 17, false},  {"26", 26, false}, {"Bq", 0, true},
        {"bq", 0, true}, {"BqO", 8, true},   {"Bq-he", 2, true}, {"@Cl", 17, true}, {"BQ", 0, true},
        {"b", 5, false}, {"Bk", 97, false},  {"118", 118, false}};
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

struct comment_case {
    const char *comment;
    int charge, multiplicity;
    double x; /* Bohr, of a centre written at 1 */
};

TEST(comment_line_sets_charge_multiplicity_and_units)
{
    const double angstrom = 1 / BOHR_IN_ANGSTROM;
    const struct comment_case cases[] = {
        {"", 0, 1, angstrom},
        {"water, charge is nothing", 0, 1, angstrom},
        {"charge=-1 multiplicity=2 units=bohr", -1, 2, 1},
        {"Units=BOHR, Charge=+2; water", 2, 1, 1},
        {"charge=\"1\" multiplicity='3' units=\"angstrom\"", 1, 3, angstrom},
        {"\"charge=1 multiplicity=2\"", 1, 2, angstrom},
        {"title=\"ion of charge=3 and units=bohr\" charge=1", 1, 1, angstrom},
        {"Properties=species:S:1:pos:R:3 energy=-1.5 charge = 1 pbc=\"F F F\"", 1, 1, angstrom},
        {"xcharge=4 charges=5 =6 charge", 0, 1, angstrom},
        {"charge=1.0", 1, 1, angstrom},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "1\n%s\nLi 1 0 0\n", cases[i].comment);
        struct molecule m = parsed(text);
        assert_int_equal(m.charge, cases[i].charge);
        assert_int_equal(m.multiplicity, cases[i].multiplicity);
        check_close(m.atoms[0].position[0], cases[i].x, 1e-15);
        molecule_fini(&m);
    }
}

TEST(command_line_wins_over_the_comment)
{
    const struct molecule_settings settings = {.unit = LENGTH_ANGSTROM,
                                               .unit_given = true,
                                               .charge = 1,
                                               .charge_given = true,
                                               .multiplicity = 2,
                                               .multiplicity_given = true};
    struct molecule m;
    check_ok(parse("1\ncharge=5 multiplicity=4 units=bohr\nHe 1 0 0\n", &settings, &m));
    assert_int_equal(m.charge, 1);
    assert_int_equal(m.multiplicity, 2);
    check_close(m.atoms[0].position[0], 1 / BOHR_IN_ANGSTROM, 1e-15);
    molecule_fini(&m);
}

struct bad_case {
    const char *text;
    const char *message; /* a part of it */
};

TEST(bad_files_are_refused_with_their_line)
{
    static const struct bad_case cases[] = {
        {"", ":1: expected the number"},
        {"\n\n\n", ":1: expected the number"},
        {"H 0 0 0\n", ":1: expected the number of centres alone, found 'H 0 0 0'"},
        {"2 atoms\n", ":1: expected the number"},
        {"0\n\n", ":1: 0 centres"},
        {"-3\n\n", ":1: -3 centres"},
        {"1000001\n\n", ":1: 1000001 centres"},
        {"99999999999999999999\n\n", ":1: expected the number"},
        {"1000000\ncomment\nH 0 0 0\n", "announces 1000000 centres, but 1 follow"},
        {"3", "announces 3 centres, but 0 follow"},
        {"3\ncomment", "announces 3 centres, but 0 follow"},
        {"2\nc\nH 0 0 0\n\n\n", "announces 2 centres, but 1 follow"},
        {"1\nc\nH 0 0 0\nH 0 0 1\n", ":4: line 1 announces 1 centres, but more follow"},
        {"1\nc\nH 0 0\n", ":3: expected a symbol and x y z"},
        {"1\nc\nH 0 0 nan\n", ":3: the z coordinate 'nan' is not a finite number"},
        {"1\nc\nH inf 0 0\n", ":3: the x coordinate 'inf'"},
        {"1\nc\nH 1e400 0 0\n", ":3: the x coordinate '1e400'"},
        {"1\nc\nH 0 0x10 0\n", ":3: the y coordinate '0x10'"},
        {"1\nc\nH 0 1.2.3 0\n", ":3: the y coordinate '1.2.3'"},
        {"1\nc\nH 0 1e12 0\n", ":3: the y coordinate 1e12 is beyond"},
        {"1\nc\nXx 0 0 0\n", ":3: unknown element 'Xx'"},
        {"1\nc\n0 0 0 0\n", ":3: unknown element '0'"},
        {"1\nc\n119 0 0 0\n", ":3: unknown element '119'"},
        {"1\nc\nBqXx 0 0 0\n", ":3: unknown element 'BqXx'"},
        {"1\nc\nBq- 0 0 0\n", ":3: unknown element 'Bq-'"},
        {"1\nc\nBq-Bq 0 0 0\n", ":3: unknown element 'Bq-Bq'"},
        {"1\nc\n@ 0 0 0\n", ":3: unknown element '@'"},
        {"1\nc\n\x01\xff 0 0 0\n", ":3: unknown element '\?\?'"},
        {"1\ncharge=one\nH 0 0 0\n", ":2: charge= expects a whole number, found 'one'"},
        {"1\ncharge=\nH 0 0 0\n", ":2: charge= expects a whole number, found ''"},
        {"1\ncharge=1.5\nH 0 0 0\n", ":2: charge="},
        {"1\nmultiplicity=1e99\nH 0 0 0\n", ":2: multiplicity="},
        {"1\nunits=parsec\nH 0 0 0\n", ":2: units= expects bohr or angstrom, found 'parsec'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule m;
        check_status(STATUS_INPUT, parse(cases[i].text, &defaults, &m));
        if (!strstr(status_text(), cases[i].message))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", i, status_text(), cases[i].message);
        assert_null(m.atoms);
    }
}

static void check_refused(const char *text, const char *message)
{
    struct molecule m = parsed(text);
    check_status(STATUS_INPUT, molecule_check(&m, "test.xyz"));
    if (!strstr(status_text(), message))
        fail_msg("\"%s\" lacks \"%s\"", status_text(), message);
    molecule_fini(&m);
}

static void check_accepted(const char *text)
{
    struct molecule m = parsed(text);
    check_ok(molecule_check(&m, "test.xyz"));
    molecule_fini(&m);
}

TEST(electrons_must_fit_charge_and_multiplicity)
{
    check_accepted("1\n\nHe 0 0 0\n");
    check_accepted("1\ncharge=1 multiplicity=2\nHe 0 0 0\n");
    check_accepted("1\nmultiplicity=3\nHe 0 0 0\n");
    check_refused("1\n\nH 0 0 0\n", "1 electron needs an even multiplicity");
    check_refused("1\nmultiplicity=2\nHe 0 0 0\n", "2 electrons need an odd multiplicity");
    check_refused("1\nmultiplicity=5\nHe 0 0 0\n", "needs 4 unpaired electrons, there are 2");
    check_refused("1\nmultiplicity=0\nHe 0 0 0\n", "2S+1 is at least 1");
    check_refused("1\ncharge=2\nHe 0 0 0\n", "there are no electrons");
    check_refused("1\ncharge=3\nHe 0 0 0\n", "there are no electrons");
    check_refused("1\n\n@He 0 0 0\n", "there are no electrons");
}

TEST(coincident_centres_are_refused)
{
    check_refused("3\n\nO 0 0 0\nH 0 0 1\nH 0 0 1\n", "centres 2 (H) and 3 (H)");
    check_refused("2\nunits=bohr\nHe 5 5 5\n@He 5 5.0009 5\n", "centres 1 (He) and 2 (He)");
    check_refused("3\n\nHe 9 9 9\nBqO 1 1 1\nBq 1 1 1\n", "centres 2 (O) and 3 (Bq)");
    check_accepted("2\nunits=bohr\nHe 0 0 0\nHe 0.0011 0 0\n");
    check_accepted("3\n\nHe 9 9 9\nBq 1 1 1\nBq 1 1 1\n");
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

    m = parsed("1\ncomment\n4 0 0 0\n");
    assert_false(m.bare_numbers);
    molecule_fini(&m);
    m = parsed("2\n\n4 0 0 0\nBe 0 0 1\n");
    assert_false(m.bare_numbers);
    molecule_fini(&m);
}
