// Primus Lens' scores of pairs of alerts, to the digit.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Alert, relatedTo, scoreOf } from '../../../src/commands/correlate/primus/score.ts';
import { faultline } from '../run-cli.ts';

const MEMORY: Alert = {
  id: 'a',
  name: 'GPUMemoryHigh',
  source: 'metric',
  isFiring: true,
  at: 1000,
  workload: 'w',
  pod: '',
  node: '',
};
const of = (more: Partial<Alert>): Alert => ({ ...MEMORY, id: 'b', ...more });
const OOM = { name: 'OOMError', source: 'log' } as const;

test('the scores that its own tests have', () => {
  const nowhere = { workload: '' };
  const cases: readonly (readonly [Partial<Alert>, Partial<Alert>, number | undefined, string | undefined])[] = [
    [{}, { ...OOM, at: 1030 }, 2, 'causal'],
    [{}, { ...OOM, at: 1180 }, 1.8, 'causal'],
    [{}, { ...OOM, at: 970 }, 2, 'causal'],
    [{}, { name: 'Other', source: 'log', at: 1120 }, 1, 'cross_source'],
    [
      { workload: '', pod: 'p' },
      { name: 'Other', source: 'log', workload: '', pod: 'p', at: 1060 },
      0.9,
      'cross_source',
    ],
    [
      { workload: '', node: 'n' },
      { name: 'Other', source: 'log', workload: '', node: 'n', at: 1060 },
      0.8,
      'cross_source',
    ],
    [nowhere, { name: 'Other', source: 'log', ...nowhere, at: 1060 }, 0.5, 'cross_source'],
    [nowhere, { name: 'Other', ...nowhere, at: 1600 }, undefined, undefined],
  ];
  for (const [one, other, score, type] of cases) {
    const found = scoreOf({ ...MEMORY, ...one }, of(other));
    assert.deepEqual([found?.score, found?.type], [score, type]);
  }
});

test('the six pairs and what each adds, in both directions', () => {
  const pairs = [['GPUMemoryHigh', 'OOMError', 0.8], ['NetworkLatencyHigh', 'TrainingSlowdown', 0.7], ['NodeDown', 'PodRestart', 0.9], ['DiskSpaceLow', 'CheckpointFailed', 0.8], ['NCCLError', 'TrainingHang', 0.7], ['HighTemperature', 'GPUThrottling', 0.8]] as const; // biome-ignore format: one table
  for (const [cause, effect, adds] of pairs) {
    const [one, other] = [of({ name: cause }), of({ name: effect })];
    for (const found of [scoreOf(one, other), scoreOf(other, one)])
      assert.deepEqual(found, { score: Math.round((0.9 + adds) * 10) / 10, type: 'causal' });
  }
});

test('only what fires at the same place within five minutes is related, best first', () => {
  const others = [
    of({ id: 'late', at: 1301 }),
    of({ id: 'over', isFiring: false }),
    of({ id: 'away', workload: 'x' }),
    of({ id: 'near', at: 1200 }),
    of({ id: 'oom', ...OOM }),
  ];
  assert.deepEqual(relatedTo(MEMORY, [MEMORY, ...others]).map(({ id, score }) => [id, score]), [['oom', 2], ['near', 0.7]]); // biome-ignore format: one answer
});

test('the command reads its alerts, and says which file a scorer needs', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'primus-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'alerts.json');
  const alert = (id: string, name: string, source: string, at: string) => ({
    id,
    alert_name: name,
    source,
    status: 'firing',
    starts_at: at,
    workload_id: 'train',
  });
  const alerts = [
    alert('m1', 'GPUMemoryHigh', 'metric', '2026-01-15T14:32:00Z'),
    alert('l1', 'OOMError', 'log', '2026-01-15T14:32:30Z'),
    { id: 'x' },
  ];
  writeFileSync(file, JSON.stringify({ alerts }));
  const { stdout, stderr, status } = await faultline(['correlate', '--scorer', 'primus', '--alerts', file]);
  assert.deepEqual([stdout, status], ['m1: l1 2.0 causal\nl1: m1 2.0 causal\n', 0]);
  assert.match(stderr, /alerts\[2\] is left out: it needs id, alert_name and starts_at/);
  assert.match((await faultline(['correlate', '--scorer', 'primus'])).stderr, /add --alerts FILE/);
  const some = await faultline(['correlate', '--events', file]);
  assert.deepEqual([some.status, /add --traces FILE, --topology FILE/.test(some.stderr)], [2, true], some.stderr);
});
