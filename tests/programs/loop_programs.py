# SPDX-License-Identifier: BSD-3-Clause
"""Random .tce programs with symmetries, symmetrizers and loops over tuples of tiles, and what they compute.

A program's values are found while it is made, by loops over the values of all indices of each
product, which is all that a statement means, within a loop or not. An element is absent where the
labels of its indices forbid it. With each element goes the sum of the absolute values of all
products that make it, to which rounding is relative.
"""

import itertools
import math

LARGEST_TENSOR = 1300  # elements
LARGEST_NEST = 5000  # values of all indices of a product
LARGEST_SUM = 30000  # the same, of all products of a statement
ROUNDING = 2.0**-52  # of a factor that vanishes but for that
MASK = 2**64 - 1


def mix_bits(x):
    """The finaliser of SplitMix64."""
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & MASK
    return x ^ (x >> 31)


def random_element(values, seed):
    state = mix_bits((seed + 0x9e3779b97f4a7c15) & MASK)
    for value in values:
        state = (mix_bits(state ^ value) + 0x9e3779b97f4a7c15) & MASK
    return (mix_bits(state) >> 11) * 2.0**-52 - 1


FILLS = {
    "random": random_element,
    "wave": lambda values, phase: math.cos(
        phase + sum((1 + d / 4) * value / 3 for d, value in enumerate(values))),
    "constant": lambda values, c: c,
    "delta": lambda values, _: float(len(set(values)) <= 1),
}


class Space:
    def __init__(self, choose, name, n_irreps, spins):
        self.name, self.labels, blocks = name, [], []
        left = choose.choice([1, 2, 3, 4, 4, 5, 5, 6, 7])
        while left > 0:
            size = choose.randint(1, left)
            irrep, spin = choose.randrange(n_irreps), choose.randint(-1, 1) if spins else 0
            left -= size
            self.labels += [(irrep, spin)] * size
            words = {-1: " beta", 0: "", 1: " alpha"}[spin]
            blocks.append(f"{size}{f' irrep {irrep}' if irrep else ''}{words}")
        self.size = len(self.labels)
        self.text = f"space {name} = {', '.join(blocks)} tile {choose.randint(1, 4)}"


class Index:
    def __init__(self, name, space):
        self.name, self.space = name, space


class Impossible(Exception):
    """Choices that make no program: others are tried."""


class Tensor:
    """elements: by values, [value, norm]. loop: that it is local to; held: of the loop's indices, where
    a place holds the tile of one. exchanges: declared, as (sign, pairs of places)."""

    def __init__(self, name, spaces, signs, irrep=0, spin=0):
        self.name, self.spaces, self.signs, self.irrep, self.spin = name, spaces, signs, irrep, spin
        self.loop, self.held, self.fill, self.filled = None, [None] * len(spaces), "", None
        self.exchanges = []
        if math.prod(space.size for space in spaces) > LARGEST_TENSOR:
            raise Impossible
        self.elements = {values: [0.0, 0.0] for values in
                         itertools.product(*(range(space.size) for space in spaces))
                         if self.exists(values)}
        if not self.elements:
            raise Impossible

    def exists(self, values):
        irrep, spin = self.irrep, self.spin
        for space, sign, value in zip(self.spaces, self.signs, values):
            irrep ^= space.labels[value][0]
            spin -= sign * space.labels[value][1]
        return irrep == 0 and spin == 0

    def set_fill(self, name, argument):
        self.fill = f" = {name}" if argument is None else f" = {name}({argument})"
        self.filled = FILLS[name], argument
        self.reset()

    def reset(self):
        """To what the declaration says."""
        for values, element in self.elements.items():
            element[:] = [self.filled[0](values, self.filled[1]) if self.filled else 0.0, 0.0]

    def declaration(self, indices):
        labels = (f" irrep {self.irrep}" if self.irrep else "") + (f" spin {self.spin}" if self.spin
                                                                   else "")
        symmetries = "".join(f" {show_exchange(exchange, indices)}" for exchange in self.exchanges)
        return f"tensor {self.show(indices, True)}{labels}{symmetries}{self.fill}"

    def exchanged(self, values, pairs):
        values = list(values)
        for left, right in pairs:
            values[left], values[right] = values[right], values[left]
        return tuple(values)

    def asymmetry(self, exchange):
        """The largest change of an element by an exchange, and the largest element."""
        sign, pairs = exchange
        return (max(abs(element[0] - sign * self.elements[self.exchanged(values, pairs)][0])
                    for values, element in self.elements.items()),
                max(abs(element[0]) for element in self.elements.values()))

    def possible_exchanges(self):
        """Exchanges of two positions, or of two and two at once."""
        ranks = range(len(self.spaces))
        single = [(i, j) for i in ranks for j in ranks if i < j and
                  self.spaces[i] is self.spaces[j] and self.signs[i] == self.signs[j]]
        double = [(left, right) for left in single for right in single
                  if left < right and not set(left) & set(right)]
        turned = [((i, j), (k, m)) for i, j in single for k in ranks for m in ranks
                  if len({i, j, k, m}) == 4 and ((k, m) in single or (m, k) in single)]
        return [(sign, pairs) for sign in (1, -1)
                for pairs in [(pair,) for pair in single] + double + turned]

    def show(self, indices, bar):
        if not self.spaces:
            return self.name
        n_upper = self.signs.count(1)
        if bar and n_upper < len(self.signs):
            upper, lower = (",".join(index.name for index in part)
                            for part in (indices[:n_upper], indices[n_upper:]))
            return f"{self.name}[{upper}|{lower}]"
        bar = "|" if bar and self.has_spins() else ""
        return f"{self.name}[{','.join(index.name for index in indices)}{bar}]"

    def has_spins(self):
        return any(spin for space in self.spaces for _, spin in space.labels)


