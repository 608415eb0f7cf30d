/* The quantities of many primitive quartets at once: Boys functions as good as one by
 * one, and nothing that depends on the place in the list. */
#include "basis/integrals/primitive_quartets.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_M = BOYS_MAX_M - 1, N_PRODUCTS = PRIMITIVE_CHUNK };

/* Products that the tests make up, and a list with its answers. */
struct table {
    double zeta[N_PRODUCTS], factor[N_PRODUCTS], P[3][N_PRODUCTS];
};

static struct primitive_products products_of(struct table *table)
{
    return (struct primitive_products){
        .zeta = table->zeta, .factor = table->factor, .P = {table->P[0], table->P[1], table->P[2]}};
}

static struct primitive_quartets *list;
static struct table bra_table, ket_table;

static int start(void **state)
{
    (void)state;
    list = aligned_alloc(PRIMITIVE_ALIGNMENT, sizeof *list);
    primitive_quartets_prepare();
    primitive_quartets_prepare();
    return list == NULL;
}

static int stop(void **state)
{
    (void)state;
    free(list);
    return 0;
}

/* T = rho |P - Q|^2 of an entry, with the operations in the header's order. */
static double argument(int bra, int ket)
{
    double zeta = bra_table.zeta[bra], eta = ket_table.zeta[ket], R2 = 0;
    for (int x = 0; x < 3; x++)
        R2 += pow(bra_table.P[x][bra] - ket_table.P[x][ket], 2);
    return zeta * (eta / (zeta + eta)) * R2;
}

static double prefactor(int bra, int ket)
{
    return bra_table.factor[bra] * ket_table.factor[ket] /
           sqrt(bra_table.zeta[bra] + ket_table.zeta[ket]);
}

/* One bra and n kets at distances that give the arguments T[0..n). */
static void evaluate_at(int n, const double *T, int max_m)
{
    memset(list, 0xff, sizeof *list);
    bra_table = (struct table){.zeta = {1}, .factor = {2}};
    for (int i = 0; i < n; i++) {
        ket_table.zeta[i] = 1;
        ket_table.factor[i] = sqrt(0.5);
        ket_table.P[0][i] = sqrt(2 * T[i]);
        list->bra[i] = 0;
        list->ket[i] = i;
    }
    list->n = n;
    struct primitive_products bra = products_of(&bra_table), ket = products_of(&ket_table);
    primitive_quartets_evaluate(list, &bra, &ket, max_m);
}

static double largest_error(int n, int max_m)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        for (int m = 0; m <= max_m; m++) {
            double exact = prefactor(0, i) * boys_reference(m, argument(0, i));
            double error = fabs(list->F[m][i] / exact - 1);
            assert_false(isnan(error));
            largest = fmax(largest, error);
        }
    return largest;
}

/* Arguments first * ratio^i + step * i up to last. */
static double scan(double first, double ratio, double step, double last)
{
    double largest = 0, T[N_PRODUCTS], next = first;
    while (next <= last) {
        int n = 0;
        for (; n < N_PRODUCTS && next <= last; n++) {
            T[n] = next;
            next = next * ratio + step;
        }
        for (int max_m = 0; max_m <= MAX_M; max_m++) {
            evaluate_at(n, T, max_m);
            largest = fmax(largest, largest_error(n, max_m));
        }
    }
    return largest;
}

static void test_boys_values_have_relative_error_below_1e13(void **state)
{
    (void)state;
    double small = scan(0, 1, 0.0137, 40), tiny = scan(1e-300, 10, 0, 1);
    double large = scan(35.5, 1.013, 0, 1e4);
    print_message("largest relative error: T < 1 %.1e, T < 40 %.1e, T < 1e4 %.1e\n", tiny, small,
                  large);
    assert_true(small < 1e-13);
    assert_true(tiny < 1e-13);
    assert_true(large < 1e-13);
}

/* Where the series about the grid meets the asymptotic form, and half way between
 * the points of the grid. */
static void test_boys_values_are_good_at_the_seams(void **state)
{
    (void)state;
    double T[N_PRODUCTS];
    int n = 0;
    for (int i = -3; i <= 3; i++)
        T[n++] = 36 + i * 1e-14;
    for (int i = 0; i <= 60; i++)
        T[n++] = i * 0.625 + 0.0625;
    T[n++] = 1e4;
    for (int max_m = 0; max_m <= MAX_M; max_m++) {
        evaluate_at(n, T, max_m);
        assert_true(largest_error(n, max_m) < 1e-13);
    }
}

