// Bench: the longest turn of the JavaScript thread while the dumps of 1,024 ranks are analysed, by the daemon's source and by `fr`.
// Run: node bench/flight-recorder-turns.mjs [RUNS] [--before FOLDER] [--write]   (needs `npm run build`). Each run is a process of
// its own. `--before`: a built tree of an earlier commit, whose source runs in turn with today's; `--write`: its part of the page.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readSync, rmSync, utimesSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const RANKS = 1024;
const CALLS = 4;
const ROOT = join(import.meta.dirname, '..');
const [what, folder, tree = ROOT] = process.argv.slice(2);

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

/** Of each analysis the longest turn, in a process with the daemon's own settings and its addon loaded. */
async function ofSource() {
  const { keepHeapSmall } = await import(`${tree}/src/commands/small-heap.ts`);
  keepHeapSmall();
  const { FlightRecorderSource } = await import(`${tree}/src/sources/flight-recorder/flight-recorder-source.ts`);
  const { Identity } = await import(`${tree}/src/identity/identity.ts`);
  const { native, nativePath } = await import(`${tree}/src/native.ts`);
  native().keepMallocSmall();
  // What the daemon has long done when the first dump comes.
  const { stableId } = await import(`${tree}/src/model/identity.ts`);
  stableId('an', 'event');
  const config = { enabled: 'on', intervalMs: 50, processes: false, folders: [{ path: folder, pattern: '*', job: 'llama' }], trigger: false }; // biome-ignore format: one line
  const source = new FlightRecorderSource(config, {
    host: 'node-3',
    now: Date.now,
    program: nativePath('faultline-fr'),
    identity: new Identity('node-3'),
    jobs: [],
    standard: [],
    graceMs: 0,
  });
  let events = 0;
  const found = [];
  await later(200);
  const timer = turns();
  await later(50);
  source.start({ samples() {}, text() {}, discovery() {}, event: () => (events += 1) }, new AbortController().signal);
  // Looked once at all of them: not yet at rest.
  while (source.health()[0].detail.startsWith('starting')) await later(5);
  timer.take();
  for (let call = 1; call <= CALLS; call += 1) {
    while (source.counts()[0].reads < call) {
      if (source.counts()[0].failures > 0) throw new Error(source.health()[0].detail);
      await later(5);
    }
    await later(100);
    found.push({ ...timer.take(), events });
    // One dump is written again: all are analysed again.
    utimesSync(join(folder, 'nccl_trace_rank_7'), new Date(), new Date());
  }
  timer.end();
  await source.stop();
  return found;
}

async function ofCommand() {
  const { analyseFlightRecorder } = await import('../src/sources/flight-recorder/dumps/analyse.ts');
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

/** [title, values] of each row that has any. */
function rows(all) {
  return Object.entries(all).flatMap(([name, calls]) =>
    [
      ['first', calls.map((each) => each[0])],
      ['later', calls.flatMap((each) => each.slice(1))],
    ].flatMap(([which, of]) =>
      ['wall', 'own', 'text', 'json'].map((key) => [
        `${name}, ${which} analysis: ${key}`,
        of.map((each) => each[key]).filter((value) => value !== undefined),
      ]),
    ),
  );
}

async function compare(args) {
  const { writeJob } = await import('./lib/flight-recorder-job.mjs');
  const { writePart } = await import('./lib/page-part.mjs');
  const before = args.includes('--before') ? args[args.indexOf('--before') + 1] : null;
  const runs = Number(args.find((each) => /^\d+$/.test(each)) ?? 7);
  const root = mkdtempSync(join(tmpdir(), 'fl-turns-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  const mb = writeJob(join(root, 'job'), RANKS, 2000);
  const lines = [];
  const say = (line) => {
    console.log(line);
    lines.push(line);
  };
  const kinds = [...(before === null ? [] : [['before', 'source', before]]), ...Object.keys(OF).map((each) => [each, each, ROOT])]; // biome-ignore format: one line
  const all = Object.fromEntries(kinds.map(([name]) => [name, []]));
  const startLoad = loadavg()[0];
  for (let run = 0; run < runs; run += 1) {
    // What is older than a quarter of an hour would be history.
    for (const name of readdirSync(join(root, 'job'))) utimesSync(join(root, 'job', name), new Date(), new Date());
    for (const [name, mode, of] of kinds) {
      all[name].push(JSON.parse(execFileSync(process.execPath, [import.meta.filename, mode, join(root, 'job'), of], { encoding: 'utf8' }))); // biome-ignore format: one line
    }
  }
  say('| ms | turns | least | median | most | over 5 ms |\n|---|---|---|---|---|---|');
  for (const [title, values] of rows(all)) {
    if (values.length === 0) continue;
    const sorted = values.sort((a, b) => a - b);
    const shown = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)].map((ms) => ms.toFixed(1));
    say(`| ${title} | ${sorted.length} | ${shown.join(' | ')} | ${sorted.filter((value) => value > 5).length} |`);
  }
  if (!args.includes('--write')) return;
  const commit = (of) => execFileSync('git', ['-C', of, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const text = `## The longest turn of the JavaScript thread

\`node bench/flight-recorder-turns.mjs ${runs} --before FOLDER --write\`, ${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${startLoad.toFixed(1)} at the start and ${loadavg()[0].toFixed(1)} at the end:
${RANKS.toLocaleString('en')} dumps of 2,000 entries, ${mb.toFixed(0)} MB, ${runs} processes of each in turn, four analyses in each. "wall" is the longest time between two
timers of 1 ms; "own" is without the time that the thread was ready and had no core, which is others' work. "source" is the
daemon's${before === null ? '' : `, "before" the same of commit ${commit(before)}`}, with the daemon's settings for V8; "fr" is the command; "nothing" is what a loop without work makes of this machine.

${lines.join('\n')}
`;
  writePart(join(import.meta.dirname, 'results-flight-recorder.md'), 'turns', text);
}

if (what in OF) console.log(JSON.stringify(await OF[what]()));
else await compare(process.argv.slice(2));
