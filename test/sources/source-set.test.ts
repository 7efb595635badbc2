// Other settings for running sources: only those concerned start, stop or change, and each listens once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Emit } from '../../src/model/record.ts';
import { WallTimes } from '../../src/model/wall-times.ts';
import type { AnySource } from '../../src/sources/define-source.ts';
import { Services } from '../../src/sources/services.ts';
import type { Source } from '../../src/sources/source.ts';
import { SourceSet, type SourcesConfig } from '../../src/sources/source-set.ts';

const EMIT: Emit = { samples() {}, text() {}, event() {}, discovery() {} };

function config(sources: Readonly<Record<string, unknown>>): SourcesConfig {
  const directories = { state: '/', log: '/', runtime: '/' };
  return { host: 'node-3', roots: { proc: '/', sys: '/' }, directories, record: { path: null, maxBytes: 0 }, sources };
}

/** Sources a, b and c, of which c takes other settings while it runs. */
async function threeSources(first: SourcesConfig) {
  const happened: string[] = [];
  const services = new Services((_, work) => work());
  const definitions = ['a', 'b', 'c'].map(
    (name): AnySource => ({
      name,
      reads: name,
      trust: 'system',
      components: {},
      idle: (settings) => (settings === null ? { status: 'off', detail: '', remedy: null } : null),
      async create(settings): Promise<Source> {
        services.suspicion.listen(name, () => void happened.push(`${name} looks closer`));
        return {
          name,
          start: () => void happened.push(`${name} starts with ${settings}`),
          health: () => [],
          ...(name === 'c' ? { reconfigure: (other) => happened.push(`c takes ${other}`) > 0 } : {}),
          stop: async () => void happened.push(`${name} stops`),
          forget: () => void happened.push(`${name} is forgotten`),
        };
      },
    }),
  );
  const set = await SourceSet.of(first, {
    services,
    wall: new WallTimes(),
    bulkhead: undefined,
    asked: ({ sources }) => definitions.filter((one) => one.idle(sources[one.name]) === null),
    make: (definition, settings) => definition.create(settings, {} as never), // these read nothing of a host
  });
  const reload = (next: SourcesConfig) => set.reload(next, EMIT, new AbortController().signal);
  return { set, happened, services, reload };
}

test('only what changed stops, starts or takes up the change; the order of the list stays', async () => {
  const { set, happened, reload } = await threeSources(config({ a: 1, b: null, c: 1 }));
  assert.deepEqual(await reload(config({ a: 1, b: null, c: 1 })), { started: [], stopped: [], changed: [] });
  assert.deepEqual(await reload(config({ a: 2, b: 1, c: 2 })), { started: ['b'], stopped: [], changed: ['a', 'c'] });
  assert.deepEqual(happened.splice(0), ['c takes 2', 'a stops', 'a starts with 2', 'b starts with 1']);
  assert.deepEqual(set.sources.map(({ name }) => name), ['a', 'b', 'c']); // biome-ignore format: one call
  assert.deepEqual(await reload(config({ a: null, b: 1, c: 2 })), { started: [], stopped: ['a'], changed: [] });
  assert.deepEqual(happened, ['a stops', 'a is forgotten']);
  assert.deepEqual(set.sources.map(({ name }) => name), ['b', 'c']); // biome-ignore format: one call
});

test('a source that was made again answers a signal once, one that ended not at all', async () => {
  const { happened, services, reload } = await threeSources(config({ a: 1, b: 1, c: null }));
  await reload(config({ a: 2, b: null, c: null }));
  happened.length = 0;
  services.suspicion.raise();
  assert.deepEqual(happened, ['a looks closer']);
});
