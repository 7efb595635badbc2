// What a scan says of a target of Lustre whose disk failed under it, on its server: no host for jobs is drained.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const lines = (system: string): readonly string[] => [
  'Nov 29 08:41:11 st02 kernel: blk_update_request: critical medium error, dev sdk, sector 991331008 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0',
  `Nov 29 08:41:12 st02 kernel: ${system}-fs error (device dm-3): ${system.toLowerCase()}_lookup:1812: inode #2: comm ll_ost00_001: bad block`,
  'Nov 29 08:41:12 st02 kernel: Aborting journal on device dm-3-8.',
  `Nov 29 08:41:12 st02 kernel: ${system}-fs (dm-3): Remounting filesystem read-only`,
];

test('a target that became read-only is unmounted and checked, by who runs the file system', async (t) => {
  const text = await scannedLogs(t, { 'messages.log': lines('LDISKFS') });
  assert.match(text, /Do +take the target of Lustre on dm-3 of st02 out of service/);
  assert.match(text, /on st02, mount -t lustre shows which target dm-3 is(?:; |\n[^\n]*\nThen +)umount it there/);
  assert.match(text, /Call +who runs the Lustre file system\n/);
  assert.doesNotMatch(text, /scontrol|cordon|copy off/);
});

test('a disk of any other host takes it out of service', async (t) => {
  const text = await scannedLogs(t, { 'messages.log': lines('EXT4') });
  assert.match(text, /Do +take st02 out of service, whose file system is read-only/);
});
