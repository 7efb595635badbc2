// What a scan says of an NVMe disk that reports itself worn: to replace it, and not to ask for what it has just said.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const smart = (warning: string): string[] => [
  'Smart Log for NVME device:nvme5 namespace-id:ffffffff',
  `critical_warning\t\t\t: ${warning}`,
  'available_spare\t\t\t\t: 2%',
  'media_errors\t\t\t\t: 7',
];

test('a disk is replaced for what its critical warning says, and not for its temperature', async (t) => {
  const worn = await scannedLogs(t, { 'hx-97-smart.txt': smart('0x9') });
  assert.match(
    worn,
    /Do {10}replace .*disk nvme5, which by its own word takes no writes any more and has too few spare blocks/,
  );
  assert.match(worn, /Now {9}on hx-97, copy off what only it has; then have it swapped/);
  const hot = await scannedLogs(t, { 'hx-97-smart.txt': smart('0x2') });
  assert.doesNotMatch(hot, /by its own word/);
});
