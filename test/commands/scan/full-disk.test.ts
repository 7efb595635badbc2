// What is full: a target of Lustre that a client lists is its servers', and df of the same folder is the look at what a job could not write to.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, files: Readonly<Record<string, readonly string[]>>): Promise<string> =>
  scannedLogs(t, files);

test('a full target of Lustre in the list of a client is of the file system, not of the client', async (t) => {
  const text = await scanned(t, {
    'lfs-df.txt': [
      'UUID                 bytes    Used Available Use% Mounted on',
      'work-MDT0000_UUID     1.9T  210.0G      1.6T  12% /work[MDT:0]',
      'work-OST0004_UUID    90.4T   90.3T     88.1M 100% /work[OST:4]',
    ],
  });
  assert.match(text, /Root cause +storage cluster full .*: work-OST0004 has no space/);
  assert.match(text, /Do +get space on work-OST0004, a target of Lustre that is full/);
  assert.match(text, /Call +who runs the file system\n/);
});

const DF = [
  'Filesystem            Size  Used Avail Use% Mounted on',
  '10.9.0.4@o2ib:/work   1.0P  1.0P     0 100% /work',
];
const JOB = ['[2026-11-28 20:10:19] ERROR ckpt: failed to write /work/a/step_90: [Errno 28] No space left on device'];

test('df that shows full what a job could not write to is one incident with it, of no second host', async (t) => {
  const text = await scanned(t, { 'df.txt': DF, 'slurm-8812.out': JOB });
  assert.match(text, /· 2 logs · /);
  assert.match(text, /1 incident out of 2 events/);
  assert.match(text, /Effect +a job there could not write \/work\/a\/step_90\n/);
  assert.doesNotMatch(text, /Unconfirmed|would be confirmed/);
});

test('df of another file system says nothing of it', async (t) => {
  const other = DF.map((line) => line.replaceAll('/work', '/home'));
  assert.match(await scanned(t, { 'df.txt': other, 'slurm-8812.out': JOB }), /2 incidents out of 2 events/);
});

test('in whatever words a program says that nothing is left, the path of its line is the file system', async (t) => {
  const lines = [
    'ERROR flush: IOError [Errno 28] No space left on device (/work/b/part_7)',
    'ERROR ENOSPC: no space left on device, write "/work/b/part_7"',
    'ERROR java.io.IOException: No space left on device at /work/b/part_7',
    'ERROR could not append to /work/b/part_7: errno=28 (No space left on device)',
    'WARNING RESOURCE_EXHAUSTED: /work/b/part_7; No space left on device',
    'ERROR writer: No space left on device while writing to /work/b/part_7',
  ];
  for (const line of lines) {
    const text = await scanned(t, { 'job.log': [`2026-11-28 21:40:11 ${line}`] });
    assert.match(text, /Do +free space on the file system of \/work\/b\b/, line);
    assert.match(text, /Call +who runs the file system of \/work\/b\n/, line);
  }
  const quota = ['2026-11-28 21:40:11 ERROR [writer] Errno 122 Disk quota exceeded: /work/b/part_7'];
  const full = await scanned(t, { 'job.log': quota });
  assert.match(full, /Do +make room within the quota/);
  assert.match(full, /Root cause +Unconfirmed: disk quota reached on job/);
  assert.match(full, /Confirm +by quota -s/);
  assert.doesNotMatch(full, /df on this host/);
});
