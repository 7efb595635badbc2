// A job's framework is named with what says so and how far: by its process, by the lines of its log, by both, by neither.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobFramework } from '../../src/daemon/job-framework.ts';
import { UnderstoodLines } from '../../src/detection/text/understood.ts';
import { jobRecord } from '../detection/text/lines.ts';

const process = (name: string, knownBy: string) => ({ framework: { name, knownBy } });
const counted = (frameworks: Readonly<Record<string, number>>) => ({ lines: 9, steps: 9, others: 0, frameworks: new Map(Object.entries(frameworks)) }); // biome-ignore format: one line

test('what runs it counts more than what it has mapped, and lines in its own form more than either', () => {
  assert.deepEqual(jobFramework(process('megatron', 'command line'), undefined), { name: 'megatron', known_by: 'command line', confidence: 0.9 }); // biome-ignore format: one line
  assert.equal(jobFramework(process('megatron', 'environment'), undefined)?.confidence, 0.8);
  const lines = { name: 'megatron', known_by: 'progress lines of its log (20 of 20)', confidence: 0.95 };
  assert.deepEqual(jobFramework(process('pytorch', 'libraries that it has mapped'), counted({ megatron: 20 })), lines); // biome-ignore format: one line
  assert.deepEqual(jobFramework({ framework: null }, counted({ megatron: 20 })), lines);
  assert.equal(jobFramework(process('megatron', 'command line'), counted({ megatron: 20 }))?.known_by, 'command line; progress lines of its log (20 of 20)'); // biome-ignore format: one line
});

test('a few lines of another form do not outweigh the command, and forms of no framework say nothing', () => {
  assert.equal(jobFramework(process('megatron', 'command line'), counted({ deepspeed: 2 }))?.name, 'megatron');
  assert.equal(jobFramework({ framework: null }, counted({ deepspeed: 2 }))?.confidence, 0.7);
  assert.equal(jobFramework({ framework: null }, counted({ other: 20, configured: 3 })), null);
  assert.equal(jobFramework({ framework: null }, undefined), null);
});

test('the lines of a job are counted by whose form they have', () => {
  const lines = new UnderstoodLines();
  for (let i = 0; i < 5; i += 1) lines.take(jobRecord('x', i), 1, 0, 'megatron');
  lines.take(jobRecord('x', 9), 0, 1);
  assert.deepEqual([...(lines.of('llama')?.frameworks ?? [])], [['megatron', 5]]);
});
