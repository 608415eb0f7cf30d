#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recorded runs as one self-contained page of HTML: the program beryl-report.

Reads results as --json writes them (RESULTS.md) and writes answers in a few sentences, tables, and
charts as inline SVG. One basis for all numbers of a run: means over the iterations that count, which
are named above its tables. A part is left out where the result lacks its data. The same results give
the same bytes. The build puts in the version, page.css and page.js.
"""

import getopt
import html
import json
import math
import os
import re
import signal
import sys

VERSION = "@PROJECT_VERSION@"
STYLE = r"""@PAGE_STYLE@"""
SCRIPT = r"""@PAGE_SCRIPT@"""

HELP = """Usage: beryl-report RUN.json ... -o page.html

Turns recorded runs (what --json writes) into one self-contained page; several runs are
compared.

Options:
  -o, --output FILE.html  the page to write

Help:
  --version               name and version of the program
  -h, --help              the options that most users need
  --help-all              all options
"""

NAN = math.nan
NO_BREAK = "\u00a0"
FIRST_COUNTED = 2  # iteration of a run that repeats its work: those before are warm-up
MAX_PLACES = 200  # along a chart or down a table of iterations
# Uses of the workers' time with the colours of their marks; causes of its loss.
USES = {"task": 0, "search": 1, "idle": 2, "scheduler": 3, "communication": 4}
CAUSES = {"search": "the search for tasks", "idle": "waiting for messages and for the end",
          "scheduler": "the scheduler", "communication": "communication"}


class Refusal(Exception):
    """A bad command line or input; the text says what to do."""


# --- values of JSON of any shape ---

def at(value, *keys):
    """The value under keys of objects and indices of arrays, or None."""
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def real(value, *keys):
    """The number under the keys. NaN if it is missing or absurdly large; 0 if it is absurdly small."""
    value = at(value, *keys)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e100:
        return NAN
    return float(value) if abs(value) > 1e-100 else 0.0


def words(value, *keys):
    value = at(value, *keys)
    return value if isinstance(value, str) else ""


def numbers(value, *keys):
    value = at(value, *keys)
    return [real(entry) for entry in value[:4096]] if isinstance(value, list) else []


def objects(value, *keys):
    value = at(value, *keys)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def pairs(value, *keys):
    value = at(value, *keys)
    return list(value.items()) if isinstance(value, dict) else []


def known(values):
    return [value for value in values if math.isfinite(value)]


def mean(values):
    values = known(values)
    return sum(values) / len(values) if values else NAN


# --- runs ---

class Run:
    """A result under one mode. `shared` has the keys of the result, `figures` the keys of this mode.
    Outside a comparison both are the same object."""

    def __init__(self, file, result, shared, figures, mode):
        self.file, self.result, self.shared, self.figures = file, result, shared, figures
        self.number = 0
        self.is_compared = mode is not None
        self.mode = mode or words(figures, "sched") or "mode not known"
        self.workers = self.count("workers")
        self.lanes = self.workers * self.count("machine", "threads")
        self.timeline = self.own("timeline")
        self.iterations = objects(figures, "iterations")
        self.rounds = list(dict.fromkeys(known(real(entry, "round") for entry in self.iterations)))
        self.first_counted = self.find_first_counted()
        self.counted = [entry for entry in self.iterations if self.counts(entry)] or self.iterations
        self.has_warm_up = len(self.counted) < len(self.iterations)
        has_fock = any("fock_seconds" in entry for entry in self.iterations)
        self.word, self.article = ("Fock build", "a") if has_fock else ("iteration", "an")
        seconds = known(map(seconds_of, self.counted))
        self.has_medians = math.isfinite(real(figures, "median_seconds"))
        self.seconds = real(figures, "median_seconds") if self.has_medians else mean(seconds)
        interval = numbers(figures, "interval_seconds")
        ends = [min(seconds), max(seconds)] if len(seconds) > 1 else []
        self.spread = interval if len(known(interval)) == 2 else ends
        self.verdict = words(figures, "ratio", "verdict")
        interval = numbers(figures, "ratio", "interval")
        self.interval = interval if len(known(interval)) == 2 else []  # of the ratio to the first mode
        # A mode that knows all durations beforehand, as no real one can.
        self.is_reference = at(figures, "bound") is True or at(figures, "reference") is True

    def own(self, *keys):
        value = at(self.figures, *keys)
        return at(self.shared, *keys) if value is None else value

    def count(self, *keys):
        """The number under the keys as a count; 1 without such a number."""
        number = real(self.own(*keys))
        return int(number) if 1 <= number < 1e9 else 1

    def find_first_counted(self):
        """As a comparison says. Other runs that repeat their work have the same warm-up; the iterations of
        an SCF or of a method all differ, and so all count."""
        from_comparison = real(self.shared, "comparison", "counted_from")
        repeats = not objects(self.shared, "scf_iterations") or "density" in self.shared
        last = max(known(real(entry, "iteration") for entry in self.iterations), default=0)
        return from_comparison if from_comparison >= 0 else min(FIRST_COUNTED, last) if repeats else 0

    def counts(self, entry):
        return not real(entry, "iteration") < self.first_counted

    def mean(self, key):
        return mean(measured(entry, key) for entry in self.counted)

    def fraction(self, use):
        """Fraction of the makespans together that the workers spend in a use; in tasks it is the efficiency."""
        makespan = self.mean("makespan_seconds")
        return self.mean(f"{use}_seconds") / self.lanes / makespan if makespan > 0 else NAN

    def imbalance(self):
        load = self.mean("load_mean")
        return self.mean("load_max") / load - 1 if load > 0 else NAN

    def ratio(self, first):
        value = real(self.figures, "ratio", "value")
        return value if math.isfinite(value) or not first.seconds > 0 else self.seconds / first.seconds

    def groups(self):
        """The iterations, or where they are too many for a chart lists of some that follow one another."""
        size = math.ceil(len(self.iterations) / MAX_PLACES) or 1
        return [self.iterations[i:i + size] for i in range(0, len(self.iterations), size)]


def measured(entry, key):
    """A spread over the workers stands for its mean."""
    value = at(entry, key)
    return real(value, "mean") if isinstance(value, dict) else real(value)


def seconds_of(entry):
    """Seconds of an iteration, as the rounds of a comparison have them."""
    for key in ("fock_seconds", "seconds"):
        if math.isfinite(real(entry, key)):
            return real(entry, key)
    return real(entry, "makespan_seconds") + sum(known([real(entry, "balance_seconds")]))


def groups_of(file, result):
    """The runs of a result: lists of one, or of the modes of a comparison."""
    if at(result, "traceEvents") is not None:
        raise Refusal(f"{file}: a timeline of --trace, which ui.perfetto.dev shows: for a page name a "
                      "file that --json wrote")
    shared = at(result, "extras", "beryl") or result
    runs = pairs(shared, "compare") or [(None, shared)]
    if all(isinstance(at(figures, "iterations"), list) for _, figures in runs):
        return [[Run(file, result, shared, figures, mode) for mode, figures in runs]]
    message = words(result, "error", "error_message")
    if message:
        raise Refusal(f"{file}: this run has no iterations to show, as it failed: {message}")
    raise Refusal(f"{file}: not a result of a Beryl program, as it has no list of iterations: name a "
                  "file that --json wrote")


# --- texts ---

def escape(text):
    """For HTML; control characters, and what is no character, become blanks."""
    return html.escape("".join(c if c.isprintable() else " " for c in text))


def unbroken(text):
    """Words that break as a whole."""
    return " ".join(f"<span>{escape(word)}</span>" for word in text.split(" "))


def decimal(number, decimals=0):
    """With commas between thousands and a true minus; a dash if it is not finite."""
    if not math.isfinite(number):
        return "\u2013"
    text = f"{number:,.{decimals}f}" if abs(number) < 1e18 else f"{number:.6g}"
    return text.replace("-", "\u2212" if re.search("[1-9]", text) else "")


def power(number):
    return f"{number:.2e}" if math.isfinite(number) else "\u2013"


def decimals_of(number):
    """For four significant digits."""
    return min(max(3 - math.floor(math.log10(number)), 0), 9) if number > 0 else 0


def duration(seconds, scale):
    """With four digits, in the unit of the scale."""
    factor, unit = (1, "s") if scale >= 1 else (1e3, "ms") if scale >= 1e-3 else (1e6, "\u00b5s")
    return f"{decimal(seconds * factor, decimals_of(seconds * factor))}{NO_BREAK}{unit}"


def per_cent(fraction):
    return f"{decimal(100 * fraction, 1)}{NO_BREAK}%"


def plural(number, word):
    return f"{decimal(number)} {word}{'' if number == 1 else 's'}"


def listed(names):
    names = [escape(name) for name in names]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def ranges(entries):
    """The numbers of iterations, as 0, 2-5."""
    spans = []
    for number in sorted({int(number) for number in known(real(entry, "iteration") for entry in entries)}):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}\u2013{last}" for first, last in spans)


def number_row(heading, number, decimals=0, unit=""):
    """A row of a card; None without a number."""
    text = decimal(number, decimals) + (NO_BREAK + unit if unit else "")
    return (heading, text, "") if math.isfinite(number) else None


def text_row(heading, text):
    return (heading, unbroken(text), ' class="text"') if text else None


def card(*rows):
    """A table of headings and values, without the rows that are None."""
    lines = "".join(f'<tr><th scope="row">{heading}</th><td{attributes}>{value}</td></tr>\n'
                    for heading, value, attributes in filter(None, rows))
    return f"<table>\n{lines}</table>\n" if lines else ""


def table(kind, headings, lines):
    """headings: "text", "text|unit", or "*text" for a column of words."""
    cells = ['class="word"' if heading[0] == "*" else "" for heading in headings]
    head = "".join(f"<th {cell}>{heading.lstrip('*').replace('|', '<br><small>', 1)}"
                   f"{'</small>' if '|' in heading else ''}</th>" for heading, cell in zip(headings, cells))
    body = "".join("<tr>" + "".join(f"<td {cell}>{text}</td>" for text, cell in zip(line, cells)) + "</tr>\n"
                   for line in lines)
    return (f'<div class="wide"><table class="figures {kind}">\n<thead><tr>{head}</tr></thead>\n'
            f"<tbody>{body}</tbody></table></div>\n")


# --- charts: each mark has its value as a tooltip ---

WIDTH, LEFT, RIGHT, TOP, BOTTOM, BELOW = 640, 76, 616, 20, 252, 48


def nice_step(size):
    decade = 10 ** math.floor(math.log10(size))
    return next(m * decade for m in (1, 2, 5, 10) if m * decade >= size * (1 - 1e-12))


def nice_count(n, most):
    return max(1, math.ceil(nice_step(n / most)))


class Axis:
    """Maps values to positions from start to end; up to the largest value, or the next tick."""

    def __init__(self, values, start, end, n_ticks, log=False, to_tick=True):
        self.start, self.end, self.log = start, end, log
        values = [v for v in values if math.isfinite(v) and (v > 0 or not log)] or [1]
        self.low, self.high = min(values), max(values)
        if log:
            self.low = math.floor(math.log10(self.low) + 1e-9)
            self.high = max(math.ceil(math.log10(self.high) - 1e-9), self.low + 1)
            self.step = math.ceil((self.high - self.low) / n_ticks)
            return
        if not self.high - self.low > 1e-9 * max(abs(self.low), abs(self.high)):
            self.high = self.low + (abs(self.low) or 1)
        self.step = nice_step((self.high - self.low) / n_ticks)
        if all(v == int(v) for v in values):
            self.step = max(self.step, 1)
        self.low = math.floor(self.low / self.step + 1e-9) * self.step
        if to_tick:
            self.high = math.ceil(self.high / self.step - 1e-9) * self.step

    def place(self, value):
        value = math.log10(value) if self.log else value
        fraction = min(max((value - self.low) / (self.high - self.low), 0), 1)
        return self.start + fraction * (self.end - self.start)

    def ticks(self):
        n = math.floor((self.high - self.low) / self.step + 1e-6) + 1
        if self.log:
            return [(10.0 ** k, power_of_ten(k)) for k in range(self.low, self.high + 1, self.step)]
        digits = max(0, math.ceil(-math.log10(self.step) - 1e-9))
        form = f".{digits}f" if digits <= 4 and self.high < 1e6 else "g"
        first = round(self.low / self.step)
        return [(x, f"{x:{form}}".replace("-", "\u2212")) for x in ((first + i) * self.step for i in range(n))]


def power_of_ten(exponent):
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074"
                                                        "\u2075\u2076\u2077\u2078\u2079"))


def svg_text(x, y, text, attributes='text-anchor="middle"'):
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{text}</text>\n'


def svg_rect(colour, x, y, width, height, title):
    return (f'<rect class="k{colour}" x="{x:.2f}" y="{y:.2f}" width="{max(width, 0):.2f}" '
            f'height="{max(height, 0):.2f}"><title>{title}</title></rect>\n')


def key(mark, name):
    """An entry of a legend."""
    return (f' <span class="key"><svg width="12" height="12" aria-hidden="true">{mark}</svg> '
            f"{name}</span>")


def colour_key(colour, name):
    return key(f'<rect class="{colour}" width="12" height="12" rx="2"/>', name)


def keys_of(colours, warm=()):
    """colours: by name. warm: spans of warm-up, if there are any."""
    keys = [colour_key(f"k{colour}", name) for name, colour in colours.items()]
    return "".join(keys + [colour_key("warm", "below: warm-up")] * bool(warm))


def figure(name, title, unit, keys, size, body, attributes=""):
    unit = f"<small>{unit}</small>" if unit else ""
    return (f'<figure data-chart="{name}" {attributes}><figcaption><b>{title}</b>{unit}{keys}</figcaption>\n'
            f'<svg class="chart" role="img" viewBox="0 0 {size[0]} {size[1]:.0f}" aria-label="{title}">\n'
            f"{body}</svg></figure>\n")


def x_ticks(axis, top, bottom, title, ticks=None):
    """Ticks of a horizontal axis; narrow screens show every other one of many labels."""
    ticks = axis.ticks() if ticks is None else ticks
    text = ""
    for i, (value, label) in enumerate(ticks):
        minor = 'class="minor" ' if i % 2 == 1 and len(ticks) > 5 else ""
        text += f'<path class="grid" d="M{axis.place(value):.1f} {top:.1f}V{bottom:.1f}"/>'
        text += svg_text(axis.place(value), bottom + 18, label, minor + 'text-anchor="middle"')
    return text + svg_text((axis.start + axis.end) / 2, bottom + BELOW - 8, title,
                           'class="title" text-anchor="middle"')


def plot(name, title, unit, x_title, series, stacked=False, x_log=False, y_log=False, y_high=0.0,
         marks=(), warm=(), ticks=None, suffix=""):
    """Lines with points, or stacked areas. series: (name, colour, xs, ys); of areas xs are the edges
    between which they lie. marks: vertical lines at x. warm: spans of x that are warm-up."""
    x_axis = Axis([x for _, _, xs, _ in series for x in xs], LEFT, RIGHT, 8, x_log, False)
    tops = [sum(known(column)) for column in zip(*(ys for *_, ys in series))] if stacked else \
        [y for *_, ys in series for y in ys]
    y_axis = Axis(tops + ([] if y_log else [0, y_high]), BOTTOM, TOP, 6, y_log)
    body = x_ticks(x_axis, BOTTOM - 5, BOTTOM, x_title, ticks)
    for value, label in y_axis.ticks():
        body += f'<path class="grid" d="M{LEFT} {y_axis.place(value):.1f}H{RIGHT}"/>'
        body += svg_text(LEFT - 7, y_axis.place(value) + 4, label, 'text-anchor="end"')
    for start, end in warm:
        body += (f'<rect class="warm" x="{x_axis.place(start):.1f}" y="6" height="5" '
                 f'width="{x_axis.place(end) - x_axis.place(start):.1f}"/>\n')
    base = [0.0] * len(tops)
    for dash, (label, colour, xs, ys) in enumerate(series):
        label = f"{label} " if len(series) > 1 else ""
        tips = [f"{label}{y:.4g}{suffix} at {x:.4g}" for x, y in zip(xs, ys)]
        body += areas(x_axis, y_axis, colour, xs, ys, base, tips) if stacked else \
            line(x_axis, y_axis, colour, xs, ys, dash, tips)
    for x in marks:
        body += f'<path class="rule" d="M{x_axis.place(x):.1f} {TOP - 4}V{BOTTOM}"/>\n'
    keys = keys_of({label: colour for label, colour, *_ in series}, warm) if len(series) > 1 else ""
    return figure(name, title, unit, keys, (WIDTH, BOTTOM + BELOW), body)


def areas(x_axis, y_axis, colour, xs, ys, base, tips):
    """On top of those before, which end at base."""
    text = ""
    for i, y in enumerate(ys[:len(xs) - 1]):
        if y > 0 and math.isfinite(xs[i] + xs[i + 1]):
            left, top = x_axis.place(xs[i]), y_axis.place(base[i] + y)
            text += svg_rect(colour, left, top, x_axis.place(xs[i + 1]) - left, y_axis.place(base[i]) - top, tips[i])
            base[i] += y
    return text


def line(x_axis, y_axis, colour, xs, ys, dash, tips):
    path, points, pen = "", "", "M"
    for x, y, tip in zip(xs, ys, tips):
        if not math.isfinite(x + y) or y <= 0 and y_axis.log:
            pen = "M"
            continue
        left, top = x_axis.place(x), y_axis.place(y)
        path += f"{pen}{left:.1f} {top:.1f}"
        points += f'<circle class="k{colour}" cx="{left:.1f}" cy="{top:.1f}" r="2.5"><title>{tip}</title></circle>\n'
        pen = "L"
    return f'<path class="line l{colour} d{dash}" d="{path}"/>\n{points}' if path else ""


def rows(name, title, unit, x_title, lines, height=26, keys="", high=0.0):
    """A row for each line: (its name, bars, ends of a spread or none, text at the end). A bar: (from, to, height in
    [0, 1], colour, tooltip)."""
    names = [label if len(label) <= 24 else label[:23] + "\u2026" for label, *_ in lines]
    ends = [max([bar[1] for bar in bars] + [0.0, *spread]) for _, bars, spread, _ in lines]
    right = 556 if any(text for *_, text in lines) else RIGHT
    axis = Axis(ends + [0.0, high], 16 + 10 * max(map(len, names)), right, 5, to_tick=False)
    body = x_ticks(axis, 8, 8 + height * len(lines), x_title)
    for i, (label, (_, bars, spread, text)) in enumerate(zip(names, lines)):
        floor, full = 3 + height * (i + 1), height - 10
        body += svg_text(axis.start - 8, floor - 4, escape(label), 'text-anchor="end"')
        for start, end, part, colour, tip in bars:
            left = axis.place(start)
            tall = max(1, full * part) if part > 0 else 0  # thinner ones are not drawn
            body += svg_rect(colour, left, floor - tall, axis.place(end) - left, tall, tip)
        if spread:
            low, upper = map(axis.place, spread)
            body += f'<path class="spread" d="M{low:.1f} {floor - full / 2 - 3:.1f}v6m0 -3H{upper:.1f}m0 -3v6"/>\n'
        body += svg_text(axis.place(ends[i]) + 6, floor - 4, text, 'class="figure"') if text else ""
    return figure(name, title, unit, keys, (WIDTH, 8 + height * len(lines) + BELOW), body)


# --- answers ---

def cause_of_loss(run, lost):
    """The largest cause of what was lost of the makespan, a fraction."""
    imbalance, amount = run.imbalance(), run.imbalance() * run.fraction("task")
    tasks, null = real(run.own("tasks")), real(run.own("tasks")) - real(run.own("non_null"))
    if imbalance >= 0.05 and amount > lost / 2:
        cause = f"uneven loads (imbalance {per_cent(imbalance)})"
        # A class of the histogram begins with the least duration of its tasks.
        longest = max(duration_bins(run)[0][:-1], default=NAN)
        if longest > 0.6 * real(run.timeline, "makespan_seconds") and longest > 1.2 * run.mean("load_mean"):
            cause += f"; one task alone takes {duration(longest, longest)} or more"
    else:
        use = max(CAUSES, key=lambda use: (run.fraction(use) > 0, run.fraction(use)))
        cause, amount = CAUSES[use], run.fraction(use)
        if use in ("search", "scheduler") and null > tasks / 2:
            cause += f" ({decimal(null)} of {decimal(tasks)} tasks are null)"
    share = "" if amount > 0.85 * lost else ", most of it" if amount > lost / 2 else ", above all"
    return f"{share} to {cause}" if amount > 0 else ""


def loss(run):
    lost = 1 - run.fraction("task")
    if not 0 <= lost <= 1:
        return ""
    is_worth_a_cause = lost >= (0.05 if run.workers == 1 else 0.01)
    return (f" <b>{escape(run.mode)}</b> lost {per_cent(lost)} of its time"
            f"{cause_of_loss(run, lost) if is_worth_a_cause else ''}.")


def lower_bound(runs):
    bounds = [real(entry, "lower_bound_seconds") for run in runs for entry in run.counted]
    is_known = bounds and len(known(bounds)) == len(bounds)
    return f" No schedule takes less than {duration(min(bounds), runs[0].seconds)}." if is_known else ""


def answer_run(run):
    text = f"{run.article.capitalize()} {run.word} of <b>{escape(run.mode)}</b> on "
    text += f"{plural(run.workers, 'worker')} took {duration(run.seconds, run.seconds)}"
    ends = [duration(end, run.seconds) for end in run.spread]
    text += " (from {} to {})".format(*ends) if len(set(ends)) == 2 else ""
    return f"{text}.{lower_bound([run])}{loss(run)}"


def choose_best(runs):
    """The mode that the answer is about: of those shown to be faster than the first, else of all, the one of the
    lowest ratio; the first where that is not below 1."""
    others = [run for run in runs[1:] if not run.is_reference]
    shown = [run for run in others if run.verdict == "faster"]
    best = min(shown or others, key=lambda run: (not run.ratio(runs[0]) > 0, run.ratio(runs[0])), default=runs[0])
    return best if best.ratio(runs[0]) < 1 else runs[0]


def answer_comparison(runs):
    first, best = runs[0], choose_best(runs)
    name, took = f"<b>{escape(best.mode)}</b>", duration(first.seconds, first.seconds)
    interval = " (interval {:.3f} to {:.3f})".format(*best.interval) if best.interval else ""
    relation = (f"{best.ratio(first):.3f} of the time of {escape(first.mode)}{interval}, "
                f"{duration(best.seconds, first.seconds)} against {took}")
    has_tests, needed = any(run.verdict for run in runs), real(first.shared, "comparison", "rounds_needed")
    if best is first:
        text = f"No mode {'is shown to be' if has_tests else 'was'} faster than {name}, which took {took}."
    elif best.verdict == "faster":
        text = f"{name} is significantly faster: it took {relation}."
        rivals = [run.mode for run in runs[1:] if run is not best and not run.is_reference and
                  run.interval and best.interval and run.interval[0] <= best.interval[1]]
        text += f" {listed(rivals)} may be as fast, as the intervals overlap." if rivals else ""
    elif has_tests:
        text = f"{name} took {relation}, but {plural(len(first.rounds), 'round')} cannot tell this from chance."
    else:
        text = f"{name} took {relation}; one round does not show whether this is chance."
    if has_tests and len(first.rounds) < needed:
        text += f" To tell {len(runs)} modes apart takes {decimal(needed)} rounds."
    if at(first.shared, "comparison", "oversubscribed") is True:
        text += " There were more processes than cores: the times are the operating system\u2019s, too."
    return text + lower_bound(runs) + loss(first) + (loss(best) if best is not first else "")


def answer(runs):
    """A failure, the energy, and the answer to what was run."""
    result = runs[0].result
    has_failed = at(result, "success") is False or at(result, "error") is not None
    message = escape(words(result, "error", "error_message")) or "without a message"
    text = (f"<b>Failed</b>: {message}. " if has_failed else "") + energy_answer(runs[0])
    if any(math.isfinite(run.seconds) for run in runs):
        text += answer_comparison(runs) if len(runs) > 1 else answer_run(runs[0])
    elif not has_failed:
        text += "The result has no time of an iteration."
    return f'<p class="answer{" failed" if has_failed else ""}">{text}</p>\n'


# --- one run ---

# Columns of the table of iterations: key, heading and unit; of seconds summed over workers the mean.
TIMES = (("fock_seconds", "Fock build|s"), ("seconds", "total|s"), ("makespan_seconds", "makespan|s"),
         *((f"{use}_seconds", f"{use}|s, mean") for use in USES), ("balance_seconds", "balancing|s"))
RATES = (("efficiency", "efficiency|%"), ("imbalance", "imbalance|%"))
COUNTS = (("steals_successful", "steals done|per worker"), ("steals_attempted", "attempted|per worker"),
          ("tasks_moved", "tasks moved"), ("messages", "messages"))


def column_mean(run, entries, key_, heading, decimals):
    """A cell: the mean over the entries, with these decimals if it is a time."""
    scale = 1 / run.lanes if heading.endswith("mean") else 100 if heading.endswith("%") else 1
    decimals = decimals if "|s" in heading else 1 if "|" in heading else 0
    return decimal(mean(scale * measured(entry, key_) for entry in entries), decimals)


def basis(run):
    """The sentence on which iterations the numbers of a run or a comparison are of."""
    if not run.iterations:
        return ""
    n_rounds, part = len(run.rounds), words(run.timeline, "of")
    which = ranges(run.counted)
    if run.has_warm_up:
        which = f"{run.word} {which}" if which.isdigit() else f"{run.word}s {which}"
        which += f" of each of {n_rounds} rounds" if n_rounds > 1 else ""
    else:
        which = f"the one {run.word}" if len(run.iterations) == 1 else f"all {plural(len(run.iterations), run.word)}"
    text = f"Numbers are {'means over' if len(run.counted) > 1 else 'of'} {which}"
    text += "; those before are warm-up." if run.has_warm_up else "."
    text += f" Times are medians of the {n_rounds} rounds." if run.has_medians else ""
    if run.timeline:
        text += f" Lanes and durations are of the last {run.word}{' of the last round' if n_rounds > 1 else ''}."
        text += f" Lanes, durations and utilisation are for {escape(part)}." if part else ""
    return f'<p class="basis">{text}</p>\n'


def scheduling_card(run):
    shared, alone = run.shared, not run.is_compared
    threads = run.lanes // run.workers
    return card(
        text_row("Workload", words(shared, "workload")), text_row("Program", words(shared, "program")),
        number_row("Nodes of the tree", real(shared, "nodes")), number_row("Leaves", real(shared, "leaves")),
        number_row("Depth", real(shared, "depth")), text_row("Scheduling mode", run.mode if alone else ""),
        number_row("Workers", run.workers), number_row("Threads of each", threads if threads > 1 else NAN),
        number_row("Tasks", real(run.own("tasks"))), number_row("Tasks that are not null", real(run.own("non_null"))),
        number_row(f"{run.word}s".capitalize(), len(run.iterations)),
        *((number_row("Time of each", run.seconds, decimals_of(run.seconds), "s"),
           number_row("Efficiency", 100 * run.fraction("task"), 1, "%"),
           number_row("Imbalance", 100 * run.imbalance(), 1, "%")) if alone else ()),
        number_row("Peak memory", 1e-6 * real(shared, "memory_peak_bytes"), 0, "MB in the largest process"))


def machine_card(run):
    """Options of a simulated machine, as given or by default."""
    options = [text_row(f"--{escape(name)}", f"{value:g}" if math.isfinite(real(value)) else "yes" if value is True
                        else words(value)) for name, value in pairs(run.shared, "machine")]
    speeds = text_row("--speeds", words(run.shared, "options", "speeds"))
    return card(("<b>Simulated machine</b>", "", ""), *options, speeds) if options else ""


def origin_card(run):
    """The command to repeat the run with, and the hardware that it ran on."""
    command, hardware = words(run.shared, "command"), at(run.shared, "hardware")
    if command and hardware and run.workers > 1:
        command = f"mpirun -np {run.workers} {command}"
    return card(("Command", f"<code>{unbroken(command)}</code>", "") if command else None,
                text_row("Processor", words(hardware, "processor")),
                number_row("Cores of a node", real(hardware, "cores")), number_row("Nodes", real(hardware, "nodes")),
                text_row("Beryl", words(run.result, "provenance", "version")))


def iterations_table(run):
    groups = run.groups()
    if not groups:
        return ""
    columns = [column for column in TIMES + RATES + COUNTS if math.isfinite(run.mean(column[0]))]
    decimals, size = decimals_of(run.mean("makespan_seconds")), len(groups[0])
    lines = [[decimal(i * size)] + [decimal(real(group[0], "round"))] * bool(run.rounds) +
             [column_mean(run, group, *column, decimals) for column in columns] for i, group in enumerate(groups)]
    headings = [run.word] + ["round"] * bool(run.rounds) + [heading for _, heading in columns]
    note = f"<p>Each row is the mean of {size}, the last perhaps of fewer.</p>\n" if size > 1 else ""
    return f"<details><summary>Every {run.word}</summary>\n{note}{table('', headings, lines)}</details>\n"


def choices_table(run):
    """Each choice of a mode that chooses once, with the iterations for which it was made."""
    choices = {}
    for entry in run.iterations:
        choices.setdefault(words(entry, "choice", "what"), []).append(entry)
    lines = ""
    for what, made in list(choices.items())[:16]:
        cells = (unbroken(what), ranges(made), unbroken(words(made[0], "choice", "why")))
        lines += "<tr>" + "".join(f'<td class="text">{cell}</td>' for cell in cells) + "</tr>\n" if what else ""
    head = f"<tr><th>choice</th><th>{run.word}s</th><th>because, the first time</th></tr>"
    return f'<table class="choices">\n{head}\n{lines}</table>\n' if lines else ""


def warm_spans(run, edges):
    """Spans of warm-up, where iteration i is between edges i and i + 1."""
    spans = []
    for entry, start, end in zip(run.iterations, edges, edges[1:]):
        if run.has_warm_up and not run.counts(entry):
            spans.append((spans.pop()[0] if spans and spans[-1][1] == start else start, end))
    return spans


def iteration_axis(run):
    """Arguments of a plot with a place for each group of iterations; the ticks are rounds, where there are several."""
    groups = run.groups()
    size = len(groups[0])
    begins = [next(i for i, entry in enumerate(run.iterations) if real(entry, "round") == number) / size
              for number in run.rounds]
    if len(begins) > 1:
        labels = list(zip(begins, (decimal(number) for number in run.rounds)))[::nice_count(len(begins), 10)]
        title = f"rounds, each of {len(run.iterations) // len(begins)} {run.word}s"
    else:
        labels = [(i + 0.5, str(i * size)) for i in range(0, len(groups), nice_count(len(groups), 12))]
        title = run.word + (f"s, each place the mean of {size}" if size > 1 else "")
    return {"x_title": title, "ticks": labels, "marks": begins[1:] if len(begins) <= 64 else (),
            "warm": warm_spans(run, range(len(groups) + 1)) if size == 1 else ()}


def times_chart(run):
    groups = run.groups()
    if len(groups) < 2:
        return ""
    edges = [float(i) for i in range(len(groups) + 1)]
    series = [(use, colour, edges, [mean(real(entry, f"{use}_seconds") / run.lanes for entry in group)
                                    for group in groups]) for use, colour in USES.items()]
    return plot("times", "Where the workers\u2019 time went", "seconds, mean of the workers", series=series,
                stacked=True, **iteration_axis(run))


def utilisation_of(run, which):
    """Edges of the bins, and the per cent of each use in them."""
    data = at(run.timeline, which)
    uses = {use: [100 * x for x in numbers(data, use)] for use in USES if use != "idle"}
    step, end, n = real(data, "bin_seconds"), real(data, "seconds"), min(map(len, uses.values()))
    return [min(i * step, end) for i in range(n + 1)] if n > 0 and step > 0 and end > 0 else [], uses


def utilisation_chart(run):
    edges, uses = utilisation_of(run, "utilisation")
    if not edges:
        return ""
    begins = known(numbers(run.timeline, "utilisation", "starts_seconds"))
    is_round = len(begins) * max(len(run.rounds), 1) == len(run.iterations)
    title = "seconds of the last round" if len(run.rounds) > 1 else "seconds"
    return plot("utilisation", "Utilisation over time", "per cent of the workers",
                title + (f"; lines: {run.word}s begin" if len(begins) > 1 else ""),
                [(use, USES[use], edges, ys) for use, ys in uses.items()], stacked=True, y_high=100.0, suffix=" %",
                marks=begins[1:], warm=warm_spans(run, begins + [edges[-1]]) if is_round else ())


def lane_marks(lane, end, y):
    """Tasks, searches and steals of a worker, in millionths of the iteration."""
    def units(seconds):
        return 1e6 * min(max(seconds / end, 0), 1)
    text = f'<rect class="back" y="{y}" width="1000000" height="16"/>\n'
    names = {"t": "task", "s": "search", "a": "scheduler", "c": "communication"}
    spans = [numbers(lane, name) for name in ("from_seconds", "to_seconds", "tasks")]
    for letter, start, stop, tasks in zip(words(lane, "uses"), *spans):
        if letter in names and math.isfinite(start + stop):
            left = math.floor(units(start))
            tip = f"{names[letter]} {start:.6g}\u2013{stop:.6g} s" + (f", {plural(tasks, 'task')}" if tasks > 0 else "")
            text += svg_rect(USES[names[letter]], left, y, max(math.ceil(units(stop)) - left, 1), 16, tip)
    for time in known(numbers(lane, "steals_seconds")):
        text += f'<path class="steal" d="M{units(time):.0f} {y - 2}v20"><title>steal {time:.6g} s</title></path>\n'
    return text


def lanes_chart(run):
    """A row for each of some workers, or their threads, in the last iteration; zoomed by the script."""
    lanes, end = objects(run.timeline, "lanes")[:64], real(run.timeline, "makespan_seconds")
    threads = run.lanes // run.workers
    if not lanes or not end > 0:
        return ""
    height, axis = 22 * len(lanes), Axis([0.0, end], 116, 1264, 8, to_tick=False)
    names, marks = "", f'<rect class="held" width="1000000" height="{height}"/>\n'
    for i, lane in enumerate(lanes):
        number = int(max(known([real(lane, "worker"), 0])))
        name = f"worker {number // threads}" + (f".{number % threads}" if threads > 1 else "")
        names += svg_text(axis.start - 8, 22 * i + 19, name, 'text-anchor="end"')
        marks += lane_marks(lane, end, 22 * i + 3)
    ticks = "".join(svg_text(axis.place(value), height + 20, label) for value, label in axis.ticks())
    body = (f'{names}<svg class="plot" x="{axis.start}" y="4" width="{axis.end - axis.start}" height="{height}" '
            f'viewBox="0 0 1000000 {height}" preserveAspectRatio="none">\n{marks}</svg>\n'
            f'<g class="ticks" data-y="{height + 20}">\n{ticks}</g>\n')
    body += svg_text(690, height + 40, "seconds from the start of the iteration", 'class="title" text-anchor="middle"')
    some = f"{len(lanes)} of the {decimal(run.lanes)}" if len(lanes) < run.lanes else "the"
    keys = keys_of({use: colour for use, colour in USES.items() if use != "idle"})
    who = "threads of the workers" if threads > 1 else "workers"
    keys += key('<path class="steal" d="M6 0v12"/>', "steal")
    return figure("lanes", f"What {some} {who} did in the last iteration", "", keys, (1280, height + 48), body,
                  f'class="lanes" data-seconds="{end:.9g}" role="group" aria-label="Lanes of workers, zoomable"')


def duration_bins(run):
    """Edges of the histogram and its tasks, without empty bins at either end."""
    edges, tasks = (numbers(run.timeline, "durations", name) for name in ("edges_seconds", "tasks"))
    filled = [i for i, n in enumerate(tasks) if n > 0]
    if not filled or len(edges) != len(tasks) + 1:
        return [], []
    return [edge if edge > 0 else NAN for edge in edges[filled[0]:filled[-1] + 2]], tasks[filled[0]:filled[-1] + 1]


def durations_chart(run):
    edges, tasks = duration_bins(run)
    return plot("durations", "Durations of the tasks", "tasks", "seconds, last iteration", [("tasks", 0, edges, tasks)],
                stacked=True, x_log=True, suffix=" tasks") if tasks else ""


def course(run):
    charts = figures_grid(times_chart(run), utilisation_chart(run), lanes_chart(run), durations_chart(run))
    return charts + choices_table(run) + iterations_table(run)


def figures_grid(*charts):
    text = "".join(charts)
    return f'<div class="charts">\n{text}</div>\n' if text else ""


# --- several runs ---

def seconds_chart(runs, labels):
    """With intervals of medians, or the fastest and the slowest iteration."""
    lines = [(label, [(0.0, run.seconds, 1, 0, f"{run.seconds:.4g} s")] if run.seconds > 0 else [], run.spread,
              decimal(run.seconds, decimals_of(run.seconds))) for run, label in zip(runs, labels)]
    unit = "seconds" if not any(run.spread for run in runs) else "seconds, median and its interval" if \
        all(run.has_medians for run in runs) else "seconds, mean, fastest and slowest"
    return rows("compared-times", f"Time of {runs[0].article} {runs[0].word}", unit, "seconds", lines)


def fractions_chart(runs, labels):
    lines = []
    for run, label in zip(runs, labels):
        bars, end = [], 0.0
        for use, colour in USES.items():
            fraction = 100 * run.fraction(use)
            if fraction > 0:
                bars.append((end, end + fraction, 1, colour, f"{use} {fraction:.4g} %"))
                end += fraction
        lines.append((label, bars, [], ""))
    return rows("compared-fractions", "Where the workers\u2019 time went", "per cent of the makespan", "per cent",
                lines, keys=keys_of(USES), high=100.0)


def utilisation_rows(runs):
    """A row for each run, of its last iteration where there were several."""
    lines = []
    for run in runs:
        edges, uses = utilisation_of(run, "last_utilisation" if at(run.timeline, "last_utilisation") else "utilisation")
        bars = [(start, end, min(y / 100, 1), 0, f"{escape(run.mode)} {y:.4g} % at {start:.4g}")
                for start, end, y in zip(edges, edges[1:], uses["task"]) if y > 0]
        lines.append((run.mode, bars, [], ""))
    unit = "per cent of the workers in tasks; a row is 100 % high"
    return rows("compared-utilisation", f"Utilisation in the last {runs[0].word}", unit, "seconds", lines, height=34) \
        if any(bars for _, bars, *_ in lines) else ""


def iterations_chart(runs):
    """Seconds by iteration of the first and the fastest modes."""
    n = len(runs[0].groups())
    fastest = sorted(runs[1:], key=lambda run: (not math.isfinite(run.seconds), run.seconds))[:6]
    shown = [run for run in runs if (run is runs[0] or run in fastest) and len(run.groups()) == n]
    places = [i + 0.5 for i in range(n)]
    series = [(escape(run.mode), colour, places, [mean(map(seconds_of, group)) for group in run.groups()])
              for run, colour in zip(shown, (0, 3, 4, 1, 5, 6, 2))]
    some = ": the first and the fastest" if len(shown) < len(runs) else ""
    title = f"{runs[0].word.capitalize()} by {runs[0].word}{some}"
    return plot("compared-seconds", title, "seconds", series=series, suffix=" s", **iteration_axis(runs[0])) \
        if n > 1 else ""


def mode_table(runs):
    first, has_spread, has_tests = runs[0], any(run.spread for run in runs), any(run.verdict for run in runs)
    decimals = decimals_of(first.seconds)
    lines = []
    for run in runs:
        note = " (bound)" if at(run.figures, "bound") is True else " (reference)" if run.is_reference else ""
        line_ = [f'<a href="#run{run.number}">{escape(run.mode)}</a>{note}', decimal(run.seconds, decimals)]
        line_ += [decimal(end, decimals) for end in run.spread or (NAN, NAN)] if has_spread else []
        line_ += [decimal(run.ratio(first), 3)]
        line_ += ["\u2013".join(decimal(end, 3) for end in run.interval), escape(run.verdict)] if has_tests else []
        lines.append(line_ + [decimal(100 * run.fraction("task"), 1), decimal(100 * run.imbalance(), 1)] +
                     [column_mean(run, run.counted, *column, 0) for column in COUNTS])
    headings = ["mode", "time|s"] + ["from|s", "to|s"] * has_spread + [f"ratio|to {escape(first.mode)}"]
    headings += ["interval|of the ratio", "*verdict"] * has_tests + [heading for _, heading in RATES + COUNTS]
    return table("modes", headings, lines)


def overview(runs):
    """Runs of several files side by side."""
    headings = ["run", "*file", "*system", "*mode", "workers", "counted|iterations", "time|s", "efficiency|%",
                "imbalance|%", "energy|hartree"]
    lines = [[f'<a href="#run{run.number}">{run.number}</a>', unbroken(run.file), system_of(run), escape(run.mode),
              decimal(run.workers), decimal(len(run.counted)), decimal(run.seconds, decimals_of(run.seconds)),
              decimal(100 * run.fraction("task"), 1), decimal(100 * run.imbalance(), 1),
              decimal(real(run.result, "return_result"), 8)] for run in runs]
    labels = [f"{run.number} \u00b7 {run.mode}, {run.workers}" for run in runs]
    return (f"<section>\n<h2>{len(runs)} recorded runs</h2>\n{table('', headings, lines)}" +
            figures_grid(seconds_chart(runs, labels), fractions_chart(runs, labels)) + "</section>\n")


# --- chemistry ---

HARTREE_IN_EV = 27.211386245988


def formula(run):
    """In Hill's order, without ghost atoms."""
    molecule = at(run.result, "molecule")
    everything = at(molecule, "symbols")
    symbols = [words(symbol) for i, symbol in enumerate(everything if isinstance(everything, list) else [])
               if words(symbol) and at(molecule, "real", i) is not False]
    order = sorted(set(symbols), key=lambda symbol: (symbol != "C", symbol != "H", symbol))
    return "".join(escape(symbol) + (f"<sub>{symbols.count(symbol)}</sub>" if symbols.count(symbol) > 1 else "")
                   for symbol in order)


