// What a scan says of work that was ended for its memory by something else than the kernel: by what, and where that is on record.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faultline } from '../run-cli.ts';

/** The text of the report in lines that are not broken. */
async function scanned(t: TestContext, name: string, lines: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-memory-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  const { stdout, stderr, status } = await faultline(['scan', join(folder, name)]);
  assert.equal(status, 0, stderr);
  return stdout.replace(/\n +/g, ' ');
}

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
      'a worker of the job ended',
      'ray logs raylet',
    ],
    ['job.o881', [STEP, '=>> PBS: job killed: mem 1310720kb exceeded limit 1048576kb'], /job ended by PBS at its memory limit on /, 'the job ended', 'tracejob JOB'], // biome-ignore format: one case
    ['lsf.out', [STEP, 'TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.'], /job ended by LSF at its memory limit on /, 'the job ended', 'bhist -l JOB'], // biome-ignore format: one case
    ['hx-3.log', ['2026-11-30T02:10:00.100000+00:00 hx-3 earlyoom[711]: sending SIGTERM to process 4711 uid 1000 "python3": badness 1301, VmRSS 61240 MiB'], /process ended by earlyoom for memory on hx-3\n/, 'none seen on a job so far', 'journalctl -u earlyoom'], // biome-ignore format: one case
  ];

for (const [name, lines, title, effect, by] of ENDED)
  test(`${name}: the kernel is not named where it ended nothing, nor asked for a line of it`, async (t) => {
    const text = await scanned(t, name, lines);
    assert.match(text, title);
    assert.ok(text.includes(`Effect      ${effect}\n`), text);
    assert.ok(text.includes(by), text);
    assert.doesNotMatch(text, /out-of-memory killer|kernel's own line|oom_kill/);
  });
