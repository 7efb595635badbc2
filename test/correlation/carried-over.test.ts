// Carried over: what correlation counted over hours and jobs is the same after a restart, bounded, and read with care.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatBook } from '../../src/correlation/repeats/repeat-book.ts';
import { PastEvents } from '../../src/correlation/window/past-events.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import { correlator, event, GPUS, LATENESS, run, T0 } from './fixtures.ts';

const [GPU_A = ''] = GPUS;
const HOUR = 3600;
const DAY = 24 * HOUR;
const SM = { gpc: 3, tpc: 1, sm: 0 };

interface Book {
  document(): object;
  restore(document: Readonly<Record<string, unknown>>, place: (timeMs: number) => number | null): boolean;
}

/** What the next run reads of what this one wrote; `laterMs`: by how much its clock is ahead of that one's. */
function handedOver<T extends Book>(left: Book, next: T, laterMs: number | null = 0): T {
  const read = JSON.parse(JSON.stringify(left.document())) as Record<string, unknown>; // a document is an object
  assert.equal(next.restore(read, (timeMs) => (laterMs === null ? null : timeMs + laterMs)), true); // biome-ignore format: one call
  return next;
}

function fault(hours: number, pid: number, more: object = {}, gpu = GPU_A): FaultEvent {
  const given = { trust: 'kernel', source: 'kernel-log', attributes: { xid: 13, ...SM, pid, ...more } } as const;
  return event(hours * HOUR, 'gpu.app_fault', gpu, given);
}

function noted(...events: FaultEvent[]): RepeatBook {
  const book = new RepeatBook();
  for (const one of events) book.note(one, one.component);
  return book;
}

const asked = ({ kind, component, timeMs: lastMs }: FaultEvent) => ({ kind, component, lastMs });

test('the third process on one SM is hardware, with a restart after each', () => {
  let book = new RepeatBook();
  const actions = [0, 2, 9].map((hours, i) => {
    book = handedOver(book, new RepeatBook());
    return run(correlator([], { repeats: book }), [fault(hours, 100 + i)]).only().action;
  });
  assert.deepEqual(actions.map(({ kind }) => kind), ['debug_app', 'debug_app', 'inspect_hardware']); // biome-ignore format: one line
  assert.match(actions.at(-1)?.why ?? '', /gpc 3, tpc 1, sm 0 under 3 processes/);
});

test('what is taken up again from the incidents of the earlier run is not counted twice', () => {
  const events = [fault(0, 100), fault(2, 101)];
  const book = handedOver(noted(...events), new RepeatBook());
  const text = JSON.stringify(book.document());
  for (const one of events) assert.equal(book.note(one, one.component), false);
  assert.equal(JSON.stringify(book.document()), text);
});

test('a clock that was set between two runs moves all of it; what cannot be placed is left out', () => {
  const left = noted(fault(0, 100), fault(2, 101));
  const moved = handedOver(left, new RepeatBook(), HOUR * 1000);
  const third = fault(10, 102);
  moved.note(third, third.component);
  assert.equal(moved.of(asked(third))?.times, 3);
  assert.match(JSON.stringify(moved.document()), new RegExp(`"time_ms":${T0 + HOUR * 1000},`));
  assert.deepEqual(handedOver(left, new RepeatBook(), null).document(), { devices: [] });
});

test('as many devices and occurrences as fit are kept, those that were heard of last, in a file of less than 4 MiB', () => {
  const book = new RepeatBook();
  const long = { process: '\u0001'.repeat(100), gpc: '\u0001'.repeat(100) };
  for (let device = 0; device < 70; device += 1) {
    const gpu = `gpu/${device.toString(16).padStart(4, '0')}:1b:00.0`;
    for (let i = 0; i < 70; i += 1) {
      const one = fault(i / 60, i, i === 69 ? { ...long, process: `${i}${long.process}` } : long, gpu);
      book.note(one, one.component);
    }
  }
  const text = JSON.stringify(book.document());
  const next = handedOver(book, new RepeatBook());
  assert.equal(JSON.stringify(next.document()), text);
  const { devices } = JSON.parse(text) as { devices: { device: string; happenings: { pid: number }[] }[] }; // as document() writes it
  assert.deepEqual([devices.length, devices[0]?.device, devices.at(-1)?.device], [64, '0006:1b:00.0', '0045:1b:00.0']);
  assert.deepEqual([devices[0]?.happenings.length, devices[0]?.happenings[0]?.pid], [64, 6]);
  assert.ok(text.length < 4 * 1024 * 1024, `${text.length}`);
});

