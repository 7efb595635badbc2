// Ports: down and up with hysteresis, flapping, drops between two readings, shut by order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PortWatch } from '../../../src/sources/nic/port-watch.ts';

type Step = { readonly up: boolean; readonly downs?: number | null; readonly byOrder?: boolean };
const STEP_MS = 5000;

function run(steps: readonly Step[], watch = new PortWatch(), fromMs = 0) {
  return steps.flatMap(({ up, downs = null, byOrder = false }, i) =>
    watch
      .update({ up, downs, byOrder, text: up ? '4: ACTIVE' : '1: DOWN' }, fromMs + i * STEP_MS)
      .map((edge) => ({ at: i, ...edge })),
  );
}

const up = (downs: number | null = null): Step => ({ up: true, downs });
const down = (downs: number | null = null): Step => ({ up: false, downs });
const short = (edges: ReturnType<typeof run>) => edges.map(({ at, kind, state }) => `${at} ${kind} ${state}`);

test('a port that goes down is reported at once, between the two readings, and is up again after two readings', () => {
  const edges = run([up(), up(), down(), down(), up(), up(), up()]);
  assert.deepEqual(short(edges), ['2 nic.port_down onset', '5 nic.port_down clear']);
  assert.deepEqual(edges[0]?.interval, { earliestMs: 5000, latestMs: 10_000 });
  assert.deepEqual(
    edges[1]?.interval,
    { earliestMs: 15_000, latestMs: 20_000 },
    'up since then, though reported later',
  );
});

test('a port that never was up is not news', () => {
  assert.deepEqual(run([down(3), down(3), down(3)]), []);
});

test('a port that an earlier boot saw up and that stays down now is down, one that comes up in time is not', () => {
  const stays = run(Array.from({ length: 8 }, () => down(0)), new PortWatch(true)); // biome-ignore format: one line
  assert.deepEqual(short(stays), ['5 nic.port_down onset']);
  assert.deepEqual(run([down(0), down(0), down(0), up(0), up(0), up(0)], new PortWatch(true)), []);
});

test('a drop between two readings shows in the counter of the port', () => {
  const edges = run([up(7), up(8), up(8), up(8)]);
  assert.deepEqual(short(edges), ['1 nic.link_flap onset', '2 nic.link_flap clear']);
  assert.match(edges[0]?.text ?? '', /between two readings/);
  assert.equal(edges[0]?.severity, 'warning', 'it is up, and nothing waits for it');
});

test('a port that dropped once and then stays down is down', () => {
  const once = ['1 nic.link_flap onset', '2 nic.link_flap clear'];
  const edges = run([up(7), up(8), ...Array.from({ length: 7 }, () => down(9))]);
  assert.deepEqual(short(edges), [...once, '2 nic.link_flap onset', '7 nic.port_down onset']);
});

test('two drops in ten minutes are four changes: the port flaps, and its single drops are not reported any more', () => {
  const edges = run([up(0), up(1), up(1), up(2), up(2), down(3), up(3), up(3)]);
  assert.deepEqual(short(edges), ['1 nic.link_flap onset', '2 nic.link_flap clear', '3 nic.link_flap onset']);
  assert.equal(edges[2]?.changes, 4);
});

test('a flap is over ten minutes after its last change', () => {
  const quiet = Array.from({ length: 130 }, () => up(2));
  const edges = run([up(0), up(2), ...quiet]);
  assert.deepEqual(short(edges), ['1 nic.link_flap onset', '122 nic.link_flap clear']);
});

test('a flapping port that stays down for half a minute is down', () => {
  const edges = run([up(0), up(2), ...Array.from({ length: 7 }, () => down(3)), up(3), up(3)]);
  assert.deepEqual(short(edges), ['1 nic.link_flap onset', '7 nic.port_down onset', '10 nic.port_down clear']);
  assert.deepEqual(edges[1]?.interval, { earliestMs: 5000, latestMs: 10_000 }, 'down since the first of them');
});

test('a port shut by order is only noted, and is not a change of a flap', () => {
  const order: Step = { up: false, downs: 1, byOrder: true };
  const edges = run([up(0), order, up(1), up(1), { ...order, downs: 2 }, up(2), up(2)]);
  assert.deepEqual(short(edges), [
    '1 nic.port_down onset',
    '3 nic.port_down clear',
    '4 nic.port_down onset',
    '6 nic.port_down clear',
  ]);
  assert.deepEqual(
    edges.map(({ severity }) => severity),
    ['info', undefined, 'info', undefined],
  );
});

test('a counter that starts again with its driver is not a drop', () => {
  assert.deepEqual(run([up(200), up(0), up(0), up(0)]), []);
});

test('when the card comes back its ports may train for a while', () => {
  const watch = new PortWatch();
  run([up(5), up(5)], watch);
  watch.returned();
  assert.deepEqual(run([down(0), down(0), up(0), up(0)], watch, 60_000), []);
  const other = new PortWatch();
  run([up(5), up(5)], other);
  other.returned();
  assert.deepEqual(
    short(
      run(
        Array.from({ length: 8 }, () => down(0)),
        other,
        60_000,
      ),
    ),
    ['5 nic.port_down onset'],
  );
});

test('whatever a port does, onset and clear of each kind take turns, and intervals do not run backwards', () => {
  const step = fc.record({ up: fc.boolean(), downs: fc.option(fc.nat(300)), byOrder: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const open = new Set<string>();
      for (const { kind, state, interval } of run(steps)) {
        assert.ok(interval.earliestMs <= interval.latestMs);
        assert.equal(open.has(kind), state === 'clear', `${kind} ${state}`);
        if (state === 'onset') open.add(kind);
        else open.delete(kind);
      }
    }),
  );
});
