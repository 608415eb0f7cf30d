// SPDX-License-Identifier: BSD-3-Clause
// Contents that the charts and tables of a page must show, from the results alone.

/** The runs of a result, as the page has them: one for each mode of a comparison. */
export function runsOf(result) {
  const figures = result.extras?.beryl ?? result;
  if (result.runs) return result.runs.map(run => ({ result: run, shared: run, figures: run }));
  if (!figures.compare) return [{ result, shared: figures, figures }];
  return Object.entries(figures.compare).map(([mode, entry]) =>
    ({ result, shared: figures, figures: entry, mode }));
}

const sum = numbers => numbers.reduce((total, number) => total + number, 0);
const positive = numbers => numbers.filter(number => number > 0);

const TIMES = ['task', 'search', 'idle', 'scheduler', 'communication'];
const USES = ['task', 'search', 'scheduler', 'communication'];
const MAX_LINES = 7;

const workersOf = run => run.figures.workers ?? run.shared.workers ?? 1;
export const lanesOf = run => workersOf(run) * (run.shared.machine?.threads ?? 1);
const figure = (entry, key) => entry[key]?.mean ?? entry[key];
const column = (run, key, scale = 1, iterations = run.figures.iterations) =>
  iterations.map(entry => figure(entry, `${key}`) * scale);

/** Iterations of a comparison that are no warm-up of their round; of other runs all. */
export function countedOf({ figures, shared }) {
  const from = shared.comparison?.counted_from ?? 0;
  return figures.iterations.filter(({ iteration }) => iteration >= from);
}

const mean = (run, key, scale = 1) =>
  sum(column(run, key, scale, countedOf(run))) / countedOf(run).length;
const times = (run, time) => column(run, `${time}_seconds`, 1 / lanesOf(run));

/** Seconds of the iterations, with the balancing before them. */
const secondsInOrder = (run, iterations = run.figures.iterations) => iterations.map(entry =>
  entry.fock_seconds ?? entry.makespan_seconds + (entry.balance_seconds ?? 0));

/** Seconds of the iterations that count, in order of size. */
export const secondsOf = run => secondsInOrder(run, countedOf(run)).sort((a, b) => a - b);

/** Seconds that no schedule of any iteration can be below; none if one is without a bound. */
export function boundsOf(runs) {
  const bounds = runs.flatMap(run => column(run, 'lower_bound_seconds'));
  return bounds.every(bound => bound > 0) ? [Math.min(...bounds)] : [];
}

export function medianOf(run) {
  const seconds = secondsOf(run), n = seconds.length;
  return run.figures.median_seconds ?? (seconds[(n - 1) >> 1] + seconds[n >> 1]) / 2;
}

export function ratioOf(runs, run) {
  return run.figures.ratio?.value ?? medianOf(run) / medianOf(runs[0]);
}

/** Edges of the bins of utilisation over time. */
function edgesOf({ bin_seconds: bin, seconds, task }) {
  return [...task, 0].map((_, i) => Math.min(i * bin, seconds));
}

/** Places of the sorted loads: numbers of the workers, or of a sample per cent. */
const rankOf = (run, n) => i => (n === lanesOf(run) ? i + 1 : 100 * i / (n - 1));

function marksOfTimeline(run) {
  const { utilisation, durations, sample, lanes, loads, first_loads: first } = run.figures.timeline;
  const edges = edgesOf(utilisation), n = loads.seconds.length, rank = rankOf(run, n);
  const marks = {
    utilisation: USES.flatMap(use => utilisation[use].map((part, i) => [100 * part, edges[i]]))
      .filter(([part]) => part > 0),
    lanes: lanes.flatMap(lane => [
      ...lane.from_seconds.map((from, i) => [from, lane.to_seconds[i]]),
      ...lane.steals_seconds]),
  };
  if (durations)
    marks.durations = durations.tasks.map((tasks, i) => [tasks, durations.edges_seconds[i]])
      .filter(([tasks]) => tasks > 0);
  if (sample?.cost) {
    const scale = sum(sample.seconds) / sum(sample.cost);
    marks.costs = sample.seconds.map((seconds, i) => [seconds, scale * sample.cost[i]])
      .filter(([seconds, cost]) => seconds > 0 && cost > 0);
  }
  const before = run.figures.iterations.length > 1 ? first.seconds : [];
  if (n > 1)
    marks.loads = [before, loads.seconds].flatMap(seconds =>
      seconds.map((load, i) => [load, rank(i)]));
  return marks;
}