test('nonsense in the files is left out, and what makes no sense at all is refused', () => {
  const good = { kind: 'gpu.app_fault', time_ms: T0, pid: 1, job: null, unit: null };
  const bad = [null, 7, 'x', [], {}, { ...good, kind: 'no.kind' }, { ...good, kind: 'gpu.lost' }, { ...good, time_ms: 'x' }, { ...good, pid: 'x' }, { ...good, job: 7 }, { ...good, unit: 'u'.repeat(65) }]; // biome-ignore format: a list
  const book = new RepeatBook();
  const device = '0000:1b:00.0';
  const devices = [{ device, happenings: [...bad, good] }, { device: 7, happenings: [good] }, { device: 'x', happenings: 7 }, { device: 'y', happenings: bad }, null, 7]; // biome-ignore format: a list
  assert.equal(book.restore({ devices }, (ms) => ms), true); // biome-ignore format: one call
  assert.deepEqual(book.document(), { devices: [{ device, happenings: [good] }] });
  assert.equal(new RepeatBook().restore({ devices: 'x' }, (ms) => ms), false); // biome-ignore format: one call
  const past = new PastEvents(LATENESS);
  const ended = [[T0, 1], [T0, 2], ['x', 1], [], null, 7, [T0 + 1, 0]]; // biome-ignore format: a list
  const kinds = [{ kind: 'nic.link_flap', ended }, { kind: 'no.kind', ended }, { kind: 'gpu.lost', ended: 7 }, null, 7];
  assert.equal(past.restore({ kinds }, (ms) => ms), true); // biome-ignore format: one call
  assert.deepEqual(past.document(), { kinds: [{ kind: 'nic.link_flap', ended: [[T0, 1], [T0 + 1, 0]] }] }); // biome-ignore format: one line
  assert.equal(new PastEvents(LATENESS).restore({}, (ms) => ms), false); // biome-ignore format: one call
});

const flap = (s: number) => event(s, 'nic.link_flap', 'nic/0000:40:00.0', { trust: 'kernel', source: 'nic' });
const timeout = (s: number) => event(s, 'job.collective_timeout', 'rank/train/0', { trust: 'tenant', source: 'job-log' }); // biome-ignore format: one line
const started = (s: number) => event(s, 'job.started', 'job/train', { trust: 'tenant', source: 'job-log' });

test('a flap before a timeout, after forty that did nothing and a restart, is blamed as little as without the restart', () => {
  const flaps = Array.from({ length: 40 }, (_, i) => flap((i * DAY) / 2));
  let changes = 0;
  const before = new PastEvents(LATENESS, () => {
    changes += 1;
  });
  run(correlator([], { pastEvents: before }), [started(-60), ...flaps, event(21 * DAY, 'job.ended', 'job/train')]);
  assert.ok(changes > 30, `${changes}`);
  const last = [started(22 * DAY), flap(22 * DAY + 60), timeout(22 * DAY + 62)];
  const forgetful = run(correlator(), last);
  assert.equal(forgetful.of('nic.link_flap').rootKnown, true);
  const [carried] = run(correlator([], { pastEvents: handedOver(before, new PastEvents(LATENESS)) }), last).last.filter(
    ({ chain }) => chain.some(({ kind }) => kind === 'job.collective_timeout'),
  );
  assert.equal(carried?.rootKnown, false);
  const why = carried?.ruledOut.find(({ what }) => what.includes('0000:40:00.0'))?.why ?? '';
  assert.match(why, /^it happened here \d+ times before, without any consequence$/);
});
