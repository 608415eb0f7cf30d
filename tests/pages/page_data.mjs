// SPDX-License-Identifier: BSD-3-Clause
// Contents that the charts and tables of a page must show, from the results alone.

/** The runs of a result, as the page has them: one for each mode of a comparison; with `runs`, the runs
 * of all its results. */
export function runsOf(result) {
  const figures = result.extras?.beryl ?? result;
  if (result.runs) return result.runs.flatMap(runsOf);
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
const column = (run, key, iterations = run.figures.iterations) =>
  iterations.map(entry => figure(entry, key));

/** Iterations of a comparison that are no warm-up of their round; of another run that repeats its work
 * those from the third on, of fewer the last; of a method all. */
export function countedOf({ figures, shared }) {
  const { iterations } = figures, last = Math.max(...iterations.map(({ iteration }) => iteration));
  const repeats = !shared.scf_iterations?.length || 'density' in shared;
  const from = shared.comparison?.counted_from ?? (repeats ? Math.min(2, last) : 0);
  return iterations.filter(({ iteration }) => iteration >= from);
}

const meanOf = numbers => sum(numbers) / numbers.length;
const mean = (run, key) => meanOf(column(run, key, countedOf(run)));
const total = (run, key) => sum(column(run, key, countedOf(run)));

/** Per cent of the makespans of the iterations that count, together. */
export const usePercent = (run, use) =>
  100 * total(run, `${use}_seconds`) / lanesOf(run) / total(run, 'makespan_seconds');
export const imbalanceOf = run => 100 * (total(run, 'load_max') / total(run, 'load_mean') - 1);

/** Seconds of the iterations, with the balancing before them. */
const secondsInOrder = (run, iterations = run.figures.iterations) => iterations.map(entry =>
  entry.fock_seconds ?? entry.seconds ?? entry.makespan_seconds + (entry.balance_seconds ?? 0));

/** Seconds of the iterations that count, in order of size. */
const sortedSeconds = run => secondsInOrder(run, countedOf(run)).sort((a, b) => a - b);

/** Seconds of a run: the median of the rounds, or the mean of the iterations that count; with the ends
 * of its interval or of those iterations. */
export const secondsOf = run => run.figures.median_seconds ?? meanOf(sortedSeconds(run));
export function spreadOf(run) {
  const seconds = sortedSeconds(run);
  return run.figures.interval_seconds ?? (seconds.length > 1 ? [seconds[0], seconds.at(-1)] : []);
}

/** Seconds that no schedule of any iteration can be below; none if one is without a bound. */
export function boundsOf(runs) {
  const bounds = runs.flatMap(run => column(run, 'lower_bound_seconds', countedOf(run)));
  return bounds.every(bound => bound > 0) ? [Math.min(...bounds)] : [];
}

export function ratioOf(runs, run) {
  return run.figures.ratio?.value ?? secondsOf(run) / secondsOf(runs[0]);
}

/** [per cent, from] of the bins of utilisation over time. */
const binsOf = ({ bin_seconds: bin, seconds, ...uses }, use) =>
  uses[use].map((part, i) => [100 * part, Math.min(i * bin, seconds)]).filter(([part]) => part > 0);

function marksOfTimeline(run) {
  const { utilisation, durations, lanes } = run.figures.timeline;
  const marks = {
    utilisation: USES.flatMap(use => binsOf(utilisation, use)),
    lanes: lanes.flatMap(lane => [
      ...lane.from_seconds.map((from, i) => [from, lane.to_seconds[i]]),
      ...lane.steals_seconds]),
  };
  if (durations)
    marks.durations = durations.tasks.map((tasks, i) => [tasks, durations.edges_seconds[i]])
      .filter(([tasks]) => tasks > 0);
  return marks;
}

/** The number of each mark of the charts of one run, in the order of the page: [y, x] where a mark
 * says both. A run of one iteration has no chart over iterations. */
export function marksOfRun(run) {
  const { iterations, timeline } = run.figures;
  const times = TIMES.flatMap(time => column(run, `${time}_seconds`)
    .map((seconds, i) => [seconds / lanesOf(run), i]).filter(([seconds]) => seconds > 0));
  return { ...iterations.length > 1 && { times }, ...timeline && marksOfTimeline(run) };
}

/** The first and the fastest, as many as there are lines, in the order of the result. */
function linesOf(runs) {
  const fastest = runs.slice(1)
    .sort((a, b) => secondsOf(a) - secondsOf(b)).slice(0, MAX_LINES - 1);
  return runs.filter(run => run === runs[0] || fastest.includes(run));
}

/** Bars of runs side by side, whether or not they are modes of one comparison. */
const barsOf = runs => ({
  'compared-times': runs.map(secondsOf),
  'compared-fractions': runs.flatMap(run => positive(TIMES.map(time => usePercent(run, time)))),
});

function marksOfComparison(runs) {
  const marks = {
    ...barsOf(runs),
    'compared-utilisation': runs.map(run => run.figures.timeline).filter(Boolean).flatMap(
      timeline => binsOf(timeline.last_utilisation ?? timeline.utilisation, 'task')),
  };
  if (runs[0].figures.iterations.length > 1)
    marks['compared-seconds'] = linesOf(runs).flatMap(run =>
      secondsInOrder(run).map((seconds, i) => [seconds, i + 0.5]));
  return marks;
}

/** The marks of the charts that a comparison, a result as a whole, or several results have. */
export function marksOfResult(result) {
  const runs = runsOf(result), figures = result.extras?.beryl ?? result, marks = {};
  if (figures.scf_iterations?.length > 1) {
    const steps = figures.scf_iterations;
    const changes = steps.slice(1).map((step, i) => Math.abs(step.energy - steps[i].energy));
    marks.convergence = [...positive(changes), ...positive(steps.map(step => step.gradient))];
  }
  return runs.length === 1 ? marks
    : { ...marks, ...(result.runs ? barsOf(runs) : marksOfComparison(runs)) };
}

/** Columns of the table of iterations by the first words of their headings. */
const COLUMNS = {
  'Fock build': ['fock_seconds', 1], total: ['seconds', 1], makespan: ['makespan_seconds', 1],
  task: ['task_seconds', 'worker'], search: ['search_seconds', 'worker'],
  idle: ['idle_seconds', 'worker'], scheduler: ['scheduler_seconds', 'worker'],
  communication: ['communication_seconds', 'worker'], balancing: ['balance_seconds', 1],
  efficiency: ['efficiency', 100], imbalance: ['imbalance', 100],
  'steals done': ['steals_successful', 1], attempted: ['steals_attempted', 1],
  'tasks moved': ['tasks_moved', 1], messages: ['messages', 1], round: ['round', 1],
};

/** The numbers that a cell of the table of iterations must show. */
export function iterationNumbers(run, heading, iteration) {
  const [key, scale] = COLUMNS[heading] ?? [];
  const entry = run.figures.iterations[iteration] ?? {};
  return [figure(entry, key) * (scale === 'worker' ? 1 / lanesOf(run) : scale)];
}

/** The numbers of a row of the table of amplitudes: of an iteration, or of what is after all of them. */
export function amplitudeNumbers({ figures }, heading, iteration) {
  const entry = figures.iterations.find(({ final, iteration: number }) =>
    (iteration === 'after' ? final : number === Number(iteration))) ?? {};
  return { 'correlation energy': [entry.energy], 'largest change': [entry.change], norm: [entry.norm],
    time: [entry.seconds], rate: [1e-9 * entry.flops / entry.seconds] }[heading];
}

/** The numbers of a mode in the table of a comparison. */
export function modeNumbers(runs, mode, heading) {
  const run = runs.find(other => other.mode === mode.replace(/ \((bound|reference)\)$/, ''));
  const numbers = {
    time: () => [secondsOf(run)], from: () => spreadOf(run).slice(0, 1), to: () => spreadOf(run).slice(1),
    ratio: () => [ratioOf(runs, run)],
    interval: () => run.figures.ratio?.interval ?? [], verdict: () => [],
    efficiency: () => [usePercent(run, 'task')], imbalance: () => [imbalanceOf(run)],
    'steals done': () => [mean(run, 'steals_successful')],
    attempted: () => [mean(run, 'steals_attempted')],
    'tasks moved': () => [mean(run, 'tasks_moved')], messages: () => [mean(run, 'messages')],
  };
  return numbers[heading]?.();
}

/** The numbers of a run in the table of runs. */
export function runNumbers(run, heading) {
  const numbers = {
    workers: () => [workersOf(run)], counted: () => [countedOf(run).length],
    time: () => [secondsOf(run)], efficiency: () => [usePercent(run, 'task')],
    imbalance: () => [imbalanceOf(run)],
    energy: () => [run.result.return_result].filter(energy => typeof energy === 'number'),
  };
  return numbers[heading]?.();
}

/** Words on the iterations that count, and numbers that they must have. */
export function basisOf(run) {
  const counted = countedOf(run), { iterations } = run.figures;
  const rounds = new Set(iterations.map(({ round }) => round)).size;
  if (counted.length === iterations.length)
    return { words: iterations.length > 1 ? 'all' : 'the one', numbers: iterations.length > 1 ? [iterations.length] : [] };
  const numbers = [...new Set(counted.map(({ iteration }) => iteration))];
  return { words: 'those before are warm-up', numbers: [...numbers.length > 1 ? [numbers[0], numbers.at(-1)]
    : numbers, ...rounds > 1 ? [rounds] : [], ...run.figures.median_seconds ? [rounds] : []] };
}

const HARTREE_IN_EV = 27.211386245988;

/** The energy of an orbital by its name, HOMO, LUMO, HOMO \u2212 1, ... and the number of occupied ones. */
function orbitalEnergy(energies, n, name) {
  const [edge, sign, distance = '0'] = name.split(' ');
  return energies[(edge === 'LUMO' ? n : n - 1) + (sign === '+' ? 1 : -1) * Number(distance)];
}

/** The numbers of a row of the tables above the charts, by its heading; undefined: a text. */
export function cardNumbers({ result, shared, figures, mode }, heading) {
  const run = { result, shared, figures, mode };
  const properties = result.properties ?? {}, molecule = result.molecule ?? {};
  const own = key => figures[key] ?? shared[key];
  const [orbital, spin = 'alpha'] = heading.split(', ');
  const energies = own('orbital_energies')?.[spin === 'beta' ? 1 : 0] ?? [];
  const n = properties[`calcinfo_n${spin}`], gap = energies[n] - energies[n - 1];
  if (orbital === 'Orbital gap') return [gap, gap * HARTREE_IN_EV];
  if (/^(HOMO|LUMO)/.test(orbital))
    return [orbitalEnergy(energies, n, orbital)];
  const dipole = Math.hypot(...properties.scf_dipole_moment ?? []);
  const numbers = {
    'Basis functions': () => [properties.calcinfo_nbasis],
    Charge: () => [molecule.molecular_charge],
    Multiplicity: () => [molecule.molecular_multiplicity],
    'Frozen orbitals': () => [shared.frozen_orbitals],
    'Total energy': () => [result.return_result],
    'Hartree-Fock': () => [properties.scf_total_energy],
    Correlation: () => [properties[`${result.model.method === 'ccsd(t)' ? 'ccsd_prt_pr' : result.model.method
    }_correlation_energy`]],
    CCSD: () => [properties.ccsd_correlation_energy],
    '(T)': () => [shared.scalars.E4 + shared.scalars.E5],
    'One-electron': () => [properties.scf_one_electron_energy],
    'Two-electron': () => [properties.scf_two_electron_energy],
    'Nuclear repulsion': () => [properties.nuclear_repulsion_energy],
    'T1 diagnostic': () => [shared.diagnostics.t1], 'D1 diagnostic': () => [shared.diagnostics.d1],
    Dipole: () => [dipole, ...properties.scf_dipole_moment],
    '<S2>': () => [shared.s2],
    'Lowest curvature among real RHF': () => [own('stability').real_rhf.lowest_curvature],
    'Lowest curvature among real UHF': () => [own('stability').real_uhf.lowest_curvature],
    'Saddle points left': () => [own('saddle_points_left').length],
    Workers: () => [own('workers')], 'Threads of each': () => [shared.machine.threads], Tasks: () => [own('tasks')],
    'Tasks that are not null': () => [own('non_null')],
    'Fock builds': () => [figures.iterations.length],
    Iterations: () => [figures.iterations.length],
    'Time of each': () => [secondsOf(run)],
    Efficiency: () => [usePercent(run, 'task')], Imbalance: () => [imbalanceOf(run)],
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
