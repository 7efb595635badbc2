// A folder that many users' logs share: however many names one of them makes, and however often, the others' are read.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { JobLogSource } from '../../../src/sources/job-log/job-log-source.ts';
import { LogFiles } from '../../../src/sources/job-log/log-files.ts';
import { sharePlaces } from '../../../src/sources/job-log/share-places.ts';
import { until } from '../../until.ts';

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'fl-shared-logs-'));
  t.after(() => rmSync(made, { recursive: true }));
  return made;
}

const MALLORY = 60_001;
const ANNA = 60_002;
const files = (uid: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ path: `/l/${uid}-${i}`, identity: `${uid}:${i}`, uid, mtimeMs: i }));

test('who makes thousands of files takes the place of no other user, and of his own the newest count', () => {
  const chosen = sharePlaces([...files(MALLORY, 5000), ...files(ANNA, 3)], 256, () => false);
  assert.equal(chosen.size, 256);
  for (const { path } of files(ANNA, 3)) assert.ok(chosen.has(path), path);
  assert.ok(chosen.has(`/l/${MALLORY}-4999`) && !chosen.has(`/l/${MALLORY}-0`));
});

test('what is read keeps its place against what was written a little later', () => {
  const chosen = sharePlaces(files(ANNA, 10), 2, (path) => path.endsWith('-0'));
  assert.deepEqual([...chosen], [`/l/${ANNA}-0`, `/l/${ANNA}-9`]);
});

test('links that lead nowhere good take the place of no log that is written', async (t) => {
  const at = folder(t);
  for (let i = 0; i < 300; i += 1) symlinkSync('/proc/version', join(at, `a${i}.log`));
  for (let i = 0; i < 300; i += 1) writeFileSync(join(at, `b${i}.log`), '');
  for (let i = 0; i < 300; i += 1) utimesSync(join(at, `b${i}.log`), 1, 1);
  const logs = new LogFiles(join(at, '*.log'));
  t.after(() => logs.close());
  await logs.refresh(0, true);
  assert.equal(logs.followers.length, 256);
  writeFileSync(join(at, 'z.log'), 'step 1\n');
  await logs.refresh(1e9, true);
  assert.equal(logs.followers.length, 256);
  const newest = logs.followers.find(({ path }) => path.endsWith('z.log'));
  assert.deepEqual(
    [...((await newest?.read())?.lines ?? [])].map(({ text, history }) => [text, history]),
    [['step 1', false]],
  );
  // One that was there all along is not news from its start on.
  const old = logs.followers.some(({ path }) => path.endsWith('b299.log')) ? 'b0.log' : 'b299.log';
  appendFileSync(join(at, old), 'step 7\n');
  utimesSync(join(at, old), 3e9, 3e9);
  await logs.refresh(2e9, true);
  const later = logs.followers.find(({ path }) => path.endsWith(`/${old}`));
  assert.deepEqual([...((await later?.read())?.lines ?? [])].map(({ history }) => history), [true]); // biome-ignore format: one line
});

test('a folder of thousands of names is looked at for a small part of the time', async (t) => {
  const at = folder(t);
  for (let i = 0; i < 1000; i += 1) writeFileSync(join(at, `${i}.log`), '');
  const logs = new LogFiles(join(at, '*.log'));
  t.after(() => logs.close());
  const before = process.threadCpuUsage();
  await logs.refresh(0, true);
  const { user, system } = process.threadCpuUsage(before);
  writeFileSync(join(at, 'z.log'), '');
  utimesSync(join(at, 'z.log'), 3e9, 3e9);
  await logs.refresh((5 * (user + system)) / 1000, true);
  assert.ok(!logs.followers.some(({ path }) => path.endsWith('z.log')), 'too soon');
  await logs.refresh(1e9, false);
  assert.ok(
    logs.followers.some(({ path }) => path.endsWith('z.log')),
    'the change is not forgotten',
  );
});

test('names that come and go without end cost little', async (t) => {
  const at = folder(t);
  writeFileSync(join(at, 'good.log'), '');
  const texts: string[] = [];
  const options = { host: 'node-1', now: () => Date.now() };
  const config = { job: 'llama', path: join(at, '*'), framework: 'auto', ranks: [], worldSize: null } as const;
  const source = new JobLogSource([config], options);
  const text = (line: { text: string }): void => void texts.push(line.text);
  source.start({ samples() {}, event() {}, discovery() {}, text }, new AbortController().signal);
  t.after(() => source.stop());
  await sleep(50);
  const script = 'const { writeFileSync, rmSync } = fs; for (;;) { writeFileSync("x", ""); rmSync("x"); }';
  const storm = spawn(process.execPath, ['-e', script], { cwd: at, stdio: 'ignore' });
  const ended = once(storm, 'exit');
  const calm = async (): Promise<void> => {
    storm.kill('SIGKILL');
    await ended;
  };
  // Ended before the folder is removed: what continues to make names there keeps it from being emptied.
  try {
    await sleep(1000);
    const startedMs = performance.now();
    const before = process.threadCpuUsage();
    await sleep(1500);
    const { user, system } = process.threadCpuUsage(before);
    const share = (user + system) / 1000 / (performance.now() - startedMs);
    // What looks at the folder at each change takes the whole thread.
    assert.ok(share < 0.3, `${share} of the thread`);
    appendFileSync(join(at, 'good.log'), 'step 1\n');
    await until(() => texts.includes('step 1'));
  } finally {
    await calm();
  }
});

test('of hundreds of logs one that is written all the time costs little', async (t) => {
  const alone = await microsecondsPerLine(t, 1);
  const amongMany = await microsecondsPerLine(t, 256);
  assert.ok(amongMany < 5 * alone, `${amongMany} µs a line among 256 logs, ${alone} µs alone`);
});

/** Time on the thread for each line of one log that grows all the time, in a folder of so many logs. */
async function microsecondsPerLine(t: TestContext, logs: number): Promise<number> {
  const at = folder(t);
  for (let i = 0; i < logs; i += 1) writeFileSync(join(at, `${i}.log`), '');
  let lines = 0;
  const config = { job: 'llama', path: join(at, '*.log'), framework: 'auto', ranks: [], worldSize: null } as const;
  const source = new JobLogSource([config], { host: 'node-1', now: () => Date.now() });
  const text = (): void => {
    lines += 1;
  };
  source.start({ samples() {}, event() {}, discovery() {}, text }, new AbortController().signal);
  await sleep(1000);
  const script = 'setInterval(() => fs.appendFileSync("0.log", "a line\\n"), 4)';
  const writer = spawn(process.execPath, ['-e', script], { cwd: at, stdio: 'ignore' });
  const ended = once(writer, 'exit');
  try {
    await until(() => lines > 0);
    const first = lines;
    const before = process.threadCpuUsage();
    await until(() => lines >= first + 300);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / (lines - first);
  } finally {
    writer.kill('SIGKILL');
    await ended;
    await source.stop();
  }
}
