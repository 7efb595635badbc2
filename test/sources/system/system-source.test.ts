// The system source as the line sees it: samples, events with onset and clear, a reboot reported once, the inventory.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Discovery, Emit, EventInput, SampleBatch } from '../../../src/model/record.ts';
import type { TakeInventory } from '../../../src/sources/system/inventory/take-inventory.ts';
import { type SystemOptions, SystemSource } from '../../../src/sources/system/system-source.ts';
import { until } from '../fake-sys.ts';
import { FakeHost, MEMINFO, pressure, stat } from './fake-host.ts';

const BOOT_A = '11111111-2222-3333-4444-555555555555';
const BOOT_B = '99999999-2222-3333-4444-555555555555';
const BOOT_TIME_S = 1_764_000_000;

class Seen implements Emit {
  readonly batches: SampleBatch[] = [];
  readonly events: EventInput[] = [];
  readonly discoveries: Discovery[] = [];
  samples(batch: SampleBatch): void {
    this.batches.push(batch);
  }
  text(): void {}
  event(event: EventInput): void {
    this.events.push(event);
  }
  discovery(discovery: Discovery): void {
    this.discoveries.push(discovery);
  }
}

function source(
  t: TestContext,
  host: FakeHost,
  nowMs: number,
  more: Partial<SystemOptions> = {},
): { seen: Seen; source: SystemSource; abort: AbortController } {
  const made = new SystemSource(
    { enabled: 'auto', intervalMs: 20, filesystems: [], shm: join(host.folder, 'no shm') },
    {
      host: 'node-3',
      roots: host.roots,
      filesystems: [],
      stateDirectory: host.state,
      inventory: null,
      now: () => nowMs,
      ...more,
    },
  );
  const seen = new Seen();
  const abort = new AbortController();
  t.after(() => made.stop());
  made.start(seen, abort.signal);
  return { seen, source: made, abort };
}

const record = (host: FakeHost) => {
  try {
    return JSON.parse(readFileSync(join(host.state, 'boot.json'), 'utf8'));
  } catch {
    return undefined;
  }
};

function fakeHost(t: TestContext, bootId = BOOT_A): FakeHost {
  const host = new FakeHost();
  t.after(() => host.close());
  host.proc('stat', stat([1, 1, 1, 1], BOOT_TIME_S));
  host.proc('meminfo', MEMINFO);
  host.proc('sys/kernel/random/boot_id', `${bootId}\n`);
  return host;
}

test('samples have the source, the trust and the time of their reading; health says what is there', async (t) => {
  const host = fakeHost(t);
  host.proc('pressure/io', pressure(1, 1));
  const { seen, source: made } = source(t, host, BOOT_TIME_S * 1000 + 5);
  const batch = await until('a batch came', () => seen.batches[0]);
  assert.deepEqual([batch.source, batch.trust], ['system', 'system']);
  assert.ok(batch.keys.includes('host/node-3#memory_available'));
  assert.deepEqual(new Set(batch.timesMs), new Set([BOOT_TIME_S * 1000 + 5]));
  const [health] = made.health();
  assert.equal(health?.status, 'works');
  assert.equal(health?.detail, 'CPU, memory, pressure');
});

test('a host that cannot be read says which file and what to do', async (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  const { source: made } = source(t, host, 0);
  const health = await until('it looked', () => made.health().find(({ detail }) => detail !== 'starting'));
  assert.equal(health?.status, 'absent');
  assert.match(health?.detail ?? '', /^FL2501 .*stat shows no host \(ENOENT\)$/);
  assert.match(health?.remedy ?? '', /roots\.proc/);
});

test('the first run knows of no reboot; the next one on another boot tells it once, orderly when we were stopped', async (t) => {
  const host = fakeHost(t);
  const first = source(t, host, BOOT_TIME_S * 1000 + 60_000);
  await until('the boot is remembered', () => record(host));
  await first.source.stop();
  assert.deepEqual(record(host), {
    schema: 'faultline/boot/1',
    boot_id: BOOT_A,
    seen_ms: BOOT_TIME_S * 1000 + 60_000,
    stopped: true,
  });
  assert.deepEqual(first.seen.events, []);

  host.proc('sys/kernel/random/boot_id', `${BOOT_B}\n`);
  host.proc('stat', stat([1, 1, 1, 1], BOOT_TIME_S + 180));
  const second = source(t, host, BOOT_TIME_S * 1000 + 240_000);
  const event = await until('the reboot is reported', () => second.seen.events[0]);
  assert.equal(event.kind, 'host.rebooted');
  assert.deepEqual(event.component, { type: 'host', id: 'node-3' });
  assert.equal(event.timeMs, (BOOT_TIME_S + 180) * 1000);
  assert.deepEqual(event.interval, { earliestMs: BOOT_TIME_S * 1000 + 60_000, latestMs: BOOT_TIME_S * 1000 + 181_000 });
  assert.deepEqual(event.attributes, { reason: 'orderly', last_seen_ms: BOOT_TIME_S * 1000 + 60_000, down_s: 120 });
  await until('the new boot is remembered', () => record(host)?.boot_id === BOOT_B);
  await second.source.stop();

  const third = source(t, host, BOOT_TIME_S * 1000 + 300_000);
  await until('it writes', () => record(host)?.seen_ms === BOOT_TIME_S * 1000 + 300_000);
  assert.deepEqual([second.seen.events.length, third.seen.events.length], [1, 0]);
});

