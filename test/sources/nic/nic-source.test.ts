// The NIC source on trees in the kernel's layout: eight cards of 400 Gbit/s, RoCE, a virtual machine, a management port.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { NOTHING_KEPT, type PortMemory } from '../../../src/sources/nic/nic-round.ts';
import { NicSource } from '../../../src/sources/nic/nic-source.ts';
import type { SourceHealth } from '../../../src/sources/source.ts';
import { FakeSys, Seen, until } from '../fake-sys.ts';

const ADDRESSES = ['1b', '29', '45', '5d', '9b', 'ad', 'c1', 'df'].map((bus) => `0000:${bus}:00.0`);
const [FIRST = '', SECOND = ''] = ADDRESSES;
const PORT = 'sys/class/infiniband/mlx5_0/ports/1';

interface Run {
  readonly seen: Seen;
  /** Interfaces that were never up, as of the last round. */
  neverUp(): readonly string[];
  readonly source: NicSource;
  health(): SourceHealth | undefined;
  /** Waits for so many more whole rounds. */
  rounds(count: number): Promise<void>;
}

/** Each call of the clock is a second after the one before. */
function start(t: TestContext, host: FakeSys, fabric: readonly string[] = [], ports?: PortMemory): Run {
  let idle: readonly string[] = [];
  const seen = new Seen();
  let nowMs = 1_764_000_000_000;
  const now = () => {
    nowMs += 100;
    return nowMs;
  };
  const neverUp = (interfaces: ReadonlySet<string>): void => {
    idle = [...interfaces];
  };
  const remembered = ports === undefined ? {} : { ports };
  const options = { host: 'node-3', sys: host.sys, now, neverUp, ...remembered };
  const source = new NicSource({ enabled: 'auto', intervalMs: 4, fabric }, options);
  t.after(() => source.stop());
  source.start(seen, new AbortController().signal);
  return {
    seen,
    source,
    neverUp: () => idle,
    health: () => source.health()[0],
    async rounds(count) {
      const of = () =>
        seen.batches.filter(({ keys }) => keys[0]?.startsWith(seen.batches[0]?.keys[0]?.split('#')[0] ?? '')).length;
      const before = of();
      await until('the rounds are read', () => of() >= before + count);
    },
  };
}

function eight(t: TestContext): FakeSys {
  const host = new FakeSys(t);
  for (const [i, address] of ADDRESSES.entries()) host.mlx5(address, `mlx5_${i}`, `ib${i}`);
  return host;
}

test('eight cards of 400 Gbit/s: found by PCI address, with their links, rates and counters', async (t) => {
  const run = start(t, eight(t));
  await run.rounds(2);
  const { seen } = run;
  assert.deepEqual(
    seen.discoveries.map(({ component }) => component.id),
    ADDRESSES,
  );
  assert.deepEqual(seen.discoveries[0]?.component, {
    type: 'nic', id: FIRST, host: 'node-3', parent: 'host/node-3', aliases: ['mlx5_0', 'ib0'],
  }); // biome-ignore format: one component
  assert.deepEqual(
    seen.discoveries[0]?.links.map(({ from, relation }) => [from.id, relation]),
    [['node-3', 'contains']],
  );
  assert.equal(seen.last(`nic/${FIRST}#link_rate`), 400e9);
  assert.equal(seen.last(`nic/${FIRST}#ports_up`), 1);
  assert.equal(seen.last(`nic/${FIRST}#symbol_errors`), 0);
  assert.equal(seen.last(`nic/${FIRST}#pcie_width`), 16);
  assert.match(run.health()?.detail ?? '', /^8 cards of the fabric, 0 for management$/);
  assert.deepEqual(seen.reported, []);
});

test('a port that goes down and comes back: onset and clear with the interval that the poll leaves open', async (t) => {
  const host = eight(t);
  const run = start(t, host);
  await run.rounds(2);
  host.write(PORT, { state: '1: DOWN', phys_state: '2: Polling', 'counters/link_downed': 1 });
  const [down] = await until('it is reported', () => run.seen.events.length > 0 && run.seen.events);
  assert.deepEqual(run.seen.reported, [`nic.port_down onset nic/${FIRST}`]);
  assert.ok(down?.interval && down.interval.earliestMs < down.interval.latestMs);
  assert.deepEqual([down?.trust, down?.attributes?.port, down?.attributes?.role], ['kernel', 'mlx5_0/1', 'fabric']);
  assert.match(run.health()?.detail ?? '', /down: mlx5_0\/1/);
  host.write(PORT, { state: '4: ACTIVE', phys_state: '5: LinkUp' });
  await until('it is over', () => run.seen.events.length > 1);
  assert.deepEqual(run.seen.reported, [`nic.port_down onset nic/${FIRST}`, `nic.port_down clear nic/${FIRST}`]);
});

