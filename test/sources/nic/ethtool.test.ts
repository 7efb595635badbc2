// What only ethtool tells: per priority where it is in use, storms, module faults; with the deadline and the memory of files.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { native } from '../../../src/native.ts';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { type ReadEthtool, readEthtool } from '../../../src/sources/nic/ethtool.ts';
import { NicSource } from '../../../src/sources/nic/nic-source.ts';
import { FakeSys, Seen, until } from '../fake-sys.ts';

const ADDRESS = '0000:1b:00.0';
const of = (quantity: string): string => `nic/${ADDRESS}#${quantity}`;

function start(t: TestContext, ethtool: ReadEthtool, layer: 'Ethernet' | 'InfiniBand' = 'Ethernet') {
  const host = new FakeSys(t);
  host.mlx5(ADDRESS, 'mlx5_0', 'eth0', layer);
  let nowMs = 1_764_000_000_000;
  const now = () => {
    nowMs += 100;
    return nowMs;
  };
  const files = new SmallFiles({ stuck: 0 }, undefined, 50);
  const source = new NicSource(
    { enabled: 'auto', intervalMs: 2, fabric: [] },
    { host: 'node-3', sys: host.sys, now, ethtool, files },
  );
  t.after(() => source.stop());
  const seen = new Seen();
  source.start(seen, new AbortController().signal);
  return { host, seen, source, files };
}

/** Answers by name; what is not named the driver does not have. */
function driver(values: Readonly<Record<string, number>>, asked: string[] = []): ReadEthtool {
  return async (name, names) => {
    asked.push(name);
    return Float64Array.from(names, (one) => values[one] ?? Number.NaN);
  };
}

test('pauses in seconds by priority where one is in use, all together, storms and faults of the module', async (t) => {
  const values = {
    rx_prio0_pause_duration: 0,
    rx_prio3_pause_duration: 2_500_000,
    rx_prio4_pause_duration: 500_000,
    tx_prio3_pause_duration: 0,
    rx_prio3_buf_discard: 7,
    tx_pause_storm_warning_events: 0,
    module_high_temp: 1,
  };
  const { seen } = start(t, driver(values));
  await until('it is read', () => seen.last(of('module_overtemps')) !== undefined);
  assert.equal(seen.last(of('pause_received_time_3')), 2.5);
  assert.equal(seen.last(of('pause_received_time_4')), 0.5);
  assert.equal(seen.last(of('pause_received_time')), 3);
  assert.equal(seen.last(of('buffer_discards_3')), 7);
  assert.equal(seen.last(of('pause_sent_time')), 0);
  assert.equal(seen.last(of('pause_storm_warnings')), 0);
  for (const absent of ['pause_received_time_0', 'pause_sent_time_3', 'pause_storms', 'module_unplugs']) {
    assert.equal(seen.last(of(absent)), undefined, absent);
  }
});

test('it is read in the slow lane only, of RoCE ports only', async (t) => {
  const asked: string[] = [];
  // Rounds that were over when it was read: whoever waits for them may come later.
  const rounds: number[] = [];
  const read = driver({}, asked);
  const { seen } = start(t, (name, names) => {
    rounds.push(seen.batches.length);
    return read(name, names);
  });
  await until('two slow rounds', () => asked.length >= 2);
  const [first = 0, second = 0] = rounds;
  assert.ok(second - first >= 5 && second - first <= 7, `read after ${rounds} rounds`);
  assert.deepEqual([...new Set(asked)], ['eth0']);
  const none: string[] = [];
  const fabric = start(t, driver({}, none), 'InfiniBand');
  await until('slow rounds', () => fabric.seen.batches.length > 13);
  assert.deepEqual(none, []);
});

for (const code of ['ENOTSUP', 'EINVAL', 'EPERM']) {
  test(`a driver that answers ${code} is not asked again, and the rest is read on`, async (t) => {
    let asked = 0;
    const { host, seen, files } = start(t, () => {
      asked += 1;
      return Promise.reject(Object.assign(new Error('no'), { code }));
    });
    await until('three slow rounds', () => seen.batches.length > 13);
    assert.equal(asked, 1);
    assert.equal(files.refusal(join(host.folder, 'sys/class/net/eth0/ethtool statistics')), code);
    assert.equal(seen.last(of('ports_up')), 1);
  });
}

test('a driver that does not answer is named, is not asked a second time, and holds up nothing', async (t) => {
  let asked = 0;
  const { seen, source } = start(t, () => {
    asked += 1;
    return new Promise(() => {});
  });
  await until('three slow rounds', () => seen.batches.length > 13);
  assert.equal(asked, 1);
  assert.match(source.health()[0]?.detail ?? '', /FL2601 .*eth0\/ethtool statistics does not answer/);
});

test('the kernel says what is not there: statistics of the loopback interface, and an interface', async () => {
  await assert.rejects(readEthtool('lo', ['rx_packets']), { code: 'ENOTSUP' });
  await assert.rejects(readEthtool('no-such-if', ['rx_packets']), { code: 'ENODEV' });
  assert.throws(() => native().ethtoolStatistics('lo', [7] as never, () => {}), TypeError); // what no type check sees
});
