// The table of what we promise against the peers: runs each benchmark that a row of bench/peers.json names, in a fresh process, and
// writes bench/peers.md with ratios, goals, versions and shapes. Benchmarks that compare outputs do so first and end with an error where they
// differ; rows whose outputs are not compared, or by their number alone, say so (`note`).
// Run: node bench/peers.mjs [RUN...] [--long] [--from RUN=FILE] [--page]   (default: all but the long ones; a run that is not named keeps its rows
// on the page; --from: what that run printed, where it was made by itself; --page: nothing is run)

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { buildNow, storedJson } from './lib/stored.mjs';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(import.meta.dirname, 'peers.md');
const FIGURES = join(import.meta.dirname, 'peers-figures.json');
const LONGEST_MS = 5_400_000;

/** Where scripts/bench-peers puts what is not installed: first on the path of each benchmark. */
const TOOLS = join(ROOT, '.tools/peers');
const DEBIAN = join(TOOLS, 'debian');
const env = { ...process.env, PATH: [join(TOOLS, 'bin'), join(DEBIAN, 'usr/bin'), process.env.PATH].join(':') };
if (existsSync(join(DEBIAN, 'usr/include/hs/hs.h'))) env.FAULTLINE_HS ??= DEBIAN;

const { runs, peers, rows } = JSON.parse(readFileSync(join(import.meta.dirname, 'peers.json'), 'utf8'));
const long = process.argv.includes('--long');
const words = process.argv.slice(2);
const [made, file] = words.includes('--from') ? (words[words.indexOf('--from') + 1] ?? '').split('=') : [];
const named = words.filter((word, i) => !word.startsWith('--') && words[i - 1] !== '--from');
for (const name of made === undefined ? named : [...named, made])
  if (!(name in runs)) fail(`no run ${name}; there are ${Object.keys(runs).join(', ')}`);

const wanted = words.includes('--page')
  ? []
  : Object.entries(runs).filter(([name, { long: takesLong }]) =>
      named.length > 0 || made !== undefined ? named.includes(name) : long || !takesLong,
    );
const inBackground = wanted
  .filter(([, { meanwhile }]) => meanwhile === true)
  .map(([name, { command }]) => startedMeanwhile(name, command));
for (const [name, { command, build, waits }] of wanted.filter(([, { meanwhile }]) => meanwhile !== true)) {
  console.error(`${name}: node ${command.join(' ')}`);
  if (build !== undefined) run('cmake', ['--build', 'build/tests', '--parallel', '2', '--target', build]);
  const before = loadavg()[0];
  // What is a time and no CPU is that of a queue where others are at work: then all sides run before these.
  const first = waits === true && before > cpus().length;
  const { status, stdout, stderr } = first
    ? run('chrt', ['-r', '10', process.execPath, ...command])
    : run(process.execPath, command);
  const load = `load ${[before, loadavg()[0]].map((one) => one.toFixed(0)).join(' to ')}${first ? ', real-time priority' : ''}`;
  keep(name, status, stdout, stderr, load);
}
for (const { name, ended, folder } of inBackground) {
  const [status] = await ended;
  const [stdout, stderr] = ['out', 'err'].map((kind) => readFileSync(join(folder, kind), 'utf8'));
  rmSync(folder, { recursive: true });
  keep(name, status, stdout, stderr, loadIn(stdout));
}
if (made !== undefined) {
  const text = readFileSync(file, 'utf8');
  keep(made, 0, text, '', loadIn(text));
}
writeFileSync(PAGE, page());

/** A run that needs an hour and next to no CPU goes next to the others. */
function startedMeanwhile(name, command) {
  console.error(`${name}: node ${command.join(' ')}, next to the others`);
  const folder = mkdtempSync(join(tmpdir(), 'fl-meanwhile-'));
  const [out, err] = ['out', 'err'].map((kind) => openSync(join(folder, kind), 'w'));
  const child = spawn(process.execPath, command, { cwd: ROOT, env, stdio: ['ignore', out, err] });
  return { name, folder, ended: once(child, 'exit') };
}

/** The load that a run noted by itself. */
function loadIn(text) {
  return /^load of the machine\s+(.*)$/m.exec(text)?.[1].replace(/^/, 'load ') ?? 'load not noted';
}

