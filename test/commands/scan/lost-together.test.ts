// GPUs of one host that fell off the bus at once: what they share is asked for before a reboot; of one alone nothing is shared.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const lost = (bus: string, at: string): string =>
  `2026-11-30T07:00:${at}+00:00 gx-93 kernel: NVRM: Xid (PCI:0000:${bus}:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.`;

const scanned = (t: TestContext, lines: readonly string[]): Promise<string> => scannedLogs(t, { 'kern.log': lines });

test('four GPUs within 30 ms are one incident of what they share', async (t) => {
  const text = await scanned(t, [
    lost('18', '00.000000'),
    lost('2a', '00.010000'),
    lost('3a', '00.020000'),
    lost('5d', '00.030000'),
  ]);
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /Root cause .*gpu 0000:18:00\.0, and 3 more GPUs at once: what they share is not seen/);
  assert.match(text, /Do +find what the 4 GPUs of gx-93 that were lost at once share/);
  assert.match(text, /Now .*lspci -tv.*ipmitool sel elist.*once nothing runs on gx-93, reboot it/s);
  assert.match(text, /Call +who may touch the hardware of gx-93/);
});

test('one alone is rebooted as before', async (t) => {
  const text = await scanned(t, [lost('18', '00.000000')]);
  assert.match(text, /Do +reboot gx-93/);
  assert.doesNotMatch(text, /at once/);
});
