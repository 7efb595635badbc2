// The logs of BeeGFS' servers: their own times, targets by their number, and what to do that deletes nothing on a target.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const DAY = [
  '(3) Nov26 03:00:01 Main [App] >> Version: 7.4.2',
  '(2) Nov26 03:00:05 XNodeSync [Node registration] >> Node registration successful.',
];

test('a full target: its number, its host, the time of the line, and whom to call', async (t) => {
  const text = await scannedLogs(t, {
    'stor12-beegfs-storage.log': [
      ...DAY,
      '(1) Nov26 04:31:09 DirectWorker2 [SessionLocalFile (open)] >> Failed to create chunk file. targetID: 812; path: u3E8/5F/2A-1; SysErr: No space left on device',
    ],
  });
  assert.match(text, /seen [\d-]+ 04:31:09/);
  assert.match(text, /Root cause .*stor12.*beegfs target 812 has no space/);
  assert.match(text, /Do +get space on BeeGFS target 812 on stor12/);
  assert.match(text, /--migrate --targetid=812 MOUNT.*on stor12 itself nothing is to be deleted/);
  assert.match(text, /Call +who runs the file system/);
});

test('one whose disk fails is for who may touch the hardware, one that is offline for who runs it', async (t) => {
  const failed = await scannedLogs(t, {
    'stor12-beegfs-storage.log': [
      ...DAY,
      '(1) Nov26 04:31:09 Worker1 [ChunkStore] >> Unable to read chunk. Target: 812; SysErr: Input/output error',
    ],
  });
  assert.match(failed, /Do +check the disks of BeeGFS target 812 on stor12/);
  assert.match(failed, /Call +who may touch the hardware of stor12/);
  const offline = await scannedLogs(t, {
    'mgmt01-beegfs-mgmtd.log': [
      ...DAY,
      '(2) Nov26 04:31:09 XMgmt [Target states] >> Target 812 is set to probably-offline: no heartbeat',
      '(2) Nov26 04:31:40 XMgmt [Target states] >> Target 812 is set to offline: no heartbeat',
    ],
  });
  assert.match(offline, /Do +see why BeeGFS target 812 is not online/);
  assert.match(offline, /names its server; there, systemctl status beegfs-storage/);
});

test('an ordinary day reports none of it', async (t) => {
  const text = await scannedLogs(t, {
    'stor12-beegfs-storage.log': [
      ...DAY,
      '(2) Nov26 04:31:40 XMgmt [Target states] >> Target 812 is back online (was: offline)',
    ],
  });
  assert.match(text, /No incident/);
});
