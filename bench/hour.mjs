// Bench: memory of the whole daemon and its children over an hour, each ten seconds, with the slope of its last 40 minutes.
// --load: meanwhile the kernel log has two faults a second that are an incident each, among two hundred other lines.
// Run: node bench/hour.mjs [MINUTES] [--load]   (default 60; needs `npm run build`; without --load writes bench/hour.json, which bench/growth.mjs draws)

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { distinctFault, MOST_FAULTS } from './lib/distinct-faults.mjs';
import { cpuMs, familyOf, memory } from './lib/process-figures.mjs';
import { blocksOf, median, slopeOf } from './lib/statistics.mjs';
import { unitEnvironment } from './lib/unit-environment.mjs';
import { startWholeRack } from './lib/whole-rack.mjs';

const LOAD = process.argv.includes('--load');
const MINUTES = Number(process.argv.slice(2).find((word) => !word.startsWith('--')) ?? 60);
const EACH_MS = 10_000;
const FAULT_EACH_MS = 500;
const LINES_A_FAULT = 100;
/** What is reported is the last two thirds: the first part is filled buffers and compiled code. */
const SETTLED = 1 / 3;
/** Values of two minutes count as one: a collector's saw-tooth is shorter. */
const BLOCK = 12;
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const folder = mkdtempSync(join(tmpdir(), 'fl-hour-'));
const row = (name, value) => console.log(`${name.padEnd(62)} ${value}`);

const rack = await startWholeRack(folder);
const file = join(folder, 'faultline.yaml');
const said = join(folder, 'daemon.log');
writeFileSync(file, stringify(rack.config));
const daemon = spawn(process.execPath, [ENTRY, 'run', '--config', file], {
  env: unitEnvironment,
  stdio: ['ignore', 'ignore', openSync(said, 'w')],
});
const feeding = LOAD ? setInterval(feed, FAULT_EACH_MS) : undefined;
let lines = 0;
let faults = 0;
const taken = [];
const load = [];
try {
  const beganMs = performance.now();
  while (performance.now() - beganMs < MINUTES * 60_000) {
    await sleep(EACH_MS - ((performance.now() - beganMs) % EACH_MS));
    if (daemon.exitCode !== null)
      throw new Error(`the daemon ended by itself: ${readFileSync(said, 'utf8').slice(-500)}`);
    taken.push({ minutes: (performance.now() - beganMs) / 60_000, ...figures() });
    load.push(loadavg()[0]);
  }
  const { sources } = await status();
  tell(sources);
} finally {
  clearInterval(feeding);
  daemon.kill('SIGTERM');
  if (daemon.exitCode === null) await once(daemon, 'exit');
  await rack.stop();
  rmSync(folder, { recursive: true });
}
process.exit();

function feed() {
  const record = (text) => `3,${++lines},${Math.round(Number(process.hrtime.bigint()) / 1000)},-;${text}\n`;
  const other = () => record(`IN=eth0 OUT= SRC=10.2.3.4 DST=10.0.0.${lines % 250} LEN=52 TTL=64 ID=${lines % 65_536} PROTO=TCP SPT=43186 DPT=22 SYN`); // biome-ignore format: one line
  const others = Array.from({ length: LINES_A_FAULT - 1 }, other).join('');
  appendFileSync(rack.rack.places.kernelLog, others + record(distinctFault(faults++ % MOST_FAULTS).text));
}

/** MiB of the daemon, and of it with its children: `all` counts what they share once. CPU so far, ms. */
function figures() {
  const family = familyOf(daemon.pid);
  const each = family.map(asked).filter((one) => one !== null);
  return {
    rss: each[0].rss,
    anonymous: each[0].anonymous,
    all: each.reduce((sum, { pss }) => sum + pss, 0),
    cpuMs: each.reduce((sum, one) => sum + one.cpuMs, 0),
  };
}

/** Null for a child of a moment that is gone before it is asked. */
function asked(pid) {
  try {
    return { ...memory(pid), cpuMs: cpuMs(pid) };
  } catch (error) {
    if (pid !== daemon.pid && (error.code === 'ESRCH' || error.code === 'ENOENT')) return null;
    throw error;
  }
}

function tell(sources) {
  if (LOAD) row('load', `${faults} faults that are an incident each, among ${lines} kernel lines`);
  else writeFileSync(join(import.meta.dirname, 'hour.json'), `${JSON.stringify(rounded())}\n`);
  row('sources', sources.map(({ source }) => source).join(' '));
  const { collector, receiver, series } = rack.got;
  row('sinks', `${series} series on /metrics, ${(collector.bytes / 2 ** 20).toFixed(1)} MiB to the collector, ${receiver.requests} requests to Alertmanager and webhook`); // biome-ignore format: one line
  const late = taken.filter(({ minutes }) => minutes > MINUTES * SETTLED);
  for (const [what, name] of [
    ['rss', 'RSS, daemon'],
    ['anonymous', 'anonymous memory, daemon'],
    ['all', 'PSS, daemon and children'],
  ]) {
    const values = late.map((one) => one[what]);
    const { slope, within } = slopeOf(
      blocksOf(
        late.map((one) => [one.minutes / 60, one[what]]),
        BLOCK,
      ),
    );
    row(`${name} over the last ${late.length} readings`, `median ${median(values).toFixed(1)}, most ${Math.max(...values).toFixed(1)} MiB`); // biome-ignore format: one line
    row(`${name}, slope`, `${slope.toFixed(2)} ± ${within.toFixed(2)} MiB an hour`);
  }
  const [first, last] = [late[0], late.at(-1)];
  row('CPU, daemon and children', `${((last.cpuMs - first.cpuMs) / (last.minutes - first.minutes) / 600).toFixed(2)} % of one core`); // biome-ignore format: one line
  row('load of the machine', `median ${median(load).toFixed(1)}, most ${Math.max(...load).toFixed(1)}`);
}

/** [minutes, RSS, PSS of all], MiB. */
function rounded() {
  return taken.map(({ minutes, rss, all }) => [minutes, rss, all].map((value) => Number(value.toFixed(2))));
}

function status() {
  return new Promise((resolve, reject) => {
    const ask = request({ socketPath: join(rack.config.directories.runtime, 'faultline.sock'), path: '/v1/status' });
    ask.on('response', async (response) => resolve(JSON.parse((await response.toArray()).join(''))));
    ask.on('error', reject).end();
  });
}
