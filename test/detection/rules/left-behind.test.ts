// LeftBehind: a limit that most GPUs of the host have back and one has not is reported again as one that was forgotten.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeftBehind } from '../../../src/detection/rules/left-behind.ts';
import type { EventInput } from '../../../src/model/record.ts';

const SET_MS = 1_000_000;
const BACK_MS = SET_MS + 720_000;

function change(gpu: number, state: 'onset' | 'clear', timeMs: number, after = 450): EventInput {
  const component = { type: 'gpu', id: `0000:${gpu}b:00.0` } as const;
  const given = { observedMs: timeMs, trust: 'driver', source: 'gpu', severity: 'warning', discriminator: 'gpu-power-limit' } as const; // biome-ignore format: one line
  return {
    kind: 'gpu.power_limit_changed',
    component,
    timeMs,
    state,
    attributes: { before: 700, after },
    ...given,
  };
}

/** All are lowered a second apart; those of `back` have their limit again. */
function watch(gpus: number, back: readonly number[]): LeftBehind {
  const made = new LeftBehind('node-1');
  for (let gpu = 0; gpu < gpus; gpu += 1) made.take(change(gpu, 'onset', SET_MS + 1000 * gpu));
  for (const gpu of back) made.take(change(gpu, 'clear', BACK_MS));
  return made;
}

test('one of eight that keeps its limit is reported once, a minute after the others have theirs back', () => {
  const made = watch(8, [0, 1, 2, 3, 4, 6, 7]);
  assert.deepEqual(made.settle(BACK_MS + 59_999), [], 'whoever sets them back is at it still');
  const [left, ...more] = made.settle(BACK_MS + 61_000);
  assert.deepEqual(more, []);
  assert.equal(left?.component?.id, '0000:5b:00.0');
  assert.equal(left.timeMs, BACK_MS + 60_000);
  assert.deepEqual(left.attributes, { before: 700, after: 450, left_behind: true, set_back_on: 7 });
  assert.notEqual(left.discriminator, 'gpu-power-limit', 'an event of its own');
  assert.deepEqual(made.settle(BACK_MS + 600_000), []);
});

test('where all are lowered still, all are back, or only a few are, nothing was forgotten', () => {
  for (const back of [[], [0, 1, 2, 3, 4, 5, 6, 7], [0], [0, 1, 2, 3]])
    assert.deepEqual(watch(8, back).settle(BACK_MS + 600_000), [], `${back.length} are back`);
});

test('a GPU whose limit was lowered at another time was meant alone', () => {
  const made = watch(4, [0, 1, 2, 3]);
  made.take(change(5, 'onset', SET_MS + 300_000));
  assert.deepEqual(made.settle(BACK_MS + 600_000), []);
});

const work = (state: 'onset' | 'clear', timeMs: number, id = 'node-1'): EventInput => ({
  kind: 'host.maintenance',
  component: { type: 'host', id },
  timeMs,
  observedMs: timeMs,
  trust: 'system',
  state,
  source: 'maintenance',
});

test('what declared work set on all GPUs, and did not set back, is reported a minute after its end', () => {
  const made = new LeftBehind('node-1');
  made.heard(work('onset', SET_MS - 5000));
  for (const gpu of [0, 1, 2]) made.take(change(gpu, 'onset', SET_MS + gpu));
  made.take(change(2, 'clear', SET_MS + 30_000));
  made.heard(work('clear', SET_MS + 60_000));
  assert.deepEqual(made.settle(SET_MS + 119_999), []);
  const found = made.settle(SET_MS + 121_000);
  assert.deepEqual(found.map(({ component }) => component?.id), ['0000:0b:00.0', '0000:1b:00.0']); // biome-ignore format: one line
  assert.deepEqual(found[0]?.attributes, { before: 700, after: 450, left_behind: true, changed_during: 'host.maintenance' }); // biome-ignore format: one line
  assert.equal(found[0]?.timeMs, SET_MS + 120_000);
  assert.deepEqual(made.settle(SET_MS + 900_000), [], 'once');
});

test('what was set before the work, or on another host’s work, was not forgotten by it', () => {
  const made = new LeftBehind('node-1');
  made.take(change(0, 'onset', SET_MS - 600_000));
  made.heard(work('onset', SET_MS));
  made.heard(work('onset', SET_MS, 'node-2'));
  made.heard(work('clear', SET_MS + 20_000));
  made.take(change(1, 'onset', SET_MS + 30_000));
  made.heard(work('clear', SET_MS + 60_000, 'node-2'));
  assert.deepEqual(made.settle(SET_MS + 900_000), []);
});

