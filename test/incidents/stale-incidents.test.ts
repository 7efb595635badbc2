// Incidents of an earlier run: what is a sign of life, who is given up, and what brings one back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IncidentBook } from '../../src/incidents/lifecycle.ts';
import { StaleIncidents } from '../../src/incidents/stale-incidents.ts';
import type { Incident } from '../../src/model/incident.ts';
import { BRAKES, explanation, SAG } from './sample.ts';

function restored(): Incident {
  const incident = new IncidentBook('node-3', []).apply(explanation());
  assert.ok(incident);
  return incident;
}

test('the same condition after the last word of the earlier run is a sign of life', () => {
  const incident = restored();
  const stale = new StaleIncidents([incident]);
  stale.saw({ ...SAG, id: 'another', timeMs: incident.updatedMs + 1 });
  assert.deepEqual(stale.giveUp(incident.updatedMs + 600_000), []);
});

test('an old record, an end and another place are no signs of life', () => {
  const incident = restored();
  const stale = new StaleIncidents([incident]);
  const timeMs = incident.updatedMs + 1;
  stale.saw({ ...SAG, id: 'another', timeMs: incident.updatedMs });
  stale.saw({ ...SAG, id: 'another', timeMs, state: 'clear' });
  stale.saw({ ...SAG, id: 'another', timeMs, component: { type: 'pdu_phase', id: 'elsewhere/9' } });
  assert.deepEqual(stale.giveUp(timeMs), [incident.id]);
});

test('who is given up is given up once, and supported again by what was observed later only', () => {
  const incident = restored();
  const stale = new StaleIncidents([incident]);
  const atMs = incident.updatedMs + 600_000;
  assert.ok(stale.supports(incident.id, [SAG]));
  assert.deepEqual(stale.giveUp(atMs), [incident.id]);
  assert.deepEqual(stale.giveUp(atMs + 1), []);
  assert.equal(stale.supports(incident.id, [SAG, ...BRAKES]), false);
  assert.ok(stale.supports(incident.id, [SAG, { ...SAG, id: 'news', observedMs: atMs + 1 }]));
  stale.alive(incident.id);
  assert.ok(stale.supports(incident.id, [SAG]));
});

test('one sign of life holds for every incident that the condition is part of', () => {
  const one = restored();
  const two = { ...one, id: 'another-incident' };
  const stale = new StaleIncidents([one, two]);
  stale.saw({ ...SAG, id: 'another', timeMs: one.updatedMs + 1 });
  assert.deepEqual(stale.giveUp(one.updatedMs + 600_000), []);
});
