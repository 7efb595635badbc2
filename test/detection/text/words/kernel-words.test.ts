// Kernel words: no line that a decoder takes, or that changes what it remembers, is without one.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import catalog from '#catalog/kernel-words.json' with { type: 'json' };
import { decodeKernelLine, kernelContext } from '../../../../src/detection/text/kernel.ts';
import { ECHO_WORDS, KERNEL_WORDS } from '../../../../src/detection/text/words/kernel-words.ts';
import { joined, scannerOf } from '../../../../src/detection/text/words/word-set.ts';
import { runs } from '../../../runs.ts';
import { kernelRecord } from '../lines.ts';
import { drawer, foundOf, linesOfTests, mutated } from './known-lines.ts';

const SCANNER = scannerOf(KERNEL_WORDS, false);
const LINES = linesOfTests('kernel-');

/** It reports something, or is remembered. */
function counts(text: string, user: boolean): boolean {
  const context = kernelContext('node-1');
  const before = JSON.stringify([...Object.values(context)].map(sized));
  const record = kernelRecord(text);
  const events = decodeKernelLine(
    user ? { ...record, trust: 'tenant', attributes: { priority: 4, facility: 3 } } : record,
    context,
  );
  return events.length > 0 || JSON.stringify([...Object.values(context)].map(sized)) !== before;
}

function sized(value: unknown): unknown {
  return value instanceof Map || value instanceof Set ? value.size : value;
}

function held(lines: readonly string[]): number {
  const found = foundOf(SCANNER, lines);
  let taken = 0;
  for (const [i, line] of lines.entries()) {
    if (!counts(line, false) && !counts(line, true)) continue;
    taken += 1;
    assert.ok(found.has(i), `"${line}" is taken and has none of the words`);
  }
  return taken;
}

test('every line of the tests that a decoder takes has a word', () => {
  assert.ok(held(LINES) > 150);
});

test('every line that differs little from one of them and is taken has a word', () => {
  const draw = drawer(20_261_129);
  const taken = LINES.filter((line) => counts(line, false) || counts(line, true));
  const lines = Array.from({ length: runs(4000, 200_000) }, () => mutated(taken, draw));
  assert.ok(held(lines) > runs(400, 20_000));
});

test('each decoder of kernel lines has its words', () => {
  const folder = join(import.meta.dirname, '../../../../src/detection/text/kernel');
  const readers = readdirSync(folder).flatMap((name) => /^(\w[\w-]*-line)\.ts$/.exec(name)?.[1] ?? []);
  const of = catalog.rows.map((row) => row.of);
  // The one takes apart what is before a line, the next is a form, one makes events of what others found, the next three have words in their catalogues, and the last one those of the file servers' lines.
  const none = [
    'saved-line',
    'driver-line',
    'line-event',
    'device-line',
    'subsystem-line',
    'unlisted-line',
    'gpfs-line',
  ];
  assert.deepEqual(
    readers.filter((name) => !of.includes(name) && !none.includes(name)),
    [],
  );
});

test('what sources look for in answers to their own reads has a word', () => {
  const scanner = scannerOf(joined(ECHO_WORDS, { words: [], anyCase: [] }), false);
  const lines = [
    'ACPI Error: No handler for Region [POWR]',
    'acpi Exception: AE_NOT_EXIST',
    'power_meter ACPI000D:00: read error',
    'ice 0000:31:00.0: query Failed',
    'bnxt_en 0000:31:00.0 ens1: Timeout of module',
    'bnxt_en 0000:31:00.0 ens1: link is fine',
  ];
  assert.deepEqual([...foundOf(scanner, lines)], [0, 1, 2, 3, 4]);
});
