// Expected: a port that was shut by order is not a fault, whatever the kernel's line on it reports, and in whatever order both come.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, type Given, run, T0 } from '../fixtures.ts';

const NIC = 'nic/0000:40:00.0';
const kernel: Given = { trust: 'kernel', source: 'kernel-log', state: 'onset', severity: 'error' };
const ordered: Given = {
  trust: 'kernel',
  source: 'nic',
  state: 'onset',
  severity: 'info',
  attributes: { expected: 'shut by order' },
};
const down = (s: number, more: Given) => event(s, 'nic.port_down', NIC, more);

function incidents(events: Parameters<typeof run>[1]): string[] {
  const made = correlator();
  const { last } = run(made, events).take(made.advance(T0 + 90_000));
  return last.map(({ root, severity }) => `${root.kind} ${severity}`);
}

test('a port that was shut by order raises nothing, also where the kernel reports it', () => {
  assert.deepEqual(incidents([down(0, ordered), down(0.1, kernel)]), []);
  assert.deepEqual(incidents([down(0, kernel)]), ['nic.port_down error']);
});

test('once it is down by no order any more it is a fault', () => {
  const fails: Given = { ...ordered, severity: 'error', attributes: {} };
  assert.deepEqual(incidents([down(0, ordered), down(20, fails)]), ['nic.port_down error']);
});

test('what the other ranks of a mismatch were expected to call makes it no purpose', () => {
  const given: Given = { trust: 'tenant', source: 'flight-recorder', attributes: { expected: 'all_reduce', found: 'broadcast' } }; // biome-ignore format: one line
  assert.deepEqual(incidents([event(0, 'job.collective_mismatch', 'rank/ddp/6', given)]), ['job.collective_mismatch error']); // biome-ignore format: one line
});
