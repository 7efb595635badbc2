// The inventory against a tree as the kernel lays it out: seven of eight after a boot, a swap, a move, and what is taken out on purpose.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import { componentText } from '../../../src/model/component.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { memoryDevice, smbiosTable, systemInformation } from '../../../src/simulator/corpus/served/dmi-table.ts';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { InventorySource } from '../../../src/sources/inventory/inventory-source.ts';
import { until } from '../../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'inventory-'));
after(() => rmSync(folder, { recursive: true }));

/** One host: its tree and its state outlive a run. */
class World {
  readonly root = mkdtempSync(join(folder, 'host-'));
  readonly sys = join(this.root, 'sys');
  readonly state = join(this.root, 'state');
  readonly serials = new Map<string, string>();
  #nowMs = 1_790_000_000_000;

  constructor() {
    mkdirSync(join(this.sys, 'bus/pci/devices'), { recursive: true });
    mkdirSync(this.state);
  }

  pci(address: string, vendor: string, type: string, physfn = false): this {
    const device = join(this.sys, 'bus/pci/devices', address);
    mkdirSync(device);
    writeFileSync(join(device, 'vendor'), `${vendor}\n`);
    writeFileSync(join(device, 'class'), `${type}\n`);
    if (physfn) symlinkSync('../0000:99:00.0', join(device, 'physfn'));
    return this;
  }

  gpu(address: string, uuid?: string): this {
    if (uuid !== undefined) this.serials.set(address, uuid);
    return this.pci(address, '0x10de', '0x030200');
  }

  disk(name: string, address: string, serial: string, transport = 'pcie'): this {
    const device = join(this.sys, 'class/nvme', name);
    mkdirSync(device, { recursive: true });
    for (const [file, text] of Object.entries({ transport, address, serial: `${serial}   `, model: 'PM9A3' }))
      writeFileSync(join(device, file), `${text}\n`);
    return this;
  }

  memory(machine: string, ...slots: string[]): this {
    const tables = join(this.sys, 'firmware/dmi/tables');
    mkdirSync(tables, { recursive: true });
    const modules = slots.map((locator) => memoryDevice({ locator, bank: 'P0', serial: `s-${locator}`, part: 'X', sizeMb: 32 })); // biome-ignore format: one line
    writeFileSync(join(tables, 'DMI'), smbiosTable(systemInformation(machine.repeat(32), 'x'), ...modules));
    return this;
  }

  remove(path: string): this {
    rmSync(join(this.sys, path), { recursive: true });
    return this;
  }