test('work that continues explains what it set for as long', () => {
  const made = new LeftBehind('node-1');
  made.heard(work('onset', SET_MS));
  made.take(change(0, 'onset', SET_MS + 1));
  assert.deepEqual(made.settle(SET_MS + 86_400_000), []);
});

test('a site’s own cap, two thirds of the limit or more, may be meant to outlast the work', () => {
  const made = new LeftBehind('node-1');
  made.heard(work('onset', SET_MS));
  for (const gpu of [0, 1]) made.take(change(gpu, 'onset', SET_MS + 1, 500));
  made.heard(work('clear', SET_MS + 60_000));
  assert.deepEqual(made.settle(SET_MS + 900_000), []);
});

/** The next run, whose clock is `aheadMs` ahead of that of the one before. */
function restarted(before: LeftBehind, aheadMs = 0): LeftBehind {
  const next = new LeftBehind('node-1');
  const document = JSON.parse(JSON.stringify(before.document()));
  assert.equal(
    next.restore(document, (timeMs) => timeMs + aheadMs),
    true,
  );
  return next;
}

function lowered(gpu: number, timeMs: number): EventInput {
  return { ...change(gpu, 'onset', timeMs), discriminator: 'gpu-power-limit:power_limit' };
}

test('a restart of the daemon within the work: what is low still after it is reported, what was set back in between is not', () => {
  const first = new LeftBehind('node-1');
  first.heard(work('onset', SET_MS));
  for (const gpu of [0, 1]) first.take(lowered(gpu, SET_MS + 1000));
  const next = restarted(first);
  next.heard(work('onset', SET_MS + 30_000));
  assert.deepEqual(
    next.settle(SET_MS + 31_000, () => null),
    [],
  );
  next.heard(work('clear', SET_MS + 60_000));
  const newest = (key: string) => (key === 'gpu/0000:1b:00.0#power_limit' ? 700 : 450);
  assert.deepEqual(next.settle(SET_MS + 119_000, newest), []);
  const found = next.settle(SET_MS + 121_000, newest);
  assert.deepEqual(found.map(({ component, state, attributes }) => [component?.id, state, attributes?.changed_during]), [['0000:0b:00.0', 'onset', 'host.maintenance']]); // biome-ignore format: one line
  // No detector of this run knows the value of before: the reading shows that it is back, also in the run after.
  const third = restarted(next);
  assert.deepEqual(
    third.settle(SET_MS + 300_000, () => 450),
    [],
  );
  assert.deepEqual(third.settle(SET_MS + 301_000, () => 700).map(({ component, state }) => [component?.id, state]), [['0000:0b:00.0', 'clear']]); // biome-ignore format: one line
  assert.deepEqual(
    third.settle(SET_MS + 302_000, () => 700),
    [],
  );
});

test('work whose end fell between the two runs is over when the next one begins; nothing is judged before it is read', () => {
  const first = new LeftBehind('node-1');
  first.heard(work('onset', SET_MS));
  first.take(lowered(0, SET_MS + 1000));
  const next = restarted(first, 5000);
  assert.deepEqual(
    next.settle(SET_MS + 100_000, () => 450),
    [],
  );
  assert.deepEqual(
    next.settle(SET_MS + 159_000, () => 450),
    [],
  );
  assert.equal(next.settle(SET_MS + 161_000, () => 450).length, 1);
  const unread = restarted(first);
  for (const at of [100_000, 161_000, 400_000]) assert.deepEqual(unread.settle(SET_MS + at), []);
  assert.equal(unread.settle(SET_MS + 401_000, () => 450).length, 1, 'read at last');
});

test('what makes no sense in the file of settings is left out', () => {
  const next = new LeftBehind('node-1');
  const asItWas = (timeMs: number) => timeMs;
  for (const bad of [{}, { changed: 1, plans: [] }, { changed: [], plans: 'x' }])
    assert.equal(next.restore(bad, asItWas), false);
  const first = new LeftBehind('node-1');
  first.take(lowered(0, SET_MS));
  const { changed } = first.document() as { changed: object[] };
  const damaged = [
    { ...changed[0], kind: 'gpu.lost' },
    { ...changed[0], time_ms: 'x' },
    null,
    7,
    { ...changed[0], component: 1 },
  ];
  assert.equal(next.restore({ changed: damaged, plans: [{}, null, { began_ms: 1 }] }, asItWas), true);
  assert.deepEqual(next.document(), { changed: [], plans: [] });
  assert.equal(
    next.restore({ changed: [...damaged, ...changed], plans: [] }, () => null),
    true,
  );
  assert.equal(next.waiting, false);
});
