// Prompts of terminals and records in one line are taken apart, and a line that quotes a record stays one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unglued, unprompted } from '../../../src/sources/saved-text/transcript.ts';

const STAMPED = '[ 812.440000] watchdog: BUG: soft lockup - CPU#3 stuck for 41s! [kworker/3:1:77]';

test('a prompt of any shell before what the console printed is taken off', () => {
  for (const prompt of [
    '/ # ',
    '~# ',
    '~ # ',
    'root@gx-7:~# ',
    '[kim@gx-7 logs]$ ',
    'bash-5.1# ',
    '(base) kim@gx-7:/data$ ',
  ])
    assert.deepEqual(unprompted([prompt + STAMPED, STAMPED]), [STAMPED, STAMPED], prompt);
  for (const line of ['/ # dmesg | tail', `error: ${STAMPED}`, `# ${'x'.repeat(9)}`])
    assert.deepEqual(unprompted([line]), [line]);
});

const KERNEL = [
  '[ 31.100200] blk_update_request: I/O error, dev sdq, sector 4096',
  '[ 31.100210] Buffer I/O error on dev sdq, logical block 512, async page read',
  '[ 31.100290] sd 3:0:0:0: [sdq] Synchronizing SCSI cache',
];
const JOURNAL = [
  'Jan 14 03:11:08 gx-7 kernel: EXT4-fs (sdq1): Remounting filesystem read-only',
  'Jan 14 03:11:08 gx-7 kernel: [ 31.100290] sd 3:0:0:0: [sdq] Synchronizing SCSI cache',
  'Jan 14 03:11:09 gx-7 slurmd[812]: error: Health check failed',
];
const LOGGED = [
  'torch.distributed.run:Sending 4 closing signal SIGTERM',
  'torch.distributed.api:failed (exitcode: -9)',
].flatMap((text) => [`WARNING:${text}`, `ERROR:${text}`]);

test('records that a page made one line of are records, all of one line', () => {
  for (const records of [KERNEL, JOURNAL, LOGGED])
    for (const between of [' ', ' '.repeat(40)])
      assert.deepEqual(
        unglued([records.join(between)])[0]
          ?.split('\r')
          .map((part) => part.trim()),
        records,
        between,
      );
  const bar = `Loading shards:  0%|${' '.repeat(30)}| 0/2 [00:00<?, ?it/s]`;
  const after = unglued([`${bar}${LOGGED.join(' '.repeat(30))}${' '.repeat(90)}Traceback (most recent call last):`]);
  assert.deepEqual(after[0]?.split('\r').map((part) => part.trim()).slice(-2), [LOGGED[3], 'Traceback (most recent call last):']); // biome-ignore format: one line
  const command = `${JOURNAL.join(' ')} kim@gx-7:~$ sudo dmesg`;
  assert.equal(unglued([command])[0]?.split('\r').at(-1), 'kim@gx-7:~$ sudo dmesg');
});

test('in a log of other lines no line is several, whatever a user wrote into it; nor is one that quotes a record', () => {
  const forged = `Jan 14 03:11:09 gx-7 logger: ${KERNEL.join(' ')} ${KERNEL.join(' ')}`;
  const log = Array.from(
    { length: 20 },
    (_, i) => `Jan 14 03:11:${10 + i} gx-7 systemd[1]: Started session ${i} of the user kim.`,
  );
  assert.deepEqual(unglued([forged, ...log]), [forged, ...log]);
  for (const line of [...KERNEL, ...JOURNAL, `saw ${KERNEL[0]} in the log`, KERNEL.slice(0, 2).join(' ')])
    assert.deepEqual(unglued([line]), [line]);
});

test('a long line is taken apart at once', () => {
  const long = ' '.repeat(30_000) + ']'.repeat(30_000);
  assert.deepEqual(unglued([long]), [long]);
});
