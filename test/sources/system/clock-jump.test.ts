// Steps of the wall clock and suspends, from native code's notice to the event, with a clock that the test sets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockJumpOf } from '../../../src/model/clock-jump.ts';
import type { EventInput } from '../../../src/model/record.ts';
import type { Notice } from '../../../src/native.ts';
import { readClockJump } from '../../../src/sources/clock-jump-notice.ts';
import { SystemSource } from '../../../src/sources/system/system-source.ts';
import { notice as rawNotice } from '../../model/raw-notice.ts';
import { FakeHost } from './fake-host.ts';

const T = Date.UTC(2026, 10, 27, 3, 0, 0);

function notice(name: 'step' | 'suspend', atMs: number, value: number): Notice {
  const details = { previousMs: atMs - 100 };
  return rawNotice({ type: 'clock_jump', timeMs: atMs, name, value, details });
}

async function reported(...notices: readonly Notice[]): Promise<EventInput[]> {
  const host = new FakeHost();
  const source = new SystemSource(
    { enabled: 'auto', intervalMs: 60_000, filesystems: [], shm: '/nowhere' },
    { host: 'node-3', roots: host.roots, filesystems: [], stateDirectory: null, inventory: null, now: () => T },
  );
  const events: EventInput[] = [];
  const emit = { samples() {}, text() {}, discovery() {}, event: (event: EventInput) => events.push(event) };
  source.start(emit, new AbortController().signal);
  for (const each of notices) source.handleNotice(each);
  await source.stop();
  // Nothing comes after the end.
  source.handleNotice(notice('step', T + 60_000, 1_000));
  host.close();
  return events;
}

test('a step is reported with size, from and to, and between which looks it was', async () => {
  const [back, forth, ...more] = await reported(notice('step', T, -3_600_000), notice('step', T + 10_000, 500.25));
  assert.deepEqual(back, {
    kind: 'host.clock_jump',
    component: { type: 'host', id: 'node-3' },
    timeMs: T,
    interval: { earliestMs: T - 100, latestMs: T },
    observedMs: T,
    trust: 'system',
    source: 'system',
    attributes: { what: 'step', step_s: -3600, from: '2026-11-27T03:00:00.000Z', to: '2026-11-27T02:00:00.000Z' },
    evidence: [
      {
        source: 'system',
        timeMs: T,
        text: 'the wall clock was set back by 3600.000 s, from 2026-11-27T03:00:00.000Z to 2026-11-27T02:00:00.000Z',
      },
    ],
  });
  // The wall clock is an hour behind by now, and goes half a second ahead.
  assert.deepEqual(forth?.attributes, {
    what: 'step',
    step_s: 0.5,
    from: '2026-11-27T02:00:10.000Z',
    to: '2026-11-27T02:00:10.500Z',
  });
  assert.deepEqual(more, []);
});

test('a suspend is not a step, and says how long it was', async () => {
  const [slept] = await reported(notice('suspend', T, 90_000));
  assert.equal(slept?.attributes?.what, 'suspend');
  const [evidence] = slept?.evidence ?? [];
  assert.equal(evidence !== undefined && 'text' in evidence && evidence.text, 'the host was suspended for 90.000 s');
});

test('other notices are no clock jump, and the time before it is never later than its own', () => {
  assert.equal(readClockJump(rawNotice({ type: 'counter_reset' })), null);
  const later = rawNotice({ type: 'clock_jump', name: 'step', timeMs: T, value: 1, details: { previousMs: T + 9 } });
  assert.deepEqual(readClockJump(later)?.when, { earliestMs: T, latestMs: T });
});

test('what is read of the event is what went in, and a tenant sets no clock', async () => {
  const [event] = await reported(notice('step', T, -5_000));
  assert.ok(event !== undefined);
  assert.deepEqual(clockJumpOf(event), { what: 'step', byMs: -5_000, when: { earliestMs: T - 100, latestMs: T } });
  assert.equal(clockJumpOf({ ...event, trust: 'tenant' }), null);
  assert.equal(clockJumpOf({ ...event, kind: 'host.rebooted' }), null);
  assert.equal(clockJumpOf({ ...event, attributes: { step_s: 'x' } }), null);
});
