"""The experiments' figures: panels side by side, ours as lines, the paper's as markers.

Takes matplotlib. The same panels give the same bytes.
"""
import dataclasses

COLUMNS = 3
# Okabe and Ito's palette, whose colours colour-blind readers can distinguish too.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#000000"]
MARKERS = "osD^vPX"


@dataclasses.dataclass
class Series:
    """Values over x. A paper's series that shares its label with one of ours has its colour."""
    label: str
    x: list
    y: list
    paper: bool = False


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
    for place, panel in zip(axes.flat, panels):
        draw(place, panel)
    for place in list(axes.flat)[len(panels):]:
        place.axis("off")
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def draw(place, panel):
    labels = list(dict.fromkeys(series.label for series in panel.series))
    for series in panel.series:
        i = labels.index(series.label)
        style = {"color": COLOURS[i % len(COLOURS)]}
        name = f"{series.label}, paper" if series.paper else series.label
        if panel.bars:
            draw_bars(place, panel, series, name, style)
        elif series.paper:
            place.plot(series.x, series.y, linestyle="none", marker=MARKERS[i % len(MARKERS)],
                       markerfacecolor="none", label=name, **style)
        else:
            # More series than colours: the others are dashed.
            line = "-" if i < len(COLOURS) else "--"
            place.plot(series.x, series.y, line, marker=".", label=name, **style)
    place.set_title(panel.title, fontsize=10)
    place.set_xlabel(panel.x_title)
    place.set_ylabel(panel.y_title)
    if panel.x_log:
        log_axis(place, panel)
    if panel.y_log:
        place.set_yscale("log")
    if panel.y_from is not None:
        place.set_ylim(bottom=panel.y_from)
    place.legend(fontsize=7)


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
