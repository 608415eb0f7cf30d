/* SPDX-License-Identifier: BSD-3-Clause */
/* Basis sets by name, in the folders of this program and of the user. */
#include "basis/input/basis_library.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file of the set, without folder. */
static void check_file(const char *name, const char *file)
{
    struct basis_set set;
    check_ok(basis_set_read_all(name, MPI_COMM_WORLD, &set));
    assert_string_equal(strrchr(set.name, '/') + 1, file);
    assert_true(set.form != BASIS_FORM_UNSTATED);
    assert_non_null(basis_set_find(&set, 4));
    basis_set_fini(&set);
}

TEST(shipped_sets_are_found_by_names_as_people_write_them)
{
    static const char *const names[][2] = {
        {"sto-3g", "sto-3g.gbs"},
        {"STO3G", "sto-3g.gbs"},
        {"6-31G", "6-31g.gbs"},
        {"6-31g*", "6-31gs.gbs"},
        {"6-31G(d)", "6-31gs.gbs"},
        {"6-31gs", "6-31gs.gbs"},
        {"6-31G(D,P)", "6-31gss.gbs"},
        {"631g**", "6-31gss.gbs"},
        {"6-31+G(d)", "6-31+gs.gbs"},
        {"6-31++g**", "6-31++gss.gbs"},
        {"6-311++G(d,p)", "6-311++gss.gbs"},
        {"6_311G**", "6-311gss.gbs"},
        {"CC-PVDZ", "cc-pvdz.gbs"},
        {"ccpvdz", "cc-pvdz.gbs"},
        {"augccpvtz", "aug-cc-pvtz.gbs"},
        {"aug-cc-pVTZ", "aug-cc-pvtz.gbs"},
        {"aug cc-pVQZ", "aug-cc-pvqz.gbs"},
        {"cc-pCVDZ", "cc-pcvdz.gbs"},
        {"def2svp", "def2-svp.gbs"},
        {"def2-SVPD", "def2-svpd.gbs"},
        {"Def2TZVPP", "def2-tzvpp.gbs"},
        {"pc-1", "pc-1.gbs"},
        {"PC2", "pc-2.gbs"},
        {"be15s", "be15s.gbs"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_file(names[i][0], names[i][1]);
}

TEST(unknown_sets_are_refused_with_the_known_ones)
{
    static const char *const names[] = {
        "6-31x",       "",           "..",      "%s%s%n",    "sto-3g\n",   "-",
        "cc-pV(T+d)Z", "def2-SV(P)", "6-31g+*", "6-31g(2d)", "cc-pvdz(d)", "6-31g(d",
        "cc-pvdz.",    "*",          "6311gs",  "6-31++g*",  "cc-pvdz+",
    };
    char long_name[200];
    struct basis_set set;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        check_status(STATUS_INPUT, basis_set_read_all(names[i], MPI_COMM_WORLD, &set));
        assert_non_null(strstr(status_text(), "unknown basis set"));
        assert_non_null(strstr(status_text(), "aug-cc-pvdz"));
        assert_null(set.elements);
    }
    memset(long_name, 'g', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    check_status(STATUS_INPUT, basis_set_read_all(long_name, MPI_COMM_WORLD, &set));
    check_status(STATUS_IO, basis_set_read_all("/no/such/file", MPI_COMM_WORLD, &set));
    check_status(STATUS_IO, basis_set_read_all("missing.gbs", MPI_COMM_WORLD, &set));
    check_status(STATUS_IO, basis_set_read_all("/", MPI_COMM_WORLD, &set));
}

TEST(the_nearest_sets_are_named_first)
{
    struct basis_set set;
    check_status(STATUS_INPUT, basis_set_read_all("AUG-CC-PVXZ", MPI_COMM_WORLD, &set));
    assert_non_null(strstr(status_text(), "known are: aug-cc-pvdz, aug-cc-pvqz, aug-cc-pvtz, cc-"));
    check_status(STATUS_INPUT, basis_set_read_all("def2-tzvpx", MPI_COMM_WORLD, &set));
    assert_non_null(strstr(status_text(), "known are: def2-tzvp, def2-tzvpd, def2-tzvpp, def2-"));
}

/* --- the user's folders --- */

/* Names by a number of an element that tells their files apart. */
struct user_folder {
    char path[64], names[4][32];
    int n;
};

static void make_folder(struct user_folder *folder)
{
    *folder = (struct user_folder){.path = "/tmp/beryl_basis_XXXXXX"};
    assert_non_null(mkdtemp(folder->path));
}

static void add_set(struct user_folder *folder, const char *name, const char *text)
{
    char path[128];
    snprintf(folder->names[folder->n], sizeof folder->names[0], "%s", name);
    snprintf(path, sizeof path, "%s/%s", folder->path, folder->names[folder->n++]);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_folder(struct user_folder *folder)
{
    for (int i = 0; i < folder->n; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder->path, folder->names[i]);
        unlink(path);
    }
    rmdir(folder->path);
}

static void check_element(const char *name, int element)
{
    struct basis_set set;
    check_ok(basis_set_read_all(name, MPI_COMM_WORLD, &set));
    assert_non_null(basis_set_find(&set, element));
    basis_set_fini(&set);
}

#define SET_OF(symbol) symbol " 0\nS 1 1\n1 1\n****\n"

TEST(the_users_folders_come_first)
{
    struct user_folder first, second;
    char folders[200];
    make_folder(&first);
    make_folder(&second);
    add_set(&first, "STO3G.gbs", SET_OF("U"));
    add_set(&second, "sto-3g.gbs", SET_OF("Th"));
    add_set(&second, "My Own (set).GBS", SET_OF("Pa"));
    snprintf(folders, sizeof folders, "/nowhere::%s:%s", first.path, second.path);
    setenv("BERYL_BASIS_PATH", folders, 1);
    check_element("STO-3G", 92);
    check_element("sto-3g", 92);
    check_element("myown(set)", 91);
    check_element("3-21g", 1);
    check_ok(basis_library_print("U"));
    unsetenv("BERYL_BASIS_PATH");
    remove_folder(&first);
    remove_folder(&second);
}

TEST(a_path_of_any_length_hides_no_folder)
{
    static char path[100000];
    memset(path, ':', sizeof path - 1);
    memset(path, 'a', sizeof path / 2);
    setenv("BERYL_BASIS_PATH", path, 1);
    check_element("sto-3g", 1);
    unsetenv("BERYL_BASIS_PATH");
}

TEST(names_of_two_files_are_ambiguous_but_for_the_very_names)
{
    struct user_folder folder;
    struct basis_set set;
    make_folder(&folder);
    add_set(&folder, "mine-1.gbs", SET_OF("U"));
    add_set(&folder, "MINE1.gbs", SET_OF("Pa"));
    add_set(&folder, "broken.gbs", "no set\n");
    setenv("BERYL_BASIS_PATH", folder.path, 1);
    check_element("mine-1", 92);
    check_element("MINE1", 91);
    check_status(STATUS_INPUT, basis_set_read_all("Mine-1", MPI_COMM_WORLD, &set));
    assert_non_null(strstr(status_text(), "/MINE1.gbs"));
    assert_non_null(strstr(status_text(), "/mine-1.gbs"));
    check_ok(basis_library_print(""));
    unsetenv("BERYL_BASIS_PATH");
    remove_folder(&folder);
}

TEST(elements_are_known_by_symbol_and_number)
{
    static const char *const good[] = {"O", "o", "8", "Bq", "118"};
    static const char *const bad[] = {"Xx", "0", "119", "-1", "ox", "8.0", "oxygen", " "};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        check_ok(basis_library_print(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_status(STATUS_USAGE, basis_library_print(bad[i]));
}
