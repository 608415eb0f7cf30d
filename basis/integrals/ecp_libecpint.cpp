// SPDX-License-Identifier: BSD-3-Clause
// libecpint: Shaw & Hill, J. Chem. Phys. 147, 074108 (2017).
#include "basis/integrals/ecp_libecpint.h"

#include <libecpint/ecpint.hpp>
#include <libecpint/mathutil.hpp>
#include <libecpint/qgen.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <new>
#include <vector>

struct ecp_library {
    ecp_library(int max_l_of_shells, int max_l_of_potentials)
        : integral(max_l_of_shells, max_l_of_potentials),
          angular(max_l_of_shells, max_l_of_potentials)
    {
        angular.compute();
        radial.init(2 * max_l_of_shells + max_l_of_potentials);
    }
    libecpint::ECPIntegral integral;
    libecpint::AngularIntegral angular;
    libecpint::RadialIntegral radial;
    std::vector<libecpint::GaussianShell> shells;
    std::vector<libecpint::ECP> potentials;
    libecpint::TwoIndex<double> block;
};

template <typename Call> static status attempt(Call call)
{
    try {
        call();
        return STATUS_OK;
    } catch (const std::bad_alloc &) {
        return FAIL(STATUS_NO_MEMORY, "no memory for integrals of core potentials");
    } catch (const std::exception &error) {
        return FAIL(STATUS_LIBRARY, "integrals of core potentials: libecpint fails: %s",
                    error.what());
    }
}

int ecp_library_max_l()
{
    return LIBECPINT_MAX_L;
}

status ecp_library_create(int max_l_of_shells, int max_l_of_potentials, ecp_library **library)
{
    return attempt([&] { *library = new ecp_library(max_l_of_shells, max_l_of_potentials); });
}

void ecp_library_destroy(ecp_library *library)
{
    delete library;
}

status ecp_library_add_shell(ecp_library *library, const double center[3], int l, int n_primitives,
                             const double *exponents, const double *coefficients)
{
    return attempt([&] {
        libecpint::GaussianShell shell(std::array<double, 3>{center[0], center[1], center[2]}, l);
        for (int p = 0; p < n_primitives; p++)
            shell.addPrim(exponents[p], coefficients[p]);
        library->shells.push_back(shell);
    });
}

status ecp_library_add_potential(ecp_library *library, const double center[3])
{
    return attempt([&] { library->potentials.emplace_back(center); });
}

status ecp_library_add_term(ecp_library *library, int l, int power, double exponent, double c)
{
    return attempt([&] { library->potentials.back().addPrimitive(power, l, exponent, c); });
}

// Below it, the library leaves integrals out.
static const double tolerance = 1e-12;

// The places of two shells about a potential.
static libecpint::ShellPairData pair_data(const libecpint::ECP &potential,
                                          const libecpint::GaussianShell &a,
                                          const libecpint::GaussianShell &b)
{
    libecpint::ShellPairData data = {};
    data.LA = a.am();
    data.LB = b.am();
    data.maxLBasis = std::max(data.LA, data.LB);
    data.ncartA = a.ncartesian();
    data.ncartB = b.ncartesian();
    for (int k = 0; k < 3; k++) {
        data.A[k] = a.center()[k] - potential.center()[k];
        data.B[k] = b.center()[k] - potential.center()[k];
        data.A2 += data.A[k] * data.A[k];
        data.B2 += data.B[k] * data.B[k];
        data.RAB2 += (data.A[k] - data.B[k]) * (data.A[k] - data.B[k]);
    }
    data.Am = std::sqrt(data.A2);
    data.Bm = std::sqrt(data.B2);
    data.RABm = std::sqrt(data.RAB2);
    data.A_on_ecp = data.Am < 1e-6;
    data.B_on_ecp = data.Bm < 1e-6;
    return data;
}

// The integrals of r^N and two Bessel functions by recursion, exact for tight functions of low angular
// momentum. n_base: as many integrals as any recursion begins with.
static void recur_radials(const ecp_library &library, int l, const libecpint::ECP &potential,
                          const libecpint::GaussianShell &a, const libecpint::GaussianShell &b,
                          const libecpint::ShellPairData &data,
                          libecpint::ThreeIndex<double> &radials)
{
    const int L = data.LA + data.LB, n_base = 2 * (L + 2 * l) + 8;
    // Triples of N and the orders, the first of which is not the larger one.
    std::vector<libecpint::Triple> direct, swapped;
    for (int N = 0; N <= L; N++)
        for (int i = 0; i <= l + data.LA; i++)
            for (int j = (i + N) % 2; j <= l + data.LB; j += 2)
                if (std::max(i - l, 0) + std::max(j - l, 0) <= N)
                    (i <= j ? direct : swapped).push_back({N, std::min(i, j), std::max(i, j)});
    libecpint::ThreeIndex<double> reversed(L + 1, l + data.LB + 1, l + data.LA + 1);
    library.radial.type2(direct, n_base, l, potential, a, b, data.Am, data.Bm, radials);
    library.radial.type2(swapped, n_base, l, potential, b, a, data.Bm, data.Am, reversed);
    for (const auto &[N, i, j] : swapped)
        radials(N, j, i) = reversed(N, i, j);
}

