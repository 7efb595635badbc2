// Job words: no line that a decoder takes is without one, in any place of a log that is read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../../src/detection/text/job.ts';
import { ServiceLineDecoder } from '../../../../src/detection/text/service.ts';
import { JOB_WORDS, SERVER_LOG_WORDS } from '../../../../src/detection/text/words/job-words.ts';
import { scannerOf } from '../../../../src/detection/text/words/word-set.ts';
import { runs } from '../../../runs.ts';
import { jobRecord, START_MS } from '../lines.ts';
import { drawer, examples, foundOf, linesOfTests, mutated } from './known-lines.ts';

const OF_TESTS = linesOfTests('job-');
const LINES = [...OF_TESTS, ...examples()];
const SERVER_LINES = [...linesOfTests('server-'), ...examples()];

/** All that the lines say; `has` leaves out those without a word, where the decoder attends to none. */
function said(lines: readonly string[], has: (i: number) => boolean): string[] {
  const job = new JobLineDecoder('llama');
  const all: unknown[] = [];
  for (const [i, line] of lines.entries()) {
    if (!has(i) && !job.attends) continue;
    const { steps, events, faults, pauses, samples, ranks, workChanged } = job.decode(
      jobRecord(line, i, START_MS + 1000 * i),
    );
    all.push(...steps, ...events, ...faults, ...pauses, ...ranks, ...(samples === null ? [] : [samples]));
    if (workChanged) all.push(`work changed ${i}`);
    all.push(...job.settle(START_MS + 1000 * i));
  }
  return all.map((one) => JSON.stringify(one));
}

function servedBy(lines: readonly string[], has: (i: number) => boolean): string[] {
  const service = new ServiceLineDecoder('chat');
  const all: unknown[] = [];
  for (const [i, line] of lines.entries()) {
    if (!has(i) && !service.attends) continue;
    const record = jobRecord(line, i, START_MS + 10_000 * i, { service: 'chat' });
    all.push(service.fault(record, 'node-1'), service.decode(record));
  }
  return all.filter((one) => one !== null).map((one) => JSON.stringify(one));
}

test('lines of the tests say the same, with and without those that have no word', () => {
  const found = foundOf(scannerOf(JOB_WORDS, true), LINES);
  const whole = said(LINES, () => true);
  // Each example has a word; of other lines many have none.
  const ofTests = [...found].filter((i) => i < OF_TESTS.length).length;
  assert.ok(whole.length > 200 && ofTests < 0.6 * OF_TESTS.length, `${ofTests} of ${OF_TESTS.length}`);
  assert.deepEqual(
    said(LINES, (i) => found.has(i)),
    whole,
  );
});

test('lines in any order, changed by little, say the same', () => {
  const draw = drawer(17);
  const scanner = scannerOf(JOB_WORDS, true);
  for (let round = 0; round < runs(60, 4000); round += 1) {
    const lines = Array.from({ length: 40 }, () => mutated(LINES, draw));
    const found = foundOf(scanner, lines);
    assert.deepEqual(
      said(lines, (i) => found.has(i)),
      said(lines, () => true),
    );
  }
});

test('lines of servers in any order, changed by little, say the same', () => {
  const draw = drawer(18);
  const scanner = scannerOf(SERVER_LOG_WORDS, true);
  for (let round = 0; round < runs(60, 4000); round += 1) {
    const lines = Array.from({ length: 40 }, () => mutated(SERVER_LINES, draw));
    const found = foundOf(scanner, lines);
    assert.deepEqual(
      servedBy(lines, (i) => found.has(i)),
      servedBy(lines, () => true),
    );
  }
});

test('each line alone that says something has a word', () => {
  const found = foundOf(scannerOf(JOB_WORDS, true), LINES);
  for (const [i, line] of LINES.entries()) {
    if (said([line], () => true).length > 0) assert.ok(found.has(i), `"${line}" says something and has no word`);
  }
});
