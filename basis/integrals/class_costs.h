/* What the shell quartets of each class cost those who compute and use them in batches. */
#ifndef BERYL_BASIS_CLASS_COSTS_H
#define BERYL_BASIS_CLASS_COSTS_H

#include "basis/input/basis_set.h"
#include "basis/integrals/two_electron.h"

/* Of one class, summed. Whole numbers are exact up to 2^53: with one type for all, a single
 * reduction adds up the costs of processes. */
struct class_cost {
    double quartets;
    double integrals;   /* as the user of the batches counts them */
    double primitives;  /* quartets of primitives, before any is left out for its weight */
    double lanes;       /* that they take in vectors of QUARTET_LANES, empty ones included */
    double selection_s; /* choosing and sorting quartets */
    double integral_s;
    double digestion_s; /* of the integrals by the user of the batches, who counts it */
};

/* Angular types of pair_class. */
enum { N_PAIR_TYPES = (BASIS_MAX_L + 1) * (BASIS_MAX_L + 2) / 2, CLASS_NAME_SIZE = 16 };

/* By the types of bra and ket in the engines' order (struct quartet_batch); to begin with, zero. */
struct class_costs {
    struct class_cost of[N_PAIR_TYPES][N_PAIR_TYPES];
};

/* Those of the class of a batch. */
struct class_cost *class_costs_of(struct class_costs *costs, const struct quartet_batch *batch);

/* The name of a class as chemists write it, "(ps|ss)". */
void class_costs_name(int bra_type, int ket_type, char name[CLASS_NAME_SIZE]);

/* Counts a batch, without its integrals. */
void class_cost_add(struct class_cost *cost, const struct quartet_batch *batch);

#endif
