// Condition: what is reported again of one event, with more in it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Condition } from '../../../src/correlation/belief/condition.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import { event } from '../fixtures.ts';

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