def system_of(run):
    return formula(run) or unbroken(words(run.shared, "workload") or words(run.shared, "program"))


def energy(run, name):
    return real(run.result, "properties", f"{name}_energy")


def correlation_energy(run):
    method = words(run.result, "model", "method")
    return energy(run, ("ccsd_prt_pr" if method == "ccsd(t)" else method) + "_correlation")


def is_correlated(run):
    return words(run.result, "provenance", "routine") == "beryl-tce"


def energy_answer(run):
    """The sentence on a calculation; empty where no energy was asked for."""
    total, has_failed = real(run.result, "return_result"), at(run.result, "success") is False
    if not math.isfinite(total) and not has_failed:
        return ""
    method, basis_set = words(run.result, "model", "method"), words(run.result, "model", "basis")
    method = method if "." in method else method.upper()  # a user's program is named as its file is
    subject = f"{escape(method)} energy of {formula(run) or 'the molecule'}"
    subject += f" in {escape(basis_set)}" if basis_set else ""
    if not math.isfinite(total):
        return f"There is no {subject}. "
    text = f"The {subject} {'was' if has_failed else 'is'} <b>{decimal(total, 8)}</b> hartree"
    text += " in the last iteration" if has_failed else ""
    if is_correlated(run) and math.isfinite(correlation_energy(run)):
        text += f": Hartree-Fock {decimal(energy(run, 'scf_total'), 8)}"
        text += f", correlation {decimal(correlation_energy(run), 8)}"
    return text + ". "


