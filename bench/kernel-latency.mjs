// Bench: from a line in the kernel log to its incident on disk, each line an incident of its own: the first one after the start, at rest,
// and among other lines that come fast; then lines that may belong to the incident of another, or do, whose revisions are paced.
// Run: node bench/kernel-latency.mjs [LINES] [LINES_A_SECOND]   (default 240 and 10,000; needs `npm run build`)

import { spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { distinctFault, kindredFault } from './lib/distinct-faults.mjs';
import { usage } from './lib/process-figures.mjs';
import { sourcesOff } from './lib/sources-off.mjs';

const [LINES = 240, RATE = 10_000] = process.argv.slice(2).map(Number);
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const STARTS = 5;
/** The log is looked at so often: fine enough for what is reported, and not a core for itself. */
const LOOK_MS = 0.1;
const LATEST_MS = 3000;
/** Between two faults. */
const APART_MS = 40;

const nothing = new Int32Array(new SharedArrayBuffer(4));
const row = (name, value) => console.log(`${name.padEnd(62)} ${value}`);

const ONE = (i) => `Out of memory: Killed process ${50_000 + i} (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0`; // biome-ignore format: one line
const OTHER = (i) => `IN=eth0 OUT= MAC=0c:42:a1:7e:d9:b8 SRC=10.2.3.4 DST=10.0.0.${i % 250} LEN=52 TOS=0x00 TTL=64 ID=${i % 65_536} PROTO=TCP SPT=43186 DPT=22 SYN`; // biome-ignore format: one line

class Daemon {
  static async started(name) {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-latency-'));
    const kmsg = join(folder, 'kmsg');
    writeFileSync(kmsg, '');
    const directories = { state: join(folder, 'state'), log: join(folder, 'log'), runtime: join(folder, 'run') };
    const sources = {
      ...sourcesOff(),
      kernel_log: { path: kmsg },
    };
    // Incidents end soon, so that their number is the same at every line.
    const config = { host: name, directories, sources, correlation: { hold: '1s', lateness: '1s' } };
    writeFileSync(join(folder, 'faultline.yaml'), stringify(config));
    const args = [ENTRY, 'run', '--config', join(folder, 'faultline.yaml')];
    // Into a file: no one reads a pipe while lines are written.
    const said = join(folder, 'said');
    const out = openSync(said, 'w');
    const child = spawn(process.execPath, args, { stdio: ['ignore', out, out] });
    closeSync(out);
    while (!readFileSync(said, 'utf8').includes('"started"')) {
      if (child.exitCode !== null) throw new Error(`the daemon ended: ${readFileSync(said, 'utf8').slice(0, 500)}`);
      await sleep(20);
    }
    return new Daemon(folder, kmsg, child);
  }

  constructor(folder, kmsg, child) {
    Object.assign(this, { folder, kmsg, child, number: 0, others: 0, read: 0, log: null, inode: 0, text: '' });
  }

  say(text) {
    this.number += 1;
    appendFileSync(this.kmsg, this.record(text));
  }

  record(text) {
    return `3,${this.number},${Math.round(Number(process.hrtime.bigint()) / 1000)},-;${text}\n`;
  }

  /** Other lines until `untilMs`, at the rate; `look` may end it earlier. */
  pass(untilMs, rate, look = () => false) {
    let sentMs = performance.now();
    for (let nowMs = sentMs; nowMs < untilMs && !look(); nowMs = performance.now()) {
      const due = Math.floor(((nowMs - sentMs) / 1000) * rate);
      if (due > 0) {
        sentMs += (due / rate) * 1000;
        this.others += due;
        let text = '';
        for (let i = 0; i < due; i += 1, this.number += 1) text += this.record(OTHER(this.number));
        appendFileSync(this.kmsg, text);
      }
      Atomics.wait(nothing, 0, 0, LOOK_MS);
    }
  }

  /** Whether the log has a new incident, or with `revised` a revision, of that part. */
  has(part, revised = false) {
    const path = join(this.folder, 'log/incidents.jsonl');
    const now = statSync(path, { throwIfNoEntry: false });
    // A file that is full goes, and another one begins.
    if (now !== undefined && now.ino !== this.inode) {
      if (this.log !== null) closeSync(this.log);
      Object.assign(this, { log: openSync(path, 'r'), inode: now.ino, read: 0, text: '' });
    }
    if (this.log === null) return false;
    const { size } = fstatSync(this.log);
    if (size === this.read) return false;
    const bytes = Buffer.alloc(size - this.read);
    readSync(this.log, bytes, 0, bytes.length, this.read);
    const lines = (this.text + bytes.toString()).split('\n');
    this.text = lines.pop() ?? '';
    this.read = size;
    return lines.some((line) => line.startsWith('{"schema":"faultline/incident/1"') && (revised || (line.includes(`${part}"`) && line.includes('"revision":1,')))); // biome-ignore format: one line
  }

  /** Ms from the line to its incident on disk; null where none came. */
  once(text, part, rate, revised) {
    const began = performance.now();
    this.say(text);
    let found = false;
    this.pass(began + LATEST_MS, rate, () => {
      found = this.has(part, revised);
      return found;
    });
    return found ? performance.now() - began : null;
  }

  async stop() {
    if (this.log !== null) closeSync(this.log);
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}

function reported(what, times) {
  const sorted = times.filter((time) => time !== null).toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)].toFixed(2);
  row(what, `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)} ms (${sorted.length} of ${times.length} on disk)`);
}

