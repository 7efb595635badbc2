// Bench: what watching PDUs costs, over their number: CPU of the process that watches, and its memory. The simulated PDUs are in another.
// Run: node bench/power-growth.mjs [SECONDS]   (default 30 for each number)

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SimulatedPdu } from '../src/simulator/pdu-agent/simulated-pdu.ts';
import { PduSource } from '../src/sources/pdu/pdu-source.ts';
import { pduConfig } from '../test/sources/pdu/support.ts';
import { memory } from './lib/process-figures.mjs';

const [seconds = '30', part, number] = process.argv.slice(2);
const COUNTS = [4, 16, 64, 256];
const INTERVAL_MS = 1000;
/** Discovery is over, and what a poll runs through is compiled. */
const SETTLE_MS = 20_000;

if (part === 'devices') await devices(Number(number));
else if (part === 'watch') await watch(Number(number));
else for (const count of COUNTS) await inProcess(count);

/** Each number in a process of its own: what is compiled and held by one is not the next one's. */
async function inProcess(count) {
  const child = fork(import.meta.filename, [seconds, 'watch', String(count)]);
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`${count} PDUs: ended with ${status}`);
}

async function devices(count) {
  const pdus = await Promise.all(Array.from({ length: count }, () => SimulatedPdu.start({ model: { outlets: 8 } })));
  process.send(pdus.map(({ port }) => port));
  process.on('message', () => process.exit());
}

async function watch(count) {
  const child = fork(import.meta.filename, [seconds, 'devices', String(count)]);
  const [ports] = await once(child, 'message');
  const read = { rounds: 0 };
  const emit = {
    samples({ keys }) {
      if (keys.some((key) => key.startsWith('pdu_phase'))) read.rounds += 1;
    },
    text() {},
    event() {},
    discovery() {},
  };
  const configs = ports.map((port, i) => pduConfig(port, { name: `p${i}`, intervalMs: INTERVAL_MS, timeoutMs: 5000 }));
  const source = new PduSource(configs, { now: () => performance.timeOrigin + performance.now() });
  source.start(emit, new AbortController().signal);
  await sleep(SETTLE_MS);
  const [beganMs, before, cpu] = [performance.now(), read.rounds, process.threadCpuUsage()];
  await sleep(Number(seconds) * 1000);
  const { user, system } = process.threadCpuUsage(cpu);
  const passed = (performance.now() - beganMs) / 1000;
  const rounds = (read.rounds - before) / passed;
  if (rounds === 0) throw new Error(`${count} PDUs: none was read`);
  // What was not read in time on a machine that is full is not counted as cheap: by the reads that were, at one a second each.
  const ms = ((user + system) / 1000 / passed) * (count / rounds);
  console.log(`${count} PDUs: ${ms.toFixed(2)} ms a second, ${((ms * 1000) / count).toFixed(0)} µs each, ${(rounds / count).toFixed(2)} reads a second of each, ${memory(process.pid).rss.toFixed(1)} MiB`); // biome-ignore format: one line
  await source.stop();
  child.send('end');
  await once(child, 'exit');
  process.exit();
}
