// The spool: order, caps, and what is left of it after an end at any byte.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { findFrame, frameOf, type Message, readFrame } from '../../../../src/sinks/delivery/spool/frame.ts';
import { Spool, type SpoolOptions } from '../../../../src/sinks/delivery/spool/spool.ts';
import { nodeFiles } from '../../../../src/sinks/delivery/spool/spool-files.ts';

const NOW = 1_800_000_000_000;

function entry(number: number, length = 100): Message {
  return { bytes: Buffer.alloc(length, number), items: 2, timeMs: NOW };
}

interface Kept {
  readonly spool: Spool;
  readonly dropped: [string, number, number][];
}

function spoolIn(directory: string, more: Partial<SpoolOptions> = {}): Kept {
  const dropped: [string, number, number][] = [];
  const onDropped = (...what: [string, number, number]) => dropped.push(what);
  const options = { directory, maxBytes: 1 << 20, maxAgeMs: 3_600_000, files: nodeFiles, now: () => NOW, onDropped };
  return { spool: new Spool({ ...options, ...more }), dropped };
}

function folder(): string {
  return join(mkdtempSync(join(tmpdir(), 'fl-spool-')), 'logs');
}

/** Takes out everything; the first byte of each entry. */
async function drain(spool: Spool, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const got: number[] = [];
  for (let next = await spool.peek(); next !== null && got.length < most; next = await spool.peek()) {
    got.push(next.message.bytes[0] ?? -1);
    spool.sent(next);
    await spool.settle();
  }
  return got;
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const segments = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.spool'))
    .sort();

test('entries come back in order, over several files, and files that were sent are gone', async () => {
  const directory = folder();
  const { spool, dropped } = spoolIn(directory, { segmentBytes: 500 });
  await spool.open();
  await spool.append(
    numbers(0, 10).map((number) => entry(number)),
    true,
  );
  assert.equal(spool.waiting, 10);
  assert.deepEqual(await drain(spool), numbers(0, 10));
  await spool.append(
    numbers(10, 20).map((number) => entry(number)),
    true,
  );
  assert.deepEqual(await drain(spool), numbers(10, 20));
  assert.equal(spool.waiting, 0);
  assert.ok(segments(directory).length <= 1);
  assert.deepEqual(dropped, []);
  await spool.close();
});

test('a spool that an earlier version left is read, behind what its cursor says was sent', async () => {
  const directory = folder();
  mkdirSync(directory, { recursive: true });
  const frame = (head: string, text: string) => Buffer.concat([Buffer.from(head, 'hex'), Buffer.from(text)]);
  const segment = Buffer.concat([
    frame('464c5350010000000900000001000000000000c585317a421f866e0f', 'request 1'),
    frame('464c5350010000000900000002000000000000c585317a42465579ed', 'request 2'),
    frame('464c5350010000000900000003000000000000c585317a424ee6a405', 'request 3'),
  ]);
  writeFileSync(join(directory, '000000000001.spool'), segment);
  writeFileSync(join(directory, 'cursor'), Buffer.from('01000000000000002500000000000000f6b645f3', 'hex'));
  const { spool } = spoolIn(directory);
  assert.equal(await spool.open(), 0);
  const next = await spool.peek();
  assert.deepEqual([String(next?.message.bytes), next?.message.items, next?.message.timeMs], ['request 2', 2, NOW]);
  assert.equal(spool.waiting, 2);
  await spool.close();
});

test('after an end it continues where it was', async () => {
  const directory = folder();
  const first = spoolIn(directory, { segmentBytes: 500 });
  await first.spool.open();
  await first.spool.append(
    numbers(0, 10).map((number) => entry(number)),
    true,
  );
  assert.deepEqual(await drain(first.spool, 6), numbers(0, 6));
  await first.spool.close();
  const second = spoolIn(directory, { segmentBytes: 500 });
  assert.equal(await second.spool.open(), 0);
  await second.spool.append([entry(10)], true);
  assert.deepEqual(await drain(second.spool), numbers(6, 11));
  await second.spool.close();
});

test('without its cursor, or with a damaged one, it sends again rather than losing anything', async () => {
  const directory = folder();
  const { spool } = spoolIn(directory);
  await spool.open();
  await spool.append(
    numbers(0, 5).map((number) => entry(number)),
    true,
  );
  await drain(spool, 3);
  await spool.close();
  writeFileSync(join(directory, 'cursor'), Buffer.alloc(20, 7));
  const again = spoolIn(directory);
  await again.spool.open();
  assert.deepEqual(await drain(again.spool), numbers(0, 5));
  await again.spool.close();
});

test('cut at any byte, all whole entries before the cut come back and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 12 }),
      fc.nat(),
      async (lengths, at) => {
        const directory = folder();
        const { spool } = spoolIn(directory);
        await spool.open();
        await spool.append(
          lengths.map((length, index) => entry(index + 1, length + 1)),
          false,
        );
        await spool.close();
        const [name = ''] = segments(directory);
        const path = join(directory, name);
        const size = readFileSync(path).length;
        const cut = at % (size + 1);
        truncateSync(path, cut);
        let whole = 0;
        for (let end = 0; whole < lengths.length; whole += 1) {
          end += 28 + (lengths[whole] ?? 0) + 1;
          if (end > cut) break;
        }
        const again = spoolIn(directory);
        await again.spool.open();
        assert.deepEqual(await drain(again.spool), numbers(1, whole + 1));
        await again.spool.close();
      },
    ),
    { numRuns: 60 },
  );
});

