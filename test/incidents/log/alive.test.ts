// Alive: who reads a log knows whether a daemon writes it, and when it showed itself last, however it ended.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALIVE, AliveMark, signOfLife } from '../../../src/incidents/log/alive.ts';
import { folder, until } from './folder.ts';

const MODULE = new URL('../../../src/incidents/log/alive.ts', import.meta.url).href;

/** Once the file is there and written. */
function marked(directory: string): Promise<true> {
  const path = join(directory, ALIVE);
  return until(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'));
}

async function started(directory: string) {
  const code = `const { AliveMark } = await import(${JSON.stringify(MODULE)});
    const mark = new AliveMark(process.argv[1]); mark.start(50); setInterval(() => {}, 1000);
    process.on('SIGTERM', async () => { await mark.stop(); process.exit(0); });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, directory], { stdio: 'inherit' });
  await marked(directory);
  return child;
}

test('a log is written while its daemon lives, and no longer when that was killed or has ended', async (t) => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const directory = folder(t);
    const child = await started(directory);
    assert.equal((await signOfLife(directory, Date.now())).writing, true);
    child.kill(signal);
    await once(child, 'exit');
    const { writing, lastMs } = await signOfLife(directory, Date.now());
    assert.equal(writing, false, signal);
    assert.ok(lastMs !== null && Math.abs(Date.now() - lastMs) < 60_000);
  }
});

test('a daemon that says nothing for minutes does not write, though its process is there', async (t) => {
  const directory = folder(t);
  const mark = new AliveMark(directory);
  mark.start();
  t.after(() => mark.stop());
  await marked(directory);
  const then = Date.now() - 180_000;
  utimesSync(join(directory, ALIVE), then / 1000, then / 1000);
  assert.deepEqual(await signOfLife(directory, Date.now()), { writing: false, lastMs: then });
});

test('what an operator writes hours after the daemon was killed is not a sign of its life', async (t) => {
  const directory = folder(t);
  const mark = new AliveMark(directory);
  mark.start(1_000_000);
  t.after(() => mark.stop());
  await marked(directory);
  const then = Math.floor(Date.now() / 1000) * 1000 - 7_200_000;
  utimesSync(join(directory, ALIVE), then / 1000, then / 1000);
  const log = join(directory, 'incidents.jsonl');
  writeFileSync(log, '');
  utimesSync(log, then / 1000 + 10, then / 1000 + 10); // between two beats: the daemon's own
  assert.equal((await signOfLife(directory, Date.now())).lastMs, then + 10_000);
  utimesSync(log, then / 1000 + 3600, then / 1000 + 3600);
  assert.equal((await signOfLife(directory, Date.now())).lastMs, then + 30_000);
});

test('a mark that was taken away is made again; a link in its place is not followed', async (t) => {
  const directory = folder(t);
  const target = join(folder(t), 'target');
  writeFileSync(target, 'kept');
  symlinkSync(target, join(directory, ALIVE));
  const mark = new AliveMark(directory);
  mark.start(20);
  t.after(() => mark.stop());
  const written = (): boolean => {
    try {
      return JSON.parse(readFileSync(join(directory, ALIVE), 'utf8')).state === 'running';
    } catch {
      return false;
    }
  };
  await until(written);
  assert.equal(readFileSync(target, 'utf8'), 'kept');
  rmSync(join(directory, ALIVE));
  await until(written);
});

test('a log without a mark, or with one that is garbage, speaks up to its last line', async (t) => {
  const directory = folder(t);
  assert.deepEqual(await signOfLife(directory, Date.now()), { writing: false, lastMs: null });
  const log = join(directory, 'incidents.jsonl');
  writeFileSync(log, '');
  const then = Math.floor(Date.now() / 1000) - 7200;
  utimesSync(log, then, then);
  for (const garbage of [null, '', '{"state":"running"}', '[]', 'null', 'x'.repeat(10_000)]) {
    if (garbage !== null) writeFileSync(join(directory, ALIVE), garbage);
    assert.deepEqual(await signOfLife(directory, Date.now()), { writing: false, lastMs: then * 1000 }, String(garbage));
  }
});
