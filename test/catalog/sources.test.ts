// Where a row of the catalogue comes from, a reader can look up: in public, or in the scenario that it names.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { installationRoot } from '../../src/native.ts';

const root = installationRoot();
const catalog = join(root, 'catalog');
const corpus = join(catalog, 'scenarios/corpus');

/** Notes that were never published. */
const UNPUBLISHED = /\b(?:vocabulary|facts|golden|design notes?|notes of)\b/i;
const HELD = /held by scenario (\S+)/g;

const rows = readdirSync(catalog, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.json') && !entry.parentPath.includes('scenarios'))
  .flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const found: { file: string; source: string }[] = [];
    JSON.parse(readFileSync(path, 'utf8'), (key, value) => {
      const texts = key === 'source' ? [value] : key === 'sources' && Array.isArray(value) ? value : [];
      for (const text of texts) if (typeof text === 'string') found.push({ file: relative(root, path), source: text });
      return value;
    });
    return found;
  });

const scenarios = new Set(
  readdirSync(corpus).flatMap((file) =>
    [...readFileSync(join(corpus, file), 'utf8').matchAll(/^ {2}- (?:\{ )?name: ([^\s,}]+)/gm)].map(([, name]) => name),
  ),
);

test('no source is a note that only its writer has', () => {
  assert.ok(rows.length > 1000, `${rows.length} rows with a source`);
  assert.deepEqual(rows.filter(({ source }) => source.trim() === '' || UNPUBLISHED.test(source)), []); // biome-ignore format: one call
});

test('each file of what programs write into a job’s log has a version, and each row says who prints it', () => {
  for (const name of readdirSync(join(catalog, 'job'))) {
    const file: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(join(catalog, 'job', name), 'utf8'));
    assert.match(String(file.version), /^\d{4}\.\d{1,2}\.\d{1,3}$/, name);
    const rows = Object.values(file).flatMap((value) => (Array.isArray(value) ? value : []));
    const unsaid = rows.filter(
      (row) => row instanceof Object && !(typeof row.from === 'string' && row.from.length > 2),
    );
    assert.deepEqual(unsaid, [], name);
  }
});

test('a judgement names a scenario that is there', () => {
  const named = rows.flatMap(({ file, source }) => [...source.matchAll(HELD)].map(([, name]) => ({ file, name })));
  assert.ok(named.length > 10, `${named.length} rows that a scenario holds`);
  assert.deepEqual(named.filter(({ name }) => !scenarios.has(name)), []); // biome-ignore format: one call
});