def molecule_card(run):
    molecule, model = at(run.result, "molecule"), at(run.result, "model")
    return card(("Molecule", formula(run), "") if formula(run) else None,
                text_row("Method", words(model, "method")), text_row("Basis set", words(model, "basis")),
                text_row("Density of the builds", words(run.shared, "density")),
                number_row("Basis functions", real(run.result, "properties", "calcinfo_nbasis")),
                number_row("Charge", real(molecule, "molecular_charge"), 0, "e"),
                number_row("Multiplicity", real(molecule, "molecular_multiplicity")),
                text_row("Point group", words(run.shared, "point_group")),
                number_row("Frozen orbitals", real(run.shared, "frozen_orbitals")))


def energy_card(run):
    """Contributions are indented, and add up to the energy above them."""
    def row(depth, name, value):
        return number_row('<span class="part">' * depth + name + "</span>" * depth, value, 10, "hartree")
    total = real(run.result, "return_result")
    if not known([total, energy(run, "scf_total")]):
        return ""
    of_scf = 2 if is_correlated(run) else 1
    ccsd, triples = energy(run, "ccsd_correlation"), energy(run, "ccsd_prt_pr_correlation")
    return card(row(0, "Total energy", total),
                row(1, "Hartree-Fock", energy(run, "scf_total") if is_correlated(run) else NAN),
                row(of_scf, "One-electron", energy(run, "scf_one_electron")),
                row(of_scf, "Two-electron", energy(run, "scf_two_electron")),
                row(of_scf, "Nuclear repulsion", energy(run, "nuclear_repulsion")),
                row(1, "Correlation", correlation_energy(run)),
                *((row(2, "CCSD", ccsd), row(2, "(T)", triples - ccsd)) if math.isfinite(triples) else ()),
                number_row("T1 diagnostic", real(run.shared, "diagnostics", "t1"), 6),
                number_row("D1 diagnostic", real(run.shared, "diagnostics", "d1"), 6))


