# SPDX-License-Identifier: BSD-3-Clause
"""Random .tce programs with an inner product so long that it is cut into slices, and what they compute.

Only products of 10^7 operations are cut (tce/contraction/contraction_slices.h), which loop_programs.py,
where each product is a step of Python, would take a minute for. Here a factor is a list of rows, one
for each value of its outer index, and an element of the result the sum over two rows. Two fifths of the results
are declared as symmetric or antisymmetric: unique blocks are then sliced.
"""

import itertools
import math
import operator

from loop_programs import FILLS

FLOPS = 1e7  # of a slice of a block, at least
MOST_PARTS = 0.05  # elements of all slices, as a fraction of the factors'


class Factor:
    """rows: of each value of the outer index, elements by the values of the summed indices; 0 where
    labels forbid one. norms: of the rows."""

    def __init__(self, choose, name, outer, summed):
        self.outer = outer
        turned = choose.sample(summed, len(summed))
        self.names = [outer[0]] + turned if choose.random() < 0.5 else turned + [outer[0]]
        self.name = name
        self.fill = choose.choice(["random", "wave"])
        self.argument = choose.randint(0, 10**6) if self.fill == "random" else choose.randint(0, 300) / 100
        self.rows, self.norms = [], []

    def text(self, outer=None):
        return f"{self.name}[{','.join(outer if outer and n == self.outer[0] else n for n in self.names)}]"

    def evaluate(self, summed, values):
        """values: those of all summed indices, None where labels forbid the element."""
        element, argument, size = FILLS[self.fill], self.argument, self.outer[1]
        turn = [(summed + [self.outer[0]]).index(name) for name in self.names]
        for x in range(size):
            row = [0.0 if at is None else element([(at + (x,))[d] for d in turn], argument) for at in values]
            self.rows.append(row)
            self.norms.append(math.sqrt(sum(map(operator.mul, row, row))))


