// Bench: CPU of the whole daemon with all its sinks next to node_exporter with its defaults, at the same time on the same host: for a
// sample and for a second. Theirs is asked each second for what it has; ours samples, detects, correlates, writes and exports.
// Run: node bench/daemon-peers.mjs [SECONDS [ROUNDS]]   (default 30, 5; needs `npm run build`; scripts/bench-peers gets the peer)

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { cpuOfFamily } from './lib/process-figures.mjs';
import { median } from './lib/statistics.mjs';
import { unitEnvironment } from './lib/unit-environment.mjs';
import { startWholeRack } from './lib/whole-rack.mjs';

const [SECONDS = 30, ROUNDS = 5] = process.argv.slice(2).map(Number);
/** What a daemon of some minutes has compiled is compiled. */
const SETTLE_MS = 120_000;
const PORT = 19_500;
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const row = (name, value) => console.log(`${name.padEnd(52)} ${value}`);

const folder = mkdtempSync(join(tmpdir(), 'fl-daemon-peers-'));
const rack = await startWholeRack(folder);
const file = join(folder, 'faultline.yaml');
const said = join(folder, 'daemon.log');
writeFileSync(file, stringify(rack.config));
const daemon = spawn(process.execPath, [ENTRY, 'run', '--config', file], {
  env: unitEnvironment,
  stdio: ['ignore', 'ignore', openSync(said, 'w')],
});
const exporter = spawn('prometheus-node-exporter', [`--web.listen-address=127.0.0.1:${PORT}`], { stdio: 'ignore' });
let missing = null;
exporter.on('error', (error) => {
  missing = error.message;
});
try {
  await sleep(SETTLE_MS);
  if (missing !== null) throw new Error(`node_exporter does not start (scripts/bench-peers): ${missing}`);
  if (daemon.exitCode !== null)
    throw new Error(`the daemon ended by itself: ${readFileSync(said, 'utf8').slice(-500)}`);
  const rounds = [];
  for (let i = 0; i < ROUNDS; i += 1) rounds.push(await round());
  const of = (what) => median(rounds.map((one) => one[what]));
  row('whole daemon', `${of('ours').toFixed(2)} ms CPU/s, ${of('samples').toFixed(0)} samples/s`);
  row('node_exporter, asked each second', `${of('theirs').toFixed(2)} ms CPU/s, ${of('series').toFixed(0)} samples/s`);
  const each = rounds.map(({ ours, samples, theirs, series }) => ours / samples / (theirs / series));
  row('whole daemon / node_exporter, CPU a sample', spread(each));
  row('whole daemon / node_exporter each second, CPU', spread(rounds.map(({ ours, theirs }) => ours / theirs)));
  row('load of the machine', loadavg()[0].toFixed(1));
} finally {
  for (const child of [daemon, exporter]) {
    child.kill('SIGTERM');
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  await rack.stop();
  rmSync(folder, { recursive: true });
}
process.exit();

/** Of the same seconds: ms of CPU a second, samples a second of each. */
async function round() {
  const [ours, theirs, samples, beganMs] = [cpuOfFamily(daemon.pid), cpuOfFamily(exporter.pid), await sampled(), performance.now()]; // biome-ignore format: one line
  let series = 0;
  for (let i = 1; i <= SECONDS; i += 1) {
    const text = await (await fetch(`http://127.0.0.1:${PORT}/metrics`)).text();
    series += text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
    await sleep(Math.max(0, beganMs + i * 1000 - performance.now()));
  }
  const seconds = (performance.now() - beganMs) / 1000;
  return {
    ours: (cpuOfFamily(daemon.pid) - ours) / seconds,
    theirs: (cpuOfFamily(exporter.pid) - theirs) / seconds,
    samples: ((await sampled()) - samples) / seconds,
    series: series / seconds,
  };
}

function spread(values) {
  return `${median(values).toPrecision(3)} (${Math.min(...values).toPrecision(3)} to ${Math.max(...values).toPrecision(3)})`;
}

/** Samples that detection was given so far. */
async function sampled() {
  const ask = request({
    socketPath: join(rack.config.directories.runtime, 'faultline.sock'),
    path: '/v1/status',
  }).end();
  const [response] = await once(ask, 'response');
  return JSON.parse((await response.toArray()).join('')).native.samples;
}
