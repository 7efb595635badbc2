// The incident document: the names of the contract, reads back as written, and garbage is null.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventFromDocument, eventToDocument } from '../../../src/model/documents/event.ts';
import {
  incidentFromDocument,
  incidentToDocument,
  wholeIncidentToDocument,
} from '../../../src/model/documents/incident.ts';
import { incident, SAG } from '../../incidents/sample.ts';
import { anyIncident, throughJson } from './arbitrary.ts';

test('an incident reads back from its document as it was', () => {
  fc.assert(
    fc.property(anyIncident, (original) => {
      const read = incidentFromDocument(throughJson(wholeIncidentToDocument(original)));
      assert.deepEqual(read, original);
    }),
  );
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

test('events are documents of their own and are found by id', () => {
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

test('confidence parts of a release without codes, or with further ones, read back with their text and no code', () => {
  const document = wholeIncidentToDocument(incident('7f3c41d2a0b1'));
  const [first, second] = document.confidence_parts;
  assert.ok(first !== undefined && second !== undefined);
  const { code: _none, ...before } = first;
  const after = { ...second, code: 'of_a_later_release' };
  const read = incidentFromDocument({ ...document, confidence_parts: [before, after] });
  assert.deepEqual(read?.confidenceParts, [
    { ...first, code: null },
    { ...second, code: null },
  ]);
});
