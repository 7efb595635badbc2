// What was handed over beyond the places on the disk: noted before, in bounded room, read back by the run after a kill.

import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HandedOver } from '../../../src/sources/job-log/handed-over.ts';

const START_MS = 1_800_000_000_000;

async function run(t: TestContext, folder: string): Promise<HandedOver> {
  const handed = new HandedOver(folder);
  await handed.read();
  t.after(() => handed.stop());
  return handed;
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fl-handed-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a line has the time at which it was handed over first, in every run after that', async (t) => {
  const folder = folderOf(t);
  const first = await run(t, folder);
  await first.hand('/log', '1:2', 0, 100, START_MS);
  const times = [first.timeOf('/log', 0), first.timeOf('/log', 50)];
  await first.hand('/log', '1:2', 90, 200, START_MS + 10);
  times.push(first.timeOf('/log', 90), first.timeOf('/log', 150));
  assert.ok(times.every((time, i) => i === 0 || Number(time) > Number(times[i - 1])));
  for (const time of times) assert.ok(Number(time) % 1 >= 0.5, 'the log rounds it to what is as late or later');
  // Not ended: as after a kill, and in the middle of a line.
  appendFileSync(join(folder, 'log-handed-over.jsonl'), '{"path":"/log","iden');
  for (let again = 0; again < 3; again += 1) {
    const next = await run(t, folder);
    assert.deepEqual([0, 50, 90, 150].map((offset) => next.earlierTimeOf('/log', '1:2', offset)), times); // biome-ignore format: one line
    await next.hand('/log', '1:2', 0, 200, START_MS + 5000);
    assert.deepEqual([next.earlierTimeOf('/log', '1:2', 200), next.earlierTimeOf('/log', '9:9', 50), next.earlierTimeOf('/other', '1:2', 50)], [null, null, null]); // biome-ignore format: one line
  }
  const last = await run(t, folder);
  await last.hand('/log', '1:2', 150, 300, START_MS + 6000);
  const after = await run(t, folder);
  assert.equal(after.earlierTimeOf('/log', '1:2', 150), times[3]);
  assert.equal(after.earlierTimeOf('/log', '1:2', 250), last.timeOf('/log', 250));
});

test('what is old is left out, so that the file stays small', async (t) => {
  const folder = folderOf(t);
  const handed = await run(t, folder);
  for (let i = 0; i < 4000; i += 1) await handed.hand('/log', '1:2', i * 100, i * 100 + 100, START_MS + i * 1000);
  assert.ok(statSync(join(folder, 'log-handed-over.jsonl')).size < 100_000);
  const next = await run(t, folder);
  assert.equal(next.earlierTimeOf('/log', '1:2', 50), null);
  assert.equal(next.earlierTimeOf('/log', '1:2', 399_950), handed.timeOf('/log', 399_950));
});

test('a user who writes into many logs of long names makes the file no larger, and the newest stay in it', async (t) => {
  const folder = folderOf(t);
  const handed = await run(t, folder);
  const path = `/${'d'.repeat(4000)}/log`;
  let largest = 0;
  for (let i = 0; i < 4000; i += 1) {
    await handed.hand(path + (i % 256), '1:2', i * 100, i * 100 + 100, START_MS + i);
    if (i % 50 === 0) largest = Math.max(largest, statSync(join(folder, 'log-handed-over.jsonl')).size);
  }
  assert.ok(largest < 8 * 1024 * 1024, `${largest} bytes`);
  const last = handed.timeOf(path + (3999 % 256), 399_950);
  const next = await run(t, folder);
  assert.equal(next.earlierTimeOf(path + (3999 % 256), '1:2', 399_950), last);
});

test('a long line that is read again with each of its bytes brings no line far into the future', async (t) => {
  const handed = await run(t, folderOf(t));
  for (let i = 1; i <= 20_000; i += 1) await handed.hand('/log', '1:2', 0, i, START_MS + i / 100);
  await handed.hand('/log', '1:2', 20_000, 20_010, START_MS + 200);
  assert.ok(Number(handed.timeOf('/log', 20_000)) < START_MS + 2000);
});

test('without a folder, and where none can be written, lines still have their times', async (t) => {
  for (const handed of [new HandedOver(null), await run(t, join(folderOf(t), 'none'))]) {
    await handed.hand('/log', '1:2', 0, 100, START_MS);
    assert.equal(handed.timeOf('/log', 0), START_MS + 0.5);
    await handed.stop();
  }
});
