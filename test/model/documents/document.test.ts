import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ACTIONS } from '../../../src/model/action.ts';
import { COMPONENT_TYPES, type Component } from '../../../src/model/component.ts';
import {
  eventFromDocument,
  eventToDocument,
  incidentFromDocument,
  incidentToDocument,
  wholeIncidentToDocument,
} from '../../../src/model/documents/document.ts';
import type { Evidence, FaultEvent } from '../../../src/model/event.ts';
import type { ChainLink, Incident } from '../../../src/model/incident.ts';
import { KINDS } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { event, incident, SAG, T0 } from '../../incidents/sample.ts';

const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const name = fc.string({ minLength: 1, maxLength: 20, unit: 'binary' });
const text = fc.string({ maxLength: 40, unit: 'binary' });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const component: fc.Arbitrary<Component> = fc.record(
  {
    type: fc.constantFrom(...COMPONENT_TYPES),
    id: name,
    host: text,
    parent: text,
    aliases: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ['type', 'id'], noNullPrototype: true },
);
const evidence: fc.Arbitrary<Evidence> = fc.oneof(
  fc.record({ source: text, timeMs: time, text }, { noNullPrototype: true }),
  fc.record(
    { source: text, series: text, values: fc.array(fc.tuple(time, finite), { maxLength: 4 }) },
    { noNullPrototype: true },
  ),
);
const interval = fc.record({ earliestMs: time, latestMs: time }, { noNullPrototype: true });
const kind = fc.constantFrom(...KINDS);
const severity = fc.constantFrom(...SEVERITIES);
const root = { eventId: name, kind, component: fc.option(component) };

const anyEvent: fc.Arbitrary<FaultEvent> = fc.record(
  {
    id: name,
    kind,
    component: fc.option(component),
    severity,
    timeMs: time,
    timeDigits: fc.integer({ min: 3, max: 9 }),
    interval,
    observedMs: time,
    trust: fc.constantFrom('kernel', 'driver', 'bmc', 'facility', 'system', 'tenant'),
    state: fc.constantFrom('onset', 'clear', 'point'),
    count: fc.nat(),
    source: name,
    attributes: fc.dictionary(name, fc.oneof(text, finite, fc.boolean(), fc.constant(null)), { noNullPrototype: true }),
    evidence: fc.array(evidence, { maxLength: 3 }),
  },
  { noNullPrototype: true },
);

const link: fc.Arbitrary<ChainLink> = fc.record(
  {
    ...root,
    severity,
    timeMs: time,
    timeDigits: fc.integer({ min: 3, max: 9 }),
    interval,
    causedBy: fc.array(name, { maxLength: 2 }),
    lagMs: fc.option(finite),
    confidence: finite,
    orderUnknown: fc.boolean(),
  },
  { noNullPrototype: true },
);

const anyIncident: fc.Arbitrary<Incident> = fc.record(
  {
    id: name,
    host: text,
    state: fc.constantFrom('open', 'resolved'),
    revision: fc.nat(),
    openedMs: time,
    updatedMs: time,
    resolvedMs: fc.option(time),
    reopened: fc.nat({ max: 9 }),
    reopenedMs: fc.option(time),
    title: text,
    severity,
    confidence: finite,
    confidenceParts: fc.array(fc.record({ why: text, delta: finite }, { noNullPrototype: true }), { maxLength: 2 }),
    pattern: fc.option(text),
    rootKnown: fc.boolean(),
    unconfirmed: fc.option(fc.string()),
    root: fc.record(root, { noNullPrototype: true }),
    chain: fc.array(link, { maxLength: 3 }),
    impact: fc.array(
      fc.record(
        { component, quantity: text, before: fc.option(finite), after: fc.option(finite), unit: text, text },
        { noNullPrototype: true },
      ),
      { maxLength: 2 },
    ),
    action: fc.record(
      { kind: fc.constantFrom(...ACTIONS), target: fc.option(component), why: text },
      { noNullPrototype: true },
    ),
    alternatives: fc.array(
      fc.record(
        {
          root: fc.record({ kind, component: fc.option(component) }, { noNullPrototype: true }),
          confidence: finite,
          why: text,
        },
        { noNullPrototype: true },
      ),
      { maxLength: 2 },
    ),
    ruledOut: fc.array(fc.record({ what: text, why: text }, { noNullPrototype: true }), { maxLength: 2 }),
    evidence: fc.array(evidence, { maxLength: 2 }),
    events: fc.array(anyEvent, { maxLength: 2 }),
    mergedInto: fc.option(name),
    traceId: name,
    log: fc.constantFrom('written', 'unavailable'),
  },
  { noNullPrototype: true },
);

function throughJson(document: object): unknown {
  return JSON.parse(JSON.stringify(document));
}

test('an event reads back from its document as it was', () => {
  fc.assert(
    fc.property(anyEvent, (original) => {
      const read = eventFromDocument(throughJson(eventToDocument(original, 'node-3')));
      assert.deepEqual(read, original);
    }),
  );
});

