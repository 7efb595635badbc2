// A dump folder that a user filled with files of the right name: how long a look takes, and when two real dumps are given.
// usage: node bench/crowded-dumps.mjs [FILES]

import { chownSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DumpFolder } from '../src/sources/flight-recorder/dumps/dump-folder.ts';

const [files = 1_000_000] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'fl-crowd-'));
try {
  for (let i = 0; i < files; i += 1) closeSync(openSync(join(folder, `nccl_trace_rank_x${i}`), 'w'));
  for (let i = 0; i < 16_384; i += 1)
    writeFileSync(join(folder, `nccl_trace_rank_y${i}`), Buffer.from([0x80, 2, 0x7d]));
  const dumps = new DumpFolder(folder, 'nccl_trace_rank_*');
  await dumps.look(Date.now(), null, 10_000);
  for (const name of ['nccl_trace_rank_0', 'nccl_trace_rank_1']) {
    writeFileSync(join(folder, name), Buffer.from([0x80, 2, 0x7d, 0x2e]));
    if (process.getuid() === 0) chownSync(join(folder, name), 60_001, 60_001);
  }
  const started = performance.now();
  const cpu = process.cpuUsage();
  let longest = 0;
  for (let wave = null; wave === null; await sleep(2000)) {
    const from = performance.now();
    wave = await dumps.look(Date.now(), null, 10_000);
    longest = Math.max(longest, performance.now() - from);
    if (wave !== null && !wave.paths.some((path) => path.endsWith('_0'))) wave = null;
  }
  const { user, system } = process.cpuUsage(cpu);
  const took = performance.now() - started;
  console.log(
    `${files} names without a dump: longest look ${(longest / 1000).toFixed(1)} s, two real dumps given after ${(took / 1000).toFixed(0)} s, ${(((user + system) / 1000 / took) * 100).toFixed(0)} % of one core meanwhile, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
