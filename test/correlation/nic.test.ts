// The network: what a port, a card or a module did is the root of the retries and stops that follow, without any XID.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind } from '../../src/model/kind.ts';
import { component, correlator, event, link, run } from './fixtures.ts';

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

const PORTS = ['0c', '2a', '41', '58', '86', 'a5', 'bd', 'd5'].map((bus) => `nic/0000:${bus}:00.0`);
const ALL = PORTS.map((port) => link('host/node-3', port, 'contains'));
const orders = [PORTS, PORTS.toReversed()];

const together: readonly (readonly [string, (port: number) => Kind])[] = [
  ['flap', () => 'nic.link_flap'],
  ['go down', () => 'nic.port_down'],
  ['go down or flap', (i) => (i % 2 === 0 ? 'nic.port_down' : 'nic.link_flap')],
];

for (const [what, kindOf] of together) {
  test(`eight ports that ${what} within a minute and a half are one incident of the fabric, in any order of arrival`, () => {
    for (const ports of orders) {
      const events = ports.map((port, i) =>
        event(5 + 11 * i, kindOf(i), port, { ...nic, wide: [4 + 11 * i, 5 + 11 * i] }),
      );
      for (const arrived of [events, [...events.slice(4), ...events.slice(0, 4)]]) {
        const reported = run(correlator(ALL, { latenessMs: 120_000 }), arrived).only();
        assert.equal(reported.chain.length, 8);
        assert.equal(reported.root.component?.id, ports[0]?.slice('nic/'.length));
        assert.equal(reported.action.target, null);
        assert.match(reported.action.why, /^all 8 ports of this host at once: the switches behind them, not a cable$/);
      }
    }
  });
}

test('ports that all go down once and then begin to flap, each in its time, are one incident of the fabric', () => {
  const events = PORTS.flatMap((port, i) => [
    event(5 + 3 * i, 'nic.port_down', port, { ...nic, wide: [4 + 3 * i, 5 + 3 * i] }),
    event(60 + 9 * i, 'nic.link_flap', port, { ...nic, wide: [59 + 9 * i, 60 + 9 * i] }),
  ]);
  const reported = run(correlator(ALL, { latenessMs: 120_000 }), events).only();
  assert.equal(reported.chain.length, 16);
  assert.equal(reported.action.target, null);
});

test('two ports down in the same moment and a third half a minute later are one incident', () => {
  const down = (s: number, i: number) => event(s, 'nic.port_down', PORTS[i] ?? '', { ...nic, wide: [s - 0.5, s] });
  assert.equal(run(correlator(ALL), [down(5, 0), down(5.4, 1), down(35, 2)]).only().chain.length, 3);
});

test('two ports that flap are two cables, and so are three over an hour', () => {
  const flap = (s: number, i: number) => event(s, 'nic.link_flap', PORTS[i] ?? '', { ...nic, wide: [s - 1, s] });
  assert.equal(run(correlator(ALL), [flap(5, 0), flap(30, 1)]).last.length, 2);
  assert.equal(run(correlator(ALL), [flap(5, 0), flap(1205, 1), flap(2405, 2)]).last.length, 3);
});

test('a port that flaps while its seven neighbours work names its own link, with or without its drops before', () => {
  const reported = run(correlator(ALL), [
    event(5, 'nic.port_down', PORTS[2] ?? '', { ...nic, wide: [4, 5] }),
    event(40, 'nic.link_flap', PORTS[2] ?? '', { ...nic, wide: [39, 40] }),
  ]).only();
  assert.equal(reported.action.target?.id, '0000:41:00.0');
});

const line = { trust: 'kernel', source: 'kernel-log' } as const;
/** "NETDEV WATCHDOG: eno1np0 (bnxt_en): …" names the interface alone, "bnxt_en 0000:01:00.0 eno1np0: …" the card as well. */
const both = (trust: 'kernel' | 'tenant') => ({
  ...event(0.01, 'nic.command_timeout', 'nic/0000:01:00.0', { ...line, trust }),
  component: { ...component('nic/0000:01:00.0'), aliases: ['eno1np0'] },
});

test('a card that one line names by its interface and another by its address too is one component, whichever came first', () => {
  const alone = event(0, 'nic.command_timeout', 'nic/eno1np0', line);
  for (const events of [
    [alone, both('kernel')],
    [both('kernel'), alone],
  ]) {
    const { root, events: seen } = run(correlator(LINKS), events).only();
    assert.deepEqual([root.component?.id, seen.length], ['0000:01:00.0', 1]);
  }
});

test('no program names a card, and no line takes the name of another one', () => {
  const alone = event(0, 'nic.command_timeout', 'nic/eno1np0', line);
  const ids = run(correlator(LINKS), [alone, both('tenant')]).last.map(({ root }) => root.component?.id);
  assert.deepEqual(ids.sort(), ['0000:01:00.0', 'eno1np0']);
  const other = { ...component('nic/0000:41:00.0'), aliases: ['eno1np0'] };
  const made = correlator([...LINKS, { ...link('host/node-3', 'nic/0000:41:00.0', 'contains'), to: other }]);
  assert.deepEqual(run(made, [both('kernel'), alone]).last.map(({ root }) => root.component?.id).sort(), ['0000:01:00.0', '0000:41:00.0']); // biome-ignore format: one comparison
});

test('a card that gives a queue pair up, read seconds after its job reported it, is one incident of the card', () => {
  for (const lagS of [0.2, 4, 9]) {
    const reported = run(correlator(LINKS), [
      event(20, 'net.rdma_retry_exceeded', 'job/llama', job),
      event(20.4, 'net.connection_reset', 'rank/llama/3', job),
      event(20 + lagS, 'net.rdma_retry_exceeded', NIC, { ...nic, wide: [15 + lagS, 20 + lagS] }),
    ]).only();
    assert.deepEqual([reported.root.component?.type, reported.chain.length], ['nic', 3], `${lagS} s later`);
  }
});

test('the processor that the kernel names is of the package whose counter shows the throttling', () => {
  const hot = (s: number, at: string, source: string) =>
    event(s, 'cpu.thermal_throttle', at, { trust: 'kernel', source });
  for (const packageS of [9, 10.4]) {
    const { root, chain } = run(correlator([link('host/node-3', 'cpu/node-3/1', 'contains')]), [
      hot(10, 'host/node-3', 'kernel-log'),
      hot(packageS, 'cpu/node-3/1', 'cpu'),
    ]).only();
    assert.deepEqual([root.component?.id, chain.length], ['node-3/1', 2]);
  }
});
