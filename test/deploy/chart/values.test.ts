// The values of the chart against their schema, as Helm holds them, without Helm.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { CASES, CHART, values, valuesFile } from './support.ts';

const root = join(CHART, '../../..');
const check = new Ajv({ allErrors: true, strict: false }).compile(
  JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object,
);

function faults(given: unknown): string[] {
  check(given);
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('the chart has the version of the program', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string; appVersion: string };
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
});

test('its own values and those of every case fit', () => {
  assert.deepEqual(faults(values(join(CHART, 'values.yaml'))), []);
  for (const name of CASES) assert.deepEqual(faults(values(valuesFile(name))), [], name);
});

test('each value that it has is in the schema, and each of the schema has a value', () => {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as { properties: object };
  const written = values(join(CHART, 'values.yaml')) as object;
  const known = Object.keys(schema.properties).filter((name) => name !== 'global');
  assert.deepEqual(Object.keys(written).sort(), known.sort());
});

for (const [what, given, place] of [
  ['a key that is not known', { profil: 'lean' }, / must NOT have additional properties/],
  ['a profile that is not known', { profile: 'medium' }, /^\/profile /],
  ['a capability that nothing of Faultline needs', { capabilities: ['SYS_MODULE'] }, /^\/capabilities\/0 /],
  ['a digest that is cut', { image: { digest: 'sha256:12' } }, /^\/image\/digest /],
  ['a source that is not known', { config: { sources: { gpus: {} } } }, /^\/config\/sources must NOT have additional/],
  [
    'a duration that is none',
    { config: { sources: { gpu: { interval: '5 seconds' } } } },
    /^\/config\/sources\/gpu\/interval /,
  ],
  [
    'a secret that is written out',
    { config: { sources: { pdu: [{ name: 'a', host: 'b', community: 'hunter2' }] } } },
    /community must match pattern/,
  ],
  [
    'headers that are written out',
    { config: { otlp: { headers: 'authorization=Bearer x' } } },
    /^\/config\/otlp\/headers /,
  ],
  ['a secret of no source', { secrets: [{ name: 'bmc' }] }, /^\/secrets\/0 /],
  ['two instances on one node', { updateStrategy: { rollingUpdate: { maxSurge: 1 } } }, /maxSurge /],
  ['a relative folder', { state: { path: 'var/lib/faultline' } }, /^\/state\/path /],
] as const)
  test(`refused: ${what}`, () => {
    const found = faults(given);
    assert.ok(
      found.some((fault) => place.test(fault)),
      found.join('\n') || 'nothing is refused',
    );
  });

test('taken: variables, what may be public, and the words on and off as YAML of Helm reads them', () => {
  const pdu = [{ name: 'a', host: `\${PDU_HOST}`, community: 'public' }];
  assert.deepEqual(
    faults({ config: { host: `\${NODE_NAME}`, sources: { pdu, cpu: { enabled: true }, gpu: { poll: 'off' } } } }),
    [],
  );
});

test('the values that the guide shows fit, and its commands name the chart', () => {
  const guide = readFileSync(join(root, 'docs/guide/kubernetes.md'), 'utf8');
  const shown = /<!-- chart values -->\n```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  assert.deepEqual(faults(parse(shown)), []);
  assert.match(guide, /helm install faultline deploy\/helm\/faultline --namespace faultline/);
});
