// Two incidents on one job: each lost hour counts once over both, whichever is reported first, and the younger says whose it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IncidentBook } from '../../src/incidents/lifecycle.ts';
import type { Explanation } from '../../src/model/explanation.ts';
import { lostOf } from '../../src/model/gpu-hours.ts';
import { incidentId } from '../../src/model/identity.ts';
import type { Impact, Incident, Loss } from '../../src/model/incident.ts';
import { event, explanation, PHASE, T0 } from './sample.ts';

const HOUR = 3_600_000;
const JOB = { type: 'job', id: 'llama' } as const;

function hit(loss: Partial<Loss>, component: Impact['component'] = JOB): Impact {
  const whole = { gpus: 8, share: 1, fromMs: T0, toMs: null, rate: null, ...loss };
  return { component, quantity: 'step_time', before: 1, after: 2, unit: 's', text: 'slow', loss: whole };
}

function believed(
  name: string,
  openedMs: number,
  impact: readonly Impact[],
  more: Partial<Explanation> = {},
): Explanation {
  const first = event(name, 'power.voltage_sag', PHASE, { timeMs: openedMs });
  const root = { eventId: name, kind: first.kind, component: PHASE };
  return explanation({
    firstEventId: name,
    firstEventMs: openedMs,
    asOfMs: openedMs + HOUR,
    root,
    impact,
    events: [first],
    ...more,
  });
}

const idOf = (name: string): string => incidentId('node-3', name);

/** The newest revisions after these explanations, as a line tells them. */
function played(explanations: readonly Explanation[]): Map<string, Incident> {
  const book = new IncidentBook('node-3', []);
  const newest = new Map<string, Incident>();
  for (const each of explanations) {
    const incident = book.apply(each);
    if (incident === null) continue;
    for (const reported of [incident, ...book.recount(incident)]) {
      assert.ok(reported.revision > (newest.get(reported.id)?.revision ?? 0));
      newest.set(reported.id, reported);
    }
  }
  return newest;
}

const hours = (incident: Incident | undefined, atMs = T0 + 2 * HOUR): number =>
  incident === undefined ? Number.NaN : (lostOf(incident, atMs)?.gpuHours ?? 0);

test('the incident that opened first counts, whichever is reported first; the other says under which', () => {
  const older = believed('older', T0, [hit({})]);
  const younger = believed('younger', T0 + 60_000, [hit({ fromMs: T0 + HOUR })]);
  for (const order of [
    [older, younger],
    [younger, older],
  ]) {
    const reported = played(order);
    assert.equal(hours(reported.get(idOf('older'))), 16);
    assert.equal(hours(reported.get(idOf('younger'))), 0);
    assert.deepEqual(reported.get(idOf('younger'))?.impact[0]?.loss?.elsewhere, [
      { incidentId: idOf('older'), gpus: 8, fromMs: T0, toMs: null },
    ]);
    assert.equal(reported.get(idOf('older'))?.impact[0]?.loss?.elsewhere, undefined);
  }
});

test('when the older one ends, the younger one counts from there', () => {
  const reported = played([
    believed('older', T0, [hit({ share: 0.5 })]),
    believed('younger', T0 + 60_000, [hit({})]),
    believed('older', T0, [hit({ share: 0.5, toMs: T0 + HOUR })], { ended: true }),
  ]);
  assert.equal(hours(reported.get(idOf('older'))), 4);
  assert.equal(hours(reported.get(idOf('younger'))), 4 + 8);
});

test('when the older one is found to be about something else, or a part of another, the younger one counts all', () => {
  const opened = [believed('older', T0, [hit({})]), believed('younger', T0 + 60_000, [hit({})])];
  for (const changed of [
    believed('older', T0, [], { title: 'another' }),
    believed('older', T0, [hit({})], { mergedInto: 'third' }),
  ]) {
    assert.equal(hours(played([...opened, changed]).get(idOf('younger'))), 16);
  }
});

test('ranks and their job are one, another job and another device are not', () => {
  const reported = played([
    believed('older', T0, [
      hit({}, { type: 'rank', id: 'llama/3' }),
      hit({ gpus: 1 }, { type: 'gpu', id: '0000:9b:00.0' }),
    ]),
    believed('younger', T0 + 60_000, [hit({})]),
    believed('stranger', T0 + 70_000, [hit({}, { type: 'job', id: 'qwen' })]),
    believed('again', T0 + 80_000, [hit({ gpus: 1 }, { type: 'gpu', id: '0000:9b:00.0' })]),
  ]);
  assert.deepEqual(
    ['older', 'younger', 'stranger', 'again'].map((name) => hours(reported.get(idOf(name)))),
    [16, 0, 16, 0],
  );
});

test('nothing is reported again when nothing of it changed', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(believed('older', T0, [hit({})]));
  book.apply(believed('younger', T0 + 60_000, [hit({})]));
  const revised = book.apply(believed('older', T0, [hit({})], { title: 'more is known', asOfMs: T0 + 2 * HOUR }));
  assert.ok(revised);
  assert.deepEqual(book.recount(revised), []);
});

test('whatever overlaps, all incidents of one job together count no moment twice and none less than the worst', () => {
  const loss = fc.record({
    from: fc.nat({ max: 20 }),
    last: fc.integer({ min: 1, max: 20 }),
    share: fc.constantFrom(0.25, 0.5, 1),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 5 }), loss), { minLength: 1, maxLength: 6 }), (list) => {
      const explanations = list.map(([opened, { from, last, share }], index) =>
        believed(`i${index}`, T0 + opened, [hit({ share, fromMs: T0 + from * HOUR, toMs: T0 + (from + last) * HOUR })]),
      );
      const reported = [...played(explanations).values()];
      const sum = reported.reduce((total, incident) => total + hours(incident, T0 + 50 * HOUR), 0);
      let worst = 0;
      for (let hour = 0; hour < 40; hour += 1) {
        worst += Math.max(
          0,
          ...list.map(([, { from, last, share }]) => (from <= hour && hour < from + last ? 8 * share : 0)),
        );
      }
      assert.ok(Math.abs(sum - worst) < 1e-6, `${sum} of ${worst}`);
    }),
  );
});
