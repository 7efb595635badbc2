// What a scan says of work that was ended for its memory by something else than the kernel: by what, and where that is on record.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines });

const STEP = '2026-11-30 02:00:00 step 100 loss 2.1';
const ENDED: readonly (readonly [name: string, lines: readonly string[], title: RegExp, effect: string, by: string])[] =
  [
    [
      'ray.log',
      [
        STEP,
        '(raylet, ip=10.4.0.31) 3 worker(s) were killed due to the node running low on memory.',
        'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.',
      ],
      /worker ended by Ray for memory on /,
      '3 workers of the job ended',
      'ray logs raylet',
    ],
    ['job.o881', [STEP, '=>> PBS: job killed: mem 1310720kb exceeded limit 1048576kb'], /job ended by PBS at its memory limit on /, 'the job ended', 'tracejob JOB'], // biome-ignore format: one case
    ['lsf.out', [STEP, 'TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.'], /job ended by LSF at its memory limit on /, 'the job ended', 'bhist -l JOB'], // biome-ignore format: one case
    ['hx-3.log', ['2026-11-30T02:10:00.100000+00:00 hx-3 earlyoom[711]: sending SIGTERM to process 4711 uid 1000 "python3": badness 1301, VmRSS 61240 MiB'], /process ended by earlyoom for memory on hx-3: python3, which held 59\.8 GiB\n/, 'process python3 (4711) ended', 'journalctl -u earlyoom'], // biome-ignore format: one case
  ];

for (const [name, lines, title, effect, by] of ENDED)
  test(`${name}: the kernel is not named where it ended nothing, nor asked for a line of it`, async (t) => {
    const text = await scanned(t, name, lines);
    assert.match(text, title);
    assert.ok(text.includes(`Effect      ${effect}\n`), text);
    assert.ok(text.includes(by), text);
    assert.doesNotMatch(text, /out-of-memory killer|kernel's own line|oom_kill/);
  });

test('the log of a driver and that of its raylet are of one kill, on the node that Ray names', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-memory-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const line =
    '[2026-11-30 02:10:00,443 E 711 711] (raylet) node_manager.cc:3064: 2 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: 5ac1, IP: 10.4.0.31) over the last time period.';
  writeFileSync(join(folder, 'driver.log'), `(raylet, ip=10.4.0.31) ${line}\n`);
  writeFileSync(join(folder, 'raylet.out'), `[2026-11-30 02:09:00,101 I 711 711] (raylet) a.cc:5: begun\n${line}\n`);
  const text = (await scan([folder])).stdout.replace(/\n +/g, ' ');
  assert.match(text, /\n1 incident out of/);
  assert.match(text, /worker ended by Ray for memory on 10\.4\.0\.31\n/);
  // What was read is that very log.
  assert.match(text, /ray list workers --detail\)/);
  assert.doesNotMatch(text, /host of raylet|2 hosts/);
});

test('what ended by signal 9 was sent it by kernel, launcher or scheduler, and by no GPU elsewhere', async (t) => {
  const text = await scanned(t, 'ds.log', [
    '[2026-11-30 02:00:11,031] [INFO] [logging.py:128:log_dist] [Rank 0] step=500, skipped=0, lr=[1e-05], mom=[(0.9, 0.95)]',
    "[2026-11-30 02:01:20,412] [ERROR] [launch.py:322:sigkill_handler] ['/usr/bin/python3', '-u', 'train.py', '--local_rank=3'] exits with return code = -9",
  ]);
  assert.match(text, /Most likely memory of its host, or of the limit of its job \(40 %\)[.;].*its launcher/s);
  assert.match(text, /sudo dmesg -T \| grep -iE 'killed process/);
  assert.doesNotMatch(text, /GPU of another host|network between/);
});

test('what earlyoom ended is named, with what it held and whose it was', async (t) => {
  const text = await scannedLogs(t, {
    'hx-30.log': [
      'Nov 29 03:20:11 hx-30 earlyoom[911]: low memory! at or below SIGTERM limits: mem 10.00%, swap 10.00%',
      'Nov 29 03:20:11 hx-30 earlyoom[911]: sending SIGTERM to process 5150 uid 2044 "pack": oom_score 1190, oom_score_adj 0, VmRSS 409600 MiB, cmdline "./pack --all data"',
    ],
  });
  assert.match(text, /process ended by earlyoom for memory on hx-30: pack, which held 400 GiB/);
  assert.match(text, /pack \(5150\), which was killed, 400 GiB/);
  assert.match(text, /Now +what held it has ended: let its owner make it smaller/);
  assert.match(text, /uid 2044 \(getent passwd 2044\)/);
});
