// Slow connections from one user, and a scraper next to them: how long it waits, and what the daemon takes.
// usage: node bench/slow-connections.mjs [SECONDS] [CONNECTIONS]

import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SLOW, SlowConnections, scrape } from '../test/api/slow-connections.ts';

const [seconds = 20, connections = 400] = process.argv.slice(2, 4).map(Number);
if (process.argv[4] !== undefined) {
  const [, , , , port, slowness] = process.argv;
  new SlowConnections({ host: '127.0.0.1', port: Number(port) }, slowness, connections);
} else await measure();

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'fl-slow-'));
  const port = await freePort();
  const directories = `{state: "${folder}/state", log: "${folder}/log", runtime: "${folder}/run"}`;
  writeFileSync(
    join(folder, 'faultline.yaml'),
    `directories: ${directories}\nsources: {kernel_log: {path: "${folder}/kmsg"}}\nprometheus: {listen: "127.0.0.1:${port}"}\n`,
  );
  writeFileSync(join(folder, 'kmsg'), '');
  const daemon = spawn(
    process.execPath,
    [join(import.meta.dirname, '../dist/faultline.js'), 'run', '--config', join(folder, 'faultline.yaml')],
    { stdio: 'ignore' },
  );
  try {
    while ((await scrape({ host: '127.0.0.1', port }, '/healthz')).status !== 200) await sleep(100);
    await sleep(2000);
    console.log(`daemon alone: ${rss(daemon.pid)} MiB`);
    for (const slowness of Object.keys(SLOW)) await against(slowness, port, daemon.pid);
  } finally {
    daemon.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

async function against(slowness, port, pid) {
  const attacker = fork(import.meta.filename, [seconds, connections, port, slowness]);
  const times = [];
  let failures = 0;
  let most = 0;
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    for (const path of ['/metrics', '/healthz']) {
      const { status, ms } = await scrape({ host: '127.0.0.1', port }, path);
      if (status === 200) times.push(ms);
      else failures += 1;
    }
    most = Math.max(most, rss(pid));
    await sleep(100);
  }
  attacker.kill('SIGKILL');
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(1);
  console.log(
    `${connections} ${slowness}: ${times.length} answers, ${failures} failures, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms, ${most} MiB`,
  );
}

function rss(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
