#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples of a known Bayesian network, for beryl-sched --bnsl.

    bnsl_data.py DATA.csv NETWORK.csv [--variables N] [--samples N] [--seed N]

The network and its parameters are made from the seed. The variables, of two or three states,
come in groups of different sizes, as genes come in pathways; so the sets of variables that depend
on a variable, its candidate parents, differ in size. A variable has up to two parents among
the few before it in its group, and no edge joins them: two parents of a child without an edge
between them determine the direction of edges. With u_X =
2 x / (r_X - 1) - 1 in [-1, 1] for state x of the r_X that a variable has,
    P(x | parents) = exp((b + w m) u_X) / (sum over the states of X of the same),
where m is the least u of the parents or, as probable, the greatest: the child needs all of
them or one. A parent never lowers its child for any states of the others, so that effects along
different paths add up and do not cancel: what is connected in the graph is dependent in the
distribution. That parents act together and not each alone makes them dependent where the child
is known, which again determines the direction of edges; and w is far enough from 0 to be seen in
some thousand samples. Hence the network can be found again, up to the direction of those edges
that no data can determine. With 45 variables and 8,000 samples of the first ten seeds beryl-sched
does so seven times; of the other three samples a network of one edge more explains each better.
"""
import argparse
import itertools
import math
import random
import sys

GROUPS = [9, 12, 15]  # sizes, in turn
WINDOW = 6  # parents are among so many variables before
N_PARENTS = [1, 1, 2, 2, 2]  # at most; each as probable
STATES = [2, 2, 3]
STRENGTH = (1.0, 1.4)  # w
BIAS = (-0.2, 0.2)  # b


class Variable:
    def __init__(self, name, parents, random_numbers):
        self.name = name
        self.parents = parents  # Variables
        self.n_states = random_numbers.choice(STATES)
        combine = random_numbers.choice([min, max])
        bias, strength = random_numbers.uniform(*BIAS), random_numbers.uniform(*STRENGTH)
        self.cumulative = {}  # weights of the states where the parents have these
        for states in itertools.product(*(range(parent.n_states) for parent in parents)):
            levels = [level(state, parent.n_states) for state, parent in zip(states, parents)]
            field = bias + strength * combine(levels, default=0)
            self.cumulative[states] = list(itertools.accumulate(
                math.exp(field * level(x, self.n_states)) for x in range(self.n_states)))


def level(state, n_states):
    return 2 * state / (n_states - 1) - 1


def joined(one, other):
    return one in other.parents or other in one.parents


def choose_parents(near, random_numbers):
    """Variables of the list, no two of them joined."""
    n_parents = random_numbers.choice(N_PARENTS)
    parents = []
    for variable in random_numbers.sample(near, len(near)):
        if len(parents) < n_parents and not any(joined(variable, p) for p in parents):
            parents.append(variable)
    return parents


def make_network(n_variables, random_numbers):
    """The variables, parents before children."""
    network = []
    for size in itertools.cycle(GROUPS):
        group = []
        for _ in range(min(size, n_variables - len(network))):
            parents = choose_parents(group[-WINDOW:], random_numbers)
            group.append(Variable(f"V{len(network):02d}", parents, random_numbers))
            network.append(group[-1])
        if len(network) == n_variables:
            return network


def draw(network, random_numbers):
    """One sample, in the order of the network."""
    sample = {}
    for variable in network:
        cumulative = variable.cumulative[tuple(sample[p.name] for p in variable.parents)]
        sample[variable.name] = random_numbers.choices(range(variable.n_states),
                                                       cum_weights=cumulative)[0]
    return sample


def write(data, known, n_variables, n_samples, seed):
    """Writes both files. The columns are shuffled, so that their order carries no information."""
    random_numbers = random.Random(seed)
    network = make_network(n_variables, random_numbers)
    columns = [variable.name for variable in network]
    random_numbers.shuffle(columns)
    with open(data, "w", encoding="utf-8") as file:
        print(",".join(columns), file=file)
        for _ in range(n_samples):
            sample = draw(network, random_numbers)
            print(",".join(str(sample[name]) for name in columns), file=file)
    with open(known, "w", encoding="utf-8") as file:
        print("parent,child", file=file)
        for variable in network:
            for parent in variable.parents:
                print(f"{parent.name},{variable.name}", file=file)


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", metavar="DATA.csv")
    options.add_argument("network", metavar="NETWORK.csv")
    options.add_argument("--variables", type=int, default=36, metavar="N", help="(36)")
    options.add_argument("--samples", type=int, default=5000, metavar="N", help="(5000)")
    options.add_argument("--seed", type=int, default=1, metavar="N", help="(1)")
    given = options.parse_args()
    if given.variables < 2 or given.samples < 1:
        options.error("two variables and one sample at least")
    write(given.data, given.network, given.variables, given.samples, given.seed)


if __name__ == "__main__":
    sys.exit(main())
