// Maintenance source: what is declared becomes an onset, its end a clear, by itself and through restarts.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Emit, EventInput } from '../../../src/model/record.ts';
import { MaintenanceBook } from '../../../src/sources/maintenance/maintenance-book.ts';
import { MaintenanceSource } from '../../../src/sources/maintenance/maintenance-source.ts';
import { maintenance, T0 } from '../../incidents/sample.ts';

const HOUR_MS = 3_600_000;

function started(restored: ConstructorParameters<typeof MaintenanceSource>[0]['restored'] = []) {
  const events: EventInput[] = [];
  const emit: Emit = { samples() {}, text() {}, discovery() {}, event: (event) => events.push(event) };
  const source = new MaintenanceSource({ now: () => Date.now(), restored });
  source.start(emit, new AbortController().signal);
  const reported = () => events.map(({ state, timeMs }) => [state, timeMs - T0]);
  return { source, events, reported };
}

function clockAt(ms: number): void {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: ms });
}

test('a start is an onset with who, why and until; an end is its clear', (t) => {
  clockAt(T0);
  t.after(() => mock.timers.reset());
  const { source, events, reported } = started();
  source.take(maintenance('start', T0, { note: 'new fans', untilMs: T0 + HOUR_MS }));
  mock.timers.tick(1000);
  source.take(maintenance('end', T0 + 1000));
  assert.deepEqual(reported(), [['onset', 0], ['clear', 1000]]); // biome-ignore format: pairs
  const [onset] = events;
  assert.deepEqual([onset?.kind, onset?.component, onset?.trust], ['host.maintenance', { type: 'host', id: 'node-3' }, 'system']); // biome-ignore format: one line
  assert.deepEqual([onset?.attributes?.by, onset?.attributes?.note], ['anna', 'new fans']);
  assert.equal(onset?.attributes?.until, '2026-11-27T15:32:00.000Z');
});

test('it ends by itself, at the time that was said and not a tick before', (t) => {
  clockAt(T0);
  t.after(() => mock.timers.reset());
  const { source, reported } = started();
  source.take(maintenance('start', T0, { untilMs: T0 + HOUR_MS }));
  mock.timers.tick(HOUR_MS - 1);
  assert.equal(source.inForce().length, 1);
  assert.deepEqual(reported(), [['onset', 0]]);
  mock.timers.tick(1);
  assert.deepEqual(reported(), [['onset', 0], ['clear', HOUR_MS]]); // biome-ignore format: pairs
  assert.equal(source.inForce().length, 0);
});

test('a second start moves the end, and the first one ends nothing any more', (t) => {
  clockAt(T0);
  t.after(() => mock.timers.reset());
  const { source, reported } = started();
  source.take(maintenance('start', T0, { untilMs: T0 + HOUR_MS }));
  mock.timers.tick(1000);
  source.take(maintenance('start', T0 + 1000, { untilMs: T0 + 2 * HOUR_MS }));
  mock.timers.tick(2 * HOUR_MS);
  assert.deepEqual(reported(), [['onset', 0], ['onset', 1000], ['clear', 2 * HOUR_MS]]); // biome-ignore format: pairs
});

test('one that lasts for days is reported again before the line would hold it over', (t) => {
  clockAt(T0);
  t.after(() => mock.timers.reset());
  const { source, reported } = started();
  source.take(maintenance('start', T0));
  for (let hours = 0; hours < 72; hours += 1) mock.timers.tick(HOUR_MS);
  const onsets = reported().map(([, timeMs]) => Number(timeMs));
  assert.ok(onsets.every((at, index) => at - (onsets[index - 1] ?? 0) < 24 * HOUR_MS));
  assert.ok((onsets.at(-1) ?? 0) > 60 * HOUR_MS);
});

test('a restart continues with what is in force, and tells what ended a moment ago', (t) => {
  clockAt(T0 + 2 * HOUR_MS);
  t.after(() => mock.timers.reset());
  const gpu = { type: 'gpu', id: '0000:9b:00.0' } as const;
  const { reported, source } = started([
    maintenance('start', T0),
    maintenance('start', T0 + 1, { component: gpu, untilMs: T0 + 2 * HOUR_MS - 60_000 }),
    maintenance('start', T0 + 2, { component: { type: 'psu', id: 'node-3/1' }, untilMs: T0 + HOUR_MS }),
  ]);
  assert.deepEqual(reported(), [['onset', 0], ['onset', 1], ['clear', 2 * HOUR_MS - 60_000]]); // biome-ignore format: pairs
  assert.equal(source.inForce().length, 1);
});

test('nothing declared sets no timer, nothing is reported after the stop', async (t) => {
  clockAt(T0);
  t.after(() => mock.timers.reset());
  const { source, reported } = started();
  await source.stop();
  source.take(maintenance('start', T0, { untilMs: T0 + HOUR_MS }));
  mock.timers.tick(2 * HOUR_MS);
  assert.deepEqual(reported(), []);
});

test('of each component the newest word counts; an end before its time stays before its time', () => {
  const book = new MaintenanceBook([
    maintenance('end', T0 - 1),
    maintenance('start', T0, { untilMs: T0 + 10_000 }),
    maintenance('end', T0 + 5000),
  ]);
  assert.deepEqual(book.all().map(({ endMs }) => endMs), [T0 + 5000]); // biome-ignore format: one line
  book.take(maintenance('end', T0 + 20_000));
  assert.deepEqual(book.all().map(({ endMs }) => endMs), [T0 + 5000]); // biome-ignore format: one line
  assert.equal(book.inForce(T0 + 4999).length, 1);
  assert.equal(book.inForce(T0 + 5000).length, 0);
});