def properties_card(run):
    """Properties of the SCF's density and orbitals."""
    result, dipole = [], numbers(run.result, "properties", "scf_dipole_moment")
    if len(known(dipole)) == 3:
        size = math.hypot(*dipole)
        parts = ", ".join(f"{x}{NO_BREAK}{decimal(part, 6)}" for x, part in zip("xyz", dipole))
        text = f"{decimal(size, 6)}{NO_BREAK}e{NO_BREAK}Bohr"
        result.append(("Dipole", f"{text}<br><small>{parts}</small>", ""))
    result.append(number_row("&lt;S<sup>2</sup>&gt;", real(run.shared, "s2"), 6))
    for space in ("RHF", "UHF"):
        test = run.own("stability", f"real_{space.lower()}")
        stable = at(test, "stable")
        verdict = "a local minimum" if stable is True else "unstable" if stable is False else "not settled"
        result.append(number_row(f"Lowest curvature among real {space}", real(test, "lowest_curvature"), 6,
                                 f"hartree: {verdict}"))
    n_saddles = len(objects(run.own("saddle_points_left")))
    result.append(number_row("Saddle points left", n_saddles if n_saddles else NAN))
    return card(*result)


def orbitals_card(run):
    """Energies of the orbitals around the gap, for each spin."""
    result = []
    spins = [numbers(run.own("orbital_energies"), spin) for spin in (0, 1)]
    for spin, energies, name in zip(("alpha", "beta"), spins, ("calcinfo_nalpha", "calcinfo_nbeta")):
        n, suffix = real(run.result, "properties", name), f", {spin}" if spins[1] else ""
        if not 0 < n < len(energies):
            continue
        n = int(n)
        gap = energies[n] - energies[n - 1]
        text = f"{decimal(gap, 6)}_hartree = {decimal(gap * HARTREE_IN_EV, 3)}_eV".replace("_", NO_BREAK)
        result.append(("Orbital gap" + suffix, text, ""))
        for i in range(min(n + 2, len(energies) - 1), max(n - 4, -1), -1):
            edge, distance = ("LUMO", i - n) if i >= n else ("HOMO", n - 1 - i)
            heading = edge + ((" + " if i >= n else " \u2212 ") + str(distance) if distance else "")
            result.append(number_row(heading + suffix, energies[i], 6, "hartree"))
    return card(*result)


