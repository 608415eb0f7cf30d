# SPDX-License-Identifier: BSD-3-Clause
"""The experiments' figures: panels side by side, ours as lines, the paper's as markers.

Takes matplotlib. The same panels give the same bytes.
"""
import dataclasses

COLUMNS = 3
# Okabe and Ito's palette, whose colours colour-blind readers can distinguish too.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#000000"]
MARKERS = "osD^vPX"
LINES = ["-", "--", ":"]  # of the first, second and third as many series as there are colours
MANY = 30  # values, whose points are not marked


@dataclasses.dataclass
class Series:
    """Values over x. A paper's series that shares its label with one of ours has its colour; so has
    a variant, whose label says what is different after a comma, and which is dashed."""
    label: str
    x: list
    y: list
    paper: bool = False
    variant: bool = False

    def subject(self):
        return self.label.rsplit(",", 1)[0] if self.variant else self.label


@dataclasses.dataclass
class Panel:
    title: str
    x_title: str
    y_title: str
    series: list
    x_log: bool = False  # ticks then at the values themselves
    y_log: bool = False
    y_from: float = None  # where the axis begins; None: where the data do
    bars: bool = False  # x are then words


@dataclasses.dataclass
class Lanes:
    """A chart of what workers did over time, with a lane for each."""
    title: str
    x_title: str
    y_title: str
    end: float  # of the lanes, which begin at 0
    shades: list  # for each lane the parts, 0 to 1, of equally long pieces of its time
    meaning: str  # of a shade of 1
    links: list = dataclasses.field(default_factory=list)  # ((x, lane), (x, lane))
    link_meaning: str = ""


def write(panels, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "beryl", "svg.fonttype": "none",
                                "font.size": 9, "axes.grid": True, "grid.color": "#dddddd",
                                "axes.axisbelow": True})
    from matplotlib import pyplot
    n_columns = min(COLUMNS, len(panels))
    n_rows = -(-len(panels) // n_columns)
    figure, axes = pyplot.subplots(n_rows, n_columns, squeeze=False, layout="constrained",
                                   figsize=(4.2 * n_columns, 3.3 * n_rows))
    for i, (place, panel) in enumerate(zip(axes.flat, panels)):
        if isinstance(panel, Lanes):
            draw_lanes(place, panel)
        else:
            draw(place, panel)
            is_last = (i + 1) % n_columns == 0 or i + 1 == len(panels)
            add_legend(place, panel, None if is_last else panels[i + 1])
    for place in list(axes.flat)[len(panels):]:
        place.axis("off")
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def draw(place, panel):
    subjects = list(dict.fromkeys(series.subject() for series in panel.series))
    for series in panel.series:
        i = subjects.index(series.subject())
        style = {"color": COLOURS[i % len(COLOURS)]}
        name = f"{series.label}, paper" if series.paper else series.label
        if panel.bars:
            draw_bars(place, panel, series, name, style)
        elif series.paper:
            place.plot(series.x, series.y, linestyle="none", marker=MARKERS[i % len(MARKERS)],
                       markerfacecolor="none", label=name, **style)
        else:
            place.plot(series.x, series.y, LINES[1 if series.variant else i // len(COLOURS)],
                       marker=None if len(series.x) > MANY else ".", label=name, **style)
    place.set_title(panel.title, fontsize=10)
    place.set_xlabel(panel.x_title)
    place.set_ylabel(panel.y_title)
    if panel.x_log:
        log_axis(place, panel)
    if panel.y_log:
        place.set_yscale("log")
    if panel.y_from is not None:
        height = max(max(series.y) for series in panel.series) - panel.y_from
        place.set_ylim(panel.y_from, panel.y_from + 1.06 * height)


def add_legend(place, panel, right):
    """Beside a panel of many series, once where its right neighbour has the same."""
    labels = [series.label for series in panel.series]
    if len(labels) <= len(COLOURS):
        place.legend(fontsize=7)
    elif not isinstance(right, Panel) or labels != [series.label for series in right.series]:
        place.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)


def draw_lanes(place, panel):
    from matplotlib import collections, colors, lines, patches
    colours = colors.LinearSegmentedColormap.from_list("lanes", ["white", COLOURS[0]])
    place.imshow(panel.shades, colours, vmin=0, vmax=1, aspect="auto", interpolation="nearest",
                 extent=(0, panel.end, len(panel.shades) - 0.5, -0.5))
    place.grid(False)
    place.hlines([i + 0.5 for i in range(len(panel.shades) - 1)], 0, panel.end, "white", lw=1.5)
    legend = [patches.Patch(color=COLOURS[0], label=panel.meaning)]
    if panel.links:
        place.add_collection(collections.LineCollection(panel.links, colors=COLOURS[3], lw=0.4))
        legend.append(lines.Line2D([], [], color=COLOURS[3], label=panel.link_meaning))
    place.set_title(panel.title, fontsize=10)
    place.set_xlabel(panel.x_title, loc="left")
    place.set_ylabel(panel.y_title)
    place.legend(handles=legend, fontsize=7, loc="upper right", bbox_to_anchor=(1, -0.1),
                 ncols=len(legend))


def draw_bars(place, panel, series, name, style):
    words = list(dict.fromkeys(word for s in panel.series for word in s.x))
    width = 0.8 / len(panel.series)
    shift = (panel.series.index(series) + 0.5) * width - 0.4
    place.bar([words.index(word) + shift for word in series.x], series.y, width, label=name,
              hatch="//" if series.paper else None, edgecolor="white", **style)
    place.set_xticks(range(len(words)), words)


def log_axis(place, panel):
    values = sorted({x for series in panel.series for x in series.x})
    place.set_xscale("log")
    if len(values) <= 10:
        place.set_xticks(values, [f"{x:g}" for x in values])
        place.minorticks_off()
