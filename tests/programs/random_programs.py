# SPDX-License-Identifier: BSD-3-Clause
"""Random .tce programs, right ones and wrong ones, with the numbers that the right ones print.

A program is several groups of statements over the same spaces: sums of products of any rank, products of tensors
with symmetries, loops over tiles, and at the end a scalar for each stored tensor, which changes with each of its
elements. A wrong program ends with what has to be refused.
"""

import functools
import itertools
import math

import numpy as np

from tce_values import Index, Operator, Space, Tensor, Term

LARGEST = 5000  # elements of a tensor
MOST_VALUES = 300000  # of all indices of a product together
MOST_TILES = 60000  # the same in all products of an operator
MOST_PRODUCTS = 720  # of an operator, times the square of factors
RANKS = [0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8, 10, 12]
N_FACTORS = [1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 6]
PIECES = [1, 2, 2, 3, 3, 4, 6]  # ranks of new factors
NUMBERS = [("", 1), ("", 1), ("2", 2), ("1/2", 0.5), ("0.25", 0.25), ("1e-1", 0.1), ("3/4", 0.75), (".5", 0.5),
           ("-1/3", -1 / 3), ("- 2", -2), ("1.", 1), ("2/3/4", 1 / 6)]
INDICES_OF_SPACE = 24


class Impossible(Exception):
    """Choices that make no program: others are tried."""


class Finished(Exception):
    """The program ends with the reason for its refusal."""


class Case:
    """values: of each scalar, its value and norm. refused: None, or the first and the last line of what is to be
    refused and a part of the message; if that is None, right values will do as well. n_uncut: tasks that the program
    has at most where no sum is shared by several."""

    def __init__(self, text, values, refused=None):
        self.text, self.values, self.refused, self.n_uncut = text, values, refused, 0


def is_noise(tensor):
    """Whether all elements vanish but for rounding: what is left has no symmetry."""
    return not abs(tensor.value).max() > 1e-6 * tensor.norm.max()


def has_symmetry(tensor, symmetry):
    return tensor.asymmetry(*symmetry) <= 1e-12 * abs(tensor.value).max()


