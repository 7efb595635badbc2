// The definition in the catalogue, held to a reader that shares nothing with it, and to everything that an incident can be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import catalogue from '#catalog/nvsentinel.json' with { type: 'json' };
import { ACTIONS } from '../../../src/model/action.ts';
import { COMPONENT_TYPES } from '../../../src/model/component.ts';
import { encodeHealthEvents } from '../../../src/sinks/nvsentinel/encode.ts';
import type { HealthEvent } from '../../../src/sinks/nvsentinel/health-event.ts';
import { readRequest } from './connector.ts';

test('every action has a word of NVSentinel, every component type a class', () => {
  const words: readonly string[] = Object.keys(catalogue.enums.RecommendedAction);
  assert.deepEqual(Object.keys(catalogue.actions).sort(), [...ACTIONS].sort());
  for (const word of Object.values(catalogue.actions)) assert.ok(words.includes(word), word);
  assert.deepEqual(Object.keys(catalogue.classes).sort(), [...COMPONENT_TYPES].sort());
});

test('each field of the definition: a number of its own, and a type that there is', () => {
  const types = [
    'uint32',
    'uint64',
    'bool',
    'string',
    ...Object.keys(catalogue.messages),
    ...Object.keys(catalogue.enums),
  ];
  for (const [name, fields] of Object.entries(catalogue.messages)) {
    const all = Object.values(fields);
    assert.equal(new Set(all.map(([number]) => number)).size, all.length, name);
    for (const [, type, many] of all) {
      assert.ok(types.includes(String(type)), String(type));
      assert.ok(many === undefined || many === 'repeated' || many === 'map');
    }
  }
});

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const anyEvent: fc.Arbitrary<HealthEvent> = fc.record({
  version: fc.constant(1),
  agent: text,
  componentClass: text,
  checkName: text,
  isFatal: fc.boolean(),
  isHealthy: fc.boolean(),
  message: fc.string({ unit: 'binary', maxLength: 300 }),
  recommendedAction: fc.constantFrom(...Object.keys(catalogue.enums.RecommendedAction)),
  customRecommendedAction: text,
  errorCode: fc.array(text, { maxLength: 3 }),
  entitiesImpacted: fc.array(fc.record({ entityType: text, entityValue: text }), { maxLength: 3 }),
  metadata: fc.dictionary(
    text.filter((key) => key !== '__proto__'),
    text,
    { maxKeys: 4, noNullPrototype: true },
  ),
  generatedTimestamp: fc.record({ seconds: fc.nat({ max: 4_000_000_000 }), nanos: fc.nat({ max: 999_999_999 }) }),
  nodeName: text,
  processingStrategy: fc.constantFrom(...Object.keys(catalogue.enums.ProcessingStrategy)),
});

test('what is written is what is read, whatever is in it', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 3 }), (events) => {
      const { version, events: read } = readRequest(encodeHealthEvents(events));
      assert.equal(version, 1);
      const expected = events.map((one) => ({ ...one, message: one.message.toWellFormed() }));
      const known = read.map((one) =>
        Object.fromEntries(Object.keys(events[0] ?? {}).map((key) => [key, Reflect.get(one, key)])),
      );
      assert.deepEqual(JSON.parse(JSON.stringify(known)), JSON.parse(JSON.stringify(expected)));
    }),
    { seed: 5, numRuns: 100 },
  );
});
