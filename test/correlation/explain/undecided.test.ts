// Undecided: where what came before may be the cause, but less surely than can be claimed, both are named with what decides.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decidedBy } from '../../../src/correlation/explain/undecided.ts';
import { KINDS } from '../../../src/model/kind.ts';
import { correlator, event, run } from '../fixtures.ts';

const NIC = 'nic/0000:40:00.0';
const job = { trust: 'tenant', source: 'job-log' } as const;
const port = event(0, 'nic.port_down', NIC, { trust: 'kernel', source: 'nic', state: 'onset' });
/** The job did a hundred steps with its port down before it stopped. */
const stopped = event(400, 'job.collective_timeout', 'rank/train/0', { ...job, attributes: { since_step_ms: 180_000, step_ms: 2000 } }); // biome-ignore format: one line

function undecided() {
  const { last } = run(correlator(), [port, stopped]);
  const found = last.find(({ root }) => root.kind === 'job.collective_timeout');
  assert.ok(found);
  return found;
}

test('a port that was down through many good steps is named as one of two, not as the cause', () => {
  const { rootKnown, title, alternatives } = undecided();
  assert.equal(rootKnown, false);
  assert.match(title, /^Undecided \(.* on node-3 nic 0000:40:00\.0, or what was not seen here\)/);
  assert.equal(alternatives[0]?.root.kind, 'nic.port_down');
});

test('it says where to look to decide, and why the port is doubted', () => {
  const { action, ruledOut } = undecided();
  assert.match(action.why, /counters of the NIC and of its switch port/);
  assert.ok(
    ruledOut.some(({ why }) => /^the job did 110 steps after it$/.test(why)),
    JSON.stringify(ruledOut),
  );
});

test('without anything before it there is nothing to decide between', () => {
  const [alone] = run(correlator(), [stopped]).last;
  assert.match(alone?.title ?? '', /^No root cause yet/);
});

test('every family of conditions that can be behind a job’s trouble says what would decide', () => {
  const silent = KINDS.filter((kind) => /^(?:nic|gpu|nvlink|nvswitch|pcie|storage|memory|cpu|host|cooling|power|psu)\./.test(kind) && decidedBy(kind) === ''); // biome-ignore format: one line
  assert.deepEqual(silent, []);
});