def show_exchange(exchange, indices):
    sign, pairs = exchange
    word = "symmetric" if sign > 0 else "antisymmetric"
    groups = [[indices[pair[side]].name for pair in pairs] for side in (0, 1)]
    if len(pairs) == 1:
        return f"{word} {groups[0][0]} {groups[1][0]}"
    return f"{word} ({' '.join(groups[0])})({' '.join(groups[1])})"


class Symmetrizer:
    """word(groups): as its text has them, all permutations or exchanges of the first with another."""

    def __init__(self, anti, groups, alone):
        self.anti, self.groups, self.alone = anti, groups, alone

    def show(self, choose):
        single = len(self.groups[0]) == 1
        between = choose.choice([", ", " "]) if single else ", "
        shown = [" ".join(index.name for index in group) for group in self.groups]
        text = f"{shown[0]} / {between.join(shown[1:])}" if self.alone else between.join(shown)
        return f"{'antisym' if self.anti else 'sym'}({text})"

    def renamings(self):
        """Pairs of a sign and a dictionary from an index to the one in its place."""
        n = len(self.groups)
        for to in itertools.permutations(range(n)):
            moved = [i for i in range(n) if to[i] != i]
            if self.alone and moved and (len(moved) != 2 or moved[0] != 0):
                continue
            parity = sum(to[i] > to[j] for i in range(n) for j in range(i + 1, n)) % 2
            renaming = {}
            for i in range(n):
                renaming.update(zip(self.groups[i], self.groups[to[i]]))
            yield (-1 if self.anti and parity else 1), renaming


class Term:
    """coefficient: its text and value."""

    def __init__(self, coefficient, symmetrizers, factors):
        self.coefficient, self.symmetrizers, self.factors = coefficient, symmetrizers, factors

    def show(self, choose, bars):
        words = [symmetrizer.show(choose) for symmetrizer in self.symmetrizers]
        text = " * ".join(tensor.show(indices, bars and choose.random() < 0.5)
                          for tensor, indices in self.factors)
        number = f"{self.coefficient[0]} * " if self.coefficient[0] else ""
        return number + " ".join(words + [text])

    def products(self):
        """All permutations: the last symmetrizer is applied first."""
        made = [(self.coefficient[1], self.factors)]
        for symmetrizer in reversed(self.symmetrizers):
            made = [(sign * value, [(tensor, [renaming.get(index, index) for index in indices])
                                    for tensor, indices in factors])
                    for value, factors in made for sign, renaming in symmetrizer.renamings()]
        return made