/* Beyond what any molecule has, values go to zero, not wrong. */
static void test_huge_arguments_are_finite(void **state)
{
    (void)state;
    const double T[] = {1e5, 1e8, 1e15, 1e100};
    evaluate_at(4, T, MAX_M);
    for (int i = 0; i < 4; i++)
        for (int m = 0; m <= MAX_M; m++) {
            assert_true(isfinite(list->F[m][i]) && list->F[m][i] >= 0);
            if (m == 0)
                check_close(list->F[0][i] * sqrt(argument(0, i)) / prefactor(0, i),
                            0.88622692545275801, 1e-14);
        }
}

static void fill_random_tables(void)
{
    uint64_t random = 3;
    struct table *tables[2] = {&bra_table, &ket_table};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < N_PRODUCTS; i++) {
            double number[5];
            for (int k = 0; k < 5; k++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                number[k] = (double)(random >> 11) * 0x1p-53;
            }
            tables[side]->zeta[i] = exp(12 * number[0] - 4);
            tables[side]->factor[i] = number[1] - 0.5;
            for (int x = 0; x < 3; x++)
                tables[side]->P[x][i] = 4 * number[2 + x] - 2;
        }
}

static void check_geometry(int i)
{
    int p = list->bra[i], q = list->ket[i];
    double zeta = bra_table.zeta[p], eta = ket_table.zeta[q];
    check_close(list->inverse[i] * (zeta + eta), 1, 1e-15);
    check_close(list->bra_weight[i] * (zeta + eta) / zeta, 1, 1e-15);
    check_close(list->ket_weight[i] * (zeta + eta) / eta, 1, 1e-15);
    for (int x = 0; x < 3; x++) {
        double P = bra_table.P[x][p], Q = ket_table.P[x][q];
        double W = (zeta * P + eta * Q) / (zeta + eta);
        check_close(list->WP[x][i], W - P, 4e-15);
        check_close(list->WQ[x][i], W - Q, 4e-15);
    }
}

static void test_geometry_and_integrals_of_random_products(void **state)
{
    (void)state;
    fill_random_tables();
    struct primitive_products bra = products_of(&bra_table), ket = products_of(&ket_table);
    for (int max_m = 1; max_m <= MAX_M; max_m += 5) {
        for (int i = 0; i < PRIMITIVE_CHUNK; i++) {
            list->bra[i] = i;
            list->ket[i] = (17 * i + 5) % N_PRODUCTS;
        }
        list->n = PRIMITIVE_CHUNK;
        primitive_quartets_evaluate(list, &bra, &ket, max_m);
        for (int i = 0; i < PRIMITIVE_CHUNK; i++) {
            check_geometry(i);
            for (int m = 0; m <= max_m; m++) {
                double T = argument(list->bra[i], list->ket[i]);
                double exact = prefactor(list->bra[i], list->ket[i]) * boys_reference(m, T);
                check_close(list->F[m][i] / exact, 1, 1e-13);
            }
        }
    }
}

/* Bit for bit: a build depends on it. */
static void test_a_value_does_not_depend_on_its_place(void **state)
{
    (void)state;
    fill_random_tables();
    struct primitive_products bra = products_of(&bra_table), ket = products_of(&ket_table);
    double alone[MAX_M + 1];
    for (int i = 0; i < 40; i++) {
        list->bra[0] = i;
        list->ket[0] = 2 * i;
        list->n = 1;
        primitive_quartets_evaluate(list, &bra, &ket, MAX_M);
        for (int m = 0; m <= MAX_M; m++)
            alone[m] = list->F[m][0];
        for (int n = 1; n < 30; n += 3)
            for (int at = 0; at < n; at++) {
                for (int k = 0; k < n; k++) {
                    list->bra[k] = k == at ? i : 3 * k;
                    list->ket[k] = k == at ? 2 * i : 200 - k;
                }
                list->n = n;
                primitive_quartets_evaluate(list, &bra, &ket, MAX_M);
                assert_int_equal(list->n, n);
                for (int m = 0; m <= MAX_M; m++)
                    assert_true(list->F[m][at] == alone[m]);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boys_values_have_relative_error_below_1e13),
        cmocka_unit_test(test_boys_values_are_good_at_the_seams),
        cmocka_unit_test(test_huge_arguments_are_finite),
        cmocka_unit_test(test_geometry_and_integrals_of_random_products),
        cmocka_unit_test(test_a_value_does_not_depend_on_its_place),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
