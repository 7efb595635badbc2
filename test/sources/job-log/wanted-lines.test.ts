// Wanted lines: what a job's log says is the same when only lines with a word of some rule are read, however its bytes come.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { JOB_WORDS } from '../../../src/detection/text/words/job-words.ts';
import { scannerOf } from '../../../src/detection/text/words/word-set.ts';
import { LineSplitter, type SplitLine } from '../../../src/sources/job-log/line-splitter.ts';
import { type Attention, wantedLines } from '../../../src/sources/job-log/wanted-lines.ts';
import { jobRecord, START_MS } from '../../detection/text/lines.ts';
import { drawer, linesOfTests, mutated } from '../../detection/text/words/known-lines.ts';
import { runs } from '../../runs.ts';

const LINES = linesOfTests('job-');
const SCANNER = scannerOf(JOB_WORDS, true);

interface Read {
  readonly said: readonly string[];
  readonly lines: number;
  readonly offset: number;
}

/** All that the pieces say, read with the scanner or line by line; and how many lines were read or passed over. */
function read(pieces: readonly Buffer[], scanner: Attention['scanner']): Read {
  const detection = new TextDetection('node-1');
  const splitter = new LineSplitter(0);
  const said: string[] = [];
  let passed = 0;
  let lines = 0;
  const attention: Attention = {
    scanner,
    attends: () => detection.attends('llama', 'job'),
    passed: (count) => {
      passed += count;
    },
  };
  for (const piece of pieces) {
    for (const line of wantedLines(splitter, piece, attention)) {
      lines += 1;
      said.push(...sayings(detection, line));
    }
  }
  return { said, lines: lines + passed, offset: splitter.offset };
}

function sayings(detection: TextDetection, { text, offset }: SplitLine): string[] {
  if (text.trim() === '') return [];
  const record = jobRecord(text, offset, START_MS + offset, { job: 'llama' });
  const { events, steps, pauses } = detection.decode(record);
  return [...events, ...steps, ...pauses].map((one) => JSON.stringify(one));
}

function cut(text: Buffer, draw: (below: number) => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = Math.min(text.length, at + 1 + draw(draw(4) === 0 ? 12 : 4000));
    pieces.push(text.subarray(at, end));
    at = end;
  }
  return pieces;
}

test('with and without the scanner a log says the same, cut anywhere', () => {
  const draw = drawer(4);
  let some = 0;
  for (let round = 0; round < runs(60, 3000); round += 1) {
    const lines = Array.from({ length: 30 + draw(60) }, () =>
      draw(3) === 0 ? `2026-11-28 12:00:00 loading part ${draw(999)}` : mutated(LINES, draw),
    );
    const ends = ['\n', '\n', '\n', '\r\n', '\r', '\n\n'];
    const text = Buffer.from(lines.map((line) => `${line}${ends[draw(ends.length)]}`).join(''));
    const pieces = cut(text, draw);
    const whole = read(pieces, null);
    const wanted = read(pieces, SCANNER);
    assert.deepEqual(wanted.said, whole.said);
    assert.equal(wanted.offset, text.length);
    some += whole.said.length;
  }
  // What is drawn depends on the lines of all tests of job logs; that much of it says something.
  assert.ok(some > runs(120, 6000), `${some}`);
});

test('lines without a word are counted, and no text is made of them', () => {
  const text = Buffer.from(`${'loading a part of the data\n'.repeat(5000)}step: 7  loss: 2.5  tps: 812\n`);
  const splitter = new LineSplitter(0);
  let passed = 0;
  const attention: Attention = {
    scanner: SCANNER,
    attends: () => false,
    passed: (count) => {
      passed += count;
    },
  };
  const lines = [...wantedLines(splitter, text, attention)];
  assert.deepEqual(lines, [{ text: 'step: 7  loss: 2.5  tps: 812', offset: 135_000 }]);
  assert.equal(passed, 5000);
  assert.equal(splitter.offset, text.length);
});

test('many wanted lines in one chunk are all handed over', () => {
  const line = 'step: 7  loss: 2.5  tps: 812\nnothing\n';
  const text = Buffer.from(line.repeat(3000));
  const attention: Attention = { scanner: SCANNER, attends: () => false, passed: () => undefined };
  assert.equal([...wantedLines(new LineSplitter(0), text, attention)].length, 3000);
});
