// A password in an address of the surroundings, a proxy's or a collector's, reaches no output of the daemon or of doctor.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { get } from '../api/helpers.ts';
import { faultline, folder } from '../commands/run-cli.ts';
import { until } from '../incidents/log/folder.ts';
import { PROGRAM } from '../program.ts';

const SECRET = 'hunter2-horse';
const ADDRESS = `http://user:${SECRET}@127.0.0.1:9`;
const SURROUNDINGS = {
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ADDRESS,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${SECRET}`,
  http_proxy: ADDRESS,
  https_proxy: ADDRESS,
  grpc_proxy: ADDRESS,
  ENDPOINT: `http://127.0.0.1:9/v1/logs?api_key=${SECRET}`,
};

test('run, its log, its answers and doctor show no secret of proxies and endpoints', async (context) => {
  const place = folder();
  mkdirSync(join(place, 'log'));
  writeFileSync(join(place, 'kmsg'), '');
  const off = [
    'gpu',
    'cpu',
    'system',
    'nic',
    'hwmon',
    'drm',
    'pci',
    'inventory',
    'processes',
    'slurm',
    'flight_recorder',
    'kubernetes',
  ].map((name) => `${name}: {enabled: off}`);
  const config = join(place, 'faultline.yaml');
  writeFileSync(
    config,
    `host: node-3
directories: {state: ${place}/state, log: ${place}/log, runtime: ${place}/run}
sources: {kernel_log: {path: ${place}/kmsg}, ${off.join(', ')}}
otlp: {protocol: http/protobuf, metrics: {endpoint: "http://127.0.0.1:9", interval: 1s}, logs: {endpoint: "\${ENDPOINT}"}}
`,
  );
  const env = { PATH: process.env.PATH, HOME: place, LC_ALL: 'C.UTF-8', ...SURROUNDINGS };
  const child = spawn(process.execPath, [PROGRAM, 'run', '--config', config], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (part: Buffer) => {
    log += part.toString();
  });
  context.after(() => child.kill('SIGKILL'));
  await until(() => log.includes('"started"') && log.includes('FL3201'));
  const { body } = await get(join(place, 'run', 'faultline.sock'), '/v1/status');
  const doctor = await faultline(['doctor', '--config', config], { env: SURROUNDINGS });
  const printed = await faultline(['config', 'print', '--config', config], { env: SURROUNDINGS });
  child.kill('SIGTERM');
  await once(child, 'exit');
  const said = { log, body, doctor: doctor.stdout + doctor.stderr, printed: printed.stdout + printed.stderr };
  for (const [what, text] of Object.entries(said)) {
    assert.ok(text.length > 20, what);
    assert.ok(!text.includes(SECRET), `${what}: ${text}`);
  }
  assert.match(log, /does not use the variable OTEL_EXPORTER_OTLP_TRACES_ENDPOINT/);
});
