/* The step of a trust-region Newton method by preconditioned conjugate gradients. */
#ifndef BERYL_HF_SCF_TRUST_REGION_H
#define BERYL_HF_SCF_TRUST_REGION_H

#include "hf/scf/scf_hessian.h"
#include "hf/scf/scf_rotation.h"
#include "support/base/status.h"

#include <stdbool.h>

struct scf_trust_step {
    struct scf_rotation kappa;
    double slope;     /* g . kappa, < 0 unless g is zero */
    double curvature; /* kappa . H kappa */
    double length;    /* in the metric of the preconditioner */
    bool on_boundary; /* of the trust region */
    int n_products;
};

/* Minimises g . kappa + 1/2 kappa . H kappa over |kappa| <= radius approximately: stops on the
 * boundary, at the first direction of negative curvature (followed to the
 * boundary), or when the residual is small against the gradient. Collective.
 * Errors: those of scf_hessian_multiply, STATUS_NO_MEMORY; nothing is left then. */
enum status scf_trust_step_init(struct scf_hessian *hessian, double radius,
                                struct scf_trust_step *step);
void scf_trust_step_fini(struct scf_trust_step *step);

#endif