def wall_card(run):
    wall = at(run.shared, "wall_seconds")
    total = real(wall, "total")
    uses = [number_row(f'<span class="part">{escape(use)}</span>', real(seconds), 2,
                       f"s, {decimal(100 * real(seconds) / total)}{NO_BREAK}%")
            for use, seconds in pairs(wall) if use != "total" and total > 0]
    return card(number_row("Wall time", total, 2, "s"), *uses)


def convergence_chart(run):
    steps = objects(run.shared, "scf_iterations")[:MAX_PLACES]
    if len(steps) < 2:
        return ""
    energies, places = [real(step, "energy") for step in steps], [i + 1.0 for i in range(len(steps))]
    changes = [NAN] + [abs(now - before) for before, now in zip(energies, energies[1:])]
    return plot("convergence", "Convergence of the SCF", "hartree", "iteration", [
        ("|change of energy|", 0, places, changes),
        ("orbital gradient", 3, places, [real(step, "gradient") for step in steps])], y_log=True)


def amplitudes_table(run):
    """Iterations of a correlated method, and what follows them, such as (T)."""
    lines = []
    for step in run.iterations[:MAX_PLACES]:
        seconds = real(step, "seconds")
        if math.isfinite(real(step, "energy")):
            name = "after" if at(step, "final") is True else decimal(real(step, "iteration"))
            rate = 1e-9 * real(step, "flops") / seconds if seconds > 0 else NAN
            lines.append([name, decimal(real(step, "energy"), 10), power(real(step, "change")),
                          power(real(step, "norm")), decimal(seconds, 3), decimal(rate, 2)])
    headings = ["iteration", "correlation energy|hartree", "largest change|of an amplitude", "norm|of all changes",
                "time|s", "rate|GFLOP/s"]
    return table("amplitudes", headings, lines) if lines and not run.is_compared else ""


