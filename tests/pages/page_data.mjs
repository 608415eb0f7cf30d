// What the charts and tables of a page must show, from the results alone.

/** The runs of a result, as the page has them: one for each mode of a comparison. */
export function runsOf(result) {
  const figures = result.extras?.beryl ?? result;
  if (result.runs) return result.runs.map(run => ({ result: run, shared: run, figures: run }));
  if (!figures.compare) return [{ result, shared: figures, figures }];
  return Object.entries(figures.compare).map(([mode, entry]) =>
    ({ result, shared: figures, figures: entry, mode }));
}

const positive = numbers => (numbers ?? []).filter(number => number > 0).length;
const sum = numbers => numbers.reduce((total, number) => total + number, 0);

const TIMES = ['task', 'search', 'idle', 'scheduler', 'communication'];

/** Marks that a chart of one run must have, by its data-chart; null: the run has no such chart. */
export function marksOfRun(run) {
  const iterations = run.figures.iterations, n = iterations.length;
  const timeline = run.figures.timeline;
  const hasFock = iterations.some(entry => entry.fock_seconds !== undefined);
  const marks = {
    times: sum(TIMES.map(time => positive(iterations.map(entry => entry[`${time}_seconds`])))),
    seconds: n * (hasFock ? 2 : 1),
    efficiency: 2 * n,
  };
  if (sum(iterations.map(entry => entry.steals_attempted.mean)) > 0) marks.steals = 2 * n;
  if (!timeline) return marks;
  const { utilisation, durations, sample, lanes, loads } = timeline;
  marks.utilisation = sum(['task', 'search', 'scheduler', 'communication']
    .map(use => positive(utilisation[use])));
  marks.lanes = sum(lanes.map(lane => lane.uses.length + lane.steals_seconds.length));
  if (durations) marks.durations = positive(durations.tasks);
  if (sample?.cost)
    marks.costs = sample.seconds.filter((s, i) => s > 0 && sample.cost[i] > 0).length;
  if (loads.seconds.length > 1) marks.loads = loads.seconds.length * (n > 1 ? 2 : 1);
  return marks;
}

/** Marks of the charts that a comparison or a result as a whole has. */
export function marksOfResult(result) {
  const runs = runsOf(result), marks = {}, figures = result.extras?.beryl ?? result;
  const real = result.molecule?.real ?? [];
  if (result.molecule) marks.molecule = result.molecule.symbols.filter((_, i) => real[i]).length;
  if (figures.scf_iterations?.length > 0) {
    const steps = figures.scf_iterations;
    const changes = steps.slice(1).map((step, i) => Math.abs(step.energy - steps[i].energy));
    marks.convergence = positive(changes) + positive(steps.map(step => step.gradient));
  }
  if (figures.blocks)
    marks.blocks = figures.blocks.filled.join('').replaceAll('0', '').length;
  if (runs.length > 1 && runs[0].mode) {
    const first = runs.slice(0, 7).filter(run => run.figures.timeline);
    marks['compared-figure'] = runs.length;
    marks['compared-times'] = sum(runs.map(run => sum(TIMES.map(time =>
      run.figures.iterations.some(entry => entry[`${time}_seconds`] > 0) ? 1 : 0))));
    if (runs[0].figures.iterations.length > 1)
      marks['compared-seconds'] =
        sum(runs.slice(0, 7).map(run => run.figures.iterations.length));
    marks['compared-utilisation'] =
      sum(first.map(run => run.figures.timeline.utilisation.task.length));
    marks['compared-loads'] = sum(first.map(run => run.figures.timeline.loads.seconds.length)
      .filter(n => n > 1));
  }
  return marks;
}

/** Columns of the table of iterations by the first words of their headings. */
const COLUMNS = {
  'Fock build': ['fock_seconds', 1], makespan: ['makespan_seconds', 1],
  task: ['task_seconds', 'worker'], search: ['search_seconds', 'worker'],
  idle: ['idle_seconds', 'worker'], scheduler: ['scheduler_seconds', 'worker'],
  communication: ['communication_seconds', 'worker'], balancing: ['balance_seconds', 1],
  efficiency: ['efficiency', 100], imbalance: ['imbalance', 100],
  'steals done': ['steals_successful', 1], attempted: ['steals_attempted', 1],
  'tasks moved': ['tasks_moved', 1], messages: ['messages', 1], bytes: ['bytes', 1],
};

/** The number that a cell must show. */
export function iterationNumber(run, heading, iteration) {
  const [key, scale] = COLUMNS[heading] ?? [];
  const value = run.figures.iterations[iteration]?.[key];
  const workers = run.figures.workers ?? run.shared.workers;
  const number = typeof value === 'object' ? value.mean : value;
  return number * (scale === 'worker' ? 1 / workers : scale);
}

/** The number of a mode in the table of a comparison: medians and means over the iterations. */
export function modeNumber(runs, mode, heading) {
  const seconds = run => run.figures.iterations
    .map(entry => entry.fock_seconds ?? entry.makespan_seconds).sort((a, b) => a - b);
  const median = run => {
    if (run.figures.median_seconds !== undefined) return run.figures.median_seconds;
    const s = seconds(run), n = s.length;
    return (s[(n - 1) >> 1] + s[n >> 1]) / 2;
  };
  const run = runs.find(other => other.mode === mode);
  const reference = runs[1].figures.ratio ? runs[0]
    : runs.find(other => other.mode === 'static') ?? runs[0];
  const mean = (key, scale = 1) => sum(run.figures.iterations.map(entry =>
    entry[key].mean ?? entry[key])) * scale / run.figures.iterations.length;
  if (heading.startsWith('of '))
    return run.figures.ratio?.value ?? median(run) / median(reference);
  return {
    median: () => median(run), fastest: () => seconds(run)[0],
    slowest: () => seconds(run).at(-1), efficiency: () => mean('efficiency', 100),
    imbalance: () => mean('imbalance', 100), 'steals done': () => mean('steals_successful'),
    attempted: () => mean('steals_attempted'), 'tasks moved': () => mean('tasks_moved'),
    messages: () => mean('messages'),
  }[heading]?.();
}
