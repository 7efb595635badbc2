// Hostile collectors, each way of lib/hostile-collector.mjs in turn: memory, CPU, latency of the line, and what a good collector
// in the same place gets afterwards.
// usage: node bench/hostile-otlp.mjs [SECONDS] [WAY]      (default 10 each, about four minutes; needs `npm run build`)

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostileCollector, WAYS } from './lib/hostile-collector.mjs';
import { usage } from './lib/process-figures.mjs';

process.env.FAULTLINE_PROGRAM ??= join(import.meta.dirname, '../dist/faultline.js');
const { DaemonUnderTest, exitOf } = await import('../test/e2e/daemon-under-test.ts');
const { Collector } = await import('../test/sinks/otlp/collector.ts');
const [length = '10', only] = process.argv.slice(2);
const seconds = Number(length);
const PATIENCE_MS = 45_000;

let strayed = 0;
const elsewhere = createServer((request, response) => {
  strayed += 1;
  request.resume();
  response.end();
});
await new Promise((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));

const kill = (daemon, pid) =>
  daemon.kernel(
    `Out of memory: Killed process ${pid} (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0`,
  );

async function attempt(way) {
  const collector = await hostileCollector(way, `http://127.0.0.1:${elsewhere.address().port}/v1/logs`);
  const scheme = way.includes('TLS') ? 'https' : 'http';
  const daemon = new DaemonUnderTest({
    gpus: 8,
    extra: `otlp: {endpoint: "${scheme}://127.0.0.1:${collector.port}", protocol: http/protobuf, timeout: 2s, metrics: {interval: 1s}}\n`,
  });
  try {
    const child = await daemon.start();
    const began = usage(child.pid);
    const late = [];
    let most = 0;
    for (let round = 0; round < seconds * 2; round += 1) {
      const pid = 40_000 + round;
      const sent = performance.now();
      kill(daemon, pid);
      const about = (event) => JSON.stringify(event).includes(String(pid));
      await daemon.until(`the event of ${pid} is reported`, async () =>
        (await daemon.get('/v1/events')).events.some(about),
      );
      late.push(performance.now() - sent);
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024);
      await sleep(Math.max(0, 500 - late.at(-1)));
    }
    const { connections, open } = collector.seen;
    const cpu = (usage(child.pid).cpuSeconds - began.cpuSeconds) / seconds;
    await collector.close();
    const good = scheme === 'http' ? await Collector.http(collector.port) : null;
    const earlier = Array.from({ length: seconds * 2 }, (_, round) => String(40_000 + round));
    const got = (pid) => good?.taken.some(({ signal, bytes }) => signal === 'logs' && bytes.includes(pid)) === true;
    const back = performance.now();
    kill(daemon, 50_000);
    while (good !== null && !got('50000') && performance.now() - back < PATIENCE_MS) await sleep(100);
    const tookS = (performance.now() - back) / 1000;
    const after = good === null ? '-' : got('50000') ? `${tookS.toFixed(1)} s` : `not in ${tookS.toFixed(0)} s`;
    const kept = good === null ? '-' : `${earlier.filter(got).length}/${earlier.length}`;
    good?.kill();
    child.kill('SIGTERM');
    const { code, tookMs } = await exitOf(child);
    const sorted = late.toSorted((a, b) => a - b);
    console.log(
      `${way.padEnd(42)} ${most.toFixed(0).padStart(4)} ${(cpu * 100).toFixed(0).padStart(5)} ${sorted[sorted.length >> 1].toFixed(0).padStart(6)} ${sorted.at(-1).toFixed(0).padStart(6)} ${String(connections).padStart(6)} ${String(open).padStart(4)} ${after.padStart(11)} ${kept.padStart(8)} ${`${code}, ${(tookMs / 1000).toFixed(1)} s`.padStart(9)}`,
    );
  } finally {
    await daemon.close();
  }
}

console.log(
  'the collector…                              RSS   CPU  line to event  connec- open  good one:  earlier      stop',
);
console.log(
  '                                            MiB     %   p50     max   tions       new event   events    status',
);
for (const way of Object.keys(WAYS)) if (only === undefined || way.includes(only)) await attempt(way);
console.log(`requests that followed the collector elsewhere: ${strayed}`);
elsewhere.close();
