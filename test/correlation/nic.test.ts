// The network: what a port, a card or a module did is the root of the retries and stops that follow, without any XID.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, link, run } from './fixtures.ts';

const NIC = 'nic/0000:1b:00.0';
const nic = { trust: 'kernel', source: 'nic', state: 'onset' } as const;
const job = { trust: 'tenant', source: 'job-log' } as const;
const LINKS = [link('host/node-3', NIC, 'contains'), link('host/node-3', 'job/llama', 'runs')];

test('a flapping link, then RDMA retries of the card, then the collective times out: the link is the root', () => {
  const reported = run(correlator(LINKS), [
    event(5, 'nic.link_flap', NIC, { ...nic, wide: [0, 5] }),
    event(10, 'net.rdma_retry_exceeded', NIC, { ...nic, wide: [5, 10] }),
    event(620, 'job.collective_timeout', 'job/llama', { ...job, wide: [12, 620] }),
  ]).only();
  assert.deepEqual(
    [reported.root.kind, reported.root.component?.id, reported.action.kind],
    ['nic.link_flap', '0000:1b:00.0', 'check_link'],
  );
  const retry = reported.chain.find(({ kind }) => kind === 'net.rdma_retry_exceeded');
  assert.deepEqual(reported.chain.find(({ kind }) => kind === 'job.collective_timeout')?.causedBy, [retry?.eventId]);
});

test('the job that reports the retries without naming a card has the same root', () => {
  const reported = run(correlator(LINKS), [
    event(5, 'nic.link_flap', NIC, { ...nic, wide: [0, 5] }),
    event(9, 'net.rdma_retry_exceeded', 'rank/llama/3', job),
    event(9.5, 'job.rank_crashed', 'rank/llama/3', job),
  ]).only();
  assert.equal(reported.root.kind, 'nic.link_flap');
});

test('symbol errors, a drop, a flap: one incident of the link, rooted in its errors', () => {
  const reported = run(correlator(LINKS), [
    event(5, 'nic.link_degraded', NIC, { ...nic, wide: [0, 5] }),
    event(60, 'nic.port_down', NIC, { ...nic, wide: [55, 60] }),
    event(90, 'nic.link_flap', NIC, { ...nic, wide: [85, 90] }),
  ]).only();
  assert.deepEqual([reported.root.kind, reported.chain.length], ['nic.link_degraded', 3]);
});

test('a module too warm comes before the light it loses', () => {
  const reported = run(correlator(LINKS), [
    event(5, 'nic.module_overtemp', NIC, { ...nic, wide: [0, 5] }),
    event(40, 'nic.port_down', NIC, { ...nic, wide: [35, 40] }),
  ]).only();
  assert.deepEqual([reported.root.kind, reported.action.kind], ['nic.module_overtemp', 'check_cooling']);
});
