// Bench: one of eight GPUs hangs inside the driver; what the other seven, another source, the API and shutdown feel of it.
// Run: node bench/stall.mjs [minutes before] [minutes of hanging]   (default 1 and 10; needs `npm run build`)

import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { native, nativePath } from '../src/native.ts';
import { sourcesOff } from './lib/sources-off.mjs';

const BEFORE_MS = Number(process.argv[2] ?? 1) * 60_000;
const DURING_MS = Number(process.argv[3] ?? 10) * 60_000;
const INTERVAL_MS = 500;
const PROBE_MS = 500;
const BUSES = ['1b', '43', '52', '61', '9d', 'c3', 'd1', 'df'];
const STUCK = 3;
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const folder = mkdtempSync(join(tmpdir(), 'faultline-stall-'));
const library = join(folder, 'libnvidia-ml.so.1');
const control = join(folder, 'nvml.control');
const kmsg = join(folder, 'kmsg');

const at = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(Math.floor(values.length * share), values.length - 1)];
const ms = (value) => (value === undefined ? '-' : value.toFixed(1));

function startDaemon(name) {
  const directories = { state: join(folder, name), log: join(folder, name, 'log'), runtime: join(folder, name, 'run') };
  const sources = { ...sourcesOff(), gpu: { library }, kernel_log: { path: kmsg } };
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, stringify({ host: name, directories, sources }));
  const log = openSync(join(folder, `${name}.log`), 'w');
  return {
    directories,
    child: spawn(process.execPath, [ENTRY, 'run', '--config', file], { stdio: ['ignore', 'ignore', log] }),
  };
}

function ask(runtime) {
  return new Promise((resolve) => {
    const sent = performance.now();
    request({ socketPath: join(runtime, 'faultline.sock'), path: '/v1/status' }, (response) => {
      response.resume().on('end', () => resolve(performance.now() - sent));
    })
      .on('error', () => resolve(null))
      .end();
  });
}

async function stop(child) {
  const asked = performance.now();
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  return performance.now() - asked;
}

async function untilUp(runtime) {
  while ((await ask(runtime)) === null) await sleep(50);
}

/** Time from a kernel line of its own kind and device to its incident in the log. */
async function kernelLine(log, serial) {
  const address = `0000:${(serial % 250).toString(16).padStart(2, '0')}:${(serial >> 8).toString(16).padStart(2, '0')}`;
  const size = () => {
    try {
      return readFileSync(log, 'utf8').length;
    } catch {
      return 0;
    }
  };
  const before = size();
  const usec = Math.round(Number(process.hrtime.bigint()) / 1000);
  const written = performance.now();
  appendFileSync(kmsg, `3,${serial},${usec},-;NVRM: Xid (PCI:${address}): 79, GPU has fallen off the bus.\n`);
  while (size() === before && performance.now() - written < 20_000) await sleep(2);
  return performance.now() - written;
}

/** Gaps between the samples of the seven, from the history of a core of this process with a child of its own. */
function gaps(core, fromMs, toMs) {
  const all = [];
  for (const [index, bus] of BUSES.entries()) {
    if (index === STUCK) continue;
    const { timesMs } = core.history(`gpu/0000:${bus}:00.0#power`, fromMs, toMs);
    for (let i = 1; i < timesMs.length; i += 1) all.push(timesMs[i] - timesMs[i - 1]);
  }
  return all;
}

let serial = 0;
async function measure(core, daemon, durationMs) {
  const found = { gaps: [], api: [], line: [] };
  const end = performance.now() + durationMs;
  let from = core.now();
  for (let turn = 0; performance.now() < end; turn += 1) {
    const answer = await ask(daemon.directories.runtime);
    if (answer !== null) found.api.push(answer);
    if (turn % 10 === 0) found.line.push(await kernelLine(join(daemon.directories.log, 'incidents.jsonl'), ++serial));
    if (turn % 60 === 59) {
      const now = core.now();
      found.gaps.push(...gaps(core, from, now));
      from = now;
    }
    core.drain();
    await sleep(PROBE_MS);
  }
  found.gaps.push(...gaps(core, from, core.now()));
  return found;
}

copyFileSync(nativePath('libnvidia-ml.so.1'), library);
writeFileSync(kmsg, '');
writeFileSync(control, 'devices 8\n');
const { Core, Vendor } = native();
const core = new Core({ historySeconds: 120, maxSeries: 4096 });
const options = {
  executable: nativePath('faultline-vendor'),
  library,
  intervalMs: INTERVAL_MS,
  burstIntervalMs: 100,
  callDeadlineMs: 2000,
};
const vendor = new Vendor(core, options);
const spare = startDaemon('before');
await untilUp(spare.directories.runtime);
const shutdown = { before: await stop(spare.child) };
const daemon = startDaemon('during');
await untilUp(daemon.directories.runtime);
await sleep(5000);
const before = await measure(core, daemon, BEFORE_MS);
writeFileSync(control, `devices 8\ngpu.${STUCK}.hang 1\n`);
const during = await measure(core, daemon, DURING_MS);
shutdown.during = await stop(daemon.child);
vendor.stop();
core.close();

console.log(
  `one of eight GPUs hangs for ${DURING_MS / 60_000} min, after ${BEFORE_MS / 60_000} min without; times in ms`,
);
console.log('| what | when | n | p50 | p99 | longest |\n|---|---|---|---|---|---|');
for (const [name, key] of [
  [`gap between samples of the other seven (interval ${INTERVAL_MS})`, 'gaps'],
  ['kernel line to incident', 'line'],
  ['API request over the socket', 'api'],
]) {
  for (const [when, found] of Object.entries({ before, during })) {
    const values = found[key];
    console.log(
      `| ${name} | ${when} | ${values.length} | ${ms(at(values, 0.5))} | ${ms(at(values, 0.99))} | ${ms(at(values, 1))} |`,
    );
  }
}
for (const [when, took] of Object.entries(shutdown)) console.log(`| shutdown | ${when} | 1 | ${ms(took)} | | |`);
rmSync(folder, { recursive: true, force: true });
