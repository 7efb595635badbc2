// GPUs on the bus against those of the driver: what is missing, and what only looks like it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MissingWatch, missingGpus, type PciGpu } from '../../../src/sources/pci/gpu-count.ts';

const [A, B, C] = ['0000:1b:00.0', '0000:29:00.0', '0000:45:00.0'] as const;
const all = [A, B, C];
const gpu = (address: string, driver: string | null = 'nvidia'): PciGpu => ({ address, driver });
const given = (gpus: readonly PciGpu[], kernel: readonly string[] | null, library: readonly string[] | null = null) =>
  missingGpus(gpus, { kernel, library }).map(({ address, why }) => `${address} ${why}`);

test('all there: nothing is missing', () => {
  assert.deepEqual(
    given(
      all.map((one) => gpu(one)),
      all,
      all,
    ),
    [],
  );
});

test('one without driver, one that the driver does not list, one that its library does not', () => {
  assert.deepEqual(given([gpu(A), gpu(B, null)], [A]), [`${B} no_driver`]);
  assert.deepEqual(given([gpu(A), gpu(B)], [A]), [`${B} not_in_driver`]);
  assert.deepEqual(given([gpu(A), gpu(B)], [A, B], [A]), [`${B} not_in_library`]);
});

test('no driver at all, or one that reloads, says nothing', () => {
  assert.deepEqual(
    given(
      all.map((one) => gpu(one, null)),
      null,
    ),
    [],
  );
  assert.deepEqual(
    given(
      all.map((one) => gpu(one)),
      [],
    ),
    [],
  );
  assert.deepEqual(
    given(
      all.map((one) => gpu(one)),
      all,
      [],
    ),
    [],
    'the library has just started',
  );
});

test('given to a virtual machine, or hidden by a container', () => {
  assert.deepEqual(given([gpu(A), gpu(B, 'vfio-pci'), gpu(C, 'nouveau')], [A], [A]), []);
  assert.deepEqual(
    given(
      all.map((one) => gpu(one)),
      null,
      [A],
    ),
    [],
  );
});

test('reported at the second look that misses it, since the first, and over at the first that does not', () => {
  const watch = new MissingWatch();
  const missing = missingGpus([gpu(A), gpu(B, null)], { kernel: [A], library: null });
  assert.deepEqual(watch.update([], 0), []);
  assert.deepEqual(watch.update(missing, 1000), []);
  const [onset] = watch.update(missing, 2000);
  assert.deepEqual([onset?.state, onset?.address, onset?.earliestMs, onset?.latestMs], ['onset', B, 0, 1000]);
  assert.deepEqual([watch.update(missing, 3000), watch.count], [[], 1]);
  const [clear] = watch.update([], 4000);
  assert.deepEqual([clear?.state, clear?.earliestMs, clear?.latestMs], ['clear', 3000, 4000]);
  watch.update(missing, 5000);
  assert.deepEqual(watch.update([], 6000), [], 'one look is chance');
});
