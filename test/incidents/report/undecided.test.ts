// Undecided: what may be behind a symptom is said once at the head, what it did once after it, in every form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderIncidentLine } from '../../../src/incidents/report/line.ts';
import { headlineOf } from '../../../src/incidents/report/summary.ts';
import { renderIncidentText } from '../../../src/incidents/report/text.ts';
import { factsOf } from '../../../src/sinks/message/facts.ts';
import { event, incident, link, T0 } from '../sample.ts';
import { input } from './html/cases.ts';

const SERVICE = { type: 'service', id: 'chat', host: 'node-3' } as const;
const slow = event('e-slow', 'service.degraded', SERVICE, {
  trust: 'tenant',
  source: 'otlp-in',
  attributes: { quantity: 'p50_latency', before: 89.17, after: 351.9, unit: 'ms' },
});
const EITHER = 'tasks wait for a CPU on node-3, or what was not seen here';
const WHAT = 'chat p50 latency 89.17 → 351.9 ms';
const CHANGE = 'service degraded against its baseline on chat: 89.2 → 351.9 ms';
const undecided = incident('56e62f000000', {
  rootKnown: false,
  root: { eventId: slow.id, kind: slow.kind, component: SERVICE },
  title: `Undecided (${EITHER}), unconfirmed: ${WHAT}`,
  unconfirmed: 'the clients of the service',
  chain: [link(slow)],
  events: [slow],
  impact: [{ component: SERVICE, quantity: 'p50_latency', before: 89.17, after: 351.9, unit: 'ms', text: WHAT }],
});

const forms: readonly (readonly [string, string, string])[] = [
  ['list', renderIncidentLine(undecided), `undecided (${EITHER}), unconfirmed: ${CHANGE}`],
  ['headline of a page', headlineOf(input(undecided)), `Undecided (${EITHER}). ${WHAT}`],
  ['message', factsOf(undecided, null).title, `Undecided (${EITHER}): ${CHANGE}`],
  ['report', renderIncidentText(undecided, { width: 500, colour: false, nowMs: T0, timeZone: 'UTC' }), `Undecided (${EITHER}). ${WHAT}.`], // biome-ignore format: one table
];
for (const [form, text, wanted] of forms)
  test(`${form}: each thing once`, () => {
    assert.ok(text.includes(wanted), text);
    for (const once of ['ndecided', wanted]) assert.equal(text.split(once).length, 2, text);
    assert.ok(text.split(WHAT).length <= 2, text);
  });