/** What a run printed, as figures of its rows. After each run: who stops an hour's table has what was measured until then. */
function keep(name, status, stdout, stderr, load) {
  // Read again for each: another part of the table may have been made meanwhile.
  const figures = storedJson(FIGURES, {});
  for (const row of rows.filter((each) => each.run === name)) {
    const value = status === 0 ? figureOf(row, stdout) : null;
    const said =
      value === null
        ? status === 0
          ? `its line is missing in: ${stdout.trim().split('\n').at(-1)}`
          : (/^\w*Error: .*/m.exec(stderr)?.[0] ?? stderr.trim().split('\n').at(-1))
        : undefined;
    figures[keyOf(row)] = { value, said, ...buildNow(), load };
  }
  if (runs[name].shown !== undefined && status === 0)
    figures[`printed by ${name}`] = { text: stdout.trim(), ...buildNow() };
  writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`);
  writeFileSync(PAGE, page());
}

function keyOf({ run: name, work, shape, peer }) {
  return [name, work, shape, peer ?? ''].join(' | ');
}

/** The number in what a benchmark printed, or null. */
function figureOf({ find, of }, text) {
  const [, first, second] = new RegExp(find, 'm').exec(text) ?? [];
  if (first === undefined) return null;
  if (of === undefined) return Number(first);
  return of === 'first / second' ? Number(first) / Number(second) : Number(second) / Number(first);
}

function page() {
  const figures = storedJson(FIGURES, {});
  const lines = rows.map((row) => {
    const { work, shape, peer = '–', goal, better, unit = '', missed = '', note } = row;
    const { value, said, load = '', note: noteOfRun, ...when } = figures[keyOf(row)] ?? {};
    const shown = value == null ? `not measured${said ? `: ${said}` : ''}` : `${Number(value.toPrecision(3))} ${unit}`;
    const met = value == null ? '' : (better === 'more' ? value >= goal : value <= goal) ? 'met' : `missed${missed ? `: ${missed}` : ''}`; // biome-ignore format: one choice
    const verdict = [met, note, noteOfRun].filter(Boolean).join('; ');
    return `| ${work} | ${shape} | ${peer} | ${shown.trim()} | ${better === 'more' ? '≥' : '≤'} ${goal} ${unit} | ${verdict} | ${when.date ? `${timeOf(when)}, ${load}` : ''} |`;
  });
  const printed = Object.entries(runs)
    .map(([name, { shown, command }]) => ({ shown, command, ...figures[`printed by ${name}`] }))
    .filter(({ text }) => text !== undefined)
    .toSorted((a, b) => `${b.date} ${b.at}`.localeCompare(`${a.date} ${a.at}`))
    .map(
      ({ shown, command, text, ...when }) =>
        `## ${shown}\n\n\`node ${command.join(' ')}\` · ${timeOf(when)}\n\n\`\`\`\n${text}\n\`\`\`\n`,
    );
  const versions = Object.entries(peers).map(([name, command]) => `| ${name} | ${versionOf(command)} |`);
  return `# Against the peers

Written by \`node bench/peers.mjs\`: each row is read from the benchmark that ran for it, by what bench/peers.json says. Machine of this
page: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux, Node ${process.version}. CPU is that of threads or processes; load is the
number of runnable processes on these cores before and after the run, so trust ratios above times; what is a time was run at real-time
priority, all sides alike, where more than these cores were asked for. Peers come by \`scripts/bench-peers\`, but torch by
\`scripts/lib/ci-peers.sh\`, snmpd from Debian and the SDK from npm.

${whenMeasured(figures)}

| work | shape | peer | here | goal | | measured |
|---|---|---|---|---|---|---|
${lines.join('\n')}

| peer | version here |
|---|---|
${versions.join('\n')}

A kernel line of an incident that is open already is another matter than the first one: it becomes a revision, and revisions of one incident
are paced. Each waits 20 ms longer than the one before, up to a second, so that a storm costs one revision a second; the rows above are of
lines that are an incident each.

What the longer runs printed, the newest first:

${printed.join('\n')}`;
}

/** Whether all rows are of one build, and what follows where they are not. */
function whenMeasured(figures) {
  const times = rows.map((row) => figures[keyOf(row)]).filter((one) => one?.value != null);
  const builds = new Set(times.map(({ build }) => build));
  const span = times.map(({ date, at }) => `${date} ${at}`).toSorted();
  if (builds.size === 1) return `All rows are of one build, measured from ${span[0]} to ${span.at(-1)}.`;
  return `The rows are not of one run: each says when its figure came, and the newest commit that the build it was measured on can have. What
came after that commit is not in it, and rows of different hours are of different builds at different loads.`;
}

/** When a figure came, and of which build at most. */
function timeOf({ date, at, build }) {
  return `${date} ${at}, ${build}`;
}

function versionOf([program, ...words]) {
  const { status, stdout, stderr } = run(program, words);
  const text = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n')[0];
  return status === 0 ? text : 'not on this machine';
}

function run(program, words) {
  return spawnSync(program, words, { cwd: ROOT, env, encoding: 'utf8', timeout: LONGEST_MS, maxBuffer: 1 << 28 });
}

function fail(text) {
  console.error(`peers: ${text}`);
  process.exit(2);
}
