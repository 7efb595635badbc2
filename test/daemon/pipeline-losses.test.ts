// The line tells a further revision of an incident when another one, opened before it, counts GPU-hours of the same job.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { lostOf } from '../../src/model/gpu-hours.ts';
import type { Impact, Incident } from '../../src/model/incident.ts';
import { native } from '../../src/native.ts';
import { incident, T0 } from '../incidents/sample.ts';

const HOUR = 3_600_000;

test('two incidents of an earlier run on one job: when the first is given up, the other says what that one counted', (t) => {
  const core = new (native().Core)({ historySeconds: 60, maxSeries: 16, anchorMs: T0 });
  t.after(() => core.close());
  const loss = { gpus: 8, share: 1, fromMs: T0, toMs: null, rate: null };
  const impact: Impact[] = [{ component: { type: 'job', id: 'llama' }, quantity: 'lost', before: 1, after: 0, unit: '1', text: 'stopped', loss }]; // biome-ignore format: one impact
  const restored = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map((id, index) =>
    incident(id, { openedMs: T0 + index, impact, events: [] }),
  );
  const published: Incident[] = [];
  const pipeline = new Pipeline({
    host: 'node-3',
    core,
    latenessMs: 10_000,
    holdMs: 10_000,
    links: [],
    restored,
    now: () => T0 + 2 * HOUR,
    onEvent: () => {},
    onIncident: (one) => published.push(one),
  });
  pipeline.resolveStale(T0 + 2 * HOUR);
  const newest = new Map(published.map((one) => [one.id, one]));
  assert.deepEqual(
    ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map((id) => lostOf(newest.get(id) ?? assert.fail(id), T0 + 9 * HOUR)?.gpuHours),
    [16, 0],
  );
  assert.deepEqual(newest.get('bbbbbbbbbbbb')?.impact[0]?.loss?.elsewhere, [
    { incidentId: 'aaaaaaaaaaaa', gpus: 8, fromMs: T0, toMs: T0 + 2 * HOUR },
  ]);
});
