// SPDX-License-Identifier: BSD-3-Clause
// libecpint: Shaw & Hill, J. Chem. Phys. 147, 074108 (2017).
#include "basis/integrals/ecp_libecpint.h"
#include "basis/integrals/ecp_radial.h"

#include <libecpint/ecpint.hpp>
#include <libecpint/mathutil.hpp>
#include <libecpint/qgen.hpp>

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
    }
    libecpint::ECPIntegral integral;
    libecpint::AngularIntegral angular;
    std::vector<ecp_radial> radial = std::vector<ecp_radial>(1); // large
    std::vector<libecpint::GaussianShell> shells;
    std::vector<libecpint::ECP> potentials;
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

// A shell about a potential.
struct placed_shell {
    placed_shell(const libecpint::ECP &potential, const libecpint::GaussianShell &from)
        : shell(from), r{from.center()[0] - potential.center()[0],
                         from.center()[1] - potential.center()[1],
                         from.center()[2] - potential.center()[2]},
          distance(std::hypot(r[0], r[1], r[2]))
    {
    }
    ecp_radial_shell radial(int l) const // for projectors of up to l
    {
        return {distance, shell.nprimitive(), shell.exps.data(), shell.coeffs.data(),
                l + shell.am() + 1};
    }
    libecpint::TwoIndex<double> harmonics(int l) const // of its direction
    {
        const double cosine = distance > 0 ? r[2] / distance : 1;
        return libecpint::realSphericalHarmonics(l + shell.am(), cosine, std::atan2(r[1], r[0]));
    }
    libecpint::FiveIndex<double> expansion(const libecpint::ECPIntegral &integral) const
    {
        const int l = shell.am() + 1;
        libecpint::FiveIndex<double> C(1, shell.ncartesian(), l, l, l);
        integral.makeC(C, shell.am(), r);
        return C;
    }
    const libecpint::GaussianShell &shell;
    double r[3], distance;
};

// The terms of projectors from one angular momentum to another.
static std::vector<ecp_radial_term> terms_of(const libecpint::ECP &potential, int first, int last)
{
    std::vector<ecp_radial_term> terms;
    for (const auto &term : potential.gaussians)
        if (term.l >= first && term.l <= last)
            terms.push_back({term.n, term.a, term.d});
    return terms;
}

// Adds the integrals over a projector of angular momentum l, with radial integrals of ecp_radial.h: those of version
// 1.0.7 are wrong for odd powers, contracted shells and high angular momenta.
static void add_projected(ecp_library &library, int l, const libecpint::ECP &potential,
                          const placed_shell &a, const placed_shell &b, double *cartesian)
{
    const auto terms = terms_of(potential, l, l);
    const ecp_radial_shell shells[2] = {a.radial(l), b.radial(l)};
    const int la = a.shell.am(), lb = b.shell.am();
    libecpint::ThreeIndex<double> radials(la + lb + 1, l + la + 1, l + lb + 1);
    ecp_radial_integrate(shells, static_cast<int>(terms.size()), terms.data(), la + lb,
                         library.radial.data(), &radials(0, 0, 0));
    auto CA = a.expansion(library.integral), CB = b.expansion(library.integral);
    auto SA = a.harmonics(l), SB = b.harmonics(l);
    libecpint::ThreeIndex<double> sums(a.shell.ncartesian(), b.shell.ncartesian(), 2 * l + 1);
    sums.fill(0.0);
    libecpint::qgen::rolled_up(l, la, lb, radials, CA, CB, SA, SB, library.angular, sums);
    for (std::size_t i = 0; i < sums.data.size(); i++)
        cartesian[i / static_cast<std::size_t>(2 * l + 1)] += sums.data[i];
}

static void add_block(ecp_library &library, const libecpint::ECP &potential, const placed_shell &a,
                      const placed_shell &b, double *cartesian)
{
    const int max_l = potential.getL() - 1;
    const auto terms = terms_of(potential, 0, max_l);
    const ecp_radial_shell shells[2] = {a.radial(max_l), b.radial(max_l)};
    ecp_radial_begin(shells, static_cast<int>(terms.size()), terms.data(), library.radial.data());
    for (int l = 0; l <= max_l && library.radial[0].n > 0; l++)
        add_projected(library, l, potential, a, b, cartesian);
}

enum status ecp_library_add_block(ecp_library *library, int potential, int bra, int ket,
                                  double *cartesian)
{
    return attempt([&] {
        const auto &placed = library->potentials[potential];
        add_block(*library, placed, {placed, library->shells[bra]}, {placed, library->shells[ket]},
                  cartesian);
    });
}