def add_product(value, factors, target, indices_of_target, sums):
    """In sums, by the target's values; returns whether the labels allow any element."""
    indices = list(dict.fromkeys(indices_of_target + [i for _, own in factors for i in own]))
    if math.prod(index.space.size for index in indices) > LARGEST_NEST:
        raise Impossible
    place = {index: i for i, index in enumerate(indices)}
    at_target = [place[index] for index in indices_of_target]
    at = [([place[index] for index in own], tensor.elements) for tensor, own in factors]
    met = False
    for values in itertools.product(*(range(index.space.size) for index in indices)):
        product, size, norm = value, abs(value), 0.0
        for own, elements in at:
            element = elements.get(tuple([values[i] for i in own]))
            if element is None:
                break
            product *= element[0]
            magnitude = abs(element[0]) + ROUNDING * element[1]
            norm = norm * magnitude + size * element[1]
            size *= magnitude
        else:
            position = tuple([values[i] for i in at_target])
            if position not in target.elements:
                continue
            met = True
            element = sums.setdefault(position, [[], 0.0])
            element[0].append(product)
            element[1] += size + norm
    return met


def evaluate(target, indices, word, terms):
    """The target's new elements."""
    sums, n = {}, 0
    for term in terms:
        for value, factors in term.products():
            n += math.prod(index.space.size for index in
                           set(indices + [i for _, own in factors for i in own]))
            if n > LARGEST_SUM or not add_product(value, factors, target, indices, sums):
                raise Impossible
    elements = {}
    for values, old in target.elements.items():
        products, norm = sums.get(values, [[], 0.0])
        total = math.fsum(products) * (-1 if word == "-=" else 1)
        if word != "=":
            total, norm = old[0] + total, old[1] + abs(old[0]) + norm
        elements[values] = [total, norm]
    return elements


