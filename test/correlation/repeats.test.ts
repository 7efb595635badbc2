// Repeats: what comes back on one part of a GPU under one job after the other is the GPU; a program is wrong anywhere.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RepeatBook } from '../../src/correlation/repeats/repeat-book.ts';
import type { Attributes, FaultEvent } from '../../src/model/event.ts';
import { runs } from '../runs.ts';
import { correlator, event, GPUS, run, T0 } from './fixtures.ts';

const [GPU_A = '', GPU_B = ''] = GPUS;
const HOUR = 3600;
const SM = { gpc: 3, tpc: 1, sm: 0 };

function fault(hours: number, gpu: string, attributes: Attributes, given: object = {}): FaultEvent {
  const kernel = { trust: 'kernel', source: 'kernel-log' } as const;
  return event(hours * HOUR, 'gpu.app_fault', gpu, { ...kernel, attributes: { xid: 13, ...attributes }, ...given });
}

/** The actions of the incidents, one after the other, each as it was at its end. */
function actions(...events: FaultEvent[]): string[] {
  return run(correlator(), events)
    .last.toSorted((a, b) => a.firstEventMs - b.firstEventMs)
    .map(({ action }) => action.kind);
}

test('the same GPC, TPC and SM under three processes, hours apart, is hardware from the third on', () => {
  const events = [0, 2, 9].map((h, i) => fault(h, GPU_A, { ...SM, pid: 100 + i }));
  assert.deepEqual(actions(...events), ['debug_app', 'debug_app', 'inspect_hardware']);
  const { action, root } = run(correlator(), events).last.at(-1) ?? assert.fail();
  assert.equal(root.kind, 'gpu.app_fault');
  assert.match(action.why, /gpc 3, tpc 1, sm 0 under 3 processes/);
});

test('the driver’s own event of each fault, which names no part, does not hide the part that the kernel names', () => {
  const events = [0, 2, 9].flatMap((h, i) => [
    fault(h, GPU_A, { ...SM, pid: 100 + i }),
    fault(h + 0.001, GPU_A, {}, { trust: 'driver', source: 'gpu' }),
  ]);
  assert.equal(actions(...events).at(-1), 'inspect_hardware');
});

test('the order in which the events are noted does not change what is found', () => {
  const [a, b, c] = [0, 2, 9].map((h, i) => fault(h, GPU_A, { ...SM, pid: 100 + i }));
  assert.ok(a && b && c);
  // True where what was found before does not hold: one came late, or is the third.
  const orders: [FaultEvent[], boolean[]][] = [
    [[a, b, c], [false, false, true]],
    [[c, a, b], [false, true, true]],
    [[b, c, a], [false, false, true]],
    [[c, c, b, a, a], [false, false, true, true, false]],
  ]; // biome-ignore format: a table
  for (const [events, expected] of orders) {
    const book = new RepeatBook();
    const late = events.map((one) => book.note(one, one.component));
    assert.deepEqual(book.of({ kind: 'gpu.app_fault', component: c.component, lastMs: c.timeMs }), { action: 'inspect_hardware', times: 3, unit: 'gpc 3, tpc 1, sm 0' }); // biome-ignore format: one line
    assert.equal(book.of({ kind: 'gpu.app_fault', component: b.component, lastMs: b.timeMs }), null);
    assert.deepEqual(late, expected);
  }
});

test('what is noted says truly whether it changed what is found, in a storm as among few', () => {
  const line = fc.record({
    minutes: fc.oneof(fc.constant(0), fc.constant(0.2), fc.nat({ max: 3000 })),
    pid: fc.option(fc.nat({ max: 9 })),
    sm: fc.option(fc.nat({ max: 2 })),
    gpu: fc.constantFrom(GPU_A, GPU_A, GPU_B),
  });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 150 }), (lines) => {
      const book = new RepeatBook();
      let hours = 0;
      for (const { minutes, pid, sm, gpu } of lines) {
        hours += minutes / 60;
        const said = { ...(pid === null ? {} : { pid }), ...(sm === null ? {} : { ...SM, sm }) };
        const one = fault(hours, gpu, said);
        const asked = { kind: one.kind, component: one.component, lastMs: one.timeMs };
        const before = book.of(asked) === null;
        const changed = book.note(one, one.component);
        assert.equal(changed, before !== (book.of(asked) === null));
      }
    }),
    { numRuns: runs(50, 1000) },
  );
});

test('a program that is started again and again within minutes is a program', () => {
  assert.ok(actions(...[0, 0.02, 0.04].map((h, i) => fault(h, GPU_A, { ...SM, pid: 100 + i }))).every((action) => action === 'debug_app')); // biome-ignore format: one line
});

