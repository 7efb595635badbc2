// The process that bench/host-peers.mjs measures: our RAPL reader alone, at its usual pace or with energy read at 1 kHz as well.
// Run: node bench/peers-sampler.mjs rapl|fast SYS_ROOT DURATION_MS INTERVAL_MS

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { native } from '../src/native.ts';

const [mode, sysRoot, durationMs, intervalMs] = process.argv.slice(2);
const { Core, Rapl } = native();
const core = new Core({ historySeconds: 60, maxSeries: 100 });
const options = { sysRoot, host: 'h', intervalMs: Number(intervalMs), fastIntervalMs: mode === 'fast' ? 1 : 0 };
const reader = new Rapl(core, options);

/** CPU time in ms and voluntary context switches of the reader's thread. */
function usage() {
  for (const task of readdirSync('/proc/self/task')) {
    const folder = `/proc/self/task/${task}`;
    if (readFileSync(`${folder}/comm`, 'utf8').trim() !== 'fl-rapl') continue;
    const cpuMs = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    const status = readFileSync(`${folder}/status`, 'utf8');
    return { cpuMs, switches: Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]) };
  }
  throw new Error('the reader has no thread');
}

await sleep(500); // what it does once is done
const before = usage();
await sleep(Number(durationMs));
const after = usage();
reader.stop();
const zones = core.seriesKeys().filter((key) => key.endsWith('energy'));
console.log(
  JSON.stringify({
    cpuMs: after.cpuMs - before.cpuMs,
    switches: after.switches - before.switches,
    zones,
    samples: zones.map((key) => core.history(key, 0, Number.POSITIVE_INFINITY).values.length),
  }),
);
process.exit(0);
