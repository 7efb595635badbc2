// Bench: from a kernel line to what is on disk of it, our daemon next to GPUd and node-problem-detector, a fault at a time at each in turn.
// Each reads a pipe in the place of /dev/kmsg, one record a read, in network and mount namespaces of its own: the real log is not touched.
// GPUd writes an event into its database, node-problem-detector a line into its log, ours the incident with its evidence.
// Run as root: node bench/kernel-peers.mjs [LINES]   (default 200; needs `npm run build`; scripts/bench-peers gets the peers)

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  constants,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { cpuOfFamily } from './lib/process-figures.mjs';
import { sourcesOff } from './lib/sources-off.mjs';

const LINES = Number(process.argv[2] ?? 200);
const FIRST = 5;
const START_MS = 15_000;
const LATEST_MS = 3000;
const APART_MS = 60;
const LOOK_MS = 0.1;
const ROOT = join(import.meta.dirname, '..');
const nothing = new Int32Array(new SharedArrayBuffer(4));
/** A file that grows: its lines since the last look. */
class Growing {
  #file = null;
  #at = 0;
  #rest = '';

  constructor(path) {
    this.path = path;
  }

  lines() {
    if (this.#file === null) {
      if (statSync(this.path, { throwIfNoEntry: false }) === undefined) return [];
      this.#file = openSync(this.path, 'r');
    }
    const { size } = fstatSync(this.#file);
    if (size === this.#at) return [];
    const bytes = Buffer.alloc(size - this.#at);
    this.#at += readSync(this.#file, bytes, 0, bytes.length, this.#at);
    const lines = (this.#rest + bytes.toString('latin1')).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}

const row = (name, value) => console.log(`${name.padEnd(46)} ${value}`);
const partOf = (i) => `0000:${(16 + (i % 200)).toString(16).padStart(2, '0')}`;

/** A memory error of a GPU that had none yet: what GPUd, NPD's rule below and we all tell. */
const faultOf = (i) => `NVRM: Xid (PCI:${partOf(i)}:00): 48, pid=${5000 + i}, name=train, DBE (double bit error)`;

const ours = {
  name: 'ours',
  start(folder, kmsg) {
    writeFileSync(kmsg, '');
    const place = (name) => join(folder, name);
    // Incidents end soon, so that their number is the same at every line.
    const config = {
      host: 'node-1',
      directories: { state: place('state'), log: place('log'), runtime: place('run') },
      sources: { ...sourcesOff(), kernel_log: { path: kmsg } },
      correlation: { hold: '1s', lateness: '1s' },
    };
    writeFileSync(place('faultline.yaml'), stringify(config));
    return {
      command: [process.execPath, join(ROOT, 'dist/faultline.js'), 'run', '--config', place('faultline.yaml')],
      say: (text) => appendFileSync(kmsg, text),
    };
  },
  watch(folder) {
    const log = new Growing(join(folder, 'log/incidents.jsonl'));
    return (part) =>
      log
        .lines()
        .some(
          (line) =>
            line.startsWith('{"schema":"faultline/incident/1"') &&
            line.includes('"revision":1,') &&
            line.includes(`${part}:00.0"`),
        );
  },
  count: (folder) =>
    new Growing(join(folder, 'log/incidents.jsonl'))
      .lines()
      .filter((line) => line.startsWith('{"schema":"faultline/incident/1"') && line.includes('"revision":1,')).length,
};

const gpud = {
  name: 'gpud',
  start(folder, kmsg) {
    const pipe = pipeAt(kmsg);
    const command = [
      'gpud',
      'run',
      '--data-dir',
      folder,
      '--components',
      'accelerator-nvidia-error-xid',
      '--listen-address',
      '127.0.0.1:15132',
      '--log-level',
      'warn',
      '--enable-auto-update=false',
    ];
    return {
      command,
      env: { KMSG_FILE_PATH: kmsg, GPUD_NVML_MOCK_ALL_SUCCESS: 'true', HOME: folder },
      say: (text) => writeSync(pipe, text),
    };
  },
  /** Its write-ahead log grows or is written over, so its time is looked at; how many events came of it is counted at the end. */
  watch(folder) {
    const at = () => statSync(join(folder, 'gpud.state-wal'), { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    let had = at();
    return () => {
      const now = at();
      const changed = now !== had;
      had = now;
      return changed;
    };
  },
  count(folder) {
    const database = new DatabaseSync(join(folder, 'gpud.state'), { readOnly: true });
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%xid%'").all();
    return tables.reduce(
      (sum, { name }) => sum + database.prepare(`SELECT count(*) AS n FROM "${name}" WHERE name LIKE '%xid%'`).get().n,
      0,
    );
  },
};

const npd = {
  name: 'node-problem-detector',
  start(folder, kmsg) {
    const pipe = pipeAt(kmsg);
    const monitor = {
      plugin: 'kmsg',
      logPath: '/dev/kmsg',
      lookback: '5m',
      bufferSize: 10,
      source: 'kernel-monitor',
      conditions: [],
      rules: [{ type: 'temporary', reason: 'Xid', pattern: 'NVRM: Xid .*' }],
    };
    writeFileSync(join(folder, 'monitor.json'), JSON.stringify(monitor));
    const command = [
      'node-problem-detector',
      `--config.system-log-monitor=${join(folder, 'monitor.json')}`,
      '--enable-k8s-exporter=false',
      '--prometheus-port=20257',
      '--port=0',
      '--hostname-override=node-1',
    ];
    return { command, kmsg, say: (text) => writeSync(pipe, text) };
  },
  watch(folder) {
    const said = new Growing(join(folder, 'said'));
    return (part) => said.lines().some((line) => line.includes(`PCI:${part}`));
  },
  count: (folder) =>
    new Growing(join(folder, 'said')).lines().filter((line) => line.includes('New status generated')).length,
};

const followers = [ours, gpud, npd].filter((one) => {
  if (one === ours || onPath(one.name)) return true;
  row(one.name, `not measured: ${one.name} is not on the path (scripts/bench-peers)`);
  return false;
});
const folder = mkdtempSync(join(tmpdir(), 'fl-kernel-peers-'));
const running = followers.map((one) => {
  const place = join(folder, one.name);
  mkdirSync(place);
  const made = one.start(place, join(folder, `${one.name}-kmsg`));
  const out = openSync(join(place, 'said'), 'a');
  // No way out of it but its own loopback; where the program knows no other path, the pipe lies over /dev/kmsg for it alone.
  const over = made.kmsg === undefined ? '' : `mount --bind ${made.kmsg} /dev/kmsg && `;
  const child = spawn(
    'unshare',
    ['--net', '--mount', 'sh', '-c', `ip link set lo up && ${over}exec "$@"`, 'sh', ...made.command],
    { stdio: ['ignore', out, out], env: { ...process.env, ...made.env } },
  ); // unshare becomes sh, and sh the program
  return { ...one, place, child, say: made.say, seen: one.watch(place), times: [] };
});
try {
  await sleep(START_MS);
  const before = running.map(({ child }) => cpuOfFamily(child.pid));
  for (let i = 0; i < LINES; i += 1) {
    for (const one of running) {
      if (one.child.exitCode !== null)
        throw new Error(`${one.name} ended by itself: ${readFileSync(join(one.place, 'said'), 'utf8').slice(-800)}`);
      one.times.push(timeOf(one, i));
      await sleep(APART_MS);
    }
  }
  await sleep(2000);
  for (const [i, { name, times, child, place, count }] of running.entries()) {
    const found = count(place);
    if (found !== LINES)
      throw new Error(
        `${name} tells of ${found} of ${LINES} faults: ${readFileSync(join(place, 'said'), 'utf8').slice(-800)}`,
      );
    const later = times
      .slice(FIRST)
      .filter((time) => time !== null)
      .toSorted((a, b) => a - b);
    const at = (share) => later[Math.min(Math.floor(later.length * share), later.length - 1)]?.toFixed(2) ?? 'none';
    row(
      `${name}, first ${FIRST} lines`,
      `${times
        .slice(0, FIRST)
        .map((time) => time?.toFixed(1) ?? '-')
        .join(', ')} ms`,
    );
    row(
      `${name}, later lines`,
      `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)} ms (${later.length} of ${times.length - FIRST} on disk), ${((cpuOfFamily(child.pid) - before[i]) / LINES).toFixed(2)} ms of CPU a line`,
    );
  }
  row('load of the machine', loadavg()[0].toFixed(1));
} finally {
  for (const { child } of running) {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null)
      await Promise.race([once(child, 'exit'), sleep(10_000).then(() => child.kill('SIGKILL'))]);
  }
  rmSync(folder, { recursive: true });
}
process.exit();

/** Ms from the record to what is on disk of it; null where nothing came. */
function timeOf({ say, seen }, i) {
  const part = partOf(i);
  seen(part); // what was written before it
  const began = performance.now();
  say(`3,${1000 + i},${Math.round(Number(process.hrtime.bigint()) / 1000)},-;${faultOf(i)}\n`);
  while (performance.now() - began < LATEST_MS) {
    if (seen(part)) return performance.now() - began;
    Atomics.wait(nothing, 0, 0, LOOK_MS);
  }
  return null;
}

/** Opened for both ways, so that neither side ever waits for the other to be there. */
function pipeAt(path) {
  execFileSync('mkfifo', [path]);
  return openSync(path, constants.O_RDWR);
}

function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((place) => statSync(join(place, name), { throwIfNoEntry: false }));
}
