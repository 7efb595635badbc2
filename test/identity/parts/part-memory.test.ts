// The parts of a host over restarts: kept, bounded, and begun again where the file is of no use.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import type { Part } from '../../../src/identity/parts/part.ts';
import { MOST_PARTS, PartMemory } from '../../../src/identity/parts/part-memory.ts';

const folder = mkdtempSync(join(tmpdir(), 'parts-'));
const path = join(folder, 'inventory.json');
after(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(path, { force: true }));

const gpu = (slot: string, serial: string | null = null): Part => ({ type: 'gpu', slot, serial, model: 'H200' });

async function start(nowMs = 1000): Promise<PartMemory> {
  const memory = new PartMemory(folder, () => nowMs);
  await memory.load();
  return memory;
}
function look(memory: PartMemory, ...present: Part[]) {
  const found = memory.compare('gpu', present);
  memory.settle('gpu', found);
  return found;
}

test('what one run saw, the next one expects', async () => {
  const first = await start();
  assert.deepEqual(look(first, gpu('a', 'GPU-1'), gpu('b', 'GPU-2')).missing, []);
  first.isOn('board-1');
  first.ports.is('0000:40:00.0 mlx5_0/1', true);
  await first.stop();
  const second = await start(5000);
  second.isOn('board-1');
  assert.equal(second.ports.wasUp('0000:40:00.0 mlx5_0/1'), true);
  const [missing] = look(second, gpu('a', 'GPU-1')).missing;
  assert.deepEqual([missing?.slot, missing?.serial, missing?.firstSeenMs], ['b', 'GPU-2', 1000]);
  assert.deepEqual(second.all().map(({ missingSinceMs }) => missingSinceMs), [null, 5000]); // biome-ignore format: one line
  await second.stop();
  const third = await start(9000);
  look(third, gpu('a', 'GPU-1'));
  assert.equal(third.all()[1]?.missingSinceMs, 5000, 'since when it is missing stays');
  look(third, gpu('a', 'GPU-1'), gpu('b', 'GPU-2'));
  assert.equal(third.all()[1]?.missingSinceMs, null);
});

test('a part that was taken out on purpose is expected no more, and only one that is missing', async () => {
  const memory = await start();
  const heard: string[] = [];
  memory.whenAccepted(({ slot }) => heard.push(slot));
  look(memory, gpu('a'), gpu('b'));
  assert.equal(memory.accept('gpu', 'b'), null);
  look(memory, gpu('a'));
  assert.equal(memory.accept('nic', 'b'), null);
  assert.equal(memory.accept('gpu', 'b')?.slot, 'b');
  assert.deepEqual(heard, ['b']);
  await memory.stop();
  const next = await start();
  assert.deepEqual(look(next, gpu('a')).missing, []);
  assert.deepEqual(look(next, gpu('a'), gpu('b')).added.map(({ slot }) => slot), ['b']); // biome-ignore format: one line
});

test('a port that was up is expected up, over boots, until it has been down for a day', async () => {
  const port = '0000:40:00.0 mlx5_0/1';
  const hour = 3_600_000;
  const first = await start();
  first.ports.is('never up', false);
  first.ports.is(port, true);
  await first.stop();
  const afterDays = await start(80 * hour);
  assert.deepEqual([afterDays.ports.wasUp(port), afterDays.ports.wasUp('never up')], [true, false]);
  afterDays.ports.is(port, false);
  await afterDays.stop();
  assert.equal((await start(100 * hour)).ports.wasUp(port), true);
  assert.equal((await start(105 * hour)).ports.wasUp(port), false);
});

test('how fast a link was is expected, over boots, until it has been slower for a day', async () => {
  const port = '0000:40:00.0 mlx5_0/1';
  const hour = 3_600_000;
  const first = await start();
  first.ports.rateIs(port, 400e9);
  assert.equal(first.ports.rateWas(port), null, 'of a port that was never up nothing is kept');
  first.ports.is(port, true);
  first.ports.rateIs(port, 400e9);
  await first.stop();
  const second = await start(10 * hour);
  assert.equal(second.ports.rateWas(port), 400e9);
  second.ports.rateIs(port, 200e9);
  assert.equal(second.ports.rateWas(port), 400e9);
  await second.stop();
  const third = await start(35 * hour);
  assert.equal(third.ports.rateWas(port), null);
  third.ports.rateIs(port, 200e9);
  assert.equal(third.ports.rateWas(port), 200e9);
});

test('another machine brings no parts of the first one', async () => {
  const first = await start();
  look(first, gpu('a'), gpu('b'));
  first.isOn('board-1');
  await first.stop();
  const second = await start();
  second.isOn('board-2');
  assert.deepEqual([second.all(), look(second, gpu('c')).missing], [[], []]);
});

test('a damaged file, one of a later version and one with nonsense inside are taken for what they are worth', async () => {
  const first = await start();
  look(first, gpu('a'), gpu('b'));
  await first.stop();
  const good = readFileSync(path, 'utf8');
  for (const text of ['', '{', 'null', '[]', good.slice(0, -9), good.replace('inventory/1', 'inventory/2')]) {
    writeFileSync(path, text);
    const memory = await start();
    assert.deepEqual(memory.all(), [], text.slice(0, 40));
    assert.match(memory.trouble ?? '', /^FL2506 /);
    look(memory, gpu('a'));
    await memory.stop();
    assert.equal(memory.trouble, null);
    assert.equal((await start()).all().length, 1, 'it is written again');
  }
  const odd = JSON.parse(good);
  odd.parts.push(
    { type: 'flux', slot: 'x' },
    7,
    null,
    { ...odd.parts[0], slot: '' },
    { ...odd.parts[0], missingSinceMs: 'x' },
  );
  writeFileSync(path, JSON.stringify(odd));
  assert.deepEqual((await start()).all().map(({ slot }) => slot), ['a', 'b']); // biome-ignore format: one line
});

test('it is bounded, and without a folder keeps nothing', async () => {
  const memory = await start();
  look(memory, ...Array.from({ length: MOST_PARTS + 50 }, (_, i) => gpu(`slot-${i}`)));
  assert.equal(memory.all().length, MOST_PARTS);
  const none = new PartMemory(null, () => 1);
  await none.load();
  look(none, gpu('a'));
  await none.stop();
  assert.equal(none.all().length, 1);
});