# --- the page ---

def heading_of(run):
    model = at(run.result, "model")
    method = " ".join(filter(None, (words(model, "method"), words(model, "basis"))))
    name = ", ".join(filter(None, (system_of(run), escape(method)))) or "a run"
    return name + (f" ({unbroken(run.file)})" if run.file else "")


def cards(run):
    parts = (molecule_card, energy_card, properties_card, orbitals_card, wall_card, scheduling_card, machine_card,
             origin_card)
    text = "".join(part(run) for part in parts)
    return f'<div class="cards">{text}</div>\n{amplitudes_table(run)}{figures_grid(convergence_chart(run))}'


def section(runs, n_groups):
    run, best, title = runs[0], choose_best(runs), heading_of(runs[0])
    if len(runs) == 1:
        title = f"Run {run.number}: {title}" if n_groups > 1 else title
        return (f'<section id="run{run.number}">\n<h2>{title}</h2>\n{answer(runs)}{basis(run)}{cards(run)}{course(run)}'
                "</section>\n")
    labels = [run.mode for run in runs]
    text = f"<section>\n<h2>Comparison of {len(runs)} modes: {title}</h2>\n{answer(runs)}{basis(run)}{mode_table(runs)}"
    text += figures_grid(seconds_chart(runs, labels), fractions_chart(runs, labels), utilisation_rows(runs),
                         iterations_chart(runs))
    for run in runs:
        title = f"{escape(run.mode)}: its course and iterations"
        text += (f'<details id="run{run.number}"{" open" if run is best else ""}><summary>{title}</summary>\n'
                 f"{course(run)}</details>\n")
    return f"{text}{cards(runs[0])}</section>\n"