class Program:
    """loop: the indices of the open loop. anchor: a value for each index of a statement where all its factors
    exist. wanted: what the program is to be refused for."""

    def __init__(self, choose, sizes=None, n_irreps=None, spaces=None):
        self.choose = choose
        self.n_irreps = n_irreps or choose.choice([1, 1, 2, 4, 8])
        self.has_spins = not spaces and choose.random() < 0.3
        self.has_bars = self.has_spins or choose.random() < 0.3
        self.tile = choose.choice([0, 0, 1, 2, 3])
        sizes = sizes or [choose.choice([1, 2, 2, 2, 2, 3]), choose.randint(2, 7), choose.randint(1, 12)]
        self.spaces = spaces or [self.space(f"s{n}", size) for n, size in enumerate(sizes)]
        names = [["alpha", "_", "T1"] if n == 1 else [] for n in range(len(self.spaces))]
        self.indices = [[Index(name, space) for name in
                         names[n] + [f"{'abcd'[n]}{k}" for k in range(INDICES_OF_SPACE - len(names[n]))]]
                        for n, space in enumerate(self.spaces)]
        self.tensors, self.made, self.n_names = [], [], 0
        self.lines, self.body, self.loop, self.summed = [], None, [], set()
        self.anchor, self.wanted, self.fills = {}, None, ["random"] * 3 + ["wave", "constant", "delta"]
        self.largest, self.most_values = LARGEST, MOST_VALUES
        if self.tile:
            self.lines.append(f"tile {self.tile}")
        for space, own in zip(self.spaces, self.indices):
            self.lines += [space.text + choose.choice(["", "", "  # a comment"]),
                           f"index {', '.join(index.name for index in own)} : {space.name}"]

    def space(self, name, size):
        choose, blocks, left = self.choose, [], size
        longest = choose.choice([1, 2, size])
        is_whole = choose.random() < (0.6 if size < 4 else 0.1)
        while left > 0:
            n = left if is_whole else choose.randint(1, min(left, longest))
            spin = choose.randint(-1, 1) if self.has_spins else 0
            blocks.append((n, choose.choice([0, choose.randrange(self.n_irreps)]), spin))
            left -= n
        return Space(name, blocks, choose.choice([0, 1, 1, 2, 2, 3, 4]), self.tile)

    # --- tensors ---

    def value_of(self, index):
        return self.anchor.setdefault(index, self.choose.randrange(index.space.size))

    def new_tensor(self, letter, indices, like=None):
        """Takes another tensor's labels, or the anchor's. The tensor is declared when it is used."""
        self.check_elements(indices)
        if like:
            labels = like.n_upper, like.irrep, like.spin
        else:
            n_upper = self.choose.randint(0, len(indices)) if self.has_bars and indices else None
            labels = n_upper, *self.labels_of(indices, n_upper)
        self.n_names += 1
        held = [index if index in self.loop else None for index in indices]
        tensor = Tensor(f"{letter}{self.n_names}", indices, *labels, held if letter in "LW" else None)
        if not tensor.exists.any():
            raise Impossible
        return tensor

    def check_elements(self, indices):
        if math.prod(index.space.size for index in indices) > self.largest:
            raise Impossible

    def labels_of(self, indices, n_upper):
        irrep = spin = 0
        for d, index in enumerate(indices):
            value = self.value_of(index)
            irrep ^= int(index.space.irreps[value])
            spin += int(index.space.spins[value]) * (1 if n_upper is None or d < n_upper else -1)
        if self.wanted == "labels" and indices and self.choose.random() < 0.5:
            irrep = self.choose.randrange(8)
        return irrep, spin

    def scalar(self):
        return self.new_tensor("E", [])

    def fill(self, tensor, names=None):
        name = self.choose.choice(names or self.fills)
        text, argument = {
            "random": lambda: (f"({seed})", seed) if (seed := self.choose.randint(-10, 10**6)) else ("", 1),
            "wave": lambda: self.choose.choice([("", 0), ("(0.3)", 0.3), ("(-1/2)", -0.5), ("(2e-1)", 0.2)]),
            "constant": lambda: self.choose.choice([("", 1), ("(-2)", -2), ("(3/4)", 0.75)]),
            "delta": lambda: ("", None)}[name]()
        tensor.set_fill(name, text, argument)
        return tensor

    def draw(self, rank):
        """Different indices, of fewer elements than a tensor may have."""
        pool = [index for own in self.indices for index in own[:4]]
        if rank > 6:
            pool = self.indices[0][:12] + self.choose.sample(pool, 2)
        drawn = self.choose.sample(list(dict.fromkeys(pool)), min(rank, len(pool)))
        while math.prod(index.space.size for index in drawn) > LARGEST:
            drawn.pop()
        return drawn

    def own_indices(self, tensor, taken=()):
        """Different ones for all its places, none of them taken."""
        chosen = []
        for index in tensor.indices:
            free = [i for i in self.indices[self.spaces.index(index.space)] if i not in chosen and i not in taken]
            if not free:
                raise Impossible
            chosen.append(free[0] if taken else self.choose.choice(free[:5]))
        return chosen

    # --- products ---

    def readable(self, local):
        return [tensor for tensor in self.tensors if tensor.name not in self.summed and (local or not tensor.held)
                and (tensor.indices or self.choose.random() < 0.3)]

    def place_indices(self, tensor, required, own):
        """Indices for all positions of a known tensor; `own` has the loop's indices."""
        chosen = []
        for d, index in enumerate(tensor.indices):
            pool = self.indices[self.spaces.index(index.space)]
            allowed = [i for i in pool[:5] if i not in self.loop]
            if tensor.held:
                allowed = [tensor.held[d]] if tensor.held[d] else allowed
            else:
                allowed = allowed + [i for i in own if i.space is index.space]
            wanted = [i for i in allowed if i in required]
            chosen.append(self.choose.choice(wanted if wanted and self.choose.random() < 0.7 else allowed))
        return chosen

    def is_anchored(self, tensor, own):
        """Whether the tensor has an element at the anchor, which indices that are new to it then get."""
        rows = np.argwhere(tensor.exists)
        for d, index in enumerate(own):
            if index in self.anchor:
                rows = rows[rows[:, d] == self.anchor[index]]
            rows = rows[rows[:, d] == rows[:, own.index(index)]]
        if len(rows):
            row = self.choose.choice(rows)
            self.anchor.update(zip(own, map(int, row)))
        return len(rows) > 0

    def factors(self, required, own=(), local=True):
        """Known and new factors that have all required indices; of the loop's indices only `own` occur."""
        chosen = []
        for _ in range(self.choose.choice(N_FACTORS)):
            known = self.readable(local) + [tensor for tensor, _ in chosen]
            if not known or self.choose.random() < 0.4:
                continue
            tensor = self.choose.choice(known)
            if {index for index in tensor.held or [] if index} <= set(own):
                indices = self.place_indices(tensor, required, own)
                if self.is_anchored(tensor, indices):
                    chosen.append((tensor, indices))
        lacking = [index for index in required if all(index not in indices for _, indices in chosen)]
        self.choose.shuffle(lacking)
        while lacking or not chosen:
            n = self.choose.choice(PIECES if len(lacking) < 7 else [6, 8, 12])
            indices, lacking = lacking[:n], lacking[n:]
            while not indices or len(indices) < 5 and self.choose.random() < 0.3:
                pool = [i for i in self.choose.choice(self.indices)[:4] if i not in self.loop] + indices
                indices.append(self.choose.choice(pool))
            chosen.append((self.fill(self.new_tensor("I", indices)), indices))
        self.choose.shuffle(chosen)
        return chosen

    def two_factors(self, required, own=(), local=True):
        """New ones, each with a part of the required indices and with one that is summed, as in a product of matrices."""
        longest = max(self.indices, key=lambda indices: indices[0].space.size)
        summed = self.choose.choice([index for index in longest[:10] if index not in [*required, *own]])
        required = self.choose.sample(required, len(required))
        half = self.choose.randint((len(required) + 1) // 3, (len(required) + 1) // 2)
        parts = [self.choose.sample([*part, summed], len(part) + 1) for part in (required[:half], required[half:])]
        return [(self.fill(self.new_tensor("I", part)), part) for part in parts]

    def operators(self, candidates):
        """Random ones over some of these indices."""
        made = []
        while self.choose.random() < 0.35 and len(made) < 2:
            pools = [pool for pool in ([i for i in candidates if i.space is s] for s in self.spaces) if len(pool) > 1]
            if not pools:
                break
            self.choose.shuffle(pools)
            first = self.choose.sample(pools[0], min(len(pools[0]), self.choose.choice([2, 2, 2, 3, 4])))
            groups = [[index] for index in first]
            others = [i for pool in pools for i in pool if i not in first and i.space is pool[0].space]
            others = [i for i in others if i.space is others[0].space]
            if len(others) >= len(first) and self.choose.random() < 0.5:
                groups = [[index, other] for index, other in zip(first, self.choose.sample(others, len(first)))]
            made.append(Operator(self.choose.choice([1, -1]), groups, self.choose.random() < 0.4))
        return made

    def number(self):
        return self.choose.choice(NUMBERS)

    def term(self, required, own=()):
        factors = self.factors(required, own)
        candidates = list(dict.fromkeys(index for _, indices in factors for index in indices))
        if any(tensor.held for tensor, _ in factors) or self.choose.random() < 0.5:
            candidates = [index for index in candidates if index not in self.loop]
        return Term(self.number(), self.operators(candidates), factors)

    # --- statements ---

    def assign(self, target, indices, word, terms, symmetries=()):
        """Appends the statement with the declarations that it needs. symmetries: that a new target may have."""
        value, norm, is_met = 0, 0, True
        for term in terms:
            self.check_size(term, indices)
        for term in terms:
            made = term.evaluate(target, indices)
            value, norm, is_met = value + made[0], norm + made[1], is_met and made[2]
        if target.is_declared and target.symmetries:
            raise Impossible  # numbers may have the symmetry where other numbers would not
        if any(target is tensor for term in terms for tensor, _ in term.factors) or (
                is_met == (self.wanted == "labels")):
            raise Impossible
        value = -value if word == "-=" else value
        if word != "=":
            value, norm = target.value + value, abs(target.value) + target.norm + norm
        target.value, target.norm = value * target.exists, norm * target.exists
        chooses = not target.is_declared and not target.fill and not target.held
        if chooses:
            self.choose_symmetries(target, indices, terms, symmetries)
        for tensor in [tensor for term in terms for tensor, _ in term.factors] + [target]:
            self.declare(tensor)
        self.emit(f"{target.show(indices, self.choose.random() < 0.3)} {word} {self.show_sum(terms)}")
        self.made.append((target, indices, word, terms))
        if self.wanted == "labels" or self.wanted == "symmetry" and chooses and target.symmetries:
            raise Finished

    def check_size(self, term, indices):
        n = term.n_images()
        if (term.volume(indices, lambda space: space.size) > self.most_values
                or n * term.volume(indices, lambda space: space.n_tiles) > MOST_TILES
                or n > 1 and n * len(term.factors)**2 > MOST_PRODUCTS):
            raise Impossible

    def show_sum(self, terms):
        text = ""
        for n, term in enumerate(terms):
            number, value = term.number
            plus = " + " if n else ""
            if self.choose.random() < 0.3 and value < 0 and number[0] == "-":
                plus, number = " - " if n else "- ", number[1:].strip()
            between = self.choose.choice([" * ", " * ", " * ", " *\n    "])
            product = between.join(tensor.show(own, self.choose.random() < 0.5) for tensor, own in term.factors)
            shown = [operator.show(self.choose.choice([", ", " "])) for operator in term.operators]
            text += plus + (f"{number} * " if number else "") + " ".join(shown + [product])
        return text

    def declare(self, tensor):
        if not tensor.is_declared:
            tensor.is_declared = True
            self.tensors.append(tensor)
            (self.body if tensor.held else self.lines).append(tensor.declaration())

    def emit(self, line):
        (self.lines if self.body is None else self.body).append(line)

    def choose_symmetries(self, target, indices, terms, candidates):
        """Declares the candidates, and what operators make, where the numbers have it; or, if that is wanted, an
        exchange of one or two pairs of places that they lack. Numbers alone make no symmetry, nor do spaces of too
        few values for all their indices to differ."""
        candidates = list(candidates)
        has_values = all(sum(other.space is index.space for other in indices) <= index.space.size for index in indices)
        for operator in terms[0].operators if len(terms) == 1 and has_values else []:
            if all(index in indices for group in operator.groups for index in group) and not operator.alone:
                candidates.append((operator.sign, [[indices.index(i) for i in group] for group in operator.groups]))
        places = range(len(indices) if len(indices) <= 6 else 0)
        single = [[[x], [y]] for x, y in itertools.combinations(places, 2)]
        double = [[[x, u], [y, v]] for x, y in itertools.combinations(places, 2)
                  for u, v in itertools.permutations(places, 2) if x < u and len({x, y, u, v}) == 4]
        more = single + self.choose.sample(double, min(len(double), 8))
        candidates += [(sign, groups) for groups in more for sign in (1, -1) if self.wanted == "symmetry"]
        candidates = [] if is_noise(target) else candidates
        possible = [symmetry for symmetry in candidates if target.may_exchange(symmetry[1])]
        target.symmetries = [symmetry for symmetry in possible if has_symmetry(target, symmetry)]
        if self.wanted == "symmetry":
            wrong = [symmetry for symmetry in possible if target.asymmetry(*symmetry) > 1e-3 * abs(target.value).max()]
            if not wrong:
                raise Impossible
            target.symmetries = [self.choose.choice(wrong)]

    def attempt(self, make, *arguments):
        """Other choices where some make no program; whether any did."""
        for _ in range(12):
            self.anchor = {}
            try:
                make(*arguments)
                return True
            except Impossible:
                pass
        return False

    def statement(self):
        stored = [tensor for tensor in self.tensors if tensor.name[0] in "TSE"]
        if stored and self.choose.random() < 0.25:
            target = self.choose.choice(stored)
            indices, word = self.own_indices(target), self.choose.choice(["+=", "+=", "-=", "="])
            self.is_anchored(target, indices)
        else:
            indices = self.draw(self.choose.choice(RANKS))
            target, word = self.new_tensor("T" if indices else "E", indices), "="
            if self.choose.random() < 0.2:
                self.fill(target)
                word = self.choose.choice(["=", "+=", "-="])
        terms = [self.term(indices) for _ in range(self.choose.choice([1, 1, 1, 2, 3]))]
        self.assign(target, indices, word, terms)

    def copied_statement(self):
        """A statement from before for a new tensor, with indices renamed and factors in another order."""
        made = [one for one in self.made if not any(tensor.held for term in one[3] for tensor, _ in term.factors)
                and not one[0].held]
        if not made:
            raise Impossible
        target, indices, _, terms = self.choose.choice(made)
        names = {}
        for own in self.indices:
            names.update(zip(own, self.choose.sample(own[:5], 5) + own[5:]))
        copies = []
        for term in terms:
            factors = [(tensor, [names[index] for index in own]) for tensor, own in term.factors]
            operators = [Operator(operator.sign, [[names[index] for index in group] for group in operator.groups],
                                  operator.alone) for operator in term.operators]
            copies.append(Term(self.number(), operators, factors[1:] + factors[:1]))
        indices = [names[index] for index in indices]
        copy = self.new_tensor("T" if indices else "E", indices, like=target)
        self.assign(copy, indices, "=", copies)

    # --- symmetries ---

    def symmetric_tensor(self, groups):
        """A stored tensor that an operator over the groups makes, or one factor for each group."""
        kind = self.choose.choice(["one", "one", "power", "factors"])
        positions = list(zip(*groups))
        self.choose.shuffle(positions)
        n_upper = self.choose.randint(0, len(positions)) if self.has_bars else len(positions)
        upper, lower = ([index for position in part for index in position]
                        for part in (positions[:n_upper], positions[n_upper:]))
        self.choose.shuffle(upper)
        self.choose.shuffle(lower)
        indices = upper + lower
        if kind == "power":
            self.anchor.update((index, self.value_of(first)) for group in groups
                               for index, first in zip(group, groups[0]))
        labels = len(upper) if self.has_bars else None
        self.check_elements(indices)
        like = Tensor("", indices, labels, *self.labels_of(indices, labels))
        target = self.new_tensor("S", indices, like)
        if kind == "power":
            one = self.fill(self.new_tensor("I", groups[0]))
            self.assign(target, indices, "=", [Term(self.number(), [], [(one, group) for group in groups])],
                        [(1, [[indices.index(index) for index in group] for group in groups])])
            return target
        n_values = math.prod(index.space.size for index in groups[0])
        sign = self.choose.choice([1, -1] if len(groups) <= min(3, n_values) else [1])
        factors = self.factors(indices) if kind == "factors" else [(self.fill(self.new_tensor("I", indices, like)),
                                                                    indices)]
        self.assign(target, indices, "=", [Term(self.number(), self.group_operators(sign, groups), factors)])
        return target

    def group_operators(self, sign, groups):
        """Over the groups; over each position of them; or as (pq|rs) has them."""
        kind = self.choose.randrange(4)
        if kind == 0 and len(groups) <= 3:
            return [Operator(sign, [[index] for index in position]) for position in zip(*groups)]
        first, *others = groups
        if kind == 1 and len(groups) == len(first) == 2 and first[0].space is first[1].space:
            parity = self.choose.choice([1, -1])
            return [Operator(sign, groups)] + [Operator(parity, [[index] for index in group]) for group in groups]
        return [Operator(sign, groups)]

    def symmetric_group(self, n=None):
        """Two tensors with symmetries over as many groups; both share the groups' first position."""
        n = n or self.choose.choice([2, 2, 3, 4, 5, 6])
        width = self.choose.choice([1, 2, 2]) if n < 5 else 2
        spaces = [self.choose.randrange(len(self.spaces) if n < 4 else 1) for _ in range(2)]
        pool = [self.indices[space] for space in spaces]
        groups = [[first, pool[1][-1 - k]][:width] for k, first in enumerate(pool[0][:n])]
        left = self.symmetric_tensor(groups)
        width = self.choose.choice([1, 2, 2]) if n < 5 else 2
        groups = [[first, pool[1][-1 - n - k]][:width] for k, first in enumerate(pool[0][:n])]
        try:
            right = self.symmetric_tensor(groups)
        except Impossible:
            right = left
        self.attempt(self.pair_product, left, right)

    def pair_product(self, left, right):
        """Two tensors that share a position of the groups of a symmetry of each, often in all groups."""
        own = self.own_indices(left)
        other = self.own_indices(right, own)
        places = self.choose.sample(range(len(right.indices)), min(2, len(right.indices)))
        groups = self.choose.choice(left.symmetries)[1] if left.symmetries else []
        matches = self.choose.choice([groups for _, groups in right.symmetries] or
                                     [[[place] for place in places]])
        n_shared = min(len(groups), len(matches), self.choose.choice([2, 6, 6]))
        for position in range(min(map(len, groups), default=0)):
            at = self.choose.randrange(len(matches[0]))
            if self.choose.random() < (0.9 if position == 0 else 0.3):
                for group, match in zip(groups[:n_shared], matches):
                    if right.indices[match[at]].space is left.indices[group[position]].space:
                        other[match[at]] = own[group[position]]
        outer = [index for index in own + other if (own + other).count(index) == 1]
        self.choose.shuffle(outer)
        while len(outer) > 12 or outer and self.choose.random() < 0.1:
            outer.pop()
        factors = [(left, own), (right, other)]
        self.choose.shuffle(factors)
        for tensor, indices in factors:
            if not self.is_anchored(tensor, indices):
                raise Impossible
        target = self.new_tensor("T" if outer else "E", outer)
        self.assign(target, outer, "=", [Term(self.number(), [], factors)])

    def any_pair_product(self):
        known = [tensor for tensor in self.tensors if tensor.symmetries]
        if not known:
            raise Impossible
        others = [tensor for tensor in self.tensors if tensor.indices]
        self.pair_product(self.choose.choice(known), self.choose.choice(others))

    # --- loops ---

    def begin_loop(self, indices):
        self.loop, self.summed, self.body, self.summands = indices, set(), [], {}

    def end_loop(self, between, tiles=("", "1", "1", "2", "2", "3", "4")):
        """Leaves it out if it sums nothing."""
        body = [f"    {line}" for line in self.body]
        self.tensors = [tensor for tensor in self.tensors if not tensor.held]
        if self.summed:
            names = between.join(index.name for index in self.loop)
            self.lines += [f"for {names} by tile {self.choose.choice(tiles)}"] + body + ["end"]
        is_empty = not self.summed
        self.loop, self.summed, self.body = [], set(), None
        if is_empty:
            raise Impossible

    def sum_statement(self, terms):
        """Into a scalar, a new one or one from before."""
        known = [tensor for tensor in self.tensors if not tensor.indices]
        target, word = self.scalar(), self.choose.choice(["=", "=", "+="])
        if known and self.choose.random() < 0.4:
            target, word = self.choose.choice(known), self.choose.choice(["+=", "+=", "-=", "="])
        self.assign(target, [], word, terms)
        self.add_summand(target, word, terms)
        return target, "-=" if word == "-=" else "+="

    def add_summand(self, target, word, terms):
        """Adds a scalar's summand, an array over values of the loop's indices."""
        self.summed.add(target.name)
        summand = sum(term.evaluate(target, self.loop)[0] for term in terms) * (-1 if word == "-=" else 1)
        self.summands[target.name] = summand + (0 if word == "=" else self.summands.get(target.name, 0))

    def asymmetry(self):
        """The largest change of a summand by a permutation of the loop's indices, as a fraction."""
        return max(abs(summand - np.moveaxis(summand, d, 0)).max() / max(abs(summand).max(), 1e-100)
                   for summand in self.summands.values() for d in range(1, summand.ndim))

    def local_statement(self):
        known = [tensor for tensor in self.tensors if tensor.held]
        if known and self.choose.random() < 0.25:
            target, indices = self.choose.choice(known), []
            for index, held in zip(target.indices, target.held):
                free = [i for i in self.indices[self.spaces.index(index.space)][:5]
                        if i not in indices and i not in self.loop]
                indices.append(held or self.choose.choice(free))
            word = self.choose.choice(["+=", "+=", "-=", "="])
        else:
            free = [i for own in self.indices for i in own[:4] if i not in self.loop]
            indices = self.choose.sample(self.loop, self.choose.randint(0, len(self.loop)))
            indices += self.choose.sample(free, self.choose.randint(0 if indices else 1, 2))
            self.choose.shuffle(indices)
            target, word = self.new_tensor("L", indices), "="
            if self.choose.random() < 0.25:
                self.fill(target)
                word = self.choose.choice(["=", "+="])
        own = [index for index in self.loop if index in indices]
        self.is_anchored(target, indices)
        self.assign(target, indices, word, [self.term(indices, own) for _ in range(self.choose.choice([1, 1, 2]))])

    def unordered_sum(self):
        self.sum_statement([self.term(self.loop, self.loop) for _ in range(self.choose.choice([1, 1, 2]))])

    def unordered_loop(self):
        pool = [index for own in self.indices for index in own[:5]]
        self.begin_loop(self.choose.sample(pool, self.choose.choice([1, 2, 2, 3])))
        for _ in range(self.choose.randint(0, 3)):
            self.attempt(self.local_statement)
        for _ in range(self.choose.randint(1, 3)):
            self.attempt(self.unordered_sum)
        self.end_loop(", ")

    def all_orders(self, sign, groups, mistake=None, is_written=False):
        """Terms that are a product of stored tensors in all orders of the groups; or, by mistake, not so."""
        factors = self.choose.choice([self.factors, self.two_factors])(sum(groups, []), self.loop, local=False)
        if mistake == "plain":
            return [Term(self.number(), [], factors)]
        n_left = 1 if mistake == "subset" and len(groups) > 2 else 0
        operator = Operator(sign, groups[n_left:], alone=mistake == "alone")
        is_written = is_written or len(groups) < 4 and self.choose.random() < 0.3
        if not is_written and mistake not in ("dropped", "turned"):
            return [Term(self.number(), [operator], factors)]
        terms = [Term(("" if parity > 0 else "-1", parity), [],
                      [(tensor, [renaming.get(index, index) for index in own]) for tensor, own in factors])
                 for parity, renaming in operator.renamings()]
        changed = self.choose.choice(terms)
        if mistake == "dropped":
            terms.remove(changed)
        elif mistake == "turned":
            changed.number = ("-3", -3)
        return terms

    def symmetric_local(self, groups, symmetric, like, mistake):
        """A local tensor that changes at most its sign where groups are exchanged, for `symmetric`: pairs of a sign
        and such a tensor."""
        kind = self.choose.choice(["orders", "orders", "power", "factor", "turned", "more"] if symmetric else
                                  ["orders", "orders", "power"])
        indices, sign = like.indices, self.choose.choice([1, 1, -1])
        if kind == "more":
            sign, target = self.choose.choice(symmetric)
            self.is_anchored(target, indices)
            self.assign(target, indices, self.choose.choice(["+=", "-="]), self.all_orders(sign, groups, mistake))
            return
        target = self.new_tensor("W", indices, like)
        if kind == "orders":
            self.is_anchored(target, indices)
            terms = self.all_orders(sign, groups, mistake)
        elif kind == "power":
            sign = 1
            self.anchor.update((index, self.value_of(first)) for group in groups
                               for index, first in zip(group, groups[0]))
            one = self.fill(self.new_tensor("I", groups[0]))
            terms = [Term(self.number(), [], [(one, group) for group in groups])]
        else:
            sign, known = self.choose.choice(symmetric)
            terms = [Term(self.number(), [], [(known, indices)])]
            followers = [group[1] for group in groups if len(group) > 1]
            if kind == "factor":
                fills = ["random", "wave"] if mistake == "factor" else ["constant", "delta"]
                factor = self.fill(self.new_tensor("L", indices, like), fills)
                terms[0].factors.append((factor, indices))
            for turn in range(1, len(followers) if kind == "turned" and len(followers) < 4 else 1):
                turned = dict(zip(followers, followers[turn:] + followers[:turn]))
                terms.append(Term(("2", 2), [], [(known, [turned.get(index, index) for index in indices])]))
        self.assign(target, indices, "=", terms)
        symmetric.append((sign, target))

    def symmetric_sum(self, groups, symmetric, like, mistake):
        """A sum that does not change where groups are exchanged."""
        kind = self.choose.choice(["product", "product", "alone", "orders", "stored"] if symmetric else ["stored"])
        if kind == "stored":
            n = self.choose.choice([1, len(groups[0])])
            self.sum_statement(self.all_orders(1, [group[:n] for group in groups], mistake))
            return
        sign, left = self.choose.choice(symmetric)
        partners = [tensor for other, tensor in symmetric if (other == sign) != (mistake == "parity")]
        if kind == "orders" and len(groups) < 4:
            self.is_anchored(left, like.indices)
            terms = self.all_orders(sign, groups, mistake, is_written=True)
            for term in terms:
                term.factors.append((left, like.indices))
            half = self.choose.randint(1, len(terms))
            target, word = self.sum_statement(terms[:half])
            if half < len(terms):
                self.assign(target, [], word, terms[half:])
                self.add_summand(target, word, terms[half:])
        elif kind == "alone" and (sign > 0) != (mistake == "parity"):
            self.sum_statement([Term(self.number(), [], [(left, like.indices)])])
        elif partners:
            self.sum_statement([Term(self.number(), [], [(left, like.indices),
                                                         (self.choose.choice(partners), like.indices)])])
        else:
            raise Impossible

    def ordered_loop(self, mistake=None):
        n = self.choose.choice([2, 2, 3, 3, 3, 4])
        own, others = self.choose.choice(self.indices[1:] * 2 + self.indices[:1]), self.choose.choice(self.indices)
        loop = self.choose.sample(own[:6], n)
        followers = self.choose.sample([index for index in others[:10] if index not in loop], n)
        groups = [[a, i] for a, i in zip(loop, followers)]
        if self.choose.random() < 0.3:
            groups = [[a] for a in loop]
        positions = [list(position) for position in zip(*groups)]
        self.choose.shuffle(positions)
        n_upper = sum(map(len, positions[:self.choose.randint(0, len(positions))])) if self.has_bars else None
        indices = sum(positions, [])
        if n_upper is None:
            self.choose.shuffle(indices)
        self.check_elements(indices)
        like = Tensor("", indices, n_upper, *self.labels_of(indices, n_upper))
        self.begin_loop(loop)
        symmetric = []
        for _ in range(self.choose.randint(1, 3)):
            self.attempt(self.symmetric_local, groups, symmetric, like, mistake)
        for _ in range(self.choose.randint(1, 2)):
            self.attempt(self.symmetric_sum, groups, symmetric, like, mistake)
        if mistake:
            self.end_loop(" >= ", ["1", "1", "1", "2"])
        else:
            self.end_loop(" >= ")

    # --- programs ---

    def long_statement(self, i, a, summed, n_terms):
        self.anchor = {index: index.space.size - 1 for index in (i, a, *summed)}
        factors = [(self.fill(self.new_tensor("I", self.choose.sample([outer, *summed], 3)), ["random", "wave"]))
                   for _ in range(n_terms) for outer in (i, a)]
        sign = self.choose.choice([0, 1, -1]) if a.space is i.space else 0
        operators = [Operator(sign, [[i], [a]])] if sign else []
        terms = [Term(self.number(), operators, [(tensor, tensor.indices) for tensor in pair])
                 for pair in zip(factors[::2], factors[1::2])]
        target, word = self.new_tensor("T", self.choose.sample([i, a], 2)), "="
        if not sign and self.choose.random() < 0.5:
            self.fill(target, ["wave"])
            word = self.choose.choice(["+=", "-="])
        self.assign(target, target.indices, word, terms)

    def probe(self, tensor):
        """A scalar that changes with each element."""
        weight = self.fill(self.new_tensor("I", tensor.indices, like=tensor), ["random"])
        self.assign(self.scalar(), [], "=", [Term(("", 1), [], [(tensor, tensor.indices), (weight, tensor.indices)])])

    def case(self, refused=None):
        values = {tensor.name: (float(tensor.value), float(tensor.norm)) for tensor in self.tensors
                  if not tensor.indices}
        return Case("\n".join(self.lines) + "\n", values, refused)


def right_program(choose):
    program = Program(choose)
    groups = [program.statement, program.copied_statement, program.symmetric_group,
              functools.partial(program.symmetric_group, 6), program.any_pair_product, program.unordered_loop,
              program.ordered_loop, program.ordered_loop]
    for make in groups + choose.choices(groups, k=choose.randint(0, 4)):
        program.attempt(make)
    for tensor in [tensor for tensor in program.tensors if tensor.name[0] in "TS"]:
        program.attempt(program.probe, tensor)
    return program.case()


def long_sum(choose):
    """A small result of a sum so long that several tasks share it: from 10^7 operations for a task on, where their
    parts have at most a twentieth of the factors' elements (tce/run/contraction_slices.h)."""
    n, n_tiles, n_slices, n_terms = (choose.choice(numbers) for numbers in
                                     (range(45, 66), [1, 1, 2], [2, 2, 3], [1, 1, 2, 3]))
    length = 1.05 * n_slices * n_tiles**2 * 1e7 / 2 / n**2 / n_terms
    length = max(length, 1.05 * n_slices * n / 2 / n_terms / 0.05)
    n_first = choose.choice([1, choose.randint(5, 40)])
    n_other = math.ceil(length / n_first)
    outer = [Space(f"s{k}", [(n, 0, 0)], -(-n // n_tiles)) for k in range(2)]
    absent = [(choose.randint(1, n_other // 4), 1, 0)] if choose.random() < 0.4 else []
    summed = [Space("s2", [(n_first, 0, 0)], choose.randint(-(-n_first // 4), n_first)),
              Space("s3", absent + [(n_other, 0, 0)], n_other // choose.randint(3, 12))]
    program = Program(choose, n_irreps=1, spaces=outer + summed)
    program.largest, program.most_values = 10**7, 10**9
    i, a, b, k, m = (program.indices[space][at] for space, at in ((0, 0), (0, 1), (1, 0), (2, 0), (3, 0)))
    program.attempt(program.long_statement, i, choose.choice([a, b]), [k, m], n_terms)
    program.probe(program.made[-1][0])
    case = program.case()
    case.n_uncut = 2 * n_tiles**2
    return case


def wrong_loop(choose):
    """An ordered loop whose sum is not symmetric; often one that shows it for few tuples of tiles alone."""
    size = choose.choice([3, 4, 5, 6, 8, 12, 20])
    program = Program(choose, sizes=[size, choose.randint(1, 4), choose.choice([3, size])],
                      n_irreps=choose.choice([1, 4, 8]))
    program.fills = choose.choice([program.fills, ["delta", "delta", "constant", "random"]])
    program.attempt(choose.choice([program.statement, program.symmetric_group]))
    mistake = choose.choice(["plain", "plain", "alone", "subset", "dropped", "turned", "parity", "factor"])
    if not program.attempt(program.ordered_loop, mistake) or program.asymmetry() < 1e-3:
        return wrong_loop(choose)
    first = max(n for n, line in enumerate(program.lines) if line.startswith("for "))
    return program, first, len(program.lines) - 1, None


def wrong_statement(choose):
    """One that does not make the symmetry that is declared, or has a product whose labels can never be met, which
    may also count as zero."""
    wanted, words = choose.choice([("symmetry", "this does not make "), ("labels", None)])
    program = Program(choose, n_irreps=choose.choice([2, 4, 8]) if wanted == "labels" else None)
    program.attempt(program.statement)
    program.wanted = wanted
    try:
        for _ in range(50):
            program.attempt(choose.choice([program.statement, program.symmetric_group]))
    except Finished:
        return program, len(program.lines) - 1, len(program.lines) - 1, words
    return wrong_statement(choose)


def wrong_fill(choose):
    """A tensor that is filled with numbers that have not the symmetry that is declared."""
    program = Program(choose)
    indices = choose.sample(program.indices[1], 2)
    tensor = program.fill(Tensor("I", indices, 2 if program.has_bars else None, *program.labels_of(indices, 2)),
                          ["random", "wave"])
    tensor.symmetries = [(choose.choice([1, -1]), [[0], [1]])]
    program.declare(tensor)
    line = len(program.lines) - 1
    program.lines += ["scalar E", f"E = {tensor.show(indices, False)} * {tensor.show(indices, False)}"]
    return program, line, line, ""


def wrong_program(choose):
    program, first, last, words = choose.choice([wrong_loop] * 8 + [wrong_statement] * 3 + [wrong_fill])(choose)
    before, after = ("\n".join(program.lines[:n]).count("\n") for n in (first, last + 1))
    return program.case((before + 2, after + 1, words))


def make(choose):
    """A program of any kind."""
    return choose.choice([right_program] * 5 + [long_sum] + [wrong_program] * 6)(choose)
