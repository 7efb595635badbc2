// Incidents of an earlier run: what is a sign of life, who is given up, and what brings one back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeftOpen } from '../../src/incidents/left-open.ts';
import { IncidentBook } from '../../src/incidents/lifecycle.ts';
import type { Incident } from '../../src/model/incident.ts';
import { BRAKES, explanation, SAG } from './sample.ts';

function restored(): Incident {
  const incident = new IncidentBook('node-3', []).apply(explanation());
  assert.ok(incident);
  return incident;
}

test('the same condition after the last word of the earlier run is a sign of life', () => {
  const incident = restored();
  const leftOpen = new LeftOpen([incident]);
  leftOpen.saw({ ...SAG, id: 'another', timeMs: incident.updatedMs + 1 });
  assert.deepEqual(leftOpen.giveUp(incident.updatedMs + 600_000), []);
});

test('an old record, an end and another place are no signs of life', () => {
  const incident = restored();
  const leftOpen = new LeftOpen([incident]);
  const timeMs = incident.updatedMs + 1;
  leftOpen.saw({ ...SAG, id: 'another', timeMs: incident.updatedMs });
  leftOpen.saw({ ...SAG, id: 'another', timeMs, state: 'clear' });
  leftOpen.saw({ ...SAG, id: 'another', timeMs, component: { type: 'pdu_phase', id: 'elsewhere/9' } });
  assert.deepEqual(leftOpen.giveUp(timeMs), [incident.id]);
});

test('who is given up is given up once, and supported again by what was observed later only', () => {
  const incident = restored();
  const leftOpen = new LeftOpen([incident]);
  const atMs = incident.updatedMs + 600_000;
  assert.ok(leftOpen.supports(incident.id, [SAG]));
  assert.deepEqual(leftOpen.giveUp(atMs), [incident.id]);
  assert.deepEqual(leftOpen.giveUp(atMs + 1), []);
  assert.equal(leftOpen.supports(incident.id, [SAG, ...BRAKES]), false);
  assert.ok(leftOpen.supports(incident.id, [SAG, { ...SAG, id: 'news', observedMs: atMs + 1 }]));
  leftOpen.alive(incident.id);
  assert.ok(leftOpen.supports(incident.id, [SAG]));
});

test('one sign of life holds for every incident that the condition is part of', () => {
  const one = restored();
  const two = { ...one, id: 'another-incident' };
  const leftOpen = new LeftOpen([one, two]);
  leftOpen.saw({ ...SAG, id: 'another', timeMs: one.updatedMs + 1 });
  assert.deepEqual(leftOpen.giveUp(one.updatedMs + 600_000), []);
});
