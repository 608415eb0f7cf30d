// SPDX-License-Identifier: BSD-3-Clause
// libecpint: Shaw & Hill, J. Chem. Phys. 147, 074108 (2017).
#include "basis/integrals/ecp_libecpint.h"
#include "basis/integrals/ecp_radial.h"

#include <libecpint/ecpint.hpp>
#include <libecpint/mathutil.hpp>
#include <libecpint/qgen.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <vector>

struct ecp_library {
    ecp_library(int max_l_of_shells, int max_l_of_potentials)
        : integral(max_l_of_shells, max_l_of_potentials),
          angular(max_l_of_shells, max_l_of_potentials)
    {
        angular.compute();
    }
    libecpint::ECPIntegral integral;
    libecpint::AngularIntegral angular;
    std::unique_ptr<ecp_radial> radial = std::make_unique<ecp_radial>();
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

// A shell at its distance from a potential, for projectors of up to l.
static ecp_radial_shell radial_shell(const libecpint::GaussianShell &shell, double distance, int l)
{
    return {distance, shell.nprimitive(), shell.exps.data(), shell.coeffs.data(),
            l + shell.am() + 1};
}

// The terms of a projector of angular momentum l, or of all that are below max_l.
static std::vector<ecp_radial_term> terms_of(const libecpint::ECP &potential, int l, int max_l)
{
    std::vector<ecp_radial_term> terms;
    for (const auto &term : potential.gaussians)
        if (l < 0 ? term.l < max_l : term.l == l)
            terms.push_back({term.n, term.a, term.d});
    return terms;
}

// Adds the integrals over a projector of angular momentum l for two shells elsewhere, with radial integrals of
// ecp_radial.h: those of version 1.0.7 are wrong for odd powers, contracted shells and high angular momenta.
static void add_projected(const ecp_library &library, int l, const libecpint::ECP &potential,
                          const libecpint::GaussianShell &a, const libecpint::GaussianShell &b,
                          const libecpint::ShellPairData &data, double *cartesian)
{
    using namespace libecpint;
    const auto terms = terms_of(potential, l, 0);
    const ecp_radial_shell shells[2] = {radial_shell(a, data.Am, l), radial_shell(b, data.Bm, l)};
    ThreeIndex<double> radials(data.LA + data.LB + 1, l + data.LA + 1, l + data.LB + 1);
    for (int N = 0; N <= data.LA + data.LB; N++)
        ecp_radial_integrate(library.radial.get(), N, shells, static_cast<int>(terms.size()),
                             terms.data(), &radials(N, 0, 0));
    FiveIndex<double> CA(1, data.ncartA, data.LA + 1, data.LA + 1, data.LA + 1);
    FiveIndex<double> CB(1, data.ncartB, data.LB + 1, data.LB + 1, data.LB + 1);
    library.integral.makeC(CA, data.LA, data.A);
    library.integral.makeC(CB, data.LB, data.B);
    ThreeIndex<double> sums(data.ncartA, data.ncartB, 2 * l + 1);
    sums.fill(0.0);
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
        const int max_l = potential.getL();
        const auto terms = terms_of(potential, -1, max_l);
        const ecp_radial_shell shells[2] = {radial_shell(a, data.Am, max_l - 1),
                                            radial_shell(b, data.Bm, max_l - 1)};
        ecp_radial_begin(shells, static_cast<int>(terms.size()), terms.data(),
                         library.radial.get());
        for (int l = 0; l < max_l && library.radial->n > 0; l++)
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