const hasSeconds = run => run.figures.iterations[0].fock_seconds !== undefined ||
  sum(column(run, 'balance_seconds')) > 0;

/** The number of each mark of the charts of one run, in the order of the page: [y, x] where a mark
 * says both. */
export function marksOfRun(run) {
  const iterations = run.figures.iterations;
  const marks = {
    times: iterations.flatMap((_, i) => positive(TIMES.map(time => times(run, time)[i]))),
    seconds: [...hasSeconds(run) ? secondsInOrder(run) : [], ...column(run, 'makespan_seconds')],
    efficiency: [...column(run, 'efficiency', 100), ...column(run, 'imbalance', 100)],
  };
  if (sum(column(run, 'steals_attempted')) > 0)
    marks.steals = [...column(run, 'steals_successful'), ...column(run, 'steals_attempted')];
  return run.figures.timeline ? { ...marks, ...marksOfTimeline(run) } : marks;
}

/** The first and the fastest, as many as there are lines, in the order of the result. */
function linesOf(runs) {
  const fastest = runs.slice(1)
    .sort((a, b) => medianOf(a) - medianOf(b)).slice(0, MAX_LINES - 1);
  return runs.filter(run => run === runs[0] || fastest.includes(run));
}

/** Bars of runs side by side, whether or not they are modes of one comparison. */
function barsOf(runs) {
  return {
    'compared-medians': runs.map(medianOf),
    'compared-times': runs.flatMap(run =>
      positive(TIMES.map(time => mean(run, `${time}_seconds`, 1 / lanesOf(run))))),
  };
}

const marksOfSweep = runs => ({
  ...barsOf(runs), 'compared-efficiency': runs.map(run => mean(run, 'efficiency', 100)),
});

function marksOfComparison(runs) {
  const timelines = runs.filter(run => run.figures.timeline).map(run => run.figures.timeline);
  const marks = {
    ...barsOf(runs),
    'compared-utilisation': timelines.flatMap(({ utilisation }) =>
      utilisation.task.map((part, i) => [100 * part, edgesOf(utilisation)[i]])
        .filter(([part]) => part > 0)),
    'compared-loads': timelines.map(({ loads }) => loads.seconds).filter(loads => loads.length > 1)
      .flatMap(loads => loads.map((load, i) => [load, 100 * i / loads.length])
        .filter(([load]) => load > 0)),
  };
  if (runs[0].figures.iterations.length > 1)
    marks['compared-seconds'] = linesOf(runs).flatMap(run =>
      secondsInOrder(run).map((seconds, i) => [seconds, i]));
  return marks;
}

