// Resets of GPUs that root asks the kernel for are planned; those by which the kernel recovers, and those of other devices, are not these.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelContext } from '../../../src/detection/text/kernel.ts';
import { decodeLines, START_MS } from './lines.ts';

const kinds = (...lines: string[]) =>
  decodeLines(lines, kernelContext('node-1'), START_MS, 1000).map(({ kind, component }) => [kind, component?.id]);

test('a reset through sysfs is one of the GPU, from its first line on', () => {
  const of = ['gpu.reset', '0000:43:00.0'];
  assert.deepEqual(kinds('nvidia 0000:43:00.0: resetting')[0], of);
  assert.deepEqual(kinds('amdgpu 0000:43:00.0: reset done')[0], of);
});

test('a disk, a device of a guest, another word, and a line that quotes it are no reset of a GPU', () => {
  for (const line of [
    'nvme 0000:43:00.0: resetting',
    'vfio-pci 0000:43:00.0: reset done',
    'nvidia 0000:43:00.0: resetting failed',
    'python: nvidia 0000:43:00.0: resetting',
    'pcieport 0000:42:01.0: AER: Downstream Port link has been reset (0)',
  ])
    assert.deepEqual(kinds(line).filter(([kind]) => kind === 'gpu.reset'), [], line); // biome-ignore format: one line
});
