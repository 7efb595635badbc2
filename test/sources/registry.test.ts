// The list of sources: each says once what it is, and nothing that native code hands over is left without a reader.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMPONENT_TYPES } from '../../src/model/component.ts';
import { NOTICE_NAMES } from '../../src/model/native-notice.ts';
import type { AnySource } from '../../src/sources/define-source.ts';
import { nativeOrigins } from '../../src/sources/native-origins.ts';
import { SOURCES } from '../../src/sources/registry.ts';

const all: readonly AnySource[] = SOURCES;

/** The daemon reads these itself, or only their number matters. */
const OF_THE_DAEMON = ['counter_reset', 'series_limit'];

test('every source has a name of its own, and the folder is named like it', async () => {
  const names = all.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const source of all) {
    const folder = await import(`../../src/sources/${source.name}/index.ts`);
    assert.equal(Object.values(folder).includes(source), true, source.name);
  }
});

test('every notice of native code has a reader', () => {
  const read = new Set([...all.flatMap(({ notices = [] }) => notices), ...OF_THE_DAEMON]);
  assert.deepEqual(
    NOTICE_NAMES.filter((name) => !read.has(name)),
    [],
  );
});

test('one source at most has native code sample the series of a component type, and one shows its lag by them', () => {
  for (const type of COMPONENT_TYPES) {
    const claims = all.flatMap(({ components }) => components[type] ?? []);
    assert.equal(claims.filter(({ native }) => native === true).length <= 1, true, type);
    assert.equal(claims.filter(({ lag }) => lag !== undefined).length <= 1, true, type);
  }
});

test('what native code samples is the word of the driver for GPUs, of the kernel for CPUs and the power of the host', () => {
  assert.deepEqual(nativeOrigins(all), {
    gpu: { source: 'gpu', trust: 'driver' },
    gpu_instance: { source: 'gpu', trust: 'driver' },
    nvlink: { source: 'gpu', trust: 'driver' },
    cpu: { source: 'cpu', trust: 'kernel' },
    host: { source: 'cpu', trust: 'kernel' },
  });
});
