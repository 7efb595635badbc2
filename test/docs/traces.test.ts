// The guide to traces lists the names of our own work, all of them and no others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WORK_NAMES } from '../../src/model/work.ts';
import { read } from './markdown.ts';

test('the guide explains every name of a span of our own work', () => {
  const table = read('docs/guide/traces.md').matchAll(/^\| `([^`/]+\/[^`]+)` \|/gm);
  assert.deepEqual(
    [...table].map(([, name]) => name),
    WORK_NAMES,
  );
  for (const name of WORK_NAMES) assert.match(name, /^[A-Z][A-Za-z]+\/[A-Z][A-Za-z]+$/);
});
