// One log gives the same events in one piece, byte by byte, and as files that rotated under runs of which each was killed.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { JOB_WORDS } from '../../../src/detection/text/words/job-words.ts';
import { scannerOf } from '../../../src/detection/text/words/word-set.ts';
import { makeEvent } from '../../../src/model/make-event.ts';
import { formatTime } from '../../../src/model/time.ts';
import { LineSplitter } from '../../../src/sources/job-log/line-splitter.ts';
import { wantedLines } from '../../../src/sources/job-log/wanted-lines.ts';
import { until } from '../../until.ts';

interface Said {
  readonly id: string;
  readonly kind: string;
  readonly rank: unknown;
}

const PARTS = 3;
const FAULTS = 6;
const RUN = join(import.meta.dirname, 'follow-until-killed.ts');

/** Times of their own, near to those of reading: what is read again is then known as the same. */
function part(number: number, startMs: number): string {
  const lines = Array.from({ length: FAULTS * 10 }, (_, i) => {
    const at = formatTime(startMs + (number * FAULTS * 10 + i) * 10, 3);
    const rank = number * FAULTS + i / 10;
    return i % 10 === 0
      ? `[rank${rank}]:[E ${at} ProcessGroupNCCL.cpp:632] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${i}, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600123 milliseconds before timing out.`
      : `${at} - datasets.builder - INFO - Loading shard ${i} of 10000, 12 rows in 3 ms`;
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** What the text says where it comes in pieces of so many bytes. */
function said(text: Buffer, bytes: number): string[] {
  const detection = new TextDetection('node-3');
  const splitter = new LineSplitter(0);
  const attends = () => detection.attends('llama', 'job');
  const attention = { scanner: scannerOf(JOB_WORDS, true), attends, passed: () => undefined };
  const attributes = { job: 'llama', framework: 'auto' };
  const from = { source: 'job-log', trust: 'tenant', stream: 'job/llama:/x', timeMs: null, timeDigits: 0 } as const;
  const found: string[] = [];
  for (let at = 0; at < text.length; at += bytes)
    for (const { text: line, offset } of wantedLines(splitter, text.subarray(at, at + bytes), attention)) {
      const record = { ...from, attributes, position: offset, observedMs: Date.now(), text: line };
      for (const event of detection.decode(record).events) found.push(nameOf(makeEvent('node-3', event)));
    }
  return found;
}

function nameOf({ kind, attributes }: { kind: string; attributes: Readonly<Record<string, unknown>> }): string {
  return `${kind} ${String(attributes.rank ?? null)}`;
}

test('a log in one piece, byte by byte, and rotated under runs that are killed gives the same events, each once', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'fl-pieces-'));
  t.after(() => rmSync(root, { recursive: true }));
  const [path, out] = [join(root, 'train.log'), join(root, 'said')];
  const parts = Array.from({ length: PARTS }, (_, i) => part(i, Date.now()));
  const whole = Buffer.from(parts.join(''));
  const expected = said(whole, whole.length);
  assert.equal(expected.length, PARTS * FAULTS);
  assert.deepEqual(said(whole, 1), expected);

  const heard = (): Said[] =>
    existsSync(out)
      ? readFileSync(out, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Said) // biome-ignore format: one chain
      : [];
  let run: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => run?.once('exit', resolve));
    run?.kill('SIGKILL');
    await ended;
  };
  t.after(() => run?.kill('SIGKILL'));
  for (const [i, text] of parts.entries()) {
    const half = text.indexOf('\n', text.length / 2) + 1;
    // The first half under a run that is killed, the second while none runs; then the file is moved away.
    appendFileSync(path, text.slice(0, half));
    run = spawn(process.execPath, [RUN, root, path, out], { stdio: ['ignore', 'ignore', 'inherit'] });
    const count = i * FAULTS + FAULTS / 2;
    await until(() => heard().length >= count, { what: `${count} events`, seen: heard });
    await until(() => placeOf(root, path) === statSync(path).size, { what: 'the place on the disk' });
    await kill();
    appendFileSync(path, text.slice(half));
    if (i < PARTS - 1) renameSync(path, `${path}.1`);
  }
  run = spawn(process.execPath, [RUN, root, path, out], { stdio: ['ignore', 'ignore', 'inherit'] });
  await until(() => new Set(heard().map(({ id }) => id)).size >= expected.length, { what: 'the last part', seen: heard }); // biome-ignore format: one line
  await kill();
  const ids = heard().map(({ id }) => id);
  assert.deepEqual([...new Set(ids)], ids);
  assert.deepEqual(heard().map(({ kind, rank }) => `${kind} ${String(rank)}`), expected); // biome-ignore format: one line
});

/** Where the last run would read on; null where that is not known. */
function placeOf(root: string, path: string): number | null {
  try {
    return JSON.parse(readFileSync(join(root, 'log-places.json'), 'utf8')).places[path]?.offset ?? null;
  } catch {
    return null;
  }
}