// The same by quadrature, for smooth functions.
static void integrate_radials(const ecp_library &library, int l, const libecpint::ECP &potential,
                              const libecpint::GaussianShell &a, const libecpint::GaussianShell &b,
                              const libecpint::ShellPairData &data,
                              libecpint::ThreeIndex<double> &radials)
{
    const auto parameters = library.radial.buildParameters(a, b, data);
    for (int N = 0; N <= data.LA + data.LB; N++) {
        libecpint::TwoIndex<double> part;
        library.radial.type2(l, 0, l + data.LA, 0, l + data.LB, N, potential, a, b, data,
                             parameters, part);
        for (int i = 0; i <= l + data.LA; i++)
            for (int j = 0; j <= l + data.LB; j++)
                radials(N, i, j) = part(i, j);
    }
}

// Adds the integrals over a projector of angular momentum l for two shells elsewhere. In version 1.0.7,
// compute_shell_pair has constants of six digits for s and p functions, and its recursion is wrong for high
// angular momenta.
static void add_projected(const ecp_library &library, int l, const libecpint::ECP &potential,
                          const libecpint::GaussianShell &a, const libecpint::GaussianShell &b,
                          const libecpint::ShellPairData &data, double *cartesian)
{
    using namespace libecpint;
    FiveIndex<double> CA(1, data.ncartA, data.LA + 1, data.LA + 1, data.LA + 1);
    FiveIndex<double> CB(1, data.ncartB, data.LB + 1, data.LB + 1, data.LB + 1);
    library.integral.makeC(CA, data.LA, data.A);
    library.integral.makeC(CB, data.LB, data.B);
    ThreeIndex<double> radials(data.LA + data.LB + 1, l + data.LA + 1, l + data.LB + 1);
    ThreeIndex<double> sums(data.ncartA, data.ncartB, 2 * l + 1);
    radials.fill(0.0);
    sums.fill(0.0);
    const bool is_low = data.maxLBasis <= 3 && l + data.maxLBasis <= (l < 3 ? 5 : 4);
    auto find_radials = is_low ? recur_radials : integrate_radials;
    find_radials(library, l, potential, a, b, data, radials);
    qgen::rolled_up(
        l, data.LA, data.LB, radials, CA, CB,
        realSphericalHarmonics(l + data.LA, data.A[2] / data.Am, std::atan2(data.A[1], data.A[0])),
        realSphericalHarmonics(l + data.LB, data.B[2] / data.Bm, std::atan2(data.B[1], data.B[0])),
        library.angular, sums);
    for (int i = 0; i < data.ncartA; i++)
        for (int j = 0; j < data.ncartB; j++)
            for (int m = 0; m <= 2 * l; m++)
                cartesian[i * data.ncartB + j] += sums(i, j, m);
}

static void add_block(ecp_library &library, const libecpint::ECP &potential,
                      const libecpint::GaussianShell &a, const libecpint::GaussianShell &b,
                      double *cartesian)
{
    const auto data = pair_data(potential, a, b);
    if (potential.getL() > 0 && !data.A_on_ecp && !data.B_on_ecp) {
        double screens[LIBECPINT_MAX_L + 1];
        library.integral.estimate_type2(potential, a, b, data, screens);
        for (int l = 0; l < potential.getL(); l++)
            if (screens[l] > tolerance)
                add_projected(library, l, potential, a, b, data, cartesian);
        return;
    }
    library.integral.compute_shell_pair(potential, a, b, library.block);
    for (std::size_t i = 0; i < library.block.data.size(); i++)
        cartesian[i] += library.block.data[i];
}

status ecp_library_add_block(ecp_library *library, int potential, int bra, int ket,
                             double *cartesian)
{
    return attempt([&] {
        add_block(*library, library->potentials[potential], library->shells[bra],
                  library->shells[ket], cartesian);
    });
}
