// What network cards are called, on a tree in the kernel's layout: verbs devices, virtual functions, a bond with a VLAN on it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NicNames } from '../../../src/identity/host-nics.ts';
import { NicSource } from '../../../src/sources/nic/nic-source.ts';
import { FakeSys, Seen, until } from '../fake-sys.ts';

const [ONE, TWO, FUNCTION] = ['0000:1b:00.0', '0000:29:00.0', '0000:1b:00.2'];

test('all names of a card lead to it', async (t) => {
  const host = new FakeSys(t);
  const folder = host.mlx5(ONE, 'mlx5_0', 'ens1f0');
  host.mlx5(TWO, 'mlx5_1', 'ens2f0');
  host.write('sys/class/infiniband_verbs', { 'uverbs0/ibdev': 'mlx5_0', 'uverbs1/ibdev': 'mlx5_1', 'uverbs2/ibdev': 'mlx5_2', abi_version: 6 }); // biome-ignore format: one line
  const virtual = host.pci(FUNCTION, { vendor: '0x15b3', class: '0x020000' }, 'mlx5_core');
  host.link(`${folder}/virtfn0`, virtual);
  host.link(`${virtual}/physfn`, folder);
  host.link('sys/class/infiniband/mlx5_2/device', virtual);
  host.link('sys/class/net/bond0/lower_ens1f0', 'sys/class/net/ens1f0');
  host.link('sys/class/net/bond0/lower_ens2f0', 'sys/class/net/ens2f0');
  host.link('sys/class/net/bond0.40/lower_bond0', 'sys/class/net/bond0');
  host.link('sys/class/net/turns/lower_turns', 'sys/class/net/turns');
  let found: NicNames | null = null;
  const source = new NicSource(
    { enabled: 'auto', intervalMs: 4, fabric: [] },
    { host: 'node-3', sys: host.sys, now: Date.now, known: (facts) => (found = facts) },
  );
  t.after(() => source.stop());
  source.start(new Seen(), new AbortController().signal);
  await until('the cards are named', () => found !== null);
  const { cards, rdma, verbs, interfaces, functions } = found as unknown as NicNames;
  assert.deepEqual(cards.map(({ id, aliases }) => [id, aliases]), [[ONE, ['mlx5_0', 'ens1f0']], [TWO, ['mlx5_1', 'ens2f0']]]); // biome-ignore format: one line
  assert.deepEqual(Object.fromEntries(rdma), { mlx5_0: ONE, mlx5_1: TWO, mlx5_2: ONE });
  assert.deepEqual(Object.fromEntries(verbs), { uverbs0: ONE, uverbs1: TWO, uverbs2: ONE });
  assert.deepEqual(Object.fromEntries(functions), { [FUNCTION]: ONE });
  assert.deepEqual(Object.fromEntries(interfaces), { bond0: [ONE, TWO], 'bond0.40': [ONE, TWO], ens1f0: [ONE], ens2f0: [TWO] }); // biome-ignore format: one line
});
