// A daemon that is killed within the two seconds in which no place of a log is kept: every fault of the log is reported, and each once.

import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DaemonUnderTest, type Json } from './daemon-under-test.ts';

const RANKS = 6;
/** Without a time of its own: what is read again can be known only by when it was read first. */
const untimed = (rank: number): string => `[rank${rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${rank + 1}.00 GiB.\n`; // biome-ignore format: one line
const timed = (rank: number): string => `[rank${rank}]:[E ${new Date().toISOString()} ProcessGroupNCCL.cpp:632] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${rank}, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600123 milliseconds before timing out.\n`; // biome-ignore format: one line

async function faultsAfterKill(t: TestContext, line: (rank: number) => string, kind: string): Promise<Json[]> {
  const daemon = new DaemonUnderTest({ gpus: 2 });
  t.after(() => daemon.close());
  const path = join(daemon.folder, 'train.log');
  appendFileSync(join(daemon.folder, 'faultline.yaml'), `  job_log: [{job: llama, path: "${path}"}]\n`);
  writeFileSync(path, '');
  await daemon.start();
  const place = (): number | null => {
    const file = join(daemon.folder, 'state/log-places.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).places[path]?.offset ?? null) : null;
  };
  const faults = () => daemon.logged('event').filter((event) => event.kind === kind);
  await daemon.until('the log is followed', () => place() === 0);
  for (let rank = 0; rank < RANKS; rank += 1) appendFileSync(path, line(rank));
  await daemon.until('the first fault is on disk', () => faults().length > 0);
  const ended = Promise.all(daemon.children().map((child) => new Promise((done) => child.once('exit', done))));
  for (const child of daemon.children()) child.kill('SIGKILL');
  await ended;
  await daemon.start();
  await daemon.until('the log is read on', () => place() === statSync(path).size);
  await daemon.until('every fault is on disk', () => new Set(faults().map((event) => JSON.stringify(event.attributes))).size >= RANKS); // biome-ignore format: one line
  // What is counted twice is so with the next revision, which a further fault brings.
  appendFileSync(path, line(RANKS));
  await daemon.until('the next fault is on disk', () => faults().some((event) => rankOf(event) === RANKS));
  return faults();
}

const rankOf = (event: Json): unknown => (event.attributes as Json).rank;

for (const [what, line, kind] of [
  ['have no time', untimed, 'job.gpu_oom'],
  ['have a time', timed, 'job.collective_timeout'],
] as const)
  test(`lines that ${what} are neither repeated nor left out by a kill`, async (t) => {
    const faults = await faultsAfterKill(t, line, kind);
    const ids = new Set(faults.map(({ id }) => id));
    const seen = JSON.stringify(faults.map((event) => [event.id, event.time, event.count, rankOf(event)]));
    assert.equal(ids.size, RANKS + 1, seen);
    assert.ok(
      faults.every(({ count }) => count === 1),
      seen,
    );
    assert.deepEqual([...new Set(faults.map(rankOf))].toSorted(), Array.from({ length: RANKS + 1 }, (_, rank) => rank)); // biome-ignore format: one line
  });