test('an interface without a link since its driver made it is known, unless an earlier run saw its port up', async (t) => {
  const host = new FakeSys(t);
  host.mlx5(FIRST, 'mlx5_0', 'eth0', 'Ethernet');
  host.write(PORT, { state: '1: DOWN', phys_state: '3: Disabled' });
  host.write('sys/class/net/eth0', { operstate: 'down', carrier_up_count: 0 });
  const run = start(t, host);
  await until('it is known', () => run.neverUp().join() === 'eth0');
  host.write('sys/class/net/eth0', { operstate: 'up', carrier_up_count: 1 });
  host.write(PORT, { state: '4: ACTIVE', phys_state: '5: LinkUp' });
  await until('it came up', () => run.neverUp().length === 0);
  assert.deepEqual(run.seen.reported, []);
});

test('a port that was up before the boot has lost its link', async (t) => {
  const host = new FakeSys(t);
  host.mlx5(FIRST, 'mlx5_0', 'eth0', 'Ethernet');
  host.write(PORT, { state: '1: DOWN', phys_state: '3: Disabled' });
  host.write('sys/class/net/eth0', { operstate: 'down', carrier_up_count: 0 });
  const run = start(t, host, [], { ...NOTHING_KEPT, wasUp: () => true });
  await run.rounds(3);
  assert.deepEqual(run.neverUp(), []);
});

/** Ports that were up before the start, by card. */
function remembered(
  ...cards: readonly (readonly [card: string, port: string])[]
): PortMemory & { readonly down: string[] } {
  const down: string[] = [];
  const usedCards = () => new Map(cards.map(([card, port]) => [card, [`${card} ${port}`]]));
  return { ...NOTHING_KEPT, usedCards, is: (port, up) => void (up || down.push(port)), down };
}

test('a card whose ports were up before the boot is on the bus without a driver after it', async (t) => {
  const host = new FakeSys(t);
  host.mlx5(FIRST, 'mlx5_0', 'eth0');
  const folder = host.pci(SECOND, { vendor: '0x15b3' });
  const gone = '0000:c1:00.0'; // off the bus: the inventory reports it
  const memory = remembered([FIRST, 'mlx5_0/1'], [SECOND, 'mlx5_1/1'], [gone, 'mlx5_2/1']);
  const run = start(t, host, [], memory);
  const [lost] = await until('it is reported', () => run.seen.events.length > 0 && run.seen.events);
  assert.deepEqual([lost?.kind, lost?.component?.id, lost?.severity], ['nic.lost', SECOND, 'critical']);
  assert.deepEqual(memory.down.toSorted(), [`${SECOND} mlx5_1/1`, `${gone} mlx5_2/1`].toSorted());
  host.interface('eth1', folder, 400_000);
  await until('it is back', () => run.seen.events.some(({ state }) => state === 'clear'));
  assert.equal(run.seen.events.filter(({ state }) => state === 'onset').length, 1);
});

test('RoCE: the interface counts the drops and knows of an order; the physical state says Disabled either way', async (t) => {
  const host = new FakeSys(t);
  host.mlx5(FIRST, 'mlx5_0', 'eth0', 'Ethernet');
  const run = start(t, host);
  await run.rounds(2);
  host.write(PORT, { state: '1: DOWN', phys_state: '3: Disabled' });
  host.write('sys/class/net/eth0', { operstate: 'down', carrier_down_count: 2 });
  const [down] = await until('it is reported', () => run.seen.events.length > 0 && run.seen.events);
  assert.deepEqual([down?.kind, down?.severity], ['nic.port_down', undefined]);
  host.write(PORT, { state: '4: ACTIVE', phys_state: '5: LinkUp' });
  await until('it is over', () => run.seen.events.length > 1);
  host.write('sys/class/net/eth0', { flags: '0x1002', carrier_down_count: 3 });
  host.write(PORT, { state: '1: DOWN', phys_state: '3: Disabled' });
  await until('it is noted', () => run.seen.events.at(-1)?.severity === 'info');
});

