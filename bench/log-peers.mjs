// Bench: a job's log that grows by three megabytes a second, followed at the same time by our daemon, an OpenTelemetry Collector and
// Telegraf: CPU of each whole process. Theirs keep lines by a pattern and write them to a file; ours reads all that it knows out of them.
// CPU counts from the eighth second of the log on, as a daemon follows for weeks; the same with these seconds is printed next to it: V8 compiles in them.
// Run: node bench/log-peers.mjs [SECONDS [ROUNDS]] [--faults | --drawn]   (default 20, 3, of a job that is well; --drawn: of steps whose
// numbers are drawn, so that each second one starts again; needs `npm run build`; scripts/bench-peers gets the peers)

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { mixedLogs } from './lib/mixed-logs.mjs';
import { cpuOfFamily } from './lib/process-figures.mjs';
import { sourcesOff } from './lib/sources-off.mjs';
import { median } from './lib/statistics.mjs';

const FAULTS = process.argv.includes('--faults');
const DRAWN = process.argv.includes('--drawn');
const [SECONDS = 20, ROUNDS = 3] = process.argv
  .slice(2)
  .filter((word) => !word.startsWith('--'))
  .map(Number);
/** Ours reads four of one log for long (src/sources/job-log/read-budget.ts). */
const BYTES_A_SECOND = 3_000_000;
const WARM_SECONDS = 8;
const EACH_MS = 50;
const MOST_BEHIND = 4_000_000;
const SETTLE_MS = 3000;
const LATEST_MS = 120_000;
const START_MS = 15_000;
const ROOT = join(import.meta.dirname, '..');
const KEPT = 'Xid|Watchdog caught|Traceback|CUDA error|iteration +[0-9]+/|step: [0-9]+ ';
const row = (name, value) => console.log(`${name.padEnd(46)} ${value}`);

const ours = {
  name: 'ours',
  command(folder, log) {
    const place = (name) => join(folder, name);
    const config = {
      host: 'node-1',
      directories: { state: place('state'), log: place('log'), runtime: place('run') },
      sources: { ...sourcesOff(), job_log: [{ job: 'j', path: log }] },
    };
    writeFileSync(place('faultline.yaml'), stringify(config));
    return [process.execPath, join(ROOT, 'dist/faultline.js'), 'run', '--config', place('faultline.yaml')];
  },
  lines: async (folder) => {
    const { sources } = await status(join(folder, 'run/faultline.sock'));
    return Number(/(\d[\d,]*) lines/.exec(sources.find(({ source }) => source === 'job-log').detail)?.[1].replaceAll(',', '') ?? 0); // biome-ignore format: one line
  },
  expected: 'all',
};

const otelcol = {
  name: 'otelcol',
  command(folder, log) {
    const config = {
      receivers: {
        filelog: {
          include: [log],
          start_at: 'beginning',
          operators: [{ type: 'filter', expr: `not (body matches "${KEPT}")` }],
        },
      },
      exporters: { file: { path: join(folder, 'kept.json') } },
      service: {
        telemetry: { metrics: { level: 'none' } },
        pipelines: { logs: { receivers: ['filelog'], exporters: ['file'] } },
      },
    };
    writeFileSync(join(folder, 'otelcol.yaml'), stringify(config));
    return ['otelcol', '--config', join(folder, 'otelcol.yaml')];
  },
  lines: (folder) => occurrences(join(folder, 'kept.json'), '"body"'),
  expected: 'kept',
};

const telegraf = {
  name: 'telegraf',
  command(folder, log) {
    writeFileSync(
      join(folder, 'telegraf.conf'),
      `[agent]
  interval = "1s"
  flush_interval = "1s"
  metric_batch_size = 5000
  metric_buffer_limit = 1000000
  omit_hostname = true
  quiet = true
[[inputs.tail]]
  files = ["${log}"]
  initial_read_offset = "beginning"
  max_undelivered_lines = 1000000
  data_format = "value"
  data_type = "string"
  metricpass = "fields.value.matches('${KEPT}')"
[[outputs.file]]
  files = ["${join(folder, 'kept.influx')}"]
`,
    );
    return ['telegraf', '--config', join(folder, 'telegraf.conf')];
  },
  lines: (folder) => occurrences(join(folder, 'kept.influx'), 'tail,'),
  expected: 'kept',
};

