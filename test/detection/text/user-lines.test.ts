// Lines that the configuration describes: steps and events out of a form that no framework has, tried by their examples.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { complaints, load } from '../../config/helpers.ts';
import { jobRecord } from './lines.ts';

const lines = (expect: string) => `
sources:
  job_lines:
    - name: our-trainer
      has: ["[trainer]", "it="]
      fields: {iteration: ["it="], loss: ["L="], step_time_ms: ["dt="]}
      examples:
        - line: "[trainer] it=12/100 L=2.5 dt=310"
          expect: ${expect}
    - {name: store-gone, has: ["STORE GONE"], kind: job.checkpoint_failed}
`;
const RIGHT = '{iteration: 12, target_iteration: 100, loss: 2.5, step_time_ms: 310}';

test('they report steps, samples and events of their job, and other lines stay what they were', async () => {
  const { config } = await load(lines(RIGHT));
  const detection = new TextDetection('node-1');
  detection.expectLines(config.sources['job-log'].lines);
  const first = detection.decode(jobRecord('[trainer] it=13/100 L=nan dt=312.5', 0));
  const { iteration, loss, step_time_ms: ms } = first.steps[0]?.progress ?? {};
  assert.deepEqual([iteration, loss, ms], [13, 'nan', 312.5]);
  assert.deepEqual(first.events.map(({ kind }) => kind), ['job.nan']); // biome-ignore format: one line
  assert.deepEqual(first.samples?.keys, ['job/llama#step_time', 'job/llama#iteration', 'job/llama#target_iteration']);
  const gone = detection.decode(jobRecord('12:00 STORE GONE: 5 objects', 1));
  assert.deepEqual(gone.events.map(({ kind, trust, attributes }) => [kind, trust, attributes?.line]), [['job.checkpoint_failed', 'tenant', 'store-gone']]); // biome-ignore format: one line
  const known = ' iteration 14/ 100 | consumed samples: 15 | elapsed time per iteration (ms): 5.5 |';
  assert.equal(detection.decode(jobRecord(known, 2)).steps.length, 1);
  detection.expectLines([]);
  assert.deepEqual(detection.decode(jobRecord('STORE GONE', 3)).events, []);
});

test('a configuration whose examples are read differently, or that reads nothing, is refused', async () => {
  assert.match(
    (await complaints(lines('{iteration: 12, loss: 2.6}'))).join(),
    /examples\[0\] is not read as expected: loss is read as 2.5, not 2.6 \[FL1110\]/,
  );
  const other = lines(RIGHT).replace('"[trainer] it=12', '"[other] it=12');
  assert.match((await complaints(other)).join(), /the line has not all of "\[trainer\]", "it="/);
  assert.match((await complaints('sources: {job_lines: [{name: x, has: ["y"]}]}')).join(), /reads nothing.*FL1107/);
  assert.match((await complaints('sources: {job_lines: [{name: x, has: ["y"], kind: gpu.lost}]}')).join(), /kind/);
});
