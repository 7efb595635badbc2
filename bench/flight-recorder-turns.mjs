// Bench: the longest turn of the JavaScript thread while the dumps of 1,024 ranks are analysed, by the daemon's source and by `fr`.
// Run: node bench/flight-recorder-turns.mjs [RUNS]   (needs `npm run build`). Each run is a process of its own.

// Bench: the longest turn of the JavaScript thread while the dumps of 1,024 ranks are analysed, by the daemon's source and by `fr`.
// Run: node bench/flight-recorder-turns.mjs [RUNS]   (needs `npm run build`). Each run is a process of its own.

import childProcess, { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readSync, rmSync, utimesSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const RANKS = 1024;
const CALLS = 4;
const [what, folder] = process.argv.slice(2);

/**
 * The longest time between two timers of 1 ms, which a turn in between makes later: as it was, and without the time that other
 * processes had the core. A loop that spins would take the core from the reader, and be taken from it.
 */
function turns() {
  let [last, lastWaited, going] = [performance.now(), waitedMs(), true];
  let longest = { wall: 0, own: 0 };
  const pass = () => {
    const [now, waited] = [performance.now(), waitedMs()];
    longest.wall = Math.max(longest.wall, now - last);
    longest.own = Math.max(longest.own, now - last - (waited - lastWaited));
    [last, lastWaited] = [now, waited];
    if (going) setTimeout(pass, 1);
  };
  setTimeout(pass, 1);
  return {
    /** Since the last call. */
    take() {
      const taken = longest;
      longest = { wall: 0, own: 0 };
      return taken;
    },
    end() {
      going = false;
    },
  };
}

/** How long the main thread was ready to run and had no core, since it began. CPU times step by a tick of 4 ms; this does not. */
const stat = openSync('/proc/self/schedstat', 'r');
const statText = Buffer.alloc(64);
function waitedMs() {
  return Number(statText.toString('latin1', 0, readSync(stat, statText, 0, 64, 0)).split(' ')[1]) / 1e6;
}

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Of each analysis the longest turn, and how long starting the process took. */
async function ofSource() {
  const starts = [];
  const { spawn } = childProcess;
  childProcess.spawn = (...given) => {
    const from = performance.now();
    const child = spawn(...given);
    starts.push(performance.now() - from);
    return child;
  };
  syncBuiltinESMExports();
  const { FlightRecorderSource } = await import('../src/sources/flight-recorder/flight-recorder-source.ts');
  const { nativePath } = await import('../src/native.ts');
  const config = { enabled: 'on', intervalMs: 50, processes: false, folders: [{ path: folder, pattern: '*', job: 'llama' }], trigger: false }; // biome-ignore format: one line
  const source = new FlightRecorderSource(config, {
    host: 'node-3',
    proc: folder,
    now: Date.now,
    program: nativePath('faultline-fr'),
    gpus: () => ({ gpus: [], oneModel: true, users: new Map() }),
    jobs: [],
    standard: [],
    graceMs: 0,
  });
  let events = 0;
  const found = [];
  await later(200);
  const timer = turns();
  await later(50);
  timer.take();
  source.start({ samples() {}, text() {}, discovery() {}, event: () => (events += 1) }, new AbortController().signal);
  for (let call = 1; call <= CALLS; call += 1) {
    while (source.counts()[0].reads < call) {
      if (source.counts()[0].failures > 0) throw new Error(source.health()[0].detail);
      await later(5);
    }
    await later(100);
    found.push({ ...timer.take(), start: starts.at(-1), events });
    // One dump is written again: all are analysed again.
    utimesSync(join(folder, 'nccl_trace_rank_7'), new Date(), new Date());
  }
  timer.end();
  await source.stop();
  return found;
}

async function ofCommand() {
  const { analyseFlightRecorder } = await import('../src/native.ts');
  const { flightRecorderText } = await import('../src/commands/fr/text.ts');
  const found = [];
  const timer = turns();
  await later(50);
  for (let call = 1; call <= CALLS; call += 1) {
    timer.take();
    const document = await analyseFlightRecorder([folder]);
    await later(0);
    const analysis = timer.take();
    flightRecorderText(document, { width: 100, colour: false });
    await later(0);
    const text = timer.take();
    JSON.stringify(document, null, 2);
    await later(0);
    found.push({ ...analysis, text: text.wall, json: timer.take().wall });
  }
  timer.end();
  return found;
}

/** What this machine makes of a loop that has nothing to do. */
async function ofNothing() {
  const timer = turns();
  await later(50);
  const found = [];
  for (let call = 1; call <= CALLS; call += 1) {
    timer.take();
    await later(1000);
    found.push(timer.take());
  }
  timer.end();
  return found;
}

const OF = { source: ofSource, fr: ofCommand, nothing: ofNothing };
if (what in OF) {
  console.log(JSON.stringify(await OF[what]()));
} else {
  const { writeJob } = await import('./lib/flight-recorder-job.mjs');
  const runs = Number(what ?? 7);
  const root = mkdtempSync(join(tmpdir(), 'fl-turns-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  const mb = writeJob(join(root, 'job'), RANKS, 2000);
  console.log(
    `${RANKS} dumps, ${mb.toFixed(0)} MB, ${runs} processes each, load ${loadavg()[0].toFixed(1)} at the start`,
  );
  const all = Object.fromEntries(Object.keys(OF).map((each) => [each, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const each of Object.keys(OF)) {
      all[each].push(JSON.parse(execFileSync(process.execPath, [import.meta.filename, each, join(root, 'job')], { encoding: 'utf8' }))); // biome-ignore format: one line
    }
  }
  const row = (name, values) => {
    const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
    if (sorted.length === 0) return;
    const [least, middle, most] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
    const over = sorted.filter((value) => value > 5).length;
    console.log(
      `| ${name} | ${sorted.length} | ${[least, middle, most].map((ms) => ms.toFixed(1)).join(' | ')} | ${over} |`,
    );
  };
  console.log('| ms | turns | least | median | most | over 5 ms |\n|---|---|---|---|---|---|');
  for (const [name, calls] of Object.entries(all)) {
    for (const [which, of] of [
      ['first', calls.map((each) => each[0])],
      ['later', calls.flatMap((each) => each.slice(1))],
    ]) {
      // biome-ignore format: one line
      for (const key of ['wall', 'own', 'start', 'text', 'json']) row(`${name}, ${which} analysis: ${key}`, of.map((each) => each[key])); // biome-ignore format: one line
    }
  }
  console.log(`load ${loadavg()[0].toFixed(1)} at the end`);
}
