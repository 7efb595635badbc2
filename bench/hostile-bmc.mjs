// Hostile BMCs in every way that test/sources/bmc/hostile-bmc.ts knows, and what the daemon with everything on takes.
// usage: node bench/hostile-bmc.mjs [MINUTES] [BMCS]

import { fork, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOSTILE, hostileBmc } from '../test/sources/bmc/hostile-bmc.ts';

const [minutes = 2, count = 16, part] = process.argv.slice(2);
if (part === 'servers') {
  const ways = Object.keys(HOSTILE);
  const all = await Promise.all(Array.from({ length: count }, (_, i) => hostileBmc(ways[i % ways.length])));
  process.send(all.map(({ url }) => url));
  process.on('message', () => process.send(all.map(({ requests }) => requests)));
} else await measure();

async function measure() {
  const servers = fork(import.meta.filename, [minutes, count, 'servers']);
  const urls = await reported(servers);
  const folder = mkdtempSync(join(tmpdir(), 'fl-hostile-bmc-'));
  mkdirSync(join(folder, 'nvml'));
  writeFileSync(join(folder, 'nvml/nvml.control'), 'devices 8\n');
  symlinkSync(join(import.meta.dirname, '../build/Release/libnvidia-ml.so.1'), join(folder, 'nvml/libnvidia-ml.so.1'));
  writeFileSync(join(folder, 'kmsg'), '');
  const bmcs = urls.map((url, i) => `    - {host: node-${i}, url: "${url}", interval: 5s}`).join('\n');
  writeFileSync(
    join(folder, 'faultline.yaml'),
    `host: node-0
directories: {state: "${folder}/state", log: "${folder}/log", runtime: "${folder}/run"}
prometheus: {enabled: on}
otlp: {endpoint: "http://127.0.0.1:9"}
sources:
  kernel_log: {path: "${folder}/kmsg"}
  gpu: {library: "${folder}/nvml/libnvidia-ml.so.1"}
  bmc:
${bmcs}
`,
  );
  const program = join(import.meta.dirname, '../dist/faultline.js');
  const daemon = spawn(process.execPath, [program, 'run', '--config', join(folder, 'faultline.yaml')], {
    stdio: ['ignore', 'ignore', process.env.DEBUG ? 'inherit' : 'ignore'],
  });
  try {
    let most = 0;
    const sizes = [];
    for (const end = performance.now() + minutes * 60_000; performance.now() < end; await sleep(200)) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) throw new Error('the daemon ended');
      const size = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))[1]) / 1024;
      sizes.push(size);
      most = Math.max(most, size);
    }
    servers.send('requests');
    const requests = await reported(servers);
    const cpu = readFileSync(`/proc/${daemon.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
    const seconds = (Number(cpu[0]) + Number(cpu[1])) / 100;
    const last = sizes.slice(-50).reduce((sum, each) => sum + each, 0) / 50;
    console.log(
      `${urls.length} hostile BMCs for ${minutes} min, ${requests.reduce((a, b) => a + b)} requests: RSS at most ${most.toFixed(0)} MiB, ${last.toFixed(0)} MiB at the end, CPU ${((seconds / minutes / 60) * 100).toFixed(0)} % of one core`,
    );
    if (process.env.DEBUG) console.log(requests);
  } finally {
    daemon.kill('SIGKILL');
    servers.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

function reported(child) {
  return new Promise((resolve) => child.once('message', resolve));
}
