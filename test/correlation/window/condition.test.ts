// Condition: what is reported again of one event, with more in it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Condition } from '../../../src/correlation/belief/condition.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import { event, T0 } from '../fixtures.ts';

const line = (text: string) => ({ source: 'kernel-log', timeMs: 0, text });
const reported = (attributes: FaultEvent['attributes'], ...lines: readonly string[]): FaultEvent =>
  event(2, 'host.oom', 'process/4711', { source: 'kernel-log', attributes, evidence: lines.map(line) });

test('the form of an event with more detail is kept, though it has neither a higher count nor a later arrival', () => {
  const short = reported({ pid: 4711 }, 'oom-kill:');
  const long = reported({ pid: 4711, anon_rss_kib: 12 }, 'oom-kill:', 'Out of memory:');
  assert.equal(short.id, long.id);
  for (const order of [
    [short, long],
    [long, short],
  ]) {
    const condition = new Condition(short, short.component, 0);
    for (const one of order) condition.add(one, false);
    assert.deepEqual(condition.first.evidence, long.evidence);
    assert.deepEqual(condition.first.attributes, long.attributes);
    assert.equal(condition.count, 1);
  }
});

test('a reset ends what lasts, and does not move the end of what was over before it', () => {
  const at = 'gpu/0000:1b:00.0';
  const onset = event(10, 'gpu.missing', at, { state: 'onset' });
  const condition = new Condition(onset, onset.component, 0);
  condition.add(onset, false);
  condition.release(T0 + 50_000);
  assert.equal(condition.endMs, T0 + 50_000);
  condition.release(null);
  assert.equal(condition.endMs, null);
  condition.add(event(30, 'gpu.missing', at, { state: 'clear' }), false);
  for (const releasedMs of [T0 + 50_000, T0 + 3_600_000, null]) {
    condition.release(releasedMs);
    assert.equal(condition.endMs, T0 + 30_000);
  }
  condition.release(T0 + 20_000);
  assert.equal(condition.endMs, T0 + 20_000);
});

test('an event that is read back with whole milliseconds is the same event, whichever form comes first', () => {
  const exact = event(2.0004, 'gpu.app_fault', 'gpu/0000:1b:00.0', { source: 'kernel-log', trust: 'kernel' });
  const { timeMs } = exact;
  const whole = Math.floor(timeMs);
  assert.ok(timeMs > whole);
  const stored: FaultEvent = { ...exact, timeMs: whole, interval: { earliestMs: whole, latestMs: whole } };
  for (const order of [
    [stored, exact],
    [exact, stored],
  ]) {
    const condition = new Condition(exact, exact.component, 0);
    for (const one of order) condition.add(one, false);
    assert.equal(condition.count, 1);
  }
});
