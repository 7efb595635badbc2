// Step shapes: lines that are read by where the values of another one stood say what they say when they are read by their words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBar } from '../../../src/detection/text/job/bar.ts';
import { barStep } from '../../../src/detection/text/job/bar-step.ts';
import { parseColumns } from '../../../src/detection/text/job/columns-line.ts';
import { parsePairs } from '../../../src/detection/text/job/pairs-line.ts';
import { readPrefix } from '../../../src/detection/text/job/prefix.ts';
import type { StepLine } from '../../../src/detection/text/job/progress.ts';
import { mayTellStep, parseStepLine } from '../../../src/detection/text/job/step-line.ts';
import { StepShapes } from '../../../src/detection/text/job/step-shape.ts';
import { UserLines } from '../../../src/detection/text/job/user-lines.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { WallTimes } from '../../../src/model/wall-times.ts';
import { runs } from '../../runs.ts';
import { jobRecord, START_MS } from './lines.ts';
import { drawer, examples, linesOfTests, mutated } from './words/known-lines.ts';

const every = () => true;
const LINES = [...linesOfTests('job-'), ...examples()];

function byWords(line: string): StepLine | null {
  return (
    parseColumns(line, every) ?? (mayTellStep(line) ? parseStepLine(line, every) : null) ?? parsePairs(line, every)
  );
}

/** Digits drawn again, now and then more or fewer of them. */
function withOtherDigits(line: string, draw: (below: number) => number): string {
  const keep = draw(2) === 0;
  return line.replace(/\d+/g, (digits) => {
    const length = keep || draw(4) > 0 ? digits.length : 1 + draw(14);
    return Array.from({ length }, () => String(draw(10))).join('');
  });
}

test('a line of a known shape says what it says by its words', () => {
  const draw = drawer(7);
  const steps = LINES.filter((line) => byWords(line) !== null);
  const known = new Map<string, number>();
  for (const line of steps) {
    const step = byWords(line);
    if (step === null) continue;
    const shapes = new StepShapes(every);
    shapes.learn(line, step);
    for (let i = 0; i < runs(40, 2000); i += 1) {
      const other = withOtherDigits(line, draw);
      const read = shapes.read(other);
      if (read === null) continue;
      known.set(step.framework, (known.get(step.framework) ?? 0) + 1);
      assert.deepEqual(read, { step: { ...byWords(other), time: null, rank: null }, prefix: readPrefix(other) }, other);
    }
  }
  for (const framework of ['megatron', 'torchtitan', 'deepspeed'])
    assert.ok((known.get(framework) ?? 0) > 20, `${framework}: ${known.get(framework) ?? 0}`);
});

/** All that the lines say. A line of the user's that no log has: then each line is read by its words. */
function said(lines: readonly string[], shapes: boolean): string[] {
  const own = new UserLines(shapes ? [] : [{ name: 'none', has: ['\u0001none'], fields: {}, kind: null }]);
  const job = new JobLineDecoder('llama', 'auto', new WallTimes(), undefined, () => own);
  return lines.flatMap((line, i) => {
    const decoded = job.decode(jobRecord(line, i, START_MS + 1000 * i));
    return [JSON.stringify(decoded), JSON.stringify(job.settle(START_MS + 1000 * i)), `${job.attends}`];
  });
}

test('a log says the same with shapes and without them, whatever comes between its steps', () => {
  const draw = drawer(11);
  for (let i = 0; i < runs(300, 20_000); i += 1) {
    const some = Array.from({ length: 3 }, () => LINES[draw(LINES.length)] ?? '');
    const lines = Array.from({ length: 24 }, () => {
      const line = draw(6) === 0 ? mutated(LINES, draw) : (some[draw(some.length)] ?? '');
      return draw(4) === 0 ? line : withOtherDigits(line, draw);
    });
    assert.deepEqual(said(lines, true), said(lines, false), lines.join('\n'));
  }
});

test('a bar has a shape, however far it is drawn: each is read as by its words', () => {
  const draw = drawer(3);
  const bars = [
    'Epoch 0: :   7%|▏         | 7/15 [06:19<07:13, v_num=0, reduced_train_loss=11.50, global_step=5.000, consumed_samples=12288.0, train_step_timing in s=49.50]',
    'Epoch 3:  12%|#2        | 12/100 [1:00:10<2:01:16,  1.15it/s, v_num=3, train_loss=2.310]',
    '[rank3]: Epoch 2:  50%|█████     | 5/10 [00:04<01:16,  1.25s/it]',
    'Training Progress:   3%|▎         | 3/100 [02:11<70:41, 43.73s/it]',
    'train          Epoch   1:   12%|███▌      | 12/100 [00:10<01:20,  1.25ba/s, loss/train/total=2.3100]',
  ]; // biome-ignore format: a bar a line
  for (const bar of bars) {
    const step = barStep(parseBar(bar) ?? assert.fail(bar), every)?.step ?? assert.fail(bar);
    const shapes = new StepShapes(every);
    shapes.learn(bar, step);
    let known = 0;
    for (let i = 0; i < runs(300, 20_000); i += 1) {
      const drawn = `%|${'█#'[draw(2)]?.repeat(draw(9)) ?? ''}${'▏▊ 5'[draw(4)]}${' '.repeat(draw(5))}|`;
      const other = withOtherDigits(bar, draw).replace(/%\|[^|]*\|/, drawn);
      const read = shapes.read(other);
      const found = parseBar(other);
      const byItsWords = found === null ? null : (barStep(found, every)?.step ?? null);
      if (read === null) continue;
      known += 1;
      assert.deepEqual(read, { step: { ...byItsWords, time: null, rank: null }, prefix: readPrefix(other) }, other);
    }
    assert.ok(known > 10, `${bar}: ${known}`);
  }
});

test('a bar without a name, one of others, and one with a message behind it have no shape', () => {
  for (const line of [
    '  1%|▏         | 10/1000 [00:12<20:38,  1.25s/it]',
    'Epoch 0:  12%|█▏        | 12/100 [00:10<01:16,  1.15it/s]Traceback (most recent call last):',
    'Epoch 0:  12%|█▏ rank 3  | 12/100 [00:10<01:16,  1.15it/s]',
  ]) {
    const shapes = new StepShapes(every);
    const step = barStep(parseBar(line) ?? assert.fail(line), every)?.step ?? assert.fail(line);
    shapes.learn(line, step);
    assert.equal(shapes.read(line), null, line);
  }
});

test('a line with signs beyond the first plane has a shape, too', () => {
  const line = (step: number) =>
    `\u{1f680} \u{1f525} step: ${step}  loss: 2.5  grad_norm: 0.5  \u{1f4be} memory: 40.1GiB(50.2%)`;
  const shapes = new StepShapes(every);
  const step = byWords(line(7));
  assert.ok(step !== null);
  shapes.learn(line(7), step);
  assert.equal(shapes.read(line(8))?.step.iteration, 8);
  assert.equal(shapes.read(line(8).replace('\u{1f4be}', '\u{1f4bf}')), null);
});
