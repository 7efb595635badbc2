// What a scan says of a disk that its md array has thrown out: the array is named, and the disk is swapped in it.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { 'fs-2.log': lines }, '--host', 'fs-2');

const MEDIUM =
  'Nov 29 06:20:31 fs-2 kernel: critical medium error, dev sdk, sector 88120 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2';
const OUT = 'Nov 29 06:20:33 fs-2 kernel: md/raid:md7: Disk failure on sdk, disabling device.';

for (const [name, lines] of [
  ['the kernel', [MEDIUM, OUT, 'Nov 29 06:20:33 fs-2 kernel: md/raid:md7: Operation continuing on 11 devices.']],
  [
    '/proc/mdstat',
    [
      'Personalities : [raid6]',
      'md7 : active raid6 sdm[2] sdl[1] sdk[0](F)',
      '      976630336 blocks super 1.2 level 6 [3/2] [_UU]',
    ],
  ],
] as const)
  test(`by ${name}: the disk is swapped in its array, from which nothing is copied`, async (t) => {
    const text = await scanned(t, lines);
    assert.match(text, /Do +swap fs-2 disk sdk, which the array md7 has thrown out/);
    assert.match(text, /Now +on fs-2, sudo mdadm --detail \/dev\/md7: .*none of its other disks is pulled/);
    assert.match(text, /sudo mdadm \/dev\/md7 --remove \/dev\/sdk/);
    assert.doesNotMatch(text, /copy off/);
  });

test('of a disk in no array, or the last one of its array, the old advice stays', async (t) => {
  const last = OUT.replace('disabling device', 'this is the last device');
  for (const lines of [[MEDIUM], [MEDIUM, last]]) assert.doesNotMatch(await scanned(t, lines), /mdadm|thrown out/);
});

test('of an array that has lost more than it can, no disk is touched', async (t) => {
  const end = 'Nov 29 06:20:33 fs-2 kernel: md/raid:md7: Cannot continue operation (3/12 failed).';
  const text = await scanned(t, [MEDIUM, OUT, end]);
  assert.match(text, /Do +touch no disk of the array md7 of fs-2, which has FAILED/);
  assert.match(text, /Now +stop jobs that use it; on fs-2, save sudo mdadm --detail \/dev\/md7/);
  assert.match(text, /Call +who runs the storage of fs-2/);
  assert.doesNotMatch(text, /swap fs-2|--remove|--add NEW/);
});
