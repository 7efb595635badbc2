// Several looks at a host: what each of them finds is one state that lasts.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stillSo } from '../../../src/commands/scan/still.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { scan } from './scan-here.ts';

const look = (clock: string): string[] => [
  '==============NVSMI LOG==============',
  '',
  `Timestamp                                 : Sun Nov 29 ${clock} 2026`,
  'Attached GPUs                             : 1',
  'GPU 00000000:1b:00.0',
  '    Clocks Event Reasons',
  '        HW Slowdown                       : Active',
  '            HW Thermal Slowdown           : Not Active',
  '            HW Power Brake Slowdown       : Active',
];

async function incidentsOf(t: TestContext, text: readonly string[]): Promise<{ root: { kind: string } }[]> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-scan-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'nvidia-smi-q-gx-43.txt'), `${text.join('\n')}\n`);
  return JSON.parse((await scan(['--json', folder])).stdout).incidents;
}

test('a brake that two looks show, three minutes apart, is one incident; hours apart it may have begun again', async (t) => {
  const roots = async (...clocks: readonly string[]) =>
    (await incidentsOf(t, clocks.flatMap(look))).map(({ root }) => root.kind);
  assert.deepEqual(await roots('05:00:07', '05:03:07'), ['gpu.power_brake']);
  assert.deepEqual(await roots('05:00:07', '09:03:07'), ['gpu.power_brake', 'gpu.power_brake']);
});

test('only what looks show lasts, by what and where it is', () => {
  const seen = (timeMs: number, more: Partial<EventInput> = {}): EventInput => ({
    kind: 'host.disk_full',
    component: { type: 'host', id: 'gx-1' },
    timeMs,
    observedMs: timeMs,
    trust: 'system',
    source: 'df',
    looked: true,
    ...more,
  });
  const states = (...inputs: readonly EventInput[]) => stillSo(inputs).map(({ state = 'point' }) => state);
  assert.deepEqual(states(seen(0), seen(60_000), seen(120_000)), ['onset', 'onset', 'onset']);
  assert.deepEqual(states(seen(0)), ['point']);
  assert.deepEqual(states(seen(0), seen(0)), ['point', 'point']);
  assert.deepEqual(states(seen(0), seen(60_000, { looked: false })), ['point', 'point']);
  assert.deepEqual(states(seen(0), seen(60_000, { component: { type: 'host', id: 'gx-2' } })), ['point', 'point']);
  assert.deepEqual(states(seen(0), seen(3_600_000)), ['point', 'point']);
});