class Maker:
    """One program: C[i,a] = a sum of products of two factors over k, or over k and l. parity: of C under the exchange
    of i and a, which are then of one space; 0: it has no symmetry."""

    def __init__(self, choose):
        self.choose = choose
        self.n_slices, self.n_terms = choose.choice([2, 2, 2, 3]), choose.choice([1, 1, 2, 3])
        self.parity = choose.choice([0, 0, 0, 1, -1])
        n_tiles = 1 if self.n_slices > 2 else choose.choice([1, 1, 2])
        n_blocks = n_tiles**2 if self.parity else n_tiles
        self.n_uncut = 2 * n_blocks  # tasks of both statements at most, did they have no slices
        outer = [choose.randint(45, 75), choose.randint(45, 75)]
        while math.prod(outer)**2 / sum(outer) > 0.9 * FLOPS / 2 * MOST_PARTS * n_blocks:
            outer[outer.index(max(outer))] -= 1
        if self.parity:
            outer = [min(outer)] * 2
        self.outer = [("i", outer[0]), ("a", outer[1])]
        self.tiles = [-(-outer[0] // n_tiles) if self.parity else outer[0], -(-outer[1] // n_tiles)]
        length = 1.05 * self.n_slices * n_blocks * FLOPS / 2 / math.prod(outer) / self.n_terms
        self.spaces, self.values = self.choose_summed(length)
        self.summed = ["k", "l"][:len(self.spaces)]

    def choose_summed(self, length):
        """Texts of the spaces of the summed indices, and these indices' values, None where the labels
        of a factor forbid them; length of them are not None, at least."""
        choose = self.choose
        sizes = [math.ceil(length)]
        if choose.random() < 0.5:
            sizes = [choose.randint(5, 40)]
            sizes.append(math.ceil(length / sizes[0]))
        labels = [[0] * size for size in sizes]
        words = [f"{size}" for size in sizes]
        if choose.random() < 0.4:
            absent = choose.randint(1, max(1, sizes[0] // 4))
            first = choose.random() < 0.5
            labels[0] = [1] * absent + labels[0] if first else labels[0] + [1] * absent
            parts = [f"{absent} irrep 1", words[0]]
            words[0] = ", ".join(parts if first else parts[::-1])
        spaces = [f"{word} tile {max(1, len(label) // choose.randint(*parts))}" for word, label, parts
                  in zip(words, labels, [(3, 12), (1, 4)])]
        values = [at if sum(label[v] for label, v in zip(labels, at)) == 0 else None
                  for at in itertools.product(*(range(len(label)) for label in labels))]
        return spaces, values

    def terms(self):
        """Pairs of factors with their coefficients."""
        made = []
        for t in range(self.n_terms):
            factors = [Factor(self.choose, f"{'AB'[n]}{t}", outer, self.summed)
                       for n, outer in enumerate(self.outer)]
            if made and self.choose.random() < 0.5:  # a factor that another product reads, too
                n = self.choose.randrange(2)
                factors[n] = made[-1][1][n]
            coefficient = self.choose.choice([("", 1.0), ("2 * ", 2.0), ("1/2 * ", 0.5), ("-1/3 * ", -1 / 3)])
            made.append((coefficient, factors))
        return made

    def product(self, terms, i, a):
        """The sum over rows i and a of all terms, and a bound of its absolute values (Cauchy and Schwarz)."""
        total = norm = 0.0
        for (_, number), (left, right) in terms:
            total += number * sum(map(operator.mul, left.rows[i], right.rows[a]))
            norm += abs(number) * left.norms[i] * right.norms[a]
        return total, norm

    def evaluate(self, terms, old, sign):
        """The sum of all elements of C, and a bound of the sum of absolute values."""
        places = itertools.product(*(range(size) for _, size in self.outer))
        products = {(i, a): self.product(terms, i, a) for i, a in places}
        for (i, a), (total, norm) in products.items():
            if self.parity:
                exchanged = products[a, i]
                total, norm = total + self.parity * exchanged[0], norm + exchanged[1]
            before = old(i, a)
            yield (i, a), before + sign * total, abs(before) + norm

    def declaration(self, result, phase):
        """Declares C; a symmetric one begins at zero."""
        if not self.parity:
            return f"tensor {result} = wave({phase})"
        return f"tensor {result} {'symmetric' if self.parity > 0 else 'antisymmetric'} i a"

    def make(self):
        """As loop_programs.Maker.make; no symmetry that could be wrong."""
        choose, terms = self.choose, self.terms()
        factors = {id(factor): factor for _, pair in terms for factor in pair}.values()
        for factor in factors:
            factor.evaluate(self.summed, self.values)
        word = choose.choice(["=", "+=", "-="]) if not self.parity else "="
        turned = choose.random() < 0.5
        phase = choose.randint(0, 300) / 100
        result = "C[a,i]" if turned else "C[i,a]"

        def wave(i, a):
            return FILLS["wave"]([a, i] if turned else [i, a], phase)

        def old(i, a):
            return 0.0 if word == "=" else wave(i, a)

        value = norm = 0.0
        for (i, a), element, bound in self.evaluate(terms, old, -1 if word == "-=" else 1):
            weight = FILLS["random"]([i, a], 7)
            value, norm = value + weight * element, norm + abs(weight) * bound
        lines = [f"space {name}s = {size} tile {tile}" for (name, size), tile in zip(self.outer, self.tiles)]
        lines += [f"space {name}s = {text}" for name, text in zip(self.summed, self.spaces)]
        space_of = {"a": "i"} if self.parity else {}
        lines += [f"index {name} : {space_of.get(name, name)}s" for name in ["i", "a"] + self.summed]
        lines += [f"tensor {factor.text()} = {factor.fill}({factor.argument})" for factor in factors]
        lines += [self.declaration(result, phase), "tensor W[i,a] = random(7)", "scalar E"]
        operator_text = {0: "", 1: "sym(i a) ", -1: "antisym(i a) "}[self.parity]
        products = " + ".join(f"{text}{operator_text}{left.text()} * {right.text()}"
                              for (text, _), (left, right) in terms)
        lines += [f"{result} {word} {products}", f"E = {result} * W[i,a]"]
        return "\n".join(lines) + "\n", {"E": [value, norm]}, None
