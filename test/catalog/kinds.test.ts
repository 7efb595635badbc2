// The families of kinds: every file fits its schema, names nothing that is not there, and has all that a kind needs.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import schema from '#catalog/kinds.schema.json' with { type: 'json' };
import { RELATIONS } from '../../src/correlation/graph/cause-graph.ts';
import { confirmationOf } from '../../src/correlation/graph/confirmation.ts';
import { expandKinds } from '../../src/correlation/graph/kind-words.ts';
import { ACTIONS } from '../../src/model/action.ts';
import { FAMILIES, type KindFamily } from '../../src/model/family.ts';
import { isKind } from '../../src/model/kind.ts';
import { SEVERITIES } from '../../src/model/severity.ts';
import { installationRoot } from '../../src/native.ts';
import { type CheckedFile, checkedFile, checkedText, type Path, schemaOf } from './checked-file.ts';

const root = installationRoot();
const validate = schemaOf('catalog/kinds.schema.json');
const names = readdirSync(join(root, 'catalog/kinds')).map((file) => file.replace(/\.json$/, ''));
const checked = names.map((name) => ({ name, file: checkedFile(`catalog/kinds/${name}.json`, validate) }));

function fits(file: CheckedFile): KindFamily {
  assert.deepEqual(file.problems, []);
  return file.value as KindFamily; // the schema is what defines the type
}

test('every family fits the schema', () => {
  assert.deepEqual(checked.flatMap(({ file }) => file.problems), []); // biome-ignore format: one call
});

test('all that a family names is there, and is its own where it must be', () => {
  const problems: string[] = [];
  for (const { name, file } of checked) {
    const { kinds, causes, confirmed_by } = fits(file);
    const own = (kind: string): boolean => kind.startsWith(`${name}.`);
    const expand = (path: Path, words: readonly string[]): readonly string[] => {
      try {
        return expandKinds(words);
      } catch (error) {
        problems.push(`${file.at(path)}: ${error instanceof Error ? error.message : error}`);
        return [];
      }
    };
    for (const [kind, entry] of Object.entries(kinds)) {
      const path = ['kinds', kind];
      if (!own(kind)) problems.push(`${file.at(path)}: ${kind} does not begin with the name of its file`);
      for (const key of ['lasts_until', 'ended_by'] as const) expand([...path, key], entry[key] ?? []);
      expand([...path, 'begins_with'], entry.begins_with?.kinds ?? []);
      expand([...path, 'survives_plan'], entry.survives_plan?.kinds ?? []);
      expand([...path, 'likely_roots'], (entry.likely_roots ?? []).map((row) => row.kind)); // biome-ignore format: one call
      if (isKind(kind) && confirmationOf(kind) === '')
        problems.push(`${file.at(['confirmed_by'])}: no row has ${kind}: what would confirm it?`);
    }
    causes.forEach((row, i) => {
      const all = [...expand(['causes', i, 'cause'], row.cause), ...expand(['causes', i, 'effect'], row.effect)];
      if (!all.some(own)) problems.push(`${file.at(['causes', i])}: the row names no kind of ${name}`);
      const [least = 0, longest = 0] = row.lag_ms;
      if (longest < least) problems.push(`${file.at(['causes', i, 'lag_ms'])}: the longest lag is below the least`);
    });
    confirmed_by.forEach((row, i) => {
      const others = expand(['confirmed_by', i], row.kinds).filter((kind) => !own(kind));
      for (const kind of others) problems.push(`${file.at(['confirmed_by', i])}: ${kind} is of another family`);
    });
  }
  assert.deepEqual(problems, []);
});

test('the folder is what is loaded, in an order of its own places', () => {
  const script = join(root, 'scripts/lib/kind-families.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.equal(FAMILIES.length, names.length);
  assert.equal(new Set(FAMILIES.map(({ place }) => place)).size, names.length);
});

test('the lists of the schema are those of the code', () => {
  const { kind, row } = schema.$defs;
  assert.deepEqual(kind.properties.action.enum, ACTIONS);
  assert.deepEqual(kind.properties.severity.enum, SEVERITIES);
  assert.deepEqual(row.properties.relation.enum, RELATIONS);
});

test('what is wrong in a file is reported with its line', () => {
  const text = readFileSync(join(root, 'catalog/kinds/net.json'), 'utf8');
  const lineWith = (word: string): number => text.split('\n').findIndex((line) => line.includes(word)) + 1;
  const wrong = text.replace('"severity": "error"', '"severity": "bad"').replace('"base_rate"', '"rate"');
  const { problems } = checkedText('net.json', wrong, validate);
  assert.equal(problems.length, 2);
  const bad = problems.find((line) => line.includes('/severity ')) ?? '';
  assert.match(bad, /^net\.json:\d+: kinds\/net\.rdma_retry_exceeded\/severity must be equal to one of/);
  assert.ok(bad.startsWith(`net.json:${lineWith('"severity": "error"')}:`), bad);
  const extra = problems.find((line) => line.includes('"rate"')) ?? '';
  assert.ok(
    extra.startsWith(`net.json:${lineWith('"base_rate"')}: kinds/net.rdma_retry_exceeded has no "rate"`),
    extra,
  );
});