  /** A run of so many looks; returns what it reported. */
  async run(looks = 4, during: (identity: Identity, look: number) => void = () => {}): Promise<Run> {
    const identity = new Identity('node-3', { now: () => this.#nowMs, directory: this.state });
    await identity.parts.load();
    for (const [id, uuid] of this.serials) identity.gpus.found({ type: 'gpu', id, aliases: ['gpu 0', uuid] }, 'H200');
    let done = 0;
    const source = new (class extends InventorySource {
      protected override async round(): Promise<void> {
        await super.round();
        done += 1;
        during(identity, done);
      }
    })({ enabled: 'on', intervalMs: 5 }, { host: 'node-3', sys: this.sys, now: () => (this.#nowMs += 1000), files: new SmallFiles(), identity }); // biome-ignore format: one line
    const events: EventInput[] = [];
    const abort = new AbortController();
    source.start(
      { event: (event) => events.push(event), samples: () => {}, text: () => {}, discovery: () => {} },
      abort.signal,
    );
    await until(() => done >= looks, { what: 'so many looks' });
    const health = source.health()[0]?.detail ?? '';
    await source.stop();
    await identity.parts.stop();
    return { health, said: events.map(({ kind, component, state, attributes }) => `${kind} ${component === null ? '?' : componentText(component)} ${state}${attributes?.change === undefined ? '' : ` ${attributes.change}`}`), events }; // biome-ignore format: one line
  }
}
interface Run {
  readonly said: readonly string[];
  readonly events: readonly EventInput[];
  readonly health: string;
}

const GPUS = ['1b', '29', '45', '5d', '9b', 'ad', 'c1', 'df'].map((bus) => `0000:${bus}:00.0`);
function eight(): World {
  const world = new World();
  for (const [i, address] of GPUS.entries()) world.gpu(address, `GPU-${i}`);
  return world;
}

test('seven of eight GPUs after a boot is reported, even where the bus shows seven, until it is back', async () => {
  const world = eight();
  assert.deepEqual((await world.run()).said, []);
  world.remove(`bus/pci/devices/${GPUS[4]}`);
  world.serials.delete(GPUS[4] ?? '');
  const second = await world.run();
  assert.deepEqual(second.said, [`gpu.missing gpu/${GPUS[4]} onset`]);
  const [event] = second.events;
  assert.deepEqual([event?.attributes?.present, event?.attributes?.known, event?.attributes?.serial], [7, 8, 'GPU-4']);
  assert.match(String(event?.evidence?.[0]?.source), /inventory/);
  assert.match(second.health, /^7 GPUs; 1 missing/);
  // The next run reports it again, and its end.
  const third = await world.run(8, (_, look) => void (look === 4 && world.gpu(GPUS[4] ?? '')));
  assert.deepEqual(third.said, [`gpu.missing gpu/${GPUS[4]} onset`, `gpu.missing gpu/${GPUS[4]} clear`]);
});

test('a part is gone since the last look that saw it, not since one that missed it', async () => {
  const world = eight();
  const { events } = await world.run(6, (_, look) => {
    if (look !== 3) return;
    world.remove(`bus/pci/devices/${GPUS[4]}`);
    world.serials.delete(GPUS[4] ?? '');
  });
  const [{ interval } = {}] = events;
  // The clock of these tests moves on by a second a look: the third saw it, the fourth and fifth did not.
  assert.equal((interval?.latestMs ?? 0) - (interval?.earliestMs ?? 0), 2000);
});

test('a GPU that leaves the bus for one look is not reported', async () => {
  const world = eight();
  await world.run();
  const { said } = await world.run(6, (_, look) => {
    if (look === 2) world.remove(`bus/pci/devices/${GPUS[1]}`);
    if (look === 3) world.gpu(GPUS[1] ?? '');
  });
  assert.deepEqual(said, []);
});

test('a swapped GPU and a moved one are facts, not faults', async () => {
  const world = eight();
  await world.run();
  world.serials
    .set(GPUS[0] ?? '', 'GPU-new')
    .set(GPUS[1] ?? '', 'GPU-2')
    .set(GPUS[2] ?? '', 'GPU-1');
  const { said, events } = await world.run();
  assert.deepEqual(said.toSorted(), [
    `host.part_changed gpu/${GPUS[0]} point swapped`,
    `host.part_changed gpu/${GPUS[1]} point moved`,
    `host.part_changed gpu/${GPUS[2]} point moved`,
  ]);
  assert.ok(events.every(({ severity }) => severity === undefined));
  assert.deepEqual((await world.run()).said, [], 'once');
});

test('memory modules, disks, cards and supplies, each with its own kind', async () => {
  const world = new World()
    .memory('a', 'A1', 'A2')
    .disk('nvme0', '0000:81:00.0', 'S1')
    .disk('nvme1', '0000:82:00.0', 'S2');
  world.disk('nvme9', '10.0.0.7', 'S9', 'tcp').pci('0000:40:00.0', '0x15b3', '0x020700');
  world
    .pci('0000:40:00.1', '0x15b3', '0x020700')
    .pci('0000:41:00.0', '0x15b3', '0x020000', true)
    .pci('0000:02:00.0', '0x1a03', '0x030000');
  const supply = (slot: string) => ({ type: 'psu', slot, serial: `psu-${slot}`, model: null }) as const;
  const first = await world.run(4, (identity) => identity.supplies.saw([supply('1'), supply('2')]));
  assert.deepEqual(first.said, []);
  assert.equal(first.health, '1 network cards, 2 disks, 2 memory modules, 2 supplies');
  world.memory('a', 'A2').remove('class/nvme/nvme0').remove('bus/pci/devices/0000:40:00.0');
  const second = await world.run(4, (identity) => identity.supplies.saw([supply('2')]));
  assert.deepEqual(second.said.toSorted(), [
    'host.part_missing dimm/node-3/A1 onset',
    'host.part_missing disk/node-3/0000:81:00.0 onset',
    'nic.lost nic/0000:40:00.0 onset',
    'psu.failure psu/node-3/1 onset',
  ]);
});

test('a part that an operator took out on purpose is over, and stays so', async () => {
  const world = eight();
  await world.run();
  world.remove(`bus/pci/devices/${GPUS[4]}`);
  const { said } = await world.run(6, ({ parts }, look) => void (look === 4 && parts.accept('gpu', GPUS[4] ?? '')));
  assert.deepEqual(said, [
    `gpu.missing gpu/${GPUS[4]} onset`,
    `host.part_changed gpu/${GPUS[4]} point accepted`,
    `gpu.missing gpu/${GPUS[4]} clear`,
  ]);
  assert.deepEqual((await world.run()).said, []);
});

test('another board, a state folder that came with an image: nothing of the first machine is missing', async () => {
  const world = eight().memory('a', 'A1', 'A2');
  await world.run();
  world.memory('b', 'B1').remove(`bus/pci/devices/${GPUS[4]}`);
  assert.deepEqual((await world.run()).said, []);
});

test('a source that is not there yet, or fails, is not an empty host', async () => {
  const world = eight().disk('nvme0', '0000:81:00.0', 'S1');
  await world.run(4, (identity) => identity.supplies.saw([{ type: 'psu', slot: '1', serial: null, model: null }]));
  rmSync(join(world.sys, 'bus'), { recursive: true });
  assert.deepEqual((await world.run()).said, []);
});

test('a board whose table a container hides: doctor says so', async () => {
  const hidden = new World();
  mkdirSync(join(hidden.sys, 'class/dmi/id'), { recursive: true });
  assert.match(
    (await hidden.run(1)).health,
    /^no parts; FL2507 memory modules are not seen: .*DMI is not there \(ENOENT\)/,
  );
  assert.equal((await new World().run(1)).health, 'no parts', 'a machine without a table');
});
