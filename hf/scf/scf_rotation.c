#include "hf/scf/scf_rotation.h"

#include "support/base/random.h"

#include <math.h>
#include <stdint.h>

static int n_virtual(const struct scf_basis *basis, int spin)
{
    return basis->n_orbitals - basis->n_occupied[spin];
}

static bool spin_exists(const struct scf_basis *basis, int spin)
{
    return spin < basis->n_spins && basis->n_occupied[spin] > 0 && n_virtual(basis, spin) > 0;
}

bool scf_rotation_exists(const struct scf_basis *basis)
{
    return spin_exists(basis, 0) || spin_exists(basis, 1);
}

enum status scf_rotation_init(const struct scf_basis *basis, struct scf_rotation *rotation)
{
    *rotation = (struct scf_rotation){0};
    enum status status = STATUS_OK;
    for (int s = 0; s < 2 && status == STATUS_OK; s++)
        if (spin_exists(basis, s))
            status = dense_create(basis->problem->grid, n_virtual(basis, s), basis->n_occupied[s],
                                  &rotation->kappa[s]);
    if (status != STATUS_OK)
        scf_rotation_fini(rotation);
    return status;
}

void scf_rotation_fini(struct scf_rotation *rotation)
{
    dense_destroy(rotation->kappa[0]);
    dense_destroy(rotation->kappa[1]);
    *rotation = (struct scf_rotation){0};
}

void scf_rotation_add(double alpha, const struct scf_rotation *x, double beta,
                      struct scf_rotation *y)
{
    for (int s = 0; s < 2; s++)
        if (x->kappa[s])
            dense_add(alpha, x->kappa[s], beta, y->kappa[s]);
}

double scf_rotation_dot(const struct scf_rotation *x, const struct scf_rotation *y)
{
    double sum = 0;
    for (int s = 0; s < 2; s++)
        if (x->kappa[s])
            sum += dense_dot(x->kappa[s], y->kappa[s]);
    return sum;
}

/* e_a - e_i of a local element of kappa. */
static double energy_gap(const struct dense *kappa, const double *orbital_energies, int row,
                         int column)
{
    int n_occupied = kappa->n_columns;
    return orbital_energies[n_occupied + dense_global_row(kappa, row)] -
           orbital_energies[dense_global_column(kappa, column)];
}

/* y = combine(gap, e_a - e_i, x, y), element by element. */
static void combine_with_gap(const struct scf_energy_gap *gap, const struct scf_rotation *x,
                             struct scf_rotation *y,
                             double (*combine)(const struct scf_energy_gap *gap, double difference,
                                               double x, double y))
{
    for (int s = 0; s < 2; s++) {
        const struct dense *from = x->kappa[s];
        if (!from)
            continue;
        double *to = y->kappa[s]->local;
        for (int c = 0; c < from->local_columns; c++) {
            for (int r = 0; r < from->local_rows; r++) {
                size_t at = (size_t)c * (size_t)from->local_rows + (size_t)r;
                double difference = energy_gap(from, gap->orbital_energies[s], r, c);
                to[at] = combine(gap, difference, from->local[at], to[at]);
            }
        }
    }
}

static double divide_by_gap(const struct scf_energy_gap *gap, double difference, double x, double y)
{
    (void)y;
    return x / fmax(difference + gap->shift, gap->floor);
}

void scf_rotation_divide(const struct scf_energy_gap *gap, const struct scf_rotation *x,
                         struct scf_rotation *y)
{
    combine_with_gap(gap, x, y, divide_by_gap);
}

static double add_gap_product(const struct scf_energy_gap *gap, double difference, double x,
                              double y)
{
    (void)gap;
    return y + difference * x;
}

void scf_rotation_add_gap_times(const double *const orbital_energies[2],
                                const struct scf_rotation *x, struct scf_rotation *y)
{
    struct scf_energy_gap gap = {.orbital_energies = {orbital_energies[0], orbital_energies[1]}};
    combine_with_gap(&gap, x, y, add_gap_product);
}

void scf_rotation_set_noise(struct scf_rotation *x)
{
    for (int s = 0; s < 2; s++) {
        struct dense *kappa = x->kappa[s];
        if (!kappa)
            continue;
        for (int c = 0; c < kappa->local_columns; c++) {
            for (int r = 0; r < kappa->local_rows; r++) {
                uint64_t row = (uint64_t)dense_global_row(kappa, r);
                uint64_t column = (uint64_t)dense_global_column(kappa, c);
                /* A stream for each element: the same however the matrix is dealt out. */
                struct random_stream random;
                random_stream_init(&random, row, column << 1 | (uint64_t)s);
                kappa->local[(size_t)c * (size_t)kappa->local_rows + (size_t)r] =
                    (double)(random_next(&random) >> 11) * 0x1p-52 - 1;
            }
        }
    }
}
