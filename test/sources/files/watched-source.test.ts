// Sources that native code reads for: one tree read both ways gives the same series and events; changes, hangs and ends.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SampleBatch } from '../../../src/model/record.ts';
import { type FileWatchOptions, type NativeCore, type NativeFileWatch, native } from '../../../src/native.ts';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { type Watch, watchInto } from '../../../src/sources/files/watched-source.ts';
import { HwmonSource } from '../../../src/sources/hwmon/hwmon-source.ts';
import { NicSource } from '../../../src/sources/nic/nic-source.ts';
import { notice } from '../../model/raw-notice.ts';
import { FakeSys, Seen, until } from '../fake-sys.ts';

const ADDRESSES = ['0000:1b:00.0', '0000:29:00.0', '0000:45:00.0'];
const [FIRST = '', SECOND = ''] = ADDRESSES;
const PORT = 'sys/class/infiniband/mlx5_0/ports/1';
const SENSOR = 'sys/class/hwmon/hwmon0';

/** As the line does: samples into the core. */
class Pushed extends Seen {
  readonly #core: NativeCore;
  constructor(core: NativeCore) {
    super();
    this.#core = core;
  }
  override samples(batch: SampleBatch): void {
    super.samples(batch);
    const ids = Uint32Array.from(batch.keys, (key) => this.#core.series(key));
    this.#core.push(ids, Float64Array.from(batch.timesMs), Float64Array.from(batch.values));
  }
}

interface Run {
  readonly seen: Pushed;
  readonly nic: NicSource;
  readonly hwmon: HwmonSource;
  readonly files: SmallFiles;
  readonly began: FileWatchOptions[];
  values(key: string): number[];
  /** Native code reads what it is meant to. */
  watched(): boolean;
}

function start(t: TestContext, host: FakeSys, natively: boolean, intervalMs = 5): Run {
  const core = new (native().Core)({ historySeconds: 300, maxSeries: 1000 });
  const seen = new Pushed(core);
  const began: FileWatchOptions[] = [];
  const running: NativeFileWatch[] = [];
  const into = watchInto(core);
  const watch: Watch = (options) => {
    began.push(options);
    const made = into(options);
    running.push(made);
    return made;
  };
  const files = new SmallFiles();
  const look = { host: 'h', sys: host.sys, now: () => core.now(), ...(natively ? { watch } : {}) };
  const nic = new NicSource({ enabled: 'auto', intervalMs, fabric: [] }, { ...look, files });
  const hwmon = new HwmonSource({ enabled: 'auto', intervalMs }, look);
  core.onWake(() => {
    const { notices } = core.drain();
    for (const source of [nic, hwmon]) for (const each of notices) source.handleNotice(each);
  });
  for (const source of [nic, hwmon]) source.start(seen, new AbortController().signal);
  t.after(async () => {
    await Promise.all([nic.stop(), hwmon.stop()]);
    core.close();
  });
  const values = (key: string): number[] => [...core.history(key, 0, Number.POSITIVE_INFINITY).values];
  const reads = (name: string) =>
    running.some((one, i) => began[i]?.name.startsWith(name) === true && !one.ended() && one.counts().rounds > 12);
  return { seen, nic, hwmon, files, began, values, watched: () => reads('nic') && reads('hwmon') };
}

function tree(t: TestContext): FakeSys {
  const host = new FakeSys(t);
  for (const [i, address] of ADDRESSES.entries()) {
    const folder = host.mlx5(address, `mlx5_${i}`, `ib${i}`, i === 2 ? 'Ethernet' : 'InfiniBand');
    host.write(`${folder}/hwmon/hwmon${i + 4}`, { name: 'mlx5', temp1_input: 61_000 + i, temp1_crit: 105_000 });
    const counters = { symbol_error: 10 + i, port_rcv_errors: 20 + i, port_xmit_wait: '18446744073709549568' };
    host.write(`sys/class/infiniband/mlx5_${i}/ports/1/counters`, counters);
  }
  host.interface('eno1', host.pci('0000:02:00.0', { vendor: '0x8086' }, 'igb'), 1000);
  host.write('sys/devices/ACPI000D:00', { hid: 'ACPI000D' });
  host.write(SENSOR, { name: 'power_meter', power1_average: 6_400_000_000 });
  host.link(`${SENSOR}/device`, 'sys/devices/ACPI000D:00');
  const gpu = { name: 'amdgpu', power1_input: 612_000_000, power1_cap: '4294967295000000', temp1_input: -12_000 };
  host.write('sys/class/hwmon/hwmon1', gpu);
  host.link('sys/class/hwmon/hwmon1/device', host.pci('0000:05:00.0'));
  return host;
}

test('one tree read by native code and by this thread: the same series, the same last values, the same counts', async (t) => {
  const host = tree(t);
  const [ours, before] = [start(t, host, true), start(t, host, false)];
  await until('native code reads', () => ours.watched());
  const keys = [...new Set(before.seen.batches.flatMap((batch) => batch.keys))].sort();
  const reported = ours.seen.batches.flatMap((batch) => batch.keys.filter((_, i) => Number.isFinite(batch.values[i])));
  assert.deepEqual([...new Set(reported)].sort(), keys);
  assert.ok(keys.length > 50);
  for (const key of keys) {
    await until(`${key} is as it was`, () => ours.values(key).at(-1) === before.values(key).at(-1));
  }
  const watched = ours.began.flatMap(({ groups }) => groups.flatMap(({ series }) => series.map(({ key }) => key)));
  for (const key of keys) {
    // What only a command to the card tells is read by this thread in the slow rounds.
    assert.equal(
      watched.includes(key),
      !/#(temperature|temperature_margin|pcie_\w+)$/.test(key) || key.startsWith('gpu/'),
    );
  }
  assert.deepEqual([ours.seen.reported, before.seen.reported], [[], []]);
  assert.equal(ours.nic.health()[0]?.detail, before.nic.health()[0]?.detail);
  const sensors = /^4 sensors of power_meter, amdgpu; \d+ readings dropped/;
  for (const run of [ours, before]) assert.match(run.hwmon.health()[0]?.detail ?? '', sensors);
});

test('counters that count while native code reads are series, and do not wake this thread', async (t) => {
  const host = tree(t);
  const run = start(t, host, true);
  await until('native code reads', () => run.watched());
  const watches = run.began.length;
  host.write(`${PORT}/counters`, { symbol_error: 77 });
  await until('it is a series', () => run.values(`nic/${FIRST}#symbol_errors`).at(-1) === 77);
  let received = 0;
  await until('so is its rate', () => {
    // A read between emptying and filling the file finds none, and no rate with it: so it continues to count.
    received += 1000;
    host.write(`${PORT}/counters`, { port_rcv_data: received });
    return run.values(`nic/${FIRST}#rdma_receive_rate`).some((rate) => rate > 0);
  });
  host.write(SENSOR, { power1_average: 7_000_000_000 });
  await until('and the meter', () => run.values('host/h#acpi_power').at(-1) === 7000);
  host.write('sys/devices/pci0000:00/0000:00:29.0/0000:29:00.0/hwmon/hwmon5', { temp1_input: 99_000 });
  await until('this thread reads what is slow', () => run.values(`nic/${SECOND}#temperature`).at(-1) === 99);
  assert.equal(run.began.length, watches);
  assert.deepEqual(run.seen.reported, []);
});

test('a port that goes down while native code reads is reported with a gap of one interval, and so is its return', async (t) => {
  const host = tree(t);
  const run = start(t, host, true, 50);
  await until('native code reads', () => run.watched());
  const last = () => run.values(`nic/${FIRST}#ports_up`);
  host.write(PORT, { state: '1: DOWN', phys_state: '2: Polling', 'counters/link_downed': 1 });
  const down = await until('it is reported', () => run.seen.events[0]);
  assert.deepEqual(run.seen.reported, [`nic.port_down onset nic/${FIRST}`]);
  const { earliestMs = 0, latestMs = 0 } = down.interval ?? {};
  const { batches } = run.seen;
  const before = batches.findLast(({ timesMs }) => (timesMs[0] ?? 0) < earliestMs - 200);
  assert.ok(before !== undefined, 'the last look of this thread was long before the gap');
  assert.ok(latestMs > earliestMs);
  await until('the series follows', () => last().at(-1) === 0);
  host.write(PORT, { state: '4: ACTIVE', phys_state: '5: LinkUp' });
  await until('it is over', () => run.seen.reported.length === 2);
  assert.deepEqual(run.seen.reported[1], `nic.port_down clear nic/${FIRST}`);
  assert.equal(last().at(-1), 1);
});

test('a card that falls off the bus while native code reads is lost, and found again', async (t) => {
  const host = tree(t);
  const run = start(t, host, true);
  await until('native code reads', () => run.watched());
  const folder = `${host.slotOf(SECOND)}/${SECOND}`;
  for (const path of ['sys/class/infiniband/mlx5_1', 'sys/class/net/ib1', folder, `sys/bus/pci/devices/${SECOND}`])
    host.remove(path);
  await until('it is reported', () => run.seen.events[0]);
  assert.deepEqual(run.seen.reported, [`nic.lost onset nic/${SECOND}`]);
  host.mlx5(SECOND, 'mlx5_1', 'ib1');
  await until('it is back', () => run.seen.reported.length === 2);
  assert.deepEqual(run.seen.reported[1], `nic.lost clear nic/${SECOND}`);
});

test('a counter that comes to the end of its range while native code reads is said', async (t) => {
  const host = tree(t);
  const run = start(t, host, true);
  await until('native code reads', () => run.watched());
  host.write(`${PORT}/counters`, { symbol_error: 65_535 });
  await until('it is said', () => /FL2603 .* counters\/symbol_error/.test(run.nic.health()[0]?.detail ?? ''));
  await until('native code reads again', () => run.began.filter(({ name }) => name.startsWith('nic')).length === 2);
  host.write(`${PORT}/counters`, { symbol_error: 0 });
  await until('it counts again', () => !/FL2603/.test(run.nic.health()[0]?.detail ?? ''));
});

test('a meter whose reads by native code make the kernel log errors is given up, the other sensors are read on', async (t) => {
  const host = tree(t);
  const run = start(t, host, true, 20);
  await until('native code reads', () => run.watched());
  const path = `${host.sys}/class/hwmon/hwmon0/power1_average`;
  const text = 'ACPI Error: No handler for Region [POWR] (00000000b1b0f1ae) [IPMI] (20230628/evregion-130)';
  await until('it is given up', () => {
    const timeMs = Date.now(); // the steady clock is anchored on the wall clock
    run.hwmon.handleRecords([{ sequence: 1, timeMs, observedMs: timeMs, priority: 3, facility: 0, text }]);
    return run.seen.reported.length > 0;
  });
  assert.deepEqual(run.seen.reported, ['agent.self_inflicted point host/h']);
  assert.match(run.hwmon.health()[0]?.detail ?? '', /FL2604/);
  const plan = await until('a watch begins without it', () =>
    run.began.filter(({ name }) => name.startsWith('hwmon')).at(1),
  );
  assert.ok(plan.groups.length === 3 && !plan.groups.some(({ files }) => files[0]?.path === path));
  const power = () => run.values('gpu/0000:05:00.0#power').length;
  const now = power();
  await until('the GPU is read on', () => power() > now + 3);
});

/** A watch of a native reader that a test scripts. */
class ToldWatch implements NativeFileWatch {
  readonly options: FileWatchOptions;
  hanging: string | null = null;
  over = false;
  rounds = 0;
  constructor(options: FileWatchOptions) {
    this.options = options;
  }
  groups(): Float64Array {
    return new Float64Array(6 * this.options.groups.length).fill(Number.NaN);
  }
  counts() {
    return { rounds: this.rounds, reads: 0, readSeconds: 0, dropped: 0 };
  }
  hangs(): string | null {
    return this.hanging;
  }
  ended(): boolean {
    return this.over;
  }
  stop(): void {}
}

function one(t: TestContext): FakeSys {
  const host = new FakeSys(t);
  host.interface('eno1', host.pci(FIRST, { vendor: '0x8086' }, 'igb'), 1000);
  return host;
}

function reported(t: TestContext, host: FakeSys) {
  const watches: ToldWatch[] = [];
  const watch: Watch = (options) => {
    const made = new ToldWatch(options);
    watches.push(made);
    return made;
  };
  const seen = new Seen();
  const files = new SmallFiles({ stuck: 0 }, undefined, 500);
  let nowMs = 1_764_000_000_000;
  const now = () => {
    nowMs += 100;
    return nowMs;
  };
  const look = { host: 'h', sys: host.sys, now, watch, files };
  const source = new NicSource({ enabled: 'auto', intervalMs: 2, fabric: [] }, look);
  t.after(() => source.stop());
  source.start(seen, new AbortController().signal);
  return { source, seen, watches };
}

const first = (watches: readonly ToldWatch[]) => until('a watch began', () => watches[0]);

test('a read that hangs native code up is named, the other cards are read here, and a watch begins when it answers', async (t) => {
  const host = tree(t);
  const { source, seen, watches } = reported(t, host);
  const watch = await first(watches);
  const path = `${host.folder}/${PORT}/counters/symbol_error`;
  watch.rounds = 3;
  watch.hanging = path;
  assert.match(source.health()[0]?.detail ?? '', /FL2601 .*symbol_error does not answer/);
  const batches = seen.batches.length;
  await until('this thread reads', () => seen.batches.length > batches + 20);
  const { keys = [] } = seen.batches.findLast((batch) => batch.keys[0]?.includes(FIRST)) ?? {};
  assert.ok(!keys.includes(`nic/${FIRST}#symbol_errors`) && keys.includes(`nic/${FIRST}#link_downs`));
  assert.match(source.health()[0]?.detail ?? '', /FL2601 .*symbol_error does not answer/);
  assert.equal(watches.length, 1);
  watch.over = true;
  const second = await until('a watch begins again', () => watches[1]);
  assert.ok(second.options.groups.some(({ files }) => files.some((file) => file.path === path)));
});

test('a watch that ended unheard, or without a thread, is taken for what it is; the notice of an older one for nothing', async (t) => {
  const { source, watches } = reported(t, tree(t));
  const watch = await first(watches);
  watch.rounds = 2;
  source.handleNotice(notice({ type: 'files_changed', name: 'nic 0' }));
  watch.over = true;
  const second = await until('a watch begins again', () => watches[1]);
  assert.notEqual(second.options.name, watch.options.name);
});

test('a watch that finds at once what this thread does not is not tried again for a while', async (t) => {
  const { source, seen, watches } = reported(t, one(t));
  const watch = await first(watches);
  const rounds = () => seen.batches.filter(({ keys }) => keys[0]?.includes(FIRST)).length;
  const before = rounds();
  source.handleNotice(notice({ type: 'files_changed', name: watch.options.name }));
  await until('a watch begins again', () => watches[1]);
  assert.ok(rounds() - before >= 60);
});

test('what native code refuses to read is read here, and it is not asked again', async (t) => {
  let asked = 0;
  const watch: Watch = () => {
    asked += 1;
    throw new TypeError('at most 8192 files');
  };
  const seen = new Seen();
  const source = new NicSource(
    { enabled: 'auto', intervalMs: 2, fabric: [] },
    { host: 'h', sys: one(t).sys, now: Date.now, watch },
  );
  t.after(() => source.stop());
  source.start(seen, new AbortController().signal);
  await until('it was asked', () => asked > 0);
  const batches = seen.batches.length;
  await until('this thread reads on', () => seen.batches.length > batches + 20);
  assert.equal(asked, 1);
});
