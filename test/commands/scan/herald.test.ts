// What a scan says of a memory module that warned before it took its host down: the module, and the warning before the fault.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { 'hx-3-sel.txt': lines }, '--host', 'hx-3');

const STORM = '11/29/2026 | 08:10:02 | Memory #0x53 | Correctable ECC logging limit reached | Asserted';
const LOST = '11/29/2026 | 08:31:40 | Memory #0x53 | Uncorrectable ECC | Asserted';
const CHECK = '11/29/2026 | 08:31:46 | Processor #0x07 | IERR | Asserted';

test('the module is the root of the machine check after it, and its warning comes first', async (t) => {
  const text = await scanned(t, [` a | ${STORM}`, ` b | ${LOST}`, ` c | ${CHECK}`]);
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /Root cause +uncorrected memory error on hx-3 dimm #0x53\n/);
  assert.match(text, /Do +replace hx-3 dimm #0x53 /);
  assert.match(text, /08:10:02 +hx-3 dimm #0x53 .*08:31:40 +hx-3 dimm #0x53 .*08:31:46 +hx-3 +machine check/s);
  assert.doesNotMatch(text, /clocks/);
});

test('a module is the one that the board names where an entry does', async (t) => {
  const named = LOST.replace('Uncorrectable ECC', 'Uncorrectable ECC (UnCorrectable ECC |  P2-DIMMB1)');
  const text = await scanned(t, [` 1 | ${named}`]);
  assert.match(text, /Root cause +uncorrected memory error on hx-3 dimm P2-DIMMB1\n/);
});

test('a machine check without a word of a module stays one of its host', async (t) => {
  const text = await scanned(t, [` 1 | ${CHECK}`]);
  assert.match(text, /Root cause +machine check on hx-3\n/);
});

test('a machine check that cost a process its page is about a module, and that process is its effect', async (t) => {
  const text = await scanned(t, [
    'Nov 29 22:04:15 hx-3 kernel: mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 9: bd80000000100134',
    'Nov 29 22:04:15 hx-3 kernel: Memory failure: 0x41c07: Sending SIGBUS to torchrun:50122 due to hardware memory corruption',
  ]);
  assert.match(text, /Effect +process torchrun \(50122\) ended/);
  assert.match(text, /Do +find the memory module of hx-3 that failed, and replace it/);
  assert.match(text, /which DIMM it is: on hx-3, sudo ras-mc-ctl --errors/);
});