test('a damaged byte costs the entry that it is in and no other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1279), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
      const directory = folder();
      const { spool } = spoolIn(directory);
      await spool.open();
      await spool.append(
        numbers(1, 11).map((number) => entry(number)),
        false,
      );
      await spool.close();
      const path = join(directory, segments(directory)[0] ?? '');
      const content = readFileSync(path);
      content.writeUInt8(content.readUInt8(at) ^ flip, at);
      writeFileSync(path, content);
      const again = spoolIn(directory);
      assert.ok((await again.spool.open()) > 0);
      assert.deepEqual(
        await drain(again.spool),
        numbers(1, 11).filter((number) => number !== Math.floor(at / 128) + 1),
      );
      await again.spool.close();
    }),
    { numRuns: 60 },
  );
});

test('over the byte cap the oldest files go, and what was in them is counted', async () => {
  const directory = folder();
  const { spool, dropped } = spoolIn(directory, { maxBytes: 1280, segmentBytes: 256 });
  await spool.open();
  await spool.append([entry(0)], true);
  await drain(spool);
  await spool.append(
    numbers(1, 20).map((number) => entry(number)),
    true,
  );
  const left = await drain(spool);
  await spool.close();
  assert.deepEqual(left, numbers(20 - left.length, 20));
  assert.ok(left.length >= 8 && left.length <= 10, `${left.length}`);
  const lost = dropped.reduce((sum, [, requests]) => sum + requests, 0);
  assert.equal(lost + left.length, 19);
  assert.equal(
    dropped.reduce((sum, [, , items]) => sum + items, 0),
    2 * lost,
  );
  assert.deepEqual(new Set(dropped.map(([reason]) => reason)), new Set(['cap']));
});

test('what is older than the age cap is not handed out any more', async () => {
  const clock = { now: NOW };
  const { spool, dropped } = spoolIn(folder(), { now: () => clock.now, maxAgeMs: 1000 });
  await spool.open();
  await spool.append([entry(1)], true);
  await spool.append([{ ...entry(2), timeMs: NOW + 900 }], true);
  clock.now = NOW + 1500;
  assert.deepEqual(await drain(spool), [2]);
  await spool.close();
  assert.deepEqual(dropped, [['age', 1, 2]]);
});

test('a frame inside a payload is not taken for an entry of its own while the outer one is whole', () => {
  const inner = frameOf(entry(9, 40));
  const outer = frameOf({ bytes: inner, items: 1, timeMs: NOW });
  assert.deepEqual(readFrame(outer)?.bytes, inner);
  assert.equal(findFrame(Buffer.concat([Buffer.from('xx'), outer]), 0), 2);
});

test('killed with SIGKILL while it writes, everything that was reported as on disk is there', async () => {
  const directory = folder();
  const writer = fileURLToPath(new URL('./spool-writer.ts', import.meta.url));
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(process.execPath, [writer, directory, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    const enough = 20 + 40 * round;
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (text) => {
        said += text;
        if (said.split('\n').length > enough) child.kill('SIGKILL');
      });
      child.on('close', () => resolve());
    });
    const promised = said.split('\n').filter((line) => line !== '' && said.includes(`${line}\n`));
    const { spool } = spoolIn(directory, { maxBytes: 1 << 24 });
    await spool.open();
    const got: string[] = [];
    for (let next = await spool.peek(); next !== null; next = await spool.peek()) {
      got.push(Buffer.from(next.message.bytes.subarray(0, 8)).toString());
      spool.sent(next);
      await spool.settle();
    }
    await spool.close();
    assert.deepEqual(
      promised.filter((name) => !got.includes(name)),
      [],
    );
    assert.ok(promised.length > 0);
  }
});