test('a management port is told apart by speed; its fault is not an error; the configuration can say otherwise', async (t) => {
  const host = new FakeSys(t);
  host.interface('eno1', host.pci('0000:02:00.0', { vendor: '0x8086' }, 'igb'), 1000);
  host.interface('ens9', host.pci('0000:03:00.0', { vendor: '0x14e4' }, 'bnxt_en'), 100_000);
  const run = start(t, host);
  await run.rounds(2);
  assert.match(run.health()?.detail ?? '', /^1 card of the fabric, 1 for management$/);
  host.write('sys/class/net/eno1', { operstate: 'down', carrier_down_count: 2 });
  const [down] = await until('it is reported', () => run.seen.events.length > 0 && run.seen.events);
  assert.deepEqual([down?.kind, down?.severity, down?.attributes?.role], ['nic.port_down', 'warning', 'management']);
  const named = start(t, host, ['eno1', '0000:03:00.0']);
  await named.rounds(2);
  assert.match(named.health()?.detail ?? '', /^2 cards of the fabric, 0 for management; down: eno1$/);
});

test('a virtual machine: virtio sits on a PCI function, the loopback and a virtual function on none of ours', async (t) => {
  const host = new FakeSys(t);
  const virtio = `${host.pci('0000:00:03.0', { vendor: '0x1af4' }, 'virtio-pci')}/virtio0`;
  host.write(virtio, { device: '0x0001' });
  host.interface('eth0', virtio, -1);
  host.write('sys/class/net/lo', { operstate: 'unknown' });
  const vf = host.pci('0000:1b:00.2', { vendor: '0x15b3' }, 'mlx5_core');
  host.link(`${vf}/physfn`, host.pci('0000:1b:00.0', { vendor: '0x15b3' }, 'mlx5_core'));
  host.interface('eth1', vf, 100_000);
  const run = start(t, host);
  await run.rounds(2);
  assert.deepEqual(
    run.seen.discoveries.map(({ component }) => component.id),
    ['0000:00:03.0'],
  );
  assert.deepEqual(run.seen.reported, []);
});

test('a host without any card says why, and costs nothing', async (t) => {
  const run = start(t, new FakeSys(t));
  const health = await until('it looked', () => run.health()?.detail.startsWith('FL2602') && run.health());
  assert.equal(health.status, 'absent');
  assert.notEqual(health.remedy, null);
});

test('a card that falls off the bus is lost, and found again', async (t) => {
  const host = eight(t);
  const run = start(t, host);
  await run.rounds(2);
  const folder = `${host.slotOf(SECOND)}/${SECOND}`;
  for (const path of ['sys/class/infiniband/mlx5_1', 'sys/class/net/ib1', folder, `sys/bus/pci/devices/${SECOND}`])
    host.remove(path);
  const lost = await until('it is reported', () => run.seen.events[0]);
  assert.deepEqual(run.seen.reported, [`nic.lost onset nic/${SECOND}`]);
  assert.deepEqual([lost.severity, lost.attributes?.on_bus], ['critical', false]);
  assert.match(run.health()?.detail ?? '', new RegExp(`gone: ${SECOND}`));
  host.mlx5(SECOND, 'mlx5_1', 'ib1');
  await until('it is back', () => run.seen.events.length > 1);
  assert.equal(run.seen.reported.at(-1), `nic.lost clear nic/${SECOND}`);
});

test('a PCIe link below what slot and card can do counts under load only, and against the lesser of the two', async (t) => {
  const host = new FakeSys(t);
  const folder = host.mlx5(FIRST, 'mlx5_0', 'ib0');
  host.write(folder, { current_link_width: 8, max_link_speed: '64.0 GT/s PCIe' });
  const run = start(t, host);
  await run.rounds(30);
  assert.deepEqual(run.seen.reported, [], 'an idle link may rest');
  let sent = 0;
  const timer = setInterval(() => {
    sent += 20e9;
    host.write(`${PORT}/counters`, { port_xmit_data: sent });
  }, 1);
  t.after(() => clearInterval(timer));
  const event = await until('it is reported', () => run.seen.events[0]);
  assert.equal(event.kind, 'pcie.link_degraded');
  assert.deepEqual([event.attributes?.width_lanes, event.attributes?.full_width_lanes], [8, 16]);
  host.write(folder, { current_link_width: 16 });
  await until('it is over', () => run.seen.events.some(({ state }) => state === 'clear'));
});

