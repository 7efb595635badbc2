// Verdict: a port that nothing uses and that is back after moments is noted; used, down for longer or felt it is an error.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../../src/model/event.ts';
import { correlator, event, type Given, GPUS, link, run, T0 } from '../fixtures.ts';

const PORT = 'nic/0000:40:00.0';
const [GPU = ''] = GPUS;
const LINKS = [link(GPU, 'job/ddp', 'runs'), link('host/node-3', PORT, 'contains')];

function port(s: number, state: 'onset' | 'clear', attributes: FaultEvent['attributes'] = {}): FaultEvent {
  const given: Given = { trust: 'kernel', source: state === 'onset' && attributes.unused ? 'nic' : 'kernel-log' };
  return event(s, 'nic.port_down', PORT, { ...given, state, attributes });
}
function severity(...events: FaultEvent[]): string | undefined {
  const made = correlator(LINKS);
  const reported = run(made, events).take(made.advance(T0 + 600_000));
  return reported.last.find(({ root }) => root.kind === 'nic.port_down')?.severity;
}

test('down for four seconds without traffic: noted, also where the driver wrote of it first', () => {
  assert.equal(severity(port(0, 'onset'), port(2, 'onset', { unused: true }), port(4, 'clear')), 'info');
  assert.equal(severity(port(0, 'onset', { unused: true }), port(4, 'clear')), 'info');
});

test('while it is down, down for longer, or of a port in use: an error', () => {
  assert.equal(severity(port(0, 'onset', { unused: true })), 'error');
  assert.equal(severity(port(0, 'onset', { unused: true }), port(60, 'clear')), 'error');
  assert.equal(severity(port(0, 'onset'), port(4, 'clear')), 'error');
});

test('what follows from it makes it an error again', () => {
  const hang = event(40, 'net.rdma_retry_exceeded', PORT, { trust: 'kernel', source: 'kernel-log' });
  assert.equal(severity(port(0, 'onset', { unused: true }), port(4, 'clear'), hang), 'error');
});