test('other units, all units at once, one process, or other GPUs at the same time: the program', () => {
  const program = ['debug_app', 'debug_app', 'debug_app'];
  assert.deepEqual(actions(...[0, 2, 9].map((h, i) => fault(h, GPU_A, { ...SM, sm: i, pid: 100 + i }))), program);
  assert.deepEqual(actions(...[0, 2, 9].map((h, i) => fault(h, GPU_A, { ...SM, units: 16, pid: 100 + i }))), program);
  assert.deepEqual(actions(...[0, 2, 9].map((h) => fault(h, GPU_A, { ...SM, pid: 100 }))), program);
  const both = [0, 2, 9].flatMap((h, i) => [
    fault(h, GPU_A, { ...SM, pid: 100 + i }),
    fault(h + 0.001, GPU_B, { ...SM, pid: 200 + i }),
  ]);
  assert.ok(actions(...both).every((action) => action === 'debug_app'));
});

test('three jobs by name on one GPU are enough without a unit, three processes of unknown jobs are not', () => {
  const named = ['llama_train', 'vit_train', 'moe_train'].map((process, i) => fault(3 * i, GPU_A, { xid: 31, pid: 100 + i, process })); // biome-ignore format: one line
  assert.deepEqual(actions(...named), ['debug_app', 'debug_app', 'inspect_hardware']);
  const unknown = [0, 3, 6].map((h, i) => fault(h, GPU_A, { xid: 31, pid: 100 + i, process: 'python3' }));
  assert.deepEqual(actions(...unknown), ['debug_app', 'debug_app', 'debug_app']);
});

test('the driver reports the number of each fault as well, and hides nothing of it', () => {
  const events = [0, 2, 9].flatMap((h, i) => [
    fault(h, GPU_A, { ...SM, pid: 100 + i }),
    fault(h + 0.0001, GPU_A, {}, { trust: 'driver', source: 'gpu' }),
  ]);
  const [, , last] = actions(...events);
  assert.equal(last, 'inspect_hardware');
});

test('the one that makes it a repeat is reported also where the incident of those before is still open', () => {
  const events = Array.from({ length: 13 }, (_, i) => fault(i / 120, GPU_A, { ...SM, pid: 100 + i }));
  const reported = run(correlator(), events);
  const [incident, ...others] = reported.last;
  assert.deepEqual([incident?.action.kind, others.length], ['inspect_hardware', 0]);
  const first = reported.all.find(({ action }) => action.kind === 'inspect_hardware');
  assert.ok(first !== undefined && first.asOfMs <= T0 + (300 + 30) * 1000, `${first?.asOfMs}`);
});

test('what a user wrote, and what is older than a week, does not count', () => {
  const forged = { trust: 'tenant', source: 'job-log' };
  const events = [0, 2, 9].map((h, i) => fault(h, GPU_A, { ...SM, pid: 100 + i }, i < 2 ? forged : {}));
  assert.equal(actions(...events).at(-1), 'debug_app');
  const old = [0, 2, 200].map((h, i) => fault(h, GPU_A, { ...SM, pid: 100 + i }));
  assert.equal(actions(...old).at(-1), 'debug_app');
});

test('a GPU that heads for its limit again and again within minutes is one link of the chain, with how often', () => {
  const gpu = { source: 'gpu', trust: 'driver' } as const;
  const heating = (s: number, at: string): FaultEvent[] => [
    event(s, 'gpu.heating', at, { ...gpu, state: 'onset' }),
    event(s + 20, 'gpu.heating', at, { ...gpu, state: 'clear' }),
  ];
  const events = [
    event(0, 'cooling.inlet_overtemp', 'host/node-3', { trust: 'bmc', source: 'bmc', state: 'onset' }),
    ...[60, 205, 390].flatMap((s) => [...heating(s, GPU_A), ...heating(s + 5, GPU_B)]),
  ];
  const { chain, events: seen } = run(
    correlator(),
    events.toSorted((a, b) => a.timeMs - b.timeMs),
  ).only();
  const places = chain.filter(({ kind }) => kind === 'gpu.heating').map(({ component }) => `gpu/${component?.id}`);
  assert.deepEqual(places.sort(), [GPU_A, GPU_B]);
  // A count of an open incident is published by its powers of two.
  assert.deepEqual(seen.filter(({ kind }) => kind === 'gpu.heating').map(({ count }) => count), [2, 2]); // biome-ignore format: one call
});