test('a reboot while we ran is abrupt; one long after we were stopped is of unknown reason', async (t) => {
  const cases = [
    { stopped: false, seen_ms: BOOT_TIME_S * 1000 - 60_000, reason: 'abrupt' },
    { stopped: true, seen_ms: BOOT_TIME_S * 1000 - 3_600_000, reason: 'unknown' },
  ];
  for (const { reason, ...rest } of cases) {
    const host = fakeHost(t, BOOT_B);
    writeFileSync(join(host.state, 'boot.json'), JSON.stringify({ boot_id: BOOT_A, ...rest }));
    const { seen } = source(t, host, BOOT_TIME_S * 1000 + 1000);
    assert.equal((await until('the reboot is reported', () => seen.events[0])).attributes?.reason, reason);
  }
});

test('a record that is torn, foreign or of another shape is not a reboot, and is replaced', async (t) => {
  for (const text of ['', '{"boot_id": "1111', '[]', 'null', '{"boot_id":"../../x","seen_ms":1}', '\0'.repeat(9000)]) {
    const host = fakeHost(t);
    writeFileSync(join(host.state, 'boot.json'), text);
    const { seen, source: made } = source(t, host, BOOT_TIME_S * 1000);
    await until('the boot is remembered', () => record(host)?.boot_id === BOOT_A);
    assert.deepEqual(seen.events, [], text);
    await made.stop();
  }
});

test('a state directory that cannot be written is said in health, and nothing else suffers', async (t) => {
  const host = fakeHost(t);
  const { seen, source: made } = source(t, host, 0, { stateDirectory: join(host.folder, 'missing') });
  const detail = await until('health says it', () => made.health()[0]?.detail.match(/FL2504 .*missing.*ENOENT/)?.[0]);
  assert.ok(detail.length < 400);
  assert.ok(seen.batches.length > 0);
});

test('a look of a moment leaves nothing behind and tells no reboot', async (t) => {
  const host = fakeHost(t, BOOT_B);
  const before = JSON.stringify({ boot_id: BOOT_A, seen_ms: 1, stopped: false });
  writeFileSync(join(host.state, 'boot.json'), before);
  const { seen, source: made } = source(t, host, BOOT_TIME_S * 1000, { stateDirectory: null });
  await until('some rounds', () => seen.batches.length > 3);
  await made.stop();
  assert.deepEqual(seen.events, []);
  assert.equal(readFileSync(join(host.state, 'boot.json'), 'utf8'), before);
});

test('the inventory becomes the attributes of the host; why there is none is said', async (t) => {
  const inventory = { vendor: 'Supermicro', serial: null } as unknown as Awaited<ReturnType<TakeInventory>>; // two of its facts
  const { seen } = source(t, fakeHost(t), 0, { inventory: () => Promise.resolve(inventory) });
  const discovery = await until('a discovery', () => seen.discoveries[0]);
  assert.deepEqual(discovery, { component: { type: 'host', id: 'node-3' }, links: [], attributes: inventory });

  const failing = source(t, fakeHost(t), 0, { inventory: () => Promise.reject(new Error('it took longer than 20 s')) });
  await until('health says it', () =>
    failing.source.health()[0]?.detail.includes('FL2503 no inventory of the host: it took'),
  );
  assert.deepEqual(failing.seen.discoveries, []);
});

test('nothing is emitted after stop, and the inventory is asked to end', async (t) => {
  let signal: AbortSignal | undefined;
  const inventory: TakeInventory = (given) => {
    signal = given;
    return new Promise(() => {});
  };
  const { seen, source: made, abort } = source(t, fakeHost(t), 0, { inventory });
  await until('some rounds', () => seen.batches.length > 2);
  abort.abort();
  await made.stop();
  const count = seen.batches.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(seen.batches.length, count);
  assert.equal(signal?.aborted, true);
});
