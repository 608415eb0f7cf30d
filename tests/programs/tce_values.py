# SPDX-License-Identifier: BSD-3-Clause
"""Data of a .tce program: its text, and its numbers by numpy.

A tensor is a whole array here, zero where labels forbid an element, and a product is an einsum over all
values of its indices, in loops over tiles as outside. `norm` is the sum of the absolute values of all products
that make an element, and of the products in its factors: rounding is relative to it.
"""

import functools
import itertools
import math

import numpy as np

ROUNDING = 1e-10  # relative change of factors, by which a norm is differentiated
MASK = 2**64 - 1
GOLDEN = np.uint64(0x9e3779b97f4a7c15)
SPIN_WORDS = {-1: " beta", 0: "", 1: " alpha"}


def mix_bits(x):
    """The finaliser of SplitMix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    return x ^ (x >> np.uint64(31))


def random_fill(shape, seed):
    with np.errstate(over="ignore"):
        state = mix_bits(np.full((1,) * len(shape), seed & MASK, dtype=np.uint64) + GOLDEN)
        for values in np.ix_(*(np.arange(size, dtype=np.uint64) for size in shape)):
            state = mix_bits(state ^ values) + GOLDEN
        return (mix_bits(state) >> np.uint64(11)) * 2.0**-52 - 1


def wave_fill(shape, phase):
    angle = np.full(shape, float(phase))
    for d, values in enumerate(np.ix_(*(np.arange(size) for size in shape))):
        angle = angle + (1 + d / 4) * values / 3
    return np.cos(angle)


def constant_fill(shape, c):
    return np.full(shape, float(c))


def delta_fill(shape, _):
    values = np.indices(shape)
    return np.prod([values[d] == values[0] for d in range(1, len(shape))], axis=0) * np.ones(shape)


FILLS = {"random": random_fill, "wave": wave_fill, "constant": constant_fill, "delta": delta_fill}


class Space:
    """blocks: (size, irrep, spin) each. tile: 0 where the text leaves it to the program's, which may be 0, too."""

    def __init__(self, name, blocks, tile, program_tile=0):
        self.name = name
        self.n_tiles = sum(-(-size // (tile or program_tile or size)) for size, _, _ in blocks)
        self.irreps, self.spins = (np.array([block[label] for block in blocks for _ in range(block[0])])
                                   for label in (1, 2))
        self.size = len(self.irreps)
        shown = [f"{size}{f' irrep {irrep}' if irrep else ''}{SPIN_WORDS[spin]}" for size, irrep, spin in blocks]
        self.text = f"space {name} = {', '.join(shown)}{f' tile {tile}' if tile else ''}"


class Index:
    def __init__(self, name, space):
        self.name, self.space = name, space


class Tensor:
    """n_upper: indices before the bar; None: without one. held: in a loop, of each place the loop's index whose
    tile it has, else None. symmetries: declared, each (sign, groups of places)."""

    def __init__(self, name, indices, n_upper=None, irrep=0, spin=0, held=None):
        self.name, self.indices, self.n_upper, self.irrep, self.spin = name, list(indices), n_upper, irrep, spin
        self.held, self.symmetries, self.fill, self.is_declared = held, [], "", False
        irreps = functools.reduce(np.bitwise_xor.outer, [i.space.irreps for i in indices], np.array(0))
        spins = functools.reduce(np.add.outer, [self.sign(d) * i.space.spins for d, i in enumerate(indices)],
                                 np.array(0))
        self.exists = (irreps == irrep) & (spins == spin)
        self.value = self.norm = np.zeros(self.exists.shape)

    def sign(self, d):
        return 1 if self.n_upper is None or d < self.n_upper else -1

    def set_fill(self, name, text, argument):
        self.fill = f" = {name}{text}"
        self.value = FILLS[name](self.exists.shape, argument) * self.exists
        self.norm = abs(self.value)

    def may_exchange(self, groups):
        """Whether all groups have places of the same spaces, on the same sides of the bar."""
        return all(self.indices[place].space is self.indices[first].space and self.sign(place) == self.sign(first)
                   for group in groups for place, first in zip(group, groups[0]))

    def asymmetry(self, sign, groups):
        """The largest change by an exchange of two groups."""
        change = 0.0
        for left, right in zip(groups, groups[1:]):
            axes = list(range(len(self.indices)))
            for x, y in zip(left, right):
                axes[x], axes[y] = axes[y], axes[x]
            change = max(change, abs(self.value - sign * self.value.transpose(axes)).max())
        return change

    def show(self, indices, with_bar):
        if not self.indices:
            return self.name
        names = [index.name for index in indices]
        if with_bar and self.n_upper is not None:
            return f"{self.name}[{','.join(names[:self.n_upper])}|{','.join(names[self.n_upper:])}]"
        return f"{self.name}[{','.join(names)}]"

    def declaration(self):
        if not self.indices:
            return f"scalar {self.name}{self.fill}"
        labels = (f" irrep {self.irrep}" if self.irrep else "") + (f" spin {self.spin}" if self.spin else "")
        return f"tensor {self.show(self.indices, True)}{labels}{self.show_symmetries()}{self.fill}"

    def show_symmetries(self):
        text = ""
        for sign, groups in self.symmetries:
            shown = [" ".join(self.indices[place].name for place in group) for group in groups]
            single = len(groups[0]) == 1
            text += f" {'' if sign > 0 else 'anti'}symmetric " + (" ".join(shown) if single
                                                                   else f"({')('.join(shown)})")
        return text


@functools.lru_cache(maxsize=None)
def permutations(n, alone):
    """Pairs of a permutation and its parity: all of them, or exchanges of the first with another."""
    made = []
    for to in itertools.permutations(range(n)):
        moved = [i for i in range(n) if to[i] != i]
        if not alone or not moved or len(moved) == 2 and moved[0] == 0:
            made.append((to, sum(to[i] > to[j] for i, j in itertools.combinations(range(n), 2)) % 2))
    return made


class Operator:
    """sym or antisym (sign -1) of groups of indices; alone: as in sym(a / b, c)."""

    def __init__(self, sign, groups, alone=False):
        self.sign, self.groups, self.alone = sign, groups, alone

    def show(self, between):
        between = between if len(self.groups[0]) == 1 else ", "
        shown = [" ".join(index.name for index in group) for group in self.groups]
        text = f"{shown[0]} / {between.join(shown[1:])}" if self.alone else between.join(shown)
        return f"{'sym' if self.sign > 0 else 'antisym'}({text})"

    def renamings(self):
        """Pairs of a sign and a dictionary from an index to the one in its place."""
        for to, parity in permutations(len(self.groups), self.alone):
            yield self.sign**parity, {index: other for group, n in zip(self.groups, to)
                                      for index, other in zip(group, self.groups[n])}


class Term:
    """number: its text and its value. factors: pairs of a tensor and its indices."""

    def __init__(self, number, operators, factors):
        self.number, self.operators, self.factors = number, operators, factors

    def indices(self):
        return dict.fromkeys(index for _, own in self.factors for index in own)

    def multiply(self, arrays, out):
        """The product of the arrays, summed over all indices that are not in out."""
        numbers = {index: n for n, index in enumerate(dict.fromkeys(out + list(self.indices())))}
        operands = [part for array, (_, own) in zip(arrays, self.factors)
                    for part in (array, [numbers[index] for index in own])]
        return np.einsum(*operands, list(range(len(out))), optimize="greedy")

    def images(self, array, out):
        """Pairs of a sign and the array with indices exchanged; the last operator is applied first."""
        made = [(1, array)]
        for operator in reversed(self.operators):
            axes = [(sign, np.argsort([out.index(renaming.get(index, index)) for index in out]))
                    for sign, renaming in operator.renamings()]
            made = [(sign * old, before.transpose(order)) for old, before in made for sign, order in axes]
        return made

    def evaluate(self, target, indices):
        """Value and norm of all elements, and whether labels let each image of the product have some."""
        permuted = [index for operator in self.operators for group in operator.groups for index in group]
        out = list(indices) + [index for index in dict.fromkeys(permuted) if index not in indices]
        summed = tuple(range(len(indices), len(out)))
        factors = [tensor for tensor, _ in self.factors]
        product = self.multiply([tensor.value for tensor in factors], out)
        size = self.multiply([abs(tensor.value) for tensor in factors], out)
        changed = self.multiply([abs(tensor.value) + ROUNDING * tensor.norm for tensor in factors], out)
        norm = size + (changed - size) / ROUNDING
        meets = self.multiply([tensor.exists * 1.0 for tensor in factors], out) > 0
        number = self.number[1]
        return (number * sum(sign * image for sign, image in self.images(product, out)).sum(axis=summed),
                abs(number) * sum(image for _, image in self.images(norm, out)).sum(axis=summed),
                all((image.any(axis=summed) & target.exists).any() for _, image in self.images(meets, out)))

    def volume(self, indices, size):
        """Values (or tiles) of all its indices together."""
        return math.prod(size(index.space) for index in {*indices, *self.indices()})

    def n_images(self):
        return math.prod(len(permutations(len(operator.groups), operator.alone)) for operator in self.operators)