test('an incident reads back from its document as it was', () => {
  fc.assert(
    fc.property(anyIncident, (original) => {
      const read = incidentFromDocument(throughJson(wholeIncidentToDocument(original)));
      assert.deepEqual(read, original);
    }),
  );
});

test('times finer than the document keeps settle after one writing', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 4e12, noNaN: true }), fc.integer({ min: 0, max: 9 }), (timeMs, timeDigits) => {
      const interval = { earliestMs: timeMs - 0.25, latestMs: timeMs + 1 / 3 };
      const once = eventToDocument(event('e', 'gpu.lost', null, { timeMs, timeDigits, interval }), 'h');
      const read = eventFromDocument(once);
      assert.ok(read !== null);
      assert.deepEqual(eventToDocument(read, 'h'), once);
    }),
  );
});

test('a time keeps the digits its source had', () => {
  const times = [0, 1, 3, 6].map(
    (timeDigits) => eventToDocument(event('e', 'gpu.lost', null, { timeDigits }), 'h').time,
  );
  assert.deepEqual(times, [
    '2026-11-27T14:32:00Z',
    '2026-11-27T14:32:00.0Z',
    '2026-11-27T14:32:00.000Z',
    '2026-11-27T14:32:00.000000Z',
  ]);
});

test('the document has the names of the contract', () => {
  const document = incidentToDocument(incident('7f3c41d2a0b1'));
  assert.equal(document.schema, 'faultline/incident/1');
  for (const field of 'id state revision opened_at updated_at resolved_at title severity confidence confidence_parts pattern root chain impact action alternatives evidence trace_id'.split(
    ' ',
  )) {
    assert.ok(field in document, field);
  }
  assert.deepEqual(Object.keys(document.chain[0] ?? {}).sort(), [
    'caused_by',
    'component',
    'confidence',
    'event_id',
    'kind',
    'lag_ms',
    'order_unknown',
    'severity',
    'time',
    'time_earliest',
    'time_latest',
  ]);
  const { time: at, time_earliest, observed_at, evidence: shown } = eventToDocument(SAG, 'node-3');
  assert.deepEqual(
    [at, time_earliest, observed_at],
    ['2026-11-27T14:32:00.000Z', '2026-11-27T14:31:58.000Z', '2026-11-27T14:32:00.001Z'],
  );
  assert.deepEqual(shown, [
    {
      source: 'pdu',
      series: 'pdu_phase/pdu-b-rack-14/1#voltage',
      values: [
        ['2026-11-27T14:31:58.000Z', 121.4],
        ['2026-11-27T14:32:00.000Z', 108.2],
      ],
    },
  ]);
});

test('fields that a later version added are passed over', () => {
  const document = { ...wholeIncidentToDocument(incident('7f3c41d2a0b1')), mood: 'fine', chain_of_custody: [1] };
  assert.deepEqual(incidentFromDocument(document), incident('7f3c41d2a0b1'));
});

test('events stand beside the incident and are found by id', () => {
  const whole = incident('7f3c41d2a0b1');
  const events = new Map(whole.events.map((each) => [each.id, each]));
  const read = incidentFromDocument(incidentToDocument(whole), (id) => events.get(id));
  assert.deepEqual(read, whole);
});

test('garbage is null, never an exception and never half an incident', () => {
  for (const garbage of [null, undefined, 1, 'x', [], {}, { schema: 'faultline/incident/1' }, { schema: 'other/1' }]) {
    assert.equal(incidentFromDocument(garbage), null);
    assert.equal(eventFromDocument(garbage), null);
  }
  const needed = Object.keys(incidentToDocument(incident('7f3c41d2a0b1'))).filter(
    (field) =>
      !['root_known', 'confirmed', 'would_confirm', 'merged_into', 'ruled_out', 'log', 'pattern'].includes(field),
  );
  for (const field of needed) {
    const damaged = { ...incidentToDocument(incident('7f3c41d2a0b1')), [field]: { not: 'this' } };
    assert.equal(incidentFromDocument(damaged), null, field);
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('root', 'chain', 'evidence', 'action', 'opened_at'), (value, field) => {
      incidentFromDocument({ ...incidentToDocument(incident('7f3c41d2a0b1')), [field]: value });
      eventFromDocument({ ...eventToDocument(SAG, 'h'), [field]: value });
    }),
  );
});

test('an attribute called __proto__ stays an attribute', () => {
  const document = throughJson(eventToDocument(SAG, 'h'));
  const poisoned = JSON.parse(JSON.stringify(document).replace('"limit"', '"__proto__"'));
  const read = eventFromDocument(poisoned);
  assert.ok(read !== null);
  assert.equal(Object.getPrototypeOf(read.attributes), Object.prototype);
  assert.ok(Object.hasOwn(read.attributes, '__proto__'));
});

test('times that RFC 3339 cannot write are held at its border', () => {
  for (const timeMs of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, -1]) {
    const document = eventToDocument(event('e', 'gpu.lost', null, { timeMs, observedMs: T0 }), 'h');
    assert.ok(eventFromDocument(document) !== null, document.time);
  }
});
