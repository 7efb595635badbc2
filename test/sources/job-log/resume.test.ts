// A log is read on where an earlier run left it: no line twice, none left out, through renames, copies and packing in between.

import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import type { TextRecord } from '../../../src/model/record.ts';
import { FileFollower, type FollowedLine, NOTHING_READ } from '../../../src/sources/job-log/file-follower.ts';
import { JobLogSource } from '../../../src/sources/job-log/job-log-source.ts';
import { LogPlaces } from '../../../src/sources/job-log/places.ts';
import { until } from '../../until.ts';

class World {
  readonly root = mkdtempSync(join(tmpdir(), 'fl-resume-'));
  readonly path = join(this.root, 'train.log');
  /** Of the run that is under way. */
  lines: TextRecord[] = [];

  constructor(t: TestContext) {
    t.after(() => rmSync(this.root, { recursive: true }));
  }

  write(from: number, to: number): void {
    for (let i = from; i <= to; i += 1) appendFileSync(this.path, `line ${i} ${'x'.repeat(40)}\n`);
  }

  start(t: TestContext, heard: () => void = () => undefined): JobLogSource {
    this.lines = [];
    const config = { job: 'llama', path: this.path, framework: 'auto', ranks: [], worldSize: null };
    const source = new JobLogSource([config], {
      host: 'node-3',
      now: Date.now,
      pollMs: 20,
      places: new LogPlaces(this.root),
    });
    t.after(() => source.stop());
    source.start({ samples() {}, text: (record) => { heard(); this.lines.push(record); }, event() {}, discovery() {}, failed: (error) => assert.fail(String(error)) }, new AbortController().signal); // biome-ignore format: one line
    return source;
  }

  /** Numbers of the lines that no run handed over before. */
  get fresh(): number[] {
    return this.lines
      .filter(({ attributes }) => attributes.known !== true)
      .map(({ text }) => Number(text.split(' ')[1]));
  }