test('temperatures: the nearest to its own limit counts, module and chip apart, sentinels not at all', async (t) => {
  const host = new FakeSys(t);
  const folder = host.mlx5(FIRST, 'mlx5_0', 'ib0');
  host.write(`${folder}/hwmon/hwmon4`, {
    name: 'mlx5', temp1_input: 71000, temp1_label: 'asic', temp1_crit: 105000, temp2_input: 62000, temp2_label: 'Module0',
    temp2_crit: 70000, temp3_input: 4294967295, temp3_label: 'Module1',
  }); // biome-ignore format: one chip
  const run = start(t, host);
  await until('it is read', () => run.seen.last(`nic/${FIRST}#module_temperature_margin`));
  assert.equal(run.seen.last(`nic/${FIRST}#temperature`), 71);
  assert.equal(run.seen.last(`nic/${FIRST}#temperature_margin`), 34);
  assert.equal(run.seen.last(`nic/${FIRST}#module_temperature`), 62);
  assert.equal(run.seen.last(`nic/${FIRST}#module_temperature_margin`), 8);
});

test('a counter at the end of its range counts no more: that is said, and is not a drop', async (t) => {
  const host = new FakeSys(t);
  host.mlx5(FIRST, 'mlx5_0', 'ib0');
  host.write(`${PORT}/counters`, { link_downed: 255 });
  const run = start(t, host);
  await run.rounds(2);
  assert.match(run.health()?.detail ?? '', /FL2603 .*0000:1b:00\.0 counters\/link_downed/);
  assert.deepEqual(run.seen.reported, []);
});

test('files that vanish, block, refuse or hold anything at all: no throw, no event, the others are still read', async (t) => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom('-1', '18446744073709551615', '9'.repeat(5000), '4: ', '\0', 'nan'),
  );
  const names = ['state', 'phys_state', 'rate', 'link_layer', 'counters/link_downed', 'counters/symbol_error'];
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), hostile), async (files) => {
      const host = new FakeSys(t);
      host.mlx5(FIRST, 'mlx5_0', 'ib0');
      host.mlx5(SECOND, 'mlx5_1', 'ib1');
      host.write(PORT, files);
      host.remove(`${PORT}/hw_counters/out_of_sequence`);
      host.remove(`${PORT}/counters/port_rcv_errors`);
      execFileSync('mkfifo', [join(host.folder, PORT, 'counters/port_rcv_errors')]);
      const run = start(t, host);
      await until(
        'the other card is read twice',
        () => run.seen.batches.filter(({ keys }) => keys[0]?.includes(SECOND)).length >= 2,
      );
      await run.source.stop();
      assert.equal(run.seen.last(`nic/${SECOND}#link_rate`), 400e9);
      assert.deepEqual(
        run.seen.events.filter(({ component }) => component?.id === SECOND),
        [],
      );
      for (const { values } of run.seen.batches) assert.ok(values.every(Number.isFinite));
    }),
    { numRuns: 25 },
  );
});

test('sensor reads that the card answers with kernel errors are given up, and reported', async (t) => {
  const host = new FakeSys(t);
  const folder = host.mlx5(FIRST, 'mlx5_0', 'ib0');
  host.write(`${folder}/hwmon/hwmon4`, { name: 'mlx5', temp1_input: 71000, temp1_label: 'asic' });
  let nowMs = 0;
  const files = new SmallFiles();
  const source = new NicSource(
    { enabled: 'auto', intervalMs: 2, fabric: [] },
    { host: 'node-3', sys: host.sys, now: () => nowMs, files },
  );
  t.after(() => source.stop());
  const seen = new Seen();
  source.start(seen, new AbortController().signal);
  const text = `mlx5_core ${FIRST}: mlx5_cmd_out_err:838:(pid 9): ACCESS_REG(0x805) op_mod(0x1) failed`;
  for (let i = 0; i < 3; i += 1) {
    nowMs += 60_000;
    const reads = seen.batches.length + 7;
    await until('the slow lane was read', () => seen.batches.length >= reads);
    source.handleRecords([{ sequence: i, timeMs: nowMs, observedMs: nowMs, priority: 3, facility: 0, text }]);
  }
  assert.deepEqual(seen.reported, ['agent.self_inflicted point host/node-3']);
  assert.equal(files.refusal(join(host.folder, folder, 'hwmon/hwmon4/temp1_input')), 'kernel errors');
});
