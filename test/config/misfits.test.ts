// What does not fit the configuration schema is what a validator of JSON Schema finds, in its order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { fillDefaults } from '../../src/config/fill-defaults.ts';
import { type Misfit, misfits } from '../../src/config/misfits.ts';
import { parseDuration, parseSize } from '../../src/config/quantity.ts';
import type { SchemaNode } from '../../src/config/schema-parts.ts';
import { configSchema } from '../../src/daemon/config.ts';
import { runs } from '../runs.ts';

const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, strict: true });
ajv.addVocabulary(['x-path', 'form', 'origin', 'notLongerThan', 'secret', 'instead', 'harmless']);
for (const [keyword, parse] of [
  ['durationRange', parseDuration],
  ['sizeRange', parseSize],
] as const) {
  ajv.addKeyword({
    keyword,
    type: 'string',
    schemaType: 'object',
    validate(range: { min: string; max: string }, text: string): boolean {
      const value = parse(text);
      return value === null || (value >= Number(parse(range.min)) && value <= Number(parse(range.max)));
    },
  });
}
const check = ajv.compile(configSchema);

function expected(value: unknown): readonly unknown[] {
  check(value);
  return (check.errors ?? []).map(({ keyword, instancePath, data, params, parentSchema }) => ({
    keyword,
    at: instancePath,
    data,
    schema: parentSchema,
    key: params.additionalProperty ?? params.missingProperty,
    limit: /Length|Items/.test(keyword) ? params.limit : undefined,
  }));
}

const shownOf = ({ keyword, at, data, schema, key, limit }: Misfit) => ({ keyword, at, data, schema, key, limit });

/** A value of a node: mostly one that fits, some at the edge of what does, some of another kind. */
function someOf(schema: SchemaNode): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e12,
    Number.NaN,
    '',
    'on',
    '5s',
    '99999d',
    '1GiB',
    [],
    {},
    '😀'.repeat(70),
  );
  const choices: fc.Arbitrary<unknown>[] = [odd];
  if (schema.examples !== undefined) choices.push(fc.constantFrom(...schema.examples));
  if (schema.default !== undefined) choices.push(fc.constant(schema.default));
  if (schema.enum !== undefined) choices.push(fc.constantFrom(...schema.enum));
  for (const edge of [schema.minimum, schema.maximum])
    if (edge !== undefined) choices.push(fc.constantFrom(edge, edge - 1, edge + 1));
  for (const range of [schema.durationRange, schema.sizeRange])
    if (range !== undefined) choices.push(fc.constantFrom(range.min, range.max));
  if (schema.maxLength !== undefined) {
    const { maxLength } = schema;
    choices.push(fc.constantFrom('a'.repeat(maxLength), 'a'.repeat(maxLength + 1)));
  }
  const { items, properties } = schema;
  if (items !== undefined) choices.push(fc.array(someOf(items), { maxLength: 3 }));
  if (properties !== undefined) {
    const some = fc.record(Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, someOf(inner)])), {
      requiredKeys: [],
    });
    const unknown = fc.constantFrom({}, {}, { unknown: 1 }, { toString: 1, 'a/b~c': [] });
    choices.push(fc.tuple(some, unknown).map(([known, more]) => ({ ...known, ...more })));
  }
  return fc.oneof({ withCrossShrink: true }, ...choices);
}

test('a configuration that fits has no misfits', () => {
  const whole = fillDefaults({}, configSchema);
  assert.equal(check(whole), true);
  assert.deepEqual(misfits(whole, configSchema), []);
});

test('any section, in order or not, has the misfits that a validator finds', () => {
  let found = 0;
  const sections = fc.record(
    Object.fromEntries(Object.entries(configSchema.properties ?? {}).map(([key, inner]) => [key, someOf(inner)])),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(sections, (value) => {
      const wanted = expected(value);
      found += wanted.length;
      assert.deepEqual(misfits(value, configSchema).map(shownOf), wanted);
    }),
    { numRuns: runs(300, 20_000) },
  );
  assert.ok(found > 1000, `${found} misfits seen`);
});

test('a value other than a section has the same misfit too', () => {
  for (const value of [null, 1, 'text', [], true])
    assert.deepEqual(misfits(value, configSchema).map(shownOf), expected(value));
});