def make_page(results):
    """The page of (name, result)."""
    groups = [group for name, result in results for group in groups_of(name, result)]
    runs = [run for group in groups for run in group]
    for i, run in enumerate(runs):
        run.number = i + 1
    title = re.sub("<[^>]*>", "", heading_of(runs[0])) if len(groups) == 1 else f"{len(runs)} runs"
    text = overview(runs) if len(groups) > 1 else ""
    text += "".join(section(group, len(groups)) for group in groups)
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
            f"<title>Beryl: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Beryl</h1>\n"
            f"{text}<script>\n{SCRIPT}</script>\n</body>\n</html>\n")


# --- the program ---

def printable(text):
    """Control characters, and bytes that are no UTF-8, as \\xNN."""
    return "".join(c if c.isprintable() else "".join(f"\\x{byte:02x}" for byte in c.encode("utf-8", "surrogateescape"))
                   for c in text)


def refuse_word(word):
    raise ValueError(f"{word} is no number of JSON")


def read_result(path):
    try:
        with open(path, "rb") as file:
            data = file.read()
        return json.loads(data.decode("utf-8-sig"), parse_constant=refuse_word)
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line_number = 1 + data.count(b"\n", 0, error.start)
        raise Refusal(f"{path}:{line_number}: not JSON: bytes that are no UTF-8") from error
    except json.JSONDecodeError as error:
        raise Refusal(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{path}: not JSON: {error}") from error


def check_output(path, inputs):
    """Refuses what cannot be written, and a result, which a page in its place would destroy."""
    if not path:
        raise Refusal("-o is missing: name the page to write, for instance -o page.html")
    exists, folder = os.path.exists(path), os.path.dirname(os.path.realpath(path))
    if exists and any(os.path.exists(name) and os.path.samefile(name, path) for name in inputs):
        raise Refusal(f"{path} is both an input and an output: name another file")
    for is_wrong, reason in ((os.path.isdir(path), "Is a directory"),
                             (not os.path.isdir(folder), "No such file or directory"),
                             (not os.access(path if exists else folder, os.W_OK), "Permission denied")):
        if is_wrong:
            raise Refusal(f"cannot write {path}: {reason}")


def write_page(path, data):
    """Writes a regular file under a temporary name and renames it once all of it is on the disk. The other
    programs use the same temporary name."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(data)
        return
    target = os.path.realpath(path)
    part = target + ".part"
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except OSError:
        if os.path.exists(part):
            os.remove(part)
        raise


def complain(text, status):
    try:
        os.write(2, f"beryl-report: {printable(text)}\n".encode())
    except OSError:
        pass
    return status


def print_help(text):
    try:
        os.write(1, text.encode())
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # people may close a pipe early
            return complain(f"cannot write to standard output: {error.strerror}", 1)
    return 0


def main(arguments):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        options, files = getopt.gnu_getopt(arguments, "ho:", ["help", "help-all", "version", "output="])
        names = [name for name, _ in options]
        if names and names[0] not in ("-o", "--output"):
            return print_help(f"beryl-report {VERSION}\n" if names[0] == "--version" else HELP)
        if not files:
            raise Refusal("RUN.json is missing (usage: beryl-report RUN.json ... -o page.html; see --help)")
        output = options[-1][1] if options else ""
        check_output(output, files)
        page = make_page([(name if name != "/dev/stdin" else "", read_result(name)) for name in files])
    except getopt.GetoptError as error:
        return complain(f"{error.msg} (beryl-report --help-all lists all)", 2)
    except Refusal as error:
        return complain(str(error), 2)
    try:
        write_page(output, page.encode("utf-8", "replace"))
    except OSError as error:
        return complain(f"cannot write {output}: {error.strerror}", 1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
