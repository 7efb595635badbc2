// Bench: what the whole daemon costs a fixed job on every core: the daemon and its children are stopped and continued in turn, every two
// seconds, so that what else changes on the machine falls on both alike. CPU of the job's own work, and the time that passes.
// Run: node bench/harm.mjs [SECONDS_A_JOB]   (default 240, three jobs; needs `npm run build` and a C compiler)

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { cpuOfFamily, familyOf } from './lib/process-figures.mjs';
import { ratioWithin } from './lib/statistics.mjs';
import { unitEnvironment } from './lib/unit-environment.mjs';
import { startWholeRack } from './lib/whole-rack.mjs';

const SECONDS = Number(process.argv[2] ?? 240);
const JOBS = { 'CPU-bound job': 'computing', 'memory-bound job': 'memory', 'many small processes': 'processes' };
const PERIOD_MS = 2000;
/** What a daemon of some minutes has compiled is compiled. */
const SETTLE_MS = 60_000;
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const row = (name, value) => console.log(`${name.padEnd(46)} ${value}`);

const folder = mkdtempSync(join(tmpdir(), 'fl-harm-'));
const program = join(folder, 'harm-job');
const built = spawnSync('cc', ['-O2', join(import.meta.dirname, 'harm-job.c'), '-o', program], { encoding: 'utf8' });
if (built.status !== 0) throw new Error(`the job does not build: ${built.stderr}`);
const rack = await startWholeRack(folder);
// A call that lasts while the daemon is stopped does not mean a hung driver.
const gpu = { ...rack.config.sources.gpu, call_deadline: '30s' };
const file = join(folder, 'faultline.yaml');
writeFileSync(file, stringify({ ...rack.config, sources: { ...rack.config.sources, gpu } }));
const said = join(folder, 'daemon.log');
const daemon = spawn(process.execPath, [ENTRY, 'run', '--config', file], {
  env: unitEnvironment,
  stdio: ['ignore', 'ignore', openSync(said, 'w')],
});
let stopped = false;
try {
  await sleep(SETTLE_MS);
  const free = await shareWhile(() => sleep(20_000));
  row('the daemon by itself', `${free.toFixed(2)} % of one core`);
  for (const [name, job] of Object.entries(JOBS)) tell(name, await measure(job));
} finally {
  signal('SIGCONT');
  daemon.kill('SIGTERM');
  if (daemon.exitCode === null) await once(daemon, 'exit');
  await rack.stop();
  rmSync(folder, { recursive: true });
}
process.exit();

/** Periods in turn, without the daemon first and last: of each the sums of CPU and of time over the number of slices, ns. */
async function measure(job) {
  const workers = Array.from({ length: availableParallelism() }, (_, core) => workerOn(core, job));
  const periods = [];
  let ranMs = 0;
  let usedMs = 0;
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end || stopped === false; ) {
    if (daemon.exitCode !== null)
      throw new Error(`the daemon ended by itself: ${readFileSync(said, 'utf8').slice(-500)}`);
    signal(stopped ? 'SIGCONT' : 'SIGSTOP');
    const [beganMs, before] = [performance.now(), cpuOfFamily(daemon.pid)];
    const slices = (await Promise.all(workers.map(({ run }) => run(beganMs + PERIOD_MS)))).flat();
    if (!stopped) {
      ranMs += performance.now() - beganMs;
      usedMs += cpuOfFamily(daemon.pid) - before;
    }
    const mean = (i) => slices.reduce((sum, slice) => sum + slice[i], 0) / slices.length;
    periods.push({ without: stopped, cpu: mean(0), wall: mean(1), slices: slices.length });
  }
  signal('SIGCONT');
  for (const { child } of workers) child.stdin.end();
  return { periods, share: (100 * usedMs) / ranMs };
}

/** A process on a core; `run` lets it do slices until then, and gives [ns of CPU, ns that passed] of each. */
function workerOn(core, job) {
  const child = spawn(program, [job, String(core)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const run = async (untilMs) => {
    const slices = [];
    while (performance.now() < untilMs) {
      child.stdin.write('.');
      const { value, done } = await lines.next();
      if (done) throw new Error(`the job ended by itself with ${child.exitCode}`);
      slices.push(value.split(' ').map(Number));
    }
    return slices;
  };
  return { child, run };
}

/** Each period but the first and last against the mean of its neighbours, which are of the other kind; and, for A/A, of every second one. */
function tell(name, { periods, share }) {
  const against = (what, step, isWith) =>
    periods
      .map((period, i) => [period, periods[i - step], periods[i + step]])
      .filter(([period, before, after]) => period.without !== isWith && before && after)
      .map(([period, before, after]) => [period[what], (before[what] + after[what]) / 2]);
  const percent = (pairs) => {
    const { ratio, low, high } = ratioWithin(pairs);
    const of = (value) => (100 * (value - 1)).toFixed(3);
    return `${of(ratio)} % (95 %: ${of(low)} to ${of(high)})`;
  };
  const [number, half] = [periods.reduce((sum, { slices }) => sum + slices, 0), periods.length >> 1];
  row(`${name}, CPU`, percent(against('cpu', 1, true)));
  row(`${name}, CPU, A/A`, percent(against('cpu', 2, false)));
  row(`${name}, time`, percent(against('wall', 1, true)));
  row(`${name}, time, A/A`, percent(against('wall', 2, false)));
  const cores = share / availableParallelism();
  row(`${name}, cores taken by the daemon`, `${cores.toFixed(3)} % of all ${availableParallelism()} (${number} slices, ${half} periods of each, load ${loadavg()[0].toFixed(1)})`); // biome-ignore format: one line
}

/** The daemon first and its children after it, so that none is born unseen; continued the other way round. */
function signal(name) {
  stopped = name === 'SIGSTOP';
  if (stopped) process.kill(daemon.pid, name);
  for (const pid of familyOf(daemon.pid)
    .slice(1)
    .concat(stopped ? [] : daemon.pid)) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

async function shareWhile(work) {
  const [beganMs, before] = [performance.now(), cpuOfFamily(daemon.pid)];
  await work();
  return (100 * (cpuOfFamily(daemon.pid) - before)) / (performance.now() - beganMs);
}
