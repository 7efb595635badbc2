// A job that nothing configures: found by its processes, its log followed, its fault reported under its name.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DaemonUnderTest, type Json } from './daemon-under-test.ts';

/** Rank 0 of a job of two, which prints into this file. */
async function rankInto(t: TestContext, log: string, job: string): Promise<void> {
  const out = openSync(log, 'a');
  const env = { PATH: process.env.PATH, RANK: '0', WORLD_SIZE: '2', LOCAL_RANK: '0', TORCHELASTIC_RUN_ID: job };
  const child = spawn('sleep', ['600'], { env, stdio: ['ignore', out, out] });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  closeSync(out);
}

test('a job that no configuration names is followed, and its fault is reported under its name', async (t) => {
  const daemon = new DaemonUnderTest({ foundLogs: true });
  t.after(() => daemon.close());
  await daemon.start();
  const log = join(daemon.folder, 'train.log');
  const job = `run-${process.pid}`;
  await rankInto(t, log, job);
  // It is named before it is open, and what stood in it before it was is not of now.
  await daemon.until('its log is open', async () => {
    const sources = ((await daemon.status())?.sources ?? []) as Json[]; // the status document
    return sources.some(({ status, detail }) => status !== 'absent' && String(detail).includes(log));
  });
  appendFileSync(
    log,
    '[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.94 GiB is free.\n',
  );
  const incident: Json = await daemon.until('the incident', () => daemon.logged('incident').at(-1));
  assert.match(JSON.stringify(incident.root), new RegExp(job));
  assert.match(readFileSync(join(daemon.log, 'incidents.jsonl'), 'utf8'), /job\.gpu_oom/);
});
