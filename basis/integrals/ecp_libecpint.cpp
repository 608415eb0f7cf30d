// SPDX-License-Identifier: BSD-3-Clause
// libecpint: Shaw & Hill, J. Chem. Phys. 147, 074108 (2017).
#include "basis/integrals/ecp_libecpint.h"

#include <libecpint/ecpint.hpp>

#include <array>
#include <cstddef>
#include <exception>
#include <vector>

struct ecp_library {
    libecpint::ECPIntegral integral;
    std::vector<libecpint::GaussianShell> shells;
    std::vector<libecpint::ECP> potentials;
    libecpint::TwoIndex<double> block;
};

// Whether the call needed no more memory than there is.
template <typename Call> static bool done(Call call)
{
    try {
        call();
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

int ecp_library_max_l()
{
    return LIBECPINT_MAX_L;
}

ecp_library *ecp_library_create(int max_l_of_shells, int max_l_of_potentials)
{
    ecp_library *library = nullptr;
    done([&] {
        library = new ecp_library{{max_l_of_shells, max_l_of_potentials}, {}, {}, {}};
    });
    return library;
}

void ecp_library_destroy(ecp_library *library)
{
    delete library;
}

bool ecp_library_add_shell(ecp_library *library, const double center[3], int l, int n_primitives,
                           const double *exponents, const double *coefficients)
{
    return done([&] {
        libecpint::GaussianShell shell(std::array<double, 3>{center[0], center[1], center[2]}, l);
        for (int p = 0; p < n_primitives; p++)
            shell.addPrim(exponents[p], coefficients[p]);
        library->shells.push_back(shell);
    });
}

bool ecp_library_add_potential(ecp_library *library, const double center[3])
{
    return done([&] { library->potentials.emplace_back(center); });
}

bool ecp_library_add_term(ecp_library *library, int l, int power, double exponent, double c)
{
    return done([&] { library->potentials.back().addPrimitive(power, l, exponent, c); });
}

bool ecp_library_add_block(ecp_library *library, int potential, int bra, int ket, double *cartesian)
{
    return done([&] {
        library->integral.compute_shell_pair(library->potentials[potential], library->shells[bra],
                                             library->shells[ket], library->block);
        const std::vector<double> &data = library->block.data;
        for (std::size_t i = 0; i < data.size(); i++)
            cartesian[i] += data[i];
    });
}