async function distinct(daemon, rate, faultOf) {
  const times = [];
  const before = daemon.others;
  const beganMs = performance.now();
  const cpu = usage(daemon.child.pid).cpuSeconds;
  for (let i = 0; i < LINES; i += 1) {
    const { text, part } = faultOf(i);
    times.push(daemon.once(text, part, rate));
    // Asleep it leaves the core to the daemon; with a flood the flood continues.
    if (rate === 0) await sleep(APART_MS);
    else daemon.pass(performance.now() + APART_MS, rate);
  }
  const seconds = (performance.now() - beganMs) / 1000;
  const used = (((usage(daemon.child.pid).cpuSeconds - cpu) / seconds) * 100).toFixed(0);
  return { times, load: `${Math.round((daemon.others - before) / seconds)} other lines/s, ${used} % of a core` };
}

const firsts = [];
for (let i = 0; i < STARTS; i += 1) {
  const daemon = await Daemon.started('first');
  await sleep(1000);
  const { text, part } = distinctFault(i);
  firsts.push(daemon.once(text, part, 0));
  await daemon.stop();
}
row(
  `first line after the start, ${STARTS} starts`,
  `${firsts.map((time) => time?.toFixed(1) ?? '-').join(', ')} ms, slowest ${Math.max(...firsts.map((time) => time ?? LATEST_MS)).toFixed(1)} ms`,
);
const PHASES = [
  { faultOf: distinctFault, rate: 0, what: () => 'each line an incident, at rest' },
  { faultOf: distinctFault, rate: RATE, what: (load) => `among ${load}` },
  { faultOf: kindredFault, rate: 0, what: () => 'each one that may belong to another, at rest (some are paced)' },
];
for (const { faultOf, rate, what } of PHASES) {
  const daemon = await Daemon.started('busy');
  await sleep(2000);
  await distinct(daemon, rate, faultOf).then(({ times, load }) => reported(what(load), times));
  await daemon.stop();
}
const daemon = await Daemon.started('paced');
await sleep(2000);
const paced = [];
for (let i = 0; i < 60; i += 1) {
  paced.push(daemon.once(ONE(i), '', 0, true));
  await sleep(APART_MS);
}
reported('each line one more of the same incident (paced)', paced);
await daemon.stop();
row('load of the machine', loadavg().map((each) => each.toFixed(1)).join(', ')); // biome-ignore format: one line
