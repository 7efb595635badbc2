// The catalogue of SXids: words of the closed lists, and what a line means by it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/sxid.json' with { type: 'json' };
import { decodeKernelLine, kernelContext, releaseHeld } from '../../../src/detection/text/kernel.ts';
import { sxidFacts } from '../../../src/detection/text/sxid.ts';
import { ACTIONS } from '../../../src/model/action.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { kernelRecord } from './lines.ts';

test('every row and class has words of the closed lists', () => {
  assert.match(catalog.version, /^\d{4}\.\d{2}\.\d+$/);
  for (const [name, row] of Object.entries(catalog.classes)) {
    const { severity, action, about } = { severity: undefined, ...row };
    assert.ok(
      ACTIONS.some((word) => word === action),
      name,
    );
    assert.ok(severity === undefined || SEVERITIES.some((word) => word === severity), name);
    assert.ok(about.length > 8, name);
  }
  const classes = new Set(Object.keys(catalog.classes));
  for (const [number, row] of Object.entries(catalog.sxids)) {
    assert.match(number, /^\d{5}$/);
    assert.ok(classes.has(row.class), number);
    assert.ok(row.name.length > 3, number);
  }
});

test('the word of the line decides how grave it is, the table what to do', () => {
  assert.equal(sxidFacts(11012, false).severity, 'info');
  assert.equal(sxidFacts(11012, true).severity, undefined);
  assert.equal(sxidFacts(20034, true).attributes.action, undefined, 'that of a fatal error');
  assert.equal(sxidFacts(12028, false).attributes.action, 'restart_app');
  assert.deepEqual(sxidFacts(99_999, false), { attributes: {} });
});

const AT = 'nvidia-nvswitch1: SXid (PCI:0000:84:00.0): 12028';
const WORDS = `${AT}, Non-fatal, Link 61 egress non-posted PRIV error (First)`;
const DATA = `${AT}, Data {0x000001c0, 0x00bd5c8a, 0x00000500}`;

function found(lines: readonly string[]): readonly (readonly [string, unknown])[] {
  const context = kernelContext('node-1');
  const events = lines.flatMap((line, i) => decodeKernelLine(kernelRecord(line, i, 1000 + i), context));
  return [...events, ...releaseHeld(context, 10_000)].map(({ kind, attributes }) => [kind, attributes?.link ?? null]);
}

test('registers without their words are an error of their own, with them they are not', () => {
  assert.deepEqual(found([DATA]), [['nvswitch.nonfatal', null]]);
  assert.deepEqual(found([WORDS, DATA]), [['nvswitch.nonfatal', 61]]);
  assert.deepEqual(found([DATA, WORDS]), [['nvswitch.nonfatal', 61]]);
});
