// Words of faults: each row has a kind that there is, and no form that a hostile line could make slow.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/words-of-faults.json' with { type: 'json' };
import { isKind } from '../../src/model/kind.ts';

const LINE = 1024;
/** Each form is asked of 64 lines at most; a line of this many letters takes a tenth of a millisecond. */
const MOST_MS = 40;
const PUMPS = [
  'disk ',
  'gpu failed ',
  'connection ',
  'cannot open the ',
  'memory limit ',
  'a',
  'server not ',
  'link port ',
];

test('each row names a kind, once', () => {
  const kinds = catalog.rows.map(({ kind }) => kind);
  for (const kind of kinds) assert.ok(isKind(kind), kind);
  assert.equal(new Set(kinds).size, kinds.length);
});

test('no form repeats without end, nor takes long on a line that repeats its words', () => {
  const { speaks, loud, quiet, mild, none, again, over } = catalog;
  const forms = [speaks, loud, quiet, mild, none, again, over, ...catalog.rows.flatMap(({ has }) => has)];
  for (const form of forms) {
    assert.doesNotMatch(form, /(?<!\\)[*+]/, form);
    for (const pump of PUMPS) {
      const line = pump.repeat(LINE).slice(0, LINE);
      const words = new RegExp(form, 'i');
      const began = process.threadCpuUsage();
      words.test(line);
      const { user, system } = process.threadCpuUsage(began);
      assert.ok((user + system) / 1000 < MOST_MS, `${form} on ${pump}`);
    }
  }
});