const followers = [ours, otelcol, telegraf].filter((one) => {
  if (one === ours || onPath(one.name)) return true;
  row(one.name, `not measured: ${one.name} is not on the path (scripts/bench-peers)`);
  return false;
});
const text = mixedLogs(BYTES_A_SECOND * (WARM_SECONDS + SECONDS), { faults: FAULTS, job: !DRAWN });
const pieces = piecesOf(text);
const expected = {
  all: linesOf(text),
  kept: text.toString('latin1').split('\n').filter((line) => new RegExp(KEPT).test(line)).length, // biome-ignore format: a count a line
};
const rounds = [];
for (let i = 0; i < ROUNDS; i += 1) rounds.push(await round());
row('a log of', `${(text.length / 1e6).toFixed(0)} MB, ${expected.all} lines, of which theirs keep ${expected.kept}; ${ROUNDS} rounds, load ${loadavg()[0].toFixed(1)}`); // biome-ignore format: one line
for (const [part, what] of [
  ['steady', 'log by CPU'],
  ['whole', 'its first seconds counted'],
]) {
  for (const { name } of followers) {
    const speeds = rounds.map((one) => one[name][part]);
    row(`${name}, ${what} of the process`, `${median(speeds).toFixed(1)} MB/s (${Math.min(...speeds).toFixed(1)} to ${Math.max(...speeds).toFixed(1)})`); // biome-ignore format: one line
  }
  for (const { name } of followers.slice(1))
    row(`ours / ${name}, ${what}`, median(rounds.map((one) => one.ours[part] / one[name][part])).toFixed(2));
}
process.exit();

/** MB of log by second of CPU of each: from the eighth second on, and of the whole. */
async function round() {
  const folder = mkdtempSync(join(tmpdir(), 'fl-log-peers-'));
  const log = join(folder, 'job.log');
  writeFileSync(log, '');
  const running = followers.map((one) => {
    const place = join(folder, one.name);
    mkdirSync(place);
    const [program, ...words] = one.command(place, log);
    const said = openSync(join(place, 'said'), 'w');
    return { ...one, place, child: spawn(program, words, { stdio: ['ignore', said, said] }) };
  });
  try {
    await sleep(START_MS);
    const cpu = () => running.map(({ child }) => cpuOfFamily(child.pid));
    const first = cpu();
    let warm = { bytes: 0, cpu: first };
    const [{ child: our }] = running;
    const readBefore = readOf(our.pid);
    let written = 0;
    for (const piece of pieces) {
      await sleep(EACH_MS);
      appendFileSync(log, piece);
      written += piece.length;
      if (warm.bytes === 0 && written >= BYTES_A_SECOND * WARM_SECONDS) warm = { bytes: written, cpu: cpu() };
      // On a machine that is full it waits for its turn: what falls far behind is left out, and not measured.
      while (readOf(our.pid) - readBefore < written - MOST_BEHIND) await sleep(EACH_MS);
    }
    while (readOf(our.pid) - readBefore < written) await sleep(EACH_MS);
    for (const one of running.slice(1)) await until(one);
    await sleep(SETTLE_MS);
    const last = cpu();
    await until(running[0]);
    const speed = (bytes, since, i) => bytes / 1e3 / (last[i] - since[i]);
    return Object.fromEntries(
      running.map(({ name }, i) => [
        name,
        { steady: speed(text.length - warm.bytes, warm.cpu, i), whole: speed(text.length, first, i) },
      ]),
    );
  } finally {
    for (const { child } of running) {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    rmSync(folder, { recursive: true });
  }
}

/** Until it has what is in the log, to the line. */
async function until({ name, child, lines, place, expected: which }) {
  let found = 0;
  for (const endMs = performance.now() + LATEST_MS; performance.now() < endMs; await sleep(500)) {
    if (child.exitCode !== null) throw new Error(`${name} ended by itself: ${readFileSync(join(place, 'said'), 'utf8').slice(-800)}`); // biome-ignore format: one line
    found = await lines(place);
    if (found === expected[which]) return;
  }
  throw new Error(`${name} has ${found} of ${expected[which]} lines: ${readFileSync(join(place, 'said'), 'utf8').slice(-800)}`); // biome-ignore format: one line
}

/** Whole lines, as many as come in EACH_MS. */
function piecesOf(whole) {
  const size = (BYTES_A_SECOND * EACH_MS) / 1000;
  const found = [];
  for (let at = 0; at < whole.length; ) {
    const end = whole.indexOf(10, Math.min(at + size, whole.length - 1)) + 1;
    found.push(whole.subarray(at, end));
    at = end;
  }
  return found;
}

function linesOf(bytes) {
  return bytes.toString('latin1').split('\n').length - 1;
}

function occurrences(path, what) {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return 0;
  return readFileSync(path, 'latin1').split(what).length - 1;
}

/** Bytes that a process has read so far. */
function readOf(pid) {
  return Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))[1]);
}

function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((place) => statSync(join(place, name), { throwIfNoEntry: false }));
}

function status(socketPath) {
  return new Promise((resolve, reject) => {
    const ask = request({ socketPath, path: '/v1/status' });
    ask.on('response', async (response) => resolve(JSON.parse((await response.toArray()).join(''))));
    ask.on('error', reject).end();
  });
}