/** The marks of the charts that a comparison or a result as a whole has; texts in any order. */
export function marksOfResult(result) {
  const runs = runsOf(result), figures = result.extras?.beryl ?? result, marks = {};
  const real = result.molecule?.real ?? [];
  if (result.molecule) marks.molecule = result.molecule.symbols.filter((_, i) => real[i]).sort();
  if (figures.scf_iterations?.length > 0) {
    const steps = figures.scf_iterations;
    const changes = steps.slice(1).map((step, i) => Math.abs(step.energy - steps[i].energy));
    marks.convergence = [...positive(changes), ...positive(steps.map(step => step.gradient))];
  }
  if (figures.blocks)
    marks.blocks = [...figures.blocks.filled.join('')].filter(digit => digit > 0)
      .map(digit => Math.round(100 * digit / 9));
  return runs.length === 1 ? marks
    : { ...marks, ...(runs[0].mode ? marksOfComparison(runs) : marksOfSweep(runs)) };
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

/** The numbers that a cell of the table of iterations must show. */
export function iterationNumbers(run, heading, iteration) {
  const [key, scale] = COLUMNS[heading] ?? [];
  const entry = run.figures.iterations[iteration] ?? {};
  return [figure(entry, key) * (scale === 'worker' ? 1 / lanesOf(run) : scale)];
}

/** The numbers of a mode in the table of a comparison: medians and means over the iterations. */
export function modeNumbers(runs, mode, heading) {
  const run = runs.find(other => other.mode === mode);
  const numbers = {
    median: () => [medianOf(run)], fastest: () => [secondsOf(run)[0]],
    slowest: () => [secondsOf(run).at(-1)], ratio: () => [ratioOf(runs, run)],
    interval: () => run.figures.ratio?.interval ?? [], verdict: () => [],
    efficiency: () => [mean(run, 'efficiency', 100)],
    imbalance: () => [mean(run, 'imbalance', 100)],
    'steals done': () => [mean(run, 'steals_successful')],
    attempted: () => [mean(run, 'steals_attempted')],
    'tasks moved': () => [mean(run, 'tasks_moved')], messages: () => [mean(run, 'messages')],
  };
  return numbers[heading]?.();
}

/** The numbers of a run in the table of runs. */
export function runNumbers(run, heading) {
  const numbers = {
    workers: () => [workersOf(run)], iterations: () => [run.figures.iterations.length],
    each: () => [medianOf(run)], efficiency: () => [mean(run, 'efficiency', 100)],
    imbalance: () => [mean(run, 'imbalance', 100)],
    energy: () => [run.result.return_result].filter(energy => energy !== undefined),
  };
  return numbers[heading]?.();
}

const length = vector => Math.hypot(...vector);
const E_BOHR_IN_DEBYE = 2.541746473, HARTREE_IN_EV = 27.211386245988;

/** The numbers of a row of the tables above the charts, by its heading; undefined: a text. */
export function cardNumbers({ result, shared, figures, mode }, heading) {
  const run = { result, shared, figures, mode };
  const properties = result.properties ?? {}, molecule = result.molecule ?? {};
  const own = key => figures[key] ?? shared[key];
  const gaps = spin => {
    const n = properties[spin === 0 ? 'calcinfo_nalpha' : 'calcinfo_nbeta'];
    const gap = own('orbital_energies')[spin][n] - own('orbital_energies')[spin][n - 1];
    return [gap, gap * HARTREE_IN_EV];
  };
  const dipole = () => [length(properties.scf_dipole_moment),
    length(properties.scf_dipole_moment) * E_BOHR_IN_DEBYE, ...properties.scf_dipole_moment];
  const numbers = {
    'Basis functions': () => [properties.calcinfo_nbasis],
    Charge: () => [molecule.molecular_charge],
    Multiplicity: () => [molecule.molecular_multiplicity],
    'Total energy': () => [result.return_result],
    'Hartree-Fock': () => [properties.scf_total_energy],
    Correlation: () => [properties[`${result.model.method}_correlation_energy`]],
    'One-electron': () => [properties.scf_one_electron_energy],
    'Two-electron': () => [properties.scf_two_electron_energy],
    'Nuclear repulsion': () => [properties.nuclear_repulsion_energy],
    Dipole: dipole, 'Hartree-Fock dipole': dipole,
    '<S2>': () => [shared.s2], 'Hartree-Fock <S2>': () => [shared.s2],
    'Lowest curvature among real RHF': () => [own('stability').real_rhf.lowest_curvature],
    'Lowest curvature among real UHF': () => [own('stability').real_uhf.lowest_curvature],
    'Saddle points left': () => [own('saddle_points_left').length],
    'Orbital gap': () => gaps(0), 'Gap, alpha': () => gaps(0), 'Gap, beta': () => gaps(1),
    Workers: () => [own('workers')], 'Threads of each': () => [shared.machine.threads], Tasks: () => [own('tasks')],
    'Tasks that are not null': () => [own('non_null')],
    'Fock builds': () => [figures.iterations.length],
    Iterations: () => [figures.iterations.length],
    'Time of each, mean': () => [sum(secondsInOrder(run)) / figures.iterations.length],
    'Efficiency, mean': () => [mean(run, 'efficiency', 100)],
    'Imbalance, mean': () => [mean(run, 'imbalance', 100)],
    'Peak memory': () => [shared.memory_peak_bytes * 1e-6],
    'Cores of a node': () => [shared.hardware.cores], Nodes: () => [shared.hardware.nodes],
    'Nodes of the tree': () => [shared.nodes], Leaves: () => [shared.leaves],
    Depth: () => [shared.depth],
  };
  const wall = shared.wall_seconds ?? {};
  if (heading === 'Wall time') return [wall.total];
  if (heading in wall) return [wall[heading], 100 * wall[heading] / wall.total];
  if (heading.startsWith('--')) {
    const value = shared.machine[heading.slice(2)];
    return typeof value === 'number' ? [value] : undefined;
  }
  return numbers[heading]?.();
}