  async run(
    t: TestContext,
    last: number,
    between: () => void = () => undefined,
    heard?: () => void,
  ): Promise<number[]> {
    const source = this.start(t, heard);
    await until(() => this.lines.length > 0);
    between();
    await until(() => this.fresh.at(-1) === last, { what: `line ${last}` });
    await source.stop();
    return this.fresh;
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('what came while nothing ran is read, and what was read before is only remembered', async (t) => {
  const world = new World(t);
  world.write(1, 5);
  assert.deepEqual(await world.run(t, 5), numbers(1, 5));
  world.write(6, 9);
  appendFileSync(world.path, 'line 10 begun');
  assert.deepEqual(await world.run(t, 9), numbers(6, 9));
  assert.deepEqual(world.lines.filter(({ attributes }) => attributes.known === true).length, 5);
  assert.ok(world.lines.every(({ attributes }) => attributes.history === true));
  appendFileSync(world.path, ' and ended\n');
  assert.deepEqual(await world.run(t, 10), [10]);
  assert.equal(world.lines.at(-1)?.text, 'line 10 begun and ended');
});

for (const [how, move] of [
  ['renamed', (path: string) => renameSync(path, `${path}.1`)],
  ['packed with gzip', (path: string) => writeFileSync(`${path}-20261129.gz`, gzipSync(readFileSync(path)))],
  ['packed with zstd', (path: string) => writeFileSync(`${path}.1.zst`, zstdCompressSync(readFileSync(path)))],
  ['copied', (path: string) => copyFileSync(path, `${path}.1`)],
] as const)
  test(`rotated while nothing ran, the old one ${how}: its rest comes first, then the new one`, async (t) => {
    const world = new World(t);
    world.write(1, 5);
    await world.run(t, 5);
    world.write(6, 8);
    move(world.path);
    if (how === 'copied') truncateSync(world.path);
    else rmSync(world.path, { force: true });
    world.write(9, 20);
    assert.deepEqual(await world.run(t, 20), numbers(6, 20));
  });

test('of a rest without measure the newest is handed over, a slice at a time, the place being moved before', async (t) => {
  const world = new World(t);
  world.write(1, 9);
  await world.run(t, 9);
  const old = statSync(world.path).size;
  const rest = `${'\n'.repeat(3_000_000)}${Array.from({ length: 50_000 }, (_, i) => `late ${i}\n`).join('')}`;
  writeFileSync(`${world.path}.1.gz`, gzipSync(Buffer.concat([readFileSync(world.path), Buffer.from(rest)])));
  rmSync(world.path);
  writeFileSync(world.path, 'new 1\n');
  const places = new LogPlaces(world.root);
  await places.ready;
  const follower = new FileFollower(world.path, true, undefined, null, null, {
    ...NOTHING_READ,
    placeOf: (path) => places.of(path),
  });
  t.after(() => follower.close());
  const first = await follower.read();
  assert.deepEqual([[...first.lines], first.moved], [[], true]);
  const { dev, ino } = statSync(world.path);
  assert.equal(follower.place?.identity, `${dev}:${ino}`);
  const lines: FollowedLine[] = [];
  for (let more = true; more; ) {
    const piece = await follower.read();
    const made = [...piece.lines];
    assert.ok(made.length < 10_000, `${made.length} lines are made at once`);
    lines.push(...made);
    ({ more } = piece);
  }
  assert.equal(lines.length, 20_001);
  assert.deepEqual([lines[0]?.text, lines.at(-2)?.text, lines.at(-1)?.text], ['late 30000', 'late 49999', 'new 1']);
  assert.equal(lines[0]?.offset, old + follower.leftOutBytes);
});

test('who ends within the rest does not meet it again: the place is on the disk before its first line is handed over', async (t) => {
  const world = new World(t);
  world.write(1, 9);
  await world.run(t, 9);
  world.write(10, 12);
  renameSync(world.path, `${world.path}.1`);
  world.write(13, 14);
  const identity = () => JSON.parse(readFileSync(join(world.root, 'log-places.json'), 'utf8')).places[world.path].identity; // biome-ignore format: one line
  const { dev, ino } = statSync(world.path);
  const kept: unknown[] = [];
  await world.run(t, 14, undefined, () => kept.push(identity()));
  assert.equal(kept.length, 5);
  assert.deepEqual([...new Set(kept)], [`${dev}:${ino}`]);
});

test('emptied under the reader and written beyond where it was, between two looks: the rest is in the copy', async (t) => {
  const world = new World(t);
  world.write(1, 5);
  const read = await world.run(t, 30, () => {
    world.write(6, 8);
    copyFileSync(world.path, `${world.path}.1`);
    truncateSync(world.path);
    world.write(9, 30);
  });
  assert.deepEqual(read, numbers(1, 30));
});

test('another log under the same name is read whole, and a damaged memory is nothing', async (t) => {
  const world = new World(t);
  world.write(1, 5);
  await world.run(t, 5);
  rmSync(world.path);
  world.write(50, 53);
  assert.deepEqual(await world.run(t, 53), numbers(50, 53));
  writeFileSync(
    join(world.root, 'log-places.json'),
    '{"schema":"faultline/log-places/1","places":{"/x":7,"/y":{"offset":-1}}}',
  );
  assert.deepEqual(await world.run(t, 53), numbers(50, 53));
});

test('a fault that an earlier run took is not reported again, its steps still say what was normal', () => {
  const detection = new TextDetection('node-3');
  const record = (text: string, position: number, known: boolean): TextRecord => ({ source: 'job-log', trust: 'tenant', stream: 'job/llama:/l', position, timeMs: null, timeDigits: 0, observedMs: 1_800_000_000_000 + position, text, attributes: { job: 'llama', framework: 'auto', history: true, ...(known ? { known: true } : {}) } }); // biome-ignore format: one line
  const fault = '[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';
  const events = (known: boolean, position: number) => [...detection.decode(record(fault, position, known)).events, ...detection.settle(1_900_000_000_000)]; // biome-ignore format: one line
  assert.deepEqual(events(true, 1), []);
  assert.equal(detection.decode(record('step 7 loss 1.5 lr 0.1', 2, true)).steps.length, 1);
  assert.ok(events(false, 3).some(({ kind }) => kind === 'job.gpu_oom'));
});
