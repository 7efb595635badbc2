// Runs test files, several at a time, each in its own process: node scripts/lib/run-tests.mjs [FILE...]
//
// Most files wait for clocks and children, so more of them run at once than there are cores. A file whose first lines hold
// "// Runs alone" has timed assertions: those run one by one at the end. A test is ended after TEST_LIMIT_MS where it says
// nothing else, a file after FILE_LIMIT_MS with all that it started. What a file printed is shown where it failed.
// A few files that failed run once more, alone: what passes then failed by its neighbours' load, and is named at the end.

import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { makeTestFolder } from './test-folder.mjs';

// For a machine several times slower than ours, since waits have their own limit: only what hangs reaches these.
const TEST_LIMIT_MS = 300_000;
const FILE_LIMIT_MS = 900_000;
// What a failed test left behind (a child, a timer) keeps its file from ending: such a file is ended once it prints nothing.
const FAILED_SILENCE_MS = 90_000;
const JOBS = Number(process.env.FAULTLINE_TEST_JOBS ?? availableParallelism() + 2);
// Load makes one or two files fail; where more do, something is broken.
const MOST_AGAIN = 3;
const SLOWEST = 12;
const MOST_CHARACTERS = 600;
const HALF_LINES = 100;
const PRELOAD = new URL(`./test-preload.mjs?runner=${process.pid}`, import.meta.url).href;
const FAILED = /^ *✖ /m;
const COUNTS = /^ℹ (tests|pass|fail|cancelled|skipped) (\d+)$/gm;

const running = new Set();
const temporary = makeTestFolder();
const env = { ...process.env, TMPDIR: temporary, FAULTLINE_TEST_FOLDER: temporary };

/** @returns {Promise<{file: string, ok: boolean, output: string, wallS: number, cpuS: number, late: boolean}>} */
function runFile(file) {
  const started = performance.now();
  const options = ['--import', PRELOAD, `--test-timeout=${TEST_LIMIT_MS}`, '--test-reporter=spec', file];
  // Its own group, so that nothing it started outlives it.
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true, env });
  running.add(child.pid);
  let output = '';
  let times = '';
  let late = false;
  let printedAt = started;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      output += part;
      printedAt = performance.now();
    });
  }
  child.stdio[3].setEncoding('utf8').on('data', (part) => (times += part));
  const watch = setInterval(() => {
    const now = performance.now();
    if (now - started < FILE_LIMIT_MS && !(FAILED.test(output) && now - printedAt > FAILED_SILENCE_MS)) return;
    late = true;
    endGroup(child.pid);
  }, 1000);
  return new Promise((resolve) => {
    child.once('exit', () => {
      clearInterval(watch);
      running.delete(child.pid);
      // Whoever still holds the pipes is one of those that it left behind.
      endGroup(child.pid);
    });
    child.once('close', (status) => {
      const wallS = (performance.now() - started) / 1000;
      resolve({
        file,
        ok: status === 0 && !late && / tests [1-9]/.test(output),
        output,
        wallS,
        cpuS: Number(times) || 0,
        late,
      });
    });
  });
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function report({ file, ok, output, wallS, cpuS, late }) {
  const counts = Object.fromEntries([...output.matchAll(COUNTS)].map(([, word, number]) => [word, Number(number)]));
  const tests = `${counts.tests ?? 0} tests`;
  console.log(`${ok ? '✔' : '✖'} ${file}  ${tests}, ${wallS.toFixed(1)} s, ${cpuS.toFixed(1)} s of CPU`);
  const skipped = output.split('\n').filter((line) => line.trimStart().startsWith('﹣'));
  for (const line of skipped) console.log(`  ${line.trim()}`);
  if (!ok) console.log(shown(output));
  if (late) console.log(`    ended after ${wallS.toFixed(0)} s: it took too long, or did not end after a failure`);
  return counts;
}

/** Indented; long lines and the middle of long output are left out. */
function shown(output) {
  const lines = output
    .split('\n')
    .map((line) => `    ${line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line}`);
  if (lines.length <= 2 * HALF_LINES) return lines.join('\n');
  const left = `    … ${lines.length - 2 * HALF_LINES} lines: node --test runs this file alone …`;
  return [...lines.slice(0, HALF_LINES), left, ...lines.slice(-HALF_LINES)].join('\n');
}

async function runLane(files, jobs, results) {
  const queue = files.values();
  const worker = async () => {
    for (const file of queue) {
      const result = await runFile(file);
      results.push({ ...result, counts: report(result) });
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

const endAll = () => {
  for (const pid of running) endGroup(pid);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    endAll();
    process.exit(1);
  });
}

const patterns = process.argv.slice(2);
const files = globSync(patterns.length > 0 ? patterns : ['test/**/*.test.ts']).sort();
if (files.length === 0) {
  console.error(`faultline: no test files: ${patterns.join(' ')}`);
  process.exit(1);
}
const alone = new Set(files.filter((file) => readFileSync(file, 'utf8').slice(0, 500).includes('// Runs alone')));
// Those of the whole program take longest, and begin first.
const first = (file) => Number(!/^test\/(corpus|e2e|systemd|scripts|pytorch)\//.test(file));
const together = files.filter((file) => !alone.has(file)).sort((a, b) => first(a) - first(b));

const started = performance.now();
const results = [];
await runLane(together, JOBS, results);
await runLane([...alone], 1, results);

const failedOnce = results.filter(({ ok }) => !ok);
const unsteady = [];
if (failedOnce.length <= MOST_AGAIN)
  for (const before of failedOnce) {
    console.log(`once more, alone: ${before.file}`);
    const again = await runFile(before.file);
    results[results.indexOf(before)] = { ...again, counts: report(again) };
    if (again.ok) unsteady.push(before.file);
  }

const sum = (of) => results.reduce((total, result) => total + of(result), 0);
const count = (word) => sum(({ counts }) => counts[word] ?? 0);
const failed = results.filter(({ ok }) => !ok);
for (const [what, of] of [
  ['CPU', ({ cpuS }) => cpuS],
  ['time', ({ wallS }) => wallS],
]) {
  const most = results.toSorted((a, b) => of(b) - of(a)).slice(0, SLOWEST);
  console.log(`most ${what}: ${most.map((each) => `${each.file} ${of(each).toFixed(0)} s`).join(', ')}`);
}
const wallS = (performance.now() - started) / 1000;
console.log(
  `${results.length} files, ${count('tests')} tests: ${count('pass')} passed, ${count('fail') + count('cancelled')} failed, ` +
    `${count('skipped')} skipped, in ${wallS.toFixed(0)} s, ${sum(({ cpuS }) => cpuS).toFixed(0)} s of CPU`,
);
for (const file of unsteady)
  console.log(`⚠ ${file} failed among others and passed alone: its test depends on the load`);
for (const { file } of failed) console.log(`✖ ${file}`);
process.exit(failed.length > 0 ? 1 : 0);