class Maker:
    """A program: its text in lines, its tensors by names."""

    def __init__(self, choose):
        self.choose = choose
        self.n_irreps, self.spins = choose.choice([1, 1, 2, 4, 8]), choose.random() < 0.3
        self.bars = self.spins or choose.random() < 0.3
        self.spaces = [Space(choose, f"s{i}", self.n_irreps, self.spins)
                       for i in range(choose.choice([2, 2, 3]))]
        self.indices = [[Index(f"{'abc'[s]}{i}", space) for i in range(6)]
                        for s, space in enumerate(self.spaces)]
        self.tensors, self.lines, self.declarations, self.n_names = {}, [], [], 0
        self.loop = None  # the indices of the open loop
        self.summed = set()  # scalars of the open loop
        self.wrong = []  # declarations of symmetries that a tensor does not have, see declare_symmetry

    # --- tensors ---

    def new_name(self, letter):
        self.n_names += 1
        return f"{letter}{self.n_names}"

    def new_tensor(self, letter, indices, labels=None):
        signs = [1] * len(indices)
        irrep = spin = 0
        if self.bars and indices:
            n_upper = self.choose.randint(0, len(indices))
            signs = [1] * n_upper + [-1] * (len(indices) - n_upper)
        if labels:
            signs, irrep, spin = labels
        elif indices and self.choose.random() < 0.25:
            irrep = self.choose.randrange(self.n_irreps)
            spin = self.choose.randint(-1, 1) if self.spins else 0
        return Tensor(self.new_name(letter), [index.space for index in indices], signs, irrep, spin)

    def fill_randomly(self, tensor, names=("random", "random", "wave", "constant", "delta")):
        name = self.choose.choice(names)
        argument = {"random": self.choose.randint(0, 10**6),
                    "wave": round(self.choose.uniform(0, 3), 2),
                    "constant": self.choose.choice([0.5, -2, 1.25]), "delta": None}[name]
        tensor.set_fill(name, argument)

    def declare(self, tensor, indices):
        self.tensors[tensor.name] = tensor
        if self.loop:
            tensor.loop = self.loop
            tensor.held = [index if index in self.loop else None for index in indices]
            self.lines.append("    " + tensor.declaration(indices))
        elif tensor.spaces:
            self.declarations.append(tensor.declaration(indices))
        else:
            self.declarations.append(f"scalar {tensor.name}")

    def input_tensor(self, indices):
        """A stored, filled one, declared before all statements."""
        tensor = self.new_tensor("I", indices)
        self.fill_randomly(tensor)
        return tensor

    # --- products ---

    def coefficient(self):
        return self.choose.choice([("", 1.0), ("", 1.0), ("2", 2.0), ("1/2", 0.5), ("-1/3", -1 / 3),
                                   ("- 0.25", -0.25)])

    def free_indices(self, space):
        """Those of a space that are not the open loop's."""
        own = self.indices[self.spaces.index(space)]
        return [index for index in own if index not in (self.loop or [])][:4]

    def allowed_indices(self, tensor, d, loop_indices):
        if tensor.loop:
            return [tensor.held[d]] if tensor.held[d] else self.free_indices(tensor.spaces[d])
        return self.free_indices(tensor.spaces[d]) + [i for i in loop_indices
                                                      if i.space is tensor.spaces[d]]

    def readable(self, target):
        return [tensor for tensor in self.tensors.values()
                if tensor is not target and tensor.loop in (None, self.loop)
                and tensor.name not in self.summed
                and (tensor.spaces or self.choose.random() < 0.3)]

    def factors(self, target, required, loop_indices):
        """Up to four, with all required indices, and of the loop's only those that are given."""
        chosen, known = [], self.readable(target)
        for _ in range(self.choose.choice([1, 1, 2, 2, 3, 4])):
            if known and self.choose.random() < 0.6:
                tensor = self.choose.choice(known)
                held = {index for index in tensor.held if index}
                if held <= set(loop_indices):
                    chosen.append((tensor, [
                        self.choose.choice([i for i in allowed if i in required] or allowed
                                           if self.choose.random() < 0.7 else allowed)
                        for allowed in (self.allowed_indices(tensor, d, loop_indices)
                                        for d in range(len(tensor.spaces)))]))
        lacking = [index for index in required if all(index not in own for _, own in chosen)]
        self.choose.shuffle(lacking)
        while lacking or not chosen:
            n = self.choose.randint(1, 3)
            own, lacking = lacking[:n], lacking[n:]
            while len(own) < 3 and self.choose.random() < 0.4 or not own:
                space = self.choose.choice(self.spaces)
                own.append(self.choose.choice(self.free_indices(space) + own))
            chosen.append((self.input_tensor(own), own))
        if len(chosen) > 6:
            raise Impossible
        self.choose.shuffle(chosen)
        return chosen

    def symmetrizers(self, candidates):
        """Random permutation operators over some of these indices."""
        made = []
        while self.choose.random() < 0.35 and len(made) < 2:
            spaces = {index.space for index in candidates}
            pools = [[i for i in candidates if i.space is space] for space in spaces]
            pools = [pool for pool in pools if len(pool) > 1]
            if not pools:
                break
            self.choose.shuffle(pools)
            first = self.choose.sample(pools[0], min(len(pools[0]), self.choose.choice([2, 2, 3])))
            groups = [[index] for index in first]
            if len(pools) > 1 and len(pools[1]) >= len(first) and self.choose.random() < 0.5:
                for group, index in zip(groups, self.choose.sample(pools[1], len(first))):
                    group.append(index)
            made.append(Symmetrizer(self.choose.random() < 0.5, groups, self.choose.random() < 0.4))
        return made

    def term(self, target, required, loop_indices):
        factors = self.factors(target, required, loop_indices)
        fixed = {i for tensor, own in factors if tensor.loop for i in own if i in (self.loop or [])}
        occurring = list(dict.fromkeys(i for _, own in factors for i in own if i not in fixed))
        free = [i for i in occurring if self.loop is None or i not in self.loop]
        candidates = self.choose.choice([occurring, free])
        if any(tensor.loop for tensor, _ in factors):
            candidates = free
        return Term(self.coefficient(), self.symmetrizers(candidates), factors)

    # --- statements ---

    def assign(self, target, indices, word, terms):
        """Appends the statement; declares inputs that are new."""
        elements = evaluate(target, indices, word, terms)
        for term in terms:
            for tensor, own in term.factors:
                if tensor.name not in self.tensors:
                    loop, self.loop = self.loop, None
                    self.declare(tensor, own)
                    self.loop = loop
        target.elements = elements
        text = terms[0].show(self.choose, self.bars)
        for term in terms[1:]:
            text += f" {self.choose.choice(['+', '+'])} {term.show(self.choose, self.bars)}"
        left = target.show(indices, self.bars and self.choose.random() < 0.3)
        self.lines.append(f"{'    ' if self.loop else ''}{left} {word} {text}")

    def attempt(self, make, *arguments):
        """Other choices where some make no program; whether any did."""
        for _ in range(12):
            kept = (len(self.lines), list(self.declarations), dict(self.tensors), self.loop,
                    set(self.summed), list(self.wrong))
            elements = {name: tensor.elements for name, tensor in self.tensors.items()}
            try:
                make(*arguments)
                return True
            except Impossible:
                del self.lines[kept[0]:]
                self.declarations, self.tensors, self.loop, self.summed, self.wrong = kept[1:]
                for name, tensor in self.tensors.items():
                    tensor.elements = elements[name]
        return False

    def choose_word(self, target, is_new):
        if is_new:
            return "=" if not target.fill or self.choose.random() < 0.5 else "+="
        return self.choose.choice(["+=", "+=", "-=", "="])

    def stored_statement(self):
        n = self.choose.randint(1, 3)
        indices = self.choose.sample([i for own in self.indices for i in own[:4]], n)
        target = self.new_tensor("T", indices)
        if self.choose.random() < 0.2:
            self.fill_randomly(target)
        terms = [self.term(target, indices, []) for _ in range(self.choose.choice([1, 1, 2]))]
        self.declare(target, indices)
        self.assign(target, indices, self.choose_word(target, True), terms)
        if not target.fill:
            self.declare_symmetry(target, indices)

    # --- symmetries ---

    def declare_symmetry(self, target, indices):
        """Declares most exchanges that its elements have; notes one that they do not have."""
        right, without = target.declaration(indices), []
        norm = max(element[1] for element in target.elements.values())
        for exchange in target.possible_exchanges():
            change, largest = target.asymmetry(exchange)
            if largest > 1e-6 * norm and change <= 1e-12 * norm and self.choose.random() < 0.8:
                target.exchanges.append(exchange)
            elif largest > 1e-6 * norm and change > 1e-3 * largest:
                without.append(exchange)
        place = self.declarations.index(right)
        self.declarations[place] = target.declaration(indices)
        if without:
            kept = list(target.exchanges)
            target.exchanges = [self.choose.choice(without)]
            self.wrong.append((place, target.declaration(indices), len(self.lines)))
            target.exchanges = kept

    def symmetric_stored(self):
        """A tensor that symmetrizers make symmetric, over places that are one after another."""
        own, others = self.choose.choice(self.indices), self.choose.choice(self.indices)
        n = self.choose.choice([2, 2, 2, 3])
        firsts = self.choose.sample(own[:4], n)
        seconds = self.choose.sample([i for i in others if i not in firsts], n)
        anti = [self.choose.random() < 0.5 for _ in range(2)]
        kind = self.choose.randrange(4)
        if kind == 0:
            indices, made = firsts, [Symmetrizer(anti[0], [[i] for i in firsts], False)]
        elif kind == 1:
            indices = firsts + seconds
            made = [Symmetrizer(anti[0], [list(group) for group in zip(firsts, seconds)], False)]
        elif kind == 2:
            indices = firsts + seconds
            made = [Symmetrizer(anti[0], [[i] for i in firsts], False),
                    Symmetrizer(anti[1], [[i] for i in seconds], False)]
        else:
            p, q, r, s = indices = self.choose.sample(own[:5], 4)
            made = [Symmetrizer(anti[0], [[p, q], [r, s]], False),
                    Symmetrizer(anti[1], [[p], [q]], False), Symmetrizer(anti[1], [[r], [s]], False)]
        n_upper = len(firsts) if self.bars and kind < 3 and self.choose.random() < 0.6 else len(indices)
        signs = [1] * n_upper + [-1] * (len(indices) - n_upper)
        labels = signs, self.choose.choice([0, 0, self.choose.randrange(self.n_irreps)]), 0
        target = self.new_tensor("S", indices, labels)
        terms = [Term(self.coefficient(), made, self.factors(target, indices, []))
                 for _ in range(self.choose.choice([1, 1, 2]))]
        self.declare(target, indices)
        self.assign(target, indices, "=", terms)
        self.declare_symmetry(target, indices)

    def fresh_indices(self, tensor, taken):
        """Different ones for all its places, and from all that are taken."""
        chosen = []
        for space in tensor.spaces:
            free = [i for i in self.indices[self.spaces.index(space)] if i not in chosen + taken]
            if not free:
                raise Impossible
            chosen.append(self.choose.choice(free))
        return chosen

    def pair_statement(self):
        """A product of two tensors, one of them symmetric, that sums over what an exchange moves."""
        known = [t for t in self.tensors.values() if not t.loop and t.spaces]
        if not known:
            raise Impossible
        left = self.choose.choice([t for t in known if t.exchanges] or known)
        right = self.choose.choice(known)
        own = self.fresh_indices(left, [])
        other = self.fresh_indices(right, own)
        pairs = list(self.choose.choice(left.exchanges)[1]) if left.exchanges else []
        for pair in self.choose.sample(pairs, min(len(pairs), self.choose.choice([1, 1, 2]))):
            places = self.choose.choice(
                [places for _, chosen in right.exchanges for places in chosen] or
                list(itertools.combinations(range(len(right.spaces)), 2)) or [()])
            for place, at in zip(places, self.choose.choice([pair, pair[::-1]])):
                if right.spaces[place] is left.spaces[at]:
                    other[place] = own[at]
        outer = [i for i in own + other if (own + other).count(i) == 1]
        while len(outer) > 4 or outer and self.choose.random() < 0.15:
            outer.remove(self.choose.choice(outer))
        self.choose.shuffle(outer)
        factors = [(left, own), (right, other)]
        self.choose.shuffle(factors)
        is_scalar = not outer
        target = Tensor(self.new_name("E"), [], []) if is_scalar else self.new_tensor("T", outer)
        self.declare(target, outer)
        self.assign(target, outer, "=", [Term(self.coefficient(), [], factors)])
        if not is_scalar:
            self.declare_symmetry(target, outer)

    def scalar_statement(self):
        """Outside of loops, of what loops have summed, too."""
        scalars = [t for t in self.tensors.values() if not t.spaces]
        target = self.choose.choice(scalars) if scalars and self.choose.random() < 0.3 else None
        is_new = target is None
        if is_new:
            target = Tensor(self.new_name("E"), [], [])
        terms = [self.term(target, [], []) for _ in range(self.choose.choice([1, 2]))]
        others = [scalar for scalar in scalars if scalar is not target]
        if others and self.choose.random() < 0.7:
            terms.append(Term(self.coefficient(), [],
                              [(self.choose.choice(others), []) for _ in range(2)]))
        if is_new:
            self.declare(target, [])
        self.assign(target, [], self.choose_word(target, is_new), terms)

    def probe_statement(self, tensor):
        """A scalar that changes with each element of a stored tensor."""
        own = [self.indices[self.spaces.index(space)][d] for d, space in enumerate(tensor.spaces)]
        weight = self.new_tensor("I", own, (tensor.signs, tensor.irrep, tensor.spin))
        self.fill_randomly(weight, ["random"])
        target = Tensor(self.new_name("E"), [], [])
        self.declare(target, [])
        self.assign(target, [], "=", [Term(("", 1.0), [], [(tensor, own), (weight, own)])])

    # --- loops ---

    def begin_loop(self, indices, ordered):
        self.loop, self.summed = indices, set()
        between = " >= " if ordered else ", "
        tile = self.choose.choice(["", " 1", " 2", " 3", " 4", " 5"])
        self.lines.append(f"for {between.join(i.name for i in indices)} by tile{tile}")

    def end_loop(self):
        for tensor in [t for t in self.tensors.values() if t.loop]:
            del self.tensors[tensor.name]
        self.loop = None
        self.lines.append("end")

    def local_tensor(self):
        """Declared, with some of the loop's indices; and the indices of a statement that makes it."""
        indices = self.choose.sample(self.loop, self.choose.randint(0, len(self.loop)))
        while not indices or len(indices) < 4 and self.choose.random() < 0.4:
            free = [i for s in self.spaces for i in self.free_indices(s) if i not in indices]
            indices.append(self.choose.choice(free))
        self.choose.shuffle(indices)
        target = self.new_tensor("L", indices)
        if self.choose.random() < 0.25:
            self.fill_randomly(target)
        self.declare(target, indices)
        return target, indices

    def local_statement(self):
        known = [t for t in self.tensors.values() if t.loop]
        is_new = not known or self.choose.random() < 0.8
        if is_new:
            target, indices = self.local_tensor()
        else:
            target, indices = self.choose.choice(known), []
            for d, held in enumerate(target.held):
                free = [i for i in self.free_indices(target.spaces[d]) if i not in indices]
                if not held and not free:
                    raise Impossible
                indices.append(held or self.choose.choice(free))
        if is_new and target.fill and self.choose.random() < 0.3:
            return
        own = [index for index in self.loop if index in indices]
        terms = [self.term(target, indices, own) for _ in range(self.choose.choice([1, 1, 2]))]
        self.assign(target, indices, self.choose_word(target, is_new), terms)

    def loop_scalar(self):
        """The target of a sum and its word; declared before all statements."""
        known = [t for t in self.tensors.values() if not t.spaces]
        target = self.choose.choice(known) if known and self.choose.random() < 0.4 else None
        if target:
            return target, self.choose.choice(["+=", "+=", "-=", "="])
        target = Tensor(self.new_name("E"), [], [])
        loop, self.loop = self.loop, None
        self.declare(target, [])
        self.loop = loop
        return target, self.choose.choice(["=", "=", "+="])

    def sum_statement(self):
        target, word = self.loop_scalar()
        terms = [self.term(target, self.loop, self.loop)
                 for _ in range(self.choose.choice([1, 1, 2]))]
        self.assign(target, [], word, terms)
        self.summed.add(target.name)

    def unordered_loop(self):
        pool = [i for own in self.indices for i in own[:5]]
        self.begin_loop(self.choose.sample(pool, self.choose.choice([1, 2, 2, 3])), False)
        for _ in range(self.choose.randint(0, 3)):
            self.attempt(self.local_statement)
        n_sums = sum(self.attempt(self.sum_statement) for _ in range(self.choose.randint(1, 3)))
        self.end_loop()
        if n_sums == 0:
            raise Impossible

    # --- ordered loops: what they sum is symmetric ---

    def symmetric_local(self, groups, indices, labels):
        target = self.new_tensor("W", indices, labels)
        self.declare(target, indices)
        return target

    def permuted(self, groups, factors, anti):
        """All permutations of the groups written out, with their signs."""
        for sign, renaming in Symmetrizer(anti, groups, False).renamings():
            yield sign, [(tensor, [renaming.get(i, i) for i in own]) for tensor, own in factors]

    def stored_factors(self, required, target=None):
        """Without what is local."""
        kept, self.tensors = self.tensors, {name: tensor for name, tensor in self.tensors.items()
                                            if not tensor.loop}
        try:
            return self.factors(target, required, self.loop)
        finally:
            self.tensors = kept

    def ordered_sums(self, groups, symmetric, indices):
        """A scalar from products of two of the symmetric tensors, or of one and stored ones."""
        target, word = self.loop_scalar()
        parity, left = self.choose.choice(symmetric)
        partners = [tensor for other, tensor in symmetric if other == parity]
        kind = self.choose.randrange(3)
        if kind == 0:
            terms = [Term(self.coefficient(), [], [(left, indices), (self.choose.choice(partners),
                                                                    indices)])]
        elif kind == 1:
            factors, terms = self.stored_factors(sum(groups, []), target), []
            for sign, permuted in self.permuted(groups, factors, parity):
                number = ("", 1.0) if sign > 0 else ("-1", -1.0)
                terms.append(Term(number, [], permuted + [(left, indices)]))
        else:
            factors = self.stored_factors(self.loop, target)
            terms = [Term(self.coefficient(), [Symmetrizer(False, groups, False)], factors)]
        self.assign(target, [], word, terms)
        self.summed.add(target.name)

    def symmetric_statement(self, groups, symmetric, indices, labels):
        """A local tensor that changes at most its sign when groups are exchanged."""
        kind = self.choose.randrange(4) if symmetric else 0
        known = self.choose.choice(symmetric) if symmetric else None
        if kind == 0:
            anti = self.choose.random() < 0.4
            terms = [Term(self.coefficient(), [Symmetrizer(anti, groups, False)],
                          self.stored_factors(sum(groups, [])))
                     for _ in range(self.choose.choice([1, 2]))]
        elif kind == 1:
            anti, factor = known[0], self.new_tensor("d", indices, (labels[0], 0, 0))
            self.fill_randomly(factor, ["constant", "delta"])
            self.declare(factor, indices)
            terms = [Term(self.coefficient(), [], [(known[1], indices), (factor, indices)])]
        elif kind == 2:
            anti = known[0]
            terms = [Term(("", 1.0), [], [(known[1], indices)])]
            followers = [group[1] for group in groups if len(group) > 1]
            for turn in range(1, len(followers)):
                turned = dict(zip(followers, followers[turn:] + followers[:turn]))
                terms.append(Term(("2", 2.0), [], [(known[1],
                                                    [turned.get(i, i) for i in indices])]))
        else:
            anti = known[0]
            factors = self.stored_factors(sum(groups, []))
            self.assign(known[1], indices, self.choose.choice(["+=", "-="]),
                        [Term(self.coefficient(), [Symmetrizer(anti, groups, False)], factors)])
            return
        target = self.symmetric_local(groups, indices, labels)
        self.assign(target, indices, "=", terms)
        symmetric.append((anti, target))

    def ordered_loop(self):
        n = self.choose.choice([2, 2, 3])
        own, others = self.choose.choice(self.indices), self.choose.choice(self.indices)
        loop = self.choose.sample(own[:4], n)
        followers = self.choose.sample([i for i in others if i not in loop], n)
        paired = self.choose.random() < 0.7
        groups = [[a, i] if paired else [a] for a, i in zip(loop, followers)]
        indices = loop + followers if paired else list(loop)
        signs = [1] * n + [self.choose.choice([1, -1]) if self.bars else 1] * (n if paired else 0)
        labels = signs, self.choose.choice([0, 0, self.choose.randrange(self.n_irreps)]), 0
        self.begin_loop(loop, True)
        symmetric = []
        for _ in range(self.choose.randint(1, 4)):
            self.attempt(self.symmetric_statement, groups, symmetric, indices, labels)
        n_sums = symmetric and sum(self.attempt(self.ordered_sums, groups, symmetric, indices)
                                   for _ in range(self.choose.randint(1, 3)))
        self.end_loop()
        if not n_sums:
            raise Impossible

    # --- programs ---

    def make(self):
        """The text, the expected values and norms of all scalars by their names, and a text that declares a
        symmetry which a tensor does not have, with the line that is to be refused, or None."""
        for _ in range(self.choose.randint(0, 3)):
            self.attempt(self.stored_statement)
        for _ in range(self.choose.randint(0, 3)):
            self.attempt(self.symmetric_stored)
        for _ in range(self.choose.randint(0, 4)):
            self.attempt(self.pair_statement)
        for _ in range(self.choose.randint(1, 3)):
            self.attempt(self.choose.choice([self.unordered_loop, self.ordered_loop]))
            if self.choose.random() < 0.5:
                self.attempt(self.choose.choice([self.stored_statement, self.scalar_statement]))
        while not self.attempt(self.scalar_statement):
            pass
        for tensor in [t for t in self.tensors.values() if t.name[0] in "ST"]:
            self.attempt(self.probe_statement, tensor)
        head = [space.text for space in self.spaces]
        for own, space in zip(self.indices, self.spaces):
            head.append(f"index {', '.join(index.name for index in own)} : {space.name}")
        text = "\n".join(head + self.declarations + self.lines) + "\n"
        values = {t.name: t.elements[()] for t in self.tensors.values() if not t.spaces}
        if not self.wrong:
            return text, values, None
        place, declaration, line = self.choose.choice(self.wrong)
        self.declarations[place] = declaration
        wrong = "\n".join(head + self.declarations + self.lines) + "\n"
        return text, values, (wrong, len(head) + len(self.declarations) + line)
