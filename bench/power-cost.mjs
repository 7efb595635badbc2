// What four PDUs and one BMC at their defaults cost a daemon: its CPU next to that of one without them, over the same time.
// usage: node bench/power-cost.mjs [SECONDS] [ROUNDS] ; needs dist/faultline.js; PROFILE=FOLDER writes CPU profiles there,
// BEFORE=FILE runs another bundle at the same time, on the same devices

import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SimulatedBmc } from '../src/simulator/bmc/simulated-bmc.ts';
import { SimulatedPdu } from '../src/simulator/pdu-agent/simulated-pdu.ts';
import { cpuMs } from './lib/process-figures.mjs';
import { sourcesOff } from './lib/sources-off.mjs';

const [seconds = '60', rounds = '1', part] = process.argv.slice(2);
const BUNDLE = join(import.meta.dirname, '../dist/faultline.js');
/** Discovery is over within seconds; what a poll runs through is compiled after a few dozen polls, which takes minutes. */
const START_MS = 180_000;
if (part === 'devices') {
  const pdus = await Promise.all(Array.from({ length: 4 }, () => SimulatedPdu.start()));
  const bmc = await SimulatedBmc.start();
  process.send({ ports: pdus.map(({ port }) => port), url: bmc.url, password: 'simulated' });
  process.on('message', () => process.exit(0));
} else await measure();

async function measure() {
  const devices = fork(import.meta.filename, [seconds, rounds, 'devices']);
  const [{ ports, url, password }] = await once(devices, 'message');
  const folder = mkdtempSync(join(tmpdir(), 'fl-power-cost-'));
  writeFileSync(join(folder, 'password'), password, { mode: 0o600 });
  const pdus = ports
    .map((port, i) => `    - {name: pdu-${i}, host: 127.0.0.1, port: ${port}, community: public}`)
    .join('\n');
  const power = `  pdu:\n${pdus}\n  bmc:\n    - {host: node-3, url: "${url}", user: faultline, password_file: "${folder}/password", insecure: true}\n`;
  const with_ = start(folder, 'with', power);
  const without = start(folder, 'without', '');
  const other = process.env.BEFORE ? [start(folder, 'before', power, process.env.BEFORE)] : [];
  const all = [with_, without, ...other];
  try {
    await sleep(START_MS);
    const costs = [];
    for (let round = 0; round < Number(rounds); round += 1) {
      const before = all.map(({ pid }) => cpuMs(pid));
      const startMs = performance.now();
      await sleep(Number(seconds) * 1000);
      const [a, b, c] = all.map(({ pid }, i) => cpuMs(pid) - before[i]);
      const share = (ms) => (100 * ms) / (performance.now() - startMs);
      costs.push(share(a - b));
      console.log(
        `with 4 PDUs and 1 BMC ${share(a).toFixed(3)} % of a core, without ${share(b).toFixed(3)} %: they cost ${share(a - b).toFixed(3)} %${c === undefined ? '' : `, before ${share(c - b).toFixed(3)} %`} (load ${loadavg()[0].toFixed(1)})`,
      );
    }
    console.log(`median ${costs.toSorted((a, b) => a - b)[costs.length >> 1].toFixed(3)} %`);
  } finally {
    for (const child of all) child.kill('SIGKILL');
    devices.send('end');
    await Promise.all(all.map((child) => once(child, 'exit')));
    rmSync(folder, { recursive: true });
  }
}

function start(folder, name, power, bundle = BUNDLE) {
  const place = join(folder, name);
  writeFileSync(
    `${place}.yaml`,
    `host: node-3\ndirectories: {state: "${place}/state", log: "${place}/log", runtime: "${place}/run"}\nsources:\n${Object.keys(
      sourcesOff(),
    )
      .map((key) => `  ${key}: {enabled: off}\n`)
      .join('')}${power}`,
  );
  return spawn(
    process.execPath,
    [
      ...(process.env.PROFILE ? ['--require', join(import.meta.dirname, 'lib/profile.cjs')] : []),
      bundle,
      'run',
      '--config',
      `${place}.yaml`,
    ],
    {
      stdio: ['ignore', 'ignore', process.env.DEBUG ? 'inherit' : 'ignore'],
    },
  );
}
