// How work and memory grow: runs the benchmarks of bench/growth.json, each in a fresh process, and writes bench/growth.md with the
// exponent of each curve and bench/growth.svg, which draws them. An hour's memory (bench/hour.mjs) is drawn next to them where it was measured.
// Run: node bench/growth.mjs [RUN...] [--from RUN=FILE] [--page]   (default: all, about a quarter of an hour; a run that is not named keeps its
// curves; --from: what that run printed, where it was made by itself;
// --page: nothing is run, the page is written again)

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { panelsOf } from './lib/plot.mjs';
import { exponentOf } from './lib/statistics.mjs';
import { buildNow, storedJson } from './lib/stored.mjs';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '..');
const FIGURES = join(HERE, 'growth-figures.json');
const LONGEST_MS = 3_600_000;
/** An exponent that is at most this far above its aim meets it. */
const NEAR = 0.1;

const { runs, curves } = JSON.parse(readFileSync(join(HERE, 'growth.json'), 'utf8'));
const words = process.argv.slice(2);
const [made, file] = words.includes('--from') ? (words[words.indexOf('--from') + 1] ?? '').split('=') : [];
const named = words.filter((word, i) => !word.startsWith('--') && words[i - 1] !== '--from');
const runsAny = !words.includes('--page');
for (const name of made === undefined ? named : [...named, made]) {
  if (name in runs) continue;
  console.error(`growth: no run ${name}; there are ${Object.keys(runs).join(', ')}`);
  process.exit(2);
}

for (const [name, { command, build }] of Object.entries(runs)) {
  if (!runsAny || ((named.length > 0 || made !== undefined) && !named.includes(name))) continue;
  console.error(`${name}: node ${command.join(' ')}`);
  if (build !== undefined) run('cmake', ['--build', 'build/tests', '--parallel', '2', '--target', build]);
  const before = loadavg()[0];
  const { status, stdout, stderr } = run(process.execPath, command);
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr.slice(-2000)}`);
  keep(name, stdout, `load ${[before, loadavg()[0]].map((one) => one.toFixed(0)).join(' to ')}`);
}
if (made !== undefined) keep(made, readFileSync(file, 'utf8'), 'load not noted');
const figures = storedJson(FIGURES, {});
const measured = curves
  .filter((curve) => keyOf(curve) in figures)
  .map((curve) => ({ ...curve, ...figures[keyOf(curve)] }));
const hour = storedJson(join(HERE, 'hour.json'), []);
writeFileSync(join(HERE, 'growth.svg'), panelsOf(measured, hour));
writeFileSync(join(HERE, 'growth.md'), page());

/** What a run printed, as points of its curves. */
function keep(name, text, load) {
  const known = storedJson(FIGURES, {});
  for (const curve of curves.filter((each) => each.run === name)) {
    const points = [...text.matchAll(new RegExp(curve.find, 'gm'))].map(([, x, y]) => [numberOf(x), numberOf(y)]);
    if (points.length < 3) throw new Error(`${curve.what}: ${points.length} points in what ${name} printed`);
    known[keyOf(curve)] = { points, ...buildNow(), load };
  }
  writeFileSync(FIGURES, `${JSON.stringify(known, null, 1)}\n`);
}

function page() {
  const lines = measured.map(({ what, x, unit, points, goal, missed, date, at, build, load, since }) => {
    const { slope, within } = exponentOf(points);
    const late = exponentOf(points.slice(-3));
    const met = Math.max(slope, late.slope) <= goal + NEAR;
    const verdict = met ? 'met' : `missed${missed ? `: ${missed}` : ''}`;
    const shown = points.map(([at, value]) => `${at.toLocaleString('en')}: ${value.toLocaleString('en')}`).join(', ');
    return `| ${what}, ${unit} | ${x} | ${shown} | ${slope.toFixed(2)} ± ${within.toFixed(2)} | ${late.slope.toFixed(2)} | ≤ ${goal} | ${verdict} | ${date} ${at}, ${build}, ${load}${since ? `; since then ${since}` : ''} |`;
  });
  return `# Growth

Written by \`node bench/growth.mjs\`: work and memory over the size of what is watched or read, and the exponent e of size^e: 0 does not
grow, 1 is linear, 2 is its square. Of all points with its interval of 95 %, and of the last three, where what does not grow (the start of a
process, code that is compiled) counts least. Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}, shared with other
work (load is the number of runnable processes before and after); therefore all times are CPU of the thread or process. An aim is met where both
exponents are at most ${NEAR} above it. Each row says when it came, and the newest commit that the build it was measured on can have: what came later
is not in it, but where "since then" has a figure of another page ([peers](peers.md), [dumps](results-flight-recorder.md)).

![Each curve with both axes logarithmic; the dashed line is linear](growth.svg)

| what | over | size: value | exponent | of the last three | aim | | measured |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

function keyOf({ run: name, what }) {
  return `${name} | ${what}`;
}

function numberOf(text) {
  return Number(text.replaceAll(',', ''));
}

function run(program, words) {
  return spawnSync(program, words, { cwd: ROOT, encoding: 'utf8', timeout: LONGEST_MS, maxBuffer: 1 << 28 });
}
