// The line of `doctor --fleet`: its fields, what counts as lost, and the worst state.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fleetLine } from '../../../src/commands/doctor/fleet.ts';
import { doctorReport } from '../../../src/commands/doctor/report.ts';
import type { SourceHealth, SourceStatus } from '../../../src/sources/source.ts';
import { PROGRAM } from '../../program.ts';

const health = (source: string, status: SourceStatus): SourceHealth => ({
  source,
  status,
  detail: `${source} detail`,
  remedy: `fix ${source}`,
});
const line = (...sources: SourceHealth[]) => fleetLine(doctorReport('node-3', 'a.yaml', sources, []), '1.2.3');

test('each source has its state, and what is lost with the line that changes it where people rely on it', () => {
  const { sources, worst, exit, host, version } = line(
    health('gpu', 'partial'),
    health('cpu', 'works'),
    health('pdu', 'absent'),
    health('bmc', 'off'),
  );
  assert.deepEqual({ host, version, worst, exit }, { host: 'node-3', version: '1.2.3', worst: 'partial', exit: 0 });
  assert.deepEqual(sources, [
    { source: 'gpu', state: 'partial', lost: 'gpu detail', remedy: 'fix gpu' },
    { source: 'cpu', state: 'works', lost: null, remedy: null },
    { source: 'pdu', state: 'absent', lost: null, remedy: null },
    { source: 'bmc', state: 'off', lost: null, remedy: null },
  ]);
});

test('the worst state: failed before a missing right, before in part, before not here, before works', () => {
  const order: SourceStatus[] = ['failed', 'no_permission', 'partial', 'absent', 'works', 'off'];
  order.forEach((worst, i) => {
    const sources = order.slice(i).map((status) => health(status, status));
    assert.equal(line(...sources.reverse()).worst, worst);
  });
  assert.equal(line(health('gpu', 'failed'), health('cpu', 'works')).exit, 1);
});

test('the command prints one line, whose exit status is its own; a configuration that cannot be used is status 2', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-fleet-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'faultline.yaml');
  // The host that runs the tests may have any devices: all that would look at them is off.
  const off = [
    'gpu',
    'cpu',
    'kernel_log',
    'nic',
    'hwmon',
    'drm',
    'pci',
    'inventory',
    'slurm',
    'processes',
    'flight_recorder',
  ];
  const sources = [...off, 'kubernetes', 'found_logs'].map((name) => `  ${name}: {enabled: off}\n`).join('');
  const folders = ['state', 'log', 'runtime'].map((name) => `${name}: "${folder}"`).join(', ');
  writeFileSync(file, `host: node-3\nshadow: true\ndirectories: {${folders}}\nsources:\n${sources}`);
  const doctor = () =>
    spawnSync(process.execPath, [PROGRAM, 'doctor', '--fleet', '--config', file], { encoding: 'utf8' });
  const { stdout, status } = doctor();
  assert.match(stdout, /^\{[^\n]*\}\n$/);
  const { schema, host, shadow, exit } = JSON.parse(stdout);
  assert.deepEqual([schema, host, shadow, exit], ['faultline/doctor-fleet/1', 'node-3', true, status]);
  writeFileSync(file, 'hosst: x\n');
  const wrong = doctor();
  assert.deepEqual([wrong.status, wrong.stdout], [2, '']);
});
