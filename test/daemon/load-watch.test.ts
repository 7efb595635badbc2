// Whose step in power it was: the job's that the GPUs run, the host's where no job is known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadWatch } from '../../src/daemon/load-watch.ts';
import type { EventInput } from '../../src/model/record.ts';
import type { Aggregates } from '../../src/native.ts';

const KEYS = ['gpu/0000:01:00.0#power', 'cpu/n/0#power', 'gpu/0000:02:00.0#power', 'gpu/0000:01:00.0#temperature'];

function second(atS: number, watts: readonly number[]): Aggregates {
  const list = (values: readonly number[]) => Float64Array.from(values);
  return {
    ids: Uint32Array.from(watts.keys()),
    count: Uint32Array.from(watts.map(() => 2)),
    min: list(watts),
    max: list(watts),
    mean: list(watts),
    last: list(watts),
    lastTimeMs: list(watts.map(() => atS * 1000)),
  };
}

function watching(jobs: Readonly<Record<string, string>>) {
  const events: EventInput[] = [];
  const watch = new LoadWatch({
    host: 'n',
    core: { seriesKeys: () => KEYS, stats: () => ({ series: KEYS.length }) as never },
    placement: { workOf: (gpu) => (jobs[gpu] === undefined ? null : { job: jobs[gpu], role: '', model: '' }) },
    emit: (event) => events.push(event),
  });
  return { events, watch };
}

for (const [name, jobs, expected] of [
  ['one job', { 'gpu/0000:01:00.0': 'llama', 'gpu/0000:02:00.0': 'llama' }, ['job/llama 200 → 1400 of 2']],
  ['no job', {}, ['host/n 200 → 1400 of 2']],
  ['two jobs', { 'gpu/0000:01:00.0': 'a', 'gpu/0000:02:00.0': 'b' }, ['job/a 100 → 700 of 1', 'job/b 100 → 700 of 1']],
] as const) {
  test(`${name}: the step is its own`, () => {
    const { events, watch } = watching(jobs);
    for (let s = 0; s < 40; s += 1) {
      const watts = s < 20 ? 100 : 700;
      watch.take(second(s, [watts, 5000 * (s % 2), watts, 60]));
    }
    const shown = events.map(({ component, attributes }) => `${component?.type}/${component?.id} ${attributes?.before} → ${attributes?.after} of ${attributes?.gpus}`); // biome-ignore format: one line
    assert.deepEqual(shown, expected);
    for (const { kind, interval } of events)
      assert.deepEqual([kind, interval], ['power.load_step', { earliestMs: 19_000, latestMs: 20_000 }]);
  });
}

test('a GPU that joins the job, or leaves it, does not make the others step', () => {
  const jobs: Record<string, string> = { 'gpu/0000:01:00.0': 'llama' };
  const { events, watch } = watching(jobs);
  for (let s = 0; s < 20; s += 1) watch.take(second(s, [700, 0, 700, 60]));
  jobs['gpu/0000:02:00.0'] = 'llama';
  for (let s = 20; s < 40; s += 1) watch.take(second(s, [700, 0, 700, 60]));
  assert.deepEqual(events, []);
});
