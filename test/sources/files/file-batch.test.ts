// Small files read together: in one job from the second time on, and one that hangs holds up nothing but itself.

import assert from 'node:assert/strict';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { native } from '../../../src/native.ts';
import { type ReadMany, readMany } from '../../../src/sources/files/file-batch.ts';
import { type FileCalls, SmallFiles } from '../../../src/sources/files/small-files.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'fl batch '));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Files 1, 2, 3 … named by their number; read one by one they say `alone`. */
function scripted(many: ReadMany): FileCalls & { readonly alone: number[] } {
  const alone: number[] = [];
  return {
    alone,
    open: async (path) => Number(path),
    read: async (file, into) => {
      alone.push(file);
      return into.write('alone');
    },
    readMany: many,
    close() {},
    list: async () => [],
    link: async () => '',
    real: async (path) => path,
    device: async () => 1,
  };
}

const all = (files: SmallFiles, paths: readonly string[]) =>
  files.together('group', async () => {
    const texts: (string | null)[] = [];
    for (const path of paths) texts.push(await files.read(path));
    return texts;
  });

test('what was read one by one the first time comes in one job from then on, each time again', async (t) => {
  const root = folder(t);
  const paths = ['a', 'b', 'c'].map((name) => join(root, name));
  const write = (text: string) => paths.forEach((path, i) => void writeFileSync(path, `${text}${i}\n`));
  const jobs: number[] = [];
  const files = new SmallFiles();
  const real = native().readFiles;
  t.mock.method(native(), 'readFiles', (...given: Parameters<typeof real>) => {
    jobs.push(given[0].length);
    real(...given);
  });
  t.after(() => files.close());
  write('x');
  assert.deepEqual(await all(files, paths), ['x0', 'x1', 'x2']);
  write('y');
  assert.deepEqual(await all(files, paths), ['y0', 'y1', 'y2']);
  write('z');
  assert.deepEqual(await all(files, paths.toReversed()), ['z2', 'z1', 'z0']);
  assert.deepEqual(jobs, [3, 3]);
  assert.equal(files.reads, 9);
});

test('whatever is in them, files read together say what they say one by one', async (t) => {
  const root = folder(t);
  let round = 0;
  const texts = fc.array(fc.string({ maxLength: 100 }), { minLength: 2, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(texts, async (contents) => {
      round += 1;
      const paths = contents.map((text, i) => {
        const path = join(root, `${round} ${i}`);
        writeFileSync(path, text);
        return path;
      });
      const files = new SmallFiles();
      const first = await all(files, paths);
      assert.deepEqual(await all(files, paths), first);
      files.close();
    }),
    { numRuns: 50 },
  );
});

test('a file that refuses is not asked again, the others are', async () => {
  const calls = scripted(async (files, sizes, into) => {
    for (const [i, file] of files.entries())
      sizes[i] = file === 2 ? -constants.errno.EINVAL : into.subarray(64 * i).fill(49, 0, 1) && 1;
  });
  const files = new SmallFiles({ stuck: 0 }, calls);
  await all(files, ['1', '2', '3']);
  assert.deepEqual(await all(files, ['1', '2', '3']), ['1', null, '1']);
  assert.equal(files.refusal('2'), 'EINVAL');
  assert.deepEqual(await all(files, ['1', '2', '3']), ['1', null, '1']);
  assert.deepEqual(calls.alone, [1, 2, 3]);
});

test('one that hangs is left out and reported, the others are read one by one, until it answers', async () => {
  let answer = () => {};
  const flags: Int32Array[] = [];
  const calls = scripted((_files, sizes, into) => {
    into.fill(49, 0, 1);
    sizes[0] = 1;
    flags.push(sizes);
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const budget = { stuck: 0 };
  const files = new SmallFiles(budget, calls, 5);
  await all(files, ['1', '2', '3']);
  assert.deepEqual(await all(files, ['1', '2', '3']), ['1', null, 'alone']);
  assert.deepEqual(files.stuck, ['2']);
  assert.equal(budget.stuck, 1);
  assert.equal(flags[0]?.at(-1), 1, 'nothing is read after it');
  answer();
  await Promise.resolve();
  await new Promise(setImmediate);
  assert.deepEqual(files.stuck, []);
  assert.equal(budget.stuck, 0);
});

test('a file that is let go of is not answered from what was read ahead', async () => {
  const calls = scripted(async (files, sizes, into) => {
    for (const i of files.keys()) sizes[i] = into.subarray(64 * i).fill(49, 0, 1) && 1;
  });
  const files = new SmallFiles({ stuck: 0 }, calls);
  await all(files, ['1', '2']);
  const text = await files.together('group', async () => {
    files.forget('1');
    return await files.read('1');
  });
  assert.equal(text, 'alone');
});

test('the native job tells each size or error, and ends where it is asked to', async (t) => {
  const root = folder(t);
  writeFileSync(join(root, 'a'), 'twelve bytes');
  mkdirSync(join(root, 'd'));
  const [file, directory] = [openSync(join(root, 'a'), 'r'), openSync(join(root, 'd'), 'r')];
  t.after(() => {
    closeSync(file);
    closeSync(directory);
  });
  const into = Buffer.alloc(24);
  const sizes = new Int32Array(5).fill(-1, 0, 4);
  await readMany(Int32Array.of(file, directory, -1, file), sizes, into);
  assert.deepEqual([...sizes], [6, -constants.errno.EISDIR, -constants.errno.EBADF, 6, 0]);
  assert.equal(into.toString('latin1'), `twelve${'\0'.repeat(12)}twelve`);
  const untouched = Int32Array.of(7, 1);
  await readMany(Int32Array.of(file), untouched, into);
  assert.deepEqual([...untouched], [7, 1]);
});

test('arrays that do not fit each other are refused before anything is read', () => {
  const done = () => assert.fail('nothing was to be done');
  const { readFiles } = native();
  for (const [files, sizes, into] of [
    [new Int32Array(0), new Int32Array(1), new Uint8Array(1)],
    [new Int32Array(2), new Int32Array(2), new Uint8Array(9)],
    [new Int32Array(2), new Int32Array(3), new Uint8Array(1)],
    [new Int32Array(5000), new Int32Array(5001), new Uint8Array(5000)],
  ] as const) {
    assert.throws(() => readFiles(files, sizes, into, done), TypeError);
  }
  assert.throws(() => Reflect.apply(readFiles, null, [[1], [1, 2], 'text', done]), TypeError);
});
